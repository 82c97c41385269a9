/** The answers to requests that met a fault, as they leave: late, replaced, cut off, or not at all. docs/faults.md */
import type { Context as KoaContext, Middleware } from 'koa'
import { FhirError } from '../fhir/outcome.ts'
import { type Answer, answerOf } from '../rehearsal/faults/answers.ts'
import { AnsweredByFault, type Fired, firedAs } from '../rehearsal/faults/fired.ts'
import { whenClosed } from './connections.ts'
import { exchangeOf, hasMetFaults } from './exchange.ts'
import { afterwards, type Failure } from './side-router.ts'

/** The end of a request that has met faults, outside its budget, as some answers wait for long. @throws its failure */
async function answerFaulted(koa: KoaContext, failure?: Failure): Promise<void> {
  const { faults = [] } = exchangeOf(koa)
  await wait(koa, secondsOf(faults))
  if (failure?.error instanceof AnsweredByFault) return await answer(koa, answerOf(failure.error.fired))
  if (firedAs('lost-answer', faults) !== undefined) return breakOff(koa)
  if (firedAs('half-answer', faults) !== undefined) return sendHalf(koa, failure === undefined)
  if (failure !== undefined) throw failure.error
}

/** Around all that takes part in the budget and the contents of a request. */
export const answerFaults: Middleware = afterwards(hasMetFaults, answerFaulted)

/** In a work thread: the thread at which the request arrived answers it. */
export const leaveFaultsToOther: Middleware = async (koa, next) => {
  try {
    await next()
  } catch (error) {
    if (!(error instanceof AnsweredByFault)) throw error
    koa.status = 204
  }
}

/** Seconds for which the response is kept back. */
const secondsOf = (faults: readonly Fired[]): number =>
  faults.filter(({ name }) => LATE.has(name)).reduce((sum, fault) => sum + Number(fault.with.seconds), 0)

const LATE: ReadonlySet<string> = new Set(['slow', 'tool-slow'])

/** Until the time is over, or the client has left. */
async function wait({ res }: KoaContext, seconds: number): Promise<void> {
  if (seconds === 0) return
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000)
    whenClosed(res, () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** @throws FhirError where that is the answer */
async function answer(koa: KoaContext, given: Answer): Promise<void> {
  if (given instanceof FhirError) throw given
  if ('closesAfter' in given) {
    await wait(koa, given.closesAfter)
    return breakOff(koa)
  }
  koa.set({ ...given.headers })
  koa.body = given.html ?? null
  koa.status = given.status
  if (given.html !== undefined) koa.type = 'text/html'
}

/** Closes the connection at once, by a reset where TCP has one. */
function breakOff(koa: KoaContext): void {
  koa.respond = false
  const { socket } = koa.req
  if (typeof socket.resetAndDestroy === 'function') socket.resetAndDestroy()
  else socket.destroy()
}

/** The head, and half of the body; of an error or a stream nothing of the body. */
function sendHalf(koa: KoaContext, isAnswered: boolean): void {
  const bytes = isAnswered ? bytesOf(koa.body) : undefined
  if (bytes === undefined) {
    breakOff(koa)
    return
  }
  koa.respond = false
  koa.res.setHeader('Content-Length', bytes.length)
  koa.res.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => koa.res.destroy())
}

function bytesOf(body: unknown): Buffer | undefined {
  if (typeof body === 'string') return Buffer.from(body)
  if (Buffer.isBuffer(body)) return body
  const isJson = typeof body === 'object' && body !== null && !('pipe' in body)
  return isJson ? Buffer.from(JSON.stringify(body)) : undefined
}
