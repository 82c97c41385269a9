/**
 * Errors: every failure becomes an OperationOutcome on FHIR routes, `{"error": …}` elsewhere; one that is no FhirError becomes
 * one, and a log entry.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import { FhirError, toOutcome } from '../fhir/outcome.ts'
import { BudgetError, OffloadRequired } from '../isolation/budget.ts'
import { QueueFull } from '../isolation/fair-queue.ts'
import { logFieldsOf } from '../isolation/trace-context.ts'
import type { Reason } from '../record/journal/exchange.ts'
import { AnsweredByFault } from '../rehearsal/faults/fired.ts'
import { ResourceTooLarge, StoreUnavailable } from '../repository/repository.ts'
import { exchangeOf, traceIn } from './exchange.ts'
import { exceeded } from './headers.ts'
import { discardRest } from './message/body.ts'
import { type AnswerFormat, FHIR_JSON, formatUnpaid, negotiate } from './message/format.ts'
import { type ErrorFormats, firstSegment, type Unserved } from './side-router.ts'

/** @param unserved tells addresses from those at which there is nothing */
export const errors =
  (logger: Logger, formats: ErrorFormats, unserved: Unserved = () => undefined): Middleware =>
  async (koa, next) => {
    try {
      await next()
    } catch (error) {
      // The path may hold ids, so a route stands for it where one was found.
      const place = { method: koa.method, route: String(koa._matchedRoute ?? koa.path) }
      const found = failureOf(error, logger, { ...place, ...logFieldsOf(traceIn(koa)) })
      // Credentials would not help where there is nothing.
      const failure = found.status === 401 ? (unserved(koa) ?? found) : found
      exchangeOf(koa).reason = reasonOf(failure)
      koa.status = failure.status
      koa.set({ ...failure.headers })
      send(koa, failure, formats)
    }
    if (!koa.req.complete) discardRest(koa)
  }

/** Issues of which the reason tells. */
const TOLD = 5

export const reasonOf = ({ code, issues }: FhirError): Reason => ({
  code,
  text: issues
    .slice(0, TOLD)
    .map(({ diagnostics }) => diagnostics)
    .join('; '),
})

function send(koa: KoaContext, failure: FhirError, { plain, json }: ErrorFormats): void {
  const segment = firstSegment(koa.path)
  if (plain.has(segment)) sendPlain(koa, failure)
  else sendOutcome(koa, failure, json.has(segment) ? FHIR_JSON : formatOf(koa))
}

function sendPlain(koa: KoaContext, { message, issues, code }: FhirError): void {
  koa.body = { error: message, ...(issues[0]?.reason === undefined ? {} : { code }) }
}

function sendOutcome(koa: KoaContext, error: FhirError, { format, contentType }: AnswerFormat): void {
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

/** Messages of unexpected faults may quote data; the kind and the place are enough to find the cause. */
export function faultOf(error: unknown): { readonly type: string; readonly stack: readonly string[] } {
  if (!(error instanceof Error)) return { type: typeof error, stack: [] }
  // A message of several lines could look like frames.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
  return { type: error.name, stack: frames.slice(0, 8).map((line) => line.trim()) }
}

/** Where a fault occurred: never the query or the body, which may hold patient data. */
interface Place {
  readonly method: string
  readonly route: string
}

/**
 * The error for the client. Unexpected ones are 500 and logged; an unavailable store is logged too.
 * @throws OffloadRequired, AnsweredByFault where that is the error: the request has not failed, it is answered elsewhere
 */
export function failureOf(error: unknown, logger: Logger, place: Place): FhirError {
  if (error instanceof FhirError) return error
  if (error instanceof OffloadRequired || error instanceof AnsweredByFault) throw error
  if (error instanceof BudgetError) return overBudget(error)
  if (error instanceof QueueFull) return queueFull(error)
  if (error instanceof ResourceTooLarge) return tooLarge(error)
  if (error instanceof StoreUnavailable) {
    if (isReportDue(logger)) logger.warn({ reason: error.message, ...place }, 'the store cannot serve')
    return error.reason === 'full' ? full() : away(error.mayBeWritten)
  }
  logger.error({ fault: faultOf(error), ...place }, 'unexpected fault')
  return new FhirError(500, {
    severity: 'fatal',
    code: 'exception',
    diagnostics: 'The server met an unexpected fault; it has been logged',
  })
}

/** Milliseconds between two log lines: every request fails while the store cannot serve. */
const BETWEEN_REPORTS = 1_000
const reported = new WeakMap<Logger, number>()

function isReportDue(logger: Logger): boolean {
  const now = Date.now()
  if (now - (reported.get(logger) ?? 0) < BETWEEN_REPORTS) return false
  reported.set(logger, now)
  return true
}

function overBudget({ reason, what }: BudgetError): FhirError {
  const limit = reason === 'too late' ? 'takes longer than' : 'takes more work than'
  return new FhirError(422, {
    code: 'too-costly',
    diagnostics:
      `The request ${limit} one request may, and was ended; nothing of it was stored. What took most was ${what}. ` +
      'Send it in parts, or ask for less at a time',
  })
}

function queueFull({ by, most }: QueueFull): FhirError {
  const diagnostics =
    by === 'clinic'
      ? 'Too many long requests of this clinic are waiting; nothing was changed. Wait for their responses before sending more'
      : 'Too many long requests are waiting; nothing was changed. Try again later'
  if (by === 'all') return new FhirError(503, { code: 'throttled', diagnostics }, { 'retry-after': '5' })
  return new FhirError(
    429,
    { code: 'throttled', diagnostics },
    exceeded('clinic-waiting', { most, of: 'concurrent-requests' }, 5),
  )
}

const tooLarge = ({ subject }: ResourceTooLarge): FhirError =>
  new FhirError(413, {
    code: 'too-long',
    diagnostics:
      `${subject} is larger than the database of this server can keep in one piece, with the values it is searched by; ` +
      'nothing was changed. Store less inline (as Attachment.url), or split the resource',
  })

const away = (mayBeWritten: boolean): FhirError =>
  new FhirError(
    503,
    {
      code: 'transient',
      diagnostics: mayBeWritten
        ? 'The store was lost while it wrote: what was sent is stored as a whole, or not at all. Look before you send it ' +
          'again, or send it with a condition (If-None-Exist, If-Match) or as the same tool call'
        : 'The store cannot be reached now; nothing was changed. Try again later',
    },
    { 'retry-after': '5' },
  )

const full = (): FhirError =>
  new FhirError(
    507,
    {
      code: 'no-store',
      diagnostics:
        'The disk of the store is full; nothing was changed, and reading goes on. The operator of the server must ' +
        'free space on it; writing then goes on by itself',
    },
    { 'retry-after': '60' },
  )
