/** Failures that are no FhirError: what the client is told of them, and what the log may hold. */
import type { Logger } from 'pino'
import { FhirError } from '../fhir/outcome.ts'
import { StoreUnavailable } from '../repository.ts'

/** Messages of unexpected faults may quote data; the kind and the place are enough to find the cause. */
export function faultOf(error: unknown): { readonly type: string; readonly stack: readonly string[] } {
  if (!(error instanceof Error)) return { type: typeof error, stack: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return { type: error.name, stack: frames.slice(0, 8).map((line) => line.trim()) }
}

/** Where a fault met whom: never the query or the body, which may hold patient data. */
interface Place {
  readonly method: string
  readonly route: string
}

/** The error as the client is told of it: 503 without the store; 500 for what nobody expected, which is logged. */
export function failureOf(error: unknown, logger: Logger, place: Place): FhirError {
  if (error instanceof FhirError) return error
  if (error instanceof StoreUnavailable) {
    return new FhirError(
      503,
      { code: 'transient', diagnostics: 'The store cannot be reached now; try again later' },
      { 'retry-after': '5' },
    )
  }
  logger.error({ fault: faultOf(error), ...place }, 'unexpected fault')
  return new FhirError(500, {
    severity: 'fatal',
    code: 'exception',
    diagnostics: 'The server met an unexpected fault; it has been logged',
  })
}
