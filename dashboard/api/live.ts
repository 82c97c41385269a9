/**
 * The journal as it happens. A browser has few connections to a server, and a stream takes one, so one window of each
 * browser reads the stream, for all of its windows: the one that holds a lock. When it closes, another one continues
 * from where it stopped.
 */
import { fetched } from './client.ts'
import { eventsIn } from './event-stream.ts'
import { type Entry, isGap } from './exchanges.ts'

/** `started`: from now on no exchange is missed; earlier ones are in the list. */
type Listener = (news: Entry | 'started') => void

/** Milliseconds before a stream that has ended is opened again. */
const OPEN_AGAIN = 1000
/** Milliseconds before a refused stream is tried again, for example where too many are open. */
const ASK_AGAIN = 15_000
/** Something comes at least every 15 seconds; a stream that is silent for longer has lost its server. */
const SILENCE = 40_000

class LiveJournal {
  readonly #clinic: string
  readonly #name: string
  readonly #listeners = new Set<Listener>()
  readonly #windows: BroadcastChannel
  /** The number of the last exchange received. */
  #last: number | undefined
  /** Milliseconds since 1970 UTC. */
  #heardAt = 0
  #stop: AbortController | undefined

  constructor(clinic: string) {
    this.#clinic = clinic
    this.#name = `sandbox-emr-live ${document.baseURI} ${clinic}`
    this.#windows = new BroadcastChannel(this.#name)
    this.#windows.onmessage = ({ data }) => this.#tell(data as Entry | 'started')
  }

  get heardAt(): number {
    return this.#heardAt
  }

  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#stop === undefined) this.#begin()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#end()
    }
  }

  #begin(): void {
    const stop = new AbortController()
    this.#stop = stop
    void navigator.locks
      .request(this.#name, { signal: stop.signal }, () => this.#follow(stop.signal))
      // The request for the lock was aborted before its turn.
      .catch(() => undefined)
  }

  #end(): void {
    this.#stop?.abort()
    this.#stop = undefined
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const silence = new AbortController()
      const isRefused = await this.#read(AbortSignal.any([signal, silence.signal]), () => silence.abort()).catch(
        () => false,
      )
      if (signal.aborted) return
      await new Promise((resolve) => setTimeout(resolve, isRefused ? ASK_AGAIN : OPEN_AGAIN))
    }
  }

  /** @returns whether the server refused the stream */
  async #read(signal: AbortSignal, giveUp: () => void): Promise<boolean> {
    const after = this.#last === undefined ? '' : `?after=${this.#last}`
    const path = `clinics/${this.#clinic}/exchanges/live${after}`
    const { ok, body } = await fetched({ path, headers: { accept: 'text/event-stream' }, signal })
    if (!ok || body === null) return true
    for await (const news of newsIn(body, giveUp)) {
      this.#windows.postMessage(news)
      this.#tell(news)
    }
    return false
  }

  #tell(news: Entry | 'started'): void {
    if (news !== 'started') this.#heardAt = Date.now()
    if (news !== 'started' && !isGap(news)) {
      if (this.#last !== undefined && news.number <= this.#last) return
      this.#last = news.number
    }
    for (const listener of this.#listeners) listener(news)
  }
}

async function* newsIn(body: ReadableStream<Uint8Array>, onSilence: () => void): AsyncGenerator<Entry | 'started'> {
  for await (const { event, data } of eventsIn(body, { after: SILENCE, onSilence })) {
    if (event === 'start') yield 'started'
    else if (event === 'exchange' || event === 'gap') yield JSON.parse(data) as Entry
  }
}

const journals = new Map<string, LiveJournal>()

/**
 * @param listener gets each exchange of the clinic, once and in their order, whichever window reads them
 * @returns ends it
 */
export function listenToJournal(clinic: string, listener: Listener): () => void {
  const journal = journals.get(clinic) ?? new LiveJournal(clinic)
  journals.set(clinic, journal)
  return journal.listen(listener)
}

/**
 * Whether an exchange has arrived in the last milliseconds, so that the clinic keeps a journal and its stream works.
 */
export const hasHeardWithin = (clinic: string, milliseconds: number): boolean =>
  Date.now() - (journals.get(clinic)?.heardAt ?? 0) < milliseconds
