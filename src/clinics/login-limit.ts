/**
 * Slows down those who guess passwords: failures are counted, and after some of them the next attempt has to wait, longer
 * with each further one. Nobody is locked out: who logs in from an address where the password was right before does not
 * wait for the failures of others elsewhere, and all others do not wait for long. The counters are records in the store,
 * so they survive restarts and apply to all processes; they expire, so their number is bounded.
 */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { FhirError } from '../fhir/outcome.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { foldedName } from './passwords.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** A counter is forgotten when so much time has passed since its last failure: more than the longest wait. */
const FORGOTTEN_AFTER = 60 * MINUTE
/** Expired counters deleted per attempt: more than an attempt creates, so that they cannot accumulate. */
const CLEARED_PER_ATTEMPT = 8

/** Failures that cost no time; each further one doubles the wait, from one second on. */
interface Patience {
  readonly free: number
  /** Milliseconds. */
  readonly longest: number
}

/** For one user name from one address where its password has not been right before: 16 guesses in half an hour. */
const STRANGER: Patience = { free: 5, longest: 15 * MINUTE }
/** The same from an address where it has: short, as strangers may be there too (behind one router, or one proxy). */
const ACQUAINTANCE: Patience = { free: 10, longest: 30 * SECOND }
/** For one user name from all unknown addresses, against guesses from many. */
const USER: Patience = { free: 20, longest: MINUTE }
/** For one address with any user names, against trying one password on many. */
const ADDRESS: Patience = { free: 50, longest: MINUTE }

/** Attempts that have not succeeded so far; the last one was made at `since` (milliseconds). */
interface Counter {
  readonly failures: number
  readonly since: number
}

const LOGIN_ATTEMPTS = recordKind<Counter>('login-attempts')

/** Where the password of a user was right: the last so many addresses, for so long. */
const KNOWN_ADDRESSES = 20
const KNOWN_FOR = 90 * DAY

interface KnownAddresses {
  readonly addresses: readonly KnownAddress[]
}

interface KnownAddress {
  readonly network: string
  /** Milliseconds since 1970 UTC: the last time, to the day. */
  readonly seen: number
}

const KNOWN = recordKind<KnownAddresses>('known-addresses')

export interface LoginAttempt {
  /** Takes this attempt back, and the failures of the user name from this address; from now on the address is known. */
  succeeded(): Promise<void>
}

/** Who tries: a user name, at a client address. */
interface Client {
  readonly user: string
  readonly network: string
}

/**
 * Counts an attempt as failed before the password is checked, so that parallel guesses are counted too.
 * @throws FhirError 429 with Retry-After (seconds) when it comes too early; then it counts for nothing
 */
export async function takeAttempt(repository: Repository, username: string, address: string): Promise<LoginAttempt> {
  const client = { user: hashOf(username), network: networkOf(address) }
  await repository.change(SERVICE, async (unit) => {
    await clearExpired(unit, repository)
    const limits = limitsOf(client, await isKnown(unit, client))
    for (const { key, patience } of limits) await requirePatience(unit, key, patience)
    for (const { key } of limits) await set(unit, key, (await readCounter(unit, key)).failures + 1)
  })
  return { succeeded: () => repository.change(SERVICE, (unit) => forgive(unit, client)) }
}

interface Limit {
  readonly key: string
  readonly patience: Patience
}

function limitsOf(client: Client, known: boolean): readonly Limit[] {
  if (known) return [{ key: pairKey(client), patience: ACQUAINTANCE }]
  return [
    { key: pairKey(client), patience: STRANGER },
    { key: userKey(client), patience: USER },
    { key: addressKey(client), patience: ADDRESS },
  ]
}

async function requirePatience(unit: UnitOfWork, key: string, patience: Patience): Promise<void> {
  const { failures, since } = await readCounter(unit, key)
  const wait = since + waitAfter(failures, patience) - unit.now
  if (wait > 0) throw tooEarly(wait)
}

/** Milliseconds from the last failure on. */
const waitAfter = (failures: number, { free, longest }: Patience): number =>
  failures < free ? 0 : Math.min(longest, SECOND * 2 ** (failures - free))

/**
 * From now on the address is known. Only what this attempt was counted for is taken back: an account of one's own opens
 * no others.
 */
async function forgive(unit: UnitOfWork, client: Client): Promise<void> {
  const [pair, ...others] = limitsOf(client, await isKnown(unit, client)).map(({ key }) => key)
  if (pair !== undefined) await set(unit, pair, 0)
  for (const key of others) await set(unit, key, (await readCounter(unit, key)).failures - 1)
  await remember(unit, client)
}

/** The counter, unless it is to be forgotten. */
async function readCounter({ records, now }: UnitOfWork, key: string): Promise<Counter> {
  const counter = (await records.read(LOGIN_ATTEMPTS, key))?.value
  return counter !== undefined && counter.since + FORGOTTEN_AFTER > now ? counter : { failures: 0, since: now }
}

/** The wait runs from now on. */
async function set({ records, now }: UnitOfWork, key: string, failures: number): Promise<void> {
  const isStored = (await records.read(LOGIN_ATTEMPTS, key)) !== undefined
  if (failures > 0) records.put(LOGIN_ATTEMPTS, key, { failures, since: now }, { due: now + FORGOTTEN_AFTER })
  else if (isStored) records.delete(LOGIN_ATTEMPTS, key)
}

async function clearExpired(unit: UnitOfWork, repository: Repository): Promise<void> {
  const query = { clinic: SERVICE, dueBefore: unit.now, limit: CLEARED_PER_ATTEMPT }
  const expired = await repository.records(LOGIN_ATTEMPTS, query)
  for (const { key, version } of expired) unit.records.delete(LOGIN_ATTEMPTS, key, { expect: version })
}

async function isKnown(unit: UnitOfWork, { user, network }: Client): Promise<boolean> {
  return (await knownAddresses(unit, user)).some((known) => known.network === network)
}

async function knownAddresses({ records, now }: UnitOfWork, user: string): Promise<readonly KnownAddress[]> {
  const addresses = (await records.read(KNOWN, user))?.value.addresses ?? []
  return addresses.filter(({ seen }) => seen + KNOWN_FOR > now)
}

/** Written once a day, not with each login. */
async function remember(unit: UnitOfWork, { user, network }: Client): Promise<void> {
  const known = await knownAddresses(unit, user)
  if (known.some((one) => one.network === network && one.seen + DAY > unit.now)) return
  const others = known.filter((one) => one.network !== network)
  const addresses = [{ network, seen: unit.now }, ...others].slice(0, KNOWN_ADDRESSES)
  unit.records.put(KNOWN, user, { addresses })
}

/** Stages that no address of the user is known any more. */
export async function forgetAddresses({ records }: UnitOfWork, username: string): Promise<void> {
  const user = hashOf(username)
  if ((await records.read(KNOWN, user)) !== undefined) records.delete(KNOWN, user)
}

// Hashed, as users sometimes type their password in place of the user name.
const hashOf = (username: string): string => createHash('sha256').update(foldedName(username)).digest('base64url')

const userKey = ({ user }: Client): string => `user:${user}`
const addressKey = ({ network }: Client): string => `address:${network}`
const pairKey = (client: Client): string => `${userKey(client)} ${addressKey(client)}`

/** Whoever has an IPv6 address usually has the 2^64 beside it (https://www.rfc-editor.org/rfc/rfc6177). */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const network = [...left, ...zeros, ...right].slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

function tooEarly(waitMs: number): FhirError {
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
