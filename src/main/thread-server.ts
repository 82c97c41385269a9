/**
 * The main program of a work thread: the server without a socket, which serves the requests that it is sent, one by
 * one.
 */
import type { IncomingMessage } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'
import inject, { type DispatchFunc, type InjectOptions } from 'light-my-request'
import { pino } from 'pino'
import { loadExtensions } from '../extensions/load.ts'
import type { ThreadAnswer, ThreadRequest } from '../http/admission/work-threads.ts'
import { type Exchange, factsOf } from '../http/exchange.ts'
import { faultOf } from '../http/fault.ts'
import { Budget, withBudget } from '../isolation/budget.ts'
import { freeMemoryWhenQuiet, keepMemory } from '../isolation/free-memory.ts'
import { comparePatients } from '../operations/duplicates/compare-patients.ts'
import { causedBy } from '../record/journal/sent.ts'
import { createApp } from './app.ts'
import {
  Flag,
  READY,
  type ThreadJob,
  type ThreadNotice,
  type ThreadResult,
  type WorkThreadData,
} from './work-thread-client.ts'

const { config, worker, sharedStore, flags: buffer } = workerData as WorkThreadData
const flags = new Int32Array(buffer)

/** Exchanges by their requests, so that their facts can be recorded where the request arrived. */
const exchanges = new WeakMap<IncomingMessage, Exchange>()

const app = await createApp({
  config,
  logger: pino({ level: config.logLevel }),
  extensions: await loadExtensions(config.extensions),
  workThread: {
    sharedStore,
    observer: { observe: (exchange, { req }) => exchanges.set(req, exchange) },
    onSent: (sent) => parentPort?.postMessage({ kind: 'sent', sent } satisfies ThreadNotice),
  },
  ...(worker === undefined ? {} : { worker }),
})

parentPort?.on('message', async (message: ThreadJob | 'close') => {
  keepMemory()
  if (message === 'close') {
    await app.close()
    parentPort?.close()
    return
  }
  const result = await run(message)
  parentPort?.postMessage(result, result.kind === 'answer' ? [result.answer.body.buffer as ArrayBuffer] : [])
  freeMemoryWhenQuiet()
})

parentPort?.postMessage(READY)

async function run({ work, endsAt }: ThreadJob): Promise<ThreadResult> {
  try {
    if (work.kind === 'reindex') return { kind: 'reindex', done: await app.repository.reindex(work.batch) }
    if (work.kind === 'duplicates') {
      return { kind: 'duplicates', done: await comparePatients(app.repository, work.batch) }
    }
    const budget = budgetUntil(endsAt)
    const { request } = work
    causedBy(budget, () => request.cause)
    return { kind: 'answer', answer: await withBudget(budget, () => dispatch(request)) }
  } catch (error) {
    return { kind: 'failed', fault: faultOf(error) }
  }
}

const budgetUntil = (endsAt: number): Budget =>
  new Budget({
    canMove: false,
    endsAt,
    readingMs: config.limits.workMilliseconds,
    isAbandoned: () => Atomics.load(flags, Flag.abandoned) === 1,
    onEffect: () => Atomics.store(flags, Flag.hasEffect, 1),
  })

/** Passes a request through the whole server, as if it had come over a socket. */
async function dispatch({ method, url, headers, body, remoteAddress }: ThreadRequest): Promise<ThreadAnswer> {
  let received: IncomingMessage | undefined
  const receive: DispatchFunc = (request, response) => {
    received = request as unknown as IncomingMessage
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
