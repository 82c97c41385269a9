/** The appointments that hold a slot, including the changes staged so far. */
import type { Appointment } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import { afterChange, type Found } from '../reservations/all-found.ts'
import { SLOT_HOLDING_STATUSES } from '../scheduling/appointment-status.ts'

/** Appointments in this slot that are pending, booked or recorded as visits. */
export const holdersOf = (ctx: Context, slotId: string): Promise<readonly Appointment[]> =>
  holdersAfter(ctx, slotId, storedHolders(ctx, slotId))

/** The holders that also held the slot before the change. */
export async function stayingHoldersOf(ctx: Context, slotId: string): Promise<readonly Appointment[]> {
  const stored = storedHolders(ctx, slotId)
  const holders = await holdersAfter(ctx, slotId, stored)
  const before = new Set((await stored).map(({ id }) => id))
  return holders.filter(({ id = '' }) => before.has(id))
}

/** In an import there may be no Slot whose write would conflict with a second change, so the search is guarded. */
const storedHolders = (ctx: Context, slotId: string) =>
  (ctx.isImport ? ctx.searchGuarded : ctx.search)<Appointment>(
    'Appointment',
    `slot=Slot/${slotId}&status=${SLOT_HOLDING_STATUSES.join()}`,
  )

const holdersAfter = (ctx: Context, slotId: string, stored: ReturnType<typeof storedHolders>) =>
  appointmentsAfter(
    ctx,
    stored,
    ({ status, slot = [] }) =>
      SLOT_HOLDING_STATUSES.includes(status) &&
      slot.some(({ reference = '' }) => isSlot(reference, slotId, ctx.baseUrl)),
  )

function isSlot(reference: string, slotId: string, baseUrl: string): boolean {
  const local = localReference(reference, baseUrl)
  return local?.type === 'Slot' && local.id === slotId
}

/** The results of a search as they will be after the change. */
export const appointmentsAfter = (
  ctx: Context,
  search: Promise<readonly Found<Appointment>[]>,
  matches: (appointment: Appointment) => boolean,
): Promise<readonly Appointment[]> => afterChange(ctx, 'Appointment', search, matches)
