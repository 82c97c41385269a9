/**
 * One websocket of a client: which Subscriptions it is bound to, and what it is told of them. R4: `bind <id>` is answered `bound <id>`,
 * and each event is `ping <id>`; the backport: `bind-with-token <token>`, then notifications as Bundles.
 * https://hl7.org/fhir/R4/subscription.html#2.46.7.2, https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/channels.html#websockets
 */
import type { Subscription } from 'fhir/r4'
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { isAdmitted } from '../clinics/program-tokens.ts'
import type { AccessOf } from '../core/clinic-access.ts'
import type { Context } from '../core/context.ts'
import type { Providers } from '../core/provider.ts'
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
  /** The address of this server as the client sees it. */
  readonly baseUrl: string
  /** The clinic and user of the request that opened it; absent where it had no token. */
  readonly opened?: Binder
  /** Whether the clinic has room for one more connection. Called when it is first known which clinic it is. */
  readonly mayJoin: (clinic: string) => boolean
}

/** The clinic and the agent by whose rights a connection is told of something. */
interface Binder extends BoundAgent {
  readonly clinic: string
}

interface Bound {
  readonly binder: Binder
  /** The number of the newest event that it has been told of. */
  cursor: number
  /** Milliseconds since 1970 UTC, by the clock of the clinic: the last message about it. */
  toldAt: number
}

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
    if (opened === undefined)
      return 'bind needs a connection that was opened with the header Authorization; else use bind-with-token'
    return await this.#bind(id, opened)
  }

  async #bindWithToken(token: string): Promise<string | undefined> {
    const binding = await redeemBindingToken(this.#parts.repository, token)
    if (binding === undefined) return 'the token is unknown, used or expired; get another one'
    for (const id of binding.subscriptions) {
      const problem = await this.#bind(id, binding)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  /** @returns what is wrong; undefined when it is bound */
  async #bind(id: string, binder: Binder): Promise<string | undefined> {
    const { clinic } = binder
    if (this.#clinic !== undefined && this.#clinic !== clinic) return 'this connection belongs to another clinic'
    if (this.#clinic === undefined && !this.#parts.mayJoin(clinic)) return 'the clinic has too many connections'
    this.#clinic = clinic
    if (this.#bound.size >= MOST_BOUND && !this.#bound.has(id))
      return `a connection has ${MOST_BOUND} Subscriptions at most`
    const ctx = await this.#readerOf(binder)
    const found = await ctx?.find<Subscription>('Subscription', id).catch(() => undefined)
    const state = ctx && (await readState(ctx.unit, id))?.value
    if (ctx === undefined || found === undefined || state === undefined) return `there is no Subscription/${id}`
    if (state.channel.type !== 'websocket') return `Subscription/${id} has another channel than websocket`
    if (hasEnded(state)) return `Subscription/${id} is ${state.status}`
    this.#bound.set(id, { binder, cursor: state.last, toldAt: ctx.now })
    this.#parts.send(state.kind === 'r4' ? `bound ${id}` : this.#bundle(ctx, id, state, 'handshake', []))
    return undefined
  }

  /** Undefined where the session has ended, the account of the agent is gone, disabled or of another clinic, or the sandbox is off. */
  async #readerOf({ clinic, agent, session }: Binder): Promise<Context | undefined> {
    const { repository, config } = this.#parts
    if (session !== undefined && !(await isAdmitted(repository, session, config.demo))) return undefined
    if (!(await isSandboxEnabled(repository, clinic))) return undefined
    const now = await agentOf(await this.#parts.access(clinic, { kind: 'server' }).reader(), agent)
    return now === undefined ? undefined : await this.#parts.access(clinic, now).reader()
  }

  /** Tells what is new. @returns false when there is nothing more to tell: all that it was bound to has ended */
  async look(): Promise<boolean> {
    for (const [id, bound] of this.#bound) if (!(await this.#tell(id, bound))) this.#bound.delete(id)
    return this.isBound
  }

  async #tell(id: string, bound: Bound): Promise<boolean> {
    const ctx = await this.#readerOf(bound.binder)
    const state = ctx && (await readState(ctx.unit, id))?.value
    if (ctx === undefined || state === undefined) return false
    if (state.last > bound.cursor) await this.#tellEvents(ctx, id, state, bound)
    else this.#beat(ctx, id, state, bound)
    return !hasEnded(state)
  }

  async #tellEvents(ctx: Context, id: string, state: SubscriptionState, bound: Bound): Promise<void> {
    const { backport } = state.channel
    const limit = Math.min(backport?.maxCount ?? MOST_EVENTS, MOST_EVENTS)
    while (bound.cursor < state.last) {
      const events = await eventsAfter(ctx.unit, id, bound.cursor, limit)
      bound.cursor = events.at(-1)?.number ?? state.last
      const notified = await notifiedEvents({ reader: ctx, providers: this.#parts.providers }, events)
      if (notified.length === 0) continue
      bound.toldAt = ctx.now
      if (backport !== undefined) this.#parts.send(this.#bundle(ctx, id, state, 'event-notification', notified))
      else for (const _event of notified) this.#parts.send(`ping ${id}`)
    }
  }

  #beat(ctx: Context, id: string, state: SubscriptionState, bound: Bound): void {
    const period = state.channel.backport?.heartbeat
    if (period === undefined || ctx.now < bound.toldAt + period * 1000) return
    bound.toldAt = ctx.now
    this.#parts.send(this.#bundle(ctx, id, state, 'heartbeat', []))
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

const hasEnded = ({ status }: SubscriptionState): boolean => status === 'off' || status === 'deleted'
