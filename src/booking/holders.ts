/** The appointments that hold a slot, with what the change in the making does to them. */
import type { Appointment } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { localReference } from '../fhir/reference.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { SLOT_HOLDING_STATUSES } from '../scheduling/appointment-status.ts'

/** Those that are pending, booked or recorded as visits in this slot. */
export const holdersOf = (ctx: Context, slotId: string): Promise<readonly Appointment[]> =>
  holdersAfter(ctx, slotId, storedHolders(ctx, slotId))

/** Of these, those that held it before the change, too. */
export async function stayingHoldersOf(ctx: Context, slotId: string): Promise<readonly Appointment[]> {
  const stored = storedHolders(ctx, slotId)
  const holders = await holdersAfter(ctx, slotId, stored)
  const before = new Set((await stored).map(({ id }) => id))
  return holders.filter(({ id = '' }) => before.has(id))
}

const storedHolders = (ctx: Context, slotId: string) =>
  ctx.search<Appointment>('Appointment', `slot=Slot/${slotId}&status=${SLOT_HOLDING_STATUSES.join()}`)

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

interface Found<R extends AnyResource> {
  readonly id: string
  readonly resource: R
}

/**
 * The appointments of a search as they will be after the change. Searches see the stored state, so what is staged
 * replaces what was found, and counts where it matches.
 */
export async function appointmentsAfter(
  { unit }: Context,
  search: Promise<readonly Found<Appointment>[]>,
  matches: (appointment: Appointment) => boolean,
): Promise<readonly Appointment[]> {
  const stored = await search
  const staged = unit.staged<Appointment>('Appointment')
  const changed = new Set(staged.map(({ id }) => id))
  const kept = stored.filter(({ id }) => !changed.has(id)).map(({ resource }) => resource)
  const written = staged.filter(({ deleted }) => !deleted).map(({ resource }) => resource)
  return [...kept, ...written.filter(matches)]
}
