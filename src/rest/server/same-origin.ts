/** Requests that a browser sends for a page of this server, not of another one (https://www.w3.org/TR/fetch-metadata/). */
import type { Context as KoaContext } from 'koa'
import { forbidden } from './roles.ts'

/**
 * What is no browser says nothing of where a request comes from, and is let through.
 * @param base the address of this server as the client sees it
 * @throws FhirError 403
 */
export function requireSameOrigin(koa: KoaContext, base: string): void {
  const site = koa.get('sec-fetch-site')
  const origin = koa.get('origin')
  const isOurs = site === '' ? origin === '' || origin === new URL(base).origin : SITES.has(site)
  if (!isOurs) throw forbidden('A page of another origin asked for this; only pages of this server may')
}

/** `none`: the user himself, not a page. */
const SITES: ReadonlySet<string> = new Set(['same-origin', 'none'])
