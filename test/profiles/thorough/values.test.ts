/** Texts, URIs and periods as $validate looks at them. */
import { describe, expect, test } from '@jest/globals'
import { patient, said, thoroughIssues } from './support.ts'

describe('text that looks like HTML is a warning', () => {
  const named = (text: string) => said(patient({ name: [{ text }] }))
  test.each(['<script>alert(1)</script>', 'a <b>bold</b> name', '<img src=x onerror=y>', 'x</p>', '<x-tag/>'])(
    'in a string: %s',
    async (text) => expect(await named(text)).toEqual(['warning security Patient.name[0].text']),
  )

  test.each(['a < b and c > d', '1<2', 'Ruth <ruth@example.org>', '<', '<<>>', 'x <-> y', 'a <b'])(
    'but not: %s',
    async (text) => expect(await named(text)).toEqual([]),
  )

  test('in Markdown, where it is no code', async () => {
    const library = (description: string) => said({ resourceType: 'Library', description })
    expect(await library('see <a href="x">y</a>')).toEqual(['warning security Library.description'])
    expect(await library('write `<a href="x">`, or\n```\n<b>\n```\n')).toEqual([])
  })

  test('and not in narrative, nor in a code', async () => {
    const div = '<div xmlns="http://www.w3.org/1999/xhtml"><b>x</b></div>'
    expect(await said(patient({ text: { status: 'generated', div }, identifier: [{ use: '<b>' }] }))).toEqual([])
  })

  test('a million angle brackets and backticks are searched in a moment', async () => {
    const text = `${'<a '.repeat(300_000)}${'`'.repeat(300_000)}`
    expect(await said({ resourceType: 'Library', description: text, title: text })).toEqual([])
  })
})

describe('a URI', () => {
  test.each([
    [
      'a canonical is absolute',
      { instantiatesCanonical: ['PlanDefinition/1'] },
      'error value',
      'instantiatesCanonical[0]',
    ],
    [
      'so is the url of an extension',
      { extension: [{ url: 'note', valueString: 'x' }] },
      'error value',
      'extension[0].url',
    ],
    ['a system should be', { identifier: [{ system: 'mrn', value: '1' }] }, 'warning value', 'identifier[0].system'],
    ['also of a coding', { code: { coding: [{ system: 'x', code: 'y' }] } }, 'warning value', 'code.coding[0].system'],
    ['also of a quantity', { quantityQuantity: { system: 'ucum', code: 'g' } }, 'warning value', 'quantity.system'],
    [
      'a UUID is written in lower case',
      { identifier: [{ system: 'urn:uuid:53FEFA32-fcbb-4ff8-8a92-55ee120877b7', value: '1' }] },
      'error value',
      'identifier[0].system',
    ],
    [
      'an OID has numbers',
      { identifier: [{ system: 'urn:oid:1.x', value: '1' }] },
      'error value',
      'identifier[0].system',
    ],
    [
      'an identifier that is a URI is absolute',
      { identifier: [{ system: 'urn:ietf:rfc:3986', value: '1.2.3' }] },
      'error value',
      'identifier[0].value',
    ],
  ])('%s', async (_what, elements, severity, path) => {
    expect(await said({ resourceType: 'ServiceRequest', ...elements })).toEqual([`${severity} ServiceRequest.${path}`])
  })

  test.each([
    ['a canonical of a contained definition', { instantiatesCanonical: ['#p'] }],
    ['a URI that is no canonical, and relative', { instantiatesUri: ['protocols/1'] }],
    ['an identifier that is a URI', { identifier: [{ system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2.3' }] }],
  ])('%s is right', async (_what, elements) => {
    expect(await said({ resourceType: 'ServiceRequest', ...elements })).toEqual([])
  })

  test('the parts of a complex extension have names instead', async () => {
    const extension = [{ url: 'http://no/where', extension: [{ url: 'part', valueString: 'x' }] }]
    expect(await said(patient({ extension }))).toEqual(['information informational Patient.extension[0]'])
  })
})

/** "The high value includes any matching date/time": whether the period ends before it begins is another question. */
describe('a period', () => {
  const period = (start: string, end: string) => said(patient({ address: [{ period: { start, end } }] }))
  test.each([
    ['2020-01-15', '2020-01'],
    ['2020-01', '2020-01-15'],
    ['2020-01-02', '2020-01-02T10:00:00Z'],
    ['2020-01-02T10:00:00+14:00', '2020-01-02'],
  ])('from %s to %s is of mixed precision, and its order cannot be told', async (start, end) => {
    expect(await period(start, end)).toEqual(['warning value Patient.address[0].period'])
    const [issue] = await thoroughIssues(patient({ address: [{ period: { start, end } }] }))
    expect(issue?.diagnostics).toContain(`begins with ${start} and ends with ${end}`)
  })

  test.each([
    ['2020-01-15', '2020-02'],
    ['2019', '2020-01-15'],
    ['2020-01-02T10:00:00Z', '2020-01-02T10:00:00.5Z'],
    ['2020-01-02', '2020-01-02'],
  ])('from %s to %s is in order', async (start, end) => expect(await period(start, end)).toEqual([]))
})
