/** The people of synthetic-1000: who they are, and that their records are possible. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import type {
  AllergyIntolerance,
  Appointment,
  Condition,
  Coverage,
  Immunization,
  MedicationRequest,
  Observation,
  Patient,
} from 'fhir/r4'
import { DateTime } from 'luxon'
import { validate } from '../../../src/fhir/validate/validate.ts'
import type { ScenarioResource } from '../../../src/rehearsal/scenarios/scenario.ts'
import { synthetic, townResources } from '../../../src/rehearsal/scenarios/synthetic/synthetic.ts'
import { MEDICATIONS, type Medication } from '../../../src/rehearsal/scenarios/synthetic/tables/medicine.ts'
import { isWorkingDay } from '../../../src/rehearsal/scenarios/working-days.ts'
import { all, byPatient, DAY, made, TODAY, thousand } from './town.ts'

const patients = all<Patient>('Patient')
const patientById = new Map(patients.map((patient) => [patient.id, patient]))

const ageOf = ({ birthDate = '' }: Patient): number =>
  Math.floor(DateTime.fromISO(TODAY).diff(DateTime.fromISO(birthDate), 'years').years)

/** Every date and time in a resource, however deep. */
function datesIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\d(T|$)/.test(value) ? [value] : []
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(datesIn) : []
}

describe('the same seed', () => {
  const hashOf = (resources: readonly ScenarioResource[]) =>
    createHash('sha256').update(JSON.stringify(resources)).digest('hex')

  test('makes the same text on the same day', () => {
    expect(hashOf(made(300))).toBe(hashOf(made(300)))
  })

  test('makes the same text on another day but for dates and times', () => {
    const withoutDates = (resources: readonly ScenarioResource[]) =>
      JSON.stringify(resources).replace(/"\d{4}-\d\d-\d\d(T[^"]*)?"/g, '"date"')
    const holidays = /\{"url":"notAvailable".*?\}\]\},?/g
    const days = ['2026-07-04', '2027-01-01', '2028-02-29', '2026-11-01']
    const expected = withoutDates(made(80)).replace(holidays, '')
    for (const day of days) {
      const other = made(80, { ...DAY, now: Date.parse(`${day}T07:00:00-05:00`) })
      expect(withoutDates(other).replace(holidays, '')).toBe(expected)
    }
  })

  test('makes other people than another seed', () => {
    const [one, other] = ['1', '2'].map((seed) => [...townResources({ seed, patients: 20 }, DAY)])
    expect(JSON.stringify(one)).not.toBe(JSON.stringify(other))
  })

  test('begins with the same people, however many there are', () => {
    const few = made(40).filter(({ resourceType }) => resourceType === 'Patient')
    expect(few).toEqual(patients.slice(0, 40))
  })
})

test('resources are made one patient at a time', () => {
  const endless = townResources({ seed: '1', patients: Number.POSITIVE_INFINITY }, DAY)
  const types = new Set<string>()
  for (let taken = 0; taken < 500; taken++) types.add(endless.next().value?.resourceType ?? 'none')
  expect([...types]).toEqual(expect.arrayContaining(['Schedule', 'Patient', 'Encounter', 'Observation']))
})

test('the scenario tells how many resources it has, between 20,000 and 30,000', () => {
  expect(synthetic.count).toBe(thousand.length)
  expect(synthetic.count).toBeGreaterThan(20_000)
  expect(synthetic.count).toBeLessThan(30_000)
})

test('every type of a record is there', () => {
  const types = new Set(thousand.map(({ resourceType }) => resourceType))
  expect([...types].sort()).toEqual(
    [
      ...['AllergyIntolerance', 'Appointment', 'Condition', 'Coverage', 'DiagnosticReport', 'DocumentReference'],
      ...['Encounter', 'Immunization', 'Location', 'MedicationRequest', 'Observation', 'Organization', 'Patient'],
      ...['Practitioner', 'PractitionerRole', 'Procedure', 'Schedule'],
    ].sort(),
  )
})

test('every resource is valid R4, and has an id of its own', () => {
  const ids = new Set(thousand.map(({ resourceType, id }) => `${resourceType}/${id}`))
  expect(ids.size).toBe(thousand.length)
  const issues = thousand.flatMap((resource) => validate(resource).map((issue) => [resource.id, issue.diagnostics]))
  expect(issues).toEqual([])
})

