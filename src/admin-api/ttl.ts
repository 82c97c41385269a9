/** How long something lasts that is asked for: `ttl` in the body of a request. */
import { Duration } from 'luxon'
import { badRequest } from '../fhir/outcome.ts'

/** ISO 8601 durations: without a `ttl`, at least, and at most. */
interface Lasts {
  readonly usual: string
  readonly least: string
  readonly most: string
}

/** @throws FhirError 400 */
export function readTtl(text: unknown, { usual, least, most }: Lasts): Duration {
  const ttl = text === undefined ? usual : text
  const duration = typeof ttl === 'string' ? Duration.fromISO(ttl) : undefined
  if (duration?.isValid && duration >= Duration.fromISO(least) && duration <= Duration.fromISO(most)) return duration
  throw badRequest(`'ttl' must be an ISO 8601 duration from ${least} to ${most}, such as ${usual}`)
}
