/** The journal of one clinic, as it is read: lists by filters, and single exchanges. */
import { ROLES, type Role } from '../../clinics/accounts.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { JournalBounds, JournalFilter, JournalStore } from '../../storage/journal-port.ts'
import type { ExchangeDetail, Summary } from './exchange.ts'

export type { JournalFilter } from '../../storage/journal-port.ts'

export interface NumberedExchange {
  /** Its place in the journal of its clinic. */
  readonly number: number
  readonly exchange: Summary
}

export interface ExchangePage {
  readonly exchanges: readonly NumberedExchange[]
  /** Where the next page begins; absent: there is none. */
  readonly next?: number
}

export interface FoundExchange {
  readonly summary: Summary
  /** Absent for a gap. */
  readonly detail?: ExchangeDetail
}

/** Entries that are read in a step, and that are looked at for a page at most. */
const STEP = 500
const LOOKED_AT = 20_000

export class JournalReader {
  readonly #store: JournalStore
  readonly #clinic: string
  /** The least roles of the exchanges that the user may read. */
  readonly #audiences: readonly string[]

  /** @param role of the reading user: exchanges that need a higher one are invisible to it */
  constructor(store: JournalStore, clinic: string, role: Role) {
    this.#store = store
    this.#clinic = clinic
    this.#audiences = ROLES.slice(0, ROLES.indexOf(role) + 1)
  }

  /**
   * The newest first. A page may be shorter than requested and not be the last.
   * @param before only exchanges with a smaller number
   * @throws StoreUnavailable
   */
  async page(filter: JournalFilter, count: number, before?: number): Promise<ExchangePage> {
    const found: NumberedExchange[] = []
    let next = before
    for (let looked = 0; looked < LOOKED_AT; looked += STEP) {
      const limit = Math.min(STEP, Math.max(count - found.length, 1) * WIDER)
      const after = next === undefined ? {} : { after: next }
      const page = await this.#store.scan({
        clinic: this.#clinic,
        order: 'newest first',
        ...after,
        filter: this.#seenBy(filter),
        limit,
      })
      for (const { number, summary } of page.entries) {
        if (found.length === count) return { exchanges: found, next: found.at(-1)?.number ?? number }
        found.push(numbered({ number, summary }))
      }
      next = page.next
      if (next === undefined) return { exchanges: found }
      await yieldToEventLoop()
    }
    return { exchanges: found, ...(next === undefined ? {} : { next }) }
  }

  /**
   * The exchanges written after one, the oldest first.
   * @returns also the number up to which all have been given
   * @throws StoreUnavailable
   */
  async since(
    filter: JournalFilter,
    after: number,
  ): Promise<{ readonly exchanges: readonly NumberedExchange[]; readonly upTo: number; readonly isMore: boolean }> {
    const { last } = await this.#store.bounds(this.#clinic)
    if (last <= after) return { exchanges: [], upTo: Math.min(after, last), isMore: false }
    const page = await this.#store.scan({
      clinic: this.#clinic,
      order: 'oldest first',
      after,
      filter: this.#seenBy(filter),
      limit: STEP,
    })
    const exchanges = page.entries.map(numbered)
    const upTo = page.next ?? Math.max(last, exchanges.at(-1)?.number ?? 0)
    return { exchanges, upTo, isMore: page.next !== undefined }
  }

  /** @throws StoreUnavailable */
  async find(id: string): Promise<FoundExchange | undefined> {
    const found = await this.#store.read(this.#clinic, id)
    if (found === undefined || !this.#audiences.includes(found.audience)) return undefined
    const summary = JSON.parse(found.summary) as Summary
    return { summary, ...(found.detail === '' ? {} : { detail: JSON.parse(found.detail) as ExchangeDetail }) }
  }

  /** Operators read all, including entries of older versions, which name no audience. */
  #seenBy(filter: JournalFilter): JournalFilter {
    return this.#audiences.length === ROLES.length ? filter : { ...filter, audiences: this.#audiences }
  }

  /** @throws StoreUnavailable */
  bounds(): Promise<JournalBounds> {
    return this.#store.bounds(this.#clinic)
  }
}

const numbered = ({ number, summary }: { readonly number: number; readonly summary: string }): NumberedExchange => ({
  number,
  exchange: JSON.parse(summary) as Summary,
})

/** Factor of entries read for each one still missing from the page. */
const WIDER = 4