test('every reference leads to a resource that was made before, or to the clinic itself', () => {
  const known = new Set([`Organization/${DAY.clinic}`])
  const dangling: string[] = []
  for (const resource of thousand) {
    for (const [, reference = ''] of JSON.stringify(resource).matchAll(/"reference":"([^"]+)"/g))
      if (!known.has(reference)) dangling.push(`${resource.resourceType}/${resource.id}: ${reference}`)
    known.add(`${resource.resourceType}/${resource.id}`)
  }
  // An Encounter names the diagnosis that was made in it, and this names the Encounter.
  expect(dangling.filter((line) => !/^Encounter\/.*Condition\/.*-illness-/.test(line))).toEqual([])
})

describe('the people', () => {
  test.each([
    // Shares of the United States by the census of 2020, in percent.
    [0, 17, 22],
    [18, 34, 23],
    [35, 49, 19],
    [50, 64, 19],
    [65, 74, 10],
    [75, 120, 7],
  ])('of %i to %i years are about %i percent', (from, to, share) => {
    const found = patients.filter((patient) => ageOf(patient) >= from && ageOf(patient) <= to)
    expect(Math.abs((found.length / patients.length) * 100 - share)).toBeLessThan(4)
  })

  test('of a household share family, address and phone, and children are younger than their parents', () => {
    const homes = new Map<string, Patient[]>()
    for (const patient of patients) {
      const home = patient.telecom?.find(({ use }) => use === 'home')?.value ?? ''
      homes.set(home, [...(homes.get(home) ?? []), patient])
    }
    expect(homes.size).toBeGreaterThan(350)
    for (const members of homes.values()) {
      expect(new Set(members.map(({ address }) => JSON.stringify(address))).size).toBe(1)
      const ages = members.map(ageOf)
      const [children, adults] = [ages.filter((age) => age < 18), ages.filter((age) => age >= 19)]
      if (children.length > 0) expect(Math.min(...adults) - Math.max(...children)).toBeGreaterThanOrEqual(19)
    }
    const families = [...homes.values()].filter((members) => members.length >= 3)
    expect(families.length).toBeGreaterThan(60)
  })

  test('of a household that are children are born a year apart', () => {
    const born = new Map<string, number[]>()
    for (const { telecom, birthDate = '', contact } of patients) {
      if (contact === undefined) continue
      const home = telecom?.find(({ use }) => use === 'home')?.value ?? ''
      born.set(home, [...(born.get(home) ?? []), DateTime.fromISO(birthDate).toMillis()])
    }
    const gaps = [...born.values()].flatMap((days) =>
      days
        .sort((one, other) => one - other)
        .flatMap((day, index) => day - (days[index - 1] ?? Number.NEGATIVE_INFINITY)),
    )
    expect(Math.min(...gaps)).toBeGreaterThan(364 * 86_400_000)
    expect(gaps.filter(Number.isFinite).length).toBeGreaterThan(50)
  })

  test('have telephone numbers and e-mail addresses that belong to nobody', () => {
    for (const { system, value = '' } of patients.flatMap(({ telecom = [] }) => telecom))
      expect(value).toMatch(system === 'email' ? /^[a-z]+\.[a-z]+\.\d+@example\.org$/ : /^\+1\d{3}55501\d\d$/)
    const mobiles = patients.flatMap(({ telecom = [] }) => telecom.filter(({ use }) => use === 'mobile'))
    expect(new Set(mobiles.map(({ value }) => value)).size).toBe(mobiles.length)
  })

  test('have Medicare from 65 on, and most others the insurance of their household', () => {
    const coverages = byPatient(all<Coverage>('Coverage'))
    const insured = patients.filter(({ id = '' }) => coverages.has(id))
    expect(insured.length / patients.length).toBeGreaterThan(0.85)
    expect(insured.length).toBeLessThan(patients.length)
    for (const patient of insured) {
      const [coverage] = coverages.get(patient.id ?? '') ?? []
      expect(coverage?.payor[0]?.display === 'Medicare').toBe(ageOf(patient) >= 65)
    }
  })
})

