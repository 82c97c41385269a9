/** Normalized values of the caller's statements, for the agent to read back. */
import type { CallSession } from '../core/call-session.ts'
import { sayDate } from './say-time.ts'

interface ReadBack {
  /** In FHIR, one parameter with two parts for each value. */
  readonly values?: object
  /** The date of birth in words, as only these reveal in which order day and month were read. */
  readonly inWords?: string
}

/**
 * Members of the result; empty if there is nothing to read back.
 * @param values by argument name; values without a normal form of their own are omitted
 * @param dateOfBirth the one among them, YYYY-MM-DD
 */
export function readBack(
  call: CallSession | undefined,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
  dateOfBirth?: string,
): ReadBack {
  const understood = Object.entries(values).filter(([, value]) => value !== undefined)
  if (understood.length === 0) return {}
  return {
    values:
      call === undefined
        ? understood.map(([name, value]) => ({ name, value: String(value) }))
        : Object.fromEntries(understood),
    ...(dateOfBirth === undefined ? {} : { inWords: sayDate(dateOfBirth) }),
  }
}
