/**
 * The records of a websocket: its bindings are accesses of the audit trail, and with what is sent on it exchanges of the journal, as the
 * notifications of other channels are. docs/journal.md
 */
import { randomUUID } from 'node:crypto'
import type Koa from 'koa'
import type { Binder, SocketDeed } from '../events/socket.ts'
import { stateOf } from '../http/exchange.ts'
import { type Access, type AuditAgent, NO_SUBJECT } from '../record/audit/event.ts'
import type { AuditTrail } from '../record/audit/trail.ts'
import { beginningOf, outcomeOf, type SeenExchange } from '../record/journal/exchange.ts'
import type { Journal } from '../record/journal/journal.ts'
import { SERVICE } from '../repository/record-kinds.ts'

export interface SocketRecords {
  readonly trail: AuditTrail | undefined
  readonly journal: Journal | undefined
  /** The IP address of the client. */
  readonly addressOf: (koa: Koa.Context) => string
}

/** https://www.rfc-editor.org/rfc/rfc6455#section-4.2.2: messages have no status of their own. */
const SWITCHED = 101

/** @param baseUrl the address of this server as the client sees it */
export function socketRecorder({ trail, journal, addressOf }: SocketRecords, koa: Koa.Context, baseUrl: string) {
  const address = addressOf(koa)
  const audit = (by: Pick<Binder, 'clinic'> | undefined, agent: AuditAgent, access: Access): void =>
    trail?.record({ clinic: by?.clinic ?? SERVICE, at: Date.now(), agent, address, ...access })
  return {
    /** The request that asked for it has no valid token, or no right. */
    refused: (status: number): void => {
      const { user } = stateOf(koa)
      const agent: AuditAgent =
        user === undefined ? { kind: 'unknown' } : { kind: 'user', id: user.sub, name: user.name, role: user.role }
      audit(user, agent, { ...NO_SUBJECT, interaction: 'refusal', detail: `GET ${koa.path}`, status })
    },
    record: (deed: SocketDeed): void => {
      const { binder } = deed
      if (deed.kind === 'bind') audit(binder, agentOf(binder), accessOf(deed))
      if (binder !== undefined) journal?.recordSent(exchangeOf(deed, binder, `${baseUrl}/websocket`))
    },
  }
}

const agentOf = (binder: Binder | undefined): AuditAgent => {
  if (binder?.agent.kind !== 'user') return { kind: binder === undefined ? 'unknown' : 'server' }
  const { id, name, role } = binder.agent
  return { kind: 'user', id, name, role }
}

const statusOf = ({ problem }: SocketDeed): number => (problem === undefined ? SWITCHED : 403)

function accessOf(deed: SocketDeed): Access {
  const status = statusOf(deed)
  if (deed.binder === undefined) return { ...NO_SUBJECT, interaction: 'refusal', detail: 'bind a websocket', status }
  return { ...NO_SUBJECT, interaction: 'operation', detail: 'bind a websocket', ...subjectOf(deed), status }
}

const ID = /^[A-Za-z0-9.-]{1,64}$/

/** The client may say anything for an id. */
const subjectOf = ({ id }: SocketDeed): Pick<Access, 'type' | 'id'> => ({
  type: 'Subscription',
  id: ID.test(id) ? id : '',
})

function exchangeOf(deed: SocketDeed, { clinic, agent }: Binder, address: string): SeenExchange {
  const { kind, texts, type, problem } = deed
  const { id } = subjectOf(deed)
  const status = statusOf(deed)
  return {
    ...{ id: randomUUID(), direction: 'out', system: 'subscription', clinic, at: Date.now(), duration: 0 },
    ...(agent.kind === 'user' ? { user: { id: agent.id, name: agent.name, role: agent.role } } : {}),
    ...{ method: 'GET', address, type: 'Subscription', operation: kind, status, outcome: outcomeOf(status) },
    ...(id === '' ? {} : { resource: `Subscription/${id}` }),
    ...(problem === undefined ? {} : { reason: { code: 'not-bound', text: problem } }),
    // Messages of R4 have no format, and are listed.
    requestHeaders: { 'content-type': type ?? 'application/json' },
    requestBody: beginningOf(type === undefined ? JSON.stringify(texts) : texts.join('\n')),
    responseHeaders: {},
  }
}
