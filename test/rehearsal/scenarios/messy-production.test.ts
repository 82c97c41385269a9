/** The scenario messy-production in a clinic: each oddity is there, and no client stumbles over it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, OperationOutcome, Resource } from 'fhir/r4'
import { compileFhirPath } from '../../../src/fhir/fhirpath/fhirpath.ts'
import { parseJson } from '../../../src/fhir/json.ts'
import { builtInScenario } from '../../../src/rehearsal/scenarios/built-in.ts'
import type { TestServer } from '../../support/server.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'

const scenario = builtInScenario('messy-production')
const { oddities = [] } = scenario
const deleted = scenario
  .resources()
  .flatMap(({ resourceType, id, $delete }) => ($delete ? [`${resourceType}/${id}`] : []))
const addresses = [...new Set(scenario.resources().map(({ resourceType, id }) => `${resourceType}/${id}`))]
const alive = addresses.filter((address) => !deleted.includes(address))
const patients = alive.filter((address) => address.startsWith('Patient/'))

describe('the scenario messy-production', () => {
  let clinic: Rehearsed
  let server: TestServer
  beforeAll(async () => {
    clinic = await startRehearsed()
    server = clinic.server
    expect((await clinic.ask('POST', '/reset', { scenario: scenario.name })).status).toBe(200)
  })
  afterAll(() => server.close())

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await server.fhir('GET', `/${path}`, undefined, headers)
    expect([path, response.status]).toEqual([path, 200])
    return response
  }
  const idsOf = async (query: string): Promise<readonly string[]> => {
    const { entry = [] } = (await get(query)).body as Bundle<Resource>
    return entry.map(({ resource }) => `${resource?.resourceType}/${resource?.id}`)
  }

  /** The version and its time differ with every write. */
  const withoutVersion = (text: string) =>
    text.replace(/,?"versionId":"\d+","lastUpdated":"[^"]+"/, '').replace('"meta":{,', '"meta":{')

  test('lists many oddities, each of another path or resource', () => {
    expect(oddities.length).toBeGreaterThanOrEqual(40)
    expect(new Set(oddities.map(({ what }) => what)).size).toBe(oddities.length)
    expect(new Set(oddities.map(({ resource, path }) => `${resource} ${path}`)).size).toBe(oddities.length)
  })

  test('is described with the same oddities in docs/messy-production.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/messy-production.md'), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'))
    expect(rows).toEqual(oddities.map(({ what, resource }) => `| ${what} | \`${resource}\` |`))
  })

  test.each(oddities)('$resource: $what', async ({ resource, path = '' }) => {
    const stored = parseJson((await get(resource)).text)
    const found = compileFhirPath(path).evaluate(stored)
    expect(found.filter((value) => value !== false)).not.toEqual([])
  })

  test.each(alive)('%s is read, found, and unchanged by an update with its own body', async (address) => {
    const [type, id] = address.split('/')
    const before = await get(address)
    expect(await idsOf(`${type}?_id=${id}`)).toEqual([address])
    const { status } = await server.fhir('PUT', `/${address}`, before.text)
    expect([address, status]).toEqual([address, 200])
    const after = await get(address)
    expect(withoutVersion(after.text)).toBe(withoutVersion(before.text))
    expect(Number(after.body.meta.versionId)).toBe(Number(before.body.meta.versionId) + 1)
  })

  test.each(alive)('%s is the same in XML, there and back', async (address) => {
    const before = await get(address)
    const xml = await get(address, { accept: 'application/fhir+xml' })
    const sent = { 'content-type': 'application/fhir+xml' }
    expect([address, (await server.fhir('PUT', `/${address}`, xml.text, sent)).status]).toEqual([address, 200])
    // XML has the order of R4's definitions.
    const after = await get(address)
    expect(parseJson(withoutVersion(after.text))).toEqual(parseJson(withoutVersion(before.text)))
  })

  test.each(alive)('%s has nothing wrong by $validate', async (address) => {
    const [type] = address.split('/')
    const { text } = await get(address)
    const { status, body } = await server.fhir('POST', `/${type}/$validate`, text)
    const errors = (body as OperationOutcome).issue.filter(({ severity }) => severity === 'error')
    // An unknown modifier extension is valid R4, but nobody may act on a resource that has one.
    const unknown = address === 'Condition/messy-modified' ? ['Condition.modifierExtension[0]'] : []
    expect([address, status, errors.flatMap(({ expression = [] }) => expression)]).toEqual([address, 200, unknown])
  })

  test.each(deleted)('%s is gone, and its history is not', async (address) => {
    expect((await server.fhir('GET', `/${address}`)).status).toBe(410)
    const { entry } = (await get(`${address}/_history`)).body
    expect(entry.map(({ request }: { request: { method: string } }) => request.method)).toEqual([
      'DELETE',
      'PUT',
      'PUT',
    ])
  })

  test('a patient has three versions, the first of which others refer to', async () => {
    const { birthDate } = (await get('Patient/messy-moved/_history/1')).body
    expect(birthDate).toBe('1985-05-05')
    expect((await get('Patient/messy-moved/_history')).body.entry.length).toBeGreaterThanOrEqual(3)
    expect(await idsOf('Condition?patient=messy-moved')).toContain('Condition/messy-versioned-subject')
  })

  test.each(patients)('%s: $everything is there', async (address) => {
    const [, id] = address.split('/')
    const everything = await idsOf(`${address}/$everything?_count=500`)
    expect(everything).toContain(address)
    for (const type of ['Condition', 'Observation', 'Encounter', 'MedicationRequest', 'DocumentReference']) {
      expect(everything).toEqual(expect.arrayContaining([...(await idsOf(`${type}?patient=${id}&_count=500`))]))
    }
  })

  test.each([
    ['Patient?family=delacroix-whittle', ['Patient/messy-capitals']],
    ['Patient?given=maggie', ['Patient/messy-capitals']],
    ['Patient?identifier=417', ['Patient/messy-capitals']],
    ['Patient?name=Suryaningsih', ['Patient/messy-mononym']],
    ['Patient?birthdate=1931', ['Patient/messy-year']],
    ['Patient?birthdate=1974', ['Patient/messy-month']],
    ['Patient?family=Ñambí', ['Patient/messy-unicode']],
    ['Patient?family=nambi', ['Patient/messy-unicode']],
    ['Patient?family=כהן', ['Patient/messy-unicode']],
    ['Patient?family=abernethy&birthdate=1969-09-09', ['Patient/messy-twin-1', 'Patient/messy-twin-2']],
    ['Patient?birthdate:missing=true', ['Patient/00042', 'Patient/messy-absent']],
    ['Patient?link=Patient/messy-survivor', ['Patient/messy-merged']],
    ['Patient?deceased=true', ['Patient/messy-month', 'Patient/messy-year']],
    ['Patient?phone=5185550145', ['Patient/messy-twin-1', 'Patient/messy-twin-2']],
    ['Condition?clinical-status:missing=true', ['Condition/messy-error', 'Condition/messy-no-status']],
    ['Condition?code=250.00', ['Condition/messy-many-codes']],
    ['Condition?code:text=sugar', ['Condition/messy-text-code']],
    ['Condition?subject=https://hie.example/fhir/Patient/8f14e45f', ['Condition/messy-foreign-subject']],
    ['Condition?subject:identifier=https://old-hospital.example/mrn|0000417', ['Condition/messy-logical-subject']],
    ['Condition?patient=messy-deleted', ['Condition/messy-deleted-subject']],
    ['Observation?date=2016-12-31', ['Observation/messy-leap-second']],
    ['Observation?date=1999', ['Observation/messy-year']],
    ['Observation?value-quantity=lt0.1', ['Observation/messy-less-than', 'Observation/messy-negative']],
    ['Observation?value-string=>400', ['Observation/messy-number-as-text']],
    ['Observation?status=unknown', ['Observation/messy-unknown']],
    ['Observation?has-member=Observation/messy-member-2', ['Observation/messy-member-1']],
    ['Observation?subject:missing=true', ['Observation/messy-no-subject']],
    ['Encounter?status=unknown', ['Encounter/messy-unknown']],
    ['Appointment?status=proposed', ['Appointment/messy-proposed']],
    ['MedicationRequest?authoredon=2017', ['MedicationRequest/messy-contained']],
    ['DocumentReference?status=superseded', ['DocumentReference/messy-elsewhere']],
    ['Practitioner?name=okonkwo', ['Practitioner/messy-okonkwo']],
  ])('%s', async (query, expected) => {
    const [path, search = ''] = query.split('?')
    const encoded = search
      .split('&')
      .map((part) => part.split('=').map(encodeURIComponent).join('=').replaceAll('%3A', ':'))
      .join('&')
    expect([...(await idsOf(`${path}?${encoded}`))].sort()).toEqual(expected)
  })

  test('includes what is there and leaves out what is not', async () => {
    const types = [...new Set(alive.map((address) => address.split('/')[0]))]
    for (const type of types) {
      const ids = await idsOf(`${type}?_include=*&_revinclude=*&_count=200`)
      expect(ids).toEqual(expect.arrayContaining(alive.filter((address) => address.startsWith(`${type}/`))))
      expect(ids).not.toContain('Patient/messy-deleted')
    }
  })

  test('is the same after each reset, in versions, deletions and content', async () => {
    expect((await clinic.ask('POST', '/reset', { scenario: scenario.name })).status).toBe(200)
    const held = await clinic.everything()
    expect(held.find((text) => text.includes('"id":"messy-moved"'))).toContain('"versionId":"3"')
    expect((await clinic.ask('POST', '/reset', { scenario: scenario.name })).status).toBe(200)
    expect(await clinic.everything()).toEqual(held)
    expect((await server.fhir('GET', `/${deleted[0]}`)).status).toBe(410)
  })

  test.each([
    'Patient?_sort=birthdate',
    'Patient?_sort=-name',
    'Observation?_sort=-date',
    'Condition?_sort=onset-date',
    'Encounter?_sort=-date',
  ])('%s sorts those without a value too', async (query) => {
    const type = query.split('?')[0]
    const ids = await idsOf(`${query}&_count=200`)
    expect([...ids].sort()).toEqual(alive.filter((address) => address.startsWith(`${type}/`)).sort())
  })
})
