/** The one error handler: every failure becomes an OperationOutcome on FHIR routes, `{"error": …}` elsewhere. */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import { type FhirError, toOutcome } from '../../fhir/outcome.ts'
import { formatBody } from '../message/format.ts'
import { type AnswerFormat, FHIR_JSON, negotiate } from '../message/negotiate.ts'
import { failureOf } from './fault.ts'

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
  const { format, contentType } = formatOf(koa)
  koa.set({ 'Content-Type': contentType, Vary: 'Accept' })
  koa.body = formatBody(JSON.stringify(toOutcome(error.issues)), format, koa.query._pretty === 'true')
}

/** That nothing acceptable is offered is said in JSON. */
function formatOf(koa: KoaContext): AnswerFormat {
  const { _format: format } = koa.query
  try {
    return negotiate(koa.get('accept'), typeof format === 'string' ? format : null)
  } catch {
    return FHIR_JSON
  }
}
