/**
 * The slots of a visit: those that an appointment names, the appointments that hold one, and consecutive ones of one Schedule, all
 * including the changes staged so far.
 */
import type { Appointment, Slot } from 'fhir/r4'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { FhirError, unprocessable } from '../fhir/outcome.ts'
import { localReference } from '../fhir/reference.ts'
import { spend } from '../isolation/budget.ts'
import { afterChange, allOf, hasCode, refersTo } from '../reservations/all-found.ts'
import { isHold, SLOT_HOLDING_STATUSES, stageOf } from '../scheduling/appointment-status.ts'
import type { SlotWithId } from '../scheduling/generated-slot.ts'
import { firstOf, follows, type Run } from '../scheduling/slot-times.ts'

/** Budget steps to look up one slot. */
const LOOKED_UP = 10

/** A slot named by an appointment, and its index in Appointment.slot. */
export interface Named {
  readonly id: string
  readonly index: number
}

/**
 * The slots of this clinic named by an appointment. A recorded or imported one may name slots of the system that it
 * comes from.
 * @throws FhirError 422
 */
export function namedSlots(
  { baseUrl, isImport }: Context,
  { status, slot = [] }: Pick<Appointment, 'status' | 'slot'>,
): readonly Named[] {
  const mayBeElsewhere = isImport || stageOf(status) === 'recorded'
  spend(slot.length * LOOKED_UP, 'its slots')
  const named = slot.flatMap(({ reference = '' }, index) => {
    const id = slotId(reference, baseUrl)
    if (id === undefined && !mayBeElsewhere) throw malformed(reference, index)
    return id === undefined ? [] : [{ id, index }]
  })
  const seen = new Set<string>()
  for (const { id, index } of named) {
    if (seen.has(id)) throw unprocessable(`Slot/${id} is named twice`, { expression: `Appointment.slot[${index}]` })
    seen.add(id)
  }
  return named
}

const malformed = (reference: string, index: number): FhirError => {
  const expression = `Appointment.slot[${index}].reference`
  return unprocessable(`${expression} is '${reference}'; name a slot of this clinic as Slot/<id>`, { expression })
}

function slotId(reference: string, baseUrl: string): string | undefined {
  const { type, id, version } = localReference(reference, baseUrl) ?? {}
  return type === 'Slot' && version === undefined ? id : undefined
}

/** The slots named by an appointment that exist. */
export async function slotsOf(ctx: Context, appointment: Appointment): Promise<readonly Slot[]> {
  const found = await Promise.all(namedSlots(ctx, appointment).map(({ id }) => ctx.find<Slot>('Slot', id)))
  return found.flatMap((slot) => (slot === undefined ? [] : [slot.resource]))
}

/** FhirError 422. */
export const noSuchSlot = (id: string, index: number): FhirError =>
  unprocessable(`There is no slot ${id} to book; find one with Slot?status=free`, {
    expression: `Appointment.slot[${index}]`,
    reason: 'slot-not-found',
  })

/** Appointments in this slot that are pending, booked or recorded as visits. */
export const holdersOf = (ctx: Context, slotId: string): Promise<readonly Appointment[]> =>
  holdersAfter(ctx, slotId, storedHolders(ctx, slotId))

/** Whether nothing but holds, which end by themselves, keeps the slot from being free. */
export async function isOnlyHeld(ctx: Context, { id = '', status }: Slot): Promise<boolean> {
  if (status !== 'busy-tentative') return false
  const holders = await holdersOf(ctx, id)
  return holders.length > 0 && holders.every(isHold)
}

/** The holders that also held the slot before the change. */
export async function stayingHoldersOf(ctx: Context, slotId: string): Promise<readonly Appointment[]> {
  const stored = storedHolders(ctx, slotId)
  const holders = await holdersAfter(ctx, slotId, stored)
  const before = new Set((await stored).map(({ id }) => id))
  return holders.filter(({ id = '' }) => before.has(id))
}

/** In an import there may be no Slot whose write would conflict with a second change, so the search is guarded. */
const storedHolders = (ctx: Context, slotId: string) =>
  allOf<Appointment>(
    ctx,
    'Appointment',
    [refersTo('slot', [`Slot/${slotId}`]), hasCode('status', SLOT_HOLDING_STATUSES)],
    'the visits in its slots',
    { isGuarded: ctx.isImport },
  )

const holdersAfter = (ctx: Context, slotId: string, stored: ReturnType<typeof storedHolders>) =>
  afterChange(
    ctx,
    'Appointment',
    stored,
    ({ status, slot = [] }) =>
      SLOT_HOLDING_STATUSES.includes(status) &&
      slot.some(({ reference = '' }) => isSlot(reference, slotId, ctx.baseUrl)),
  )

function isSlot(reference: string, slotId: string, baseUrl: string): boolean {
  const local = localReference(reference, baseUrl)
  return local?.type === 'Slot' && local.id === slotId
}

/** Most Slots of one visit: a day of five-minute Slots. */
export const MOST_SLOTS = 288
/** Budget steps to look up the Slots after another. */
const FOLLOWED = 30
/** Most free Slots joined for one visit, so that a change that frees many stays short. */
const MOST_FREE = 24
const MINUTE = 60_000

/** Slots in which a visit can continue. */
export async function followersOf(ctx: Context, last: Slot): Promise<readonly SlotWithId[]> {
  spend(FOLLOWED, 'its slots')
  const { schedule, end } = last
  const at = timeOf(end)
  if (Number.isNaN(at)) return []
  const [from, until] = [at, at + 1000].map((time) => new Date(time).toISOString())
  const query = `schedule=${encodeURIComponent(schedule.reference ?? '')}&start=ge${from}&start=lt${until}`
  const stored = await ctx.search<Slot>('Slot', query)
  const found = await Promise.all(stored.map(({ id }) => ctx.find<Slot>('Slot', id)))
  return found
    .flatMap((one): SlotWithId[] => (one === undefined ? [] : [{ ...one.resource, id: one.id }]))
    .filter((slot) => follows(last, slot))
}

/** Free Slots from this one on, as many as the visit needs, up to 24; fewer if there are not enough. */
export async function freeRunFrom(ctx: Context, first: SlotWithId, minutes: number): Promise<Run> {
  const run: [SlotWithId, ...SlotWithId[]] = [first]
  let last = first
  while (!isLongEnough(run, minutes) && run.length < MOST_FREE) {
    const next = firstOf((await followersOf(ctx, last)).filter(({ status }) => status === 'free'))
    if (next === undefined) break
    run.push(next)
    last = next
  }
  return run
}

export const isLongEnough = (run: Run, minutes: number): boolean =>
  timeOf(run.at(-1)?.end) - timeOf(run[0].start) >= minutes * MINUTE

/** FhirError 409, or 422 by the clinic's policy. */
export async function slotUnavailable(
  { unit, clinic }: Context,
  diagnostics: string,
  expression: string,
): Promise<FhirError> {
  const { policies } = await readSettings(unit, clinic)
  return new FhirError(policies.slotTakenStatus, {
    code: 'conflict',
    diagnostics,
    expression,
    reason: 'slot-unavailable',
  })
}
