/**
 * Faults of requests, in two stages: `meetFaults` decides which a request meets, and changes the resource that leaves;
 * `answerFaults`, around everything, keeps answers back, replaces them, or breaks the connection. docs/faults.md
 */
import type { Context as KoaContext, Middleware, Next } from 'koa'
import { parseJsonUnpaid } from '../fhir/json.ts'
import { isObject } from '../fhir/resource.ts'
import { readXml } from '../fhir/xml/read.ts'
import { changed, isAnsweredBy, isOfAnswer } from '../rehearsal/faults/answers.ts'
import { type Candidates, firedBy } from '../rehearsal/faults/deciding.ts'
import { AnsweredByFault, type Fired, fire, firedAs, firedNow, labelOf } from '../rehearsal/faults/fired.ts'
import type { FaultRequest } from '../rehearsal/faults/matching.ts'
import { faultsInHeader, HEADER, type NamedFault } from '../rehearsal/faults/named.ts'
import { rulesIn } from '../rehearsal/faults/rules.ts'
import type { Repository } from '../repository/repository.ts'
import { exchangeOf, meetsFaults, stateOf, userOf } from './exchange.ts'
import { headerOf } from './headers.ts'
import { formatUnpaid } from './message/format.ts'
import { faultsOfRun } from './runs.ts'
import { afterwards } from './side-router.ts'

/** The faults that a request names in its header. @throws FhirError 400 for an unknown one */
export function faultsNamedBy(koa: KoaContext): readonly NamedFault[] {
  const header = headerOf(koa, HEADER.toLowerCase())
  return header === undefined ? [] : faultsInHeader(header)
}

/**
 * Meets requests of a clinic with the faults that they or the clinic's rules name.
 * @param describe the request as its route understands it
 * @throws FhirError 400; AnsweredByFault
 */
export const meetFaults =
  (repository: Repository, describe: (koa: KoaContext) => FaultRequest): Middleware =>
  async (koa, next) => {
    try {
      const { clinic: facts } = stateOf(koa)
      // A work thread is told what has been decided where the request arrived.
      if (facts !== undefined && firedNow() === undefined) {
        const ofClinic = { clinic: userOf(koa).clinic, rules: rulesIn(facts), run: faultsOfRun(koa, facts) }
        const candidates = { ...ofClinic, named: faultsNamedBy(koa) }
        if (facts.isSandboxEnabled) fire(await firedBy(repository, candidates, describe(koa)))
      }
      if (firedNow() === undefined) await next()
      else await serveFaulted(koa, next)
    } finally {
      tellFaults(koa)
    }
  }

/** Where a fault has been decided for, whether it fires or not. @throws AnsweredByFault */
async function serveFaulted(koa: KoaContext, next: Next): Promise<void> {
  const small = firedAs('small-pages')
  if (small !== undefined) askForFewer(koa, Number(small.with.count))
  requireNoAnswer()
  await next()
  changeAnswer(koa)
}

/**
 * The same for the tool calls of a call, whose clinic is known only once the call is.
 * @throws FhirError 400; AnsweredByFault
 */
export async function meetToolFaults(
  koa: KoaContext,
  repository: Repository,
  of: Omit<Candidates, 'named'>,
  request: FaultRequest,
): Promise<void> {
  if (firedNow() !== undefined) return
  fire(await firedBy(repository, { ...of, named: faultsNamedBy(koa) }, request))
  requireNoAnswer()
}

/** @throws AnsweredByFault */
function requireNoAnswer(): void {
  const answered = firedNow()?.find(({ name }) => isAnsweredBy(name))
  if (answered !== undefined) throw new AnsweredByFault(answered)
}

/** Tells the exchange, and the client, of the faults that have fired: some do only as the change is written. */
function tellFaults(koa: KoaContext): void {
  const faults = firedNow()
  if (faults === undefined || faults.length === 0) return
  exchangeOf(koa).faults = faults
  const told = faults.filter(({ isTold }) => isTold)
  if (told.length > 0) koa.set(HEADER, labelOf(told))
}

/** For requests that may meet a fault only by whom they book, or by a rule for the tools of a call that is not known yet. */
export const tellLaterFaults: Middleware = afterwards(meetsFaults, async (koa, failure) => {
  tellFaults(koa)
  if (failure !== undefined) throw failure.error
})

/** Reads fewer matches than the client asks for; `koa.originalUrl` stays as it was sent. */
function askForFewer(koa: KoaContext, count: number): void {
  if (koa.method !== 'GET') return
  const query = new URLSearchParams(koa.querystring)
  const asked = query.get('_count')
  if (asked !== null && !(Number(asked) > count)) return
  query.set('_count', String(count))
  koa.querystring = String(query)
}

/** The changes of faults to the resource that leaves, if one does. */
function changeAnswer(koa: KoaContext): void {
  const faults = firedNow()
  if (faults === undefined) return
  if (firedAs('accepted', faults) !== undefined && isWritten(koa)) answerEmpty(koa, 202)
  if (firedAs('empty-201', faults) !== undefined && koa.status === 201) answerEmpty(koa, 201)
  if (faults.some(isOfAnswer)) changeResource(koa, faults)
}

const isWritten = ({ status }: KoaContext): boolean => status === 200 || status === 201

function answerEmpty(koa: KoaContext, status: number): void {
  koa.body = null
  koa.status = status
}

function changeResource(koa: KoaContext, faults: readonly Fired[]): void {
  const { body } = koa
  const type = koa.response.get('Content-Type')
  if ((typeof body !== 'string' && !Buffer.isBuffer(body)) || !/json|xml/.test(type)) return
  const format = type.includes('xml') ? 'xml' : 'json'
  const resource = format === 'xml' ? readXml(body.toString()) : parseJsonUnpaid(body.toString())
  if (!isObject(resource)) return
  koa.body = formatUnpaid(JSON.stringify(changed(resource, faults)), format, koa.query._pretty === 'true')
  koa.response.set('Content-Type', type)
}
