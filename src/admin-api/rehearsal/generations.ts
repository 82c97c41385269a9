/** Reset and snapshots of a clinic: /clinics/{id}/reset and /clinics/{id}/snapshots. docs/snapshots.md */
import type { Router } from '@koa/router'
import { instantOf } from '../../fhir/dates.ts'
import { resourceTypes } from '../../fhir/definitions.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { isObject, present } from '../../fhir/resource.ts'
import { userOf } from '../../http/exchange.ts'
import { readJsonBody } from '../../http/message/body.ts'
import { type Filling, runningFilling, type Source } from '../../rehearsal/generations/filling.ts'
import type { Fillings } from '../../rehearsal/generations/fillings.ts'
import { beginReset, type Reset, type ResetServices } from '../../rehearsal/generations/reset.ts'
import {
  beginSnapshot,
  findSnapshot,
  listSnapshots,
  type NamedSnapshot,
  removeSnapshot,
} from '../../rehearsal/generations/snapshots.ts'
import type { StrictnessProfiles } from '../../rehearsal/strictness/profiles.ts'
import type { Generation } from '../../repository/generation.ts'
import { untilKnown } from '../known-everywhere.ts'
import { rehearsedClinic } from './rehearsed-clinic.ts'

export interface GenerationDependencies extends ResetServices {
  readonly fillings: Fillings
  readonly strictness: StrictnessProfiles
}

/** @param router of the clinics */
export function addGenerationRoutes(router: Router, services: GenerationDependencies): void {
  const { repository, fillings } = services

  router.get('/:clinic/reset', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read generation' })
    const [generation, running] = [await repository.generation(clinic), await runningFilling(repository, clinic)]
    koa.body = {
      ...shownGeneration(generation),
      counts: await countsOf(services, clinic),
      ...present({ running: running && shownFilling(running) }),
    }
  })

  router.post('/:clinic/reset', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'reset clinic', isChanged: true })
    const since = performance.now()
    const reset: Reset = { ...readReset(await readJsonBody(koa), clinic), clinic, by: userOf(koa).name }
    const { generation, resources } = await fillings.reset(reset, await beginReset(services, reset))
    await untilKnown()
    koa.body = { ...shownGeneration(generation), resources, ms: Math.round(performance.now() - since) }
  })

  router.get('/:clinic/snapshots', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'list snapshots' })
    koa.body = { snapshots: (await listSnapshots(repository, clinic)).map(shownSnapshot) }
  })

  router.get('/:clinic/snapshots/:name', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'read snapshot' })
    koa.body = shownSnapshot(await findSnapshot(repository, clinic, koa.params.name ?? ''))
  })

  router.put('/:clinic/snapshots/:name', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'take snapshot', isChanged: true })
    const name = koa.params.name ?? ''
    const filling = await beginSnapshot(services, clinic, name, userOf(koa).name)
    koa.body = shownSnapshot(await fillings.snapshot({ clinic, name }, filling))
    koa.status = 201
  })

  router.delete('/:clinic/snapshots/:name', async (koa) => {
    const clinic = await rehearsedClinic(koa, repository, { what: 'delete snapshot', isChanged: true })
    await removeSnapshot(repository, clinic, koa.params.name ?? '')
    koa.status = 204
  })
}

const shownGeneration = ({ number, scenario, snapshot, filledAt, by }: Generation): object =>
  present({ generation: number, scenario, snapshot, filledAt: filledAt && instantOf(filledAt), by })

const shownFilling = ({ by, since, what, done, total }: Filling): object =>
  present({ by, since: instantOf(since), what, done, total })

const shownSnapshot = ({ name, at, by, resources, scenario, serverVersion }: NamedSnapshot): object =>
  present({ name, at: instantOf(at), by, resources, scenario, serverVersion })

/** Resources of the clinic by type, those that it has. */
async function countsOf({ access }: ResetServices, clinic: string): Promise<Readonly<Record<string, number>>> {
  const { unit } = await access(clinic, { kind: 'server' }).reader()
  const counts: Record<string, number> = {}
  for (const type of resourceTypes) {
    const count = await unit.recentCount(type)
    if (count > 0) counts[type] = count
  }
  return counts
}

/** @throws FhirError 400 */
function readReset(body: unknown, clinic: string): { readonly from: Source; readonly withSettings: boolean } {
  const { scenario, snapshot, settings = false, ...others } = isObject(body) ? body : {}
  const isOne = (typeof scenario === 'string') !== (typeof snapshot === 'string')
  if (!isOne || typeof settings !== 'boolean' || Object.keys(others).length > 0)
    throw badRequest(
      'The body must be {"scenario": "<name>"} or {"snapshot": "<name>"}, with "settings": true or without',
    )
  if (settings && snapshot !== undefined)
    throw badRequest('"settings" asks for those of a scenario; a snapshot has none, and the clinic keeps its own')
  const from: Source = typeof scenario === 'string' ? { scenario } : { clinic, snapshot: String(snapshot) }
  return { from, withSettings: settings }
}
