/** Requests that name two hosts: https://www.rfc-editor.org/rfc/rfc9112#section-3.2. */
import type { Middleware } from 'koa'
import { badRequest } from '../fhir/outcome.ts'

/** A proxy and this server could each take another one for the host. @throws FhirError 400 */
export const oneHost: Middleware = (koa, next) => {
  const { rawHeaders } = koa.req
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw badRequest('The request has several Host headers; send one')
  return next()
}