describe('time', () => {
  test('nothing is recorded before birth, and no visit after death', () => {
    const wrong: string[] = []
    for (const resource of thousand) {
      const patient = patientById.get(resource.id.slice(0, 'synthetic-0001'.length))
      if (patient === undefined) continue
      const { birthDate = '', deceasedDateTime = '9999' } = patient
      const dates = datesIn(resource).map((date) => date.slice(0, 10))
      const isBeforeBirth = dates.some((date) => date < birthDate)
      const isAfterDeath = resource !== patient && dates.some((date) => date > deceasedDateTime)
      if (isBeforeBirth || isAfterDeath) wrong.push(`${resource.resourceType}/${resource.id}`)
    }
    expect(wrong).toEqual([])
    expect(patients.filter(({ deceasedDateTime }) => deceasedDateTime !== undefined).length).toBeGreaterThan(3)
  })

  test('nothing but booked visits lies ahead', () => {
    const ahead = thousand.filter(
      (resource) =>
        resource.resourceType !== 'Schedule' && datesIn(resource).some((date) => date.slice(0, 10) >= TODAY),
    )
    expect(new Set(ahead.map(({ resourceType }) => resourceType))).toEqual(new Set(['Appointment']))
    expect(new Set((ahead as unknown as Appointment[]).map(({ status }) => status))).toEqual(new Set(['booked']))
    expect(ahead.length).toBeGreaterThan(100)
  })

  test('visits are on working days of three years, within working hours, and no practitioner has two at once', () => {
    const taken = new Set<string>()
    for (const { start = '', participant } of all<Appointment>('Appointment')) {
      expect(isWorkingDay(DateTime.fromISO(start.slice(0, 10), { zone: 'utc' }))).toBe(true)
      expect(start.slice(11, 16) >= '08:30' && start.slice(11, 16) <= '17:00').toBe(true)
      expect(start > '2023-02-15').toBe(true)
      const practitioner = participant
        .map(({ actor }) => actor?.reference)
        .find((one) => one?.startsWith('Practitioner'))
      expect(taken.has(`${practitioner} ${start}`)).toBe(false)
      taken.add(`${practitioner} ${start}`)
    }
  })
})

describe('diabetes', () => {
  const HBA1C = '4548-4'
  const values = byPatient(
    all<Observation>('Observation').filter(({ code }) => code.coding?.some(({ code }) => code === HBA1C)),
  )
  const isDiabetes = ({ id = '' }: Condition) => id.endsWith('-problem-diabetes')
  const diabetics = byPatient(all<Condition>('Condition').filter(isDiabetes))
  const treatments = byPatient(
    all<MedicationRequest>('MedicationRequest').filter(({ medicationCodeableConcept }) =>
      /metformin|glipizide/.test(medicationCodeableConcept?.text ?? ''),
    ),
  )
  const levelOf = ({ valueQuantity }: Observation) => valueQuantity?.value ?? Number.NaN

  test('goes with HbA1c values that fall after each new step of treatment', () => {
    let steps = 0
    for (const [id, series] of values) {
      if (!diabetics.has(id)) continue
      for (const [index, { effectiveDateTime = '', ...observation }] of series.entries()) {
        const isStepped = treatments
          .get(id)
          ?.some(({ authoredOn = '' }) => authoredOn.slice(0, 10) === effectiveDateTime.slice(0, 10))
        const next = series[index + 1]
        if (!isStepped || next === undefined) continue
        steps += 1
        expect(levelOf(next)).toBeLessThan(levelOf(observation as Observation))
      }
    }
    expect(steps).toBeGreaterThan(10)
  })

  test('is treated further while a value is above 7.2 %, as long as there is a further step', () => {
    for (const [id, series] of values) {
      if (!diabetics.has(id)) continue
      const last = series.at(-1)
      const medications = treatments.get(id) ?? []
      if (last && levelOf(last) > 7.3)
        expect(medications.some(({ medicationCodeableConcept: code }) => /glipizide|1000/.test(code?.text ?? ''))).toBe(
          true,
        )
    }
  })

  test('is what all have whose HbA1c is 6.5 % or more', () => {
    const high = [...values].filter(([, series]) => series.some((observation) => levelOf(observation) >= 6.5))
    expect(high.length).toBeGreaterThan(40)
    expect(high.filter(([id]) => !diabetics.has(id))).toEqual([])
  })
})

