/** Reads exchanges for a run, bounded in memory, in work and in turns of the event loop: plans are written by users. */
import { LRUCache } from 'lru-cache'
import { yieldingWhenLong } from '../../isolation/long-work.ts'
import type { ExchangeDetail, ShownBody } from '../../record/journal/exchange.ts'
import type { JournalReader } from '../../record/journal/journal-reader.ts'
import type { ExchangeSource, KeptExchange } from './exchange-matching.ts'

/** Characters of bodies that are kept, parsed ones too: those of steps' own exchanges are asked again and again. */
const MOST_KEPT = 2_000_000
/** Characters of an exchange besides its bodies. */
const USUAL = 2_000
/** Items that the expressions of a plan may process in a run: some tens of seconds. */
const WORK = 100_000_000
/** Exchanges that are read together at most. */
const TOGETHER = 50

export class JournalSource implements ExchangeSource {
  readonly #reader: JournalReader
  readonly #kept = new LRUCache<string, KeptExchange>({ maxSize: MOST_KEPT, sizeCalculation: sizeOf })
  #coming: readonly string[] = []
  /** Read together with another one, and not asked for so far. */
  #ahead = new Map<string, KeptExchange>()
  #together = 1
  left = WORK

  constructor(reader: JournalReader) {
    this.#reader = reader
  }

  /** @param ids of the exchanges that are watched next, in their order: one that is read is read with those after it */
  comes(ids: readonly string[]): void {
    this.#coming = ids
  }

  async read(id: string): Promise<KeptExchange | undefined> {
    const known = this.#kept.get(id)
    if (known !== undefined) return known
    if (!this.#ahead.has(id)) await this.#readWith(id)
    const kept = this.#ahead.get(id)
    this.#ahead.delete(id)
    if (kept !== undefined) this.#kept.set(id, kept)
    return kept
  }

  /** Reads twice as many as have been asked for of the last ones, as a plan may ask for few. */
  async #readWith(id: string): Promise<void> {
    this.#together = Math.min(TOGETHER, Math.max(1, 2 * (this.#together - this.#ahead.size)))
    const index = this.#coming.indexOf(id)
    const ids = index === -1 ? [id] : this.#coming.slice(index, index + this.#together)
    const found = await this.#reader.findAll(ids)
    this.#ahead = new Map(
      [...found].flatMap(([each, { detail }]) => (detail === undefined ? [] : [[each, { detail, parsed: {} }]])),
    )
  }

  /** Called between two exchanges. */
  readonly turn = yieldingWhenLong()
}

const sizeOf = ({ detail: { request, response } }: { readonly detail: ExchangeDetail }): number =>
  USUAL + lengthOf(request.body) + lengthOf(response.body)

const lengthOf = (body: ShownBody | undefined): number => body?.text?.length ?? 0
