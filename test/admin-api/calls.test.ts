/** A live call over HTTP, as the staff of its clinic see it. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { CALL, callKey } from '../../src/core/call-session.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { request } from '../support/request.ts'
import { logInAs, OTHER_CLINIC, startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

/** As a voice platform sends it. */
const post = (path: string, body: object) =>
  request(clinics.server.url, 'POST', path, body, {
    'x-voice-secret': 'demo-secret',
    'content-type': 'application/json',
  })

const register = (callId: string) =>
  post('/calls', { callId, dialedNumber: '+12125550100', callerNumber: '(518) 555-0111', patient: 'abernathy-ruth' })

const pathOf = (callId: string, clinic = DEMO_CLINIC) => `/clinics/${clinic}/calls/${encodeURIComponent(callId)}`

test('tells who called whom about which patient, and once the call has ended, when and why', async () => {
  await register('told/1')
  const known = {
    callId: 'told/1',
    dialedNumber: '+12125550100',
    callerNumber: '+15185550111',
    patient: 'abernathy-ruth',
  }
  expect((await clinics.ours('GET', pathOf('told/1'))).body).toEqual(known)
  await post(`/calls/${encodeURIComponent('told/1')}/end`, { reason: 'customer-ended-call' })
  expect((await clinics.ours('GET', pathOf('told/1'))).body).toEqual({
    ...known,
    endedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    endReason: 'customer-ended-call',
  })
})

test('another clinic finds no such call under its own address, and may not ask under the other one', async () => {
  await register('apart')
  expect((await clinics.theirs('GET', pathOf('apart', OTHER_CLINIC))).status).toBe(404)
  expect((await clinics.theirs('GET', pathOf('apart'))).status).toBe(403)
})

test('an operator may not read it, and without a token it is 401', async () => {
  await register('closed')
  const operator = await logInAs(clinics.server, { username: 'otto', clinic: SERVICE, role: 'operator' })
  const as = (authorization: string) => clinics.ours('GET', pathOf('closed'), undefined, { authorization })
  expect((await as(`Bearer ${operator}`)).status).toBe(403)
  expect((await as('')).status).toBe(401)
})

test('a call that is not kept any more is 404, as one that never was', async () => {
  await register('kept')
  const { repository } = clinics.server.app
  await repository.change(DEMO_CLINIC, async (unit) => {
    const key = callKey('kept')
    const record = await unit.records.read(CALL, key)
    if (record !== undefined) unit.records.put(CALL, key, record.value, { due: Date.now() - 1 })
  })
  for (const callId of ['kept', 'there-is-none']) {
    const { status, text } = await clinics.ours('GET', pathOf(callId))
    expect([status, text]).toEqual([404, expect.stringContaining('calls are kept for 7 days')])
  }
})

test('reading it is an access to the data of its patient in the audit trail', async () => {
  await register('audited')
  await clinics.ours('GET', pathOf('audited'))
  const admin = await logInAs(clinics.server, { username: 'ada', clinic: DEMO_CLINIC, role: 'admin' })
  const events = await clinics.server.fhir('GET', '/AuditEvent?altid=ours&patient=abernathy-ruth&_count=1', undefined, {
    authorization: `Bearer ${admin}`,
  })
  expect(events.text).toContain('read call')
})
