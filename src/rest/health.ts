/** Health checks: the process is alive, and ready to serve from its store. */
import Router from '@koa/router'
import type { Repository } from '../repository/repository.ts'
import { type SmallRouter, smallRouter } from './server/small-router.ts'

export interface HealthParts {
  readonly repository: Repository
  /** True once the shutdown has begun: load balancers should send nothing new. */
  readonly isClosing: () => boolean
  /** The number of this process, where several run: each answers for itself. */
  readonly worker?: number | undefined
}

export function healthRoutes({ repository, isClosing, worker }: HealthParts): SmallRouter {
  const router = new Router()
  const self = worker === undefined ? {} : { worker }
  router.get('/health/live', (koa) => {
    koa.body = { status: 'live', ...self }
  })
  router.get('/health/ready', async (koa) => {
    const error = isClosing() ? 'the server is being stopped' : await storeFault(repository)
    if (error === undefined) {
      koa.body = { status: 'ready', ...self }
      return
    }
    koa.status = 503
    koa.set('Retry-After', '5')
    koa.body = { status: 'unavailable', error, ...self }
  })
  return smallRouter(['health'], router)
}

async function storeFault(repository: Repository): Promise<string | undefined> {
  try {
    await repository.isEmpty()
    return undefined
  } catch {
    return 'the store does not answer'
  }
}
