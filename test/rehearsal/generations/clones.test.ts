/** Clones: clinics of their own that expire, over HTTP. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PasswordCost } from '../../../src/clinics/passwords.ts'
import type { ClinicSettings } from '../../../src/clinics/settings.ts'
import { AREAS, makeClone } from '../../../src/rehearsal/generations/clones.ts'
import { GRACE } from '../../../src/rehearsal/generations/removal.ts'
import type { RecordChange } from '../../../src/storage/port.ts'
import { newLastingDatabaseUrl, openTestStore } from '../../support/database.ts'
import { randomRuns } from '../../support/random-runs.ts'
import { request } from '../../support/server.ts'
import { askAs, idsOf, type Rehearsed, startRehearsed } from '../rehearsed.ts'

const HOUR = 3_600_000
const SETTINGS: ClinicSettings = {
  ...{ name: 'A clone', timeZone: 'America/New_York', dialedNumbers: [], defaultRegion: 'US' },
  policies: { overbooking: false, slotTakenStatus: 409 },
}

let ahead = 0
let clinic: Rehearsed
let admin: string
const store = await openTestStore()
beforeAll(async () => {
  clinic = await startRehearsed({}, { store, clock: () => Date.now() + ahead })
  admin = await clinic.server.login('admin', 'admin')
})
afterAll(() => clinic.server.close())

const clone = (body: object, token = admin) => askAs(clinic.server, token, 'POST', '/clinics', body)

describe('a clone', () => {
  test('has the data of its source, its own token, account and number, and nothing that is written to either shows in the other', async () => {
    const { server, everything } = clinic
    const { status, body } = await clone({ from: {}, ttl: 'PT30M' })
    expect([status, body]).toMatchObject([
      201,
      { base: server.url, dialedNumber: expect.stringMatching(/^\+1\d{3}55501\d\d$/) },
    ])
    const asOfSource = (await everything(body.token)).map((text) => text.replaceAll(body.id, 'demo-clinic'))
    expect(asOfSource).toEqual(await everything())
    await askAs(server, body.token, 'PUT', '/Patient/p', {
      resourceType: 'Patient',
      id: 'p',
      name: [{ family: 'Cloned' }],
    })
    expect(await idsOf(server, body.token, 'Patient?family=Cloned')).toEqual(['p'])
    expect(await idsOf(server, admin, 'Patient?family=Cloned')).toEqual([])
    expect((await server.fhir('GET', `/Organization/${body.id}`)).status).toBe(404)
    const login = await request(server.url, 'POST', '/session', { username: body.username, password: body.password })
    expect(login.status).toBe(200)
  })

  test('is reached under its number by live calls', async () => {
    const { server } = clinic
    const { body } = await clone({ from: { scenario: 'quiet-week' } })
    const headers = { 'x-call-id': 'call-to-clone', 'x-call-to': body.dialedNumber, 'x-call-from': '+12125550177' }
    const found = await server.tool('/patient-journey/resolve_patient_identity', { statedName: 'Nia Zzyzx' }, headers)
    expect(found).toMatchObject({ success: true })
    expect((await askAs(server, body.token, 'GET', `/clinics/${body.id}/calls/call-to-clone`)).status).toBe(200)
    expect((await askAs(server, admin, 'GET', '/clinics/demo-clinic/calls/call-to-clone')).status).toBe(404)
  })

  test('copies contents, also when they are deleted at the source later', async () => {
    const { server } = clinic
    const data = Buffer.from('y'.repeat(40_000)).toString('base64')
    const { body: binary } = await server.fhir('POST', '/Binary', {
      resourceType: 'Binary',
      contentType: 'text/plain',
      data,
    })
    const { body } = await clone({ from: { clinic: 'demo-clinic' } })
    const authorization = `Bearer ${body.token}`
    const read = await server.fhir('GET', `/Binary/${binary.id}`, undefined, {
      accept: 'application/fhir+json',
      authorization,
    })
    expect(read.body.data).toBe(data)
  })

  test('is made of a snapshot too', async () => {
    await clinic.ask('PUT', '/snapshots/for-clones')
    await clinic.server.fhir('PUT', '/Patient/later', { resourceType: 'Patient', id: 'later' })
    const { body } = await clone({ from: { snapshot: 'for-clones' } })
    expect((await askAs(clinic.server, body.token, 'GET', '/Patient/later')).status).toBe(404)
  })

  test.each([
    ['a scenario that there is not', { from: { scenario: 'nothing' } }, 404],
    ['an id that is taken', { from: {}, id: 'demo-clinic' }, 409],
    ['an id that is none', { from: {}, id: 'a~b' }, 400],
    ['an id that no address could have', { from: {}, id: '..' }, 400],
    ['a name that is too long', { from: {}, name: 'x'.repeat(201) }, 400],
    ['a source that is misspelt', { from: { scenaro: 'empty' } }, 400],
    ['a scenario without a name', { from: { scenario: 1 } }, 400],
    ['a clinic without an id', { from: { clinic: 7 } }, 400],
    ['a time that is too short', { from: {}, ttl: 'PT1S' }, 400],
    ['a time that is too long', { from: {}, ttl: 'P8D' }, 400],
    ['a time that is none', { from: {}, ttl: 'soon' }, 400],
    ['the data of another clinic', { from: { clinic: 'other' } }, 403],
    ['something that is not known', { from: {}, settings: {} }, 400],
  ])('is refused for %s, and leaves nothing', async (_what, body, status) => {
    const before = await store.clinics()
    expect((await clone(body)).status).toBe(status)
    expect(await store.clinics()).toEqual(before)
  })

  test('of the demo, or of its clone, leaves the demo a demo: its accounts stay, also when the server starts again', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl() }
    const first = await startRehearsed(env)
    const cloneBy = (token: string) => askAs(first.server, token, 'POST', '/clinics', { from: { scenario: 'empty' } })
    const { status, body } = await cloneBy(await first.server.login('admin', 'admin'))
    expect([status, (await cloneBy(body.token)).status]).toEqual([201, 201])
    await first.server.close()
    const { server } = await startRehearsed(env)
    expect(await server.login('admin', 'admin')).toBeTruthy()
    await server.close()
  })

  test('is made by no staff, and deleted by its own admin or that of its source', async () => {
    const { server } = clinic
    expect((await clone({ from: {} }, server.token)).status).toBe(403)
    const { body: one } = await clone({ from: { scenario: 'empty' } })
    const { body: other } = await clone({ from: { scenario: 'empty' } })
    const end = (id: string, token: string) => askAs(server, token, 'DELETE', `/clinics/${id}`)
    expect((await end(one.id, other.token)).status).toBe(403)
    expect((await end(one.id, one.token)).status).toBe(204)
    expect((await end(other.id, admin)).status).toBe(204)
    expect((await end('demo-clinic', admin)).status).toBe(404)
    expect((await askAs(server, one.token, 'GET', '/Patient')).status).toBe(401)
  })

  test('expires: its token and its number are without effect, and no row of it is left', async () => {
    const { server } = clinic
    const { body } = await clone({ from: { scenario: 'quiet-week' }, ttl: 'PT2H' })
    const headers = { 'x-call-id': 'call-left', 'x-call-to': body.dialedNumber, 'x-call-from': '+12125550178' }
    await server.tool('/patient-journey/resolve_patient_identity', { statedName: 'Nia Zzyzx' }, headers)
    await askAs(server, body.token, 'PUT', `/clinics/${body.id}/snapshots/last`)
    ahead += 2 * HOUR
    while ((await askAs(server, body.token, 'GET', '/Patient')).status === 200) await pause()
    const late = await server.tool(
      '/patient-journey/resolve_patient_identity',
      { statedName: 'Nia' },
      { ...headers, 'x-call-id': 'late' },
    )
    expect(late).toMatchObject({ success: false })
    ahead += GRACE
    while ((await store.clinics()).some((name) => name.startsWith(body.id))) await pause()
    const ofService = async () => {
      const { items } = await store.scanRecords({ clinic: '', limit: 1_000 })
      return items.filter((record) => JSON.stringify(record).includes(body.id)).map(({ kind }) => kind)
    }
    while ((await ofService()).length > 0) await pause()
    expect(await ofService()).toEqual([])
  })
})

/** Five clones at once, that often. */
const ROUNDS = randomRuns(10)

