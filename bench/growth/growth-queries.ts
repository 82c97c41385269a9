/** The queries to a small and a large store, with the number of entries that they find. */
import {
  birthDateOf,
  dayRange,
  familyBeginning,
  familyOf,
  patientId,
  phoneOf,
  practitionerId,
  type Sizes,
  scheduleId,
  slotId,
  WEEK_START,
} from '../data-set.ts'
import { gramsOf, minuteOf, wordOf } from './grown-data.ts'

export interface GrowthQuery {
  readonly name: string
  /** The minimum and maximum number of entries in the response, so that a broken query does not look fast. */
  readonly entries: readonly [number, number]
  /** The path of request number `n`, from 0. */
  readonly path: (n: number, sizes: Sizes) => string
  /** Measures a later page instead, which starts after this share of all patients. */
  readonly deep?: number
}

const PAGE = 20
const MINUTE = 60_000
const SYSTEM = encodeURIComponent('https://clinic.example/patients|')

/** Distributes `n` over the data set. */
const among = (n: number, count: number): number => (n * 7_919) % count
const patientOf = (n: number, { patients }: Sizes): number => among(n, patients)
const identifier = (n: number): string => `identifier=${SYSTEM}P-${n}`
const named = (n: number): string => `family=${familyOf(n)}&birthdate=${birthDateOf(n)}`
const minutes = (n: number, length: number): string => `date=ge${minuteOf(n)}&date=lt${minuteOf(n + length)}`
const DAY = 24 * 60 * MINUTE
const iso = (time: number): string => new Date(time).toISOString()
const span = (param: string, length: number): string =>
  `${param}=ge${iso(WEEK_START)}&${param}=lt${iso(WEEK_START + length)}`
const hour = (param: string): string => span(param, 60 * MINUTE)

/** A search by an index that finds few. */
const few = (name: string, entries: GrowthQuery['entries'], path: GrowthQuery['path']): GrowthQuery => ({
  name,
  entries,
  path,
})
const ofPatient = (name: string, entries: GrowthQuery['entries'], path: (patient: number) => string): GrowthQuery =>
  few(name, entries, (n, sizes) => path(patientOf(n, sizes)))
const ofPractitioner = (
  name: string,
  entries: GrowthQuery['entries'],
  path: (practitioner: number) => string,
): GrowthQuery => few(name, entries, (n, { practitioners }) => path(among(n, practitioners)))
/** The first or a later page of a sorted search. */
const page = (
  name: string,
  path: GrowthQuery['path'],
  entries: GrowthQuery['entries'] = [PAGE, PAGE],
): GrowthQuery => ({
  name,
  entries,
  path,
})
const sorted = (query: string): GrowthQuery => page(query, () => `/${query}&_count=${PAGE}`)
/** A query that matches a share of the data, or none of it. */
const other = (name: string, entries: GrowthQuery['entries'], path: string): GrowthQuery => ({
  name,
  entries,
  path: () => path,
})

const SELECTIVE: readonly GrowthQuery[] = [
  ofPatient('identifier', [1, 1], (n) => `/Patient?${identifier(n)}`),
  few('three identifiers', [3, 3], (n, sizes) => {
    const own = [n, n + 1, n + 2].map((each) => `P-${patientOf(each, sizes)}`)
    return `/Patient?identifier=${own.join(',')}`
  }),
  ofPatient('family, birth date', [1, 4], (n) => `/Patient?${named(n)}`),
  ofPatient('family, birth date and not a code', [1, 4], (n) => `/Patient?${named(n)}&gender:not=unknown`),
  ofPatient('birth date', [1, 4], (n) => `/Patient?birthdate=${birthDateOf(n)}`),
  ofPatient('telephone', [1, 1], (n) => `/Patient?phone=${encodeURIComponent(phoneOf(n))}`),
  ofPatient('_filter: family and birth date', [1, 4], (n) => {
    return `/Patient?_filter=${encodeURIComponent(`family eq ${familyOf(n)} and birthdate eq ${birthDateOf(n)}`)}`
  }),
  ofPatient('_content: a word', [1, 1], (n) => `/Patient?_content=${phoneOf(n).slice(1)}`),
  ofPatient('_text: a word', [1, 1], (n) => `/Observation?_text=${wordOf(n)}`),
  ofPatient('date, five minutes', [1, 5], (n) => `/Observation?${minutes(n, 5)}`),
  ofPatient('quantity', [1, 1], (n) => `/Observation?value-quantity=${gramsOf(n)}||g`),
  ofPatient(
    'quantity in another unit',
    [1, 1],
    (n) => `/Observation?value-quantity=${(gramsOf(n) / 1_000).toFixed(3)}|http://unitsofmeasure.org|kg`,
  ),
  ofPatient('composite', [1, 1], (n) => `/Observation?code-value-quantity=29463-7$${gramsOf(n)}||g`),
  ofPatient('reference', [2, 3], (n) => `/Appointment?patient=${patientId(n)}`),
  ofPatient('compartment', [2, 3], (n) => `/Patient/${patientId(n)}/Appointment`),
  ofPractitioner('reference, date', [5, 5], (n) => `/Appointment?practitioner=${practitionerId(n)}&${dayRange(n)}`),
  ofPractitioner('reference, date, _include', [10, 10], (n) => {
    return `/Appointment?practitioner=${practitionerId(n)}&${dayRange(n)}&_include=Appointment:patient`
  }),
  ofPatient('_revinclude', [4, 5], (n) => `/Patient?${identifier(n)}&_revinclude=*`),
  ofPatient('chain', [2, 3], (n) => `/Appointment?patient.${identifier(n)}`),
  ofPatient(
    'chain by two',
    [2, 12],
    (n) => `/Appointment?patient.family=${familyOf(n)}&patient.birthdate=${birthDateOf(n)}`,
  ),
  ofPatient('_has', [1, 1], (n) => `/Patient?_has:Observation:patient:date=${minuteOf(n)}`),
  few('_has, a reference', [1, 1], (n, { appointments }) => {
    return `/Patient?_has:Appointment:patient:slot=${slotId(among(n, appointments) * 4)}`
  }),
  ofPractitioner(
    'schedule, status, an hour',
    [3, 3],
    (n) => `/Slot?schedule=${scheduleId(n)}&status=free&${hour('start')}`,
  ),
  ofPractitioner('schedule, an hour', [3, 3], (n) => `/Slot?schedule=${scheduleId(n)}&${hour('start')}`),
  ofPractitioner('schedule, status, a day', [20, 20], (n) => {
    return `/Slot?schedule=${scheduleId(n)}&status=free&${span('start', DAY)}`
  }),
  few('$find of three practitioners, 30 days', [20, 20], (n, { practitioners }) => {
    const whom = [n, n + 1, n + 2].map(
      (each) => `practitioner=Practitioner/${practitionerId(among(each, practitioners))}`,
    )
    return `/Appointment/$find?start=${iso(WEEK_START)}&end=${iso(WEEK_START + 30 * DAY)}&${whom.join('&')}&_count=${PAGE}`
  }),
  few('_id', [1, 1], (n, { slots }) => `/Slot?_id=${slotId(among(n, slots))}`),
]

