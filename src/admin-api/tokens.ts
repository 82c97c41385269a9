/**
 * Tokens for programs: `/tokens`. Admins and operators make them in their own clinic, never with more rights than they have
 * themselves, and revoke them; an operator those of any clinic. A token is shown once.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { findAccount, isHigher, isRole, ROLES } from '../clinics/accounts.ts'
import {
  type ListedToken,
  listProgramTokens,
  recordProgramToken,
  revokeProgramToken,
  type WantedToken,
} from '../clinics/program-tokens.ts'
import type { Config } from '../config.ts'
import { instantOf } from '../fhir/dates.ts'
import { badRequest } from '../fhir/outcome.ts'
import { isObject, present } from '../fhir/resource.ts'
import { forbidden } from '../http/authenticate.ts'
import { stateOf, tellSecrets, tellUserAccess, userOf } from '../http/exchange.ts'
import { isText, readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import { ownTokensOnly, signToken, type User } from '../http/token.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { untilKnown } from './known-everywhere.ts'
import { readTtl } from './ttl.ts'

interface TokenDependencies {
  readonly repository: Repository
  readonly config: Pick<Config, 'jwt' | 'demo'>
}

/** How long a token lasts: unless it is said otherwise, at least, and at most. */
const LASTS = { usual: 'P90D', least: 'PT1M', most: 'P366D' }

/** Run after authentication. */
export function tokenRoutes({ repository, config }: TokenDependencies): SideRouter {
  const router = new Router({ prefix: '/tokens' })

  router.use(ownTokensOnly(config.jwt))

  router.get('/', async (koa) => {
    const clinic = clinicToManage(koa, 'list tokens')
    koa.body = { tokens: (await listProgramTokens(repository, clinic, config.demo)).map(shown) }
  })

  router.post('/', async (koa) => {
    koa.body = await madeToken(koa, { repository, config })
    koa.status = 201
  })

  router.delete('/:id', async (koa) => {
    const { id = '' } = koa.params
    const clinic = clinicToManage(koa, `revoke token ${id}`)
    const { role: own } = userOf(koa)
    await revokeProgramToken(repository, { clinic, id }, ({ name, role }) => {
      tellOf(koa, `revoke token ${id} of ${name}`, clinic)
      if (isHigher(role, own)) throw forbidden(`An ${role} makes and revokes tokens of this role; yours is '${own}'`)
    })
    await untilKnown()
    koa.status = 204
  })

  return sideRouter(['tokens'], router)
}

/** @throws FhirError 400, 403 or 409 */
async function madeToken(koa: KoaContext, { repository, config: { jwt } }: TokenDependencies): Promise<object> {
  const user = userOf(koa)
  tellOf(koa, 'make token', user.clinic)
  requireManager(user)
  if (stateOf(koa).session?.login?.program !== undefined) {
    throw forbidden('The token of a program makes no other tokens; sign in with user name and password')
  }
  const wanted = readWanted(await readJsonBody(koa), user)
  tellOf(koa, `make token of ${wanted.name}`, user.clinic)
  const account = await findAccount(repository, user.sub)
  if (account === undefined) throw forbidden('Your token is of no account of this service, so no session can be begun')
  const { login, token: record } = await recordProgramToken(repository, account, wanted)
  tellOf(koa, `make token ${record.id} of ${wanted.name}`, user.clinic)
  const { name, role } = wanted
  const lifetimeSeconds = Math.floor(wanted.lifetime / 1000)
  const { token } = signToken(jwt, { ...account, name: `${name} (${account.name})`, role }, { login, lifetimeSeconds })
  tellSecrets(koa, token)
  await untilKnown()
  return { token, ...shown(record) }
}

const shown = ({ id, name, role, username, createdAt, expiresAt, lastUsedAt, state }: ListedToken) => ({
  ...{ id, name, role, createdBy: username, createdAt: instantOf(createdAt), expiresAt: instantOf(expiresAt), state },
  ...present({ lastUsedAt: lastUsedAt && instantOf(lastUsedAt) }),
})

/** The clinic whose tokens are meant: the own one, or the one in the query of an operator. @throws FhirError 403 */
function clinicToManage(koa: KoaContext, what: string): string {
  const user = userOf(koa)
  tellOf(koa, what, user.clinic)
  requireManager(user)
  const { clinic = user.clinic } = koa.query
  if (typeof clinic !== 'string' || (clinic !== user.clinic && user.role !== 'operator')) {
    throw forbidden(`Admins manage the tokens of their own clinic only, which is '${user.clinic}'`)
  }
  tellOf(koa, what, clinic)
  return clinic
}

const tellOf = (koa: KoaContext, what: string, clinic: string): void =>
  tellUserAccess(koa, what, { clinic, leastRole: clinic === SERVICE ? 'operator' : 'admin' })

/** @throws FhirError 403 */
function requireManager({ role }: User): void {
  if (role === 'staff')
    throw forbidden("Only admins and operators see and make tokens for programs; your role is 'staff'")
}

const EXAMPLE = '{"name": "Booking bot", "role": "staff", "ttl": "P90D"}'

/** @throws FhirError 400 or 403 */
function readWanted(body: unknown, { role: own, clinic }: User): WantedToken {
  const { name, role, ttl, ...others } = isObject(body) ? body : {}
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw badRequest(`'${unknown.slice(0, 60)}' is not known here; a body is like ${EXAMPLE}`)
  if (!isText(name)) throw badRequest(`'name' must be the name of the program, as in ${EXAMPLE}`)
  if (!isRole(role)) throw badRequest(`'role' must be one of ${ROLES.join(', ')}, as in ${EXAMPLE}`)
  if (isHigher(role, own)) throw forbidden(`A token has no more rights than its maker; your role is '${own}'`)
  if (clinic === SERVICE && role !== 'operator') {
    throw badRequest("Your account belongs to no clinic, so its tokens have the role 'operator'")
  }
  return { name: name.trim(), role, lifetime: readTtl(ttl, LASTS).toMillis() }
}
