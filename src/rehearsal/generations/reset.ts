/**
 * The reset of a clinic: a new generation is filled from a scenario or a snapshot, while the old one is used, and then takes
 * its place. docs/snapshots.md
 */
import { type ClinicSettings, readSettings, writeSettings } from '../../clinics/settings.ts'
import type { AccessOf } from '../../core/clinic-access.ts'
import { ensureShipped } from '../../core/shipped.ts'
import { present } from '../../fhir/resource.ts'
import { GENERATION, GENERATION_KEY, type Generation, stageGeneration } from '../../repository/generation.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { listPlans } from '../plans/plans.ts'
import { ensureReports } from '../reports/staged.ts'
import { finishedRuns } from '../runs/runs.ts'
import { loadScenario, startOf } from '../scenarios/load-scenario.ts'
import type { ClinicDay } from '../scenarios/moments.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import type { Scenarios } from '../scenarios/scenarios.ts'
import { type CopyServices, copyGeneration } from './copy-generation.ts'
import { beginFilling, type Filling, finishFilling, Progress, type Source, stageFilled } from './filling.ts'
import { GRACE, stageRemoval } from './removal.ts'
import { awake, findSnapshot } from './snapshots.ts'

export interface ResetServices extends CopyServices {
  readonly access: AccessOf
  readonly scenarios: Scenarios
}

export interface Reset {
  readonly clinic: string
  readonly from: Source
  /** The scenario's settings take the place of those of the clinic; absent: the clinic keeps its own. */
  readonly withSettings?: boolean
  /** The name of the user. */
  readonly by: string
}

/** A generation that is current from now on, with the number of the scenario's or the snapshot's resources in it. */
export interface HasReset {
  readonly generation: Generation
  readonly resources: number
}

/**
 * Checks a reset and begins it: from now on it is the only one of the clinic.
 * @throws FhirError 404 where there is no such scenario or snapshot, 409 naming who is resetting the clinic
 */
export async function beginReset(services: ResetServices, { clinic, from, by }: Reset): Promise<Filling> {
  const { repository, scenarios } = services
  if ('scenario' in from) {
    const { name, count } = scenarios.named(from.scenario)
    return await beginFilling(services, clinic, { by, what: `reset to ${name}`, total: count })
  }
  if (from.snapshot === undefined) return await beginFilling(services, clinic, { by, what: `copy of ${from.clinic}` })
  const { name, resources } = await findSnapshot(repository, from.clinic, from.snapshot)
  return await beginFilling(services, clinic, { by, what: `reset to ${name}`, total: resources })
}

/** Does what was begun. @throws FhirError 422 that names the resource of a scenario that is refused; nothing is changed then */
export async function finishReset(services: ResetServices, reset: Reset, filling: Filling): Promise<HasReset> {
  return await finishFilling(services, reset.clinic, filling, () => fill(services, reset, filling))
}

async function fill(services: ResetServices, reset: Reset, filling: Filling): Promise<HasReset> {
  const { from } = reset
  if ('scenario' in from)
    return await fillFromScenario(services, reset, filling, services.scenarios.named(from.scenario))
  const { repository } = services
  if (from.snapshot !== undefined) {
    const { name, ...snapshot } = await findSnapshot(repository, from.clinic, from.snapshot)
    const filledFrom = { ...snapshot, snapshot: name, clinic: from.clinic }
    return await fillFromGeneration(services, reset, filling, { filledFrom, dueOf: awake })
  }
  const filledFrom = { ...(await repository.generation(from.clinic)), clinic: from.clinic }
  return await fillFromGeneration(services, reset, filling, { filledFrom })
}

async function fillFromScenario(
  services: ResetServices,
  { clinic, by, withSettings = false }: Reset,
  filling: Filling,
  scenario: Scenario,
): Promise<HasReset> {
  const { repository, access } = services
  const own = await readSettings(repository, clinic)
  const settings = withSettings ? { ...own, ...scenario.settings } : own
  const now = repository.machineTime
  const day: ClinicDay = { clinic, clinicName: settings.name, timeZone: settings.timeZone, now }
  const ahead = startOf(scenario, day) - now
  const generation: Generation = {
    ...{ number: filling.number, scenario: scenario.name, filledAt: now, by },
    ...(scenario.clock === undefined ? {} : { clock: { ahead } }),
  }
  const target = access(clinic, { kind: 'server' }, generation)
  await ensureShipped(target)
  const progress = new Progress(services, clinic, filling)
  let resources = 0
  for await (const done of loadScenario(scenario, { ...day, now: now + ahead }, (work) => target.change(work))) {
    resources = done
    await progress.note(done)
  }
  await makeCurrent(services, clinic, generation, withSettings ? settings : undefined)
  return { generation, resources }
}

interface Origin {
  readonly filledFrom: Generation & { readonly clinic: string }
  readonly dueOf?: (due: number) => number
}

async function fillFromGeneration(
  services: ResetServices,
  { clinic, by }: Reset,
  filling: Filling,
  { filledFrom, ...copied }: Origin,
): Promise<HasReset> {
  const { repository, access } = services
  const { clinic: source, number, scenario, snapshot, clock } = filledFrom
  const generation: Generation = {
    ...present({ scenario, snapshot, clock }),
    ...{ number: filling.number, filledAt: repository.machineTime, by },
  }
  const progress = new Progress(services, clinic, filling)
  let resources = 0
  await copyGeneration(services, {
    ...copied,
    from: { clinic: source, generation: { number } },
    to: { clinic, generation },
    onCopied: async (done) => {
      resources = done
      await progress.note(done)
    },
  })
  // An older server may have taken the snapshot.
  await ensureShipped(access(clinic, { kind: 'server' }, generation))
  await makeCurrent(services, clinic, generation)
  return { generation, resources }
}

/** Makes a filled generation the current one, in one write; the one before is removed when no request uses it any more. */
async function makeCurrent(
  { repository, access }: Pick<ResetServices, 'repository' | 'access'>,
  clinic: string,
  generation: Generation,
  settings?: ClinicSettings,
): Promise<void> {
  // Last, so that no run that ends meanwhile is missed.
  const target = access(clinic, { kind: 'server' }, generation)
  await ensureReports(target, finishedRuns(repository, clinic), await listPlans(repository, clinic))
  const work = async (unit: UnitOfWork) => {
    await stageFilled(unit, generation)
    const before = (await unit.records.read(GENERATION, GENERATION_KEY))?.value.number ?? 0
    await stageGeneration(unit, generation)
    stageRemoval(unit, before, unit.writtenAt + GRACE)
    if (settings !== undefined) await writeSettings(unit, settings)
  }
  await repository.change(clinic, work, { generation })
}
