/**
 * Accounts: `/accounts`. Operators create, change and remove them; an admin those of the staff of his clinic. An admin
 * may also disable other admins of his clinic, which gives nobody any right. Staff get the names of those to whom they
 * can assign Tasks. Users may change their own password, and nothing else.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import {
  type Account,
  changePassword,
  createAccount,
  everyAccount,
  findAccount,
  isRole,
  ROLES,
  removeAccount,
  renameAccount,
  setDisabled,
} from '../clinics/accounts.ts'
import { foldedName, type PasswordCost } from '../clinics/passwords.ts'
import { clinicExists } from '../clinics/settings.ts'
import type { Config } from '../config.ts'
import { badRequest, conflict, notFound, unprocessable } from '../fhir/outcome.ts'
import { isObject } from '../fhir/resource.ts'
import { requireMatch } from '../fhir-api/message/entity-tag.ts'
import { etagOf } from '../fhir-api/message/http.ts'
import { forbidden, requireOperator } from '../http/authenticate.ts'
import { tellSecrets, tellUserAccess, userOf } from '../http/exchange.ts'
import type { Logins } from '../http/logins.ts'
import { isText, readJsonBody, readSwitch } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { ownTokensOnly, type User } from '../http/token.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'

interface AccountDependencies {
  readonly repository: Repository
  readonly config: Pick<Config, 'jwt'>
  readonly logins: Logins
  /** Absent: the default. */
  readonly passwordCost?: PasswordCost | undefined
}

const PAGE = 100

/** Run after authentication. */
export function accountRoutes({ repository, config, logins, passwordCost }: AccountDependencies): SideRouter {
  const router = new Router({ prefix: '/accounts' })

  router.use(ownTokensOnly(config.jwt))

  router.get('/', async (koa) => {
    tellOf(koa, 'list accounts')
    const user = userOf(koa)
    const clinic = clinicToList(user, textOf(koa.query.clinic))
    if (clinic !== undefined && (await clinicExists(repository, clinic))) {
      tellUserAccess(koa, 'list accounts', { clinic, leastRole: 'admin' })
    }
    const isStaff = user.role === 'staff'
    const isWanted = (account: Account) =>
      (clinic === undefined || account.clinic === clinic) && !(isStaff && account.disabled === true)
    const { page, next } = await pageOf(repository, isWanted, textOf(koa.query.after))
    const link =
      next && `/accounts?${new URLSearchParams({ ...(clinic === undefined ? {} : { clinic }), after: next })}`
    koa.body = { accounts: page.map(isStaff ? named : shown), ...(link && { next: link }) }
  })

  router.post('/', async (koa) => {
    const user = userOf(koa)
    tellOf(koa, 'make account')
    if (user.role !== 'admin') requireOperator(user, 'make accounts')
    const { account, password } = readNewAccount(await readJsonBody(koa), user)
    tellSecrets(koa, password)
    requireManaged(user, account, 'make')
    if (account.clinic !== SERVICE && !(await clinicExists(repository, account.clinic))) {
      throw unprocessable(`There is no clinic '${account.clinic}'; make it first with POST /clinics`)
    }
    tellOf(koa, 'make account', account)
    await logins.hashing(koa, account.username, () => createAccount(repository, account, password, passwordCost))
    koa.status = 201
    koa.set('Location', `/accounts/${encodeURIComponent(account.username)}`)
    koa.body = shown(account)
  })

  router.get('/:username', async (koa) => {
    answerAccount(koa, await visibleAccount(koa, repository, 'read account'))
  })

  router.put('/:username/login', async (koa) => {
    const account = await visibleAccount(koa, repository, 'enable or disable account')
    const enabled = readSwitch(await readJsonBody(koa))
    tellOf(koa, enabled ? 'enable account' : 'disable account', account)
    requireOther(userOf(koa), account)
    // Enabling an account lets somebody in, and an operator's account is not only its clinic's.
    if (enabled || account.role === 'operator') requireManaged(userOf(koa), account, enabled ? 'enable' : 'disable')
    answerAccount(koa, await setDisabled(repository, account.username, !enabled, ifMatchCheck(koa)))
  })

  router.put('/:username/name', async (koa) => {
    const account = await visibleAccount(koa, repository, 'rename account')
    requireManaged(userOf(koa), account, 'change')
    const name = readName(await readJsonBody(koa))
    answerAccount(koa, await renameAccount(repository, account.username, name, ifMatchCheck(koa)))
  })

  router.delete('/:username', async (koa) => {
    const account = await visibleAccount(koa, repository, 'remove account')
    requireManaged(userOf(koa), account, 'remove')
    requireOther(userOf(koa), account)
    await removeAccount(repository, account.username)
    koa.status = 204
  })

  router.put('/:username/password', (koa) => putPassword(koa, { repository, logins, passwordCost }))

  return sideRouter(['accounts'], router)
}

