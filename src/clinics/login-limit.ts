/**
 * Limits failed logins to 10 per user name and 50 per address within 15 minutes of the first.
 * The counters are records in the store, so they survive restarts and apply to all processes.
 */
import { createHash } from 'node:crypto'
import { FhirError } from '../fhir/outcome.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { keyOf } from './accounts.ts'

const WINDOW_MS = 15 * 60 * 1000
const FAILURES_PER_USER = 10
const FAILURES_PER_ADDRESS = 50
/** Expired counters deleted per attempt: more than an attempt creates, so that they cannot accumulate. */
const CLEARED_PER_ATTEMPT = 8

/** Attempts since `since` (milliseconds) that have not succeeded so far. */
interface Counter {
  readonly failures: number
  readonly since: number
}

const LOGIN_ATTEMPTS = recordKind<Counter>('login-attempts')

export interface LoginAttempt {
  /** Resets the user's failures and takes back this attempt for the address, so that successful logins do not count. */
  succeeded(): Promise<void>
}

/**
 * Counts an attempt as failed before the password is checked, so that parallel guesses are counted too.
 * @throws FhirError 429 with Retry-After (seconds) when there were too many; rejected attempts do not extend the window
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
  const { failures, since } = (await readCounter(unit, key)) ?? { failures: 0, since: unit.now }
  if (failures >= limit) throw tooMany(since + WINDOW_MS - unit.now)
  stage(unit, key, { failures: failures + 1, since })
}

async function forgive(unit: UnitOfWork, username: string, address: string): Promise<void> {
  const { records } = unit
  const user = userKey(username)
  if ((await records.read(LOGIN_ATTEMPTS, user)) !== undefined) records.delete(LOGIN_ATTEMPTS, user)
  const counter = await readCounter(unit, addressKey(address))
  if (counter !== undefined) {
    stage(unit, addressKey(address), { ...counter, failures: Math.max(0, counter.failures - 1) })
  }
}

/** The counter, unless its window has passed. */
async function readCounter({ records, now }: UnitOfWork, key: string): Promise<Counter | undefined> {
  const counter = (await records.read(LOGIN_ATTEMPTS, key))?.value
  return counter !== undefined && counter.since + WINDOW_MS > now ? counter : undefined
}

const stage = ({ records }: UnitOfWork, key: string, value: Counter): void =>
  records.put(LOGIN_ATTEMPTS, key, value, { due: value.since + WINDOW_MS })

async function clearExpired(unit: UnitOfWork, repository: Repository): Promise<void> {
  const query = { clinic: SERVICE, dueBefore: unit.now, limit: CLEARED_PER_ATTEMPT }
  const expired = await repository.records(LOGIN_ATTEMPTS, query)
  for (const { key, version } of expired) unit.records.delete(LOGIN_ATTEMPTS, key, { expect: version })
}

// Hashed, as users sometimes type their password in place of the user name.
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
