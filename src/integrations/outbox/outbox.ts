/**
 * What is in the outbox, delivered in the background: rows of all clinics at once, a few of each, so a slow system of one
 * clinic holds back no other one. Several processes may run one each: the store lets one of them try a row.
 */
import type { Logger } from 'pino'
import { FairQueue, QueueFull } from '../../budget/fair-queue.ts'
import type { ClinicAccess } from '../../core/context.ts'
import type { KindRecord, Repository } from '../../repository/repository.ts'
import { type DeliveryParts, deliverDue } from './delivery.ts'
import { OUTBOX, type OutboxRow } from './rows.ts'

/** Milliseconds between two looks for rows that are due. */
const INTERVAL = 1_000
/** Rows of one look. */
const PAGE = 200
/** Tries at once, in all and of one system of a clinic; rows that wait for one. */
const LIMITS = { slots: 32, slotsPerClinic: 4, perClinic: PAGE, total: 10 * PAGE }

export interface OutboxServices extends DeliveryParts {
  readonly repository: Pick<Repository, 'records' | 'clinics'>
  readonly accessOf: (clinic: string) => ClinicAccess
  readonly logger: Logger
  /** Milliseconds since 1970 UTC. */
  readonly clock?: (() => number) | undefined
}

type DueRow = Pick<KindRecord<OutboxRow>, 'clinic' | 'key' | 'value'>

export class Outbox {
  readonly #services: OutboxServices
  readonly #slots = new FairQueue(LIMITS)
  /** Rows that are tried, or wait for a slot. */
  readonly #underWay = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #stopped = false

  constructor(services: OutboxServices) {
    this.#services = services
  }

  start(): void {
    this.#stopped = false
    this.#timer ??= setInterval(() => void this.deliverDue(), INTERVAL).unref()
  }

  /** Resolves when the tries under way are over; the remaining rows wait for the next start. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    this.#timer = undefined
    await Promise.all(this.#underWay.values())
  }

  /** Tries every row that is due, and resolves when all of them have been tried. */
  async deliverDue(): Promise<void> {
    const rows = (await this.#logged(() => this.#dueRows())) ?? []
    await Promise.all(rows.map((row) => this.#once(row)))
  }

  /** Those of every clinic. A full page may hold rows of one clinic alone: then each clinic is asked for its own. */
  async #dueRows(): Promise<readonly DueRow[]> {
    const { repository, clock = Date.now } = this.#services
    const dueBefore = clock()
    const page = await repository.records(OUTBOX, { dueBefore, limit: PAGE })
    if (page.length < PAGE) return page
    const rows: DueRow[] = []
    for (const clinic of await repository.clinics()) {
      rows.push(...(await repository.records(OUTBOX, { clinic, dueBefore, limit: LIMITS.slotsPerClinic })))
    }
    return rows
  }

  /** A look finds rows again that an earlier one found and that still wait. */
  #once(row: DueRow): Promise<void> {
    const key = JSON.stringify([row.clinic, row.key])
    const known = this.#underWay.get(key)
    if (known !== undefined || this.#stopped) return known ?? Promise.resolve()
    const work = this.#logged(() => this.#inTurn(row)).then(() => void this.#underWay.delete(key))
    this.#underWay.set(key, work)
    return work
  }

  /** The CRM of a clinic and its messaging service have slots of their own. */
  async #inTurn({ clinic, key, value }: DueRow): Promise<void> {
    const system = value.message === undefined ? 'crm' : 'messages'
    const release = await this.#enter(JSON.stringify([clinic, system]))
    if (release === undefined) return
    try {
      if (!this.#stopped) await this.#deliver(clinic, key)
    } finally {
      release()
    }
  }

  /** Undefined when too many wait already: a later look finds the row again. */
  async #enter(system: string) {
    try {
      return await this.#slots.enter({ clinic: system, token: system })
    } catch (error) {
      if (error instanceof QueueFull) return undefined
      throw error
    }
  }

  async #deliver(clinic: string, messageId: string): Promise<void> {
    const tried = await deliverDue(this.#services.accessOf(clinic), this.#services, messageId)
    if (tried === undefined) return
    const { tries, outcome } = tried
    this.#services.logger.info({ clinic, messageId, tries, ...outcome }, 'outbox delivery')
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
}
