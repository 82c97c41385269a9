/**
 * Accounts: user name, clinic, role and password, and their sessions. A session begins with a login, and its tokens carry
 * its id and the version of its account. It ends with `DELETE /session`, with any change of the account, or when its time is
 * over. Each request checks its session, so accounts are read from memory (Repository.readRecent).
 */
import { badRequest, conflict, FhirError, notFound } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { spend } from '../isolation/budget.ts'
import { recordKind, SERVICE } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { forgetAddresses } from './login-limit.ts'
import { checkPassword, foldedName, hashPassword, matchesHash, PASSWORD_COST, type PasswordCost } from './passwords.ts'

/** Staff and admins act in their own clinic only; operators run the service: clinics, accounts, state. */
export const ROLES = ['staff', 'admin', 'operator'] as const
export type Role = (typeof ROLES)[number]

export const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value)

/** Whether a role has more rights than another. */
export const isHigher = (role: Role, than: Role): boolean => ROLES.indexOf(role) > ROLES.indexOf(than)

export interface Account {
  /** As given when the account was made; names are compared without case. */
  readonly username: string
  /** The person's name, shown to colleagues. */
  readonly name: string
  /** SERVICE for an operator without a clinic. */
  readonly clinic: string
  readonly role: Role
  /** Nobody can log in. */
  readonly disabled?: true
  /** Created by the demo, with a password that is published: it does not exist outside demo mode. */
  readonly demoOnly?: true
  /**
   * Milliseconds since 1970 UTC: the last change that ended all sessions. Absent in accounts that were made by a version
   * without it and have not changed since.
   */
  readonly version?: number
}

export interface StoredAccount extends Account {
  readonly passwordHash: string
  /** Sessions that were ended before their time. */
  readonly endedSessions?: readonly EndedSession[]
}

export interface EndedSession {
  readonly id: string
  /** Milliseconds since 1970 UTC: by then all its tokens have expired. */
  readonly until: number
}

/** Accounts belong to the whole service: one user name, one account, whichever clinic it is of. */
const ACCOUNT = recordKind<StoredAccount>('account')

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
  checkName(account.name)
  checkPassword(password, account.username)
  const passwordHash = await hashPassword(password, cost)
  await repository.change(SERVICE, async (unit) => {
    if ((await unit.records.read(ACCOUNT, foldedName(account.username))) !== undefined) {
      throw conflict(`There is an account '${account.username}' already; choose another user name`)
    }
    stageAccount(unit, account, passwordHash)
  })
}

/** Stages a new account in a change of any clinic; the write is refused when the user name is taken. */
export function stageAccount(unit: UnitOfWork, account: Account, passwordHash: string): void {
  const stored = { ...account, version: unit.writtenAt, passwordHash }
  unit.records.put(ACCOUNT, foldedName(account.username), stored, { expect: 0 })
}

/**
 * Ends all sessions of the account.
 * @throws FhirError 404 when there is no such account, 400 when the password breaks the rules.
 */
export async function changePassword(
  repository: Repository,
  username: string,
  password: string,
  cost: PasswordCost = PASSWORD_COST,
): Promise<void> {
  checkPassword(password, username)
  const passwordHash = await hashPassword(password, cost)
  await changeAccount(repository, username, (account) => ({ ...account, passwordHash }))
}

/**
 * Changes the name of the account's person, and ends all its sessions: their tokens have the old name.
 * @throws FhirError 404 when there is no such account, 400 for an invalid name
 */
export async function renameAccount(
  repository: Repository,
  username: string,
  name: string,
  check?: AccountCheck,
): Promise<Account> {
  checkName(name)
  return await changeAccount(repository, username, (account) => ({ ...account, name }), check)
}

/** Ends all sessions of the account. @throws FhirError 404 when there is no such account. */
export async function setDisabled(
  repository: Repository,
  username: string,
  disabled: boolean,
  check?: AccountCheck,
): Promise<Account> {
  const change = ({ disabled: _before, ...account }: StoredAccount): StoredAccount =>
    disabled ? { ...account, disabled: true } : account
  return await changeAccount(repository, username, change, check)
}

/** Looks at the account as it is in the change, and refuses the change by throwing. */
type AccountCheck = (account: Account) => void

