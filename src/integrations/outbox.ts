/**
 * Deliveries to a clinic's CRM that outlive the request: a row is staged in the change that it reports, tried at once
 * by the tool that staged it, and after a failure retried by a loop in the background. Each row is delivered at least
 * once: it is leased (by its record's version) while it is tried, so when a process dies another one takes the row over
 * as soon as the lease ends.
 */
import type { Logger } from 'pino'
import { type CrmSettings, readSettings } from '../clinics/settings.ts'
import type { CallSession } from '../core/call-session.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import type { CrmConnector, CrmContact, Delivery } from '../core/ports.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { KindRecord, Repository } from '../repository/repository.ts'

export const OUTBOX = recordKind<OutboxRow>('outbox')

/** Milliseconds a try may take before another process may take the row over; longer than any connector's deadline. */
const LEASE = 30_000
/** Tries before a row is given up: with the waits below about a day and a half. */
export const MAX_TRIES = 12
/** Milliseconds before the second try; doubled for each later one. */
const FIRST_WAIT = 30_000
const MAX_WAIT = 6 * 3_600_000
/** Milliseconds between two passes over the rows that are due, and rows in one pass. */
const INTERVAL = 5_000
const BATCH = 20

export interface OutboxRow {
  readonly contact: CrmContact
  /** The live call it comes from, for the Task. */
  readonly call?: CallSession
  readonly state: 'waiting' | 'dead'
  /** Tries begun. */
  readonly tries: number
  /** Task.id, once a try has failed. */
  readonly task?: string
  /** Why the last try failed; never holds patient data. */
  readonly reason?: string
}

/** The Tasks by which staff follow a delivery that fails. Both run in the change that records how a try ended. */
export interface DeliveryTasks {
  /**
   * Raises the row's Task, or brings it up to date.
   * @param isGivenUp there will be no further try
   * @returns Task.id; undefined where there is none to raise
   */
  readonly failed: (ctx: Context, row: OutboxRow, reason: string, isGivenUp: boolean) => Promise<string | undefined>
  /** Completes the row's Task, where it has one. */
  readonly delivered: (ctx: Context, row: OutboxRow) => Promise<void>
}

/** The clinic's CRM, and what tells staff of failures. */
export interface DeliveryParts {
  readonly crm: CrmConnector
  readonly tasks: DeliveryTasks
}

/**
 * Stages the delivery in `ctx`'s change. The first try is the caller's: `deliverStaged`, once the change is committed.
 */
export function stageDelivery(ctx: Context, contact: CrmContact, call?: CallSession): void {
  const row: OutboxRow = { contact, ...(call === undefined ? {} : { call }), state: 'waiting', tries: 1 }
  ctx.unit.records.put(OUTBOX, contact.messageId, row, { due: ctx.now + LEASE })
}

/**
 * The first try, within the connector's deadline. After a failure staff have a Task, and the row is left to the
 * background, or marked dead when the CRM refuses it for good.
 */
export async function deliverStaged(
  access: ClinicAccess,
  { crm, tasks }: DeliveryParts,
  messageId: string,
): Promise<Delivery> {
  const ctx = access.reader()
  const row = await readRow(ctx, messageId)
  if (row === undefined) return { delivered: true }
  const { crm: settings } = await readSettings(ctx.unit, access.clinic)
  const delivery = await deliver(crm, settings, row.value.contact)
  await settle(access, tasks, row, delivery)
  return delivery
}

async function deliver(crm: CrmConnector, settings: CrmSettings | undefined, contact: CrmContact): Promise<Delivery> {
  if (!settings?.enabled) return { delivered: false, retry: true, reason: 'the CRM of the clinic is switched off' }
  return await crm.deliver(settings, contact)
}

type StoredRow = Pick<KindRecord<OutboxRow>, 'value' | 'version'>

const readRow = (ctx: Context, messageId: string): Promise<KindRecord<OutboxRow> | undefined> =>
  ctx.unit.records.read(OUTBOX, messageId)

