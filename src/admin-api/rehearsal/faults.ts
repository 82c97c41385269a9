/**
 * The rules for faults of a clinic: GET|DELETE /clinics/{id}/faults, GET|PUT|DELETE /clinics/{id}/faults/{name}. Its staff read
 * them, its admins and operators change them. docs/faults.md
 */
import type { Router } from '@koa/router'
import { notFound } from '../../fhir/outcome.ts'
import { readJsonBody } from '../../http/message/body.ts'
import { deleteRules, findRule, listRules, parseRule, requirePossible, setRule } from '../../rehearsal/faults/rules.ts'
import type { Repository } from '../../repository/repository.ts'
import { untilKnown } from '../known-everywhere.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'

/** Characters of a rule are few. */
const LIMITS = { bodyBytes: 20_000, jsonDepth: 8 }

const ALL = '/:clinic/faults'
const ONE = '/:clinic/faults/:name'

/** @param router of the clinics */
export function addFaultRoutes(router: Router, repository: Repository): void {
  router.get(ALL, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read fault rules' })
    koa.body = { rules: await listRules(repository, clinic) }
  })

  router.delete(ALL, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'delete fault rules', isChanged: true })
    koa.body = { deleted: await deleteRules(repository, clinic) }
    await untilKnown()
  })

  router.get(ONE, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read fault rule' })
    koa.body = await required(repository, clinic, koa.params.name ?? '')
  })

  router.put(ONE, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'change fault rule', isChanged: true })
    const { name = '' } = koa.params
    const rule = parseRule(name, await readJsonBody(koa, LIMITS))
    requirePossible(rule)
    const isNew = await setRule(repository, clinic, name, rule)
    await untilKnown()
    koa.status = isNew ? 201 : 200
    koa.body = await required(repository, clinic, name)
  })

  router.delete(ONE, async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'delete fault rule', isChanged: true })
    const { name = '' } = koa.params
    if ((await deleteRules(repository, clinic, name)) === 0) throw noSuchRule(name)
    await untilKnown()
    koa.status = 204
  })
}

/** @throws FhirError 404 */
async function required(repository: Repository, clinic: string, name: string) {
  const rule = await findRule(repository, clinic, name)
  if (rule === undefined) throw noSuchRule(name)
  return rule
}

const noSuchRule = (name: string) => notFound(`The clinic has no rule '${name.slice(0, 64)}'`)
