/**
 * Runs: GET|POST /clinics/{id}/runs, GET /clinics/{id}/runs/{run}, POST …/{run}/attest, …/finish, …/abort. Its staff read
 * them, its admins and operators start, attest and end them. docs/runs.md
 */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Duration } from 'luxon'
import { findAccount, type Login, type Role } from '../../clinics/accounts.ts'
import { readSettings } from '../../clinics/settings.ts'
import { instantOf } from '../../fhir/dates.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { stateOf, tellSecrets, userOf } from '../../http/exchange.ts'
import { readJsonBody } from '../../http/message/body.ts'
import { endClone } from '../../rehearsal/generations/clones.ts'
import type { Step } from '../../rehearsal/plans/plan.ts'
import { findPlan } from '../../rehearsal/plans/plans.ts'
import type { RunRecord } from '../../rehearsal/runs/run.ts'
import type { FoundRun, Runs } from '../../rehearsal/runs/runs.ts'
import { untilKnown } from '../known-everywhere.ts'
import { readTtl } from '../ttl.ts'
import { type CloneDependencies, cloneOf } from './clones.ts'
import { grantedToken } from './granted-token.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'

export interface RunDependencies extends CloneDependencies {
  readonly runs: Runs
}

const LIMITS = { bodyBytes: 20_000, jsonDepth: 8 }
const LASTS = { usual: 'PT4H', least: 'PT1M', most: 'P7D' }
const LONGEST = 100

interface AskedRun {
  readonly plan: string
  readonly clientName: string
  readonly as?: string
  readonly clone: boolean
  readonly ttl: Duration
}

/** @param router of the clinics */
export function addRunRoutes(router: Router, services: RunDependencies): void {
  const { repository, runs } = services

  router.get('/:clinic/runs', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'list runs' })
    koa.body = { runs: (await runs.list(clinic)).map(summaryOf) }
  })

  router.post('/:clinic/runs', async (koa) => {
    const own = await rehearsedClinic(koa, repository, { what: 'start run', isChanged: true })
    const asked = readRun(await readJsonBody(koa, LIMITS))
    const plan = await findPlan(repository, own, asked.plan)
    if (asked.as !== undefined) services.strictness.named(asked.as)
    const clone = asked.clone ? await cloneOf(koa, { plan, own, ttl: asked.ttl }, services) : undefined
    const clinic = clone?.id ?? own
    const as = asked.as === undefined ? {} : { as: asked.as }
    const base = `${services.baseOf(koa)}${asked.as === undefined ? '' : `/as/${asked.as}`}`
    const started = {
      clinic,
      plan,
      client: asked.clientName,
      by: userOf(koa).name,
      ...as,
      base,
      lasts: asked.ttl.toMillis(),
    }
    const record = await startedIn(services, started, clone)
    await untilKnown()
    koa.status = 201
    koa.body = await shownStart(koa, services, { clinic, record, username: clone?.username ?? userOf(koa).sub })
  })

  router.get('/:clinic/runs/:run', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read run' })
    koa.body = shown(await runs.find(clinic, koa.params.run ?? ''))
  })

  router.post('/:clinic/runs/:run/attest', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'attest step', isChanged: true })
    const { step, ...word } = readWord(await readJsonBody(koa, LIMITS))
    koa.body = shown(await runs.attest(clinic, koa.params.run ?? '', step, { ...word, by: userOf(koa).name }))
  })

  router.post('/:clinic/runs/:run/finish', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'finish run', isChanged: true })
    koa.body = shown(await runs.finish(clinic, koa.params.run ?? ''))
    await untilKnown()
  })

  router.post('/:clinic/runs/:run/abort', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'abort run', isChanged: true })
    koa.body = shown(await runs.abort(clinic, koa.params.run ?? ''))
    await untilKnown()
  })
}

/** A run in a list. */
const summaryOf = ({ id, plan, client, by, status, startedAt, as, scenario, report }: RunRecord): object => ({
  ...{
    run: id,
    plan: plan.plan,
    title: plan.title,
    version: plan.version,
    client,
    by,
    status,
    startedAt: instantOf(startedAt),
  },
  ...present({ endedAt: report?.endedAt, as, scenario, result: report?.result, score: report?.score }),
})

