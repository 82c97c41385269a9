/**
 * Work on due records that involves an external system: records of all clinics at once, a few of each, so that a slow
 * system of one clinic delays no other clinic: in the loop of due-records.ts, records of one slow system could take all
 * places. Several processes may run it: the store lets one of them have a record.
 */
import type { Logger } from 'pino'
import type { ClinicAccess } from '../core/context.ts'
import { forNoRequest, unpaid } from '../isolation/budget.ts'
import { FairQueue, QueueFull } from '../isolation/fair-queue.ts'
import type { TraceContext } from '../isolation/trace-context.ts'
import type { RecordKind } from '../repository/record-kinds.ts'
import type { KindRecord, Repository } from '../repository/repository.ts'

/** Milliseconds between two searches for due records. */
const INTERVAL = 1_000
/** Records of one search. */
const PAGE = 200
/** Requests at once, in all and to one system of a clinic; and records that may wait for one. */
const LIMITS = { slots: 32, slotsPerClinic: 4, perClinic: PAGE, total: 10 * PAGE }

export interface DueWorkServices {
  readonly repository: Pick<Repository, 'dueRecords' | 'clinics'>
  readonly logger: Logger
}

/** Milliseconds a try may take before another process may take the record over; longer than any connector's deadline. */
export const LEASE = 30_000

/** A record held for one try, by its version. */
export type Leased<Value> = Pick<KindRecord<Value>, 'value' | 'version'>

/** Takes a due record for one try; undefined when another process has it, or it is done. */
export const lease = <Value extends { readonly tries: number }>(
  access: ClinicAccess,
  kind: RecordKind<Value>,
  key: string,
): Promise<Leased<Value> | undefined> =>
  access.change(async ({ unit: { records }, now }) => {
    const record = await records.read(kind, key)
    if (record?.due == null || record.due > now) return undefined
    const value = { ...record.value, tries: record.value.tries + 1 }
    records.put(kind, key, value, { due: now + LEASE })
    return { value, version: records.nextVersion(kind, key) }
  })

export type DueRecord<Value> = Pick<KindRecord<Value>, 'clinic' | 'key' | 'value'>

/** Records that a request has staged: work on them belongs to its trace. */
interface Traced {
  readonly trace?: TraceContext
}

interface WorkOnDue<Value> {
  readonly kind: RecordKind<Value>
  /** The clinic's system that a record is for: each has slots of its own. */
  readonly systemOf: (value: Value) => string
  /** Leases the record, where it is still due, and works on it. @param signal aborted when the server stops */
  readonly workOn: (record: DueRecord<Value>, signal: AbortSignal) => Promise<void>
  /** Logged after a fault, which does not affect other records; the record is retried after its lease. */
  readonly failure: string
}

export class DueWork<Value extends Traced> {
  readonly #services: DueWorkServices
  readonly #work: WorkOnDue<Value>
  readonly #slots = new FairQueue(LIMITS)
  /** Records in progress, or waiting for a slot. */
  readonly #underWay = new Map<string, Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #isWoken = false
  #stopping = new AbortController()

  constructor(services: DueWorkServices, work: WorkOnDue<Value>) {
    this.#services = services
    this.#work = work
  }

  start(): void {
    if (this.#stopping.signal.aborted) this.#stopping = new AbortController()
    this.#timer ??= setInterval(() => void this.workOnDue(), INTERVAL).unref()
  }

  /** Looks for due records soon, rather than at the next interval. Does nothing where it is not started. */
  wake(): void {
    if (this.#timer === undefined || this.#isWoken) return
    this.#isWoken = true
    forNoRequest(() =>
      setImmediate(() => {
        this.#isWoken = false
        if (this.#timer !== undefined) void this.workOnDue()
      }),
    )
  }

  /** Resolves when the work in progress is over; the remaining records wait for the next start. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearInterval(this.#timer)
    this.#timer = undefined
    await Promise.all(this.#underWay.values())
  }

  /** Works on every due record, and resolves when all have been tried. */
  async workOnDue(): Promise<void> {
    const records = (await this.#logged(() => this.#due())) ?? []
    await Promise.all(records.map((record) => this.#once(record)))
  }

  /**
   * Due records of every clinic. A full page may hold records of one clinic alone: then each clinic is read separately.
   */
  async #due(): Promise<readonly DueRecord<Value>[]> {
    const { repository } = this.#services
    const { kind } = this.#work
    const page = await repository.dueRecords(kind, { limit: PAGE })
    if (page.length < PAGE) return page
    const records: DueRecord<Value>[] = []
    for (const clinic of await repository.clinics()) {
      records.push(...(await repository.dueRecords(kind, { clinic, limit: LIMITS.slotsPerClinic })))
    }
    return records
  }

  /** Joins work in progress: a search finds records again that an earlier one found and that still wait. */
  #once(record: DueRecord<Value>): Promise<void> {
    const key = JSON.stringify([record.clinic, record.key])
    const known = this.#underWay.get(key)
    if (known !== undefined || this.#stopping.signal.aborted) return known ?? Promise.resolve()
    const work = this.#logged(() => this.#inTurn(record)).then(() => void this.#underWay.delete(key))
    this.#underWay.set(key, work)
    return work
  }

  async #inTurn(record: DueRecord<Value>): Promise<void> {
    const release = await this.#enter(JSON.stringify([record.clinic, this.#work.systemOf(record.value)]))
    if (release === undefined) return
    const { signal } = this.#stopping
    try {
      if (!signal.aborted) await unpaid(() => this.#work.workOn(record, signal), record.value.trace)
    } finally {
      release()
    }
  }

  /** Undefined when too many wait already: a later search finds the record again. */
  async #enter(system: string) {
    try {
      return await this.#slots.enter({ clinic: system, token: system })
    } catch (error) {
      if (error instanceof QueueFull) return undefined
      throw error
    }
  }

  /** Undefined after a fault, which is logged. */
  async #logged<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const fault = error instanceof Error ? error.name : typeof error
      this.#services.logger.error({ fault }, this.#work.failure)
      return undefined
    }
  }
}