async function putPassword(
  koa: KoaContext,
  { repository, logins, passwordCost }: Omit<AccountDependencies, 'config'>,
): Promise<void> {
  const user = userOf(koa)
  const { username = '' } = koa.params
  const what = 'change password of account'
  tellOf(koa, what)
  const body = await readJsonBody(koa)
  if (isObject(body)) tellSecrets(koa, ...Object.values(body).filter(isText))
  if (isOwn(user, username)) {
    tellOf(koa, what, { username: user.sub, clinic: user.clinic })
    await requireCurrentPassword(koa, logins, body)
  } else if (user.role === 'admin') requireManaged(user, await visibleAccount(koa, repository, what), 'change')
  else {
    requireOperator(user, 'change the password of somebody else')
    await visibleAccount(koa, repository, what)
  }
  const { password } = readPasswords(body)
  await logins.hashing(koa, username, () => changePassword(repository, username, password, passwordCost))
  koa.status = 204
}

/** The members of an account that clients see, without those that only the server needs. */
const shown = ({ username, name, clinic, role, disabled }: Account) => ({
  username,
  name,
  ...(clinic === SERVICE ? {} : { clinic }),
  role,
  enabled: disabled !== true,
})

/** The members that colleagues see. */
const named = ({ username, name }: Account) => ({ username, name })

function answerAccount(koa: KoaContext, account: Account): void {
  koa.set('ETag', etagOf(account.version ?? 0))
  koa.body = shown(account)
}

/** Checks the If-Match of the request against the account. @throws FhirError 412 from the check */
const ifMatchCheck =
  (koa: KoaContext) =>
  ({ version = 0 }: Account): void =>
    requireMatch(koa.get('If-Match'), version, 'the data of the account')

/** Undefined: all clinics. @throws FhirError 403 for another clinic */
function clinicToList(user: User, asked: string | undefined): string | undefined {
  if (user.role === 'operator') return asked
  if (asked === undefined || asked === user.clinic) return user.clinic
  throw forbidden(`Only operators see the accounts of other clinics; yours is '${user.clinic}'`)
}

interface AccountPage {
  readonly page: readonly Account[]
  /** The user name after which the next page begins. */
  readonly next?: string | undefined
}

async function pageOf(
  repository: Repository,
  isWanted: (account: Account) => boolean,
  after?: string,
): Promise<AccountPage> {
  const page: Account[] = []
  for await (const account of everyAccount(repository, after)) {
    if (!isWanted(account)) continue
    if (page.length === PAGE) return { page, next: page.at(-1)?.username }
    page.push(account)
  }
  return { page }
}

/**
 * The account in the path, which the exchange is about. To an admin, accounts of other clinics do not exist.
 * @param what the user wants to do with it
 * @throws FhirError 403 for staff, 404
 */
async function visibleAccount(koa: KoaContext, repository: Repository, what: string): Promise<Account> {
  const { username = '' } = koa.params
  tellOf(koa, what)
  const user = userOf(koa)
  if (user.role === 'staff') throw forbidden('Only admins and operators see accounts')
  const clinic = clinicToList(user, undefined)
  const account = await findAccount(repository, username)
  if (account === undefined || (clinic !== undefined && account.clinic !== clinic)) {
    throw notFound(`There is no account '${username}'${clinic === undefined ? '' : ' in your clinic'}`)
  }
  tellOf(koa, what, account)
  return account
}

