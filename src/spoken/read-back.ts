/** What a tool understood of what the caller said, in normal form, so that the agent can read it back. */
import type { CallSession } from '../core/call-session.ts'
import { sayDate } from './say-time.ts'

interface ReadBack {
  /** Over FHIR each is a parameter with two parts. */
  readonly values?: object
  /** In which order day and month were read is heard only in words. */
  readonly inWords?: string
}

/**
 * Members of the result; none where there is nothing to read back.
 * @param values by the name of the argument; those that have no other form than the one in which they were said are left out
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
