/** Rules of a clinic: who sets them, which requests they are for, and how they count. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { CATALOGUE } from '../../../src/rehearsal/faults/catalogue.ts'
import { visitsOn } from '../../support/appointment-operations.ts'
import { visit } from '../../support/booking.ts'
import { attempt, FAULTS } from '../../support/faults.ts'
import { exchanges } from '../../support/journal.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { logInAs, startTwoClinics, withToken } from '../../support/two-clinics.ts'

let server: TestServer
let admin: TestServer
beforeAll(async () => {
  server = await startServer()
  admin = withToken(server, await server.login('admin', 'admin'))
})
afterEach(() => admin.fhir('DELETE', FAULTS))
afterAll(() => server.close())

const set = (rule: object, name = 'rule') => admin.fhir('PUT', `${FAULTS}/${name}`, rule)
const counted = async (name = 'rule') => {
  const { matched, fired } = (await server.fhir('GET', `${FAULTS}/${name}`)).body
  return { matched, fired }
}
const get = (path: string, headers = {}) => attempt(server, 'GET', path, undefined, headers)

/** The statuses of so many reads, one after the other. */
async function statuses(count: number): Promise<readonly number[]> {
  const found: number[] = []
  while (found.length < count) found.push((await get('/Patient/abernathy-ruth')).status)
  return found
}

