/** The routes that are not FHIR: each small router answers alone for the paths that begin with its words. */
import type { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import { FhirError, notFound } from '../../fhir/outcome.ts'

/** Most requests are for none of the small routers, so each is only asked about its own paths; what it has not is 404 or 405. */
export function under(words: readonly string[], router: Router): Middleware {
  const routes = router.routes() as Middleware
  return (koa, next) =>
    words.includes(koa.path.split('/', 2)[1] ?? '') ? routes(koa, () => Promise.reject(noRoute(router, koa))) : next()
}

function noRoute(router: Router, { method, path }: KoaContext): FhirError {
  const methods = router.match(path, method).path.flatMap((layer) => layer.methods)
  if (methods.length === 0) return notFound(`There is nothing at ${method} ${path}`)
  const allow = [...new Set(methods)].join(', ')
  const diagnostics = `${method} ${path} is not supported; ${allow} may be`
  return new FhirError(405, { code: 'not-supported', diagnostics }, { allow })
}