/** Takes a row that is due for one try; undefined when another process has it, or it is done. */
const lease = (access: ClinicAccess, messageId: string): Promise<StoredRow | undefined> =>
  access.change(async (ctx) => {
    const row = await readRow(ctx, messageId)
    if (row?.value.state !== 'waiting' || row.due === null || row.due > ctx.now) return undefined
    const value = { ...row.value, tries: row.value.tries + 1 }
    ctx.unit.records.put(OUTBOX, messageId, value, { due: ctx.now + LEASE })
    return { value, version: ctx.unit.records.nextVersion(OUTBOX, messageId) }
  })

/** Records how a try ended; does nothing when its lease had run out and another process took the row over. */
const settle = (
  access: ClinicAccess,
  tasks: DeliveryTasks,
  { value: { contact }, version }: StoredRow,
  delivery: Delivery,
): Promise<void> =>
  access.change(async (ctx) => {
    const row = await readRow(ctx, contact.messageId)
    if (row === undefined || row.version !== version) return
    if (!delivery.delivered) return await settleFailure(ctx, tasks, row, delivery)
    ctx.unit.records.delete(OUTBOX, contact.messageId)
    await tasks.delivered(ctx, row.value)
  })

async function settleFailure(
  ctx: Context,
  tasks: DeliveryTasks,
  row: StoredRow,
  { retry, reason, retryAfterMs }: Delivery & { delivered: false },
): Promise<void> {
  const { contact, tries } = row.value
  const isGivenUp = !retry || tries >= MAX_TRIES
  const task = await tasks.failed(ctx, row.value, reason, isGivenUp)
  const value: OutboxRow = {
    ...row.value,
    state: isGivenUp ? 'dead' : 'waiting',
    reason,
    ...(task === undefined ? {} : { task }),
  }
  const due = isGivenUp ? null : ctx.now + waitAfter(tries, retryAfterMs)
  ctx.unit.records.put(OUTBOX, contact.messageId, value, { due })
}

/** Milliseconds until the next try: doubled each time, at least what the CRM asks for, six hours at most. */
export const waitAfter = (tries: number, retryAfterMs = 0): number =>
  Math.min(MAX_WAIT, Math.max(FIRST_WAIT * 2 ** (tries - 1), retryAfterMs))

export interface OutboxServices extends DeliveryParts {
  readonly repository: Pick<Repository, 'records'>
  readonly accessOf: (clinic: string) => ClinicAccess
  /** Where the clinic's CRM is now; undefined or not enabled: the row waits. */
  readonly settingsOf: (clinic: string) => Promise<CrmSettings | undefined>
  readonly logger: Logger
  /** Milliseconds since 1970 UTC. */
  readonly clock?: () => number
}

/** The loop in the background. Several processes may run one each. */
export class Outbox {
  readonly #services: OutboxServices
  #timer: NodeJS.Timeout | undefined
  #pass: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(services: OutboxServices) {
    this.#services = services
  }

  start(): void {
    this.#stopped = false
    this.#timer ??= setInterval(() => void this.deliverDue(), INTERVAL).unref()
  }

  /** Resolves when the try under way is over; the remaining rows wait for the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    this.#timer = undefined
    await this.#pass
  }

  /** Tries every row that is due, one after the other; passes never overlap. */
  deliverDue(): Promise<void> {
    this.#pass = this.#pass.then(() => this.#deliverAll())
    return this.#pass
  }

  async #deliverAll(): Promise<void> {
    const { repository, clock = Date.now } = this.#services
    const due = { dueBefore: clock(), limit: BATCH }
    for (const { clinic, key } of (await this.#logged(() => repository.records(OUTBOX, due))) ?? []) {
      if (this.#stopped) return
      await this.#logged(() => this.#deliver(clinic, key))
    }
  }

  /**
   * Undefined after a fault, which is logged: one row's fault does not stop the others, and the row waits for its
   * lease.
   */
  async #logged<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const fault = error instanceof Error ? error.name : typeof error
      this.#services.logger.error({ fault }, 'the outbox could not be worked on')
      return undefined
    }
  }

  async #deliver(clinic: string, messageId: string): Promise<void> {
    const { accessOf, settingsOf, crm, tasks, logger } = this.#services
    const access = accessOf(clinic)
    const row = await lease(access, messageId)
    if (row === undefined) return
    const delivery = await deliver(crm, await settingsOf(clinic), row.value.contact)
    await settle(access, tasks, row, delivery)
    logger.info({ clinic, messageId, tries: row.value.tries, ...delivery }, 'outbox delivery')
  }
}
