/**
 * One websocket of a client: which Subscriptions it is bound to, and what it is told of them. R4: `bind <id>` is answered `bound <id>`,
 * and each event is `ping <id>`; the backport: `bind-with-token <token>`, then notifications as Bundles.
 * https://hl7.org/fhir/R4/subscription.html#2.46.7.2, https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/channels.html#websockets
 */
import type { Subscription } from 'fhir/r4'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { endOfToken } from '../clinics/program-tokens.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import type { Context } from '../core/context.ts'
import type { Providers } from '../core/provider.ts'
import { present } from '../fhir/resource.ts'
import type { Repository } from '../repository/repository.ts'
import { redeemBindingToken } from './binding-token.ts'
import { eventsAfter } from './log.ts'
import { type NotificationType, type NotifiedEvent, notificationBundle, notificationText } from './notification.ts'
import { agentOf, type BoundAgent } from './owner.ts'
import { notifiedEvents } from './send-topic.ts'
import { readState, type SubscriptionState } from './state.ts'

export interface SocketServices {
  readonly config: { readonly demo: boolean }
  readonly repository: Repository
  readonly access: AccessOf
  readonly providers: Providers
}

export interface SocketParts extends SocketServices {
  readonly send: (text: string) => void
  /** Whether the client has much still to read: it is told no more until then. */
  readonly isBehind: () => boolean
  /** Called with each binding, each one that was refused, and the messages of each look about a Subscription. */
  readonly record: (deed: SocketDeed) => void
  /** The address of this server as the client sees it. */
  readonly baseUrl: string
  /** The clinic and user of the request that opened it; absent where it had no token. */
  readonly opened?: Binder
  /** Whether the clinic has room for one more connection. Called when it is first known which clinic it is. */
  readonly mayJoin: (clinic: string) => boolean
  /** Whether the clinic may bind once more now. */
  readonly mayBind: (clinic: string) => boolean
}

/** The clinic and the agent by whose rights a connection is told of something. */
export interface Binder extends BoundAgent {
  readonly clinic: string
}

/** Something that a connection has done, for the journal and the audit trail. */
export interface SocketDeed {
  /** Absent for a token that nobody knows. */
  readonly binder?: Binder
  readonly kind: 'bind' | 'notify'
  /** Subscription.id, as the client says it; '' where it says none. */
  readonly id: string
  /** The messages that were sent. */
  readonly texts: readonly string[]
  /** The MIME type of a Bundle; absent for messages of R4. */
  readonly type?: string
  /** Why a binding was refused. */
  readonly problem?: string
}

interface Bound {
  readonly binder: Binder
  /** The generation of the clinic's data that it belongs to. */
  readonly generation: number
  /** The number of the newest event that it has been told of. */
  cursor: number
  /** Milliseconds since 1970 UTC, by the clock of the clinic: the last message about it. */
  toldAt: number
}

/** Why a connection is told nothing more of a Subscription; 123 bytes at most, as reasons of websockets have. */
const ENDS = {
  sandbox: 'the sandbox of the clinic is turned off',
  account: 'the account of the user is disabled or gone',
  expired: 'the token has expired',
  revoked: 'the token of the program has been revoked',
  'session ended': 'the session has ended',
  reset: 'the data of the clinic have been reset',
  off: 'the Subscription is off',
  deleted: 'the Subscription has been deleted',
} as const

type End = keyof typeof ENDS

const NO_HEADER = 'bind needs a connection that was opened with the header Authorization; else use bind-with-token'

/** Subscriptions of one connection at most. */
const MOST_BOUND = 20
/** Events that one look reads at most. */
const MOST_EVENTS = 100

export class SubscriptionSocket {
  readonly #parts: SocketParts
  readonly #bound = new Map<string, Bound>()
  #clinic: string | undefined

  constructor(parts: SocketParts) {
    this.#parts = parts
  }

  get isBound(): boolean {
    return this.#bound.size > 0
  }

  /** A message of the client; what is wrong with it is told as `error <sentence>`. */
  async receive(text: string): Promise<void> {
    const [, verb = '', rest = ''] = /^\s*([\w-]+):?\s+(\S+)\s*$/.exec(text) ?? []
    const problem =
      verb === 'bind'
        ? await this.#bindAsOpened(rest)
        : verb === 'bind-with-token'
          ? await this.#bindWithToken(rest)
          : "a message must be 'bind <id of a Subscription>' or 'bind-with-token <token>'"
    if (problem !== undefined) this.#parts.send(`error ${problem}`)
  }

