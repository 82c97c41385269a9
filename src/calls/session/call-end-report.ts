/** The body of `POST /calls/{id}/end`, and the end-of-call reports of platforms. */
import { isCallId } from '../../core/call-session.ts'
import { badRequest, FhirError, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import type { CallEnd } from './call-end.ts'
import { requireFilledIn, unfilledIssues } from './call-metadata.ts'

const MAX_REASON = 256
const FIELDS = ['callId', 'endedAt', 'reason']

/** The end of a call as reported in a request. */
export interface ReportedEnd extends CallEnd {
  /** True if the body names this call, not only the URL or a header. */
  readonly isNamedInBody: boolean
}

/**
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
 * The end reported by a platform; undefined for other reports, of which platforms send many. Other data about the call
 * are ignored.
 * @param callIdOfHeader `x-call-id`, for platforms whose ids differ from the call ids here; it takes precedence
 * @throws FhirError 400 if the report of an end names no call, `call-not-identified` for an unfilled template
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

/** The end of the year 9999, the last one in a FHIR date. */
const LATEST = Date.UTC(9999, 11, 31)