/** Ends all sessions of the account. @throws FhirError 404 when there is no such account. */
export async function removeAccount(repository: Repository, username: string): Promise<void> {
  await repository.change(SERVICE, async (unit) => {
    await existing(unit, username)
    await stageRemoval(unit, username)
  })
}

async function stageRemoval(unit: UnitOfWork, username: string): Promise<void> {
  unit.records.delete(ACCOUNT, foldedName(username))
  await forgetAddresses(unit, username)
}

/** The account as it is now. */
export async function findAccount(repository: Repository, username: string): Promise<Account | undefined> {
  const stored = await findStored(repository, username)
  return stored && withoutSecrets(stored)
}

async function findStored(repository: Repository, username: string): Promise<StoredAccount | undefined> {
  const record = await repository.readRecord(SERVICE, ACCOUNT, foldedName(username))
  return isStoredAccount(record?.value) ? record.value : undefined
}

/** The account as it was a moment ago at most; undefined where there is none, as with users of another issuer. */
export async function accountIn({ records }: UnitOfWork, username: string): Promise<Account | undefined> {
  const stored = (await records.readRecent(ACCOUNT, foldedName(username)))?.value
  return isStoredAccount(stored) ? withoutSecrets(stored) : undefined
}

/**
 * The role in which the server acts for a user later: that of then, or the one of the account now, where it is lower; undefined
 * where the account is gone, disabled, or of another clinic.
 */
export function roleNow(account: Account | undefined, then: Pick<Account, 'clinic' | 'role'>): Role | undefined {
  if (account === undefined || account.disabled === true || account.clinic !== then.clinic) return undefined
  return isHigher(then.role, account.role) ? account.role : then.role
}

const PAGE = 500

/** By user name; only those after `after`, where it is given. */
export async function* everyAccount(repository: Repository, after?: string): AsyncGenerator<Account> {
  const from = after === undefined ? {} : { after: foldedName(after) }
  for await (const page of repository.recordPages(ACCOUNT, { clinic: SERVICE, ...from }, PAGE)) {
    spend(page.length, 'the list of accounts')
    for (const { value } of page) if (isStoredAccount(value)) yield withoutSecrets(value)
  }
}

/** Stages the end of all accounts of the demo. */
export async function removeDemoAccounts(repository: Repository, unit: UnitOfWork): Promise<void> {
  for await (const { username, demoOnly } of everyAccount(repository)) {
    if (demoOnly !== true || (await unit.records.read(ACCOUNT, foldedName(username))) === undefined) continue
    await stageRemoval(unit, username)
  }
}

/**
 * The account, when the password is its own and it is not disabled. An unknown user name costs the same work, so time
 * tells nothing.
 * @param cost of the hashes in this service, for the work on an unknown user name
 */
export async function verifyPassword(
  repository: Repository,
  username: string,
  password: string,
  demo: boolean,
  cost: PasswordCost = PASSWORD_COST,
): Promise<Account | undefined> {
  const found = await findStored(repository, username)
  const stored = found !== undefined && isUsable(found, demo) ? found : undefined
  const matches = await matchesHash(password, stored?.passwordHash, cost)
  return stored !== undefined && matches ? withoutSecrets(stored) : undefined
}

/** @param demo demo mode is on */
const isUsable = ({ disabled, demoOnly }: Account, demo: boolean): boolean =>
  disabled !== true && (demo || demoOnly !== true)

/**
 * Writes the account as `change` returns it, and ends all its sessions.
 * @throws FhirError 404 when there is no such account
 */
async function changeAccount(
  repository: Repository,
  username: string,
  change: (account: StoredAccount) => StoredAccount,
  check: AccountCheck = () => undefined,
): Promise<Account> {
  return await repository.change(SERVICE, async (unit) => {
    const current = await existing(unit, username)
    check(current)
    const { endedSessions: _ended, ...account } = change(current)
    const changed = { ...account, version: nextVersion(account, unit.now) }
    unit.records.put(ACCOUNT, foldedName(username), changed)
    return withoutSecrets(changed)
  })
}

/** Later than the one before, though the clock may have been set back. */
const nextVersion = ({ version = 0 }: Account, now: number): number => Math.max(now, version + 1)

const withoutSecrets = ({ passwordHash: _hash, endedSessions: _ended, ...account }: StoredAccount): Account => account

