/**
 * The journal as it happens. A browser has few connections to a server, and a stream takes one, so one window of each
 * browser reads the stream, for all of its windows: the one that holds a lock. When it is closed, another one goes on
 * where it ended.
 */
import { fetched } from './client.ts'
import { type Entry, isGap } from './exchanges.ts'

/** `started`: from now on nothing is missed; what happened before is in the list. */
type Listener = (news: Entry | 'started') => void

/** Milliseconds until a stream that has ended is opened again. */
const OPEN_AGAIN = 1000

class LiveJournal {
  readonly #clinic: string
  readonly #name: string
  readonly #listeners = new Set<Listener>()
  readonly #windows: BroadcastChannel
  /** Of the last exchange that has come. */
  #last: number | undefined
  #stop: AbortController | undefined

  constructor(clinic: string) {
    this.#clinic = clinic
    this.#name = `sandbox-emr-live ${document.baseURI} ${clinic}`
    this.#windows = new BroadcastChannel(this.#name)
    this.#windows.onmessage = ({ data }) => this.#tell(data as Entry)
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
      // It was given up before it was its turn.
      .catch(() => undefined)
  }

  #end(): void {
    this.#stop?.abort()
    this.#stop = undefined
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#read(signal).catch(() => undefined)
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, OPEN_AGAIN))
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const after = this.#last === undefined ? '' : `?after=${this.#last}`
    const path = `clinics/${this.#clinic}/exchanges/live${after}`
    const { ok, body } = await fetched({ path, headers: { accept: 'text/event-stream' }, signal })
    if (!ok || body === null) return
    for await (const news of newsIn(body)) {
      if (news !== 'started') this.#windows.postMessage(news)
      this.#tell(news)
    }
  }

  #tell(news: Entry | 'started'): void {
    if (news !== 'started' && !isGap(news)) {
      if (this.#last !== undefined && news.number <= this.#last) return
      this.#last = news.number
    }
    for (const listener of this.#listeners) listener(news)
  }
}

/** https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream */
async function* newsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Entry | 'started'> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value.replaceAll('\r', '')).split('\n\n')
    rest = events.pop() ?? ''
    yield* events.flatMap(newsOf)
  }
}

function newsOf(event: string): readonly (Entry | 'started')[] {
  const lines = event.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line))
  const valuesOf = (field: string) => lines.flatMap((line) => (line?.[1] === field ? [line[2] ?? ''] : [])).join('\n')
  const kind = valuesOf('event')
  if (kind === 'start') return ['started']
  return kind === 'exchange' || kind === 'gap' ? [JSON.parse(valuesOf('data')) as Entry] : []
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
