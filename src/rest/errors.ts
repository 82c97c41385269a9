/** The one error handler: every failure becomes an OperationOutcome on FHIR routes, `{"error": …}` elsewhere. */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import { FhirError, toOutcome } from '../fhir/outcome.ts'
import { StoreUnavailable } from '../repository.ts'
import { faultOf } from './fault.ts'
import { FHIR_JSON } from './negotiate.ts'

/** Routes that are not FHIR answer with a plain JSON error. */
const PLAIN = /^\/(session|clinics|calls|patient-journey|patient-intake|health)(\/|$)/

export const errors =
  (logger: Logger): Middleware =>
  async (koa, next) => {
    try {
      await next()
    } catch (error) {
      sendError(koa, known(error, koa, logger))
    }
  }

function sendError(koa: KoaContext, error: FhirError): void {
  koa.status = error.status
  koa.set({ ...error.headers })
  if (PLAIN.test(koa.path)) {
    koa.body = { error: error.message, ...(error.issues[0]?.reason === undefined ? {} : { code: error.code }) }
    return
  }
  koa.set('Content-Type', FHIR_JSON)
  koa.body = JSON.stringify(toOutcome(error.issues))
}

function known(error: unknown, koa: KoaContext, logger: Logger): FhirError {
  if (error instanceof FhirError) return error
  if (error instanceof StoreUnavailable) {
    return new FhirError(
      503,
      { code: 'transient', diagnostics: 'The store cannot be reached now; try again later' },
      { 'retry-after': '5' },
    )
  }
  // The path may hold ids, but never the query or the body, which may hold patient data.
  logger.error({ fault: faultOf(error), method: koa.method, route: koa._matchedRoute ?? koa.path }, 'unexpected fault')
  return new FhirError(500, {
    severity: 'fatal',
    code: 'exception',
    diagnostics: 'The server met an unexpected fault; it has been logged',
  })
}
