/** The journal of one clinic, as it is read: lists by filters, and single exchanges. */
import { ROLES, type Role } from '../../clinics/accounts.ts'
import { currentBudget } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import type { FoundEntry, JournalBounds, JournalFilter, JournalStore } from '../../storage/journal-port.ts'
import { type Counts, Tally } from './counts.ts'
import { type ExchangeDetail, isGap, type Summary } from './exchange.ts'

export type { FoundEntry, JournalFilter, JournalPage, JournalScan } from '../../storage/journal-port.ts'

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
  /** Its place in the journal of its clinic. */
  readonly number: number
  readonly summary: Summary
  /** Absent for a gap. */
  readonly detail?: ExchangeDetail
}

/** Entries that are read in a step, and that are looked at for a page at most. */
const STEP = 500
const LOOKED_AT = 20_000
/** Entries that are looked at for counts at most. */
const COUNTED = 100_000
/** Milliseconds by which an entry may be written later than those that began after it. */
const LATE = 600_000

/** The part of a store that is read. */
export type JournalEntries = Pick<JournalStore, 'bounds' | 'scan' | 'measure' | 'read'>

export class JournalReader {
  readonly #store: JournalEntries
  readonly #clinic: string
  /** The least roles of the exchanges that the user may read. */
  readonly #audiences: readonly string[]

  /** @param role of the reading user: exchanges that need a higher one are invisible to it */
  constructor(store: JournalEntries, clinic: string, role: Role) {
    this.#store = store
    this.#clinic = clinic
    this.#audiences = ROLES.slice(0, ROLES.indexOf(role) + 1)
  }

  /**
   * A page may be shorter than requested and not be the last.
   * @param past only exchanges that come after this number in the order
   * @throws StoreUnavailable
   */
  async page(
    filter: JournalFilter,
    count: number,
    past?: number,
    order: 'newest first' | 'oldest first' = 'newest first',
  ): Promise<ExchangePage> {
    const found: NumberedExchange[] = []
    let next = past
    for (let looked = 0; looked < LOOKED_AT; looked += STEP) {
      const limit = Math.min(STEP, Math.max(count - found.length, 1) * WIDER)
      const after = next === undefined ? {} : { after: next }
      const page = await this.#store.scan({
        clinic: this.#clinic,
        order,
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
   * How many there are, from `since` of the filter on, or else from the oldest, until `until`, or else now.
   * @throws StoreUnavailable
   */
  async counts(filter: JournalFilter, now: number): Promise<Counts> {
    const since = filter.since ?? (await this.#begin()) ?? now
    const tally = new Tally(since, Math.max(filter.until ?? now, since + 1))
    let next: number | undefined
    for (let looked = 0; looked < COUNTED; looked += STEP) {
      currentBudget()?.check('counting exchanges')
      const after = next === undefined ? {} : { after: next }
      const scan = { clinic: this.#clinic, order: 'newest first', ...after, limit: STEP } as const
      const page = await this.#store.measure({ ...scan, filter: this.#seenBy({ ...filter, since: since - LATE }) })
      for (const measure of page.measures) tally.add(measure)
      next = page.next
      const isPast = page.oldest !== undefined && page.oldest < since - LATE
      if (next === undefined || isPast) return tally.counts(true)
      await yieldToEventLoop()
    }
    return tally.counts(false)
  }

  /** When the oldest entry began, in milliseconds since 1970 UTC. */
  async #begin(): Promise<number | undefined> {
    const scan = { clinic: this.#clinic, order: 'oldest first', filter: {}, limit: 1 } as const
    const [first] = (await this.#store.scan(scan)).entries.map(numbered)
    if (first === undefined) return undefined
    return Date.parse(isGap(first.exchange) ? first.exchange.gap.from : first.exchange.time)
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
    return (await this.findAll([id])).get(id)
  }

  /** The exchanges with these ids, as far as there are any. @throws StoreUnavailable */
  async findAll(ids: readonly string[]): Promise<ReadonlyMap<string, FoundExchange>> {
    const found = (await this.#store.read(this.#clinic, ids)).filter(({ audience }) =>
      this.#audiences.includes(audience),
    )
    return new Map(found.map((entry) => [entry.id, foundExchange(entry)]))
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

const foundExchange = ({ number, summary, detail }: FoundEntry): FoundExchange => ({
  number,
  summary: JSON.parse(summary) as Summary,
  ...(detail === '' ? {} : { detail: JSON.parse(detail) as ExchangeDetail }),
})

const numbered = ({ number, summary }: { readonly number: number; readonly summary: string }): NumberedExchange => ({
  number,
  exchange: JSON.parse(summary) as Summary,
})

/** Factor of entries read for each one still missing from the page. */
const WIDER = 4
