/** Staff accounts: user name, clinic, role, and the password as a scrypt hash (https://www.rfc-editor.org/rfc/rfc7914). */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { badRequest, conflict, notFound } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'

export type Role = 'staff' | 'admin'

export interface Account {
  /** As given when the account was made; names are compared without case. */
  readonly username: string
  /** The person's name, shown to colleagues. */
  readonly name: string
  readonly clinic: string
  readonly role: Role
  /** Created by the demo, with a password that is published: it does not exist outside demo mode. */
  readonly demoOnly?: true
}

interface StoredAccount extends Account {
  readonly passwordHash: string
}

/** Accounts belong to the whole service: one user name, one account, whichever clinic it is of. */
const ACCOUNT = recordKind<StoredAccount>('account')

/** The parameters of scrypt (https://www.rfc-editor.org/rfc/rfc7914#section-2): a hash takes 128 * N * r bytes. */
export interface PasswordCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** One hash takes 32 MiB and about 80 ms. The parameters are stored with the hash, so they can grow later. */
export const PASSWORD_COST: PasswordCost = { N: 2 ** 15, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16
const MAX_MEMORY_BYTES = 256 * 1024 * 1024

const MIN_PASSWORD_LENGTH = 10
const MAX_PASSWORD_LENGTH = 1024
const USERNAME = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,63}$/u

/**
 * Makes an account.
 * @throws FhirError 400 when name or password break the rules, 409 when the user name is taken.
 */
export async function createAccount(
  repository: Repository,
  account: Account,
  password: string,
  cost: PasswordCost = PASSWORD_COST,
): Promise<void> {
  checkUsername(account.username)
  checkPassword(password, account.username)
  const passwordHash = await hashPassword(password, cost)
  await repository.change(SERVICE, async (unit) => {
    if ((await unit.records.read(ACCOUNT, keyOf(account.username))) !== undefined) {
      throw conflict(`There is an account '${account.username}' already; choose another user name`)
    }
    stageAccount(unit, account, passwordHash)
  })
}

/** Stages a new account in a change of any clinic; the write is refused when the user name is taken. */
export function stageAccount(unit: UnitOfWork, account: Account, passwordHash: string): void {
  unit.records.put(ACCOUNT, keyOf(account.username), { ...account, passwordHash }, { expect: 0 })
}

/** @throws FhirError 404 when there is no such account, 400 when the password breaks the rules. */
export async function changePassword(repository: Repository, username: string, password: string): Promise<void> {
  checkPassword(password, username)
  const passwordHash = await hashPassword(password)
  await repository.change(SERVICE, async (unit) => {
    const account = await existing(unit, username)
    unit.records.put(ACCOUNT, keyOf(username), { ...account, passwordHash })
  })
}

/** Tokens already given out stay good until they expire. @throws FhirError 404 when there is no such account. */
export async function removeAccount(repository: Repository, username: string): Promise<void> {
  await repository.change(SERVICE, async (unit) => {
    await existing(unit, username)
    unit.records.delete(ACCOUNT, keyOf(username))
  })
}

/**
 * The account, when the password is its own. An unknown user name costs the same work, so time tells nothing.
 * @param cost of the hashes in this service, for the work on an unknown user name
 */
export async function verifyPassword(
  repository: Repository,
  username: string,
  password: string,
  demo: boolean,
  cost: PasswordCost = PASSWORD_COST,
): Promise<Account | undefined> {
  const record = await repository.readRecord(SERVICE, ACCOUNT, keyOf(username))
  const stored = isStoredAccount(record?.value) && (demo || record.value.demoOnly !== true) ? record.value : undefined
  const matches = await matchesHash(password, stored?.passwordHash ?? unmatchable(cost))
  if (stored === undefined || !matches) return undefined
  const { passwordHash: _hash, ...account } = stored
  return account
}

/** The form under which user names are compared. */
export const keyOf = (username: string): string => username.normalize('NFKC').trim().toLowerCase()

/** `scrypt$N$r$p$salt$key`, the last two in base64. */
export async function hashPassword(password: string, cost: PasswordCost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const key = await derive(password, salt, KEY_BYTES, cost)
  return encode(cost, salt, key)
}

async function matchesHash(password: string, hash: string): Promise<boolean> {
  const [scheme, N, r, p, salt = '', key = ''] = hash.split('$')
  if (scheme !== 'scrypt') throw new Error(`A stored password hash has the unknown scheme '${scheme}'`)
  const expected = Buffer.from(key, 'base64')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const actual = await derive(password, Buffer.from(salt, 'base64'), expected.length, cost)
  return timingSafeEqual(actual, expected)
}

function derive(password: string, salt: Buffer, bytes: number, cost: PasswordCost): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, bytes, { ...cost, maxmem: MAX_MEMORY_BYTES }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })
}

const encode = ({ N, r, p }: PasswordCost, salt: Buffer, key: Buffer): string =>
  ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')

/** The hash of no password at all: what a login with an unknown user name is compared with. */
const unmatchable = (cost: PasswordCost): string => encode(cost, randomBytes(SALT_BYTES), randomBytes(KEY_BYTES))

async function existing(unit: UnitOfWork, username: string): Promise<StoredAccount> {
  const record = await unit.records.read(ACCOUNT, keyOf(username))
  if (!isStoredAccount(record?.value)) throw notFound(`There is no account '${username}'`)
  return record.value
}

const isStoredAccount = (value: unknown): value is StoredAccount =>
  isObject(value) && typeof value.passwordHash === 'string'

function checkUsername(username: string): void {
  if (USERNAME.test(username)) return
  throw badRequest('A user name has 1 to 64 letters, digits or . _ @ + - and begins with a letter or digit')
}

function checkPassword(password: string, username: string): void {
  const length = [...password].length
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) {
    throw badRequest(
      `The password has ${length} characters; it must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH}`,
    )
  }
  if (keyOf(password) === keyOf(username)) throw badRequest('The password is the user name; choose another one')
}
