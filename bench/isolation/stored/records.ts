/** Clinical records of a hostile clinic, generated from numbers. */
import type { Encounter, HumanName, List, Location, Observation, Patient, Practitioner, SearchParameter } from 'fhir/r4'
import { patient } from '../../data-set.ts'

export const RECORDS = {
  practitioners: 50,
  locations: 2_000,
  patients: 10_000,
  encounters: 2_000,
  observations: 30_000,
  /** The Observations of ONE_PATIENT. */
  observationsOfOne: 20_000,
} as const

/** A Patient of the family Abeham. */
export const ONE_PATIENT = 'patient-225'

export const practitioner = (n: number): Practitioner => ({
  resourceType: 'Practitioner',
  id: `practitioner-${n}`,
  name: [{ family: `Practitioner ${n}` }],
})

export const location = (n: number): Location => ({
  resourceType: 'Location',
  id: `location-${n}`,
  name: `Location ${n}`,
  position: { latitude: -80 + (n % 160), longitude: -170 + ((n * 7) % 340) },
})

export const patientOf = (n: number): Patient => ({
  ...patient(n),
  id: `patient-${n}`,
  text: {
    status: 'generated',
    div: `<div xmlns="http://www.w3.org/1999/xhtml">Summary number ${n} of the visits in ward w${n % 97}</div>`,
  },
  generalPractitioner: [{ reference: `Practitioner/practitioner-${n % RECORDS.practitioners}` }],
})

export const encounter = (n: number): Encounter => ({
  resourceType: 'Encounter',
  id: `encounter-${n}`,
  status: 'finished',
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
  subject: { reference: `Patient/patient-${n % RECORDS.patients}` },
  location: [{ location: { reference: `Location/location-${n % RECORDS.locations}` } }],
})

const coding = (code: string, display: string) => ({ coding: [{ system: 'http://loinc.org', code, display }] })
const millimetres = (value: number) => ({
  value,
  unit: 'mmHg',
  system: 'http://unitsofmeasure.org',
  code: 'mm[Hg]',
})

/** The first are all of one patient. */
export const observation = (n: number): Observation => ({
  resourceType: 'Observation',
  id: `observation-${n}`,
  status: 'final',
  category: [coding('vital-signs', 'Vital signs')],
  code: coding('85354-9', 'Blood pressure panel'),
  subject: {
    reference: `Patient/${n < RECORDS.observationsOfOne ? ONE_PATIENT : `patient-${n % RECORDS.patients}`}`,
  },
  encounter: { reference: `Encounter/encounter-${n % RECORDS.encounters}` },
  performer: [{ reference: `Practitioner/practitioner-${n % RECORDS.practitioners}` }],
  effectiveDateTime: new Date(Date.UTC(2020, 0, 1) + n * 3_600_000).toISOString(),
  component: [
    { code: coding('8480-6', 'Systolic blood pressure'), valueQuantity: millimetres(100 + (n % 60)) },
    { code: coding('8462-4', 'Diastolic blood pressure'), valueQuantity: millimetres(60 + (n % 40)) },
  ],
})

/** `atLeast`: where the server refuses more. */
export const MANY_NAMES = { most: 40_000, many: 20_000, atLeast: 4_900 } as const

export const namesId = (count: number): string => `names-${count}`

/** After all other families of the data set. */
export const familyNumber = (n: number): string => `Zz${n}`

export const names = (count: number): HumanName[] =>
  Array.from({ length: count }, (_, n) => ({ family: familyNumber(n), given: [`G${n % 100}`] }))

export const manyNames = (count: number, stored = count): Patient => ({
  resourceType: 'Patient',
  id: namesId(count),
  name: names(stored),
})

/** Everything that a match compares, `count` times. */
export const crowdedPatient = (count: number, id = 0): Patient => ({
  resourceType: 'Patient',
  id: `crowded-${id}`,
  birthDate: '1980-01-01',
  name: names(count),
  telecom: Array.from({ length: count }, (_, n) => ({ system: 'phone', value: `+1646${2_000_000 + n}` })),
  address: Array.from({ length: count }, (_, n) => ({ line: [`${n} Long Street`], postalCode: String(10_000 + n) })),
})

export const VERSIONED = { id: 'versioned', versions: 20_000 } as const

export const version = (n: number): Patient => ({ ...patient(n), id: VERSIONED.id })

export const LONG_LIST = 'long'

/** As many entries as a history takes: a Patient with all its versions, and 9,999 of them once more. */
export const longList = (): List => ({
  resourceType: 'List',
  id: LONG_LIST,
  status: 'current',
  mode: 'working',
  entry: Array.from({ length: 10_000 }, (_, n) => ({
    item: { reference: `Patient/${VERSIONED.id}${n === 0 ? '' : `/_history/${n}`}` },
  })),
})

export const searchParameter = (n: number): SearchParameter => ({
  resourceType: 'SearchParameter',
  id: `hostile-${n}`,
  url: `http://hostile.example/SearchParameter/hostile-${n}`,
  name: `Hostile${n}`,
  description: 'Every text of the resource',
  status: 'active',
  code: `hostile-${n}`,
  base: ['Patient'],
  type: 'string',
  expression: `Patient.descendants().where($this is string and length() > ${n}).select(substring(0, ${n + 1}))`,
})

/** A Patient with some 2,000 elements. */
export const widePatient = (n: number): Patient => ({ ...patient(n), id: `wide-${n}`, name: names(400) })
