/** Exchanges as events of the audit trail: every access to a clinic's data, logins, and what was refused. */
import type { Context as KoaContext } from 'koa'
import { type Access, type AuditAgent, NO_SUBJECT } from '../audit/event.ts'
import type { AuditTrail } from '../audit/trail.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Exchange, ExchangeAccess, Observer } from './server/exchange.ts'
import type { User } from './server/token.ts'

/** Events of nobody known that are recorded in a minute: whoever floods the server must not fill its disk. */
const STRANGERS_PER_MINUTE = 600
const MINUTE = 60_000

const UNKNOWN: AuditAgent = { kind: 'unknown' }
/** Characters of an address that was refused. */
const MAX_ADDRESS = 200

export class AuditObserver implements Observer {
  readonly #trail: AuditTrail
  readonly #addressOf: (koa: KoaContext) => string
  /** The user of a token is one object for as long as the token is remembered, and so is its agent. */
  readonly #agents = new WeakMap<User, AuditAgent>()
  #strangers = { since: 0, count: 0 }

  /** @param addressOf the IP address of the client */
  constructor(trail: AuditTrail, addressOf: (koa: KoaContext) => string) {
    this.#trail = trail
    this.#addressOf = addressOf
  }

  observe({ accesses }: Exchange, koa: KoaContext): void {
    if (accesses.length > 0) for (const access of accesses) this.#record(access, koa)
    else if (koa.status === 401 || koa.status === 403) this.#record(refusalOf(koa), koa)
  }

  #record(access: ExchangeAccess, koa: KoaContext): void {
    const user = koa.state.user as User | undefined
    const { clinic, agent } = access.by ?? { clinic: user?.clinic ?? SERVICE, agent: this.#agentOf(user) }
    const at = Date.now()
    const status = access.status === 0 ? koa.status : access.status
    if (isOfStranger(agent, access, status) && this.#isTooMany(at)) {
      this.#trail.leaveOut({ clinic, at }, `more than ${STRANGERS_PER_MINUTE} requests of strangers in a minute`)
      return
    }
    this.#trail.record({
      clinic,
      at,
      agent,
      address: this.#addressOf(koa),
      interaction: access.interaction,
      type: access.type,
      id: access.id,
      version: access.version,
      query: access.query,
      detail: access.detail,
      status,
      patients: access.patients,
    })
  }

  #agentOf(user: User | undefined): AuditAgent {
    if (user === undefined) return UNKNOWN
    const known = this.#agents.get(user)
    if (known !== undefined) return known
    const agent: AuditAgent = { kind: 'user', id: user.sub, name: user.name, role: user.role }
    this.#agents.set(user, agent)
    return agent
  }

  #isTooMany(now: number): boolean {
    if (now - this.#strangers.since >= MINUTE) this.#strangers = { since: now, count: 0 }
    this.#strangers.count += 1
    return this.#strangers.count > STRANGERS_PER_MINUTE
  }
}

/** A login that failed may be anybody's. */
const isOfStranger = ({ kind }: AuditAgent, { interaction }: Access, status: number): boolean =>
  kind === 'unknown' || (interaction === 'login' && status >= 400)

const refusalOf = ({ method, path }: KoaContext): Access => ({
  ...NO_SUBJECT,
  interaction: 'refusal',
  detail: `${method} ${path}`.slice(0, MAX_ADDRESS),
})
