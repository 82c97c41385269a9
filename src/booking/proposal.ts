/**
 * Appointments offered by $find are not stored: their id encodes their Slots, and the search's details of the visit.
 * `<key>.<n>.<Slot.id>` means n adjacent Slots, beginning with this one; `<key>` refers to a record
 * (visit-contexts.ts), which also holds the id of the Slot if that is too long to be part of another id.
 */
import type { Appointment, Slot } from 'fhir/r4'
import type { ClinicAccess, Context } from '../core/context.ts'
import { FhirError } from '../fhir/outcome.ts'
import type { Versioned } from '../repository/repository.ts'
import { scheduleOf } from '../reservations/reservation.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { proposedAppointment, type VisitContext } from '../scheduling/proposed-appointment.ts'
import { firstOf, type Run } from '../scheduling/slot-times.ts'
import { resolvedActors } from './resolvable-actors.ts'
import { followersOf, MOST_SLOTS } from './slot-runs.ts'
import { contextOf, isContextKey, keepContexts, type StoredContext } from './visit-contexts.ts'

/** https://hl7.org/fhir/R4/datatypes.html#id, minus the longest key, a three-digit number, and the dots. */
const LONGEST_SLOT_ID = 64 - 11 - 3 - 2

/** Adjacent Slots as encoded in an id: the first, and their number. */
export type OfferedRun = Readonly<{ 0: Pick<SlotWithId, 'id'>; length: number }>

/** Ids under which these Slots are offered, in the same order. The data needed to decode the ids is stored. */
export async function proposalIds(
  access: ClinicAccess,
  runs: readonly OfferedRun[],
  context: VisitContext,
): Promise<readonly string[]> {
  const long = runs.flatMap(({ 0: { id } }) => (id.length > LONGEST_SLOT_ID ? [{ ...context, slot: id }] : []))
  const contexts: readonly StoredContext[] = runs.length > long.length ? [context, ...long] : long
  const keys = await keepContexts(access, contexts)
  const keyOf = new Map(contexts.map(({ slot }, index) => [slot, keys[index]]))
  return runs.map(({ 0: { id }, length }) => {
    const ownKey = keyOf.get(id)
    return ownKey === undefined ? `${keyOf.get(undefined)}.${length}.${id}` : `${ownKey}.${length}`
  })
}

/**
 * The Appointment offered under this id, built from the current state of its Slots, free or not. It has neither id nor
 * meta. Undefined if no such Appointment was offered, it has expired, or one of its Slots was deleted.
 */
export async function readProposal(ctx: Context, id: string): Promise<Appointment | undefined> {
  const [, key = '', count = '', named] = /^([0-9a-z]+)\.([1-9]\d{0,2})(?:\.([A-Za-z0-9\-.]+))?$/.exec(id) ?? []
  if (!isContextKey(key) || Number(count) > MOST_SLOTS) return undefined
  const context = await contextOf(ctx, key)
  const first = named ?? context?.slot
  if (context === undefined || first === undefined) return undefined
  const slots = await runFrom(ctx, first, Number(count))
  const schedule = slots && (await scheduleOf(ctx, slots[0]))
  if (slots === undefined || schedule === undefined) return undefined
  const actors = await resolvedActors(ctx, schedule.actor)
  return proposedAppointment({ schedule, slots, actors }, context)
}

/** Returns undefined if the Slot, or one that must follow it, does not exist. */
async function runFrom(ctx: Context, id: string, count: number): Promise<Run | undefined> {
  const first = (await ctx.find<Slot>('Slot', id))?.resource
  if (first === undefined) return undefined
  const run: [SlotWithId, ...SlotWithId[]] = [{ ...first, id }]
  let last = run[0]
  while (run.length < count) {
    const next = await followerOf(ctx, last)
    if (next === undefined) return undefined
    run.push(next)
    last = next
  }
  return run
}

/** Prefers a free Slot, as only free ones were offered. */
async function followerOf(ctx: Context, last: Slot): Promise<SlotWithId | undefined> {
  const following = await followersOf(ctx, last)
  return firstOf(following.filter(({ status }) => status === 'free')) ?? firstOf(following)
}

/** A stored Appointment with its version, or an offered one without an id. */
type FoundAppointment =
  | { readonly kind: 'stored'; readonly stored: Versioned<Appointment> }
  | { readonly kind: 'offered'; readonly proposal: Appointment }

/**
 * The Appointment of a request: a stored one, or one offered by $find.
 * @param expression name of the parameter, for the message
 * @throws FhirError 404, or 410 if it was deleted
 */
export async function findAppointment(ctx: Context, id: string, expression: string): Promise<FoundAppointment> {
  const stored = await ctx.unit.read<Appointment>('Appointment', id)
  if (stored?.deleted) {
    const diagnostics = `Appointment/${id} was deleted (version ${stored.version}); name one that there is`
    throw new FhirError(410, { code: 'deleted', diagnostics, expression, reason: 'appointment-not-found' })
  }
  if (stored !== undefined) return { kind: 'stored', stored }
  const proposal = await readProposal(ctx, id)
  if (proposal !== undefined) return { kind: 'offered', proposal }
  throw new FhirError(404, {
    code: 'not-found',
    diagnostics: `There is no Appointment/${id} in this clinic, and $find does not offer it (any more); call $find again, or name one that is stored`,
    expression,
    reason: 'appointment-not-found',
  })
}
