/** References in a Bundle that resolve to nothing, and entries that no reference leads to. */
import { describe, expect, test } from '@jest/globals'
import { said, thoroughIssues } from './support.ts'

const BASE = 'http://example.org/fhir'
const [ONE, TWO] = ['urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7', 'urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b8']
type Entry = readonly [fullUrl: string, resource: object]

const bundle = (type: string, ...entries: readonly Entry[]) => ({
  resourceType: 'Bundle',
  type,
  entry: entries.map(([fullUrl, resource]) => ({
    fullUrl,
    resource,
    ...(type === 'transaction' ? { request: { method: 'POST', url: 'x' } } : {}),
  })),
})
const at = (type: string, id: string, elements: object = {}): Entry => [
  `${BASE}/${type}/${id}`,
  { resourceType: type, id, ...elements },
]
const about = (reference: string, elements: object = {}) => ({
  resourceType: 'Observation',
  subject: { reference },
  ...elements,
})

describe('a reference in any Bundle', () => {
  test.each([
    [
      'to a URN that is a fullUrl',
      [
        [ONE, { resourceType: 'Patient' }],
        [TWO, about(ONE)],
      ],
      [],
    ],
    ['to a URN that is none', [[TWO, about(ONE)]], ['error not-found Bundle.entry[0].resource.subject.reference']],
    ['to a URL elsewhere', [at('Observation', 'o', about('http://elsewhere.example/Patient/1'))], []],
    [
      'that is relative, to another resource of the server of its entry',
      [at('Observation', 'o', about('Patient/1'))],
      [],
    ],
    [
      'that is relative, where its entry is on no server: it has no meaning',
      [[ONE, about('Patient/1')]],
      ['warning not-found Bundle.entry[0].resource.subject.reference'],
    ],
    ['to a contained resource', [[ONE, about('#p', { contained: [{ resourceType: 'Patient', id: 'p' }] })]], []],
    [
      'of a contained resource, to a URN that is none',
      [[ONE, { resourceType: 'Basic', contained: [about(TWO)] }]],
      ['error not-found Bundle.entry[0].resource.contained[0].subject.reference'],
    ],
  ] as [string, Entry[], string[]][])('%s', async (_what, entries, expected) => {
    expect(await said(bundle('collection', ...entries))).toEqual(expected)
  })

  test('to a version is that of the entry', async () => {
    const old = at('Patient', '1', { meta: { versionId: '3' } })
    const document = (version: string) =>
      bundle('document', at('Composition', 'c', { subject: { reference: `Patient/1/_history/${version}` } }), old)
    expect(await said(document('3'))).toEqual([])
    expect(await said(document('4'))).toContain('error not-found Bundle.entry[0].resource.subject.reference')
  })
})

describe('in a transaction', () => {
  test('a URN that no entry has is an error', async () => {
    expect(await said(bundle('transaction', [ONE, about(TWO)]))).toEqual([
      'error not-found Bundle.entry[0].resource.subject.reference',
    ])
  })

  test('a relative reference is to a resource of the server, and a conditional one is looked up there', async () => {
    expect(await said(bundle('transaction', [ONE, about('Patient/1')], [TWO, about('Patient?name=x')]))).toEqual([])
  })
})

describe('in a document', () => {
  test.each([
    ['subject', { subject: { reference: 'Patient/1' } }, 'subject'],
    ['author', { author: [{ reference: 'Patient/1' }] }, 'author[0]'],
    ['attester', { attester: [{ mode: 'legal', party: { reference: 'Patient/1' } }] }, 'attester[0].party'],
    ['event', { event: [{ detail: [{ reference: 'Patient/1' }] }] }, 'event[0].detail[0]'],
    [
      'section',
      { section: [{ section: [{ entry: [{ reference: 'Patient/1' }] }] }] },
      'section[0].section[0].entry[0]',
    ],
  ])('what its Composition refers to as %s is there', async (_what, elements, path) => {
    const composition = at('Composition', 'c', elements)
    expect(await said(bundle('document', composition, at('Patient', '1')))).toEqual([])
    expect(await said(bundle('document', composition))).toEqual([
      `error not-found Bundle.entry[0].resource.${path}.reference`,
    ])
  })

  test('a relative reference is resolved by the fullUrl of its own entry, and the message says so', async () => {
    const patient: Entry = ['http://other.example/Patient/1', { resourceType: 'Patient', id: '1' }]
    const composition = at('Composition', 'c', { subject: { reference: 'Patient/1' } })
    const issues = await thoroughIssues(bundle('document', composition, patient))
    expect(issues.map(({ diagnostics }) => diagnostics).join()).toContain(
      `as ${BASE}/Patient/1, by the fullUrl of its own entry`,
    )
  })

  test('what other resources refer to need not be there', async () => {
    const observation = at('Observation', 'o', about('Patient/1'))
    const composition = at('Composition', 'c', { section: [{ entry: [{ reference: 'Observation/o' }] }] })
    expect(await said(bundle('document', composition, observation))).toEqual([])
  })

  test('there is nothing that the Composition does not lead to', async () => {
    const composition = at('Composition', 'c', { section: [{ entry: [{ reference: 'Observation/o' }] }] })
    const observation = at('Observation', 'o', about('Patient/1'))
    const document = (...more: readonly Entry[]) =>
      bundle('document', composition, observation, at('Patient', '1'), ...more)
    expect(await said(document())).toEqual([])
    expect(await said(document(at('Patient', '2')))).toEqual(['error structure Bundle.entry[3]'])
  })

  test('a stylesheet stands by itself, and a Provenance of something in it, with its agents', async () => {
    const composition = at('Composition', 'c')
    const css = at('Binary', 'css', { contentType: 'text/css' })
    const provenance = (reference: string) =>
      at('Provenance', 'p', { target: [{ reference }], agent: [{ who: { reference: 'Practitioner/d' } }] })
    const document = (reference: string) =>
      bundle('document', composition, css, provenance(reference), at('Practitioner', 'd'))
    expect(await said(document('Composition/c'))).toEqual([])
    expect(await said(document('Composition/x'))).toEqual([
      'error structure Bundle.entry[2]',
      'error structure Bundle.entry[3]',
    ])
  })
})

/** "If both Reference.type and Reference.reference are populated and Reference.reference is a FHIR URL, both SHALL be consistent." */
describe('the type of a reference', () => {
  test.each([
    ['is that of a relative reference', 'Patient', 'Patient/1', []],
    ['is that of a version', 'Patient', 'Patient/1/_history/2', []],
    ['is that of a URL', 'Patient', `${BASE}/Patient/1`, []],
    [
      'should be a name, not a URL, which is none of the defined types',
      'http://hl7.org/fhir/StructureDefinition/Patient',
      'Patient/1',
      ['warning code-invalid Observation.subject.type'],
    ],
    ['says what cannot be told from a URN', 'Patient', ONE, []],
    ['must not be another one', 'Group', 'Patient/1', ['error value Observation.subject.type']],
    ['also not of a URL', 'Group', `${BASE}/Patient/1`, ['error value Observation.subject.type']],
  ])('%s', async (_what, type, reference, expected) => {
    expect(await said({ resourceType: 'Observation', subject: { type, reference } })).toEqual(expected)
  })
})

test('in a message, what it is about is there', async () => {
  const header = at('MessageHeader', 'h', { focus: [{ reference: 'Patient/1' }] })
  expect(await said(bundle('message', header, at('Patient', '1')))).toEqual([])
  expect(await said(bundle('message', header))).toEqual(['error not-found Bundle.entry[0].resource.focus[0].reference'])
})
