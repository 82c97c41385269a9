/** A clinic of synthetic patients, as its clients see it: the first of those of synthetic-1000. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle, Observation, Patient, Resource } from 'fhir/r4'
import { synthetic, townResources } from '../../../src/rehearsal/scenarios/synthetic/synthetic.ts'
import { scenarioDay, startWithScenario } from '../../support/scenario-clinic.ts'
import type { TestServer } from '../../support/server.ts'

const PATIENTS = 60
const day = scenarioDay()
const resources = [...townResources({ seed: '1', patients: PATIENTS }, day)]
const few = { ...synthetic, count: resources.length, resources: () => resources }

const patients = resources.filter(({ resourceType }) => resourceType === 'Patient') as unknown as readonly Patient[]

/** The patient with the largest record. */
const fullest =
  patients
    .map(({ id = '' }) => ({ id, size: resources.filter((one) => one.id.startsWith(`${id}-`)).length }))
    .sort((one, other) => other.size - one.size)[0]?.id ?? ''

describe('a clinic of synthetic patients', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startWithScenario(few)
  })
  afterAll(() => server.close())

  const search = async (query: string): Promise<readonly Resource[]> => {
    const { status, body } = await server.fhir('GET', `/${query}`)
    expect([query, status]).toEqual([query, 200])
    return ((body as Bundle<Resource>).entry ?? []).flatMap(({ resource }) => resource ?? [])
  }
  const idsOf = async (query: string) => (await search(query)).map(({ resourceType, id }) => `${resourceType}/${id}`)

  /** References to what is made of the patient, of a type. */
  const madeFor = (patient: string, type: string) =>
    resources
      .filter(({ resourceType, id }) => resourceType === type && id.startsWith(`${patient}-`))
      .map(({ id }) => `${type}/${id}`)
      .sort()

  test('stores every resource as it was made', async () => {
    for (const type of ['Patient', 'Coverage', 'Condition', 'MedicationRequest', 'DocumentReference', 'Immunization']) {
      const found = await search(`${type}?_count=1000`)
      const made = new Map(resources.filter(({ resourceType }) => resourceType === type).map((one) => [one.id, one]))
      expect(found).toHaveLength(made.size)
      for (const { meta, ...resource } of found) {
        const { meta: _meta, ...rest } = made.get(resource.id ?? '') ?? { resourceType: type }
        expect(resource).toEqual(
          JSON.parse(
            JSON.stringify(rest).replaceAll('{clinic}', day.clinic).replaceAll('{clinic-name}', day.clinicName),
          ),
        )
        expect(meta).toMatchObject({ versionId: '1', profile: [expect.stringContaining('/us/core/')] })
      }
    }
  })

  test.each([
    'Encounter',
    'Condition',
    'MedicationRequest',
    'Observation',
    'DiagnosticReport',
    'Coverage',
    'Procedure',
  ])('finds each %s of a patient by `patient`', async (type) => {
    expect((await idsOf(`${type}?patient=${fullest}&_count=1000`)).sort()).toEqual(madeFor(fullest, type))
  })

  test('finds everybody by family, given name and birth date', async () => {
    for (const { id, name, birthDate } of patients.slice(0, 30)) {
      const query = new URLSearchParams({ family: name?.[0]?.family ?? '', given: name?.[0]?.given?.[0] ?? '' })
      expect(await idsOf(`Patient?${query}&birthdate=${birthDate}`)).toContain(`Patient/${id}`)
    }
  })

  test('finds a household by its telephone, and its members by address', async () => {
    const home = patients[0]?.telecom?.find(({ use }) => use === 'home')?.value ?? ''
    const members = patients.filter(({ telecom }) => telecom?.some(({ value }) => value === home))
    expect((await idsOf(`Patient?phone=${encodeURIComponent(home)}`)).sort()).toEqual(
      members.map(({ id }) => `Patient/${id}`).sort(),
    )
    const line = encodeURIComponent(patients[0]?.address?.[0]?.line?.[0] ?? '')
    expect((await idsOf(`Patient?address=${line}`)).length).toBeGreaterThanOrEqual(members.length)
  })

  test('gives the whole record of a patient by $everything', async () => {
    const ids = await idsOf(`Patient/${fullest}/$everything?_count=1000`)
    const made = resources
      .filter(({ id }) => id.startsWith(`${fullest}-`))
      .map(({ resourceType, id }) => `${resourceType}/${id}`)
    expect(ids).toEqual(expect.arrayContaining([`Patient/${fullest}`, ...made]))
  })

  test('gives the laboratory results of a patient, newest first', async () => {
    const found = (await search(
      `Observation?patient=${fullest}&category=laboratory&_sort=-date&_count=100`,
    )) as Observation[]
    const times = found.map(({ effectiveDateTime = '' }) => Date.parse(effectiveDateTime))
    expect(times).toEqual([...times].sort((one, other) => other - one))
    expect(found.length).toBeGreaterThan(3)
    const loinc = found[0]?.code.coding?.[0]?.code
    const same = found.filter((one) => one.code.coding?.[0]?.code === loinc)
    expect(await search(`Observation?patient=${fullest}&code=http://loinc.org|${loinc}`)).toHaveLength(same.length)
  })

  test('includes the patient and the results of reports, and what refers to visits', async () => {
    const types = async (query: string) => new Set((await search(query)).map(({ resourceType }) => resourceType))
    expect(
      await types('DiagnosticReport?_include=DiagnosticReport:result&_include=DiagnosticReport:patient&_count=5'),
    ).toEqual(new Set(['DiagnosticReport', 'Observation', 'Patient']))
    expect(await types(`Encounter?patient=${fullest}&_revinclude=Observation:encounter&_count=50`)).toEqual(
      new Set(['Encounter', 'Observation']),
    )
    expect(await types(`Patient?_id=${fullest}&_revinclude=Coverage:beneficiary`)).toEqual(
      new Set(['Patient', 'Coverage']),
    )
  })

  test('chains: patients by their conditions, and visits by their practitioner', async () => {
    const found = await idsOf('Patient?_has:Condition:patient:code=I10&_count=100')
    const made = patients.filter(({ id }) => resources.some((one) => one.id === `${id}-problem-hypertension`))
    expect(found.sort()).toEqual(made.map(({ id }) => `Patient/${id}`).sort())
    const visits = await search('Appointment?practitioner.family=Adair&_count=1000')
    expect(visits.length).toBe(
      resources.filter((one) => one.resourceType === 'Appointment' && JSON.stringify(one).includes('synthetic-adair'))
        .length,
    )
  })

  test('has free times in the coming month, and none where a visit is booked', async () => {
    const { body } = await server.fhir('GET', '/Slot?status=free&_summary=count')
    expect(body.total).toBeGreaterThan(500)
    const booked = (await search('Appointment?status=booked&_count=1000')) as unknown as {
      start: string
      participant: { actor: { reference: string } }[]
    }[]
    const within = booked.filter(({ start }) => Date.parse(start) < day.now + 25 * 86_400_000)
    expect(within.length).toBeGreaterThan(0)
    for (const { start, participant } of within) {
      const practitioner = participant
        .map(({ actor }) => actor.reference)
        .find((one) => one.startsWith('Practitioner/'))
      const schedule = `${practitioner?.slice('Practitioner/'.length)}-schedule`
      expect(await search(`Slot?status=free&schedule=${schedule}&start=${encodeURIComponent(start)}`)).toEqual([])
    }
  })
})
