/** The one error handler: every failure becomes an OperationOutcome on FHIR routes, `{"error": …}` elsewhere. */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import { type FhirError, toOutcome } from '../fhir/outcome.ts'
import { failureOf } from './fault.ts'
import { FHIR_JSON } from './negotiate.ts'

/** Routes that are not FHIR answer with a plain JSON error. */
const PLAIN = /^\/(session|clinics|calls|patient-journey|patient-intake|health)(\/|$)/

export const errors =
  (logger: Logger): Middleware =>
  async (koa, next) => {
    try {
      await next()
    } catch (error) {
      // The path may hold ids, so a route stands for it where one was found.
      sendError(koa, failureOf(error, logger, { method: koa.method, route: String(koa._matchedRoute ?? koa.path) }))
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
  koa.body = JSON.stringify(toOutcome(error.issues), null, koa.query._pretty === 'true' ? 2 : 0)
}