/**
 * Adds the access to the exchange: accounts are seen by the admins of their clinic, those without a clinic by
 * operators. A user name is recorded only once the account exists, or is to be created: users type passwords in its
 * place.
 */
function tellOf(koa: KoaContext, what: string, account?: Pick<Account, 'username' | 'clinic'>): void {
  const { role, clinic: own } = userOf(koa)
  const clinic = account?.clinic ?? (role === 'operator' ? SERVICE : own)
  const leastRole = clinic === SERVICE ? 'operator' : 'admin'
  tellUserAccess(koa, account === undefined ? what : `${what} ${account.username}`, { clinic, leastRole })
}

/** @throws FhirError 403 unless the user is an operator, or an admin and the account one of the staff of his clinic */
function requireManaged(user: User, { role, clinic }: Account, what: string): void {
  if (user.role === 'admin' && role === 'staff' && clinic === user.clinic) return
  if (user.role === 'admin') throw forbidden(`Admins ${what} the accounts of the staff of their own clinic only`)
  requireOperator(user, `${what} accounts`)
}

const isOwn = ({ sub }: User, username: string): boolean => foldedName(sub) === foldedName(username)

/** Ensures that the last operator cannot shut himself out. @throws FhirError 409 */
function requireOther(user: User, { username }: Account): void {
  if (isOwn(user, username)) throw conflict('Nobody disables or removes the account that he is logged in with')
}

/**
 * Requires the current password, so that a stolen token cannot take over its account.
 * @throws FhirError 400, 403, 429 or 503
 */
async function requireCurrentPassword(koa: KoaContext, logins: Logins, body: unknown): Promise<void> {
  const { currentPassword: password } = readPasswords(body)
  if (password === undefined) {
    throw badRequest('To change your own password, send the one it has too: {"currentPassword": "…", "password": "…"}')
  }
  if ((await logins.check(koa, { username: koa.params.username ?? '', password })) === undefined) {
    throw forbidden('currentPassword is not the password of this account')
  }
}

const textOf = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

function readNewAccount(
  body: unknown,
  { role: by, clinic: own }: User,
): { readonly account: Account; readonly password: string } {
  const fields = fieldsOf(body, ['username', 'name', 'clinic', 'role', 'password'])
  const { username, name = username, clinic = by === 'admin' ? own : SERVICE, role, password } = fields
  if (!isText(username) || !isText(name) || !isText(password)) {
    throw badRequest('An account has "username", "password" and, where it differs, "name", each a text')
  }
  if (!isRole(role)) throw badRequest(`"role" must be one of ${ROLES.join(', ')}`)
  if (typeof clinic !== 'string' || (clinic === SERVICE && role !== 'operator')) {
    throw badRequest('"clinic" must be the id of a clinic; only an operator may be of none')
  }
  return { account: { username, name, clinic, role }, password }
}

function readName(body: unknown): string {
  const { name } = fieldsOf(body, ['name'])
  if (isText(name)) return name
  throw badRequest('The body must be {"name": "…"}, the name of the person')
}

function readPasswords(body: unknown): { readonly password: string; readonly currentPassword?: string } {
  const { password, currentPassword } = fieldsOf(body, ['password', 'currentPassword'])
  if (isText(password) && currentPassword === undefined) return { password }
  if (isText(password) && isText(currentPassword)) return { password, currentPassword }
  throw badRequest('The body must be {"password": "…"}, with "currentPassword" for your own account')
}

function fieldsOf(body: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (!isObject(body)) throw badRequest(`The body must be a JSON object with ${known.join(', ')}`)
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  if (unknown.length === 0) return body
  throw badRequest(`'${unknown.join("', '")}' is not known here; the fields are ${known.join(', ')}`)
}
