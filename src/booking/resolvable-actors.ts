/** The participants of an appointment that must exist: https://hl7.org/fhir/R4/references.html. */
import type { Appointment, Reference } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { FhirError, type Issue } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'

/** Types whose resources are in this clinic; others, such as a RelatedPerson or a Device, may be elsewhere. */
const RESOLVED: ReadonlySet<string> = new Set(['Patient', 'Practitioner', 'PractitionerRole', 'Location'])

/** Budget steps to look up one actor. */
const LOOKED_UP = 10

/**
 * Checks only actors that `before` did not name, so that an appointment outlives the resources to which it refers.
 * @throws FhirError 422 naming each that does not exist
 */
export async function checkActors(ctx: Context, before: Appointment | undefined, after: Appointment): Promise<void> {
  const known = new Set(before?.participant.map(({ actor }) => actor?.reference))
  const firstIndex = new Map<string, number>()
  for (const [index, { actor }] of after.participant.entries()) {
    const address = known.has(actor?.reference) ? undefined : resolvedAddress(actor?.reference, ctx.baseUrl)
    if (address !== undefined && !firstIndex.has(address)) firstIndex.set(address, index)
  }
  spend(firstIndex.size * LOOKED_UP, 'its participants')
  const issues = await Promise.all(
    Array.from(firstIndex, async ([address, index]) =>
      (await exists(ctx, address)) ? [] : [unresolved(address, index)],
    ),
  )
  const all = issues.flat()
  if (all.length > 0) throw new FhirError(422, all)
}

/** The actors; those that do not exist (any more) have only their display, so that an appointment may name them. */
export const resolvedActors = (ctx: Context, actors: readonly Reference[]): Promise<readonly Reference[]> =>
  resolvedBy(ctx, actors, exists)

/** The same, from a cache of a moment, for display. */
export const recentActors = (ctx: Context, actors: readonly Reference[]): Promise<readonly Reference[]> =>
  resolvedBy(ctx, actors, existedRecently)

async function resolvedBy(
  ctx: Context,
  actors: readonly Reference[],
  isThere: typeof exists,
): Promise<readonly Reference[]> {
  spend(actors.length * LOOKED_UP, 'its participants')
  return await Promise.all(
    actors.map(async (actor) => {
      const address = resolvedAddress(actor.reference, ctx.baseUrl)
      if (address === undefined || (await isThere(ctx, address))) return actor
      return { display: actor.display ?? address }
    }),
  )
}

/** `Type/id`; undefined for an actor that need not exist here. */
function resolvedAddress(reference: string | undefined, baseUrl: string): string | undefined {
  const local = localReference(reference ?? '', baseUrl)
  return local !== undefined && RESOLVED.has(local.type) ? `${local.type}/${local.id}` : undefined
}

async function exists({ unit }: Context, address: string): Promise<boolean> {
  const [type = '', id = ''] = address.split('/')
  const found = await unit.read(type, id)
  return found !== undefined && !found.deleted
}

async function existedRecently({ unit }: Context, address: string): Promise<boolean> {
  const [type = '', id = ''] = address.split('/')
  return (await unit.readRecent(type as 'Practitioner', id)) !== undefined
}

const unresolved = (address: string, index: number): Issue => ({
  code: 'business-rule',
  diagnostics: `There is no ${address} in this clinic; refer to a participant that exists`,
  expression: `Appointment.participant[${index}].actor`,
  reason: 'reference-not-found',
})
