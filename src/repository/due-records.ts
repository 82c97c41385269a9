/**
 * The loop of background work on due records of one kind, of all clinics. A look takes a few at a time, the longest
 * overdue first, and reads more only after it has worked on one, so it ends even when the clocks of servers differ.
 * Several processes may each run a loop of the same kind; the store decides which of them gets a record.
 */
import type { Logger } from 'pino'
import {
  BackgroundLoop,
  type Job,
  type JobSource,
  type LeasedJob,
  type LoopPace,
} from '../isolation/background-loop.ts'
import { dueTimeOf, type RecordKind } from './record-kinds.ts'
import type { KindRecord, Repository, UnitOfWork } from './repository.ts'

const PACE: LoopPace = { look: 500, pause: 0 }
/** Milliseconds after which a record is worked on again when the server has died or the work has failed. */
export const LEASE = 15_000
/** Records of one query. */
const MAX_RECORDS = 20

export interface DueServices {
  readonly repository: Pick<Repository, 'dueRecords' | 'clinics' | 'change'>
  readonly logger: Logger
}

/** Services of work that goes through the handlers of a clinic. */
export interface DueServicesOf<Access> extends DueServices {
  readonly accessOf: (clinic: string) => Access
}

export interface LeasedRecord<Value> {
  readonly clinic: string
  readonly key: string
  readonly value: Value
  /** The version written with the lease; a different one shows that the record has been written since. */
  readonly version: number
}

interface DueKind<Value> {
  readonly kind: RecordKind<Value>
  /** Milliseconds, if another time than LEASE. */
  readonly lease?: number
  /** Logged after a fault; work on the other records continues. */
  readonly failure: string
  /** Records of a clinic that the work on one of them does together, at most: a look takes one of each clinic. */
  readonly together?: number
}

/** Work that takes several changes: the record is leased meanwhile. */
interface LongWork<Value> extends DueKind<Value> {
  /**
   * Runs in the change that leases the record. As that may be repeated, it may read in `unit`, but must not have other
   * effects.
   */
  readonly begin: (record: LeasedRecord<Value>, unit: UnitOfWork) => LeasedJob | Promise<LeasedJob>
}

/** Work that takes a single change, and needs no lease. */
interface ShortWork<Value> extends DueKind<Value> {
  /** Makes the change, after which the record is no longer due. False: there is nothing more to do in this look. */
  readonly finish: (clinic: string, key: string) => Promise<boolean>
}

export type DueWork<Value> = LongWork<Value> | ShortWork<Value>

/** @param pace `atOnce` is the number of records worked on side by side */
export const dueRecordLoop = <Value>(services: DueServices, work: DueWork<Value>, pace = PACE): BackgroundLoop =>
  new BackgroundLoop(new DueRecords(services, work), pace)

const firstOfEachClinic = <Due extends { readonly clinic: string }>(due: readonly Due[]): readonly Due[] =>
  due.filter(({ clinic }, index) => due.findIndex((other) => other.clinic === clinic) === index)

class DueRecords<Value> implements JobSource {
  readonly #services: DueServices
  readonly #work: DueWork<Value>

  constructor(services: DueServices, work: DueWork<Value>) {
    this.#services = services
    this.#work = work
  }

  async *jobs(): AsyncGenerator<Job> {
    for (let hasWorked = true; hasWorked; ) {
      hasWorked = false
      for (const { clinic, key } of await this.#due()) {
        const onWork = (): void => {
          hasWorked = true
        }
        yield { lease: () => this.#begin(clinic, key, onWork) }
      }
    }
  }

  /** Where the work on a record does others of its clinic, one of each: a page may be of one clinic alone. */
  async #due(): Promise<readonly KindRecord<Value>[]> {
    const { repository } = this.#services
    const { kind, together } = this.#work
    const due = await repository.dueRecords(kind, { limit: together ?? MAX_RECORDS })
    if (together === undefined) return due
    if (due.length < together) return firstOfEachClinic(due)
    const firsts: KindRecord<Value>[] = []
    for (const clinic of await repository.clinics())
      firsts.push(...(await repository.dueRecords(kind, { clinic, limit: 1 })))
    return firsts
  }

  failed(error: unknown): boolean {
    const fault = error instanceof Error ? error.name : typeof error
    this.#services.logger.error({ fault }, this.#work.failure)
    return true
  }

  async #begin(clinic: string, key: string, onWork: () => void): Promise<LeasedJob | undefined> {
    if ('finish' in this.#work) return await this.#finish(this.#work, clinic, key, onWork)
    const { begin } = this.#work
    const job = await this.#leased(clinic, key, begin)
    if (job !== undefined) onWork()
    return job
  }

  async #finish(
    { finish }: ShortWork<Value>,
    clinic: string,
    key: string,
    onWork: () => void,
  ): Promise<LeasedJob | undefined> {
    try {
      if (await finish(clinic, key)) onWork()
    } catch (error) {
      // Otherwise records that fail each time would fill every query.
      if (await this.#leased(clinic, key, () => true)) onWork()
      throw error
    }
    return undefined
  }

  /**
   * Leases a record. @returns the result of `begin`; undefined: another process has the record, or it is no longer due
   */
  #leased<T>(
    clinic: string,
    key: string,
    begin: (record: LeasedRecord<Value>, unit: UnitOfWork) => T | Promise<T>,
  ): Promise<T | undefined> {
    const { kind, lease = LEASE } = this.#work
    return this.#services.repository.change(clinic, async (unit) => {
      const { records } = unit
      const now = dueTimeOf(kind, unit)
      const record = await records.read(kind, key)
      if (record === undefined || record.due === null || record.due > now) return undefined
      records.put(kind, key, record.value, { due: now + lease })
      return await begin({ clinic, key, value: record.value, version: records.nextVersion(kind, key) }, unit)
    })
  }
}
