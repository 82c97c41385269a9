/** Finding documents: all search parameters of R4, and the searches of US Core and IHE MHD ITI-67. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { searchParametersOf } from '../../src/search/parameters.ts'
import { type DocumentClinic, documentClinic } from '../documents/clinics.ts'
import { startServer, type TestServer } from '../support/server.ts'

const LOINC = 'http://loinc.org'
const CATEGORY = 'http://hl7.org/fhir/us/core/CodeSystem/us-core-documentreference-category'
const coded = (system: string, code: string) => ({ coding: [{ system, code }] })

/** For each parameter, a query that finds the one document. */
const QUERIES: Readonly<Record<string, string>> = {
  authenticator: 'authenticator=Practitioner/auth',
  author: 'author=Practitioner/house',
  category: `category=${CATEGORY}|clinical-note`,
  contenttype: 'contenttype=text/plain',
  custodian: 'custodian=Organization/c',
  date: 'date=2026-03-01',
  description: 'description=Visit',
  encounter: 'encounter=Encounter/e',
  event: 'event=colonoscopy',
  facility: 'facility=clinic',
  format: 'format=urn:ihe:pcc:xphr:2007',
  identifier: 'identifier=urn:documents|one',
  language: 'language=en-US',
  location: 'location=https://files.example/one',
  patient: 'patient=p',
  period: 'period=2026-02-28',
  related: 'related=Observation/o',
  relatesto: 'relatesto=DocumentReference/other',
  relation: 'relation=appends',
  relationship: 'relationship=appends$DocumentReference/other',
  'security-label': 'security-label=R',
  setting: 'setting=cardiology',
  status: 'status=current',
  subject: 'subject=Patient/p',
  type: `type=${LOINC}|11506-3`,
  _id: '_id=one',
  _profile: '_profile=http://example.org/note',
  _tag: '_tag=urn:tags|t',
}

let server: TestServer
let clinic: DocumentClinic
beforeAll(async () => {
  server = await startServer()
  clinic = await documentClinic(server, 'searched')
  for (const id of ['p', 'q']) await clinic.fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id })
  await put('other', { status: 'superseded' })
  await put('one', {
    meta: { profile: ['http://example.org/note'], tag: [{ system: 'urn:tags', code: 't' }] },
    masterIdentifier: { system: 'urn:documents', value: 'one' },
    subject: { reference: 'Patient/p' },
    type: coded(LOINC, '11506-3'),
    category: [coded(CATEGORY, 'clinical-note')],
    date: '2026-03-01T09:00:00Z',
    author: [{ reference: 'Practitioner/house' }],
    authenticator: { reference: 'Practitioner/auth' },
    custodian: { reference: 'Organization/c' },
    relatesTo: [{ code: 'appends', target: { reference: 'DocumentReference/other' } }],
    description: 'Visit of March',
    securityLabel: [coded('http://terminology.hl7.org/CodeSystem/v3-Confidentiality', 'R')],
    content: [
      {
        attachment: { contentType: 'text/plain', language: 'en-US', url: 'https://files.example/one' },
        format: { system: 'urn:formats', code: 'urn:ihe:pcc:xphr:2007' },
      },
    ],
    context: {
      encounter: [{ reference: 'Encounter/e' }],
      event: [coded('urn:events', 'colonoscopy')],
      period: { start: '2026-02-28T08:00:00Z', end: '2026-02-28T09:00:00Z' },
      facilityType: coded('urn:facilities', 'clinic'),
      practiceSetting: coded('urn:settings', 'cardiology'),
      related: [{ reference: 'Observation/o' }],
    },
  })
})
afterAll(() => server.close())

async function put(id: string, more: object): Promise<void> {
  const { status, text } = await clinic.fhir('PUT', `/DocumentReference/${id}`, {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    content: [{ attachment: { url: 'https://files.example/other', contentType: 'application/pdf' } }],
    ...more,
  })
  if (status !== 201) throw new Error(text)
}

const foundBy = async (query: string) =>
  ((await clinic.fhir('GET', `/DocumentReference?${query}`)).body.entry ?? []).map(
    ({ resource }: { resource: { id: string } }) => resource.id,
  )

test('every search parameter of R4 has a row here', () => {
  const ofType = [...searchParametersOf('DocumentReference').keys()].filter((code) => !code.startsWith('_'))
  expect(ofType.filter((code) => !(code in QUERIES))).toEqual([])
})

test.each(Object.entries(QUERIES))('by %s', async (_code, query) => {
  expect(await foundBy(query)).toEqual(['one'])
})

describe('searches of US Core', () => {
  test.each([
    'patient=p',
    'patient=Patient/p',
    `patient=p&category=${CATEGORY}|clinical-note`,
    `patient=p&category=${CATEGORY}|clinical-note&date=ge2026-03-01T00:00:00Z&date=lt2026-03-02T00:00:00Z`,
    `patient=p&type=${LOINC}|11506-3`,
    'patient=p&status=current,superseded',
    `patient=p&type=${LOINC}|11506-3&period=ge2026-02-01&period=le2026-03-01`,
    '_id=one',
  ])('%s', async (query) => {
    expect(await foundBy(query)).toEqual(['one'])
  })

  test('what does not fit is not found', async () => {
    expect(await foundBy(`patient=p&type=${LOINC}|11506-3&period=ge2026-03-01`)).toEqual([])
    expect(await foundBy('patient=q')).toEqual([])
  })
})