  async #bindAsOpened(id: string): Promise<string | undefined> {
    const { opened } = this.#parts
    if (opened === undefined) return this.#refused(id, undefined, NO_HEADER)
    return await this.#bind(id, opened)
  }

  async #bindWithToken(token: string): Promise<string | undefined> {
    const binding = await redeemBindingToken(this.#parts.repository, token)
    if (binding === undefined)
      return this.#refused('', undefined, 'the token is unknown, used or expired; get another one')
    for (const id of binding.subscriptions) {
      const problem = await this.#bind(id, binding)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  #refused(id: string, binder: Binder | undefined, problem: string): string {
    this.#parts.record({ ...present({ binder }), kind: 'bind', id, texts: [`error ${problem}`], problem })
    return problem
  }

  /** @returns what is wrong; undefined when it is bound */
  async #bind(id: string, binder: Binder): Promise<string | undefined> {
    const limit = this.#limitFor(id, binder)
    if (limit !== undefined) return limit
    const problem = await this.#tryToBind(id, binder)
    return problem && this.#refused(id, binder, problem)
  }

  /** Why there is no room for another binding; it is not recorded, as there may be thousands. */
  #limitFor(id: string, { clinic }: Binder): string | undefined {
    if (this.#clinic !== undefined && this.#clinic !== clinic) return 'this connection belongs to another clinic'
    if (this.#clinic === undefined && !this.#parts.mayJoin(clinic)) return 'the clinic has too many connections'
    this.#clinic = clinic
    if (!this.#parts.mayBind(clinic)) return 'the clinic binds too often; try again in a minute'
    if (this.#bound.size < MOST_BOUND || this.#bound.has(id)) return undefined
    return `a connection has ${MOST_BOUND} Subscriptions at most`
  }

  async #tryToBind(id: string, binder: Binder): Promise<string | undefined> {
    const ctx = await this.#readerOf(binder)
    if (typeof ctx === 'string') return `there is no Subscription/${id}`
    const found = await ctx.find<Subscription>('Subscription', id).catch(() => undefined)
    const state = (await readState(ctx.unit, id))?.value
    if (found === undefined || state === undefined) return `there is no Subscription/${id}`
    if (state.channel.type !== 'websocket') return `Subscription/${id} has another channel than websocket`
    if (hasEnded(state)) return `Subscription/${id} is ${state.status}`
    const { generation } = ctx.unit
    this.#bound.set(id, { binder, generation, cursor: state.last, toldAt: ctx.now })
    const text = state.kind === 'r4' ? `bound ${id}` : this.#bundle(ctx, id, state, 'handshake', [])
    this.#send({ binder, kind: 'bind', id, texts: [text] }, state)
    return undefined
  }

  #send(deed: SocketDeed, { channel }: SubscriptionState): void {
    for (const text of deed.texts) this.#parts.send(text)
    this.#parts.record({ ...deed, ...(channel.backport && present({ type: channel.payload })) })
  }

  /** With the rights of the agent now; otherwise why it has none. */
  async #readerOf({ clinic, agent, ...admission }: Binder): Promise<Context | End> {
    const { repository, config } = this.#parts
    if (!(await isSandboxEnabled(repository, clinic))) return 'sandbox'
    const now = await agentOf(await this.#parts.access(clinic, { kind: 'server' }).reader(), agent)
    if (now === undefined) return 'account'
    return (await endOfToken(repository, admission, config.demo)) ?? (await this.#parts.access(clinic, now).reader())
  }

  /** Tells what is new. @returns a sentence when there is nothing more to tell: why the last of what it was bound to has ended */
  async look(): Promise<string | undefined> {
    let last: End | undefined
    const readers = new Map<Binder, Context | End>()
    for (const [id, bound] of this.#bound) {
      const reader = readers.get(bound.binder) ?? (await this.#readerOf(bound.binder))
      readers.set(bound.binder, reader)
      const end = await this.#tell(id, bound, reader)
      if (end === undefined) continue
      this.#bound.delete(id)
      last = end
    }
    return last === undefined || this.isBound ? undefined : ENDS[last]
  }

  async #tell(id: string, bound: Bound, ctx: Context | End): Promise<End | undefined> {
    if (typeof ctx === 'string') return ctx
    if (ctx.unit.generation !== bound.generation) return 'reset'
    const state = (await readState(ctx.unit, id))?.value
    if (state === undefined) return 'deleted'
    if (state.last > bound.cursor) await this.#tellEvents(ctx, id, state, bound)
    else this.#beat(ctx, id, state, bound)
    return hasEnded(state) ? state.status : undefined
  }

  async #tellEvents(ctx: Context, id: string, state: SubscriptionState, bound: Bound): Promise<void> {
    const { backport } = state.channel
    const limit = Math.min(backport?.maxCount ?? MOST_EVENTS, MOST_EVENTS)
    while (bound.cursor < state.last && !this.#parts.isBehind()) {
      const events = await eventsAfter(ctx.unit, id, bound.cursor, limit)
      const reading = { reader: ctx, providers: this.#parts.providers }
      const { notified, upTo } = await notifiedEvents(reading, events, backport?.content ?? 'empty')
      bound.cursor = upTo ?? state.last
      if (notified.length === 0) continue
      bound.toldAt = ctx.now
      const texts =
        backport === undefined
          ? notified.map(() => `ping ${id}`)
          : [this.#bundle(ctx, id, state, 'event-notification', notified)]
      this.#send({ binder: bound.binder, kind: 'notify', id, texts }, state)
    }
  }

  #beat(ctx: Context, id: string, state: SubscriptionState, bound: Bound): void {
    const period = state.channel.backport?.heartbeat
    if (period === undefined || ctx.now < bound.toldAt + period * 1000) return
    bound.toldAt = ctx.now
    const texts = [this.#bundle(ctx, id, state, 'heartbeat', [])]
    this.#send({ binder: bound.binder, kind: 'notify', id, texts }, state)
  }

  #bundle(
    { now }: Context,
    id: string,
    state: SubscriptionState,
    type: NotificationType,
    events: readonly NotifiedEvent[],
  ): string {
    const { baseUrl } = this.#parts
    const since = events.at(-1)?.number ?? state.last
    const status = state.status === 'deleted' ? 'off' : state.status
    const content = state.channel.backport?.content ?? 'empty'
    const bundle = notificationBundle({ id, state, status, type, since, content, events, baseUrl, now })
    return notificationText(bundle, state.channel.payload)
  }
}

const hasEnded = (state: SubscriptionState): state is SubscriptionState & { readonly status: 'off' | 'deleted' } =>
  state.status === 'off' || state.status === 'deleted'
