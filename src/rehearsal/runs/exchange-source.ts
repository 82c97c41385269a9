/** Reads exchanges for a run, bounded in memory, in work and in turns of the event loop: plans are written by users. */
import { LRUCache } from 'lru-cache'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { ExchangeDetail, ShownBody } from '../../record/journal/exchange.ts'
import type { JournalReader } from '../../record/journal/journal-reader.ts'
import type { ExchangeSource, KeptExchange } from './exchange-matching.ts'

/** Characters of bodies that are kept, parsed ones too: those of steps' own exchanges are asked again and again. */
const MOST_KEPT = 2_000_000
/** Characters of an exchange besides its bodies. */
const USUAL = 2_000
/** Items that the expressions of a plan may process in a run: some tens of seconds. */
const WORK = 100_000_000
/** Milliseconds of work after which others have their turn. */
const SLICE = 5

export class JournalSource implements ExchangeSource {
  readonly #reader: JournalReader
  readonly #kept = new LRUCache<string, KeptExchange>({ maxSize: MOST_KEPT, sizeCalculation: sizeOf })
  #since = performance.now()
  left = WORK

  constructor(reader: JournalReader) {
    this.#reader = reader
  }

  async read(id: string): Promise<KeptExchange | undefined> {
    const known = this.#kept.get(id)
    if (known !== undefined) return known
    const detail = (await this.#reader.find(id))?.detail
    if (detail === undefined) return undefined
    const kept: KeptExchange = { detail, parsed: {} }
    this.#kept.set(id, kept)
    return kept
  }

  async turn(): Promise<void> {
    if (performance.now() - this.#since < SLICE) return
    await yieldToEventLoop()
    this.#since = performance.now()
  }
}

const sizeOf = ({ detail: { request, response } }: { readonly detail: ExchangeDetail }): number =>
  USUAL + lengthOf(request.body) + lengthOf(response.body)

const lengthOf = (body: ShownBody | undefined): number => body?.text?.length ?? 0
