/** Whose request it is, where requests share what the server has. */
import type { Context as KoaContext } from 'koa'
import type { User } from './token.ts'

export interface Client {
  /** '' before authentication, and for requests that need none. */
  readonly clinic: string
  /** The credential, or the address where there is none. */
  readonly token: string
}

export function clientOf(koa: KoaContext): Client {
  const user = koa.state.user as User | undefined
  return { clinic: user?.clinic ?? '', token: koa.req.headers.authorization ?? koa.ip }
}
