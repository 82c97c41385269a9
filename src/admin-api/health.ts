/**
 * Health checks: the process is alive, and ready to serve. They are served before any queue, and wait for nothing, so
 * that they also respond under load.
 */
import Router from '@koa/router'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { StoreProbe } from '../http/store-probe.ts'
import type { ComponentHealth } from '../isolation/fair-queue.ts'
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

const STATES: readonly ComponentHealth['state'][] = ['ok', 'behind', 'degraded', 'down']

/** The worst state of each name: the store engine and the probe may both report on the database. */
function worstByName(parts: readonly ComponentHealth[]): readonly ComponentHealth[] {
  const worst = new Map<string, ComponentHealth>()
  for (const part of parts) {
    const known = worst.get(part.name)
    if (known === undefined || STATES.indexOf(part.state) > STATES.indexOf(known.state)) worst.set(part.name, part)
  }
  return [...worst.values()]
}
