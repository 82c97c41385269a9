/** Whose request it is, where requests share what the server has. */
import type { Context as KoaContext } from 'koa'

export interface Client {
  /** For requests without a token that of their call, or their address; '' before that is known. */
  readonly clinic: string
  /** The credential, or the address where there is none. */
  readonly token: string
}

export function clientOf(koa: KoaContext): Client {
  return { clinic: koa.state.holder ?? '', token: koa.req.headers.authorization ?? koa.ip }
}
