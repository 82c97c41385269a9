/** Whom the tools of /emr-scheduling work for: a verified patient, or for booking the call's own placeholder. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import {
  callerFor,
  putVerification,
  verifiedCallerFor,
  verifiedPatientOf,
} from '../../../src/calls/session/verification.ts'
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../../src/core/call-session.ts'
import type { Context } from '../../../src/core/context.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { ALL_FIELDS, Caller } from '../caller.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const change = <T>(work: (ctx: Context) => Promise<T>, clinic = 'demo-clinic'): Promise<T> =>
  server.app.access(clinic, { kind: 'server' }).change(work)

/** As the tools get it. */
async function sessionOf(caller: Caller): Promise<CallSession> {
  const stored = await server.app.repository.readRecord('', CALL, callKey(caller.id))
  if (stored === undefined) throw new Error('the call is not known')
  return stored.value
}

/** A call from that number, known to the server. */
async function called(from?: string): Promise<{ caller: Caller; call: CallSession }> {
  const caller = new Caller(server, from)
  await caller.use('validate_intake_field', { fieldName: 'other', value: 'x' })
  return { caller, call: await sessionOf(caller) }
}

const NOT_VERIFIED = {
  status: 403,
  code: 'not-verified',
  issues: [{ text: expect.stringMatching(/full name and your date of birth/) }],
}

const RUTH = '+15185550111'

describe('appointments are listed, moved and cancelled', () => {
  test('for a verified patient', async () => {
    const { caller, call } = await called()
    await caller.use('verify_patient', { statedName: 'Ruth Abernathy', statedDateOfBirth: '1941-02-17' })
    expect((await change((ctx) => verifiedCallerFor(ctx, { call }))).id).toBe('abernathy-ruth')
    expect((await change((ctx) => callerFor(ctx, { call }))).id).toBe('abernathy-ruth')
  })

  test.each([
    ['who calls from their own number, and has said nothing', RUTH],
    ['who is not known', undefined],
  ])('not for a caller %s', async (_who, from) => {
    const { call } = await called(from)
    await expect(change((ctx) => verifiedCallerFor(ctx, { call }))).rejects.toMatchObject(NOT_VERIFIED)
  })
})

describe('a visit is booked', () => {
  test('for the placeholder of the call, which is created for it', async () => {
    const { caller, call } = await called()
    const { id } = await change((ctx) => callerFor(ctx, { call }))
    await caller.use('update_registration_field', { firstName: 'Nora' })
    expect(await caller.patientId()).toBe(id)
  })

  test('for the patient that this call has registered, and not verified', async () => {
    const { caller, call } = await called('+12125550188')
    expect(await caller.use('update_registration_field', { ...ALL_FIELDS, phone: '+12125550188' })).toMatchObject({
      registrationStatus: 'COMPLETE',
    })
    expect((await change((ctx) => callerFor(ctx, { call }))).id).toBe(await caller.patientId())
    await expect(change((ctx) => verifiedCallerFor(ctx, { call }))).rejects.toMatchObject(NOT_VERIFIED)
    const later = await called('+12125550188')
    await expect(change((ctx) => callerFor(ctx, later))).rejects.toMatchObject(NOT_VERIFIED)
  })

  test('for the placeholder that a call of the clinic was registered with, also once it is complete', async () => {
    const placeholder = new Caller(server)
    await placeholder.use('update_registration_field', { firstName: 'Nora' })
    const patient = await placeholder.patientId()
    const body = { callId: 'outbound', dialedNumber: '+12125550100', patient }
    const response = await fetch(`${server.url}/calls`, {
      method: 'POST',
      headers: { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const call = (await response.json()) as CallSession
    const fields = { ...ALL_FIELDS, firstName: 'Nora' }
    await server.tool('/patient-journey/update_registration_field', fields, { 'x-call-id': 'outbound' })
    expect((await change((ctx) => callerFor(ctx, { call }))).resource).toMatchObject({ id: patient, active: true })
  })

  test('not for a patient who has said nothing', async () => {
    const { call } = await called(RUTH)
    await expect(change((ctx) => callerFor(ctx, { call }))).rejects.toMatchObject(NOT_VERIFIED)
  })

  test('by staff for the patient on whom they call the operation, and for no other type', async () => {
    const named = { type: 'Patient', id: 'abernathy-ruth' }
    expect((await change((ctx) => callerFor(ctx, named))).id).toBe('abernathy-ruth')
    await expect(change((ctx) => callerFor(ctx, { type: 'Slot', id: 'x' }))).rejects.toMatchObject({ status: 400 })
    await expect(change((ctx) => verifiedCallerFor(ctx, {}))).rejects.toMatchObject({ status: 400 })
  })
})

describe('a verification', () => {
  test('ends with its call: a later call of the same id is not verified', async () => {
    const call = { clinic: 'demo-clinic', callId: 'used-again' }
    await change((ctx) => putVerification(ctx, call, { failures: 0, patient: 'abernathy-ruth' }))
    const at = (later: number) => change((ctx) => verifiedPatientOf({ ...ctx, now: ctx.now + later }, call))
    expect(await at(0)).toBe('abernathy-ruth')
    expect(await at(CALL_LIFETIME + 1)).toBeUndefined()
  })

  test('in one clinic is none in another, whatever the call is called', async () => {
    const call = { clinic: 'demo-clinic', callId: 'in-both' }
    const ruth: Patient = { resourceType: 'Patient', id: 'abernathy-ruth', active: true }
    await change((ctx) => ctx.update(ruth), 'elsewhere')
    await change((ctx) => putVerification(ctx, call, { failures: 0, patient: 'abernathy-ruth' }))
    const there = { ...call, clinic: 'elsewhere' }
    expect(await change((ctx) => verifiedPatientOf(ctx, there), 'elsewhere')).toBeUndefined()
  })
})
