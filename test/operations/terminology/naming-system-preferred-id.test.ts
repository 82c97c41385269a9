/** NamingSystem/$preferred-id: https://hl7.org/fhir/R4/namingsystem-operation-preferred-id.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const resource of stored)
    expect((await clinics.ours('POST', `/${resource.resourceType}`, resource)).status).toBe(201)
})
afterAll(() => clinics.server.close())

interface UniqueId {
  readonly type: 'oid' | 'uuid' | 'uri' | 'other'
  readonly value: string
  readonly preferred?: boolean
  readonly period?: object
}
const naming = (name: string, uniqueId: readonly UniqueId[], more: object = {}) => ({
  resourceType: 'NamingSystem',
  name,
  status: 'active',
  kind: 'identifier',
  date: '2024-01-01',
  uniqueId,
  ...more,
})
const uri = (value: string, more: object = {}): UniqueId => ({ type: 'uri', value, ...more })
const oid = (value: string, more: object = {}): UniqueId => ({ type: 'oid', value, ...more })

const MRN = 'http://hospital.example/mrn'
const UUID = '53fefa32-fcbb-4ff8-8a92-55ee120877b7'
const stored = [
  naming('Mrn', [
    uri(MRN),
    oid('urn:oid:1.2.36.1'),
    { type: 'uuid', value: UUID.toUpperCase() },
    { type: 'other', value: 'MRN' },
  ]),
  naming('Preferred', [uri('http://p.example'), oid('1.2.36.2'), oid('1.2.36.3', { preferred: true })]),
  naming('Several', [uri('http://s.example'), oid('1.2.36.4'), oid('1.2.36.5')]),
  naming('Former', [
    uri('http://f.example'),
    oid('1.2.36.6', { period: { end: '2019' } }),
    oid('1.2.36.7', { period: { start: '2019-01-01' } }),
  ]),
  naming('One', [uri('http://one.example'), oid('1.2.36.8')]),
  naming('Two', [uri('http://two.example'), oid('1.2.36.8')]),
  naming('Old', [uri('http://old.example'), oid('1.2.36.9')], { status: 'retired' }),
  naming('New', [uri('http://new.example'), oid('1.2.36.9')]),
  naming('Bare', [uri('http://bare.example')]),
  {
    resourceType: 'CodeSystem',
    url: 'http://codes.example',
    version: '1',
    status: 'active',
    content: 'not-present',
    identifier: [{ system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2.36.10' }],
  },
  {
    resourceType: 'CodeSystem',
    url: 'http://codes.example',
    version: '2',
    status: 'active',
    content: 'not-present',
    identifier: [{ system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2.36.10' }],
  },
  {
    resourceType: 'ValueSet',
    url: 'http://values.example',
    status: 'active',
    identifier: [{ system: 'urn:ietf:rfc:3986', value: 'urn:oid:1.2.36.11' }],
  },
]

const get = (id: string, type: string, ask = clinics.ours) =>
  ask('GET', `/NamingSystem/$preferred-id?${new URLSearchParams({ id, type })}`)
const answer = (result: string) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'result', valueString: result }],
})

describe('answers', () => {
  test.each([
    ['an OID by its URI, as a plain OID', MRN, 'oid', '1.2.36.1'],
    ['a URI by its OID', '1.2.36.1', 'uri', MRN],
    ['a URI by its OID as a URI', 'urn:oid:1.2.36.1', 'uri', MRN],
    ['a URI by its UUID', UUID, 'uri', MRN],
    ['a URI by its UUID as a URI', `urn:uuid:${UUID}`, 'uri', MRN],
    ['a URI by a code of v2 table 0396', 'MRN', 'uri', MRN],
    ['a code of v2 table 0396', MRN, 'other', 'MRN'],
    ['the preferred one of several', 'http://p.example', 'oid', '1.2.36.3'],
    ['the preferred one for one that is not', '1.2.36.2', 'oid', '1.2.36.3'],
    ['the one of today', 'http://f.example', 'oid', '1.2.36.7'],
    ['the system that is not retired', '1.2.36.9', 'uri', 'http://new.example'],
    ['a code system that the clinic has stored in two versions', '1.2.36.10', 'uri', 'http://codes.example'],
    ['a value set that the clinic has stored', 'http://values.example', 'oid', '1.2.36.11'],
    [
      'a code system of an R4 package',
      '2.16.840.1.113883.5.4',
      'uri',
      'http://terminology.hl7.org/CodeSystem/v3-ActCode',
    ],
    ['a code system that R4 names', 'http://snomed.info/sct', 'oid', '2.16.840.1.113883.6.96'],
    ['the same by its OID', 'urn:oid:2.16.840.1.113883.6.96', 'uri', 'http://snomed.info/sct'],
  ])('%s', async (_what, id, type, result) => {
    const { status, body } = await get(id, type)
    expect([status, body]).toEqual([200, answer(result)])
  })

  test('a POST with Parameters', async () => {
    const parameter = [
      { name: 'id', valueString: MRN },
      { name: 'type', valueCode: 'oid' },
    ]
    const { body } = await clinics.ours('POST', '/NamingSystem/$preferred-id', {
      resourceType: 'Parameters',
      parameter,
    })
    expect(body).toEqual(answer('1.2.36.1'))
  })

  test('by what the clinic says before what R4 says, and by both where one does not suffice', async () => {
    const own = naming('Snomed', [uri('http://snomed.info/sct'), { type: 'other', value: 'SCT' }])
    expect((await clinics.theirs('POST', '/NamingSystem', own)).status).toBe(201)
    expect((await get('http://snomed.info/sct', 'other', clinics.theirs)).body).toEqual(answer('SCT'))
    expect((await get('http://snomed.info/sct', 'oid', clinics.theirs)).body).toEqual(answer('2.16.840.1.113883.6.96'))
  })
})

describe('refuses', () => {
  test.each([
    [
      'an identifier that is not known',
      'http://nowhere.example',
      'oid',
      404,
      'not-found',
      /no system with the identifier/,
    ],
    ['a type of identifier that is not known', 'http://bare.example', 'oid', 404, 'not-found', /not its oid/],
    [
      'an identifier of two systems',
      '1.2.36.8',
      'uri',
      422,
      'multiple-matches',
      /identifies 2 systems: (One, Two|Two, One)/,
    ],
    ['a type with several identifiers', 'http://s.example', 'oid', 422, 'multiple-matches', /1\.2\.36\.4, 1\.2\.36\.5/],
    ['a type that there is not', MRN, 'url', 400, 'invalid', /oid, uuid, uri, other/],
  ])('%s', async (_what, id, type, expected, code, said) => {
    const { status, body } = await get(id, type)
    expect([status, body.resourceType, body.issue[0].code]).toEqual([expected, 'OperationOutcome', code])
    expect(body.issue[0].diagnostics).toMatch(said)
  })

  test('a call without an id, and one on an instance, which R4 does not define', async () => {
    expect((await clinics.ours('GET', '/NamingSystem/$preferred-id?type=oid')).status).toBe(400)
    expect((await clinics.ours('GET', `/NamingSystem/x/$preferred-id?id=${MRN}&type=oid`)).status).toBe(404)
  })
})

test('another clinic knows none of it', async () => {
  for (const [id, type] of [
    [MRN, 'oid'],
    ['1.2.36.10', 'uri'],
    ['http://values.example', 'oid'],
  ] as const)
    expect((await get(id, type, clinics.theirs)).status).toBe(404)
})