describe('the record of a patient', () => {
  test('has no medication that an allergy forbids', () => {
    const allergies = byPatient(all<AllergyIntolerance>('AllergyIntolerance'))
    const byCode = new Map<string, Medication>(Object.values(MEDICATIONS).map((one) => [one.code, one]))
    let checked = 0
    for (const { id = '', medicationCodeableConcept } of all<MedicationRequest>('MedicationRequest')) {
      const forbidden = byCode.get(medicationCodeableConcept?.coding?.[0]?.code ?? '')?.allergies ?? []
      const has = allergies.get(id.slice(0, 'synthetic-0001'.length)) ?? []
      checked += forbidden.length
      expect(has.filter((allergy) => forbidden.some((name) => allergy.id?.endsWith(`-allergy-${name}`)))).toEqual([])
    }
    expect(checked).toBeGreaterThan(50)
  })

  test('has numbers that agree: body mass index, and total cholesterol', () => {
    const byVisit = new Map(all<Observation>('Observation').map((one) => [one.id, one.valueQuantity?.value ?? 0]))
    for (const [id = '', index] of byVisit) {
      const at = (name: string) => byVisit.get(id.replace(/bmi|test-2093-3/, name)) ?? Number.NaN
      if (id.includes('-bmi-')) expect(index).toBeCloseTo(at('weight') / (at('height') / 100) ** 2, 1)
      if (id.includes('-test-2093-3-')) {
        const sum = at('test-13457-7') + at('test-2085-9') + at('test-2571-8') / 5
        expect(Math.abs(index - sum)).toBeLessThanOrEqual(0.5)
      }
    }
  })

  test('has vaccines of childhood at the age for them alone', () => {
    for (const { id = '', vaccineCode, occurrenceDateTime = '' } of all<Immunization>('Immunization')) {
      const birth = DateTime.fromISO(patientById.get(id.slice(0, 'synthetic-0001'.length))?.birthDate ?? '')
      const years = DateTime.fromISO(occurrenceDateTime).diff(birth, 'years').years
      if (/DTaP|IPV|MMR|varicella|Hep B/.test(vaccineCode.text ?? '')) expect(years).toBeLessThan(6)
      if (/zoster/.test(vaccineCode.text ?? '')) expect(years).toBeGreaterThan(49.9)
    }
  })

  test('has one display for each code', () => {
    const displays = new Map<string, Set<string>>()
    for (const resource of thousand)
      for (const [, system, code, display = ''] of JSON.stringify(resource).matchAll(
        /"system":"([^"]+)","code":"([^"]+)","display":"([^"]+)"/g,
      ))
        displays.set(`${system}|${code}`, (displays.get(`${system}|${code}`) ?? new Set()).add(display))
    expect([...displays].filter(([, texts]) => texts.size > 1)).toEqual([])
    expect(displays.size).toBeGreaterThan(90)
  })

  test('has SNOMED CT nowhere, as its use needs a licence', () => {
    expect(thousand.filter((resource) => JSON.stringify(resource).includes('snomed'))).toEqual([])
  })

  test('is larger for those who have more problems', () => {
    const problems = byPatient(
      all<Condition>('Condition').filter((one) => one.category?.[0]?.coding?.[0]?.code === 'problem-list-item'),
    )
    const visits = byPatient(all<Appointment>('Appointment'))
    const average = (of: (count: number) => boolean) => {
      const ids = [...patientById.keys()].filter((id) => of(problems.get(id ?? '')?.length ?? 0))
      return ids.reduce((sum, id) => sum + (visits.get(id ?? '')?.length ?? 0), 0) / ids.length
    }
    expect(average((count) => count >= 3)).toBeGreaterThan(2 * average((count) => count === 0))
  })
})

describe('the people that the scenario names', () => {
  const named = new Map(synthetic.people.map(({ who, resource = '' }) => [who, resource.slice('Patient/'.length)]))
  const recordOf = (who: string) => thousand.filter(({ id }) => id.startsWith(`${named.get(who)}-`))

  test('have these names', () => {
    for (const [who, id] of named) {
      const [name] = patientById.get(id)?.name ?? []
      expect(`${name?.given?.[0]} ${name?.family}`).toBe(who)
    }
  })

  test('are what it says of them', () => {
    const largest = Math.max(...[...byPatient(thousand).values()].map((record) => record.length))
    expect(recordOf('Danielle Baptiste').length).toBe(largest - 1)
    const antidiabetics = JSON.stringify(recordOf('Ian Stanton')).match(
      /"authoredOn":"[^"]+","requester":[^}]+},"reasonCode":\[\{"coding":\[\{[^}]+"code":"E11.9"/g,
    )
    expect(antidiabetics).toHaveLength(3)
    expect(patientById.get(named.get('Emilio Quintero') ?? '')?.deceasedDateTime).toBeDefined()
    const address = JSON.stringify(patientById.get(named.get('Laura McAllister') ?? '')?.address)
    const home = patients.filter((one) => JSON.stringify(one.address) === address)
    expect(home.filter(({ contact }) => contact !== undefined)).toHaveLength(3)
    expect(JSON.stringify(recordOf('Gary Eastman'))).toMatch(/allergy-amoxicillin.*azithromycin/)
    const youngest = [...patients].sort((one, other) => ((one.birthDate ?? '') < (other.birthDate ?? '') ? 1 : -1))[0]
    expect(youngest?.id).toBe(named.get('Samuel Crawley'))
  })
})
