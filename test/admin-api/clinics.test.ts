/** Configuration of clinics: the sandbox switch and the settings, and who may change them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Role } from '../../src/clinics/accounts.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import { hashPassword } from '../../src/clinics/passwords.ts'
import type { ClinicSettings } from '../../src/clinics/settings.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { recordKind, SERVICE } from '../../src/repository/record-kinds.ts'
import { RECENT } from '../../src/storage/port.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const OTHER: ClinicSettings = {
  name: 'Other Clinic',
  timeZone: 'Europe/Berlin',
  dialedNumbers: ['+493012345678'],
  defaultRegion: 'DE',
  policies: { overbooking: false, slotTakenStatus: 409 },
}
const DEMO = {
  name: 'Maple Street Family Clinic',
  timeZone: 'America/New_York',
  dialedNumbers: ['+12125550100'],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
}
const SECRET = `whsec_${Buffer.alloc(24, 7).toString('base64')}`

let server: TestServer
let admin: Record<string, string>
let operator: Record<string, string>
let otherStaff: Record<string, string>

beforeAll(async () => {
  const started = await startServer()
  await createClinic(started.app.repository, 'other-clinic', OTHER)
  const logIn = (username: string, role: Role, clinic: string) => logInAs(started, { username, clinic, role })
  server = withToken(started, await logIn('staff', 'staff', DEMO_CLINIC))
  admin = { authorization: `Bearer ${await logIn('ada', 'admin', DEMO_CLINIC)}` }
  operator = { authorization: `Bearer ${await logIn('otto', 'operator', SERVICE)}` }
  otherStaff = { authorization: `Bearer ${await logIn('olga', 'staff', 'other-clinic')}` }
})
afterAll(() => server.close())

const configure = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.fhir(method, `/clinics/${path}`, body, { 'content-type': 'application/json', ...headers })

describe('the sandbox switch', () => {
  beforeEach(() => configure('PUT', 'demo-clinic/sandbox', { enabled: true }))

  test('has a tag, and is not switched by who has not seen the last change', async () => {
    const tagged = async () => ({
      'if-match': String((await configure('GET', 'demo-clinic/sandbox')).headers.get('etag')),
    })
    const seen = await tagged()
    const off = await configure('PUT', 'demo-clinic/sandbox', { enabled: false }, seen)
    expect([off.status, off.headers.get('etag')]).toEqual([200, (await tagged())['if-match']])
    const late = await configure('PUT', 'demo-clinic/sandbox', { enabled: true }, seen)
    expect([late.status, late.body.error]).toEqual([412, expect.stringContaining('somebody has changed them')])
    expect((await configure('GET', 'demo-clinic/sandbox')).body).toEqual({ enabled: false })
    expect((await configure('PUT', 'demo-clinic/sandbox', { enabled: true }, await tagged())).status).toBe(200)
  })

  test('is on for a clinic that never touched it', async () => {
    const answer = await configure('GET', 'other-clinic/sandbox', undefined, otherStaff)
    expect([answer.status, answer.body]).toEqual([200, { enabled: true }])
  })

  test('turned off, makes every FHIR data route 403 with an OperationOutcome that says so, at once', async () => {
    const off = await configure('PUT', 'demo-clinic/sandbox', { enabled: false })
    expect([off.status, off.body]).toEqual([200, { enabled: false }])
    for (const [method, path, body] of [
      ['GET', '/Patient'],
      ['GET', '/Patient/reyes-lucia'],
      ['POST', '/Patient', { resourceType: 'Patient' }],
      ['DELETE', '/Patient/reyes-lucia'],
      ['POST', '/', { resourceType: 'Bundle', type: 'batch' }],
      ['POST', '/Patient/$match', { resourceType: 'Parameters' }],
    ] as const) {
      const answer = await server.fhir(method, path, body)
      expect([method, path, answer.status]).toEqual([method, path, 403])
      expect(answer.body.resourceType).toBe('OperationOutcome')
      expect(answer.body.issue[0]).toMatchObject({ code: 'forbidden', details: { coding: [{ code: 'sandbox-off' }] } })
      expect(answer.body.issue[0].diagnostics).toContain('turned off')
    }
  })

  test('turned off, leaves /metadata and the configuration working', async () => {
    await configure('PUT', 'demo-clinic/sandbox', { enabled: false })
    expect((await server.fhir('GET', '/metadata')).status).toBe(200)
    expect((await configure('GET', 'demo-clinic/settings')).status).toBe(200)
    expect((await configure('GET', 'demo-clinic/sandbox')).body).toEqual({ enabled: false })
  })

  test('turned off, keeps the data, which are back when it is turned on', async () => {
    const before = await server.fhir('GET', '/Patient/reyes-lucia')
    await configure('PUT', 'demo-clinic/sandbox', { enabled: false })
    await configure('PUT', 'demo-clinic/sandbox', { enabled: true })
    expect((await server.fhir('GET', '/Patient/reyes-lucia')).text).toBe(before.text)
  })

  test('of one clinic does not touch another', async () => {
    await configure('PUT', 'demo-clinic/sandbox', { enabled: false })
    expect((await server.fhir('GET', '/Organization/other-clinic', undefined, otherStaff)).status).toBe(200)
    expect((await configure('GET', 'other-clinic/sandbox', undefined, otherStaff)).body).toEqual({ enabled: true })
  })

  test(`works in a second server on the same store within ${RECENT} ms`, async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET: 's'.repeat(40) }
    const first = await startServer(env)
    const second = await startServer(env)
    try {
      expect((await second.fhir('GET', '/Patient')).status).toBe(200)
      await first.fhir('PUT', '/clinics/demo-clinic/sandbox', { enabled: false })
      await sleep(RECENT)
      expect((await second.fhir('GET', '/Patient')).status).toBe(403)
      await first.fhir('PUT', '/clinics/demo-clinic/sandbox', { enabled: true })
      await sleep(RECENT)
      expect((await second.fhir('GET', '/Patient')).status).toBe(200)
    } finally {
      await second.close()
      await first.close()
    }
  })

  test.each([{}, { enabled: 'false' }, { enabled: 0 }, [], { enabled: true, until: 'tomorrow' }, 'off'])(
    'set with %j is 400 and changes nothing',
    async (body) => {
      const answer = await configure('PUT', 'demo-clinic/sandbox', body)
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['error']])
      expect((await configure('GET', 'demo-clinic/sandbox')).body).toEqual({ enabled: true })
    },
  )
})

describe('the settings', () => {
  beforeEach(() => configure('PUT', 'demo-clinic/settings', DEMO))

  test('have a tag, and a change by who has not seen the last one is refused', async () => {
    const read = await configure('GET', 'demo-clinic/settings')
    const seen = { 'if-match': String(read.headers.get('etag')) }
    const first = await configure('PUT', 'demo-clinic/settings', { ...DEMO, name: 'First' }, seen)
    expect([first.status, first.headers.get('etag')]).toEqual([200, expect.not.stringMatching(seen['if-match'])])
    const second = await configure('PUT', 'demo-clinic/settings', { ...DEMO, name: 'Second' }, seen)
    expect([second.status, second.body.error]).toEqual([412, expect.stringContaining('somebody has changed them')])
    const now = await configure('GET', 'demo-clinic/settings')
    expect([now.body.name, now.headers.get('etag')]).toEqual(['First', first.headers.get('etag')])
    const latest = { 'if-match': String(first.headers.get('etag')) }
    expect((await configure('PUT', 'demo-clinic/settings', { ...DEMO, name: 'Second' }, latest)).status).toBe(200)
    expect((await configure('PUT', 'demo-clinic/settings', DEMO, { 'if-match': '*' })).status).toBe(200)
  })

  test('are read as they were put', async () => {
    const changed = { ...DEMO, name: 'Maple', timeZone: 'UTC', policies: { overbooking: true, slotTakenStatus: 422 } }
    const put = await configure('PUT', 'demo-clinic/settings', changed)
    expect([put.status, put.body]).toEqual([200, changed])
    expect((await configure('GET', 'demo-clinic/settings')).body).toEqual(changed)
  })

  test('put without the optional ones get their defaults: PUT replaces', async () => {
    await configure('PUT', 'demo-clinic/settings', { ...DEMO, policies: { overbooking: true } })
    const { dialedNumbers: _numbers, policies: _policies, ...required } = DEMO
    expect((await configure('PUT', 'demo-clinic/settings', required)).body).toEqual({
      ...required,
      dialedNumbers: [],
      policies: { overbooking: false, slotTakenStatus: 409 },
    })
  })

  test('with problems are 422 with all of them, and none is stored', async () => {
    const bad = { name: '', timeZone: 'Mars/Base', dialedNumbers: ['555'], colour: 'red', policies: { overbooking: 1 } }
    const answer = await configure('PUT', 'demo-clinic/settings', bad)
    expect(answer.status).toBe(422)
    expect(answer.body.problems).toHaveLength(6)
    for (const named of ['colour', 'name', 'timeZone', 'dialedNumbers[0]', 'defaultRegion', 'policies.overbooking']) {
      expect(answer.body.error).toContain(named)
    }
    expect((await configure('GET', 'demo-clinic/settings')).body).toEqual(DEMO)
  })

  test('that are not JSON are 400', async () => {
    expect((await configure('PUT', 'demo-clinic/settings', '{"name"')).status).toBe(400)
  })

  test('never show the CRM secret, and keep it when it is sent back as shown or left out', async () => {
    const crm = { enabled: true, url: 'https://crm.example/hook', secret: SECRET }
    const shown = { ...DEMO, crm: { ...crm, secret: 'set' } }
    expect((await configure('PUT', 'demo-clinic/settings', { ...DEMO, crm })).body).toEqual(shown)
    const read = await configure('GET', 'demo-clinic/settings')
    expect(read.text).not.toContain(SECRET)
    expect((await configure('PUT', 'demo-clinic/settings', read.body)).body).toEqual(shown)
    const { secret: _secret, ...withoutSecret } = crm
    expect((await configure('PUT', 'demo-clinic/settings', { ...DEMO, crm: withoutSecret })).status).toBe(200)
    const stored = await server.app.repository.readRecord('demo-clinic', recordKind('settings'), 'settings')
    expect(stored?.value).toMatchObject({ crm: { secret: SECRET } })
  })

  test('with a CRM that never had a secret are 422', async () => {
    const crm = { enabled: true, url: 'https://crm.example/hook', secret: 'set' }
    const answer = await configure('PUT', 'demo-clinic/settings', { ...DEMO, crm })
    expect(answer.status).toBe(422)
    expect(answer.body.problems).toEqual([expect.stringContaining('crm.secret')])
  })

  test('with a dialled number of another clinic are refused like those with one that nobody can dial, and not stored', async () => {
    const put = (number: string) =>
      configure('PUT', 'demo-clinic/settings', { ...DEMO, name: 'Changed', dialedNumbers: ['+12125550100', number] })
    const taken = await put('+493012345678')
    expect(taken.status).toBe(422)
    expect(taken.body.problems).toEqual([expect.stringMatching(/^dialedNumbers\[1\] must be a phone number in E.164/)])
    const impossible = await put('+4930')
    expect([taken.status, taken.text]).toEqual([impossible.status, impossible.text])
    expect((await configure('GET', 'demo-clinic/settings')).body).toEqual(DEMO)
  })

  test('of two clinics that claim one number at the same time: one gets it', async () => {
    const number = '+12125550177'
    const answers = await Promise.all([
      configure('PUT', 'demo-clinic/settings', { ...DEMO, dialedNumbers: [number] }),
      configure('PUT', 'other-clinic/settings', { ...OTHER, dialedNumbers: [number] }, otherStaff),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    await configure('PUT', 'other-clinic/settings', OTHER, otherStaff)
  })

  test('give a number free that they no longer name', async () => {
    const moved = '+12125550188'
    await configure('PUT', 'demo-clinic/settings', { ...DEMO, dialedNumbers: [moved] })
    const both = { ...OTHER, dialedNumbers: [...OTHER.dialedNumbers, moved] }
    expect((await configure('PUT', 'other-clinic/settings', both, otherStaff)).status).toBe(422)
    await configure('PUT', 'demo-clinic/settings', DEMO)
    expect((await configure('PUT', 'other-clinic/settings', both, otherStaff)).status).toBe(200)
    await configure('PUT', 'other-clinic/settings', OTHER, otherStaff)
  })
})

describe('who may configure', () => {
  test('nobody without a token: 401 with {"error"}', async () => {
    const answer = await configure('GET', 'demo-clinic/settings', undefined, { authorization: '' })
    expect([answer.status, Object.keys(answer.body)]).toEqual([401, ['error']])
  })

  test('staff, their own clinic only: another one and one that does not exist get the same 403', async () => {
    for (const [method, part, body] of [
      ['GET', 'sandbox'],
      ['PUT', 'sandbox', { enabled: false }],
      ['GET', 'settings'],
      ['PUT', 'settings', OTHER],
    ] as const) {
      const other = await configure(method, `other-clinic/${part}`, body)
      const none = await configure(method, `no-such-clinic/${part}`, body)
      expect([method, part, other.status, other.text]).toEqual([method, part, 403, none.text])
      expect(none.status).toBe(403)
      expect(Object.keys(other.body)).toEqual(['error'])
    }
    expect((await configure('GET', 'other-clinic/sandbox', undefined, otherStaff)).body).toEqual({ enabled: true })
  })

  test('an admin, no other clinic than his own: the CRM that gets the data of its patients stays', async () => {
    const crm = { enabled: true, url: 'https://thief.example/hook', secret: SECRET }
    const answer = await configure('PUT', 'other-clinic/settings', { ...OTHER, crm }, admin)
    expect([answer.status, Object.keys(answer.body)]).toEqual([403, ['error']])
    const none = await configure('PUT', 'no-such-clinic/settings', { ...OTHER, crm }, admin)
    expect([answer.status, answer.text]).toEqual([none.status, none.text])
    expect((await configure('GET', 'other-clinic/settings', undefined, admin)).status).toBe(403)
    expect((await configure('GET', 'other-clinic/settings', undefined, otherStaff)).body).toEqual(OTHER)
    expect((await configure('GET', 'demo-clinic/settings', undefined, admin)).status).toBe(200)
  })

  test('an admin of a store made before there were operators, his own clinic as before, and no other any more', async () => {
    const { repository } = server.app
    const passwordHash = await hashPassword('a long password', CHEAP_PASSWORDS)
    const old = { username: 'oldie', name: 'Old Admin', clinic: DEMO_CLINIC, role: 'admin', passwordHash }
    await repository.change(SERVICE, async (unit) => unit.records.put(recordKind<object>('account'), 'oldie', old))
    const headers = { authorization: `Bearer ${await server.login('oldie', 'a long password')}` }
    expect((await configure('GET', 'demo-clinic/settings', undefined, headers)).status).toBe(200)
    expect((await configure('PUT', 'demo-clinic/settings', DEMO, headers)).status).toBe(200)
    expect((await server.fhir('GET', '/Patient?_count=1', undefined, headers)).status).toBe(200)
    expect((await configure('GET', 'other-clinic/settings', undefined, headers)).status).toBe(403)
  })

  test('an operator, every clinic there is: 404 for one that there is not', async () => {
    expect((await configure('GET', 'other-clinic/settings', undefined, operator)).body).toEqual(OTHER)
    expect((await configure('PUT', 'other-clinic/sandbox', { enabled: true }, operator)).status).toBe(200)
    const none = await configure('GET', 'no-such-clinic/settings', undefined, operator)
    expect([none.status, none.body]).toEqual([404, { error: 'There is no such clinic' }])
    expect((await configure('PUT', 'no-such-clinic/settings', OTHER, operator)).status).toBe(404)
    expect((await configure('GET', 'a%2Fb/sandbox', undefined, operator)).status).toBe(404)
  })

  test('an operator who is of no clinic reaches no FHIR data: 403', async () => {
    for (const path of ['/Organization/other-clinic', '/Patient', '/_history']) {
      const answer = await server.fhir('GET', path, undefined, operator)
      expect([answer.status, answer.body.resourceType]).toEqual([403, 'OperationOutcome'])
    }
    expect((await server.fhir('POST', '/Patient', { resourceType: 'Patient' }, operator)).status).toBe(403)
  })
})

describe('clinics', () => {
  const clinics = (method: string, headers: Record<string, string>, body?: unknown, query = '') =>
    server.fhir(method, `/clinics${query}`, body, { 'content-type': 'application/json', ...headers })
  const WEST = { ...OTHER, name: 'West Clinic', dialedNumbers: ['+493012345699'] }

  test('are made and listed by an operator', async () => {
    const made = await clinics('POST', operator, { id: 'west', ...WEST })
    expect([made.status, made.headers.get('location'), made.body]).toEqual([
      201,
      '/clinics/west/settings',
      { id: 'west', ...WEST },
    ])
    expect((await configure('GET', 'west/settings', undefined, operator)).body).toEqual(WEST)
    const list = await clinics('GET', operator)
    expect(list.body).toEqual({
      clinics: [
        { id: 'demo-clinic', name: DEMO.name },
        { id: 'other-clinic', name: OTHER.name },
        { id: 'west', name: WEST.name },
      ],
    })
    expect((await clinics('GET', operator, undefined, '?after=other-clinic')).body.clinics).toHaveLength(1)
  })

  test.each<[string, object, number]>([
    ['exist already', { id: 'other-clinic', ...OTHER, dialedNumbers: [] }, 409],
    ['have no id', OTHER, 400],
    ['have an id that is none of FHIR', { id: 'a/b', ...OTHER }, 400],
    ['have wrong settings', { id: 'east', ...OTHER, dialedNumbers: [], timeZone: 'Mars' }, 422],
    ['have a dialled number of another one', { id: 'east', ...OTHER }, 422],
  ])('that %s are not made', async (_what, body, status) => {
    expect((await clinics('POST', operator, body)).status).toBe(status)
    expect((await configure('GET', 'east/settings', undefined, operator)).status).toBe(404)
  })

  test('are neither made nor listed by anybody else: 403', async () => {
    for (const headers of [admin, otherStaff]) {
      const made = await clinics('POST', headers, { id: 'mine', ...OTHER, dialedNumbers: [] })
      expect([made.status, Object.keys(made.body)]).toEqual([403, ['error']])
      expect((await clinics('GET', headers)).status).toBe(403)
    }
    expect((await configure('GET', 'mine/settings', undefined, operator)).status).toBe(404)
  })
})
