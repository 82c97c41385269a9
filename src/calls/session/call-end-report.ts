/** The body of `POST /calls/{id}/end`, and the reports that platforms send of the end of a call. */
import { isCallId } from '../../core/call-session.ts'
import { badRequest, FhirError, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { CallEnd } from './call-end.ts'
import { requireFilledIn, unfilledIssues } from './call-metadata.ts'

const MAX_REASON = 256
const FIELDS = ['callId', 'endedAt', 'reason']

/** The end of a call as a request reports it. */
export interface ReportedEnd extends CallEnd {
  /** The body itself names this call, and not only the address or a header. */
  readonly isNamedInBody: boolean
}

/**
 * @param body any JSON value; undefined where none was sent
 * @throws FhirError 400 with an issue for each field at fault, or `call-not-identified` for an unfilled template as the id
 */
export function readCallEnd(callId: string, body: unknown): ReportedEnd {
  const unfilled = unfilledIssues('callId', callId, 'the address')
  if (unfilled.length > 0) throw new FhirError(400, unfilled)
  if (body === undefined) return { callId, isNamedInBody: false }
  if (!isObject(body)) throw badRequest('The body must be empty or an object such as {"endedAt": "…", "reason": "…"}')
  const { endedAt, reason } = body
  const at = endedAt == null ? undefined : instantOf(endedAt)
  const issues: Issue[] = Object.keys(body)
    .filter((name) => !FIELDS.includes(name))
    .map((name) => invalid(name, `'${name.slice(0, 64)}' is not known; the fields are ${FIELDS.join(', ')}`))
  if (body.callId != null && body.callId !== callId)
    issues.push(invalid('callId', 'callId must be the id of the call in the address'))
  if (endedAt != null && at === undefined)
    issues.push(invalid('endedAt', 'endedAt must be an instant such as "2026-03-03T14:05:09Z"'))
  if (reason != null && (typeof reason !== 'string' || reason.length > MAX_REASON))
    issues.push(invalid('reason', `reason must be a text of at most ${MAX_REASON} characters`))
  if (issues.length > 0) throw new FhirError(400, issues)
  return { ...endOf(callId, at, reason), isNamedInBody: body.callId === callId }
}

const invalid = (expression: string, diagnostics: string): Issue => ({ code: 'invalid', diagnostics, expression })

/** A report that a platform's own server sends of a call. Undefined for one of something else than its end. */
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
 * The end that a platform reports; undefined for other reports, of which platforms send many. What else is said of the
 * call is left out.
 * @param callIdOfHeader `x-call-id`, for platforms whose ids are not those of the calls here; it wins
 * @throws FhirError 400 where the report of an end names no call, `call-not-identified` where an unfilled template does
 */
export function readEndReport(body: unknown, callIdOfHeader: string): ReportedEnd | undefined {
  if (!isObject(body)) throw badRequest('The body must be the report of a platform, a JSON object')
  const report = vapi(body) ?? retell(body)
  if (report === undefined) return undefined
  const callId = callIdOfHeader || report.callId
  if (typeof callId === 'string') requireFilledIn({ callId, inBody: callIdOfHeader === '' ? ['callId'] : [] })
  if (typeof callId !== 'string' || !isCallId(callId))
    throw badRequest('The report names no call: message.call.id, call.call_id or the header x-call-id must hold its id')
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

/** The year 9999, the last one that FHIR can write. */
const LATEST = Date.UTC(9999, 11, 31)
