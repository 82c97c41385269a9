/** Exchanges as events of the audit trail: every access to a clinic's data, logins, and what was refused. */
import type { Context as KoaContext } from 'koa'
import { type Access, type AuditAgent, NO_SUBJECT } from '../../record/audit/event.ts'
import type { AuditTrail } from '../../record/audit/trail.ts'
import { withoutSecretsOf } from '../../record/journal/redaction.ts'
import type { Secrets } from '../../record/journal/secrets.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import { type Exchange, type ExchangeAccess, type Observer, stateOf } from '../exchange.ts'
import type { User } from '../token.ts'
import { secretsOf } from './known-secrets.ts'

/** Most events of unknown agents that are recorded in a minute: a flood of requests must not fill the disk. */
const STRANGERS_PER_MINUTE = 600
const MINUTE = 60_000

const UNKNOWN: AuditAgent = { kind: 'unknown' }
/** Characters that are kept of the address of a refused request. */
const MAX_ADDRESS = 200

export class AuditObserver implements Observer {
  readonly #trail: AuditTrail
  readonly #addressOf: (koa: KoaContext) => string
  readonly #secretsOfClinic: (clinic: string) => readonly string[]
  /** The user of a token is one object for as long as the token is remembered, and so is its agent. */
  readonly #agents = new WeakMap<User, AuditAgent>()
  #strangers = { since: 0, count: 0 }

  /**
   * @param addressOf the IP address of the client
   * @param secretsOfClinic the forms of the secrets of the service and of the clinic
   */
  constructor(
    trail: AuditTrail,
    addressOf: (koa: KoaContext) => string,
    secretsOfClinic: (clinic: string) => readonly string[],
  ) {
    this.#trail = trail
    this.#addressOf = addressOf
    this.#secretsOfClinic = secretsOfClinic
  }

  observe(exchange: Exchange, koa: KoaContext): void {
    const { accesses } = exchange
    const isRefusal = accesses.length === 0 && (koa.status === 401 || koa.status === 403)
    let secrets: Secrets | undefined
    for (const access of isRefusal ? [refusalOf(koa)] : accesses) {
      if (hasTexts(access, koa)) secrets ??= this.#secretsOf(exchange, koa)
      this.#record(secrets === undefined ? access : withoutSecrets(access, secrets), koa)
    }
  }

  #secretsOf(exchange: Exchange, koa: KoaContext): Secrets {
    const clinic = exchange.accesses[0]?.by?.clinic ?? stateOf(koa).user?.clinic ?? SERVICE
    return secretsOf(exchange, koa, this.#secretsOfClinic(clinic))
  }

  #record(access: ExchangeAccess, koa: KoaContext): void {
    const user = stateOf(koa).user
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

/** Whether its client may have written anything in it: the id of a resource that there is was not a secret, that of a delete may be any. */
const hasTexts = ({ query, detail, status, interaction }: Access, koa: KoaContext): boolean =>
  query !== '' || detail !== '' || interaction === 'delete' || (status === 0 ? koa.status : status) >= 400

/** The same redaction as that of the journal. */
function withoutSecrets(access: ExchangeAccess, secrets: Secrets): ExchangeAccess {
  const { query, detail, type, id, patients, by } = access
  const callId = by?.agent.kind === 'call' ? secrets.without(by.agent.id) : undefined
  const isChanged = by?.agent.kind === 'call' && callId !== undefined && callId !== by.agent.id
  return {
    ...access,
    query: withoutSecretsOf(query, secrets),
    detail: withoutSecretsOf(detail, secrets),
    type: secrets.without(type),
    id: secrets.without(id),
    patients: patients.length === 1 ? patients.map((patient) => secrets.without(patient)) : patients,
    ...(isChanged ? { by: { clinic: by.clinic, agent: { kind: 'call', id: callId } } } : {}),
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
