/** Batches, transactions, and conditional writes. */
import type { Bundle, BundleEntry, Extension, FhirResource, Patient } from 'fhir/r4'
import { familyOf, patient } from '../../data-set.ts'
import { type Attack, flood, type HostileCase, inParallel, inSequence, send, times } from '../hostile-case.ts'
import { regexValueSet } from '../stored/codes.ts'
import { ONE_PATIENT, observation } from '../stored/records.ts'

type BundleType = 'batch' | 'transaction'

const bundle = (type: BundleType, entry: readonly BundleEntry[]): Bundle => ({
  resourceType: 'Bundle',
  type,
  entry: [...entry],
})

export const creation = (resource: FhirResource, ifNoneExist?: string): BundleEntry => ({
  resource,
  request: {
    method: 'POST',
    url: resource.resourceType,
    ...(ifNoneExist === undefined ? {} : { ifNoneExist }),
  },
})

export const post = (type: BundleType, entry: readonly BundleEntry[]): Attack =>
  inSequence(send('POST', '/', bundle(type, entry)))

/** Patients that all refer to each other by urn:uuid, in elements and in the narrative. */
const entangled = (count: number, links: number): readonly BundleEntry[] => {
  const uuid = (n: number): string => `urn:uuid:00000000-0000-4000-8000-${String(n % count).padStart(12, '0')}`
  const resource = (n: number): Patient => ({
    resourceType: 'Patient',
    text: {
      status: 'generated',
      div: `<div xmlns="http://www.w3.org/1999/xhtml">${times(links, (i) => `<a href="${uuid(n + i)}">x</a>`).join('')}</div>`,
    },
    link: times(links, (i) => ({ other: { reference: uuid(n + i) }, type: 'seealso' as const })).slice(),
  })
  return times(count, (n) => ({ fullUrl: uuid(n), ...creation(resource(n)) }))
}

const nestedExtension = (levels: number): Extension => ({
  url: 'http://hostile.example/nested',
  ...(levels === 0 ? { valueBoolean: true } : { extension: [nestedExtension(levels - 1)] }),
})

const transactions: readonly HostileCase[] = [
  {
    name: 'conditional-creates',
    about: 'transaction of 1,000 conditional creates by family:contains',
    stored: 'records',
    attack: () =>
      post(
        'transaction',
        times(1_000, (n) => creation(patient(n), `family:contains=zq${n}`)),
      ),
  },
  {
    name: 'creates',
    about: 'transaction of 5,000 creates',
    stored: 'nothing',
    attack: () =>
      post(
        'transaction',
        times(5_000, (n) => creation(patient(n))),
      ),
  },
  {
    name: 'creates-by-16-clients',
    about: '16 clients import transactions of 3,000 Observations each',
    stored: 'nothing',
    attack: () =>
      inParallel(
        16,
        times(16, (n) =>
          send(
            'POST',
            '/',
            bundle(
              'transaction',
              times(3_000, (i) => creation(observation(n * 3_000 + i))),
            ),
          ),
        ),
      ),
  },
  {
    name: 'failing-transactions',
    about: 'transactions of 5,000 entries that fail at the last one, 4 clients',
    stored: 'nothing',
    attack: () => {
      const wrong = { resourceType: 'Patient', id: 'wrong' } as const
      const last: BundleEntry = {
        resource: wrong,
        request: { method: 'PUT', url: 'Patient/wrong', ifMatch: 'W/"7"' },
      }
      const one = send('POST', '/', bundle('transaction', [...times(4_999, (n) => creation(patient(n))), last]))
      return inParallel(4, [one, one, one, one])
    },
  },
  {
    name: 'entangled-entries',
    about: 'transaction of 2,000 Patients, each with 40 references to others, and 40 in its narrative',
    stored: 'nothing',
    attack: () => post('transaction', entangled(2_000, 40)),
  },
  {
    name: 'deep-resources',
    about: 'transaction of 2,000 Patients with 25 extensions in each other',
    stored: 'nothing',
    attack: () =>
      post(
        'transaction',
        times(2_000, () => creation({ resourceType: 'Patient', extension: [nestedExtension(25)] })),
      ),
  },
  {
    name: 'conditional-references',
    about: 'transaction of 2,000 Observations with a conditional reference each',
    stored: 'records',
    attack: () =>
      post(
        'transaction',
        times(2_000, (n) =>
          creation({
            ...observation(n),
            subject: {
              reference: `Patient?name:contains=${familyOf(n).slice(1)}&identifier=https://clinic.example/patients|P-${n}`,
            },
          }),
        ),
      ),
  },
]