describe('a rule', () => {
  test('is set, shown with what it has counted, replaced, and deleted', async () => {
    const rule = { fault: 'throttled', when: { type: 'Patient' }, times: 1 }
    const created = await set(rule)
    const shown = { name: 'rule', ...rule, with: { 'retry-after': 5, form: 'seconds' }, matched: 0, fired: 0 }
    expect([created.status, created.body]).toEqual([201, shown])
    expect(await statuses(2)).toEqual([429, 200])
    const { body } = await server.fhir('GET', FAULTS)
    expect(body.rules).toEqual([{ ...shown, matched: 2, fired: 1, last: expect.stringMatching(/Z$/) }])
    expect([(await set(rule)).status, await counted()]).toEqual([200, { matched: 0, fired: 0 }])
    expect((await admin.fhir('DELETE', `${FAULTS}/rule`)).status).toBe(204)
    expect((await server.fhir('GET', `${FAULTS}/rule`)).status).toBe(404)
    expect((await admin.fhir('DELETE', `${FAULTS}/rule`)).status).toBe(404)
  })

  test.each<[object, readonly number[]]>([
    [{ on: [2, 4] }, [200, 429, 200, 429, 200]],
    [{ every: 2 }, [200, 429, 200, 429, 200]],
    [{ times: 2 }, [429, 429, 200, 200, 200]],
    [{ every: 2, times: 1 }, [200, 429, 200, 200, 200]],
    [{ every: 2, on: [3, 4] }, [200, 200, 200, 429, 200]],
    [{ until: '2999-01-01T00:00:00Z' }, [429, 429, 429, 429, 429]],
    [{ until: '2001-01-01T00:00:00Z' }, [200, 200, 200, 200, 200]],
    [{}, [429, 429, 429, 429, 429]],
  ])('with %j fires for the matching requests that it says', async (occasions, expected) => {
    await set({ fault: 'throttled', ...occasions })
    expect(await statuses(5)).toEqual(expected)
    expect(await counted()).toEqual({ matched: 5, fired: expected.filter((status) => status === 429).length })
  })

  test.each<[object, string, boolean]>([
    [{ interaction: 'read' }, '/Patient/abernathy-ruth', true],
    [{ interaction: 'read' }, '/Patient?_count=1', false],
    [{ interaction: 'search-type', type: 'Patient' }, '/Patient?_count=1', true],
    [{ interaction: 'search-type', type: 'Patient' }, '/Slot?_count=1', false],
    [{ path: '/Patient/abernathy-ruth' }, '/Patient/abernathy-ruth', true],
    [{ path: '/Patient/abernathy-ruth' }, '/Patient/abernathy-ruth/_history', false],
    [{ path: '/Patient/*' }, '/Patient/abernathy-ruth/_history', true],
    [{ query: 'status=free&_count' }, '/Slot?_count=1&status=free', true],
    [{ query: 'status=free&_count' }, '/Slot?_count=1&status=busy', false],
    [{ query: 'status=free&_count' }, '/Slot?status=free', false],
    [{ call: 'call-7' }, '/Patient/abernathy-ruth', true],
    [{ call: 'call-8' }, '/Patient/abernathy-ruth', false],
    [{ run: 'run-7' }, '/Patient/abernathy-ruth', true],
    [{ run: 'run-8' }, '/Patient/abernathy-ruth', false],
    [{ tool: 'get_clinic_info' }, '/Patient/abernathy-ruth', false],
  ])('for %j meets GET %s: %s', async (when, path, isMet) => {
    await set({ fault: 'throttled', when })
    expect((await get(path, { 'x-call-id': 'call-7', 'x-run-id': 'run-7' })).status).toBe(isMet ? 429 : 200)
    expect(await counted()).toEqual({ matched: Number(isMet), fired: Number(isMet) })
  })

  test.each(['constructor', '__proto__'])('called %s is not there unless it was set', async (name) => {
    expect((await server.fhir('GET', `${FAULTS}/${name}`)).status).toBe(404)
  })

  test('of a write is not counted by reads, and one of bookings not by other writes', async () => {
    await set({ fault: 'slot-gone' })
    expect(await statuses(1)).toEqual([200])
    await server.fhir('POST', '/Patient', { resourceType: 'Patient' })
    expect(await counted()).toEqual({ matched: 0, fired: 0 })
  })

  test.each<[object, string]>([
    [{ fault: 'slotgone' }, "There is no fault 'slotgone'; the nearest is slot-gone"],
    [{ fault: 'nonsense-of-all' }, 'the faults are throttled, maintenance'],
    [{}, "There is no fault ''"],
    [{ fault: { toString: 1 } }, "There is no fault ''"],
    [{ fault: 'gateway', with: { status: { toString: 1 } } }, 'gateway; status must be one of 502, 504'],
    [{ fault: 'slow', with: { second: 3 } }, "The fault 'slow' has no parameter 'second'; it has seconds"],
    [{ fault: 'slow', with: { seconds: 61 } }, 'slow; seconds must be a whole number from 0 to 60'],
    [{ fault: 'gateway', with: { status: 500 } }, 'gateway; status must be one of 502, 504'],
    [{ fault: 'slow', when: { typ: 'Patient' } }, "'typ' is not known in 'when'; did you mean type?"],
    [{ fault: 'slow', when: { interaction: 'creat' } }, 'did you mean create?'],
    [{ fault: 'slow', when: { path: 'x'.repeat(501) } }, 'when.path must be a text of 1 to 500 characters'],
    [{ fault: 'slow', when: { type: 'Patiant' } }, "'Patiant' is no resource type; did you mean Patient?"],
    [{ fault: 'slow', when: { path: 'Patient' } }, "when.path must begin with '/', as '/Patient/*' does"],
    [
      { fault: 'slot-gone', when: { type: 'Patient' } },
      "'slot-gone' never occurs where the type is Patient; it does where it is Appointment",
    ],
    [{ fault: 'slot-gone', when: { interaction: 'read' } }, "'slot-gone' never occurs where the interaction is read"],
    [{ fault: 'slot-gone', when: { tool: 'get_clinic_info' } }, 'never occurs where the tool is get_clinic_info'],
    [{ fault: 'tool-slow', when: { interaction: 'read' } }, 'is read; it is a fault of tool calls'],
    [{ fault: 'no-scope', when: { tool: 'get_clinic_info' } }, 'is get_clinic_info; it is a fault of FHIR requests'],
    [{ fault: 'slow', on: [0] }, "'on[0]' must be a whole number from 1"],
    [{ fault: 'slow', every: 1.5 }, "'every' must be a whole number from 1"],
    [{ fault: 'slow', until: 'tomorrow' }, "'until' must be an instant"],
    [{ fault: 'slow', time: 3 }, "'time' is not known in the rule; did you mean times?"],
  ])('%j is refused: %s', async (rule, reason) => {
    const { status, body } = await set(rule)
    expect([status, body.error]).toEqual([400, expect.stringContaining(reason)])
  })

  test('is neither met nor used up by what pages of the dashboard read, unless it names their run', async () => {
    const ofDashboard = { 'x-run-id': 'dashboard' }
    await set({ fault: 'throttled', times: 1 })
    expect((await get('/Patient/abernathy-ruth', ofDashboard)).status).toBe(200)
    expect([await counted(), await statuses(1)]).toEqual([{ matched: 0, fired: 0 }, [429]])
    await set({ fault: 'throttled', when: { run: 'dashboard' } })
    expect((await get('/Patient/abernathy-ruth', ofDashboard)).status).toBe(429)
  })

  test('is one of 50 at most', async () => {
    for (let number = 0; number < 50; number += 1) await set({ fault: 'slow', times: 1 }, `rule-${number}`)
    expect((await set({ fault: 'slow' }, 'one-more')).status).toBe(409)
    expect((await set({ fault: 'slow' }, 'rule-7')).status).toBe(200)
    expect((await admin.fhir('DELETE', FAULTS)).body).toEqual({ deleted: 50 })
  })
})

