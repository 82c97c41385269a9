/**
 * Health checks: the process is alive, and ready to serve. They are served before any queue, and wait for nothing, so
 * that they also respond under load.
 */
import Router from '@koa/router'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { atMost, type ComponentHealth, HEALTH_STATES } from '../isolation/fair-queue.ts'
import type { Repository } from '../repository/repository.ts'

export interface HealthParts {
  readonly repository: Repository
  /** Load of the parts of this process, besides the event loop and the database. */
  readonly loads: () => readonly ComponentHealth[]
  /** True once the shutdown has begun: load balancers should send nothing new. */
  readonly isClosing: () => boolean
  /** The number of this process, where several run: each reports on itself. */
  readonly worker?: number | undefined
}

export function healthRoutes({ repository, loads, isClosing, worker }: HealthParts): SideRouter {
  const router = new Router()
  const self = worker === undefined ? {} : { worker }
  const probe = new StoreProbe(() => repository.isEmpty())
  router.get('/health/live', (koa) => {
    koa.body = { status: 'live', ...self }
  })
  router.get('/health/ready', async (koa) => {
    const parts = worstByName([...loads(), await probe.load()])
    const error = isClosing() ? 'the server is being stopped' : faultOf(parts)
    if (error === undefined) {
      koa.body = { status: 'ready', ...self, parts }
      return
    }
    koa.status = 503
    koa.set('Retry-After', '5')
    koa.body = { status: 'unavailable', error, ...self, parts }
  })
  return sideRouter(['health'], router)
}

function faultOf(parts: readonly ComponentHealth[]): string | undefined {
  const down = parts.filter(({ state }) => state === 'down').map(({ name }) => name)
  return down.length === 0 ? undefined : `this does not work now: ${down.join(', ')}`
}

/** The worst state of each name: the store engine and the probe may both report on the database. */
function worstByName(parts: readonly ComponentHealth[]): readonly ComponentHealth[] {
  const worst = new Map<string, ComponentHealth>()
  for (const part of parts) {
    const known = worst.get(part.name)
    if (known === undefined || HEALTH_STATES.indexOf(part.state) > HEALTH_STATES.indexOf(known.state))
      worst.set(part.name, part)
  }
  return [...worst.values()]
}

/** Milliseconds for which a result is reused. */
const GOOD_FOR = 1_000
/** Milliseconds that a caller waits for a new result. */
const PATIENCE = 50
/** Milliseconds without a reply after which the store counts as lost. */
const LOST_AFTER = 2_000

/** Probes the store now and then, and never waits long for its reply. */
class StoreProbe {
  readonly #ask: () => Promise<unknown>
  /** Milliseconds, as of performance.now(). */
  #askedAt = 0
  #answer: Promise<void> | undefined
  #last: { readonly at: number; readonly isGood: boolean } | undefined

  /** @param ask rejects when the store does not answer */
  constructor(ask: () => Promise<unknown>) {
    this.#ask = ask
  }

  /** Within a moment, also where the store is silent. */
  async load(): Promise<ComponentHealth> {
    if (this.#answer === undefined && !this.#isFresh()) this.#begin()
    if (this.#answer !== undefined) await atMost(PATIENCE, this.#answer)
    const waits = this.#answer !== undefined
    const oldestMs = waits ? Math.round(performance.now() - this.#askedAt) : 0
    return { name: 'database', state: this.#stateAfter(oldestMs), waiting: waits ? 1 : 0, oldestMs }
  }

  #stateAfter(oldestMs: number): ComponentHealth['state'] {
    if (this.#last?.isGood === false || oldestMs > LOST_AFTER) return 'down'
    return this.#answer === undefined ? 'ok' : 'behind'
  }

  #isFresh(): boolean {
    return this.#last !== undefined && performance.now() - this.#last.at < GOOD_FOR
  }

  #begin(): void {
    this.#askedAt = performance.now()
    const ended = (isGood: boolean) => {
      this.#answer = undefined
      this.#last = { at: performance.now(), isGood }
    }
    this.#answer = this.#ask().then(
      () => ended(true),
      () => ended(false),
    )
  }
}