async function existing(unit: UnitOfWork, username: string): Promise<StoredAccount> {
  const record = await unit.records.read(ACCOUNT, foldedName(username))
  if (!isStoredAccount(record?.value)) throw notFound(`There is no account '${username}'`)
  return record.value
}

const isStoredAccount = (value: unknown): value is StoredAccount =>
  isObject(value) && typeof value.passwordHash === 'string'

const MAX_NAME_LENGTH = 200

function checkName(name: string): void {
  if (name.trim() !== '' && name.length <= MAX_NAME_LENGTH) return
  throw badRequest(`The name of a person has 1 to ${MAX_NAME_LENGTH} characters`)
}

function checkUsername(username: string): void {
  if (USERNAME.test(username)) return
  throw badRequest('A user name has 1 to 64 letters, digits or . _ @ + - and begins with a letter or digit')
}

/** The session of one of our own tokens. */
export interface TokenSession {
  /** The user name, folded. */
  readonly account: string
  /** Milliseconds since 1970 UTC: the token was issued within the second that begins here. */
  readonly issued: number
  /** Absent in tokens that were not issued for a login, or by a version of this server without sessions. */
  readonly login?: Login
}

export interface Login {
  /** The id of the session. */
  readonly id: string
  /** The version of the account when the session began. */
  readonly version: number
  /** The clinic with the record of its token, where the session was begun for a program (program-tokens.ts). */
  readonly program?: string
}

/** The version for sessions of an account that begin now. */
export const versionOf = ({ version = 0 }: Account): number => version

/**
 * False once the session has ended. A token without a login is valid until it expires, or the account that it names, if
 * any, is changed.
 * @param demo demo mode is on
 */
export function isSessionActive(
  repository: Repository,
  session: TokenSession,
  demo: boolean,
): boolean | Promise<boolean> {
  const found = repository.readRecent(SERVICE, ACCOUNT, session.account)
  return found instanceof Promise
    ? found.then((record) => goesOnBy(record?.value, session, demo))
    : goesOnBy(found?.value, session, demo)
}

function goesOnBy(account: StoredAccount | undefined, { login, issued }: TokenSession, demo: boolean): boolean {
  if (account === undefined) return login === undefined
  if (!isUsable(account, demo)) return false
  if (login === undefined) return versionOf(account) < issued + 1_000
  return versionOf(account) === login.version && !isEnded(account, login.id)
}

const isEnded = ({ endedSessions = [] }: StoredAccount, id: string): boolean =>
  endedSessions.some((session) => session.id === id)

/** Ended sessions of one account that are remembered one by one; where there are more, all of its sessions end. */
const MAX_ENDED = 500

/**
 * Ends a session before its time.
 * @param lifetime milliseconds at most that a session lasts
 */
export async function endSession(repository: Repository, key: string, { id }: Login, lifetime: number): Promise<void> {
  await repository.change(SERVICE, async (unit) => {
    const account = (await unit.records.read(ACCOUNT, key))?.value
    if (account === undefined || isEnded(account, id)) return
    const others = (account.endedSessions ?? []).filter(({ until }) => until > unit.now)
    const ended =
      others.length < MAX_ENDED
        ? { endedSessions: [...others, { id, until: unit.now + lifetime }] }
        : { endedSessions: [], version: nextVersion(account, unit.now) }
    unit.records.put(ACCOUNT, key, { ...account, ...ended })
  })
}

/**
 * Makes the first operator, unless the service has one, be it disabled: from then on operators make each other. True when it did.
 * @throws FhirError 400 when name or password break the rules, 409 when the user name is that of somebody else
 */
export async function makeFirstOperator(
  repository: Repository,
  { username, password }: { readonly username: string; readonly password: string },
  cost?: PasswordCost,
): Promise<boolean> {
  if (await hasOperator(repository)) return false
  try {
    await createAccount(repository, { username, name: username, clinic: SERVICE, role: 'operator' }, password, cost)
    return true
  } catch (error) {
    // Another server of the store may have made it meanwhile.
    if (error instanceof FhirError && error.status === 409 && (await hasOperator(repository))) return false
    throw error
  }
}

async function hasOperator(repository: Repository): Promise<boolean> {
  for await (const { role } of everyAccount(repository)) if (role === 'operator') return true
  return false
}