const PAGES: readonly GrowthQuery[] = [
  sorted('Patient?_sort=family'),
  sorted('Patient?_sort=-family'),
  sorted('Patient?_sort=birthdate'),
  sorted('Patient?_sort=-_lastUpdated'),
  sorted('Patient?_sort=_id'),
  sorted('Patient?_sort=family,given'),
  sorted('Patient?_sort=gender,birthdate'),
  sorted('Patient?_sort=-gender,family,birthdate'),
  sorted('Patient?gender=female&_sort=family'),
  sorted('Patient?gender=female&_sort=-birthdate'),
  sorted('Patient?gender=female&active=true&_sort=-_lastUpdated'),
  sorted('Patient?birthdate=ge1990&_sort=birthdate'),
  sorted('Patient?birthdate=ge1990&_sort=family'),
  page('Patient?family=(three letters)&_sort=birthdate', (n) => {
    return `/Patient?family=${familyBeginning(n)}&_sort=birthdate&_count=${PAGE}`
  }),
  sorted('Slot?_sort=-start'),
  sorted('Slot?status=free&_sort=start'),
  page('Slot?schedule=…&_sort=-start', (n, { practitioners }) => {
    return `/Slot?schedule=${scheduleId(among(n, practitioners))}&_sort=-start&_count=${PAGE}`
  }),
  page('Slot?schedule=…&status=free&start=…&_sort=start', (n, { practitioners }) => {
    const schedule = scheduleId(among(n, practitioners))
    return `/Slot?schedule=${schedule}&status=free&start=ge2032-01-06&_sort=start&_count=${PAGE}`
  }),
  sorted('Slot?_sort=status,start'),
  sorted('Slot?_sort=schedule'),
  sorted('Appointment?_sort=date'),
  sorted('Appointment?status=booked&_sort=-date'),
  sorted('Appointment?status=booked&_sort=date,patient'),
  sorted('Appointment?_sort=patient'),
  sorted('Appointment?_sort=-patient,date'),
  page(
    'Appointment?patient=…&_sort=-date',
    (n, sizes) => {
      return `/Appointment?patient=${patientId(patientOf(n, sizes))}&_sort=-date`
    },
    [2, 3],
  ),
  sorted('Observation?code=29463-7&_sort=-date'),
  sorted('Observation?_sort=value-quantity'),
  sorted('Observation?status=final&_sort=-value-quantity'),
  sorted('?_type=Patient,Observation&_sort=-_lastUpdated'),
  { ...page('half way through Patient?_sort=family', () => '/Patient?_sort=family'), deep: 0.5 },
  {
    ...page('half way through Patient?gender=female&_sort=birthdate', () => '/Patient?gender=female&_sort=birthdate'),
    deep: 0.25,
  },
]

const OTHERS: readonly GrowthQuery[] = [
  other('family, three letters', [PAGE, PAGE], `/Patient?family=Ros&_count=${PAGE}`),
  other('_total=accurate', [PAGE, PAGE], `/Patient?gender=female&_total=accurate&_count=${PAGE}`),
  other(':contains', [PAGE, PAGE], `/Patient?family:contains=ridge&_count=${PAGE}`),
  other(':missing, of which there is none', [0, 0], '/Patient?birthdate:missing=true'),
]

export const GROWTH_QUERIES: readonly GrowthQuery[] = [...SELECTIVE, ...PAGES, ...OTHERS]
