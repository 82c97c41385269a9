/** The dashboard's FHIR helpers: names, JSON that keeps its numbers, differences. */
import { expect, test } from '@jest/globals'
import { differencesBetween } from '../../dashboard/fhir/diff.ts'
import { pathOf, prettyJson } from '../../dashboard/fhir/json-text.ts'
import { addressText, nameOf, referenceParts } from '../../dashboard/fhir/names.ts'
import { prettyXml } from '../../dashboard/fhir/xml-text.ts'

test('the official name stands before others, an old one is never shown', () => {
  const names = [
    { use: 'old', family: 'Maiden' },
    { use: 'nickname', given: ['Sam'] },
    { use: 'official', prefix: ['Dr.'], given: ['Samuel', 'J.'], family: 'Goldberg', suffix: ['MD'] },
  ] as const
  expect(nameOf(names.map((name) => ({ ...name }) as never))).toBe('Dr. Samuel J. Goldberg MD')
  expect(nameOf([{ text: 'As it was said' }])).toBe('As it was said')
  expect(nameOf(undefined)).toBe('')
})

test('an address is one line, and what is not known of it leaves no gap', () => {
  expect(addressText({ line: ['88 Clinton Avenue'], city: 'Albany', state: 'NY', postalCode: '12210' })).toBe(
    '88 Clinton Avenue, Albany, NY 12210',
  )
  expect(addressText({ text: 'by the river' })).toBe('by the river')
})

test.each([
  ['Patient/p1', { type: 'Patient', id: 'p1' }],
  ['https://emr.example/fhir/Patient/p1/_history/3', { type: 'Patient', id: 'p1' }],
  ['urn:uuid:1', undefined],
  [undefined, undefined],
])('the reference %s is taken apart', (reference, parts) => {
  expect(referenceParts(reference)).toEqual(parts)
})

test('numbers keep their trailing zeros and their size', () => {
  const text = '{"value":1.00,"big":12345678901234567890,"small":1e-7,"list":[0.10]}'
  expect(prettyJson(text).replace(/\s/g, '')).toBe(text)
  expect(prettyJson('no json')).toBe('no json')
})

test('an expression is the way to an element', () => {
  expect(pathOf('Patient.name[0].given[1]')).toEqual(['name', 0, 'given', 1])
  expect(pathOf('Observation')).toEqual([])
})

test('differences are by element, without those of meta', () => {
  const before = { meta: { versionId: '1' }, name: [{ family: 'A', given: ['X'] }], active: true }
  const after = { meta: { versionId: '2' }, name: [{ family: 'B', given: ['X', 'Y'] }] }
  expect(differencesBetween(before, after)).toEqual([
    { path: 'name[0].family', before: 'A', after: 'B' },
    { path: 'name[0].given[1]', after: 'Y' },
    { path: 'active', before: 'true' },
  ])
})

test('XML has a line for each element, and its narratives stay as they are', () => {
  const one = '<div xmlns="http://www.w3.org/1999/xhtml"><div>a <b>b</b> c</div></div>'
  const other = '<div xmlns="http://www.w3.org/1999/xhtml">d</div>'
  const patient = `<Patient><text>${one}</text><contained><Basic><text>${other}</text></Basic></contained></Patient>`
  expect(prettyXml(patient).split('\n')).toEqual([
    '<Patient>',
    '  <text>',
    `    ${one}`,
    '  </text>',
    '  <contained>',
    '    <Basic>',
    '      <text>',
    `        ${other}`,
    '      </text>',
    '    </Basic>',
    '  </contained>',
    '</Patient>',
  ])
})