const shown = ({ record, report }: FoundRun): object => ({
  ...report,
  ...{ by: record.by, callPrefix: record.callPrefix, until: instantOf(record.until) },
  steps: report.steps.map((step, index) => ({ ...step, ...spoken(record.plan.steps[index]) })),
})

/** The words of a step that readers act on: a sentence to attest, a fault that is met. */
const spoken = ({ attest, do: provoked }: Partial<Step> = {}): object => present({ attest, do: provoked })

interface Started {
  readonly clinic: string
  readonly record: RunRecord
  /** The user whose token is given out. */
  readonly username: string
}

async function shownStart(
  koa: KoaContext,
  { repository, config }: RunDependencies,
  { clinic, record, username }: Started,
): Promise<object> {
  const account = await findAccount(repository, username)
  // An operator without a clinic reads no data of a clinic.
  const ofClinic = account?.clinic === clinic ? account : undefined
  const own = username === userOf(koa).sub ? ofProgram(koa) : {}
  const grant = { until: record.until, run: record.id, ...own }
  const token = grantedToken({ repository, config }, ofClinic && { ...ofClinic, ...present({ role: own.role }) }, grant)
  tellSecrets(koa, token)
  const { dialedNumbers } = await readSettings(repository, clinic)
  const { id: run, plan, base, callPrefix, until, as } = record
  return {
    ...{ run, clinic, plan: plan.plan, base, callPrefix, until: instantOf(until) },
    ...present({ token, dialedNumber: dialedNumbers[0], as }),
  }
}

/** A program gets no more rights by a run than it has, and none for longer. */
function ofProgram(koa: KoaContext): { readonly role?: Role; readonly program?: Login } {
  const login = stateOf(koa).session?.login
  return login?.program === undefined ? {} : { role: userOf(koa).role, program: login }
}

/** Starts a run; where it is refused, the clinic that was made for it ends. */
async function startedIn(
  { runs, repository }: RunDependencies,
  run: Parameters<Runs['start']>[0],
  clone: { readonly id: string } | undefined,
): Promise<RunRecord> {
  try {
    return await runs.start(run)
  } catch (error) {
    if (clone !== undefined) await endClone(repository, clone.id).catch(() => {})
    throw error
  }
}

const EXAMPLE =
  '{"plan": "booking-lifecycle", "clientName": "My scheduler", "as": "<profile>", "clone": true, "ttl": "PT4H"}'

/** @throws FhirError 400 */
function readRun(body: unknown): AskedRun {
  const { plan, clientName = 'a client', as, clone = false, ttl, ...others } = isObject(body) ? body : {}
  const unknown = Object.keys(others)[0]
  if (unknown !== undefined)
    throw badRequest(`'${unknown.slice(0, 60)}' is not known in a run; the body must be like ${EXAMPLE}`)
  if (typeof plan !== 'string') throw badRequest(`'plan' must be the name of a plan, as in ${EXAMPLE}`)
  if (typeof clientName !== 'string' || clientName.trim() === '' || clientName.length > LONGEST)
    throw badRequest(`'clientName' must be a text of 1 to ${LONGEST} characters`)
  if (typeof clone !== 'boolean') throw badRequest("'clone' must be true or false")
  if (as !== undefined && typeof as !== 'string') throw badRequest("'as' must be the name of a strictness profile")
  return { plan, clientName: clientName.trim(), ...(as === undefined ? {} : { as }), clone, ttl: readTtl(ttl, LASTS) }
}

const LONGEST_NOTE = 1_000

/** @throws FhirError 400 */
function readWord(body: unknown): { readonly step: string; readonly ok: boolean; readonly note?: string } {
  const { step, ok, note, ...others } = isObject(body) ? body : {}
  const isNote = note === undefined || (typeof note === 'string' && note.length <= LONGEST_NOTE)
  if (typeof step === 'string' && typeof ok === 'boolean' && isNote && Object.keys(others).length === 0)
    return { step, ok, ...(typeof note === 'string' ? { note } : {}) }
  throw badRequest(
    `The body must be {"step": "<id>", "ok": true or false, "note": "…"}, the note of at most ${LONGEST_NOTE} characters`,
  )
}
