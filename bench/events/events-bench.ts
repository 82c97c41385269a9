/**
 * The way of an event: the time from the request that makes it to the request that tells a receiver of it, one event at a time, and
 * 10,000 in a minute.
 */
import { once as firstOf } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { median } from '../median.ts'
import { startMongod } from '../mongo/mongod.ts'
import { table, type Verdict } from '../report.ts'

export const EVENTS = 'events'

const ALONE = 200
/** Milliseconds between two events, some more or less, so that they fall anywhere between two looks of a loop. */
const BETWEEN = 60
const SPREAD = 37
const BURST = 10_000
/** Creates that are sent at the same moment, and milliseconds between two such moments: 10,000 in a minute. */
const AT_ONCE = 10
const EVERY = 60
/** Milliseconds that the deliveries may take after the last event. */
const PATIENCE = 120_000
/** Milliseconds of the median; and after the last of the 10,000. */
const TARGETS = { median: 100, behind: 5_000 }

export interface EventsResults {
  readonly engine: string
  /** Milliseconds, in order. */
  readonly alone: readonly number[]
  /** Milliseconds from the last create of the 10,000 to the last delivery. */
  readonly behind: number
  /** Events that were delivered more than once. */
  readonly repeated: number
}

export async function benchEvents(engines: readonly string[], folder: string): Promise<readonly EventsResults[]> {
  const results: EventsResults[] = []
  for (const engine of engines) {
    const mongod = engine === 'mongodb' ? await startMongod(join(folder, 'mongo-events')) : undefined
    try {
      results.push({ engine, ...(await measured(mongod?.urlOf(EVENTS) ?? `sqlite:${join(folder, 'events.db')}`)) })
    } finally {
      await mongod?.stop()
    }
  }
  return results
}

async function measured(databaseUrl: string): Promise<Omit<EventsResults, 'engine'>> {
  const receiver = await startReceiver()
  const server = await startServer(databaseUrl, { ALLOW_PRIVATE_ADDRESSES: 'on' })
  try {
    const headers = { authorization: await logIn(server.url), 'content-type': 'application/fhir+json' }
    const sender = { url: server.url, headers }
    await subscribe(sender, receiver.url)
    const alone = await oneAtATime(sender, receiver)
    progress(`an event to its request: ${median(alone).toFixed(0)} ms`)
    const behind = await burst(sender, receiver)
    progress(`${BURST} events in a minute: the last is delivered after ${behind.toFixed(0)} ms`)
    return { alone: alone.toSorted((one, other) => one - other), behind, repeated: receiver.repeated() }
  } finally {
    await server.stop()
    receiver.close()
  }
}

interface Receiver {
  readonly url: string
  /** When each patient was told of first, by family name. */
  readonly told: ReadonlyMap<string, number>
  readonly repeated: () => number
  readonly close: () => void
}

async function startReceiver(): Promise<Receiver> {
  const told = new Map<string, number>()
  let repeated = 0
  const receive = async (request: IncomingMessage) => {
    const now = performance.now()
    const { name } = JSON.parse(await text(request)) as { readonly name: readonly { readonly family: string }[] }
    const family = name[0]?.family ?? ''
    if (told.has(family)) repeated += 1
    else told.set(family, now)
  }
  const server = createServer((request, response) => {
    receive(request).then(
      () => response.end(),
      () => response.writeHead(400).end(),
    )
  }).listen(0, '127.0.0.1')
  await firstOf(server, 'listening')
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told, repeated: () => repeated, close }
}

interface Sender {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

async function subscribe({ url, headers }: Sender, endpoint: string): Promise<void> {
  const subscription = {
    ...{ resourceType: 'Subscription', status: 'requested', reason: 'a measurement', criteria: 'Patient?gender=other' },
    channel: { type: 'rest-hook', endpoint, payload: 'application/fhir+json' },
  }
  await sent(`${url}/Subscription`, { method: 'POST', headers, body: JSON.stringify(subscription) })
  await pause(SETTLE)
}

async function sent(url: string, request: RequestInit): Promise<void> {
  const response = await fetch(url, request)
  if (response.status !== 201) throw new Error(`${url} was answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}

const create = ({ url, headers }: Sender, family: string): Promise<void> => {
  const body = JSON.stringify({ resourceType: 'Patient', gender: 'other', name: [{ family }] })
  return sent(`${url}/Patient`, { method: 'POST', headers: { ...headers, prefer: 'return=minimal' }, body })
}

/** Milliseconds from each create to the request to the receiver, the create itself included. */
async function oneAtATime(sender: Sender, { told }: Receiver): Promise<readonly number[]> {
  const times: number[] = []
  for (let n = 0; n < ALONE; n += 1) {
    const family = `Alone ${n}`
    const began = performance.now()
    await create(sender, family)
    await allTold(told, [family])
    times.push((told.get(family) ?? Number.POSITIVE_INFINITY) - began)
    await pause(BETWEEN + ((n * 11) % SPREAD))
  }
  return times
}

/** Milliseconds from the last create to the last delivery. */
async function burst(sender: Sender, { told }: Receiver): Promise<number> {
  const families = Array.from({ length: BURST }, (_, n) => `Burst ${n}`)
  const creates: Promise<void>[] = []
  const began = performance.now()
  for (let from = 0; from < BURST; from += AT_ONCE) {
    creates.push(...families.slice(from, from + AT_ONCE).map((family) => create(sender, family)))
    await pause(Math.max(0, began + ((from + AT_ONCE) / AT_ONCE) * EVERY - performance.now()))
  }
  await Promise.all(creates)
  const ended = performance.now()
  await allTold(told, families)
  return Math.max(...families.map((family) => told.get(family) ?? Number.POSITIVE_INFINITY)) - ended
}

async function allTold(told: ReadonlyMap<string, number>, families: readonly string[]): Promise<void> {
  const end = performance.now() + PATIENCE
  while (!families.every((family) => told.has(family))) {
    if (performance.now() > end) throw new Error(`${families.length} events were not all delivered: ${told.size} were`)
    await pause(1)
  }
}

export const eventsTable = (results: readonly EventsResults[]): string =>
  table(
    ['', 'event to request, median', 'p95', `after the last of ${BURST}`, 'told twice'],
    results.map(({ engine, alone, behind, repeated }) => [
      ...[engine, `${median(alone).toFixed(0)} ms`, `${(alone[Math.floor(ALONE * 0.95)] ?? 0).toFixed(0)} ms`],
      ...[`${behind.toFixed(0)} ms`, `${repeated}`],
    ]),
  )

export const eventsVerdicts = ({ engine, alone, behind }: EventsResults): readonly Verdict[] => [
  {
    what: `an event to its request, median, ${engine}`,
    value: `${median(alone).toFixed(0)} ms`,
    target: `at most ${TARGETS.median} ms`,
    pass: median(alone) <= TARGETS.median,
  },
  {
    what: `10,000 events in a minute, the last one, ${engine}`,
    value: `${behind.toFixed(0)} ms`,
    target: `at most ${TARGETS.behind} ms`,
    pass: behind <= TARGETS.behind,
  },
]
