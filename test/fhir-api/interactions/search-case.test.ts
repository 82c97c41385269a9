/** Case in searches by codes, as the code systems of a clinic have it: https://hl7.org/fhir/R4/search.html#token, ADR 016. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

const SENSITIVE = 'http://example.org/case-sensitive'
const INSENSITIVE = 'http://example.org/case-insensitive'
const UNKNOWN = 'http://example.org/unknown'
const VALUE_SET = 'http://example.org/fhir/ValueSet/codes'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const [id, system] of [
    ['sensitive', SENSITIVE],
    ['insensitive', INSENSITIVE],
    ['unknown', UNKNOWN],
  ]) {
    const code = { coding: [{ system, code: 'AbC' }] }
    for (const ask of [clinics.ours, clinics.theirs])
      expect((await ask('PUT', `/Basic/${id}`, { resourceType: 'Basic', id, code })).status).toBe(201)
  }
  for (const [id, url, caseSensitive] of [
    ['sensitive', SENSITIVE, true],
    ['insensitive', INSENSITIVE, false],
  ] as const) {
    const content = { url, caseSensitive, status: 'active', content: 'complete', concept: [{ code: 'AbC' }] }
    const stored = await clinics.ours('PUT', `/CodeSystem/${id}`, { resourceType: 'CodeSystem', id, ...content })
    expect(stored.status).toBe(201)
  }
})
afterAll(() => clinics.server.close())

type Ask = TwoClinics['ours']

async function found(ask: Ask, query: string): Promise<readonly string[]> {
  const { status, body } = await ask('GET', `/Basic?${query}&_sort=_id`)
  expect(status).toBe(200)
  return (body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id)
}

describe('a search by a code', () => {
  test.each([
    [`${SENSITIVE}|AbC`, ['sensitive']],
    [`${SENSITIVE}|abc`, []],
    [`${INSENSITIVE}|aBc`, ['insensitive']],
    [`${UNKNOWN}|aBc`, ['unknown']],
    [`${SENSITIVE}|abc,${INSENSITIVE}|abc,${UNKNOWN}|abc`, ['insensitive', 'unknown']],
    // Without a system it is unknown whether case counts.
    ['aBc', ['insensitive', 'sensitive', 'unknown']],
  ])('code=%s finds %j', async (value, expected) => {
    expect(await found(clinics.ours, `code=${encodeURIComponent(value)}`)).toEqual(expected)
  })

  test('regards the code systems of its own clinic alone', async () => {
    const query = `code=${encodeURIComponent(`${SENSITIVE}|abc`)}`
    expect([await found(clinics.ours, query), await found(clinics.theirs, query)]).toEqual([[], ['sensitive']])
  })

  test('of a value set or a hierarchy regards them too', async () => {
    const concept = [{ code: 'ABC' }]
    const include = [SENSITIVE, INSENSITIVE, UNKNOWN].map((system) => ({ system, concept }))
    const valueSet = { resourceType: 'ValueSet', id: 'codes', url: VALUE_SET, status: 'active', compose: { include } }
    await clinics.ours('PUT', '/ValueSet/codes', valueSet)
    expect(await found(clinics.ours, `code:in=${VALUE_SET}`)).toEqual(['insensitive', 'unknown'])
    expect(await found(clinics.ours, `code:below=${INSENSITIVE}%7Cabc`)).toEqual(['insensitive'])
    expect(await found(clinics.ours, `code:below=${SENSITIVE}%7Cabc`)).toEqual([])
  })

  test('follows a code system that is changed', async () => {
    const { body } = await clinics.ours('GET', '/CodeSystem/sensitive')
    const query = `code=${encodeURIComponent(`${SENSITIVE}|abc`)}`
    await clinics.ours('PUT', '/CodeSystem/sensitive', { ...body, caseSensitive: false })
    expect(await found(clinics.ours, query)).toEqual(['sensitive'])
    await clinics.ours('PUT', '/CodeSystem/sensitive', body)
    expect(await found(clinics.ours, query)).toEqual([])
  })
})

test('a conditional create does not make a second patient of an identifier in another case', async () => {
  const patient = (value: string) => ({ resourceType: 'Patient', identifier: [{ system: 'urn:mrn', value }] })
  const create = (value: string) =>
    clinics.ours('POST', '/Patient', patient(value), { 'if-none-exist': `identifier=urn:mrn|${value}` })
  expect([(await create('Ab-77')).status, (await create('aB-77')).status]).toEqual([201, 200])
  expect((await clinics.ours('GET', '/Patient?identifier=AB-77')).body.total).toBe(1)
})
