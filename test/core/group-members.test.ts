/** The Patients of a Group, by list and by filters, on a running server. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Group } from 'fhir/r4'
import { membersOf } from '../../src/core/group-members.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const FILTER = 'http://hl7.org/fhir/uv/bulkdata/StructureDefinition/member-filter'
const COHORT = `cohort-${randomUUID()}`

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
  for (const [id, gender] of [
    ['a', 'female'],
    ['b', 'female'],
    ['c', 'male'],
    ['d', 'male'],
  ] as const) {
    const identifier = [{ system: 'urn:cohort', value: COHORT }]
    await put({ resourceType: 'Patient', id, gender, identifier, name: [{ family: 'Berg' }] })
  }
  for (const id of ['a', 'c']) await put(condition(id))
  await put({ ...encounter('a'), status: 'finished' })
  await put({ ...encounter('c'), status: 'planned' })
})
afterAll(() => clinics.server.close())

const subjectOf = (patient: string) => ({ subject: { reference: `Patient/${patient}` } })
const condition = (patient: string) => ({
  ...{ resourceType: 'Condition', id: `${patient}-diabetes`, ...subjectOf(patient) },
  code: { coding: [{ system: 'http://snomed.info/sct', code: '44054006' }] },
})
const encounter = (patient: string) => ({
  ...{ resourceType: 'Encounter', id: `${patient}-visit`, ...subjectOf(patient) },
  class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
})

async function put(resource: { readonly resourceType: string; readonly id: string; readonly [name: string]: unknown }) {
  const { status } = await clinics.ours('PUT', `/${resource.resourceType}/${resource.id}`, resource)
  expect([200, 201]).toContain(status)
}

const filter = (expression: string, language = 'application/x-fhir-query') => ({
  url: FILTER,
  valueExpression: { language, expression },
})
const group = (more: Partial<Group>): Group & { id: string; [name: string]: unknown } => ({
  ...{ resourceType: 'Group', id: randomUUID(), type: 'person', actual: true, name: 'A cohort' },
  ...(more as object),
})
const patients = (...ids: readonly string[]) => ids.map((id) => ({ entity: { reference: `Patient/${id}` } }))

async function members(one: Group, clinic = DEMO_CLINIC): Promise<readonly string[]> {
  const ctx = await clinics.server.app.access(clinic, { kind: 'server' }).reader()
  return (await Array.fromAsync(membersOf(ctx, one))).flat().toSorted()
}

describe('the Patients of a Group', () => {
  test('are found in a moment, however many Groups name each other', async () => {
    const ids = Array.from({ length: 30 }, (_, n) => `ring-${n}`)
    const member = [...ids.map((id) => ({ entity: { reference: `Group/${id}` } })), ...patients('a')]
    for (const id of ids) await put(group({ id, member }))
    const request = new Budget({ canMove: false })
    expect(await withBudget(request, () => members(group({ member })))).toEqual(['a'])
  })

  test('are those that it lists, where they are in the clinic, each once', async () => {
    const member = [...patients('a', 'b', 'a', 'nobody'), { entity: { reference: 'Practitioner/doc' } }]
    const absolute = { entity: { reference: `${clinics.server.url}/Patient/d` } }
    expect(await members(group({ member: [...member, absolute] }))).toEqual(['a', 'b'])
    expect(await members(group({ member }), 'other-clinic')).toEqual([])
  })

  test('are without inactive ones, and those whose period is over or has not begun', async () => {
    const [a, b, c, d] = patients('a', 'b', 'c', 'd')
    const member = [
      { ...a, inactive: true },
      { ...b, period: { end: '2020-05' } },
      { ...c, period: { start: '2999-01-01' } },
      { ...d, period: { start: '2020', end: '2999' } },
    ] as Group['member']
    expect(await members(group({ member }))).toEqual(['d'])
  })

  test('are found by its filters, all of which they meet', async () => {
    const ofCohort = filter(`Patient?identifier=${COHORT}`)
    const diabetes = filter('Condition?code=http://snomed.info/sct|44054006')
    const seen = filter('Encounter?class=AMB&status=finished')
    const by = (...modifierExtension: Group['modifierExtension'] & object) =>
      members(group({ actual: false, modifierExtension }))
    expect(await by(ofCohort)).toEqual(['a', 'b', 'c', 'd'])
    expect(await by(ofCohort, filter('Patient?gender=male'))).toEqual(['c', 'd'])
    expect(await by(ofCohort, diabetes)).toEqual(['a', 'c'])
    expect(await by(diabetes, ofCohort, seen)).toEqual(['a'])
  })

  test('are those of its list who meet its filters', async () => {
    const modifierExtension = [filter('Condition?code=44054006')]
    expect(await members(group({ member: patients('b', 'c'), modifierExtension }))).toEqual(['c'])
  })

  test('are those of the Groups that it lists, however these name each other', async () => {
    const inner = group({ member: patients('a', 'b', 'c'), modifierExtension: [filter('Patient?gender=female')] })
    const outer = group({ member: [...patients('d'), { entity: { reference: `Group/${inner.id}` } }] })
    await put(inner)
    await put(outer)
    await put({
      ...inner,
      member: [...(inner.member ?? []), { entity: { reference: `Group/${outer.id}` } }],
    } as unknown as Group & { id: string } & Record<string, unknown>)
    expect(await members(outer)).toEqual(['a', 'b', 'd'])
  })

  test('come in pages of at most 100', async () => {
    const ids = Array.from({ length: 205 }, (_, n) => `page-${n}`)
    const entry = ids.map((id) => ({
      resource: { resourceType: 'Patient', id },
      request: { method: 'PUT', url: `Patient/${id}` },
    }))
    expect((await clinics.ours('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })).status).toBe(200)
    const ctx = await clinics.server.app.access(DEMO_CLINIC, { kind: 'server' }).reader()
    const pages = await Array.fromAsync(membersOf(ctx, group({ member: patients(...ids) })))
    expect(pages.map(({ length }) => length)).toEqual([100, 100, 5])
  })

  test('cannot be told of a Group that is not actual and has no filter', async () => {
    await expect(members(group({ actual: false }))).rejects.toThrow(/has no member-filter/)
    expect(await members(group({ actual: true }))).toEqual([])
  })

  test('are found by a search with _has', async () => {
    const one = group({ member: patients('a', 'd') })
    await put(one)
    const { body } = await clinics.ours('GET', `/Patient?_has:Group:member:_id=${one.id}&_sort=_id`)
    expect(body.entry.map(({ resource }: { resource: { id: string } }) => resource.id)).toEqual(['a', 'd'])
  })
})

test.each([
  ['of another language', filter('Patient.active', 'text/fhirpath'), /must be application\/x-fhir-query/],
  ['without a type', filter('code=44054006'), /must be a search of Patient/],
  ['of a type that belongs to no Patient', filter('Practitioner?name=x'), /must be a search of Patient/],
  ['of a type that there is not', filter('Nothing?name=x'), /must be a search of Patient/],
  ['with a parameter that the type does not have', filter('Condition?colour=red'), /colour/],
  ['with a parameter for the response', filter('Condition?code=1&_sort=code'), /_sort/],
  ['without an expression', { url: FILTER, valueString: 'x' }, /must be application\/x-fhir-query/],
])('a Group with a filter %s is refused', async (_what, modifierExtension, diagnostics) => {
  for (const [method, path] of [
    ['POST', '/Group'],
    ['PUT', '/Group/refused'],
  ] as const) {
    const body = { ...group({ actual: false, modifierExtension: [modifierExtension] }), id: 'refused' }
    const refused = await clinics.ours(method, path, body)
    expect(refused.status).toBe(422)
    expect(refused.body.issue[0].diagnostics).toMatch(diagnostics)
  }
})

test('a Group of devices has no filters, and any members', async () => {
  const devices = { type: 'device' as const, member: [{ entity: { reference: 'Device/d' } }] }
  expect((await clinics.ours('POST', '/Group', group(devices))).status).toBe(201)
  const filtered = group({ ...devices, modifierExtension: [filter('Patient?gender=male')] })
  expect((await clinics.ours('POST', '/Group', filtered)).status).toBe(422)
})
