/** The outbox over HTTP: failed deliveries are listed for the staff of their clinic only, and can be resent. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createClinic } from '../../src/clinics/clinics.ts'
import type { ClinicSettings } from '../../src/clinics/settings.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { Caller, INTAKE } from '../calls/caller.ts'
import { exchangeWith } from '../support/journal.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

const OTHER: ClinicSettings = {
  name: 'Other Clinic',
  timeZone: 'Europe/Berlin',
  dialedNumbers: [],
  defaultRegion: 'DE',
  policies: { overbooking: false, slotTakenStatus: 409 },
}
const OUTBOX = `/clinics/${DEMO_CLINIC}/outbox`

let server: TestServer
let crm: Receiver
let otherStaff: Record<string, string>
let operator: Record<string, string>

beforeAll(async () => {
  server = await startServer()
  crm = await startReceiver()
  await createClinic(server.app.repository, 'other-clinic', OTHER)
  const as = async (username: string, role: 'staff' | 'operator', clinic: string) => ({
    authorization: `Bearer ${await logInAs(server, { username, clinic, role })}`,
  })
  otherStaff = await as('olga', 'staff', 'other-clinic')
  server = withToken(server, await logInAs(server, { username: 'ours', clinic: DEMO_CLINIC, role: 'staff' }))
  operator = await as('otto', 'operator', SERVICE)
  const path = `/clinics/${DEMO_CLINIC}/settings`
  const settings = (await server.fhir('GET', path)).body
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = { ...settings, crm: { enabled: true, url: crm.url, secret } }
  const { status, text } = await server.fhir('PUT', path, body, { 'content-type': 'application/json' })
  if (status !== 200) throw new Error(text)
})
afterAll(async () => {
  await server.close()
  await crm.close()
})
beforeEach(() => crm.answer(204))

/** An intake that the CRM refuses permanently. */
async function refused(): Promise<{ readonly caller: Caller; readonly messageId: string }> {
  crm.answer(400)
  const caller = new Caller(server)
  expect(await caller.use('submit_intake', INTAKE)).toMatchObject({ success: false, error: 'crm sync failed' })
  crm.answer(204)
  return { caller, messageId: String(crm.received.at(-1)?.headers['webhook-id']) }
}

const list = async (query = '') => (await server.fhir('GET', `${OUTBOX}${query}`)).body

describe('the list', () => {
  test('has what was given up, the newest first, with the Patient and the Task and no other patient data', async () => {
    const first = await refused()
    const second = await refused()
    const { messages } = await list()
    expect(messages.map(({ messageId }: { messageId: string }) => messageId).slice(0, 2)).toEqual([
      second.messageId,
      first.messageId,
    ])
    const [task] = await second.caller.tasks()
    expect(messages[0]).toEqual({
      messageId: second.messageId,
      type: 'contact',
      state: 'dead',
      tries: 1,
      patient: { reference: `Patient/${await second.caller.patientId()}` },
      task: { reference: `Task/${task?.id}` },
      reason: 'the CRM responded with 400',
      stagedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      attempts: [
        { time: expect.stringMatching(/Z$/), reason: 'the CRM responded with 400', exchanges: [expect.any(String)] },
      ],
    })
  })

  test('of what waits has the time of the next try', async () => {
    crm.answer(503)
    const caller = new Caller(server)
    await caller.use('submit_intake', INTAKE)
    const { messages } = await list('?state=waiting')
    expect(messages).toEqual([
      expect.objectContaining({
        state: 'waiting',
        patient: { reference: `Patient/${await caller.patientId()}` },
        nextTry: expect.any(String),
      }),
    ])
  })

  test('goes on behind the message that next names', async () => {
    await refused()
    await refused()
    const { messages } = await list()
    const rest = await list(`?after=${messages[0].messageId}`)
    expect(rest.messages).toEqual(messages.slice(1))
  })

  test('of an unknown state is 400 that names those there are', async () => {
    const { status, body } = await server.fhir('GET', `${OUTBOX}?state=lost`)
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('dead')])
  })
})

