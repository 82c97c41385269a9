/** The body of `POST /calls`. */

import { isCallId, MAX_CALL_ID_LENGTH } from '../../core/call-session.ts'
import { FhirError, type Issue } from '../../fhir/outcome.ts'
import { isObject } from '../../fhir/resource.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'
import { METADATA_FIELDS, unfilledIssues } from './call-metadata.ts'
import type { CallRegistration } from './call-sessions.ts'

const EXAMPLE = '{"callId": "…", "dialedNumber": "+12125550100", "callerNumber": "+12125550123"}'

/** @throws FhirError 400 with an issue for each invalid field */
export function readRegistration(body: unknown): CallRegistration {
  if (!isObject(body)) throw new FhirError(400, invalid('', `The body must be an object such as ${EXAMPLE}`))
  const issues = problemsOf(body)
  if (issues.length > 0) throw new FhirError(400, issues)
  return {
    callId: String(body.callId),
    dialedNumber: String(body.dialedNumber),
    ...(isAbsent(body.callerNumber) ? {} : { callerNumber: String(body.callerNumber) }),
    ...(isAbsent(body.abandonment) ? {} : { abandonment: String(body.abandonment) }),
    ...(isAbsent(body.patient) ? {} : { patient: String(body.patient).replace(/^Patient\//, '') }),
  }
}

const FIELDS: Readonly<
  Record<
    keyof CallRegistration,
    { readonly required: boolean; readonly accepts: (value: unknown) => boolean; readonly expected: string }
  >
> = {
  callId: {
    required: true,
    accepts: isCallId,
    expected: `a string of 1 to ${MAX_CALL_ID_LENGTH} characters without spaces`,
  },
  dialedNumber: { required: true, accepts: isPhone, expected: 'the number that was dialled, e.g. "+12125550100"' },
  // A caller may withhold the number: "anonymous" registers a call without one, as in a header.
  callerNumber: {
    required: false,
    accepts: (value) => typeof value === 'string',
    expected: 'the number of the caller, e.g. "+12125550123"',
  },
  patient: {
    required: false,
    accepts: (value) => typeof value === 'string' && /^(?:Patient\/)?[A-Za-z0-9.-]{1,64}$/.test(value),
    expected: 'the id of a Patient, for a call that the clinic placed',
  },
  abandonment: {
    required: false,
    accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9.-]{1,64}$/.test(value),
    expected: 'the id that POST /abandonments gave, for a call that the clinic placed about it',
  },
}

function problemsOf(body: Record<string, unknown>): readonly Issue[] {
  const unfilled = METADATA_FIELDS.flatMap((name) => unfilledIssues(name, body[name], name))
  if (unfilled.length > 0) return unfilled
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(FIELDS, name))
  return [
    ...Object.entries(FIELDS).flatMap(([name, { required, accepts, expected }]) => {
      const value = body[name]
      if (isAbsent(value)) return required ? [invalid(name, `${name} is missing; it must be ${expected}`)] : []
      return accepts(value) ? [] : [invalid(name, `${name} must be ${expected}`)]
    }),
    ...unknown.map((name) => invalid(name, `'${name}' is not known; the fields are ${Object.keys(FIELDS).join(', ')}`)),
  ]
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

function isPhone(value: unknown): boolean {
  return typeof value === 'string' && spokenPhone(value, undefined).ok
}

const invalid = (name: string, diagnostics: string): Issue => ({
  code: 'invalid',
  diagnostics,
  ...(name === '' ? {} : { expression: name }),
})
