/** Quantities, composites and places over HTTP: https://hl7.org/fhir/R4/search.html#quantity. Results are indices into the fixture. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

const UCUM = 'http://unitsofmeasure.org'
const LOINC = 'http://loinc.org'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  for (const resource of [...OBSERVATIONS, ...LOCATIONS, PATIENT]) {
    const { status } = await server.fhir('PUT', `/${resource.resourceType}/${resource.id}`, resource)
    expect(status).toBe(201)
  }
})
afterAll(() => server.close())

const concept = (code: string) => ({ coding: [{ system: LOINC, code }] })
const ucum = (value: number, code: string) => ({ value, unit: code, system: UCUM, code })
const observation = (index: number, more: object) => ({
  resourceType: 'Observation',
  id: `value-${index}`,
  status: 'final',
  code: concept('29463-7'),
  subject: { reference: 'Patient/values' },
  ...more,
})
const pressure = (index: number, systolic: number, diastolic: number) =>
  observation(index, {
    code: concept('85354-9'),
    component: [
      { code: concept('8480-6'), valueQuantity: ucum(systolic, 'mm[Hg]') },
      { code: concept('8462-4'), valueQuantity: ucum(diastolic, 'mm[Hg]') },
    ],
  })

const PATIENT = { resourceType: 'Patient', id: 'values', active: true }
const OBSERVATIONS = [
  observation(0, { valueQuantity: ucum(70, 'kg') }),
  observation(1, { valueQuantity: ucum(154.3, '[lb_av]') }),
  observation(2, { valueQuantity: ucum(65000, 'g') }),
  observation(3, { valueQuantity: { ...ucum(80, 'kg'), comparator: '>' } }),
  pressure(4, 140, 85),
  pressure(5, 85, 140),
  observation(6, { code: concept('8310-5'), valueQuantity: ucum(98.6, '[degF]') }),
]
const location = (id: string, latitude: number, longitude: number) => ({
  resourceType: 'Location',
  id: `near-${id}`,
  position: { latitude, longitude },
})
const LOCATIONS = [location('0', 42.3601, -71.0589), location('1', 42.3736, -71.1097), location('2', -17, 179.99)]

async function found(url: string): Promise<readonly number[]> {
  const { status, body } = await server.fhir('GET', url)
  expect(status).toBe(200)
  const bundle = body as { readonly entry?: readonly { readonly resource: { readonly id: string } }[] }
  return (bundle.entry ?? []).map(({ resource }) => Number(resource.id.split('-')[1]))
}

const query = (type: string, ...pairs: readonly (readonly [string, string])[]): string =>
  `/${type}?${new URLSearchParams(pairs.map(([name, value]) => [name, value]))}`

describe('a search of Observation finds', () => {
  test.each<readonly [string, string, readonly number[]]>([
    ['value-quantity', `70|${UCUM}|kg`, [0, 1]],
    ['value-quantity', `70000|${UCUM}|g`, [0]],
    ['value-quantity', `lt69|${UCUM}|kg`, [2]],
    ['value-quantity', `gt70.5|${UCUM}|kg`, [3]],
    ['value-quantity', `37.0|${UCUM}|Cel`, [6]],
    ['value-quantity', '70', [0]],
    ['value-quantity', '154.3||[lb_av]', [1]],
    ['value-quantity:missing', 'true', [4, 5]],
    ['code-value-quantity', `29463-7$ge70|${UCUM}|kg`, [0, 3]],
    ['code-value-quantity', `${LOINC}|8310-5$gt97|${UCUM}|[degF]`, [6]],
    ['component-code-value-quantity', `8480-6$ge140|${UCUM}|mm[Hg]`, [4]],
    ['component-code-value-quantity', '8462-4$140', [5]],
    ['component-code-value-quantity', '8480-6$140,8462-4$140', [4, 5]],
    ['combo-code-value-quantity', `8480-6$lt90|${UCUM}|mm[Hg]`, [5]],
  ])('%s=%s: %j', async (name, value, expected) => {
    expect((await found(query('Observation', [name, value]))).toSorted()).toEqual(expected)
  })

  test('both values where both are asked', async () => {
    const both = query('Observation', ['value-quantity', `ge65|${UCUM}|kg`], ['value-quantity', `le70|${UCUM}|kg`])
    expect(await found(both)).toEqual([0, 1, 2])
  })

  test('in the order of base units, those without a quantity last', async () => {
    const weights = query('Observation', ['code', '29463-7'], ['_sort', 'value-quantity'])
    expect(await found(weights)).toEqual([2, 1, 0, 3])
    expect((await found(query('Observation', ['_sort', '-value-quantity']))).slice(-2).toSorted()).toEqual([4, 5])
  })

  test('the observations of a patient by a chain back', async () => {
    const chain = query('Patient', ['_has:Observation:subject:component-code-value-quantity', '8480-6$gt130'])
    const { body } = await server.fhir('GET', chain)
    expect(body).toMatchObject({ entry: [{ resource: { id: 'values' } }] })
  })
})

describe('a search of Location finds', () => {
  test.each<readonly [string, readonly number[]]>([
    ['42.3601|-71.0589|1|km', [0]],
    ['42.3601|-71.0589|3|[mi_us]', [0, 1]],
    ['42.3601|-71.0589', [0, 1]],
    ['-17|-179.99|5', [2]],
    ['-17|-179.99|5,42.36|-71.06|1', [0, 2]],
  ])('near=%s: %j', async (value, expected) => {
    expect((await found(query('Location', ['near', value]))).toSorted()).toEqual(expected)
  })
})

test('what a conditional create asks for is found among what the same transaction writes', async () => {
  const url = query('Observation', ['value-quantity', `71000|${UCUM}|g`]).slice(1)
  const entry = (id: string) => ({
    fullUrl: `urn:uuid:${id}`,
    resource: { ...observation(7, { valueQuantity: ucum(71, 'kg') }), id: undefined },
    request: { method: 'POST', url: 'Observation', ifNoneExist: url.slice(url.indexOf('?') + 1) },
  })
  const bundle = (ids: readonly string[]) => ({ resourceType: 'Bundle', type: 'transaction', entry: ids.map(entry) })
  const first = await server.fhir('POST', '/', bundle(['0c3151bd-1cbf-4d64-b04d-cd9187a4c6e0']))
  expect(first.body).toMatchObject({ entry: [{ response: { status: '201 Created' } }] })
  const second = await server.fhir('POST', '/', bundle(['0c3151bd-1cbf-4d64-b04d-cd9187a4c6e1']))
  expect(second.body).toMatchObject({ entry: [{ response: { status: '200 OK' } }] })
})

test.each([
  ['Observation', 'value-quantity', `5|${UCUM}|mmHg`, 'close to it are mm[Hg]'],
  ['Observation', 'patient', 'Group/1', 'patient refers to Patient alone'],
])('%s?%s=%s can be satisfied by none: an empty set and a warning', async (type, name, value, message) => {
  const { status, body } = await server.fhir('GET', query(type, [name, value]))
  expect([status, body.total]).toEqual([200, 0])
  expect(body.entry).toMatchObject([
    {
      resource: { issue: [{ severity: 'warning', diagnostics: expect.stringContaining(message) }] },
      search: { mode: 'outcome' },
    },
  ])
})

test.each([
  ['Observation', 'value-quantity', `5|${UCUM}|mg|x`, "has more than one unit after its '|'"],
  ['Observation', 'code-value-quantity', '8480-6', "'8480-6' is not 2 values; write code$value-quantity"],
  ['Location', 'near', '42', "'42' is not a place"],
  ['Location', '_sort', 'near', "'near' is a special parameter, which has no order"],
])('%s?%s=%s is 400 and says why', async (type, name, value, message) => {
  const { status, body } = await server.fhir('GET', query(type, [name, value]))
  expect(status).toBe(400)
  expect(JSON.stringify(body)).toContain(message)
})
