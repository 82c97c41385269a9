/** Records in the exchange the actions of users at the side routes: their clinic need not be the user's own. */
import type { Context as KoaContext } from 'koa'
import type { Role } from '../clinics/accounts.ts'
import { NO_SUBJECT } from '../record/audit/event.ts'
import { type ExchangeAccess, exchangeOf, userOf } from './exchange.ts'

interface UserAccess {
  /** The clinic whose data it is about; absent: that of the user. */
  readonly clinic?: string
  /** Path and query, where the access is a search. */
  readonly query?: string
  /** The ids of the patients that it is about. */
  readonly patients?: readonly string[]
  /** The least role that may read the exchange; absent: staff. */
  readonly leastRole?: Role
}

/**
 * Replaces the access recorded before: a route first records its intent, and later whose data it was.
 * @param what `change settings`
 */
export function tellUserAccess(koa: KoaContext, what: string, access: UserAccess = {}): void {
  const { sub: id, name, role, clinic: own } = userOf(koa)
  const { clinic = own, query = '', patients = [], leastRole } = access
  const told: ExchangeAccess = {
    ...NO_SUBJECT,
    interaction: 'operation',
    detail: what,
    query,
    patients,
    by: { clinic, agent: { kind: 'user', id, name, role } },
    ...(leastRole === undefined ? {} : { leastRole }),
  }
  exchangeOf(koa).accesses = [told]
}
