/**
 * The main program of a work thread: the server without a socket, which serves the requests that it is sent, one by
 * one.
 */
import type { IncomingMessage } from 'node:http'
import type { Context as KoaContext } from 'koa'
import inject, { type DispatchFunc, type InjectOptions } from 'light-my-request'
import { loadExtensions } from '../extensions/load.ts'
import { present } from '../fhir/resource.ts'
import type { ThreadAnswer, ThreadRequest } from '../http/admission/work-threads.ts'
import { actFor } from '../http/authenticate.ts'
import { type Exchange, factsOf, routeOf, seenBodyOf } from '../http/exchange.ts'
import { Budget, withBudget } from '../isolation/budget.ts'
import { type JobContext, notify, serveJobs, startData } from '../isolation/thread-entry.ts'
import { comparePatients } from '../operations/duplicates/background-search.ts'
import { beginningOfBytes } from '../record/journal/exchange.ts'
import { fire } from '../rehearsal/faults/fired.ts'
import { toSent } from '../storage/thread-errors.ts'
import { createApp } from './app.ts'
import { openLogger, startTelemetry } from './logger.ts'
import {
  LONGEST_JOB,
  type ThreadNotice,
  type ThreadResult,
  type ThreadWork,
  type WorkThreadData,
} from './work-threads.ts'

const { config, worker, sharedStore } = startData<WorkThreadData>()
/** Its log alone: spans are recorded where the requests arrived. */
const telemetry = await startTelemetry(config.telemetry?.logs ? { logs: true } : undefined)

/** Exchanges by their requests, so that their facts can be recorded where the request arrived. */
const exchanges = new WeakMap<IncomingMessage, Exchange>()

const app = await createApp({
  config,
  logger: openLogger(config, telemetry),
  extensions: await loadExtensions(config.extensions),
  workThread: {
    sharedStore,
    observer: { observe },
    onSent: notify,
  },
  ...(worker === undefined ? {} : { worker }),
})

// The dispatcher of events is in the thread that has started this one.
app.repository.tellEvents(() => notify('events' satisfies ThreadNotice))

function observe(exchange: Exchange, koa: KoaContext): void {
  const { bytes } = seenBodyOf(koa) ?? {}
  // The other thread has kept the beginning of the body only.
  if (bytes !== undefined) exchange.cutContent = beginningOfBytes(bytes).cutContent
  Object.assign(exchange, present({ route: routeOf(koa) }))
  exchanges.set(koa.req, exchange)
}

serveJobs({
  run,
  close: async () => {
    await app.close()
    await telemetry?.close()
  },
  toSent,
  transferOf: (result) => ('body' in result ? [result.body.buffer as ArrayBuffer] : []),
})

async function run(work: ThreadWork, { endsAt, isAbandoned, onEffect }: JobContext): Promise<ThreadResult> {
  if (work.kind === 'reindex') return await app.repository.reindex(work.batch)
  if (work.kind === 'duplicates') return await comparePatients(app.repository, work.batch)
  if (work.kind === 'fill') return await app.fill(work.work)
  if (work.kind === 'job') return await app.workOn(work.job, work.owner)
  const { request } = work
  const readingMs = request.user === undefined ? config.limits.workMilliseconds : LONGEST_JOB
  const { cause, trace } = request
  const traced = { trace: () => trace, spans: trace.isRecorded ? [] : undefined }
  const limits = { canMove: false, endsAt, readingMs, isAbandoned, onEffect }
  const budget = new Budget({ ...limits, ...traced, cause: () => cause })
  if (request.faults !== undefined) fire(request.faults, budget)
  return await withBudget(budget, () => dispatch(request))
}

/** Passes a request through the whole server, as if it had come over a socket. */
async function dispatch({ method, url, headers, body, remoteAddress, user }: ThreadRequest): Promise<ThreadAnswer> {
  let received: IncomingMessage | undefined
  const receive: DispatchFunc = (request, response) => {
    received = request as unknown as IncomingMessage
    if (user !== undefined) actFor(received, user)
    app.server.emit('request', request, response)
  }
  const {
    statusCode,
    headers: answered,
    rawPayload,
  } = await inject(receive, {
    method: method as NonNullable<InjectOptions['method']>,
    url,
    headers: headers as Record<string, string | string[]>,
    remoteAddress,
    ...(body === undefined ? {} : { payload: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }),
  })
  return {
    status: statusCode,
    headers: Object.fromEntries(Object.entries(answered).map(([name, value]) => [name, textOf(value)])),
    body: transferable(rawPayload),
    told: factsOf((received && exchanges.get(received)) ?? { accesses: [] }),
  }
}

/** Copies a short buffer, which may share its memory with others. */
const transferable = (bytes: Buffer): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

const textOf = (value: number | string | readonly string[] | undefined): string | readonly string[] =>
  typeof value === 'object' ? value : String(value)
