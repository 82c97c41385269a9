/** Requires a live call, as the tools for visits by phone use its keys, which staff do not have. */
import type { CallSession } from '../../core/call-session.ts'
import { badRequest } from '../../fhir/outcome.ts'

/** @throws FhirError 400 if the request is not a tool call */
export function requireCall(call: CallSession | undefined): CallSession {
  if (call !== undefined) return call
  throw badRequest(
    'The operation is for live calls, whose keys it takes; over FHIR search Appointments, and write them by POST and PUT',
    { reason: 'live-calls-only' },
  )
}
