/** Clones: POST /clinics with `from`, DELETE /clinics/{id}. docs/snapshots.md */
import { randomUUID } from 'node:crypto'
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Duration } from 'luxon'
import { findAccount } from '../../clinics/accounts.ts'
import { isClinicId } from '../../clinics/clinics.ts'
import type { PasswordCost } from '../../clinics/passwords.ts'
import { type ClinicSettings, findSettings, isClinicName } from '../../clinics/settings.ts'
import type { Config } from '../../config.ts'
import { instantOf } from '../../fhir/dates.ts'
import { badRequest, notFound } from '../../fhir/outcome.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { forbidden, requireOperator } from '../../http/authenticate.ts'
import { tellSecrets, tellUserAccess, userOf } from '../../http/exchange.ts'
import { endClone, findClone, makeClone } from '../../rehearsal/generations/clones.ts'
import type { Source } from '../../rehearsal/generations/filling.ts'
import { beginReset, type Reset } from '../../rehearsal/generations/reset.ts'
import { findSnapshot } from '../../rehearsal/generations/snapshots.ts'
import type { Plan } from '../../rehearsal/plans/plan.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import { untilKnown } from '../known-everywhere.ts'
import { readTtl } from '../ttl.ts'
import type { GenerationDependencies } from './generations.ts'
import { grantedToken } from './granted-token.ts'

export interface CloneDependencies extends GenerationDependencies {
  readonly config: Pick<Config, 'jwt'>
  readonly baseOf: (koa: KoaContext) => string
  /** Absent: the default. */
  readonly passwordCost?: PasswordCost | undefined
}

/** How long a clone lasts: unless it is said otherwise, at least, and at most. */
const LASTS = { usual: 'PT1H', least: 'PT1M', most: 'P7D' }

/** For an operator's clone of a scenario, which no clinic has settings for. */
const SETTINGS: Omit<ClinicSettings, 'name'> = {
  timeZone: 'America/New_York',
  dialedNumbers: [],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
}

/** As it is answered. */
interface ShownClone {
  readonly id: string
  readonly name: string | undefined
  readonly base: string
  readonly dialedNumber: string | undefined
  readonly token?: string
  readonly username: string
  readonly password: string
  readonly expiresAt: string
  readonly generation?: number
}

interface AskedClone {
  readonly id: string
  readonly name?: string
  /** The clinic that it has its settings of. */
  readonly clinic?: string
  readonly from: Source
  readonly ttl: Duration
}

/** True for a body of POST /clinics that asks for a clone. */
export const asksForClone = (body: unknown): boolean => isObject(body) && body.from !== undefined

/** Answers POST /clinics with a clone. @throws FhirError 400, 403, 404, 409 or 422; then there is none */
export async function answerClone(koa: KoaContext, body: unknown, services: CloneDependencies): Promise<void> {
  const user = userOf(koa)
  tellUserAccess(koa, 'clone clinic')
  if (user.role === 'staff')
    throw forbidden("Only an admin of the clinic or an operator may clone it; your role is 'staff'")
  const asked = readClone(body, user.clinic)
  if (asked.clinic !== undefined && asked.clinic !== user.clinic) requireOperator(user, 'clone the clinic of others')
  koa.body = await made(koa, asked, services)
  koa.status = 201
}

/**
 * A clinic for one run, of the scenario of its plan, or of what the clinic has now.
 * @throws FhirError as for any clone
 */
export async function cloneOf(
  koa: KoaContext,
  { plan: { scenario }, own, ttl }: { readonly plan: Plan; readonly own: string; readonly ttl: Duration },
  services: CloneDependencies,
): Promise<ShownClone> {
  const from: Source = scenario === undefined ? { clinic: own } : { scenario }
  return await made(koa, { ...newId(), clinic: own, from, ttl }, services)
}

const newId = () => ({ id: `clone-${randomUUID().slice(0, 13)}` })

/** Makes a clone and fills it. @throws FhirError 404, 409 or 422; then there is none */
async function made(koa: KoaContext, asked: AskedClone, services: CloneDependencies): Promise<ShownClone> {
  const { repository, fillings } = services
  const { clinic, name } = userOf(koa)
  const settings = await settingsFor(services, asked)
  const reset: Reset = { clinic: asked.id, from: asked.from, by: name }
  const expiresAt = repository.machineTime + asked.ttl.toMillis()
  const wanted = { id: asked.id, of: clinic, by: name, expiresAt, settings }
  const account = await makeClone(repository, wanted, services.passwordCost)
  try {
    const { generation } = await fillings.reset(reset, await beginReset(services, reset))
    await untilKnown()
    return { ...(await shownClone(koa, services, asked.id, account)), generation: generation.number }
  } catch (error) {
    await endClone(repository, asked.id).catch(() => {})
    throw error
  }
}

