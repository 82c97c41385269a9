/** Tokens for programs: who makes, sees and revokes them, and what ends them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import type { Role } from '../../src/clinics/accounts.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request, startServer, type TestServer } from '../support/server.ts'
import { logInAs, OTHER_CLINIC, startTwoClinics, withToken } from '../support/two-clinics.ts'

let server: TestServer
/** The machine's time that the server goes by is later by this many milliseconds. */
let later = 0
let by: Readonly<Record<'staff' | 'admin' | 'operator' | 'elsewhere', TestServer['fhir']>>

beforeAll(async () => {
  ;({ server } = await startTwoClinics({}, { clock: () => Date.now() + later }))
  const logIn = async (username: string, role: Role, clinic: string) =>
    withToken(server, await logInAs(server, { username, role, clinic })).fhir
  by = {
    staff: await logIn('stella', 'staff', DEMO_CLINIC),
    admin: await logIn('ada', 'admin', DEMO_CLINIC),
    operator: await logIn('otto', 'operator', SERVICE),
    elsewhere: await logIn('eve', 'admin', OTHER_CLINIC),
  }
})
afterAll(() => server.close())

const json = { 'content-type': 'application/json' }
const send = (who: keyof typeof by, method: string, path: string, body?: unknown) => by[who](method, path, body, json)
const make = (who: keyof typeof by, wanted: object = {}) =>
  send(who, 'POST', '/tokens', { name: 'Booking bot', role: 'staff', ...wanted })
const made = async (wanted?: object) => (await make('admin', wanted)).body
const withMade = ({ token }: { token: string }) => withToken(server, token).fhir
const auditEvents = async (): Promise<readonly string[]> =>
  (await by.admin('GET', '/AuditEvent?_count=200')).body.entry.map((entry: object) => JSON.stringify(entry))
const listed = async (who: keyof typeof by = 'admin', query = '') =>
  (await send(who, 'GET', `/tokens${query}`)).body.tokens

test('a token is shown once, and reads the data of its clinic with its role and under its name', async () => {
  const { token, ...shown } = await made({ name: 'Robin <b>Bot</b>', ttl: 'P30D' })
  expect(shown).toMatchObject({ name: 'Robin <b>Bot</b>', role: 'staff', createdBy: 'ada', state: 'active' })
  const { exp, iat, role, name, clinic } = jsonwebtoken.decode(token) as jsonwebtoken.JwtPayload
  expect({ lasts: (exp ?? 0) - (iat ?? 0), role, name, clinic }).toEqual({
    ...{ lasts: 30 * 86_400, role: 'staff', name: 'Robin <b>Bot</b> (ada)', clinic: DEMO_CLINIC },
  })
  const patients = await withMade({ token })('GET', '/Patient?_count=1')
  expect([patients.status, patients.body.entry.length]).toEqual([200, 1])
  expect((await withMade({ token })('GET', '/tokens')).status).toBe(403)
  const all = await listed()
  expect(all).toContainEqual({ ...shown, lastUsedAt: expect.any(String) })
  expect(JSON.stringify(all)).not.toContain(token)
  const events = await auditEvents()
  expect(events.some((text) => text.includes(`make token ${shown.id} of Robin`))).toBe(true)
  expect(events.some((text) => text.includes('Robin <b>Bot</b> (ada)'))).toBe(true)
  expect(events.join()).not.toContain(token)
})

test('the request after the one that revokes a token is 401 and says so; the audit trail has who did it', async () => {
  const one = await made()
  const other = await made()
  expect((await withMade(one)('GET', '/Patient?_count=1')).status).toBe(200)
  expect((await send('admin', 'DELETE', `/tokens/${one.id}`)).status).toBe(204)
  const refused = await withMade(one)('GET', '/Patient?_count=1')
  expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
    401,
    'Not authenticated: this token of a program has been revoked; an admin makes another one in the settings',
  ])
  expect((await withMade(other)('GET', '/Patient?_count=1')).status).toBe(200)
  expect((await listed()).map(({ id }: { id: string }) => id)).not.toContain(one.id)
  expect((await send('admin', 'DELETE', `/tokens/${one.id}`)).status).toBe(404)
  const events = await auditEvents()
  expect(events.some((text) => text.includes(`revoke token ${one.id} of Booking bot`))).toBe(true)
})

test('a program that ends its session revokes its token', async () => {
  const one = await made()
  expect((await withMade(one)('DELETE', '/session')).status).toBe(204)
  expect((await withMade(one)('GET', '/Patient?_count=1')).status).toBe(401)
})

test('a token ends with every change of the account of its maker, and is listed as ended', async () => {
  const maker = withToken(server, await logInAs(server, { username: 'mara', role: 'admin', clinic: DEMO_CLINIC })).fhir
  const { body } = await maker('POST', '/tokens', { name: 'Bot of Mara', role: 'admin' }, json)
  expect((await withMade(body)('GET', '/accounts')).status).toBe(200)
  expect((await send('admin', 'PUT', '/accounts/mara/login', { enabled: false })).status).toBe(200)
  expect((await withMade(body)('GET', '/accounts')).status).toBe(401)
  expect(await listed()).toContainEqual(expect.objectContaining({ id: body.id, state: 'ended' }))
})

