/** The end of a call: it takes no more tool calls, and its Encounter is finished. */
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { finishEncounter } from '../record/call-record.ts'
import type { AllowClinic } from './call-sessions.ts'
import { OPEN_CALL } from './open-calls.ts'

/** What is said of the end of a call. */
export interface CallEnd {
  readonly callId: string
  /** Milliseconds since 1970 UTC; absent: when the server hears of it. */
  readonly endedAt?: number
  /** As the platform names it: `customer-ended-call`. */
  readonly reason?: string
}

/**
 * Ends a call of any clinic; the first end that is reported holds.
 * @param allow is asked before anything is stored
 * @throws FhirError 404 where no such call is known, and what `allow` throws
 */
export async function endCall(
  repository: Repository,
  accessOf: (clinic: string) => ClinicAccess,
  end: CallEnd,
  allow: AllowClinic = async () => {},
): Promise<CallSession> {
  const clinic = (await repository.readRecord(SERVICE, CALL, callKey(end.callId)))?.value.clinic
  if (clinic !== undefined) await allow(clinic)
  const ended = clinic === undefined ? undefined : await accessOf(clinic).change((ctx) => stageEnd(ctx, end))
  if (ended === undefined) throw callNotKnown()
  return ended
}

/** Stages the end. The session as it is then; undefined where the call is not known, or its record has expired. */
export async function stageEnd(ctx: Context, { callId, endedAt, reason }: CallEnd): Promise<CallSession | undefined> {
  const { records } = ctx.unit
  const key = callKey(callId)
  if ((await records.read(OPEN_CALL, key)) !== undefined) records.delete(OPEN_CALL, key)
  const record = await records.read(CALL, key)
  if (record?.due == null || record.due <= ctx.now || record.value.clinic !== ctx.clinic) return undefined
  if (record.value.endedAt !== undefined) return record.value
  // A platform's clock may be ahead of ours.
  const at = new Date(Math.min(endedAt ?? ctx.now, ctx.now)).toISOString()
  const ended: CallSession = { ...record.value, endedAt: at, ...(reason === undefined ? {} : { endReason: reason }) }
  records.put(CALL, key, ended, { due: record.due })
  await finishEncounter(ctx, ended)
  return ended
}

const callNotKnown = (): FhirError =>
  new FhirError(404, {
    code: 'not-found',
    diagnostics: 'No call of this id is known; a call is known once it is registered, or a tool was called in it',
    reason: 'call-not-identified',
  })
