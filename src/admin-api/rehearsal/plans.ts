/**
 * The plans of a clinic: GET /clinics/{id}/plans, GET|PUT|DELETE /clinics/{id}/plans/{name}, POST …/plans/$dry-run. Its staff
 * read them, its admins and operators change them. docs/plans.md
 */
import type { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { parseBody, readBody, readJsonBody } from '../../http/message/body.ts'
import { parsePlan } from '../../rehearsal/plans/parse-plan.ts'
import { deletePlan, findPlan, listPlans, storePlan } from '../../rehearsal/plans/plans.ts'
import { exportedJournal } from '../../rehearsal/runs/exported-journal.ts'
import type { Runs } from '../../rehearsal/runs/runs.ts'
import type { Repository } from '../../repository/repository.ts'
import { sinceOf } from '../exchanges.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'

const LIMITS = { bodyBytes: 200_000, jsonDepth: 16 }

const EXPORT = { bodyBytes: 32 * 1024 * 1024, jsonDepth: 64 }

const ONE = '/:clinic/plans/:plan'

/** @param router of the clinics */
export function addPlanRoutes(
  router: Router,
  { repository, runs }: { readonly repository: Repository; readonly runs: Runs },
): void {
  router.get('/:clinic/plans', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'list plans' })
    koa.body = { plans: await listPlans(repository, clinic) }
  })

  router.post('/:clinic/plans/$dry-run', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'try plan', isChanged: true })
    if (koa.query.plan !== undefined) {
      const tried = await findPlan(repository, clinic, String(koa.query.plan))
      koa.body = await runs.rehearseExported(clinic, tried, exportedJournal(await readLines(koa)))
      return
    }
    const { plan, run, call, since } = readDryRun(await readJsonBody(koa, LIMITS))
    const tried = typeof plan === 'string' ? await findPlan(repository, clinic, plan) : parsePlan(plan)
    koa.body = await runs.rehearse(
      clinic,
      tried,
      present({ run, call, since: since === undefined ? undefined : sinceOf(since) }),
    )
  })

  router.get(ONE, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read plan' })
    koa.body = await findPlan(repository, clinic, koa.params.plan ?? '')
  })

  router.put(ONE, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'store plan', isChanged: true })
    const { plan: name = '' } = koa.params
    const isNew = await storePlan(repository, clinic, name, await readJsonBody(koa, LIMITS))
    koa.status = isNew ? 201 : 200
    koa.body = await findPlan(repository, clinic, name)
  })

  router.delete(ONE, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'delete plan', isChanged: true })
    await deletePlan(repository, clinic, koa.params.plan ?? '')
    koa.status = 204
  })
}

/** The JSON of each line of the body. @throws FhirError 400, 413 */
async function readLines(koa: KoaContext): Promise<readonly unknown[]> {
  const lines = (await readBody(koa, EXPORT.bodyBytes)).split('\n')
  return lines.flatMap((line, index) =>
    line.trim() === '' ? [] : [parseBody(line, EXPORT.jsonDepth, `Line ${index + 1}`)],
  )
}

interface DryRun {
  readonly plan: unknown
  readonly run?: string
  readonly call?: string
  readonly since?: string
}

const MEMBERS = ['plan', 'run', 'call', 'since']

/** @throws FhirError 400 */
function readDryRun(body: unknown): DryRun {
  const given = isObject(body) ? body : {}
  const texts = MEMBERS.slice(1).every((name) => given[name] === undefined || typeof given[name] === 'string')
  const isRight = given.plan !== undefined && texts && Object.keys(given).every((name) => MEMBERS.includes(name))
  if (isRight) return given as unknown as DryRun
  throw badRequest(
    'The body must be {"plan": a plan or the name of one} with some of "run", "call" and "since", by which recorded exchanges are chosen',
  )
}
