/** The end of a call, reported or not: it takes no more tool calls, and its Encounter is finished. */
import { CALL, type CallSession, callKey } from '../../core/call-session.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import type { BackgroundLoop, LoopPace } from '../../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../../repository/due-records.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { finishEncounter } from '../record/call-record.ts'
import type { AllowClinic } from './call-sessions.ts'
import { OPEN_CALL } from './open-calls.ts'

/** The reported end of a call. */
export interface CallEnd {
  readonly callId: string
  /** Milliseconds since 1970 UTC; absent: the time of the report. */
  readonly endedAt?: number
  /** The platform's own term, such as `customer-ended-call`. */
  readonly reason?: string
}

/** The outcome of a reported end, for the audit trail of the clinic; the client does not receive it. */
export type HandledEnd =
  | { readonly ended: CallSession }
  /** The clinic of the call refused the request, with an HTTP status. */
  | { readonly refusedBy: string; readonly status: number }

/**
 * Ends a call of any clinic; the first reported end counts.
 * @param allow runs before anything is stored; if it refuses, the call continues
 * @returns undefined if no such call is known
 */
export async function endCall(
  repository: Repository,
  accessOf: (clinic: string) => ClinicAccess,
  end: CallEnd,
  allow: AllowClinic,
): Promise<HandledEnd | undefined> {
  const clinic = (await repository.readRecord(SERVICE, CALL, callKey(end.callId)))?.value.clinic
  if (clinic === undefined) return undefined
  try {
    await allow(clinic)
  } catch (error) {
    if (error instanceof FhirError && error.status < 500) return { refusedBy: clinic, status: error.status }
    throw error
  }
  const ended = await accessOf(clinic).change((ctx) => stageEnd(ctx, end))
  return ended === undefined ? undefined : { ended }
}

/** Stages the end. Returns the ended session; undefined if the call is unknown, or its record has expired. */
export async function stageEnd(ctx: Context, { callId, endedAt, reason }: CallEnd): Promise<CallSession | undefined> {
  const { records } = ctx.unit
  const key = callKey(callId)
  if ((await records.read(OPEN_CALL, key)) !== undefined) records.delete(OPEN_CALL, key)
  const record = await records.read(CALL, key)
  if (record?.due == null || record.due <= ctx.now || record.value.clinic !== ctx.clinic) return undefined
  if (record.value.endedAt !== undefined) return record.value
  // The platform's clock may be ahead of the server's.
  const at = new Date(Math.min(endedAt ?? ctx.now, ctx.now)).toISOString()
  const ended: CallSession = { ...record.value, endedAt: at, ...(reason === undefined ? {} : { endReason: reason }) }
  records.put(CALL, key, ended, { due: record.due })
  await finishEncounter(ctx, ended)
  return ended
}

const PACE: LoopPace = { look: 5_000, pause: 0 }

/** The reason for the end, in the session. */
const IDLE = 'no tool was called any more'

/**
 * Ends calls whose end was never reported, in the background; includes those that fell silent while no server was
 * running.
 */
export const callExpiry = (services: DueServicesOf<ClinicAccess>): BackgroundLoop =>
  dueRecordLoop(
    services,
    {
      kind: OPEN_CALL,
      finish: (clinic, key) => services.accessOf(clinic).change((ctx) => endIfSilent(ctx, key)),
      failure: 'a call that fell silent could not be ended',
    },
    PACE,
  )

/** The end is the time of the latest tool call. @returns whether the call was silent */
async function endIfSilent(ctx: Context, key: string): Promise<boolean> {
  const open = await ctx.unit.records.read(OPEN_CALL, key)
  if (open?.due == null || open.due > ctx.now) return false
  const { callId, seen } = open.value
  await stageEnd(ctx, { callId, endedAt: seen, reason: IDLE })
  return true
}
