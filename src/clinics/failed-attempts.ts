/**
 * Counters of failed attempts: after some failures the next attempt has to wait, longer with each further one. They are
 * records in the store, so they survive restarts and hold for all processes; they expire, so their number is bounded. They go
 * by the time of the machine, as no clinic's clock may end a wait.
 */
import type { RecordKind } from '../repository/record-kinds.ts'
import type { UnitOfWork } from '../repository/repository.ts'

const SECOND = 1_000
const HOUR = 3_600_000

/**
 * Milliseconds after its last failure when a counter whose failures do not fade is forgotten: more than the longest
 * wait.
 */
const FORGOTTEN_AFTER = HOUR
/** Expired counters deleted per attempt: more than an attempt creates, so that they cannot accumulate. */
const CLEARED_PER_ATTEMPT = 8

/** Failures that cost no time; each further one doubles the wait, from one second on. */
export interface Patience {
  readonly free: number
  /** Milliseconds. */
  readonly longest: number
  /** One failure is forgotten each `longest`, so that one who never pauses may try that often; absent: all of them together. */
  readonly fades?: true
}

/** Failures so far; the wait runs from `since` (milliseconds). */
export interface Counter {
  /** Not a whole number where they fade. */
  readonly failures: number
  readonly since: number
}

export interface Limit {
  readonly kind: RecordKind<Counter>
  readonly key: string
  readonly patience: Patience
}

/** Milliseconds until an attempt may be made that has to keep all the limits; 0: now. */
export async function waitFor(unit: UnitOfWork, limits: readonly Limit[]): Promise<number> {
  let wait = 0
  for (const limit of limits) {
    const { failures, since } = await readCounter(unit, limit)
    wait = Math.max(wait, since + waitAfter(failures, limit.patience) - unit.writtenAt)
  }
  return wait
}

/** Milliseconds from the last failure on. */
const waitAfter = (failures: number, { free, longest }: Patience): number =>
  failures < free ? 0 : Math.min(longest, SECOND * 2 ** (failures - free))

/**
 * Counts an attempt that has failed, or takes one back that was counted before it succeeded.
 * @returns the failures that count now; a limit is reached with `free` of them
 */
export async function addFailures(unit: UnitOfWork, limit: Limit, added: 1 | -1): Promise<number> {
  const failures = (await failuresNow(unit, limit)) + added
  await setFailures(unit, limit, failures)
  return failures
}

/** Stages that nothing is counted any more. */
export const forgetFailures = (unit: UnitOfWork, limit: Limit): Promise<void> => setFailures(unit, limit, 0)

/**
 * Writes the counter as it is, for an attempt that has succeeded: of attempts at the same time one then meets a conflict,
 * runs again, and finds what the others have counted.
 */
export async function keepFailures(unit: UnitOfWork, limit: Limit): Promise<void> {
  const counter = await readCounter(unit, limit)
  put(unit, limit, counter)
}

async function failuresNow(unit: UnitOfWork, limit: Limit): Promise<number> {
  const { failures, since } = await readCounter(unit, limit)
  const { fades, longest } = limit.patience
  return fades === undefined ? failures : Math.max(0, failures - (unit.writtenAt - since) / longest)
}

/** The counter, unless it is to be forgotten. */
async function readCounter({ records, writtenAt: now }: UnitOfWork, { kind, key }: Limit): Promise<Counter> {
  const record = await records.read(kind, key)
  return record?.due == null || record.due <= now ? { failures: 0, since: now } : record.value
}

/** The wait runs from now on. */
async function setFailures(unit: UnitOfWork, limit: Limit, failures: number): Promise<void> {
  const isStored = (await unit.records.read(limit.kind, limit.key)) !== undefined
  if (failures > 0) put(unit, limit, { failures, since: unit.writtenAt })
  else if (isStored) unit.records.delete(limit.kind, limit.key)
}

function put({ records }: UnitOfWork, { kind, key, patience }: Limit, counter: Counter): void {
  const { fades, longest } = patience
  const lifetime = fades === undefined ? FORGOTTEN_AFTER : Math.max(1, counter.failures) * longest
  records.put(kind, key, counter, { due: Math.ceil(counter.since + lifetime) })
}

/** Stages the deletion of some that have expired. To be called before others of the kind are read or written. */
export async function clearExpired({ records, writtenAt: now }: UnitOfWork, kind: RecordKind<Counter>): Promise<void> {
  for (const { key, version } of await records.due(kind, { before: now, limit: CLEARED_PER_ATTEMPT }))
    records.delete(kind, key, { expect: version })
}