describe('each attempt', () => {
  test('leads to its exchange in the journal, that of a tool call as well as that of the background', async () => {
    const { messageId } = await refused()
    crm.answer(422)
    await server.fhir('POST', `${OUTBOX}/${messageId}/$resend`)
    const attempts = async () =>
      (await list()).messages.find((entry: { messageId: string }) => entry.messageId === messageId)?.attempts ?? []
    await until(async () => (await attempts()).length === 2)
    const ids = (await attempts()).flatMap(({ exchanges }: { exchanges: readonly string[] }) => exchanges)
    const found = await Promise.all(ids.map((id: string) => exchangeWith(server, id)))
    expect(found).toMatchObject([
      { direction: 'out', system: 'crm', status: 400, request: { body: { text: expect.stringContaining('intake') } } },
      { direction: 'out', system: 'crm', status: 422 },
    ])
  })

  test('has no exchange while the journal of the clinic is off', async () => {
    const path = `/clinics/${DEMO_CLINIC}/settings`
    const json = { 'content-type': 'application/json' }
    const { body } = await server.fhir('GET', path)
    await server.fhir('PUT', path, { ...body, journal: 'off' }, json)
    const { messageId } = await refused()
    await server.fhir('PUT', path, body, json)
    const [first] = (await list()).messages
    expect(first).toMatchObject({ messageId, attempts: [{ reason: 'the CRM responded with 400' }] })
    expect(first.attempts[0]).not.toHaveProperty('exchanges')
  })
})

describe('what is sent again', () => {
  test('reaches the CRM under the same id, leaves the list, and completes the Task', async () => {
    const { caller, messageId } = await refused()
    const sent = crm.received.length
    const { status, body } = await server.fhir('POST', `${OUTBOX}/${messageId}/$resend`)
    expect([status, body]).toMatchObject([202, { messageId, state: 'waiting', tries: 0 }])
    await until(async () => (await caller.tasks()).every((task) => task.status === 'completed'))
    expect(crm.received.slice(sent).map(({ headers }) => headers['webhook-id'])).toEqual([messageId])
    expect(JSON.stringify(await list())).not.toContain(messageId)
  })

  test('is not sent over a later intake of the patient; DELETE takes it off the list', async () => {
    const { caller, messageId } = await refused()
    expect(await caller.use('submit_intake', { ...INTAKE, address: '1 New Street' })).toMatchObject({ success: true })
    expect((await server.fhir('POST', `${OUTBOX}/${messageId}/$resend`)).status).toBe(409)
    expect((await server.fhir('DELETE', `${OUTBOX}/${messageId}`)).status).toBe(204)
    expect((await server.fhir('DELETE', `${OUTBOX}/${messageId}`)).status).toBe(404)
    expect(JSON.stringify(await list())).not.toContain(messageId)
  })

  test('must have been given up: 409 while it is tried, 404 when there is none', async () => {
    crm.answer(503)
    await new Caller(server).use('submit_intake', INTAKE)
    const id = crm.received.at(-1)?.headers['webhook-id']
    expect((await server.fhir('POST', `${OUTBOX}/${id}/$resend`)).status).toBe(409)
    expect((await server.fhir('DELETE', `${OUTBOX}/${id}`)).status).toBe(409)
    expect((await server.fhir('POST', `${OUTBOX}/no-such/$resend`)).status).toBe(404)
  })
})

describe('belongs to the staff of its clinic', () => {
  test.each([
    ['staff of another clinic', () => otherStaff],
    ['an operator', () => operator],
  ])('%s: 403 for the list, for sending again and for taking off', async (_who, headers) => {
    const { messageId } = await refused()
    const sent = crm.received.length
    const requests = [
      ['GET', OUTBOX],
      ['POST', `${OUTBOX}/${messageId}/$resend`],
      ['DELETE', `${OUTBOX}/${messageId}`],
      ['GET', '/clinics/no-such-clinic/outbox'],
    ] as const
    for (const [method, path] of requests) {
      expect((await server.fhir(method, path, undefined, headers())).status).toBe(403)
    }
    expect(crm.received).toHaveLength(sent)
    expect(JSON.stringify(await list())).toContain(messageId)
  })

  test('another clinic reaches nothing of it under its own address', async () => {
    const { messageId } = await refused()
    expect((await server.fhir('GET', '/clinics/other-clinic/outbox', undefined, otherStaff)).body).toEqual({
      messages: [],
    })
    const path = `/clinics/other-clinic/outbox/${messageId}/$resend`
    expect((await server.fhir('POST', path, undefined, otherStaff)).status).toBe(404)
  })

  test('without a token it is 401', async () => {
    expect((await server.fhir('GET', OUTBOX, undefined, { authorization: '' })).status).toBe(401)
  })
})
