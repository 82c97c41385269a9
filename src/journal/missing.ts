/** What is missing in the journal: how many exchanges of each clinic, between when and when, and why. */
import { randomUUID } from 'node:crypto'
import type { JournalEntry } from '../storage/journal-port.ts'
import type { GapSummary } from './exchange.ts'

interface Missing {
  readonly clinic: string
  readonly why: string
  /** Milliseconds since 1970 UTC. */
  readonly from: number
  to: number
  count: number
}

/** Milliseconds. */
const BETWEEN_ENTRIES = 2_000

export class MissingExchanges {
  #missing = new Map<string, Missing>()
  #takenAt = Number.NEGATIVE_INFINITY

  /** Exchanges that are missing and that no entry tells of yet. */
  get count(): number {
    return this.#missing.values().reduce((sum, { count }) => sum + count, 0)
  }

  /** @param why the reason, as the end of a sentence */
  add(clinic: string, at: number, why: string): void {
    const key = `${clinic} ${why}`
    const missing = this.#missing.get(key)
    if (missing === undefined) {
      this.#missing.set(key, { clinic, why, from: at, to: at, count: 1 })
      return
    }
    missing.to = at
    missing.count += 1
  }

  /**
   * The entries that tell of them. While more and more is missing, there are a few of them rather than one for each write.
   * @param now milliseconds since 1970 UTC
   * @param isLast there will be no later time to tell of them
   */
  take(now: number, isLast: boolean): readonly JournalEntry[] {
    if (this.#missing.size === 0 || (now - this.#takenAt < BETWEEN_ENTRIES && !isLast)) return []
    this.#takenAt = now
    const missing = [...this.#missing.values()]
    this.#missing = new Map()
    return missing.map(entryOf)
  }
}

function entryOf({ clinic, why, from, to, count }: Missing): JournalEntry {
  const [first, last] = [new Date(from).toISOString(), new Date(to).toISOString()]
  const summary: GapSummary = { gap: { count, from: first, to: last, why } }
  return {
    clinic,
    id: `gap-${randomUUID()}`,
    at: to,
    isGap: true,
    ...{ run: '', call: '', status: 0, path: '', type: '' },
    summary: JSON.stringify(summary),
    detail: '',
  }
}
