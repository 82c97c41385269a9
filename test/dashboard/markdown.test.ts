/** The documentation in the dashboard: how Markdown is read, where its links lead, and what the palette finds. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { PAGE_HELP } from '../../dashboard/parts/help/page-help.ts'
import { blocksOf, docTarget, idOf, isWebAddress, marksOf } from '../../dashboard/parts/markdown/blocks.ts'
import { docsFound } from '../../dashboard/parts/palette/docs-found.ts'
import { pageAddresses } from '../support/page-addresses.ts'

const DOCS = join(import.meta.dirname, '../../docs')
const docs = globSync('{*,*/*}.md', { cwd: DOCS }).map((path) => ({
  path,
  text: readFileSync(join(DOCS, path), 'utf8'),
}))
const headingsOf = (text: string) => blocksOf(text).flatMap((one) => (one.kind === 'heading' ? [one] : []))

describe('a page of Markdown', () => {
  test('is read as headings, texts, code, tables and lists', () => {
    const text =
      '# A *title*\n\nOne\ntwo\n```bash\n# no heading\n```\n| a | b |\n|---|---|\n| `x|y` | z |\n- one\n  more\n- two\n'
    expect(blocksOf(text)).toEqual([
      { kind: 'heading', level: 1, text: 'A *title*', id: 'a-title' },
      { kind: 'text', text: 'One two' },
      { kind: 'code', text: '# no heading' },
      { kind: 'table', head: ['a', 'b'], rows: [['`x|y`', 'z']] },
      { kind: 'list', isOrdered: false, items: ['one more', 'two'] },
    ])
  })

  test('has code, strong words and links within its texts, and shows markup of HTML as it stands', () => {
    expect(marksOf('a `b` **c** [d](e.md) <script>alert(1)</script>')).toEqual([
      { kind: 'text', text: 'a ' },
      { kind: 'code', text: 'b' },
      { kind: 'text', text: ' ' },
      { kind: 'strong', text: 'c' },
      { kind: 'text', text: ' ' },
      { kind: 'link', text: 'd', to: 'e.md' },
      { kind: 'text', text: ' <script>alert(1)</script>' },
    ])
  })

  test.each(['', '|', '```', '#', '| a', '- ', '|---|', '[a](', '**', '* * *', '`'.repeat(10_000), '|'.repeat(10_000)])(
    'that is odd is read to its end: %j',
    (text) => {
      expect(blocksOf(text).length).toBeLessThan(10)
      expect(
        marksOf(text)
          .map((mark) => mark.text)
          .join('').length,
      ).toBeLessThanOrEqual(text.length)
    },
  )
})

describe('a link', () => {
  test.each([
    ['faults.md', 'runs.md', { path: 'faults.md', section: '' }],
    ['../sessions.md#the-end', 'operations/meta.md', { path: 'sessions.md', section: 'the-end' }],
    ['#sandbox', 'dashboard.md', { path: 'dashboard.md', section: 'sandbox' }],
    ['../../package.json', 'adr/001-one-declaration.md', undefined],
    ['javascript:alert(1)', 'runs.md', undefined],
    ['//elsewhere.example/a.md', 'runs.md', undefined],
    ['https://hl7.org/fhir', 'runs.md', undefined],
  ])('%s on %s leads to %j', (to, from, target) => {
    expect(docTarget(to, from)).toEqual(target)
  })

  test('to another server has an address of the web', () => {
    expect(['https://a.example', 'javascript:alert(1)', 'data:text/html,x'].map(isWebAddress)).toEqual([
      true,
      false,
      false,
    ])
  })
})

test('each page of the dashboard has its help, whose documentation exists', () => {
  expect(pageAddresses.length).toBeGreaterThan(10)
  expect(pageAddresses.filter((path) => PAGE_HELP[path] === undefined)).toEqual([])
  for (const { doc, section } of Object.values(PAGE_HELP)) {
    const text = docs.find(({ path }) => path === doc)?.text ?? ''
    expect(headingsOf(text).map(({ id }) => id)).toEqual(
      section === undefined ? expect.anything() : expect.arrayContaining([section]),
    )
  }
})

test('the documentation is found by words of its titles and headings, titles first', () => {
  const known = docs.map(({ path, text }) => {
    const [title, ...headings] = headingsOf(text).map((one) => one.text)
    return { path, title: title ?? path, headings }
  })
  expect(docsFound(known, 'audit trail')[0]?.page.path).toMatch(/audit/)
  expect(docsFound(known, 'session prog').map(({ page, heading }) => [page.path, heading])).toContainEqual([
    'sessions.md',
    'Programs',
  ])
  expect(idOf('Phones and e-mails')).toBe('phones-and-e-mails')
})
