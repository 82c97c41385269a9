/** The cookie in which a browser keeps its session: sent to `/session` only, and by no page of another site. */
import type { Context as KoaContext } from 'koa'
import { forbidden } from './authenticate.ts'

export class SessionCookie {
  readonly #baseOf: (koa: KoaContext) => string

  /** @param baseOf the address of this server as the client sees it */
  constructor(baseOf: (koa: KoaContext) => string) {
    this.#baseOf = baseOf
  }

  /** '' when there is none. */
  read(koa: KoaContext): string {
    return koa.cookies.get(nameAt(this.#base(koa))) ?? ''
  }

  write(koa: KoaContext, value: string, expires: Date): void {
    const base = this.#base(koa)
    const path = `${base.pathname.replace(/\/$/, '')}/session`
    const secure = base.protocol === 'https:' ? '; Secure' : ''
    koa.append(
      'Set-Cookie',
      `${nameAt(base)}=${value}; Path=${path}; Expires=${expires.toUTCString()}; HttpOnly; SameSite=Strict${secure}`,
    )
  }

  clear(koa: KoaContext): void {
    this.write(koa, '', new Date(0))
  }

  #base(koa: KoaContext): URL {
    return new URL(this.#baseOf(koa))
  }
}

/** Cookies do not distinguish the ports of a host. */
const nameAt = ({ protocol, port }: URL): string => `emr-session-${port || (protocol === 'https:' ? 443 : 80)}`

/**
 * Refuses requests from pages of other origins (https://www.w3.org/TR/fetch-metadata/). A client that is not a browser
 * sends no such headers, and passes.
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
