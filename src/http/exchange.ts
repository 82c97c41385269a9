/**
 * The one point from which exchanges are observed: the code that serves a request adds facts to its exchange, and
 * observers see it when the response is ready.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Role } from '../clinics/accounts.ts'
import type { Access, AuditAgent } from '../record/audit/event.ts'
import type { Reason, ToolExchange } from '../record/journal/exchange.ts'

export interface ExchangeAccess extends Access {
  /** The clinic and the agent, where they are not the user of the token and that user's clinic. */
  readonly by?: { readonly clinic: string; readonly agent: AuditAgent }
  /** The least role that may read its exchange in the journal; absent: staff. */
  readonly leastRole?: Role
}

/**
 * Facts collected while a request is served. They can be copied to another thread, and are replaced by those of a work
 * thread.
 */
export interface ExchangeFacts {
  /** The accesses performed or attempted; one without a status ended as the exchange did. */
  accesses: readonly ExchangeAccess[]
  /** Its tool calls, in order. */
  tools?: readonly ToolExchange[]
  /** Secret values, which the journal and the audit trail must not keep anywhere: see `tellSecrets`. */
  secrets?: readonly string[]
  /** The reason for the response, where the status does not say it all. */
  reason?: Reason
}

/** One request and its response. */
export interface Exchange extends ExchangeFacts {
  /** When it began: milliseconds since 1970 UTC, and as of performance.now(). */
  readonly at: number
  readonly since: number
}

export interface Observer {
  /** Called once for each exchange, when its status is known. It must be quick, and never throws. */
  observe(exchange: Exchange, koa: KoaContext): void
}

/** The outermost middleware: errors become responses within it. */
export const observed =
  (observers: readonly Observer[]): Middleware =>
  async (koa, next) => {
    const exchange: Exchange = { at: Date.now(), since: performance.now(), accesses: [] }
    koa.state.exchange = exchange
    await next()
    for (const observer of observers) observer.observe(exchange, koa)
  }

/** Facts from the work thread replace those collected here. */
export const replaceFacts = (koa: Pick<KoaContext, 'state'>, told: ExchangeFacts): void =>
  void Object.assign(exchangeOf(koa), told)

/** The facts, to be sent to another thread. */
export const factsOf = ({ accesses, tools, secrets, reason }: ExchangeFacts): ExchangeFacts => ({
  accesses,
  ...(secrets === undefined ? {} : { secrets }),
  ...(tools === undefined ? {} : { tools }),
  ...(reason === undefined ? {} : { reason }),
})

/** The exchange of a request in progress. */
export const exchangeOf = ({ state }: Pick<KoaContext, 'state'>): Exchange => state.exchange as Exchange

/** Registers passwords, tokens and keys that a request carries in its body or its path, or that its response issues. */
export function tellSecrets(koa: Pick<KoaContext, 'state'>, ...secrets: readonly (string | undefined)[]): void {
  const exchange = exchangeOf(koa)
  exchange.secrets = [...(exchange.secrets ?? []), ...secrets.filter((secret) => secret !== undefined)]
}
