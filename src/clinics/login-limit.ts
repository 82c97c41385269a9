/**
 * Limited login attempts: 10 failures per user name and 50 per address within 15 minutes, counted from the first.
 * The counters are records of the store, so they hold over restarts and for every process that shares the store.
 */
import { createHash } from 'node:crypto'
import { FhirError } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { keyOf } from './accounts.ts'
import { SERVICE } from './service.ts'

const WINDOW_MS = 15 * 60 * 1000
const FAILURES_PER_USER = 10
const FAILURES_PER_ADDRESS = 50
const KIND = 'login-attempts'
/** Expired counters that one attempt clears away: more than it makes, so they can't pile up. */
const CLEARED_PER_ATTEMPT = 8

/** Attempts since `since` (ms) that have not succeeded (yet). */
interface Counter {
  readonly failures: number
  readonly since: number
}

export interface LoginAttempt {
  /** Forgets the user's failures, and this attempt for the address, so that a success never counts against anybody. */
  succeeded(): Promise<void>
}

/**
 * Counts an attempt as failed before the password is looked at: guesses made in parallel don't slip through.
 * @throws FhirError 429 with Retry-After (seconds) when there were too many; refused attempts prolong nothing.
 */
export async function takeAttempt(repository: Repository, username: string, address: string): Promise<LoginAttempt> {
  const counters = [
    { key: userKey(username), limit: FAILURES_PER_USER },
    { key: addressKey(address), limit: FAILURES_PER_ADDRESS },
  ]
  await repository.change(SERVICE, async (unit) => {
    await clearExpired(unit, repository)
    for (const { key, limit } of counters) await countFailure(unit, key, limit)
  })
  return { succeeded: () => repository.change(SERVICE, (unit) => forgive(unit, username, address)) }
}

async function countFailure(unit: UnitOfWork, key: string, limit: number): Promise<void> {
  const { counter, version } = await readCounter(unit, key)
  const { failures, since } = counter ?? { failures: 0, since: unit.now }
  if (failures >= limit) throw tooMany(since + WINDOW_MS - unit.now)
  stage(unit, key, version, { failures: failures + 1, since })
}

async function forgive(unit: UnitOfWork, username: string, address: string): Promise<void> {
  const user = await readCounter(unit, userKey(username))
  if (user.version > 0) unit.record({ kind: KIND, key: userKey(username), expect: user.version, value: undefined })
  const { counter, version } = await readCounter(unit, addressKey(address))
  if (counter === undefined) return
  stage(unit, addressKey(address), version, { ...counter, failures: Math.max(0, counter.failures - 1) })
}

/** The counter while its window lasts, and the version of its record (0: none). */
async function readCounter(unit: UnitOfWork, key: string): Promise<{ counter: Counter | undefined; version: number }> {
  const record = await unit.readRecord(KIND, key)
  const counter = isCounter(record?.value) && record.value.since + WINDOW_MS > unit.now ? record.value : undefined
  return { counter, version: record?.version ?? 0 }
}

const stage = (unit: UnitOfWork, key: string, version: number, value: Counter): void =>
  unit.record({ kind: KIND, key, expect: version, value, due: value.since + WINDOW_MS })

async function clearExpired(unit: UnitOfWork, repository: Repository): Promise<void> {
  const expired = await repository.records({
    clinic: SERVICE,
    kind: KIND,
    dueBefore: unit.now,
    limit: CLEARED_PER_ATTEMPT,
  })
  for (const { key, version } of expired) unit.record({ kind: KIND, key, expect: version, value: undefined })
}

const isCounter = (value: unknown): value is Counter =>
  isObject(value) && typeof value.failures === 'number' && typeof value.since === 'number'

// Hashed: sooner or later somebody types a password where the user name belongs.
const userKey = (username: string): string => `user:${createHash('sha256').update(keyOf(username)).digest('base64url')}`

const addressKey = (address: string): string => `address:${address}`

function tooMany(waitMs: number): FhirError {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000))
  return new FhirError(
    429,
    {
      code: 'throttled',
      diagnostics: `Too many failed logins; try again in ${seconds} seconds`,
      reason: 'too-many-logins',
    },
    { 'retry-after': String(seconds) },
  )
}