test('clones, made and ended, leave no row behind', async () => {
  const { server } = clinic
  const made: string[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const answers = await Promise.all(Array.from({ length: 5 }, () => clone({ from: { scenario: 'empty' } })))
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(201))
    made.push(...answers.map(({ body }) => body.id))
  }
  expect(new Set(made).size).toBe(5 * ROUNDS)
  for (const id of made) expect((await askAs(server, admin, 'DELETE', `/clinics/${id}`)).status).toBe(204)
  ahead += GRACE
  const left = async () => (await store.clinics()).filter((name) => made.includes(name.split('~', 1)[0] ?? ''))
  while ((await left()).length > 0) await pause()
  expect(await left()).toEqual([])
})

test('clones that are made at the same moment have a number each, even where few are left', async () => {
  const { server } = clinic
  const isFree = async (number: string) => (await store.readRecord('', 'dialed-number', number)) === undefined
  const free: string[] = []
  for (const area of AREAS) {
    const numbers = Array.from({ length: 100 }, (_, index) => `+1${area}55501${String(index).padStart(2, '0')}`)
    for (const number of numbers) if (await isFree(number)) free.push(number)
  }
  const records = free.slice(5).map((key): RecordChange => {
    return { clinic: '', kind: 'dialed-number', key, expect: 0, value: { clinic: 'another-clinic' } }
  })
  await store.write({ clinic: '', resources: [], records, guards: [] })
  for (let round = 0; round < 3; round += 1) {
    const answers = await Promise.all(Array.from({ length: 5 }, () => clone({ from: { scenario: 'empty' } })))
    expect(answers.map(({ status, body }) => [status, body.dialedNumber]).toSorted()).toEqual(
      free.slice(0, 5).map((number) => [201, number]),
    )
    for (const { body } of answers) await askAs(server, admin, 'DELETE', `/clinics/${body.id}`)
  }
})

test('a clone that is refused costs no hash of a password', async () => {
  const cost: PasswordCost = {
    get N(): number {
      throw new Error('A password is hashed')
    },
    ...{ r: 8, p: 1 },
  }
  const asked = { of: 'demo-clinic', by: 'admin', expiresAt: Date.now() + HOUR, settings: SETTINGS }
  const make = (id: string) => makeClone(clinic.server.app.repository, { id, ...asked }, cost)
  await expect(make('demo-clinic')).rejects.toThrow('exists already')
  await expect(make('not-refused')).rejects.toThrow('A password is hashed')
})

const pause = () => new Promise((resolve) => setTimeout(resolve, 50))
