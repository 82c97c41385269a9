/**
 * Requests that had to be begun again in a work thread a moment ago. Those like them are sent there at once: the event loop
 * need not find out each time.
 */
import type { Context as KoaContext } from 'koa'

/** Milliseconds. */
const LATELY = 10_000
/** When there are more kinds of requests, all are forgotten. */
const KEPT = 1_000

export class MovedLately {
  /** Until when, in milliseconds since 1970 UTC. */
  readonly #until = new Map<string, number>()

  /** Only reads are told apart by their address; what is written differs by its body. */
  isLike(koa: KoaContext): boolean {
    if (this.#until.size === 0 || koa.method !== 'GET') return false
    const until = this.#until.get(keyOf(koa))
    return until !== undefined && Date.now() < until
  }

  add(koa: KoaContext): void {
    if (koa.method !== 'GET') return
    if (this.#until.size >= KEPT) this.#until.clear()
    this.#until.set(keyOf(koa), Date.now() + LATELY)
  }
}

/** Of the same clinic, at the same path, with the same parameters, whatever their values. */
const keyOf = ({ state, path, query }: KoaContext): string =>
  `${state.holder ?? ''} ${path} ${Object.keys(query).sort().join(' ')}`
