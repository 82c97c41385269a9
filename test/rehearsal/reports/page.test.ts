/** The report of a run as a page. */
import { describe, expect, test } from '@jest/globals'
import { plainPage, plainPolicy } from '../../../src/http/html.ts'
import { exchangePage, type LinkOf } from '../../../src/rehearsal/reports/addresses.ts'
import { REPORT_STYLE, reportPage } from '../../../src/rehearsal/reports/page.ts'
import { ALL_VERDICTS, HOSTILE, REPORT, withText } from './a-report.ts'

const pageOf = (report: typeof REPORT, linkOf?: LinkOf): string => plainPage(reportPage(report, linkOf))

const tagsIn = (html: string): readonly string[] => html.match(/<[a-z!/][^>]*>/gi) ?? []

describe('a report', () => {
  const html = pageOf(REPORT, exchangePage)

  test('has a heading, the result as a word, and the score', () => {
    expect(html).toContain('<h1>Books, moves and cancels</h1>')
    expect(html).toContain('<strong class="fail">fail</strong>: 2 of 3 steps pass (66 %)')
  })

  test('has tables with captions and with headings of rows and columns', () => {
    expect(html.match(/<table>\n<caption>[^<]+<\/caption>\n<thead><tr><th scope="col">/g)).toHaveLength(3)
    expect(html.match(/<h2>[^<]+<\/h2>/g)).toEqual([
      ...['<h2>Steps</h2>', '<h2>Notes</h2>', '<h2>Traffic</h2>', '<h2>Used interfaces</h2>'],
      '<h2>Tools of live calls</h2>',
    ])
    expect(html.match(/<th scope="row">/g)).toHaveLength(4 + 6 + 4)
  })

  test('links each exchange to its page in the dashboard', () => {
    expect(html).toContain(
      'never: <a href="http://127.0.0.1:3000/dashboard/journal/9b2f6c1e-0000-4000-8000-000000000003">POST /Appointment 201</a>',
    )
  })

  test('has no link where readers cannot open them, and names the exchanges', () => {
    const shared = pageOf(REPORT)
    expect(shared).not.toMatch(/<a\b|href=/)
    expect(shared).toContain('<small>9b2f6c1e-0000-4000-8000-000000000003</small>')
  })

  test('says who attested what, and the source of each step', () => {
    expect(html).toContain('Attested by Nora: yes, heard on the recording')
    expect(html).toContain('Source: IHE ITI-115; https://docs.oracle.com/slot')
  })

  test('has no script, no handler, nothing from elsewhere and no style but its own, which its policy names', () => {
    expect(html).not.toMatch(/<(script|img|link|iframe|object|form)\b|\son\w+=|\sstyle=|@import|url\(/)
    const { style } = reportPage(REPORT)
    expect(plainPolicy({ style })).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'/)
    expect(plainPolicy({ style })).not.toBe(plainPolicy())
    expect(html).toContain(style)
  })

  test('is the same for the same run', () => {
    expect(pageOf(structuredClone(REPORT), exchangePage)).toBe(html)
  })

  test('has a class with a colour for each verdict', () => {
    const classes = [...pageOf(ALL_VERDICTS).matchAll(/<strong class="(\w+)">\1</g)].map(([, name = '']) => name)
    expect(new Set(classes)).toEqual(new Set(['pass', 'skip', 'pending', 'warning', 'error', 'fail']))
    for (const name of classes) expect(REPORT_STYLE).toMatch(new RegExp(`^(\\.\\w+, )?\\.${name}\\b.*color: `, 'm'))
  })

  test.each(HOSTILE)('has the text %j as a text', (text) => {
    const hostile = pageOf(withText(text), exchangePage)
    expect(tagsIn(hostile)).toEqual(tagsIn(pageOf(withText('plain'), exchangePage)))
  })
})

describe('the colours of the page', () => {
  const pairs = [...REPORT_STYLE.matchAll(/(?<!border-bottom: 1px solid )light-dark\((#\w{6}), (#\w{6})\)/g)]
  const [background, ...colors] = pairs.map(([, light = '', dark = '']) => [light, dark] as const)

  /** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
  function luminance(color: string): number {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5]
      .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }

  /** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
  function contrast(one: string, other: string): number {
    const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return (light + 0.05) / (dark + 0.05)
  }

  test('contrast with the background by 4.5 to 1 at least, in light and in darkness', () => {
    expect(colors.length).toBeGreaterThan(7)
    for (const color of colors) {
      for (const theme of [0, 1] as const) {
        expect(contrast(color[theme], background?.[theme] ?? '')).toBeGreaterThanOrEqual(4.5)
      }
    }
  })
})
