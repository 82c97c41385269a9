/** The report of a run as Markdown. */
import { describe, expect, test } from '@jest/globals'
import { exchangePage } from '../../../src/rehearsal/reports/addresses.ts'
import { markdownOf } from '../../../src/rehearsal/reports/markdown.ts'
import { ALL_VERDICTS, HOSTILE, REPORT, withText } from './a-report.ts'

const rowsOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('| '))

/** The cells of a row, as a reader of GitHub's Markdown splits it: https://github.github.com/gfm/#tables-extension-. */
const cellsOf = (row: string): readonly string[] => row.split(/(?<!(?<!\\)(?:\\\\)*\\)\|/).slice(1, -1)

describe('a report', () => {
  const text = markdownOf(REPORT, exchangePage)

  test('begins with the title, the result and the score', () => {
    expect(text).toMatch(/^### Books, moves and cancels: fail\n\n\*\*2 of 3 steps pass \(66 %\)\*\*\n/)
  })

  test('has a table of the steps, those that fail first, each with links to its exchanges', () => {
    expect(rowsOf(text)).toEqual([
      '| Result | Step | What came | Exchanges |',
      '| **fail** | Books once although the response was lost | Expected no second request with the same body, and it came | expect: [POST /Appointment](http://127.0.0.1:3000/dashboard/journal/9b2f6c1e-0000-4000-8000-000000000002)<br>never: [POST /Appointment 201](http://127.0.0.1:3000/dashboard/journal/9b2f6c1e-0000-4000-8000-000000000003) |',
      '| skip | Cancels (optional) | Not seen |  |',
      '| pass | Looks for free slots in a range | Expected a search for Slot, and it came | expect: [GET /Slot?status=free 200](http://127.0.0.1:3000/dashboard/journal/9b2f6c1e-0000-4000-8000-000000000001) |',
      '| pass | The caller is told the true time | The time was true<br>Attested by Nora: yes, heard on the recording |  |',
    ])
  })

  test('puts what needs an answer before what passes', () => {
    const [, ...rows] = rowsOf(markdownOf(ALL_VERDICTS))
    expect(rows.map((row) => cellsOf(row)[0]?.trim())).toEqual([
      ...['**fail**', '**error**', '**warning**', '**pending**', 'skip', 'pass'],
    ])
  })

  test('tells its notes, and which run of which client it is', () => {
    expect(text).toContain('- Two requests named another run, run-1, and do not count\n')
    expect(text).toContain('client: Scheduler 2.1 · plan: booking-lifecycle 1.0.0 · run: run-7c31')
  })

  test('names exchanges by their ids where readers cannot open them', () => {
    const shared = markdownOf(REPORT)
    expect(shared).toContain('never: POST /Appointment 201 (9b2f6c1e-0000-4000-8000-000000000003)')
    expect(shared).not.toContain('](')
  })

  test('is the same for the same run', () => {
    expect(markdownOf(structuredClone(REPORT))).toBe(markdownOf(REPORT))
  })
})

describe('the text of others', () => {
  test.each(HOSTILE)('%j stays in its line and its cell', (hostile) => {
    const text = markdownOf(withText(hostile), exchangePage)
    const plain = markdownOf(withText('plain'), exchangePage)
    expect(text.split('\n').length).toBe(plain.split('\n').length)
    for (const row of rowsOf(text)) expect(cellsOf(row)).toHaveLength(4)
    expect(text).not.toMatch(/(?<!\\)<(script|b)>/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|@everybody/)
    expect(text.length).toBeLessThan(20_000)
  })

  test('is shown as it is, without what Markdown would make of it', () => {
    const text = markdownOf(withText('[a](b) `c` **d** <e> | f\n# g @h &amp; $i$'))
    expect(text).toContain('\\[a\\](b) \\`c\\` \\*\\*d\\*\\* \\<e\\> \\| f \\# g @<!-- -->h \\&amp; \\$i\\$')
  })
})
