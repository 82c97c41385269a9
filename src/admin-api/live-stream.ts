/** Server-sent events of a journal: https://html.spec.whatwg.org/multipage/server-sent-events.html. */
import { Readable } from 'node:stream'
import type { Context as KoaContext, Middleware } from 'koa'
import { whenClosed } from '../http/connections.ts'
import { isGap } from '../record/journal/exchange.ts'
import type { JournalFilter, JournalReader, NumberedExchange } from '../record/journal/journal-reader.ts'
import type { Watcher } from '../record/journal/live.ts'

export interface LiveStream {
  readonly reader: JournalReader
  readonly filter: JournalFilter
  /** The number of the last entry that the client has; absent: it starts with the next entry. */
  readonly after: number | undefined
  readonly watcher: Watcher
  /** Called when the stream ends. */
  readonly leave: () => void
  readonly authenticate: Middleware
}

/** Milliseconds without an event after which something is sent, so that nobody considers the connection dead. */
const HEARTBEAT = 15_000
/** Milliseconds between two checks of the session: nothing is sent after its end, and the stream ends at once. */
const SESSION_LOOK = 250
/** Milliseconds after which a client that has lost its connection should reconnect. */
const RETRY = 1_000

export async function liveStream(koa: KoaContext, live: LiveStream): Promise<void> {
  const { reader, leave, after } = live
  whenClosed(koa.res, leave)
  const start = await startOf(reader, after).catch((error: unknown) => {
    leave()
    throw error
  })
  koa.set('X-Accel-Buffering', 'no')
  koa.body = Readable.from(eventsOf(koa, live, start), { objectMode: false, highWaterMark: 1 })
  koa.set('Content-Type', 'text/event-stream; charset=utf-8')
}

interface Start {
  readonly number: number
  /** Entries that the client has missed and that are no longer kept. */
  readonly missed: number
}

/**
 * The start of the stream. Entries no longer kept are missed; a number above the last comes from another store, such as
 * one that was reset, and the stream starts at the end.
 */
async function startOf(reader: JournalReader, after: number | undefined): Promise<Start> {
  const { first, last } = await reader.bounds()
  if (after === undefined || after > last) return { number: last, missed: 0 }
  const kept = first === 0 ? last : first - 1
  return { number: Math.max(after, kept), missed: Math.max(0, kept - after) }
}

async function* eventsOf(koa: KoaContext, live: LiveStream, { number: first, missed }: Start) {
  const { reader, filter, watcher, leave, authenticate } = live
  let [number, sentAt] = [first, Date.now()]
  try {
    yield `retry: ${RETRY}\n${event('start', number, {})}`
    if (missed > 0) yield event('gap', number, { gap: { count: missed, why: 'they are not kept any more' } })
    for (;;) {
      await watcher.next(SESSION_LOOK)
      if (watcher.isEnded || !(await isSessionActive(koa, authenticate))) return
      const { text, upTo, isMore } = await nextOf(reader, filter, number)
      number = upTo
      if (isMore) watcher.wake()
      if (text === '' && Date.now() - sentAt < HEARTBEAT) continue
      yield text === '' ? ': heartbeat\n\n' : text
      sentAt = Date.now()
    }
  } finally {
    leave()
  }
}

/** The next entries; a store that cannot be read is retried, and the stream then continues where it was. */
async function nextOf(reader: JournalReader, filter: JournalFilter, number: number) {
  try {
    const { exchanges, upTo, isMore } = await reader.since(filter, number)
    return { text: exchanges.map(eventOf).join(''), upTo, isMore }
  } catch {
    return { text: '', upTo: number, isMore: false }
  }
}

const eventOf = ({ number, exchange }: NumberedExchange): string =>
  event(isGap(exchange) ? 'gap' : 'exchange', number, { number, ...exchange })

const event = (name: string, number: number, data: object): string =>
  `event: ${name}\nid: ${number}\ndata: ${JSON.stringify(data)}\n\n`

/** Whether the token is still valid, and its session active. */
async function isSessionActive(koa: KoaContext, authenticate: Middleware): Promise<boolean> {
  try {
    await authenticate(koa, async () => {})
    return true
  } catch {
    return false
  }
}
