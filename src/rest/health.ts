/** Health for the machine that runs the server: alive, and ready to serve from its store. */
import Router from '@koa/router'
import type { Repository } from '../repository.ts'

export function healthRoutes(repository: Repository): Router {
  const router = new Router()
  router.get('/health/live', (koa) => {
    koa.body = { status: 'live' }
  })
  router.get('/health/ready', async (koa) => {
    try {
      await repository.isEmpty()
      koa.body = { status: 'ready' }
    } catch {
      koa.status = 503
      koa.set('Retry-After', '5')
      koa.body = { status: 'unavailable', error: 'the store does not answer' }
    }
  })
  return router
}
