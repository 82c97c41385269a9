/**
 * The upgrade of a store by a newer server: what is said before it begins, and how far the indexing of what is stored is
 * (docs/upgrading.md).
 */
import type { ComponentHealth } from '../../isolation/fair-queue.ts'
import type { IndexingProgress } from '../port.ts'

/** Announced before anything is changed. */
export interface Upgrade {
  /** `form`: tables or collections; milliseconds, before the start goes on. `search index`: in the background. */
  readonly part: 'form' | 'search index'
  /** Versions. */
  readonly from: number
  readonly to: number
  /** Resources to be indexed anew, by type. */
  readonly resources?: Readonly<Record<string, number>>
  /** Estimated time of that. */
  readonly seconds?: number
  /** How to go back to the server of before, a sentence. */
  readonly wayBack: string
}

/** MongoDB waits for it before it changes the form; nothing else does. */
export type OnUpgrade = (upgrade: Upgrade) => void | Promise<void>

/** Milliseconds that a resource takes, pauses for requests included, before any was measured. */
const EACH = 2

/** The estimated time for resources of which none was indexed yet. */
export const secondsFor = (resources: number): number => Math.ceil((resources * EACH) / 1_000)

const NO_WAY_BACK =
  'There is none: servers of earlier versions refuse this store from now on. To go back, restore a backup made before'
const SAME_VERSION = 'Start the server as it was configured before; it indexes again'

export const formUpgrade = (from: number, to: number): Upgrade => ({ part: 'form', from, to, wayBack: NO_WAY_BACK })

/** @param resources to be indexed anew, by type */
export function indexUpgrade(from: number, to: number, resources: ReadonlyMap<string, number>): Upgrade {
  const seconds = secondsFor(sumOf(resources))
  const wayBack = from < to ? NO_WAY_BACK : SAME_VERSION
  return { part: 'search index', from, to, resources: Object.fromEntries(resources), seconds, wayBack }
}

const sumOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, one) => sum + one, 0)

/** How far this process is with all types. */
export class IndexingEstimate {
  #left = new Map<string, number>()
  #done = 0
  /** As of performance.now(). */
  #began = 0

  /** @param left resources to be indexed, by type */
  begin(left: ReadonlyMap<string, number>): void {
    this.#left = new Map(left)
    this.#done = 0
    this.#began = performance.now()
  }

  did(type: string, count: number): void {
    this.#done += count
    this.#left.set(type, Math.max(0, (this.#left.get(type) ?? 0) - count))
  }

  completed(type: string): void {
    this.#left.delete(type)
  }

  leftOf(type: string): number {
    return this.#left.get(type) ?? 0
  }

  /** Resources of all types, and the estimated time for them. */
  get rest(): Pick<IndexingProgress, 'leftInAll' | 'seconds'> {
    const leftInAll = sumOf(this.#left)
    const each = this.#done === 0 ? EACH : (performance.now() - this.#began) / this.#done
    return { leftInAll, seconds: Math.ceil((leftInAll * each) / 1_000) }
  }

  /** @param incomplete types that some search parameters do not find yet. @param isOwn this process is indexing them */
  health(incomplete: readonly string[], isOwn: boolean): ComponentHealth {
    const name = 'search index'
    if (incomplete.length === 0) return { name, state: 'ok', waiting: 0, oldestMs: 0 }
    const { leftInAll, seconds } = this.rest
    const until = `searches by what ${inWords(incomplete)} lack get 503 until then`
    return isOwn
      ? {
          ...{ name, state: 'behind', waiting: leftInAll, oldestMs: Math.round(performance.now() - this.#began) },
          note: `the store is of an older version: ${leftInAll} resources are left to be indexed, about ${seconds} s; ${until}`,
        }
      : {
          ...{ name, state: 'behind', waiting: 0, oldestMs: 0 },
          note: `the store is of an older version, and another process indexes it, or this one within seconds; ${until}`,
        }
  }
}

const inWords = (types: readonly string[]): string =>
  types.length > 3 ? `${types.slice(0, 3).join(', ')} and ${types.length - 3} more types` : types.join(', ')
