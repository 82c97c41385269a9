/**
 * The watchers of the journal of a clinic: each reads from the store by a cursor of its own, so it sees what all
 * processes write, at its own speed. Here they are only woken: when this process has written, and when the store has
 * grown.
 */
import { forNoRequest } from '../../isolation/budget.ts'
import type { Journal } from './journal.ts'

/** Milliseconds between two checks for entries of other processes. */
const LOOK_EVERY = 100

/** Most watchers of one clinic in a process. */
export const MAX_WATCHERS = 16

interface Watched {
  readonly watchers: Set<Watcher>
  /** The number of the last entry that was seen. */
  last: number
}

export class Watcher {
  readonly #ended = new AbortController()
  #wake: (() => void) | undefined
  #isAwake = true

  get isEnded(): boolean {
    return this.#ended.signal.aborted
  }

  wake(): void {
    this.#isAwake = true
    this.#wake?.()
  }

  end(): void {
    this.#ended.abort()
    this.#wake?.()
  }

  /** Resolves when there may be something new, after `milliseconds`, or when it ends. */
  async next(milliseconds: number): Promise<void> {
    if (!this.#isAwake && !this.isEnded) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      const timer = setTimeout(resolve, milliseconds)
      await promise
      clearTimeout(timer)
      this.#wake = undefined
    }
    this.#isAwake = false
  }
}

export class LiveJournal {
  readonly #journal: Journal
  readonly #watched = new Map<string, Watched>()
  readonly #stopListening: () => void
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(journal: Journal) {
    this.#journal = journal
    this.#stopListening = journal.onWritten(() => this.#wakeAll())
  }

  /**
   * Undefined where too many watch already, or the server is stopping. The watcher must be given to `leave` in the end.
   */
  watch(clinic: string): Watcher | undefined {
    const watched = this.#watched.get(clinic) ?? { watchers: new Set(), last: 0 }
    if (this.#isClosed || watched.watchers.size >= MAX_WATCHERS) return undefined
    const watcher = new Watcher()
    watched.watchers.add(watcher)
    this.#watched.set(clinic, watched)
    this.#timer ??= forNoRequest(() => setTimeout(() => void this.#look(), LOOK_EVERY)).unref()
    return watcher
  }

  leave(clinic: string, watcher: Watcher): void {
    watcher.end()
    const watched = this.#watched.get(clinic)
    watched?.watchers.delete(watcher)
    if (watched?.watchers.size === 0) this.#watched.delete(clinic)
  }

  /** Ends all watchers, so that a server that is stopping does not wait for them. */
  close(): void {
    this.#isClosed = true
    this.#stopListening()
    clearTimeout(this.#timer)
    for (const { watchers } of this.#watched.values()) for (const watcher of watchers) watcher.end()
  }

  #wakeAll(): void {
    for (const { watchers } of this.#watched.values()) for (const watcher of watchers) watcher.wake()
  }

  async #look(): Promise<void> {
    for (const [clinic, watched] of this.#watched) {
      const last = await this.#lastOf(clinic)
      if (last === undefined || last === watched.last) continue
      watched.last = last
      for (const watcher of watched.watchers) watcher.wake()
    }
    this.#timer = undefined
    if (this.#watched.size === 0 || this.#isClosed) return
    this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY).unref()
  }

  /** Undefined while the store cannot be read. */
  async #lastOf(clinic: string): Promise<number | undefined> {
    try {
      return (await this.#journal.store.bounds(clinic)).last
    } catch {
      return undefined
    }
  }
}
