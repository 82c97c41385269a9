/**
 * The one point from which requests and their answers are observed: each is an exchange, which those who carry it out tell what
 * they do, and whose observers look at it when it has been answered.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Access, AuditAgent } from '../../audit/event.ts'

/** An access by somebody else than the user of the token, or in another clinic. */
export interface ExchangeAccess extends Access {
  readonly by?: { readonly clinic: string; readonly agent: AuditAgent }
}

/** One request and its answer. */
export interface Exchange {
  /**
   * What it did, or tried to do; that without a status ended as the exchange did. It can be copied to another thread and is
   * replaced by what was done there.
   */
  accesses: readonly ExchangeAccess[]
}

export interface Observer {
  /** Called once for each exchange, when its status is known. It must be quick, and never throws. */
  observe(exchange: Exchange, koa: KoaContext): void
}

/** The outermost middleware: what fails is answered within it. */
export const observed =
  (observers: readonly Observer[]): Middleware =>
  async (koa, next) => {
    const exchange: Exchange = { accesses: [] }
    koa.state.exchange = exchange
    await next()
    for (const observer of observers) observer.observe(exchange, koa)
  }

/** Of a request that is under way. */
export const exchangeOf = ({ state }: Pick<KoaContext, 'state'>): Exchange => state.exchange as Exchange
