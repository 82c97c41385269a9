/** The tools of visits by phone work with keys of the call, which staff do not have. */
import type { CallSession } from '../../core/call-session.ts'
import { badRequest } from '../../fhir/outcome.ts'

/** @throws FhirError 400 where the request is no tool call */
export function requireCall(call: CallSession | undefined): CallSession {
  if (call !== undefined) return call
  throw badRequest(
    'The operation is for live calls, whose keys it takes; over FHIR search Appointments, and write them by POST and PUT',
    { reason: 'live-calls-only' },
  )
}
