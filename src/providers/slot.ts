/**
 * Slot: frequently searched by schedule, status and start. While appointments hold it, a slot cannot be moved or freed.
 * https://hl7.org/fhir/R4/slot.html
 */
import type { Appointment, Slot } from 'fhir/r4'
import { asHeld } from '../booking/held-slots.ts'
import { endDueHolds, endExpiredHolds } from '../booking/holds.ts'
import { holdersOf, slotsOf, stayingHoldersOf } from '../booking/named-slots.ts'
import { noteVisit } from '../booking/reserve-time.ts'
import { noteSlot } from '../booking/waitlist.ts'
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool.ts'
import type { Context } from '../core/context.ts'
import { defineProvider, standard } from '../core/provider.ts'
import { conflict } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { asOffered } from '../reservations/actors-at-work.ts'
import { isOver } from '../scheduling/appointment-status.ts'
import { isOnOffer } from '../scheduling/generated-slot.ts'
import { checkPeriod, fits, isSamePeriod, isSameSchedule } from '../scheduling/slot-times.ts'

export const slot = defineProvider('Slot', {
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      checkPeriod(asSlot(resource))
      return await standard.create(ctx, await asOffered(ctx, await held(ctx, asSlot(resource), true)))
    },
    update: async (ctx, resource) => {
      const before = await beforeOf(ctx, resource.id)
      const after = await held(ctx, asSlot(resource), before === undefined)
      if (before === undefined || !isSamePeriod(before, after)) checkPeriod(after)
      if (before === undefined) checkHoldersOfNew(ctx, resource.id)
      else if (mayEndBooking(before, after, ctx.baseUrl)) checkHoldersOf(ctx, before, after)
      const offered = isOfferedAlready(before, after, ctx.baseUrl) ? after : await asOffered(ctx, after)
      if (before !== undefined && before.status !== offered.status) noteSlot(ctx, resource.id)
      return await standard.update(ctx, { ...offered, id: resource.id })
    },
    delete: async (ctx, type, id) => {
      const before = await beforeOf(ctx, id)
      if (before !== undefined && before.status !== 'free') checkHoldersOf(ctx, before)
      if (before !== undefined) noteSlot(ctx, id)
      return standard.delete(ctx, type, id)
    },
  },
  settle: endDueHolds,
  operations: toolOperations(toolFamilies, 'Slot'),
  combined: [{ equal: ['schedule', 'status'], range: 'start' }],
})

/** A slot whose hold has expired is free. */
async function beforeOf(ctx: Context, id: string): Promise<Slot | undefined> {
  await endExpiredHolds(ctx, id)
  return (await ctx.find<Slot>('Slot', id))?.resource
}

const asSlot = (resource: AnyResource): Slot => resource as Slot

/** In an import, visits may arrive before their Slot. */
const held = async (ctx: Context, slot: Slot, isNew: boolean): Promise<Slot> =>
  ctx.isImport && slot.id !== undefined ? await asHeld(ctx, { ...slot, id: slot.id }, isNew) : slot

/** Whether appointments that hold the slot may forbid the change. */
const mayEndBooking = (before: Slot, after: Slot, baseUrl: string): boolean =>
  isPutForSale(before, after) || hasMoved(before, after, baseUrl)

const isPutForSale = (before: Slot, after: Slot): boolean => before.status !== after.status && isForSale(after)

/** True for a free slot that stays free at the same time. */
const isOfferedAlready = (before: Slot | undefined, after: Slot, baseUrl: string): boolean =>
  before?.status === 'free' && after.status === 'free' && !hasMoved(before, after, baseUrl)

/** True if it may not have an appointment in it. */
const isForSale = (slot: Slot): boolean => isOnOffer(slot) || slot.status === 'entered-in-error'

const hasMoved = (before: Slot, after: Slot, baseUrl: string): boolean =>
  !isSamePeriod(before, after) || !isSameSchedule(before, after, baseUrl)

/**
 * Checks once the whole change is staged, as a transaction may free a slot before it cancels the appointment.
 * @param written result of this write; the same change may write the slot again
 */
const checkHoldersOf = (ctx: Context, before: Slot, written?: Slot): void =>
  ctx.unit.checkBeforeCommit(`Slot/${before.id}`, () => checkHolders(ctx, before, written))

/**
 * Checks a slot that is created or restored, in which visits may have been recorded before: it cannot be free, and the
 * visits reserve the time of its Schedule's actors.
 */
const checkHoldersOfNew = (ctx: Context, id: string): void =>
  ctx.unit.checkBeforeCommit(`Slot/${id}`, async () => {
    const slot = (await ctx.find<Slot>('Slot', id))?.resource
    if (slot === undefined) return
    const holders = await holdersOf(ctx, id)
    if (isForSale(slot)) refuse(id, holders[0], `cannot be ${slot.status}`, 'Slot.status')
    for (const holder of holders) noteVisit(ctx, holder.id ?? '', holder)
  })

/** @throws FhirError 409 naming an appointment that forbids the change */
async function checkHolders(ctx: Context, before: Slot, written: Slot | undefined): Promise<void> {
  const id = before.id ?? ''
  if (written !== undefined && isPutForSale(before, written)) {
    // An appointment booked in it later in the same change may keep it.
    refuse(id, (await stayingHoldersOf(ctx, id))[0], `cannot be ${written.status}`, 'Slot.status')
  }
  const after = (await ctx.find<Slot>('Slot', id))?.resource
  // Slots of past visits may be deleted.
  if (after === undefined) {
    const holders = await holdersOf(ctx, id)
    refuse(id, holders.find(isAhead), 'cannot be deleted', 'Slot')
    for (const holder of holders) noteVisit(ctx, holder.id ?? '', holder)
  } else if (hasMoved(before, after, ctx.baseUrl)) {
    for (const holder of await holdersOf(ctx, id))
      if (!(await movesAlong(ctx, holder))) refuse(id, holder, 'cannot move', 'Slot.start')
  }
}

const isAhead = ({ status }: Appointment): boolean => !isOver(status)

/** Whether the same change also writes the appointment so that it fits its new slots. */
async function movesAlong(ctx: Context, holder: Appointment): Promise<boolean> {
  const isStaged = ctx.unit.staged('Appointment').some(({ id }) => id === holder.id)
  return isStaged && fits(holder, await slotsOf(ctx, holder))
}

/** @throws FhirError 409 */
function refuse(id: string, holder: Appointment | undefined, what: string, expression: string): void {
  if (holder === undefined) return
  throw conflict(
    `Slot/${id} ${what}, as Appointment/${holder.id} (${holder.status}) holds it; cancel or move the appointment, which frees the slot`,
    { expression, reason: 'slot-held' },
  )
}
