/** The one error handler: every failure becomes an OperationOutcome on FHIR routes, `{"error": …}` elsewhere. */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import { type FhirError, toOutcome } from '../fhir/outcome.ts'
import type { Reason } from '../record/journal/exchange.ts'
import { discardRest } from './admission/unread-body.ts'
import { exchangeOf } from './exchange.ts'
import { failureOf } from './fault.ts'
import { type AnswerFormat, FHIR_JSON, formatUnpaid, negotiate } from './message/format.ts'
import { firstSegment, type Unserved } from './side-router.ts'

/**
 * @param plain the first path segments below which errors are `{"error": …}`
 * @param unserved tells addresses from those at which there is nothing
 */
export const errors =
  (logger: Logger, plain: ReadonlySet<string>, unserved: Unserved = () => undefined): Middleware =>
  async (koa, next) => {
    try {
      await next()
    } catch (error) {
      // The path may hold ids, so a route stands for it where one was found.
      const found = failureOf(error, logger, { method: koa.method, route: String(koa._matchedRoute ?? koa.path) })
      // Credentials would not help where there is nothing.
      const failure = found.status === 401 ? (unserved(koa) ?? found) : found
      exchangeOf(koa).reason = reasonOf(failure)
      koa.status = failure.status
      koa.set({ ...failure.headers })
      if (plain.has(firstSegment(koa.path))) sendPlain(koa, failure)
      else sendOutcome(koa, failure)
    }
    if (!koa.req.complete) discardRest(koa)
  }

/** Issues of which the reason tells. */
const TOLD = 5

const reasonOf = ({ code, issues }: FhirError): Reason => ({
  code,
  text: issues
    .slice(0, TOLD)
    .map(({ diagnostics }) => diagnostics)
    .join('; '),
})

function sendPlain(koa: KoaContext, { message, issues, code }: FhirError): void {
  koa.body = { error: message, ...(issues[0]?.reason === undefined ? {} : { code }) }
}

function sendOutcome(koa: KoaContext, error: FhirError): void {
  const { format, contentType } = formatOf(koa)
  koa.set({ 'Content-Type': contentType, Vary: 'Accept' })
  koa.body = formatUnpaid(JSON.stringify(toOutcome(error.issues)), format, koa.query._pretty === 'true')
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
