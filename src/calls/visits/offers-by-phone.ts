/** Visits of the waitlist that a patient who calls is offered, where the clinic has them told by phone. */
import type { Schedule, Slot } from 'fhir/r4'
import { scheduleOf } from '../../booking/schedule-of-slot.ts'
import { offersToPatient, slotOf } from '../../booking/waitlist-offers.ts'
import { readSettings } from '../../clinics/settings.ts'
import type { Context } from '../../core/context.ts'
import { isBookable } from '../../scheduling/booking-policies.ts'
import type { SlotWithId } from '../../scheduling/generated-slot.ts'

export interface OfferedSlot {
  readonly slot: SlotWithId
  readonly schedule: Schedule | undefined
}

/** Those that can be booked now, in order of start. @param patient Patient.id of one who is verified */
export async function offersByPhone(ctx: Context, patient: string): Promise<readonly OfferedSlot[]> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (policies.waitlistOffersByPhone !== true) return []
  const ids = (await offersToPatient(ctx, patient)).flatMap((task) => slotOf(task, ctx.baseUrl) ?? [])
  const slots = await Promise.all(ids.map((id) => ctx.find<Slot>('Slot', id)))
  const open = slots.flatMap((found): SlotWithId[] => {
    if (found === undefined || found.resource.status !== 'free') return []
    const isInTime = isBookable(Date.parse(found.resource.start), ctx.now, policies)
    return isInTime ? [{ ...found.resource, id: found.id }] : []
  })
  open.sort((one, other) => Date.parse(one.start) - Date.parse(other.start))
  return await Promise.all(open.map(async (slot) => ({ slot, schedule: await scheduleOf(ctx, slot) })))
}
