/**
 * The one point from which requests and their answers are observed: each is an exchange, which those who carry it out tell what
 * they do, and whose observers look at it when it has been answered.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Role } from '../clinics/accounts.ts'
import type { Access, AuditAgent } from '../record/audit/event.ts'
import type { Reason, ToolExchange } from '../record/journal/exchange.ts'

export interface ExchangeAccess extends Access {
  /** The clinic that it is about, and who acted, where that is not the user of the token in the clinic of the token. */
  readonly by?: { readonly clinic: string; readonly agent: AuditAgent }
  /** The least role that may read its exchange in the journal; absent: staff. */
  readonly leastRole?: Role
}

/** What is told of a request while it is carried out. It can be copied to another thread, and is replaced by what was done there. */
export interface ExchangeFacts {
  /** What it did, or tried to do; that without a status ended as the exchange did. */
  accesses: readonly ExchangeAccess[]
  /** Its tool calls, in their order. */
  tools?: readonly ToolExchange[]
  /** Values that are secrets, as the journal and the audit trail must not keep them wherever they stand: see `tellSecrets`. */
  secrets?: readonly string[]
  /** Why it was answered as it was, where that is more than its status says. */
  reason?: Reason
}

/** One request and its answer. */
export interface Exchange extends ExchangeFacts {
  /** When it began: milliseconds since 1970 UTC, and as of performance.now(). */
  readonly at: number
  readonly since: number
}

export interface Observer {
  /** Called once for each exchange, when its status is known. It must be quick, and never throws. */
  observe(exchange: Exchange, koa: KoaContext): void
}

/** The outermost middleware: what fails is answered within it. */
export const observed =
  (observers: readonly Observer[]): Middleware =>
  async (koa, next) => {
    const exchange: Exchange = { at: Date.now(), since: performance.now(), accesses: [] }
    koa.state.exchange = exchange
    await next()
    for (const observer of observers) observer.observe(exchange, koa)
  }

/** What was told of it somewhere else stands for what was told of it here. */
export const replaceFacts = (koa: Pick<KoaContext, 'state'>, told: ExchangeFacts): void =>
  void Object.assign(exchangeOf(koa), told)

/** For another thread. */
export const factsOf = ({ accesses, tools, secrets, reason }: ExchangeFacts): ExchangeFacts => ({
  accesses,
  ...(secrets === undefined ? {} : { secrets }),
  ...(tools === undefined ? {} : { tools }),
  ...(reason === undefined ? {} : { reason }),
})

/** Of a request that is under way. */
export const exchangeOf = ({ state }: Pick<KoaContext, 'state'>): Exchange => state.exchange as Exchange

/** Tells of passwords, tokens and keys that a request carries in its body or its path, or that its answer gives out. */
export function tellSecrets(koa: Pick<KoaContext, 'state'>, ...secrets: readonly (string | undefined)[]): void {
  const exchange = exchangeOf(koa)
  exchange.secrets = [...(exchange.secrets ?? []), ...secrets.filter((secret) => secret !== undefined)]
}
