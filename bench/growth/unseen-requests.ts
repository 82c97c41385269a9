/** Requests that are all different: names, values, units, expressions and tokens that the server has not seen. */
import { patient } from '../data-set.ts'
import type { HttpRequest } from '../load.ts'

const get = (path: string, headers: HttpRequest['headers'] = {}): HttpRequest => ({ method: 'GET', path, headers })

const post = (path: string, body: unknown): HttpRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/fhir+json' },
  body: JSON.stringify(body),
})

const inPatient = (n: number): HttpRequest => {
  const { identifier: _, ...rest } = patient(2_000_000 + n)
  return post('/Patient', {
    ...rest,
    identifier: [{ system: `https://clinic.example/systems/${n}`, value: `V-${n}` }],
    generalPractitioner: [{ reference: `Practitioner/unheard-of-${n}` }],
  })
}

const listOf = (n: number): string => Array.from({ length: 1 + (n % 500) }, (_, index) => `V-${n}-${index}`).join(',')

const KINDS: readonly ((n: number) => HttpRequest)[] = [
  inPatient,
  (n) => get(`/Patient?identifier=https://clinic.example/systems/${n}|V-${n}&_sort=family`),
  (n) => get(`/Patient?identifier=${listOf(n)}&family=${n}`),
  (n) =>
    get(
      `/Patient?_filter=${encodeURIComponent(`family eq f${n} or given sw g${n} and birthdate gt 19${10 + (n % 90)}`)}`,
    ),
  (n) => get(`/Observation?value-quantity=${n}|http://unitsofmeasure.org|${n}.g`),
  (n) => get(`/Observation?no-parameter-${n}=1`),
  (n) => get(`/NoType${n}/1`),
  (n) => get('/Patient?_count=1', { authorization: `Bearer token-${n}` }),
  (n) =>
    post('/Observation/$validate', {
      resourceType: 'Observation',
      status: `no-${n}`,
      code: { text: `t${n}` },
      meta: { profile: [`https://clinic.example/profiles/${n}`] },
    }),
  (n) => get(`/ValueSet/$expand?url=https://clinic.example/value-sets/${n}`),
]

export const unseenRequest = (n: number): HttpRequest => {
  const kind = KINDS[n % KINDS.length]
  if (kind === undefined) throw new Error('There are no kinds of requests')
  return kind(n)
}