test('no one makes a token with more rights than the own ones, and a program makes none', async () => {
  expect((await make('staff')).status).toBe(403)
  expect((await send('staff', 'GET', '/tokens')).status).toBe(403)
  const higher = await make('admin', { role: 'operator' })
  expect([higher.status, higher.body.error]).toEqual([403, expect.stringContaining("your role is 'admin'")])
  expect((await make('admin', { role: 'admin' })).status).toBe(201)
  const program = withMade(await made({ role: 'admin' }))
  const refused = await program('POST', '/tokens', { name: 'Another', role: 'staff' }, json)
  expect([refused.status, refused.body.error]).toEqual([403, expect.stringContaining('makes no other tokens')])
})

test('an admin sees and revokes tokens of the own clinic only, an operator those of all', async () => {
  const one = await made()
  expect(await listed('elsewhere')).toEqual([])
  expect((await send('elsewhere', 'GET', `/tokens?clinic=${DEMO_CLINIC}`)).status).toBe(403)
  expect((await send('elsewhere', 'DELETE', `/tokens/${one.id}`)).status).toBe(404)
  expect((await send('elsewhere', 'DELETE', `/tokens/${one.id}?clinic=${DEMO_CLINIC}`)).status).toBe(403)
  expect(await listed('operator', `?clinic=${DEMO_CLINIC}`)).toContainEqual(expect.objectContaining({ id: one.id }))
  expect((await send('operator', 'DELETE', `/tokens/${one.id}?clinic=${DEMO_CLINIC}`)).status).toBe(204)
  expect((await withMade(one)('GET', '/Patient?_count=1')).status).toBe(401)
})

test('an operator without a clinic makes tokens of operators, which read no data of a clinic', async () => {
  expect((await make('operator')).status).toBe(400)
  const { body } = await make('operator', { role: 'operator', name: 'Clinic maker' })
  expect((await withMade(body)('GET', '/clinics')).status).toBe(200)
  expect((await withMade(body)('GET', '/Patient')).status).toBe(403)
  expect(await listed('operator')).toContainEqual(expect.objectContaining({ id: body.id, role: 'operator' }))
})

test('a token of an operator of the clinic is not revoked by its admin', async () => {
  const operator = await logInAs(server, { username: 'olga', role: 'operator', clinic: DEMO_CLINIC })
  const { body } = await withToken(server, operator).fhir('POST', '/tokens', { name: 'Bot', role: 'operator' }, json)
  expect((await send('admin', 'DELETE', `/tokens/${body.id}`)).status).toBe(403)
  expect((await withMade(body)('GET', '/clinics')).status).toBe(200)
})

test.each([
  [{ name: '' }, "'name'"],
  [{ name: 'x'.repeat(101) }, '1 to 100 characters'],
  [{ role: 'nurse' }, "'role' must be one of staff, admin, operator"],
  [{ ttl: 'P367D' }, 'from PT1M to P366D'],
  [{ ttl: 90 }, "'ttl' must be an ISO 8601 duration"],
  [{ clinic: OTHER_CLINIC }, "'clinic' is not known here"],
])('%j is refused', async (wanted, reason) => {
  const { status, body } = await make('admin', wanted)
  expect([status, body.error]).toEqual([400, expect.stringContaining(reason)])
})

test('the last use is written once a minute, and known to the minute', async () => {
  const one = await made()
  const useOf = async () => (await listed()).find(({ id }: { id: string }) => id === one.id).lastUsedAt
  expect(await useOf()).toBeUndefined()
  await withMade(one)('GET', '/Patient?_count=1')
  const first = await useOf()
  later += 30_000
  await withMade(one)('GET', '/Patient?_count=1')
  expect(await useOf()).toBe(first)
  later += 40_000
  await withMade(one)('GET', '/Patient?_count=1')
  expect(Date.parse(await useOf()) - Date.parse(first)).toBeGreaterThanOrEqual(60_000)
})

test('a run that a program starts gives no more rights than the program has, and its token ends with it', async () => {
  const operator = await logInAs(server, { username: 'oda', role: 'operator', clinic: DEMO_CLINIC })
  const { body } = await withToken(server, operator).fhir('POST', '/tokens', { name: 'Runner', role: 'admin' }, json)
  const path = `/clinics/${DEMO_CLINIC}/runs`
  const { body: run, status } = await withMade(body)('POST', path, { plan: 'booking-lifecycle' }, json)
  expect([status, (jsonwebtoken.decode(run.token) as jsonwebtoken.JwtPayload).role]).toEqual([201, 'admin'])
  expect((await withMade(run)('GET', '/Patient?_count=1')).status).toBe(200)
  expect((await send('operator', 'DELETE', `/tokens/${body.id}?clinic=${DEMO_CLINIC}`)).status).toBe(204)
  expect((await withMade(run)('GET', '/Patient?_count=1')).status).toBe(401)
})

test('another server of the store refuses a token at once when it is revoked, and knows those that were made', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET: 'shared by the two servers of this test' }
  const one = await startServer(env)
  const other = await startServer(env)
  try {
    const admin = withToken(one, await one.login('admin', 'admin')).fhir
    const { body } = await admin('POST', '/tokens', { name: 'Bot', role: 'staff' }, json)
    const elsewhere = withToken(other, body.token).fhir
    expect((await elsewhere('GET', '/Patient?_count=1')).status).toBe(200)
    expect((await admin('DELETE', `/tokens/${body.id}`)).status).toBe(204)
    expect((await elsewhere('GET', '/Patient?_count=1')).status).toBe(401)
  } finally {
    await one.close()
    await other.close()
  }
})

test('nobody makes or sees tokens without one', async () => {
  for (const method of ['GET', 'POST']) expect((await request(server.url, method, '/tokens')).status).toBe(401)
})
