/**
 * The end of a call, reported by `POST /calls/{id}/end` or by a platform, or not at all: it takes no more tool calls, and its
 * Encounter is finished.
 */
import { CALL, type CallSession, callKey, isCallId, rememberedCall } from '../../core/call-session.ts'
import type { ClinicAccess, Context } from '../../core/context.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { BackgroundLoop, LoopPace } from '../../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../../repository/due-records.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { finishEncounter } from '../record/call-record.ts'
import { requireFilledIn, unfilledIssues } from './call-metadata.ts'
import { type AllowClinic, OPEN_CALL, problemsOf } from './call-sessions.ts'

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
  const ended = await accessOf(clinic).change((ctx) => stageEnd(ctx, byClinicsClock(ctx, end)))
  return ended === undefined ? undefined : { ended }
}

/** The end by the clock of the clinic; a platform has the time of the machine. */
const byClinicsClock = ({ now, unit }: Context, { endedAt, ...end }: CallEnd): CallEnd =>
  endedAt === undefined ? end : { ...end, endedAt: endedAt + now - unit.writtenAt }

/** Stages the end. Returns the ended session; undefined if the call is unknown, or its record has expired. */
export async function stageEnd(ctx: Context, { callId, endedAt, reason }: CallEnd): Promise<CallSession | undefined> {
  const { records } = ctx.unit
  const key = callKey(callId)
  if ((await records.read(OPEN_CALL, key)) !== undefined) records.delete(OPEN_CALL, key)
  const record = await records.read(CALL, key)
  const call = rememberedCall(record, ctx.unit)
  if (call === undefined || call.clinic !== ctx.clinic) return undefined
  if (call.endedAt !== undefined) return call
  // The platform's clock may be ahead of the server's.
  const at = new Date(Math.min(endedAt ?? ctx.now, ctx.now)).toISOString()
  const ended: CallSession = { ...call, endedAt: at, ...(reason === undefined ? {} : { endReason: reason }) }
  records.put(CALL, key, ended, { due: record?.due ?? null })
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

const MAX_REASON = 256

/** The end of a call as reported in a request. */
export interface ReportedEnd extends CallEnd {
  /** True if the body names this call, not only the URL or a header. */
  readonly isNamedInBody: boolean
}

/**
 * Reads the body of `POST /calls/{id}/end`.
 * @param body any JSON value; undefined if none was sent
 * @throws FhirError 400 with an issue for each invalid field, or `call-not-identified` for an unfilled template as the
 * id
 */
export function readCallEnd(callId: string, body: unknown): ReportedEnd {
  const unfilled = unfilledIssues('callId', callId, 'the address')
  if (unfilled.length > 0) throw new FhirError(400, unfilled)
  if (body === undefined) return { callId, isNamedInBody: false }
  if (!isObject(body)) throw badRequest('The body must be empty or an object such as {"endedAt": "…", "reason": "…"}')
  const { endedAt, reason } = body
  const at = endedAt == null ? undefined : instantOf(endedAt)
  const issues = problemsOf(body, {
    callId: { required: false, accepts: (value) => value === callId, expected: 'the id of the call in the address' },
    endedAt: {
      required: false,
      accepts: () => at !== undefined,
      expected: 'an instant such as "2026-03-03T14:05:09Z"',
    },
    reason: {
      required: false,
      accepts: (value) => typeof value === 'string' && value.length <= MAX_REASON,
      expected: `a text of at most ${MAX_REASON} characters`,
    },
  })
  if (issues.length > 0) throw new FhirError(400, issues)
  return { ...endOf(callId, at, reason), isNamedInBody: body.callId === callId }
}

/** Parses a report sent by a platform's server about a call. Undefined for a report about anything but its end. */
export type EndReport = (
  body: Record<string, unknown>,
) => { readonly callId: unknown; readonly end: Partial<CallEnd> } | undefined

/** https://docs.vapi.ai/server-url/events: {message: {type, endedReason, endedAt, call: {id}}} */
const vapi: EndReport = ({ message }) => {
  if (!isObject(message) || message.type !== 'end-of-call-report') return undefined
  const { call, endedReason, endedAt } = message
  return { callId: isObject(call) ? call.id : undefined, end: endOf('', instantOf(endedAt), endedReason) }
}

/** https://docs.retellai.com/features/webhook-overview: {event, call: {call_id, end_timestamp, disconnection_reason}} */
const retell: EndReport = ({ event, call }) => {
  if (event !== 'call_ended' && event !== 'call_analyzed') return undefined
  const { call_id, end_timestamp, disconnection_reason } = isObject(call) ? call : {}
  return { callId: call_id, end: endOf('', instantOf(end_timestamp), disconnection_reason) }
}

/**
 * https://elevenlabs.io/docs/eleven-agents/workflows/post-call-webhooks: {type, data: {conversation_id, metadata}}, times in
 * seconds
 */
const elevenLabs: EndReport = ({ type, data }) => {
  if (type !== 'post_call_transcription') return undefined
  const { conversation_id, metadata } = isObject(data) ? data : {}
  const { start_time_unix_secs, call_duration_secs, termination_reason } = isObject(metadata) ? metadata : {}
  const endedAt = (Number(start_time_unix_secs) + Number(call_duration_secs)) * 1000
  return { callId: conversation_id, end: endOf('', instantOf(endedAt), termination_reason) }
}

/**
 * The end reported by a platform; undefined for other reports, of which platforms send many. Other data about the call
 * are ignored.
 * @param callIdOfHeader `x-call-id`, for platforms whose ids differ from the call ids here; it takes precedence
 * @throws FhirError 400 if the report of an end names no call, `call-not-identified` for an unfilled template
 */
export function readEndReport(body: unknown, callIdOfHeader: string): ReportedEnd | undefined {
  if (!isObject(body)) throw badRequest('The body must be the report of a platform, a JSON object')
  const report = vapi(body) ?? retell(body) ?? elevenLabs(body)
  if (report === undefined) return undefined
  const callId = callIdOfHeader || report.callId
  if (typeof callId === 'string') requireFilledIn({ callId, inBody: callIdOfHeader === '' ? ['callId'] : [] })
  if (typeof callId !== 'string' || !isCallId(callId))
    throw badRequest(
      'The report names no call: message.call.id, call.call_id, data.conversation_id or the header x-call-id must hold its id',
    )
  return { ...report.end, callId, isNamedInBody: report.callId === callId }
}

const endOf = (callId: string, endedAt: number | undefined, reason: unknown): CallEnd => ({
  callId,
  ...(endedAt === undefined ? {} : { endedAt }),
  ...(typeof reason === 'string' && reason !== '' ? { reason: reason.slice(0, MAX_REASON) } : {}),
})

/** From an instant with its offset, or milliseconds since 1970; undefined for anything else. */
function instantOf(value: unknown): number | undefined {
  const isInstant = typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(value)
  const at = isInstant ? Date.parse(value) : value
  return typeof at === 'number' && at > 0 && at <= LATEST ? at : undefined
}

/** The end of the year 9999, the last one in a FHIR date. */
const LATEST = Date.UTC(9999, 11, 31)
