/** Reset of a clinic to a scenario, over HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { GRACE } from '../../../src/rehearsal/generations/removal.ts'
import type { Scenario, ScenarioResource } from '../../../src/rehearsal/scenarios/scenario.ts'
import { generationKinds } from '../../../src/repository/record-kinds.ts'
import { openTestStore } from '../../support/database.ts'
import { askAs, idsOf, type Rehearsed, startRehearsed } from '../rehearsed.ts'

let ahead = 0
let clinic: Rehearsed
const store = await openTestStore()
beforeAll(async () => {
  clinic = await startRehearsed({}, { store, clock: () => Date.now() + ahead })
})
afterAll(() => clinic.server.close())

const reset = (body: unknown, token?: string) => clinic.ask('POST', '/reset', body, token)
const patient = (family: string) => ({ resourceType: 'Patient', name: [{ family }] })

beforeEach(async () => {
  expect((await reset({ scenario: 'quiet-week' })).status).toBe(200)
})

describe('a reset', () => {
  test('brings back what the scenario says, with the same ids, versions and content', async () => {
    const { server, everything } = clinic
    const before = await everything()
    expect(before.length).toBeGreaterThan(100)
    await server.fhir('POST', '/Patient', patient('Newcomer'))
    await server.fhir('PUT', '/Patient/pat-abernathy', { ...patient('Changed'), id: 'pat-abernathy' })
    expect(await everything()).not.toEqual(before)
    const { status, body } = await reset({ scenario: 'quiet-week' })
    expect([status, body]).toMatchObject([200, { scenario: 'quiet-week', by: 'Demo Admin' }])
    expect(await everything()).toEqual(before)
  })

  test('forgets what was written since: it is 404, in no search and in no history', async () => {
    const { server } = clinic
    const { body } = await server.fhir('POST', '/Patient', patient('Zzyzx'))
    await reset({ scenario: 'quiet-week' })
    expect((await server.fhir('GET', `/Patient/${body.id}`)).status).toBe(404)
    expect((await server.fhir('GET', `/Patient/${body.id}/_history`)).status).toBe(404)
    expect(await idsOf(server, server.token, 'Patient?family=Zzyzx')).toEqual([])
  })

  test('keeps accounts, sessions and settings', async () => {
    const { server, ask } = clinic
    const { body: settings } = await ask('GET', '/settings')
    await ask('PUT', '/settings', { ...settings, name: 'Renamed' })
    expect((await reset({ scenario: 'empty' })).status).toBe(200)
    expect((await ask('GET', '/settings')).body.name).toBe('Renamed')
    expect((await server.fhir('GET', '/Organization/demo-clinic')).body.name).toBe('Renamed')
    await ask('PUT', '/settings', settings)
  })

  test('says what there is now, and what a reset would take away', async () => {
    const { body } = await clinic.ask('GET', '/reset')
    expect(body).toMatchObject({ scenario: 'quiet-week', by: 'Demo Admin', counts: { Organization: 1 } })
    expect(body.counts.Patient).toBe((await idsOf(clinic.server, clinic.server.token, 'Patient?_count=500')).length)
  })

  test.each([
    ['a scenario that there is not, with the nearest name', { scenario: 'quiet-wek' }, 404, 'quiet-week'],
    ['a snapshot that there is not', { snapshot: 'before' }, 404, "no snapshot 'before'"],
    ['the settings of a snapshot, which has none', { snapshot: 'before', settings: true }, 400, 'a snapshot has none'],
    ['no source', {}, 400, 'scenario'],
    ['two sources', { scenario: 'empty', snapshot: 'before' }, 400, 'scenario'],
    ['something that is not known', { scenario: 'empty', force: true }, 400, 'scenario'],
  ])('is refused for %s', async (_what, body, status, says) => {
    const before = await clinic.everything()
    const refused = await reset(body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(says)])
    expect(await clinic.everything()).toEqual(before)
  })

  test('is for admins, not for staff, and for the own clinic', async () => {
    const { server } = clinic
    expect((await reset({ scenario: 'empty' }, server.token)).status).toBe(403)
    const admin = await server.login('admin', 'admin')
    expect((await askAs(server, admin, 'POST', '/clinics/other/reset', { scenario: 'empty' })).status).toBe(403)
  })

  test('waits for no other: the second of two at once is 409, and names who began the first', async () => {
    const both = await Promise.all([reset({ scenario: 'quiet-week' }), reset({ scenario: 'empty' })])
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(both.find(({ status }) => status === 409)?.text).toContain('Demo Admin has begun a reset to ')
  })

  test('shows every request the old data or the new, never a mixture', async () => {
    const { server } = clinic
    await reset({ scenario: 'empty' })
    let isOver = false
    const seen: number[] = []
    const read = async () => {
      while (!isOver) {
        const bundle = {
          resourceType: 'Bundle',
          type: 'batch',
          entry: queries.map((url) => ({ request: { method: 'GET', url } })),
        }
        const { body } = await server.fhir('POST', '/', bundle)
        const totals: readonly number[] = body.entry.map(
          ({ resource }: { resource: { total: number } }) => resource.total,
        )
        expect(new Set(totals.map((total) => total > 0)).size).toBe(1)
        seen.push(totals[0] ?? 0)
      }
    }
    const readers = [read(), read(), read()]
    await reset({ scenario: 'quiet-week' })
    await reset({ scenario: 'empty' })
    isOver = true
    await Promise.all(readers)
    expect(new Set(seen.map((total) => total > 0))).toEqual(new Set([true, false]))
  })

  test('lets a call in progress go: the call is not known any more', async () => {
    const { server } = clinic
    const headers = { 'x-call-id': 'call-in-progress', 'x-call-to': '+12125550100', 'x-call-from': '+12125550123' }
    const intake = { statedName: 'Nia Okafor' }
    await server.tool('/patient-journey/resolve_patient_identity', intake, headers)
    const admin = await server.login('admin', 'admin')
    const call = () => askAs(server, admin, 'GET', '/clinics/demo-clinic/calls/call-in-progress')
    expect((await call()).status).toBe(200)
    await reset({ scenario: 'quiet-week' })
    expect((await call()).status).toBe(404)
    const again = await server.tool('/patient-journey/resolve_patient_identity', intake, headers)
    expect(again).toMatchObject({ success: true })
    expect((await call()).status).toBe(200)
  })

  test('leaves no row of the data before, once nobody uses them any more', async () => {
    const { server } = clinic
    await server.fhir('POST', '/Patient', patient('Gone'))
    await reset({ scenario: 'empty' })
    ahead += GRACE
    const names = async () => (await store.clinics()).filter((name) => name.startsWith('demo-clinic~'))
    const { number } = await server.app.repository.generation('demo-clinic')
    while ((await names()).join() !== `demo-clinic~${number}`) await new Promise((resolve) => setTimeout(resolve, 50))
    const left = (await store.scanRecords({ clinic: 'demo-clinic', limit: 1_000 })).items.map(({ kind }) => kind)
    expect(left.filter((kind) => generationKinds.includes(kind))).toEqual([])
    expect((await store.scanVersions({ clinic: 'demo-clinic', limit: 10 })).items).toEqual([])
  })
})

test('a scenario with a resource that is refused is named, and nothing is changed', async () => {
  const broken: Scenario = {
    ...{
      name: 'broken',
      title: 'Broken',
      version: '1.0.0',
      description: 'Has a Patient that is none.',
      people: [],
      count: 2,
    },
    resources: () => [
      { resourceType: 'Patient', id: 'sound' },
      { resourceType: 'Patient', id: 'unsound', birthDate: 'yesterday' } as ScenarioResource,
    ],
  }
  const { server, ask, everything } = await startRehearsed(
    {},
    { extensions: [{ name: 'breaking', scenarios: [broken] }] },
  )
  const before = await everything()
  const { status, text } = await ask('POST', '/reset', { scenario: 'broken' })
  expect([status >= 400 && status < 500, text]).toEqual([true, expect.stringContaining('Patient/unsound')])
  expect(await everything()).toEqual(before)
  expect((await ask('POST', '/reset', { scenario: 'empty' })).status).toBe(200)
  await server.close()
})

const queries = [
  'Patient?_summary=count',
  'Schedule?_summary=count',
  'Practitioner?_summary=count',
  'Appointment?_summary=count',
]
