/** Content types detected from bytes, whatever type is stated. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type DetectedType, Sniffer } from '../../../src/fhir/content/detected-type.ts'
import { randomRuns } from '../../support/random-runs.ts'

function looksOf(bytes: Uint8Array): DetectedType {
  const sniffer = new Sniffer()
  sniffer.push(bytes)
  return sniffer.end()
}

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding)
const CDA =
  '<?xml version="1.0" encoding="UTF-8"?>\n<ClinicalDocument xmlns="urn:hl7-org:v3"><id root="1"/></ClinicalDocument>'
const XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body>Seen é</body></html>'

test.each<[string, Buffer, Partial<DetectedType>]>([
  ['a PDF', bytes('%PDF-1.7\n1 0 obj\n%%EOF\n'), { type: 'application/pdf', isCompletePdf: true }],
  ['a PDF that is cut off', bytes('%PDF-1.7\n1 0 obj\n'), { type: 'application/pdf', isCompletePdf: false }],
  ['text about PDF', bytes('The file began with %PDF-1.7 %%EOF'), { type: undefined, isUtf8: true }],
  ['RTF', bytes('{\\rtf1\\ansi Seen today}'), { type: 'text/rtf', isUtf8: true }],
  ['PNG', bytes('\x89PNG\r\n\x1A\n\0\0', 'latin1'), { type: 'image/png', isUtf8: false }],
  ['JPEG', bytes('\xFF\xD8\xFF\xE0', 'latin1'), { type: 'image/jpeg', isUtf8: false }],
  ['DICOM', Buffer.concat([Buffer.alloc(128), bytes('DICM')]), { type: 'application/dicom', isUtf8: false }],
  ['a ZIP, as docx is one', bytes('PK\x03\x04', 'latin1'), { type: 'application/zip' }],
  ['plain text', bytes('Seen today, é ß 漢 😀'), { type: undefined, isUtf8: true }],
  ['text in Latin-1', bytes('Seen today, é', 'latin1'), { type: undefined, isUtf8: false }],
  ['text in UTF-16', bytes('Seen today', 'utf16le'), { type: undefined, isUtf8: false }],
  ['a character cut off at the end', bytes('é').subarray(0, 1), { isUtf8: false }],
  ['nothing', Buffer.alloc(0), { type: undefined, isUtf8: true, isEmpty: true }],
  ['CDA', bytes(CDA), { type: 'application/xml', xml: 'well-formed', xmlRoot: '{urn:hl7-org:v3}ClinicalDocument' }],
  ['CDA with a byte order mark', bytes(`\uFEFF${CDA}`), { type: 'application/xml', xml: 'well-formed' }],
  ['CDA that is cut off', bytes(CDA.slice(0, -4)), { type: 'application/xml', xml: 'broken' }],
  [
    'XML with an entity of its own',
    bytes('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'),
    { type: 'application/xml', xml: 'has-doctype' },
  ],
  ['XML with an entity that nothing declares', bytes('<a>&nbsp;</a>'), { type: undefined, xml: 'broken' }],
  ['XML with an undeclared prefix', bytes('<?xml version="1.0"?><x:a/>'), { type: 'application/xml', xml: 'broken' }],
  ['XML that is in Latin-1', bytes('<?xml version="1.0" encoding="ISO-8859-1"?><a/>'), { xml: 'other-encoding' }],
  ['XHTML', bytes(XHTML), { type: 'application/xhtml+xml', xml: 'well-formed' }],
  ['HTML', bytes('<!doctype html><p>Seen<br>today'), { type: 'text/html', xml: 'broken' }],
  ['text that begins with a sign', bytes('< 5 mg given'), { type: undefined, isUtf8: true }],
  ['text that begins like a tag', bytes('<unsure> about the dose'), { type: undefined, isUtf8: true, xml: 'broken' }],
])('%s', (_name, content, expected) => {
  const { xml, ...looks } = looksOf(content)
  expect({ ...looks, ...('xml' in expected && { xml }) }).toMatchObject(expected)
})

describe('XML at a bounded cost', () => {
  test('501 elements within each other are not looked at further, 500 are', () => {
    const nested = (depth: number) => bytes('<a>'.repeat(depth) + '</a>'.repeat(depth))
    expect(looksOf(nested(500)).xml).toBe('well-formed')
    expect(looksOf(nested(501)).xml).toBe('too-large')
  })

  test('more than 200,000 elements are not looked at further, 200,000 are', () => {
    const many = (elements: number) => bytes(`<a>${'<b/>'.repeat(elements - 1)}</a>`)
    expect(looksOf(many(200_000)).xml).toBe('well-formed')
    expect(looksOf(many(200_001)).xml).toBe('too-large')
  })

  test('1,001 attributes of one element are not looked at further', () => {
    const attributes = Array.from({ length: 1001 }, (_, index) => `a${index}="1"`)
    expect(looksOf(bytes(`<a ${attributes.join(' ')}/>`)).xml).toBe('too-large')
  })

  test('more than 20 Mi characters are not looked at further', () => {
    const sniffer = new Sniffer()
    sniffer.push(bytes('<a>'))
    const piece = bytes('x'.repeat(64 * 1024))
    for (let index = 0; index < 320; index++) sniffer.push(piece)
    expect(sniffer.end().xml).toBe('too-large')
  })

  test('an entity that doubles itself is never expanded', () => {
    const entities = Array.from({ length: 30 }, (_, index) => `<!ENTITY e${index + 1} "&e${index};&e${index};">`)
    const bomb = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY e0 "x">${entities.join('')}]><a>&e30;</a>`
    expect(looksOf(bytes(bomb)).xml).toBe('has-doctype')
  })
})

test('how the bytes are cut into pieces changes nothing', () => {
  const contents = [CDA, XHTML, '%PDF-1.4 é %%EOF', `<a>${'é'.repeat(600)}</a>`, `漢${' '.repeat(511)}`, '<a>'].map(
    (text) => bytes(text),
  )
  contents.push(bytes('é'.repeat(300), 'latin1'), Buffer.concat([Buffer.alloc(128), bytes('DICM')]))
  fc.assert(
    fc.property(fc.constantFrom(...contents), fc.array(fc.nat(700), { maxLength: 12 }), (content, cuts) => {
      const sniffer = new Sniffer()
      const ends = [...cuts.toSorted((one, other) => one - other), content.length]
      let start = 0
      for (const end of ends) {
        sniffer.push(content.subarray(start, end))
        start = Math.max(start, end)
      }
      expect(sniffer.end()).toEqual(looksOf(content))
    }),
    { numRuns: randomRuns(500) },
  )
})