describe('rules', () => {
  test('are read by staff, and changed by admins of the clinic alone', async () => {
    expect((await server.fhir('PUT', `${FAULTS}/rule`, { fault: 'slow' })).status).toBe(403)
    expect((await server.fhir('DELETE', FAULTS)).status).toBe(403)
    expect((await server.fhir('GET', FAULTS)).body).toEqual({ rules: [] })
    expect((await admin.fhir('GET', '/clinics/another-clinic/faults')).status).toBe(403)
    expect((await request(server.url, 'GET', FAULTS)).status).toBe(401)
  })

  test('of a whole clinic never touch the faults themselves, sessions, health and metadata', async () => {
    await set({ fault: 'reset' })
    for (const path of [FAULTS, '/faults', '/health/live', '/metadata', '/clinics/demo-clinic/settings'])
      expect([path, (await get(path)).status]).toEqual([path, 200])
    expect(await server.login('admin', 'admin')).toEqual(expect.any(String))
    expect((await get('/Patient?_count=1')).status).toBe(0)
  })

  test('fire together, until one answers the request', async () => {
    await set({ fault: 'unknown-extension' }, 'a')
    await set({ fault: 'no-scope' }, 'b')
    await set({ fault: 'slow', with: { seconds: 1 } }, 'c')
    const { status, label } = await get('/Patient/abernathy-ruth', { 'x-sandbox-fault': 'unknown-modifier' })
    expect([status, label]).toEqual([
      403,
      expect.stringMatching(/^unknown-modifier#\d+, unknown-extension#1, no-scope#1$/),
    ])
    expect(await counted('c')).toEqual({ matched: 0, fired: 0 })
  })

  test('hold for requests of the Model Context Protocol as a whole', async () => {
    await set({ fault: 'maintenance', when: { path: '/mcp/fhir' } })
    expect((await attempt(server, 'POST', '/mcp/fhir', {})).status).toBe(503)
  })
})

describe('a header', () => {
  test.each([
    ['slot-gon', "There is no fault 'slot-gon'; the nearest is slot-gone"],
    ['throttled; retry=3', "The fault 'throttled' has no parameter 'retry'; it has retry-after, form"],
    [Array.from({ length: 11 }, () => 'slow').join(), 'names 11 faults'],
  ])('%s is refused', async (header, reason) => {
    const { status, body } = await get('/Patient?_count=1', { 'x-sandbox-fault': header })
    expect([status, body.issue[0].diagnostics]).toEqual([400, expect.stringContaining(reason)])
  })

  test('is ignored where its fault cannot occur, and where none can', async () => {
    const visits = visitsOn(server)
    await visits.open()
    for (const path of ['/Patient/abernathy-ruth', '/metadata', '/health/live'])
      expect((await get(path, { 'x-sandbox-fault': 'slot-gone' })).status).toBe(200)
    const booked = await server.fhir('POST', '/Appointment', visit(await visits.slots()), {
      'x-sandbox-fault': 'page-expired',
    })
    expect([booked.status, booked.headers.get('x-sandbox-fault')]).toEqual([201, null])
  })
})

test('a clinic that wants a blind test gets no labels, and its journal has them', async () => {
  const { body } = await admin.fhir('GET', '/clinics/demo-clinic/settings')
  await admin.fhir('PUT', '/clinics/demo-clinic/settings', { ...body, faultLabels: false })
  await set({ fault: 'no-scope', times: 1 })
  expect(await get('/Patient/abernathy-ruth')).toMatchObject({ status: 403, label: null })
  expect((await exchanges(server, '?fault=no-scope&count=1'))[0]).toMatchObject({ fault: 'no-scope#1', status: 403 })
  expect(await exchanges(server, '?fault=no&count=1')).toEqual([])
  await admin.fhir('PUT', '/clinics/demo-clinic/settings', body)
})

test('the catalogue is there to read, with what each fault does', async () => {
  const { body } = await server.fhir('GET', '/faults')
  expect(body.faults.map(({ name }: { name: string }) => name)).toEqual([...CATALOGUE.keys()])
  for (const fault of body.faults)
    expect(fault).toEqual({
      name: expect.stringMatching(/^[a-z0-9-]+$/),
      title: expect.stringMatching(/./),
      what: expect.stringMatching(/\.$/),
      of: expect.stringMatching(/^(fhir|tools|both)$/),
      true: expect.any(Boolean),
      parameters: expect.any(Object),
      source: expect.stringMatching(/./),
    })
})

describe('rules of one clinic', () => {
  test('meet no request of another, which counts for itself', async () => {
    const { server: two, ours, theirs } = await startTwoClinics()
    try {
      const boss = withToken(two, await logInAs(two, { username: 'boss', clinic: 'demo-clinic', role: 'admin' }))
      expect((await boss.fhir('PUT', `${FAULTS}/rule`, { fault: 'no-scope', on: [2] })).status).toBe(201)
      const statuses: number[] = []
      for (const fhir of [ours, theirs, theirs, ours, theirs]) statuses.push((await fhir('GET', '/Task')).status)
      expect(statuses).toEqual([200, 200, 200, 403, 200])
      expect((await theirs('GET', '/clinics/other-clinic/faults')).body).toEqual({ rules: [] })
      expect((await theirs('GET', FAULTS)).status).toBe(403)
    } finally {
      await two.close()
    }
  })

  test('end with its data, when it is reset', async () => {
    await set({ fault: 'no-scope', when: { type: 'Task' } })
    expect((await get('/Task')).status).toBe(403)
    expect((await admin.fhir('POST', '/clinics/demo-clinic/reset', { scenario: 'quiet-week' })).status).toBe(200)
    expect((await server.fhir('GET', FAULTS)).body).toEqual({ rules: [] })
    expect((await get('/Task')).status).toBe(200)
  })
})

describe('where nobody rehearses', () => {
  test('there are no faults, and nothing of them', async () => {
    const off = await startServer({ REHEARSAL: 'off' })
    try {
      for (const path of ['/faults', FAULTS, `${FAULTS}/rule`]) expect((await off.fhir('GET', path)).status).toBe(404)
      const met = await attempt(off, 'GET', '/Patient/abernathy-ruth', undefined, {
        'x-sandbox-fault': 'reset, nonsense',
      })
      expect([met.status, met.label]).toEqual([200, null])
      const tool = await off.tool('/emr-scheduling/get_clinic_info', {}, { 'x-sandbox-fault': 'tool-transient' })
      expect(tool.success).toBe(true)
    } finally {
      await off.close()
    }
  })
})
