/** A call that is new is stored in the first change of its tool calls. */
import { CALL, CALL_LIFETIME, type CallSession, callKey } from '../../core/call-session.ts'
import type { ClinicAccess } from '../../core/context.ts'
import { conflict, type FhirError } from '../../fhir/outcome.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { seeCall } from './open-calls.ts'

/** `access`, each of whose changes begins the call first. */
export const beginningCall = (access: ClinicAccess, session: CallSession, idle: number): ClinicAccess => ({
  ...access,
  change: (work, options) =>
    access.change(async (ctx) => {
      requireAgreement(await beginCall(ctx.unit, session, idle), session)
      return await work(ctx)
    }, options),
})

/**
 * Stages a new call. Of two requests that begin it at the same time one meets a conflict; it runs again, and finds what the
 * other has stored.
 * @param idle milliseconds without a tool call after which the call counts as ended
 * @returns the call as it is stored
 */
export async function beginCall(unit: UnitOfWork, session: CallSession, idle: number): Promise<CallSession> {
  const stored = await storedCall(unit, session.callId)
  if (stored !== undefined) return stored
  unit.records.put(CALL, callKey(session.callId), session, { due: unit.now + CALL_LIFETIME })
  await seeCall(unit, session, idle)
  return session
}

/** Undefined where it is not known, or is so no more. */
export async function storedCall(unit: UnitOfWork, callId: string): Promise<CallSession | undefined> {
  const record = await unit.records.read(CALL, callKey(callId))
  return record === undefined || (record.due !== null && record.due <= unit.now) ? undefined : record.value
}

/** @throws FhirError `call-mismatch` where another request has begun the call with other values */
function requireAgreement(stored: CallSession, session: CallSession): void {
  if (stored.clinic !== session.clinic || differs(stored.dialedNumber, session.dialedNumber))
    throw mismatch('x-call-to')
  if (differs(stored.callerNumber, session.callerNumber)) throw mismatch('x-call-from')
}

const differs = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other

export const mismatch = (header: string): FhirError =>
  conflict(`${header} is not what this call was registered with; the registered value holds`, {
    reason: 'call-mismatch',
  })