const batches: readonly HostileCase[] = [
  {
    name: 'batches-of-long-searches',
    about: '16 batches of three searches by chains with _total=accurate, which may stay on the event loop',
    stored: 'records',
    attack: () =>
      inParallel(
        16,
        times(16, () =>
          send(
            'POST',
            '/',
            bundle(
              'batch',
              times(3, (n) => ({
                request: {
                  method: 'GET',
                  url: `Observation?subject:Patient.name:contains=${'aeo'[n]}&_total=accurate`,
                },
              })),
            ),
          ),
        ),
      ),
  },
  {
    name: 'batch-of-searches',
    about: 'batch of 5,000 searches with _total=accurate',
    stored: 'records',
    attack: () =>
      post(
        'batch',
        times(5_000, (n) => ({
          request: {
            method: 'GET',
            url: `Observation?date=ge20${10 + (n % 10)}&_total=accurate&_count=20&_sort=-date`,
          },
        })),
      ),
  },
  {
    name: 'batch-of-pages',
    about: 'batch of 100 pages of 1,000 Observations with all they refer to',
    stored: 'records',
    attack: () =>
      post(
        'batch',
        times(100, () => ({ request: { method: 'GET', url: 'Observation?_count=1000&_include=*' } })),
      ),
  },
  {
    name: 'batch-of-capabilities',
    about: 'batch of 5,000 × GET metadata',
    stored: 'nothing',
    attack: () =>
      post(
        'batch',
        times(5_000, (n) => ({
          request: { method: 'GET', url: `metadata?mode=${n % 2 === 0 ? 'full' : 'terminology'}` },
        })),
      ),
  },
  {
    name: 'batch-of-refused-writes',
    about: 'batch of 5,000 updates that are 412',
    stored: 'records',
    attack: () =>
      post(
        'batch',
        times(5_000, (n) => ({
          resource: { ...patient(n), id: `patient-${n}` },
          request: { method: 'PUT', url: `Patient/patient-${n}`, ifMatch: 'W/"99"' },
        })),
      ),
  },
  {
    name: 'batch-of-expansions',
    about: 'batch of 100 × $expand',
    stored: 'terminology',
    attack: () =>
      post(
        'batch',
        times(100, (n) => ({
          resource: regexValueSet(`.*${n}0`),
          request: { method: 'POST', url: 'ValueSet/$expand' },
        })),
      ),
  },
  {
    name: 'batch-of-matches',
    about: 'batch of 300 × Patient/$match',
    stored: 'records',
    attack: () =>
      post(
        'batch',
        times(300, (n) => ({ resource: patient(n), request: { method: 'POST', url: 'Patient/$match' } })),
      ),
  },
]

const conditional: readonly HostileCase[] = [
  {
    name: 'conditional-delete',
    about: 'conditional deletes that 20,000 Observations match, by 8 clients',
    stored: 'records',
    attack: () =>
      inParallel(
        8,
        times(16, () => ({ method: 'DELETE', path: `/Observation?subject=Patient/${ONE_PATIENT}` })),
      ),
  },
  {
    name: 'updates-of-one-resource',
    about: '64 connections update the same Patient, also by a condition, for 3 s',
    stored: 'nothing',
    attack: () =>
      flood(64, 3, [
        send('PUT', '/Patient/same', { ...patient(1), id: 'same' }),
        send('PUT', '/Patient?identifier=P-1', patient(1)),
      ]),
  },
  {
    name: 'creates-by-64-connections',
    about: '64 connections create Patients for 3 s',
    stored: 'nothing',
    attack: () =>
      flood(
        64,
        3,
        times(200, (n) => send('POST', '/Patient', patient(n))),
      ),
  },
  {
    name: 'labels-of-many-names',
    about: '$meta-add and $meta-delete on a Patient with 40,000 names by 16 connections, for 3 s',
    stored: 'many names',
    attack: () =>
      flood(
        16,
        3,
        times(16, (n) =>
          send('POST', `/Patient/names-40000/$meta-${n % 2 === 0 ? 'add' : 'delete'}`, {
            resourceType: 'Parameters',
            parameter: [
              { name: 'meta', valueMeta: { tag: [{ system: 'http://hostile.example', code: `t${n >> 1}` }] } },
            ],
          }),
        ),
      ),
  },
]

export const bundles: readonly HostileCase[] = [...transactions, ...batches, ...conditional]
