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
/** Requests at once, in all and to one system of a clinic; and records that may wait for one: all Subscriptions of a clinic. */
const LIMITS = { slots: 32, slotsPerClinic: 4, perClinic: 1_000, total: 5_000 }

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

interface Due<Value> {
  readonly records: readonly DueRecord<Value>[]
  /** False: there may be others. */
  readonly isAll: boolean
}

const NOTHING_DUE = { records: [], isAll: true }

interface UnderWay {
  readonly clinic: string
  readonly work: Promise<boolean>
}

const nameOf = (clinic: string, key: string): string => JSON.stringify([clinic, key])

export class DueWork<Value extends Traced> {
  readonly #services: DueWorkServices
  readonly #work: WorkOnDue<Value>
  readonly #slots = new FairQueue(LIMITS)
  /** Records in progress, or waiting for a slot. */
  readonly #underWay = new Map<string, UnderWay>()
  /** The names of those on which there may be more work when this one is over. */
  readonly #again = new Set<string>()
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
    await Promise.all(Array.from(this.#underWay.values(), ({ work }) => work))
  }

  /** Works on due records of every clinic, and resolves when all that were found have been tried. */
  async workOnDue(): Promise<void> {
    const { records, isAll } = (await this.#logged(() => this.#due())) ?? NOTHING_DUE
    const tried = await Promise.all(records.map((record) => this.#once(record)))
    if (!isAll && tried.includes(true)) this.wake()
  }

  /** Called by the work on a record: there may be more of it to do at once, when it is this record's turn again. */
  protected goOn({ clinic, key }: Pick<DueRecord<Value>, 'clinic' | 'key'>): void {
    this.#again.add(nameOf(clinic, key))
  }

  /**
   * Due records of every clinic, among them some that are not under way yet. A full page may hold records of one clinic
   * alone: then each clinic is read separately. What waits for a slow system keeps no others from being found.
   */
  async #due(): Promise<Due<Value>> {
    const { repository } = this.#services
    const { kind } = this.#work
    const limit = PAGE + this.#underWay.size
    const page = await repository.dueRecords(kind, { limit })
    if (page.length < limit) return { records: page, isAll: true }
    const clinics = await repository.clinics()
    const underWay = Map.groupBy(this.#underWay.values(), ({ clinic }) => clinic)
    const share = Math.max(LIMITS.slotsPerClinic, Math.floor(PAGE / clinics.length))
    const records: DueRecord<Value>[] = []
    for (const clinic of clinics) {
      const most = share + (underWay.get(clinic)?.length ?? 0)
      records.push(...(await repository.dueRecords(kind, { clinic, limit: most })))
    }
    return { records, isAll: false }
  }

  /**
   * Joins work in progress: a search finds records again that an earlier one found and that still wait, or that have
   * become due as their work ended.
   * @returns whether it was tried
   */
  #once(record: DueRecord<Value>): Promise<boolean> {
    const name = nameOf(record.clinic, record.key)
    const known = this.#underWay.get(name)
    if (known !== undefined) this.#again.add(name)
    if (known !== undefined || this.#stopping.signal.aborted) return known?.work ?? Promise.resolve(false)
    const work = this.#logged(() => this.#inTurn(record)).then((wasTried = false) => {
      this.#underWay.delete(name)
      if (this.#again.delete(name)) void this.#once(record)
      return wasTried
    })
    this.#underWay.set(name, { clinic: record.clinic, work })
    return work
  }

  async #inTurn(record: DueRecord<Value>): Promise<boolean> {
    const release = await this.#enter(JSON.stringify([record.clinic, this.#work.systemOf(record.value)]))
    if (release === undefined) return false
    const { signal } = this.#stopping
    try {
      if (!signal.aborted) await unpaid(() => this.#work.workOn(record, signal), record.value.trace)
      return true
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
