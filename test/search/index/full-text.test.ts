/** https://hl7.org/fhir/R4/search.html#content */
import { describe, expect, test } from '@jest/globals'
import { entriesOf, finds, refusal } from '../support.ts'

const XHTML = 'http://www.w3.org/1999/xhtml'
const note = {
  resourceType: 'Condition',
  id: 'c1',
  meta: { versionId: '1', tag: [{ code: 'secret' }] },
  text: {
    status: 'generated',
    div: `<div xmlns="${XHTML}"><p class="hidden">Bone &amp; liver</p><p>metastases&#160;of the <b>Lung</b>worm</p></div>`,
  },
  code: { coding: [{ system: 'http://snomed.info/sct', code: '94222008', display: 'Secondary malignancy' }] },
  recordedDate: '2026-03-01',
  note: [{ text: 'Señora García, liver: X-ray on Monday' }],
  subject: { reference: 'Patient/p1', display: 'Ada Lovelace' },
}

describe('_text and _content', () => {
  test.each([
    ['_text=bone', true],
    ['_text=BONE liver', true],
    ['_text=bone AND liver', true],
    ['_text=bone kidney', false],
    ['_text=bone OR kidney', true],
    ['_text=kidney OR spleen', false],
    ['_text=(bone OR kidney) and metastases', true],
    ['_text=(bone or kidney) spleen', false],
    ['_text=bone NOT kidney', true],
    ['_text=bone not liver', false],
    ['_text=NOT kidney', true],
    // The beginning of a word only where it says so.
    ['_text=metas', false],
    ['_text=metas*', true],
    ['_text=astases*', false],
    // Each value of a list by itself.
    ['_text=kidney,bone', true],
    // Tags separate words, and neither they nor their attributes are text.
    ['_text=lung worm', true],
    ['_text=lungworm', false],
    ['_text=hidden', false],
    ['_text=div', false],
    // Text outside the narrative is found by _content only, which finds the narrative too.
    ['_text=garcia', false],
    ['_content=garcia', true],
    ['_content=bone garcia', true],
    ['_content=x-ray', true],
    ['_content="x ray"', true],
    ['_content=senora*', true],
    ['_content=94222008', true],
    ['_content=malignancy', true],
    ['_content=lovelace', true],
    // Addresses, times and the server's own elements are not text.
    ['_content=snomed', false],
    ['_content=p1', false],
    ['_content=2026', false],
    ['_content=secret', false],
  ])('%s: %s', (query, expected) => {
    expect(finds(`Condition?${query}`, note)).toBe(expected)
  })

  test.each([
    ['_text=bone OR', '_text=bone OR: the end stands where a word is expected'],
    ['_text=OR bone', "_text=OR bone: 'OR' at character 1 stands where a word is expected"],
    ['_text=(bone', "_text=(bone: the end misses a ')'"],
    ['_text=bone)', "_text=bone): ')' at character 5 has no opening parenthesis before it"],
    ['_text="bone', `_text="bone: '"bone' at character 1 has no closing quote`],
    ['_text=bone !!', "'!!' at character 6 holds no letter or digit to compare"],
    ['_text:exact=x', "_text:exact: _text takes no modifier, not ':exact'"],
    [`_text=${'('.repeat(12)}`, 'parentheses are more than 10 deep'],
    [`_text=${'a '.repeat(31)}`, '_text has 31 words and operators; 30 are the most'],
  ])('%s is refused', (query, message) => {
    expect(refusal(`Condition?${query}`)).toContain(message)
  })

  test('are refused where words are not indexed', () => {
    expect(refusal('Condition?_content=x', { fullText: false })).toBe(
      '_content is not offered: FULL_TEXT is off on this server; search by other parameters',
    )
  })

  test('know the first 500 words of the narrative, and 500 others', () => {
    const words = (begin: string) => Array.from({ length: 600 }, (_, at) => `${begin}${at}`).join(' ')
    const long = {
      resourceType: 'Basic',
      text: { status: 'generated', div: `<div>${words('a')}</div>` },
      code: { text: words('b') },
    }
    for (const param of ['_text', '_content']) {
      const entries = entriesOf(param, long).map((entry) =>
        entry.kind === 'words' ? entry.words.split(' ').length : 0,
      )
      expect(entries).toEqual([500])
    }
    expect(finds('Basic?_content=a499', long)).toBe(true)
    expect(finds('Basic?_content=a500', long)).toBe(false)
  })

  test('compare 40 characters of a word', () => {
    const basic = { resourceType: 'Basic', code: { text: 'x'.repeat(100) } }
    expect(finds(`Basic?_content=${'x'.repeat(41)}`, basic)).toBe(true)
    expect(finds(`Basic?_content=${'x'.repeat(39)}`, basic)).toBe(false)
  })

  test('take a narrative of nothing but brackets', () => {
    const basic = { resourceType: 'Basic', text: { status: 'generated', div: '<'.repeat(1_000_000) } }
    expect(entriesOf('_text', basic)).toEqual([])
  })
})
