/**
 * Deliveries to a clinic's CRM that outlive the request: a row is staged in the change it tells about, tried at once by
 * the tool that staged it, and after a failure again and again by a loop in the background. At least once: a row is
 * leased (by its record's version) while it is tried, and a process that dies leaves it to the next when the lease ends.
 */
import type { Patient, Task } from 'fhir/r4'
import type { Logger } from 'pino'
import { attachedText, createStaffTask, isOpen } from '../calls/record/staff-task.ts'
import type { CrmSettings } from '../clinics/settings.ts'
import { readSettings } from '../clinics/settings.ts'
import type { CallSession } from '../core/call-session.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import type { CrmConnector, CrmContact, Delivery } from '../core/ports.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'

export const OUTBOX = recordKind<OutboxRow>('outbox')

/** Milliseconds a try may take before another process may take the row over; longer than any connector's deadline. */
const LEASE = 30_000
/** Tries before a row is given up: with the waits below about a day and a half. */
export const MAX_TRIES = 12
/** Milliseconds before the second try; doubled for each later one. */
const FIRST_WAIT = 30_000
const LONGEST_WAIT = 6 * 3_600_000
/** Milliseconds between two looks for rows that are due, and rows a look takes on. */
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

/** Stages the delivery in `ctx`'s change. The first try is the caller's: `deliverStaged` when the change is written. */
export function stageDelivery(ctx: Context, contact: CrmContact, call?: CallSession): void {
  const row: OutboxRow = { contact, ...(call === undefined ? {} : { call }), state: 'waiting', tries: 1 }
  ctx.unit.records.put(OUTBOX, contact.messageId, row, { due: ctx.now + LEASE })
}

/**
 * The first try, within the connector's deadline. A failure raises a Task for staff and leaves the row to the
 * background, or marks it dead when the CRM refuses it for good.
 */
export async function deliverStaged(access: ClinicAccess, crm: CrmConnector, messageId: string): Promise<Delivery> {
  const ctx = access.reader()
  const row = await rowOf(ctx, messageId)
  if (row === undefined) return { delivered: true }
  const { crm: settings } = await readSettings(ctx.unit, access.clinic)
  const delivery = await deliver(crm, settings, row.value.contact)
  await settle(access, messageId, row.version, delivery)
  return delivery
}

async function deliver(crm: CrmConnector, settings: CrmSettings | undefined, contact: CrmContact): Promise<Delivery> {
  if (!settings?.enabled) return { delivered: false, retry: true, reason: 'the CRM of the clinic is switched off' }
  return await crm.deliver(settings, contact)
}

interface Leased {
  readonly value: OutboxRow
  readonly version: number
  readonly due: number | null
}

async function rowOf(ctx: Context, key: string): Promise<Leased | undefined> {
  return await ctx.unit.records.read(OUTBOX, key)
}

/** Takes a row that is due for one try; undefined when somebody else has it, or it is done. */
const lease = (access: ClinicAccess, key: string): Promise<Leased | undefined> =>
  access.change(async (ctx) => {
    const row = await rowOf(ctx, key)
    if (row?.value.state !== 'waiting' || row.due === null || row.due > ctx.now) return undefined
    const value = { ...row.value, tries: row.value.tries + 1 }
    const due = ctx.now + LEASE
    ctx.unit.records.put(OUTBOX, key, value, { due })
    return { value, version: row.version + 1, due }
  })

/** What a try came to; nothing when the lease had ended and somebody else has the row. */
const settle = (access: ClinicAccess, key: string, version: number, delivery: Delivery): Promise<void> =>
  access.change(async (ctx) => {
    const row = await rowOf(ctx, key)
    if (row === undefined || row.version !== version) return
    if (!delivery.delivered) return await settleFailure(ctx, row, delivery)
    ctx.unit.records.delete(OUTBOX, key)
    await completeTask(ctx, row.value)
  })

async function settleFailure(ctx: Context, row: Leased, failure: Delivery & { delivered: false }): Promise<void> {
  const { contact, tries } = row.value
  const dead = !failure.retry || tries >= MAX_TRIES
  const task = await flag(ctx, row.value, failure.reason, dead)
  const value: OutboxRow = {
    ...row.value,
    state: dead ? 'dead' : 'waiting',
    reason: failure.reason,
    ...(task === undefined ? {} : { task }),
  }
  const due = dead ? null : ctx.now + waitAfter(tries, failure.retryAfterMs)
  ctx.unit.records.put(OUTBOX, contact.messageId, value, { due })
}

/** Milliseconds until the next try: doubled each time, at least what the CRM asks for, six hours at most. */
export const waitAfter = (tries: number, retryAfterMs = 0): number =>
  Math.min(LONGEST_WAIT, Math.max(FIRST_WAIT * 2 ** (tries - 1), retryAfterMs))

/** One Task a row: raised with the first failure, made urgent when the row is given up. */
async function flag(ctx: Context, row: OutboxRow, reason: string, dead: boolean): Promise<string | undefined> {
  const description = dead
    ? `The intake could not be sent to the CRM (${reason}) and is not tried again: enter it there by hand.`
    : `The intake could not be sent to the CRM (${reason}); it is tried again.`
  const priority = dead ? 'urgent' : 'routine'
  const open = await openTask(ctx, row)
  if (open !== undefined) {
    if (dead) await ctx.update<Task>({ ...open, priority, description })
    return row.task
  }
  if (row.task !== undefined) return row.task
  const patient = await ctx.find<Patient>('Patient', row.contact.patient)
  if (patient === undefined) return undefined
  const input = attachedText('crm-message-id', row.contact.messageId)
  return (await createStaffTask(ctx, row.call, patient, { code: 'crm-sync-failed', priority, description, input })).id
}

async function completeTask(ctx: Context, row: OutboxRow): Promise<void> {
  const open = await openTask(ctx, row)
  if (open === undefined) return
  await ctx.update<Task>({ ...open, status: 'completed', description: 'The intake reached the CRM at a later try.' })
}

/** The row's Task, while staff have not closed it. */
async function openTask(ctx: Context, { task }: OutboxRow): Promise<Task | undefined> {
  const found = task === undefined ? undefined : (await ctx.find<Task>('Task', task))?.resource
  return found !== undefined && isOpen(found) ? found : undefined
}

export interface OutboxServices {
  readonly repository: Pick<Repository, 'records'>
  readonly crm: CrmConnector
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

  /** Resolves when the try under way is over; the rows behind it wait for the next start. */
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
    for (const { clinic, key } of (await this.#caught(() => repository.records(OUTBOX, due))) ?? []) {
      if (this.#stopped) return
      await this.#caught(() => this.#deliver(clinic, key))
    }
  }

  /** A fault with one row leaves the others alone; its own lease makes it wait. */
  async #caught<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const fault = error instanceof Error ? error.name : typeof error
      this.#services.logger.error({ fault }, 'the outbox could not be worked on')
      return undefined
    }
  }

  async #deliver(clinic: string, key: string): Promise<void> {
    const { accessOf, settingsOf, crm, logger } = this.#services
    const access = accessOf(clinic)
    const row = await lease(access, key)
    if (row === undefined) return
    const delivery = await deliver(crm, await settingsOf(clinic), row.value.contact)
    await settle(access, key, row.version, delivery)
    logger.info({ clinic, messageId: key, tries: row.value.tries, ...delivery }, 'outbox delivery')
  }
}
