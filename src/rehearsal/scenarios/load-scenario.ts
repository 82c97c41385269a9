/** Loads a scenario into a clinic, in parts that are small enough to be a change each. docs/scenarios.md */
import type { Appointment, Organization } from 'fhir/r4'
import { DateTime } from 'luxon'
import { generatePart, SLOT_GENERATION } from '../../availability/slot-generation.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { type SlotWithId, slotsOf } from '../../scheduling/generated-slot.ts'
import { plannedBlocks } from '../../scheduling/planned-slots.ts'
import { stageRules } from '../faults/rules.ts'
import { type ClinicDay, instantAt } from './moments.ts'
import { resolved } from './placeholders.ts'
import type { Scenario, ScenarioResource } from './scenario.ts'

/** One change of the clinic: `ClinicAccess.change`, or one that puts all of a load into a change of its own. */
type Change = <Result>(work: (ctx: Context) => Promise<Result>) => Promise<Result>

/** Most resources, and most generated Slots, that one change writes. */
const PART = 200
const SLOTS = { slots: PART, days: 366 }

/**
 * Loads everything, and yields after each change how many of the scenario's resources (without generated Slots) are written.
 * @param day the clinic and the time by its clock: see `startOf`
 * @throws FhirError 422 that names the scenario and its resource that is refused; what was written before stays, so that the
 *   caller loads into a place that nobody sees, or in one change
 */
export async function* loadScenario(scenario: Scenario, day: ClinicDay, change: Change): AsyncGenerator<number> {
  const { faults } = scenario
  if (faults !== undefined) await change((ctx) => stageRules(ctx.unit, faults))
  let done = 0
  for await (const part of parts(scenario, day)) {
    await change((ctx) => stagePart(ctx, scenario, part))
    done += part.length
    yield done
    for (const { id } of part.filter(isSchedule)) yield* generated(id, done, change)
  }
}

/** The time to which the clock of the clinic is set for the scenario: milliseconds since 1970 UTC; its own without one. */
export const startOf = ({ clock }: Scenario, day: ClinicDay): number =>
  clock === undefined ? day.now : instantAt(clock, day)

async function* generated(schedule: string, done: number, change: Change): AsyncGenerator<number> {
  for (let isComplete = false; !isComplete; ) {
    isComplete = (await change((ctx) => generatePart(ctx, schedule, SLOTS))).isComplete
    yield done
  }
}

const isSchedule = ({ resourceType }: ScenarioResource): boolean => resourceType === 'Schedule'

/**
 * The resources as they are on that day, a change each. Schedules end a part, as others refer to their Slots; a later version
 * begins one, as several changes of a resource in one change are one version.
 */
async function* parts(scenario: Scenario, day: ClinicDay): AsyncGenerator<readonly ScenarioResource[]> {
  let part: ScenarioResource[] = []
  for await (const template of withOrganization(scenario, day)) {
    const resource = resolvedOf(scenario, template, day)
    const last = part.at(-1)
    const isAfterSchedules = last !== undefined && isSchedule(last) && !isSchedule(resource)
    if (part.length === PART || isAfterSchedules || isLater(resource)) {
      yield part
      part = []
    }
    part.push(resource)
  }
  yield part
}

/** A clinic has its Organization, whether the scenario begins with it or not. */
async function* withOrganization(scenario: Scenario, day: ClinicDay): AsyncGenerator<ScenarioResource> {
  let isFirst = true
  for await (const resource of scenario.resources(day)) {
    if (isFirst && !isOwnOrganization(resource, day)) yield OWN_ORGANIZATION
    isFirst = false
    yield resource
  }
  if (isFirst) yield OWN_ORGANIZATION
}

const isOwnOrganization = ({ resourceType, id }: ScenarioResource, { clinic }: ClinicDay): boolean =>
  resourceType === 'Organization' && [OWN_ORGANIZATION.id, clinic].includes(id)

const OWN_ORGANIZATION: Organization & { readonly id: string } = {
  resourceType: 'Organization',
  id: '{clinic}',
  active: true,
  name: '{clinic-name}',
}

const isLater = ({ $version, $delete }: ScenarioResource): boolean => $version !== undefined || $delete === true

async function stagePart(ctx: Context, scenario: Scenario, part: readonly ScenarioResource[]): Promise<void> {
  for (const resource of part) {
    try {
      await stage(ctx, resource)
    } catch (error) {
      throw named(error, scenario, resource)
    }
  }
}

async function stage(ctx: Context, { $version: _version, $delete, ...resource }: ScenarioResource): Promise<void> {
  if ($delete) {
    await ctx.delete(resource.resourceType, resource.id)
    return
  }
  if (resource.resourceType === 'Appointment') await stagePastSlots(ctx, resource as Appointment)
  await ctx.update(resource)
}

function resolvedOf(scenario: Scenario, template: ScenarioResource, day: ClinicDay): ScenarioResource {
  try {
    return resolved(template, day)
  } catch (error) {
    throw named(error, scenario, template)
  }
}

/** The refusal with the resource that it is about; anything else as it is. */
const named = (error: unknown, { name }: Scenario, { resourceType, id }: ScenarioResource): unknown =>
  error instanceof FhirError
    ? new FhirError(
        error.status,
        error.issues.map((issue) => ({
          ...issue,
          diagnostics: `Scenario ${name}, ${resourceType}/${id}: ${issue.diagnostics}`,
        })),
      )
    : error

/** Stages the Slots that a visit has held and that have begun, as generation creates none that has. */
async function stagePastSlots(ctx: Context, { slot = [] }: Appointment): Promise<void> {
  for (const { reference = '' } of slot) {
    const [, id = '', schedule = '', time = ''] = /^Slot\/(slot-(.+)-(\d{8}T\d{4}Z))$/.exec(reference) ?? []
    const start = DateTime.fromISO(time).toMillis()
    if (!(start < ctx.now) || (await ctx.find('Slot', id)) !== undefined) continue
    const planned = await plannedSlot(ctx, schedule, start)
    if (planned !== undefined) await ctx.unit.put(planned, 'PUT')
  }
}

const DAY = 86_400_000

/** The Slot that the plan of a Schedule has at a time; a block may have begun with a buffer. */
async function plannedSlot(ctx: Context, schedule: string, start: number): Promise<SlotWithId | undefined> {
  const plan = (await ctx.unit.records.read(SLOT_GENERATION, schedule))?.value.plan
  if (plan === undefined) return undefined
  const planned = Array.from(plannedBlocks(plan, start - DAY, start + 1))
    .flat()
    .find((part) => part.start === start)
  return planned && slotsOf(schedule, plan)(planned)
}