/** @param router of the clinics */
export function addCloneRoutes(router: Router, { repository }: Pick<CloneDependencies, 'repository'>): void {
  router.delete('/:clinic', async (koa) => {
    const user = userOf(koa)
    const clinic = koa.params.clinic ?? ''
    tellUserAccess(koa, 'delete clone')
    const { of } = await findClone(repository, clinic)
    if (clinic !== user.clinic && of !== user.clinic) requireOperator(user, 'delete the clone of others')
    if (user.role === 'staff') throw forbidden("Only an admin or an operator may delete a clone; your role is 'staff'")
    tellUserAccess(koa, 'delete clone', { clinic })
    await endClone(repository, clinic)
    await untilKnown()
    koa.status = 204
  })
}

/** @throws FhirError 404 where the source does not exist, before anything is made */
async function settingsFor(services: CloneDependencies, { clinic, from, name }: AskedClone): Promise<ClinicSettings> {
  const { repository, scenarios } = services
  const scenario = 'scenario' in from ? scenarios.named(from.scenario) : undefined
  if (!('scenario' in from) && from.snapshot !== undefined) await findSnapshot(repository, from.clinic, from.snapshot)
  const own = clinic === undefined ? undefined : await findSettings(repository, clinic)
  if (clinic !== undefined && own === undefined) throw notFound('There is no such clinic')
  const settings = own ?? { ...SETTINGS, name: scenario?.title ?? '', ...scenario?.settings }
  return name === undefined ? settings : { ...settings, name }
}

async function shownClone(
  koa: KoaContext,
  { repository, config, baseOf }: CloneDependencies,
  id: string,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<ShownClone> {
  const [{ expiresAt }, settings, account] = [
    await findClone(repository, id),
    await findSettings(repository, id),
    await findAccount(repository, username),
  ]
  const token = grantedToken({ repository, config }, account, { until: expiresAt ?? 0 })
  tellSecrets(koa, token, password)
  const shown = { id, name: settings?.name, base: baseOf(koa), dialedNumber: settings?.dialedNumbers[0] }
  return { ...shown, ...present({ token }), username, password, expiresAt: instantOf(expiresAt ?? 0) }
}

const EXAMPLE = '{"from": {"clinic": "<id>"} or {"scenario": "<name>"} or {"snapshot": "<name>"}, "ttl": "PT1H"}'

/** @throws FhirError 400 */
function readClone(body: unknown, own: string): AskedClone {
  const { from, id, name, ttl, ...others } = isObject(body) ? body : {}
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined) throw badRequest(`'${unknown}' is not known in a clone; the body must be ${EXAMPLE}`)
  if (id !== undefined && !isClinicId(id))
    throw badRequest("The id of a clinic has 1 to 64 letters, digits, '-' or '.', and is not '.' or '..'")
  if (name !== undefined && !isClinicName(name))
    throw badRequest('The name of a clone must be a text of 1 to 200 characters')
  const { clinic = own === SERVICE ? undefined : own, source } = readSource(from, own)
  const named = name === undefined ? {} : { name: name.trim() }
  const of = clinic === undefined ? {} : { clinic }
  return { ...(id === undefined ? newId() : { id }), ...named, ...of, from: source, ttl: readTtl(ttl, LASTS) }
}

/** @throws FhirError 400 */
function readSource(from: unknown, own: string): { readonly clinic?: string; readonly source: Source } {
  const { clinic, scenario, snapshot, ...others } = isObject(from) ? from : {}
  const isKnown = isObject(from) && Object.keys(others).length === 0
  const areNames = [scenario, snapshot].every((name) => name === undefined || typeof name === 'string')
  const isOne = scenario === undefined || snapshot === undefined
  if (!isKnown || !areNames || !isOne || (clinic !== undefined && !isClinicId(clinic)))
    throw badRequest(`The body must be ${EXAMPLE}`)
  const given = clinic === undefined ? {} : { clinic }
  if (typeof scenario === 'string') return { ...given, source: { scenario } }
  const of = given.clinic ?? own
  if (of === SERVICE) throw badRequest('"from" must name the clinic, as the account of an operator has none')
  if (typeof snapshot === 'string') return { clinic: of, source: { clinic: of, snapshot } }
  return { clinic: of, source: { clinic: of } }
}
