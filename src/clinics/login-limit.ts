/**
 * Slows down guesses of passwords: failures are counted, and after some of them the next attempt has to wait, longer
 * with each further one. Nobody is locked out: a user at an address where the password was right before does not wait
 * because of failures elsewhere, and at other addresses the wait is short.
 */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { FhirError } from '../fhir/outcome.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import {
  addFailures,
  type Counter,
  clearExpired,
  forgetFailures,
  type Limit,
  type Patience,
  waitFor,
} from './failed-attempts.ts'
import { foldedName } from './passwords.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** For one user name from one address where its password has not been right before: 16 guesses in half an hour. */
const STRANGER: Patience = { free: 5, longest: 15 * MINUTE }
/** The same from an address where it has: short, as strangers may be there too (behind one router, or one proxy). */
const ACQUAINTANCE: Patience = { free: 10, longest: 30 * SECOND }
/** For one user name from all unknown addresses, against guesses from many. */
const USER: Patience = { free: 20, longest: MINUTE }
/** For one address with any user names, against trying one password on many. */
const ADDRESS: Patience = { free: 50, longest: MINUTE }

const LOGIN_ATTEMPTS = recordKind<Counter>('login-attempts')

/** Addresses where the password of a user was right: their number, and how long they are remembered. */
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
  /** Withdraws this attempt, and the failures of the user name from this address; from now on the address is known. */
  succeeded(): Promise<void>
}

/** The origin of an attempt: a user name, at a client address. */
interface Client {
  readonly user: string
  readonly network: string
}

/**
 * Counts an attempt as failed before the password is checked, so that parallel guesses are counted too.
 * @throws FhirError 429 with Retry-After (seconds) when it comes too early; then it is not counted
 */
export async function takeAttempt(repository: Repository, username: string, address: string): Promise<LoginAttempt> {
  const client = { user: hashOf(username), network: networkOf(address) }
  await repository.change(SERVICE, async (unit) => {
    await clearExpired(unit, LOGIN_ATTEMPTS)
    const limits = limitsOf(client, await isKnown(unit, client))
    const wait = await waitFor(unit, limits)
    if (wait > 0) throw tooEarly(wait)
    for (const limit of limits) await addFailures(unit, limit, 1)
  })
  return { succeeded: () => repository.change(SERVICE, (unit) => forgive(unit, client)) }
}

function limitsOf(client: Client, known: boolean): readonly Limit[] {
  const kind = LOGIN_ATTEMPTS
  if (known) return [{ kind, key: pairKey(client), patience: ACQUAINTANCE }]
  return [
    { kind, key: pairKey(client), patience: STRANGER },
    { kind, key: userKey(client), patience: USER },
    { kind, key: addressKey(client), patience: ADDRESS },
  ]
}

/**
 * Withdraws the failures that this attempt was counted for, and no others: a login to one's own account must not help
 * to guess other passwords. From now on the address is known.
 */
async function forgive(unit: UnitOfWork, client: Client): Promise<void> {
  const [pair, ...others] = limitsOf(client, await isKnown(unit, client))
  if (pair !== undefined) await forgetFailures(unit, pair)
  for (const limit of others) await addFailures(unit, limit, -1)
  await remember(unit, client)
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

/** Stages that the user has no known address any more. */
export async function forgetAddresses({ records }: UnitOfWork, username: string): Promise<void> {
  const user = hashOf(username)
  if ((await records.read(KNOWN, user)) !== undefined) records.delete(KNOWN, user)
}

// Hashed, as users sometimes type their password in place of the user name.
const hashOf = (username: string): string => createHash('sha256').update(foldedName(username)).digest('base64url')

const userKey = ({ user }: Client): string => `user:${user}`
const addressKey = ({ network }: Client): string => `address:${network}`
const pairKey = (client: Client): string => `${userKey(client)} ${addressKey(client)}`

/** The /64 network of an IPv6 address: its user usually has all of it (https://www.rfc-editor.org/rfc/rfc6177). */
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
