/** Resources within resources over HTTP, in two clinics: https://hl7.org/fhir/R4/search.html#contained. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Fixture, put } from '../../support/put.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const resource of FIXTURE) await put(clinics.ours, resource)
})
afterAll(() => clinics.server.close())

const CODES = 'http://example.org/codes'
const concept = (code: string) => ({ coding: [{ system: CODES, code }] })
const medication = (id: string, code: string, more: object = {}) => ({
  resourceType: 'Medication',
  id,
  code: concept(code),
  ...more,
})
const request = (id: string, reference: string, more: object = {}) => ({
  resourceType: 'MedicationRequest',
  id,
  status: 'active',
  intent: 'order',
  medicationReference: { reference },
  subject: { reference: 'Patient/ada' },
  ...more,
})
const observation = (id: string, more: object = {}) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: concept('inside'),
  ...more,
})
const composition = (id: string, title: string) => ({
  resourceType: 'Composition',
  id,
  status: 'final',
  type: concept('letter'),
  date: '2026-01-01',
  title,
  author: [{ reference: '#writer' }],
  subject: { reference: 'Patient/ada' },
  contained: [{ resourceType: 'Practitioner', id: 'writer', name: [{ family: 'Scrivener' }] }],
})
const bundle = (id: string, type: string, first: object, more: object = {}) => ({
  resourceType: 'Bundle',
  id,
  type,
  ...more,
  entry: [{ fullUrl: 'urn:uuid:0b3f5c2e-50d6-4ef1-a4ee-0a0a9a1d9a51', resource: first }],
})
const DOCUMENT = { identifier: { system: CODES, value: 'd' }, timestamp: '2026-01-01T00:00:00Z' }
const header = (id: string, code: string) => ({
  resourceType: 'MessageHeader',
  id,
  eventCoding: { system: CODES, code },
  source: { endpoint: 'http://example.org/source' },
})

const FIXTURE: readonly Fixture[] = [
  { resourceType: 'Patient', id: 'ada', name: [{ family: 'Lovelace' }] },
  { resourceType: 'Organization', id: 'maker', name: 'Maker' },
  medication('stored', 'abc'),
  request('of-stored', 'Medication/stored'),
  request('custom', '#m1', {
    contained: [
      medication('m1', 'abc', {
        manufacturer: { reference: 'Organization/maker' },
        extension: [{ url: 'http://example.org/strength', valueDecimal: 1.5 }],
      }),
    ],
  }),
  request('other', '#m1', { contained: [medication('m1', 'xyz')] }),
  {
    resourceType: 'DiagnosticReport',
    id: 'report',
    status: 'final',
    code: concept('report'),
    contained: [
      observation('o', { subject: { reference: 'Patient/ada' }, performer: [{ reference: '#p' }] }),
      { resourceType: 'Practitioner', id: 'p', name: [{ family: 'House' }] },
    ],
    result: [{ reference: '#o' }],
  },
  composition('letter', 'Stored'),
  bundle('document', 'document', composition('letter', 'Nested'), DOCUMENT),
  bundle('collection', 'collection', composition('other', 'Collected')),
  bundle('message', 'message', header('h', 'admit')),
]

const found = async (query: string): Promise<readonly string[]> => {
  const { status, body } = await clinics.ours('GET', `/${query}`)
  const entries: readonly { fullUrl: string; search: { mode: string } }[] = body.entry ?? []
  expect([query, status, body.issue]).toEqual([query, 200, undefined])
  return entries
    .filter(({ search }) => search.mode === 'match')
    .map(({ fullUrl }) => fullUrl.split('/').slice(-2).join('/'))
    .toSorted()
}

describe('a chained condition is evaluated inside contained resources', () => {
  test.each<readonly [string, readonly string[]]>([
    ['MedicationRequest?medication.code=abc', ['MedicationRequest/custom', 'MedicationRequest/of-stored']],
    ['MedicationRequest?medication:Medication.code=xyz', ['MedicationRequest/other']],
    ['MedicationRequest?medication._id=m1', ['MedicationRequest/custom', 'MedicationRequest/other']],
    ['MedicationRequest?medication.manufacturer.name=maker', ['MedicationRequest/custom']],
    ['MedicationRequest?medication.manufacturer=Organization/maker', ['MedicationRequest/custom']],
    ['DiagnosticReport?result.performer:Practitioner.name=house', ['DiagnosticReport/report']],
    ['DiagnosticReport?result.patient=Patient/ada', ['DiagnosticReport/report']],
    ['DiagnosticReport?result.subject:Patient.name=lovelace', ['DiagnosticReport/report']],
    [
      'DiagnosticReport?_filter=result[code eq inside].performer[name eq "house"]._id eq p',
      ['DiagnosticReport/report'],
    ],
    ['DiagnosticReport?_filter=result[code eq inside].performer[name eq "house"]._id eq o', []],
    ['Patient?_has:Observation:subject:code=inside', ['Patient/ada']],
    ['Patient?_has:Observation:patient:performer:Practitioner.name=house', ['Patient/ada']],
    ['MedicationRequest?medication=MedicationRequest/custom%23m1', ['MedicationRequest/custom']],
    // "A search on Medication?ingredient-code=abc will not include the Medication resource m1".
    ['Medication?code=abc', ['Medication/stored']],
    ['Medication?_id=m1', []],
    ['Medication', ['Medication/stored']],
  ])('%s finds %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('of the clinic alone', async () => {
    await put(clinics.theirs, request('theirs', 'Medication/stored'))
    for (const query of [
      'MedicationRequest?medication.code=abc',
      'Medication?_contained=both',
      'Bundle?composition.title=Nested',
    ]) {
      const { body } = await clinics.theirs('GET', `/${query}`)
      expect(body.entry ?? []).toEqual([])
    }
  })
})

describe('_contained', () => {
  test.each<readonly [string, readonly string[]]>([
    ['Medication?code=abc&_contained=false', ['Medication/stored']],
    ['Medication?code=abc&_contained=true', ['MedicationRequest/custom']],
    ['Medication?_contained=true', ['MedicationRequest/custom', 'MedicationRequest/other']],
    ['Medication?code=abc&_contained=both', ['Medication/stored', 'MedicationRequest/custom']],
    ['Medication?code=abc&_contained=true&_containedType=contained', ['MedicationRequest/custom#m1']],
    [
      'Medication?code=abc&_contained=both&_containedType=contained',
      ['Medication/stored', 'MedicationRequest/custom#m1'],
    ],
    ['Medication?code=none&_contained=both', []],
    ['Observation?patient=ada&_contained=true', ['DiagnosticReport/report']],
    ['Medication?code=xyz&_contained=true&_sort=-_lastUpdated', ['MedicationRequest/other']],
    [
      '?_type=Observation,Practitioner&_contained=true&_containedType=contained',
      ['Composition/letter#writer', 'DiagnosticReport/report#o', 'DiagnosticReport/report#p'],
    ],
    ['Patient/ada/Observation?_contained=true', ['DiagnosticReport/report']],
    ['Patient/ada/Observation?_contained=true&_containedType=contained', ['DiagnosticReport/report#o']],
    ['Patient/nobody/Observation?_contained=both', []],
    // The first resource of a document is not contained in it.
    ['Composition?title=Nested&_contained=both', []],
  ])('%s finds %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })

  test('a contained resource is the entry, under the address of its container with a fragment', async () => {
    const { body, text } = await clinics.ours('GET', '/Medication?code=abc&_contained=true&_containedType=contained')
    const [base] = body.link[0].url.split('/Medication?')
    expect(body.total).toBe(1)
    expect(body.entry).toEqual([
      {
        fullUrl: `${base}/MedicationRequest/custom#m1`,
        resource: medication('m1', 'abc', {
          manufacturer: { reference: 'Organization/maker' },
          extension: [{ url: 'http://example.org/strength', valueDecimal: 1.5 }],
        }),
        search: { mode: 'match' },
      },
    ])
    expect(text).toContain(`"search":{"mode":"match"}`)
  })

  test('includes what a contained resource refers to', async () => {
    const query = 'Medication?code=abc&_contained=true&_containedType=contained&_include=Medication:manufacturer'
    const { body } = await clinics.ours('GET', `/${query}`)
    expect(body.entry.map(({ resource }: { resource: Fixture }) => resource.id)).toEqual(['m1', 'maker'])
    const around =
      'MedicationRequest?_id=custom&_include=MedicationRequest:medication&_include:iterate=Medication:manufacturer'
    const iterated = await clinics.ours('GET', `/${around}`)
    expect(iterated.body.entry.map(({ resource }: { resource: Fixture }) => resource.id)).toEqual(['custom', 'maker'])
  })

  test('pages, with a cursor for each', async () => {
    const first = await clinics.ours('GET', '/Medication?_contained=both&_containedType=contained&_count=2&_sort=code')
    expect(first.body.entry).toHaveLength(2)
    const { url } = first.body.link.find(({ relation }: { relation: string }) => relation === 'next')
    const second = await clinics.ours('GET', `/${url.split('/').at(-1)}`)
    expect(second.body.entry.map(({ fullUrl }: { fullUrl: string }) => fullUrl.split('/').at(-1))).toEqual(['other#m1'])
  })

  test.each([
    ['Medication?_contained=maybe', '_contained=maybe: write one of false, true, both'],
    ['Medication?_containedType=all', '_containedType=all: write one of container, contained'],
    ['Medication?_contained=true&_sort=code', "_sort: 'code' is a value of what is contained"],
  ])('%s is refused', async (query, text) => {
    const { status, body } = await clinics.ours('GET', `/${query}`)
    expect([status, body.issue[0].diagnostics]).toEqual([400, expect.stringContaining(text)])
  })

  test('a contained resource that changes, goes or comes is found so at once', async () => {
    const within = (code: string) => found(`Medication?code=${code}&_contained=true`)
    await put(clinics.ours, request('changing', '#a', { contained: [medication('a', 'one')] }))
    expect(await within('one')).toEqual(['MedicationRequest/changing'])
    await put(clinics.ours, request('changing', '#a', { contained: [medication('a', 'two')] }))
    expect([await within('one'), await within('two')]).toEqual([[], ['MedicationRequest/changing']])
    await clinics.ours('DELETE', '/MedicationRequest/changing')
    expect(await within('two')).toEqual([])
  })
})

describe('the first resource of a document or message', () => {
  test.each<readonly [string, readonly string[]]>([
    ['Bundle?composition.title=Nested', ['Bundle/document']],
    ['Bundle?composition:Composition.title=Nested', ['Bundle/document']],
    // The resource stored under the same id is a different one.
    ['Bundle?composition.title=Stored', []],
    // "if the bundle type is document": a collection has none.
    ['Bundle?composition.title=Collected', []],
    ['Bundle?composition:missing=false', ['Bundle/document']],
    ['Bundle?composition.patient.name=lovelace', ['Bundle/document']],
    ['Bundle?composition.author:Practitioner.name=scrivener', ['Bundle/document']],
    ['Bundle?composition=Composition/letter', ['Bundle/document']],
    ['Bundle?composition=letter', ['Bundle/document']],
    ['Bundle?composition=Composition/other', []],
    [`Bundle?message.event=${CODES}|admit`, ['Bundle/message']],
    [`Bundle?message.event=${CODES}|discharge`, []],
    ['Bundle?message=h', ['Bundle/message']],
    ['Bundle?message:missing=false', ['Bundle/message']],
  ])('%s finds %j', async (query, expected) => {
    expect(await found(query)).toEqual(expected)
  })
})
