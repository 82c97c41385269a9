/**
 * Appointment: booking takes its slots, moving changes them, cancelling frees them, in the same change.
 * https://hl7.org/fhir/R4/appointment.html
 */
import type { Appointment } from 'fhir/r4'
import { moveSlots } from '../booking/held-slots.ts'
import { endDueHolds, endHold, endHoldsInTheWay, withHold } from '../booking/holds.ts'
import { checkOpenAppointments, patientFindings } from '../booking/patient-visits.ts'
import { noteVisit } from '../booking/reserve-time.ts'
import { checkActors } from '../booking/resolvable-actors.ts'
import { noteAppointment } from '../booking/waitlist.ts'
import { toolFamilies } from '../calls/families.ts'
import { toolOperations } from '../calls/tool.ts'
import { readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { defineProvider, standard } from '../core/provider.ts'
import type { AnyResource } from '../fhir/resource.ts'
import {
  appointmentBook,
  appointmentCancel,
  appointmentConfirm,
  appointmentHold,
  appointmentReschedule,
} from '../operations/appointment.ts'
import { appointmentFind } from '../operations/find/appointment-find.ts'
import type { SearchAnswer } from '../repository/repository.ts'
import { checkMayBecome } from '../scheduling/appointment-status.ts'
import { checkCancellationWindow, checkPlannedTime } from '../scheduling/booking-policies.ts'
import { checkPeriod, isSamePeriod } from '../scheduling/slot-times.ts'
import type { SearchPlan } from '../search/plan.ts'

export const appointment = defineProvider('Appointment', {
  documentation:
    'Its slots are taken, moved and freed with it. References that must resolve when they are written: Appointment.slot (unless the visit is recorded as arrived, checked-in, fulfilled, noshow or cancelled), and Appointment.participant.actor of type Patient, Practitioner, PractitionerRole and Location, relative or with the address of this server. Others may dangle. A Slot that is booked or held cannot be deleted. What $hold holds is cancelled when the hold expires; other pending appointments stay. Admins bring what another system has recorded, such as visits of the past, with the header X-Import: true.',
  referencePolicy: 'enforced',
  interactions: {
    ...standard,
    create: async (ctx, resource) => {
      const after = await toWrite(ctx, undefined, asAppointment(resource))
      const created = await standard.create(ctx, after)
      await checkWrite(ctx, undefined, asAppointment(created.resource))
      return created
    },
    update: async (ctx, resource) => {
      const before = (await ctx.find<Appointment>('Appointment', resource.id))?.resource
      const after = await toWrite(ctx, before, asAppointment(resource))
      const updated = await standard.update(ctx, after as Appointment & { id: string })
      await checkWrite(ctx, before, after)
      return updated
    },
    delete: async (ctx, type, id) => {
      const before = await ctx.find<Appointment>('Appointment', id)
      const deleted = await standard.delete(ctx, type, id)
      if (before !== undefined) await giveUp(ctx, before.resource)
      return deleted
    },
    'search-type': searchWithTotal,
  },
  findings: (ctx, resource, before) => patientFindings(ctx, before && asAppointment(before), asAppointment(resource)),
  settle: endDueHolds,
  operations: [
    appointmentFind,
    appointmentHold,
    appointmentBook,
    appointmentReschedule,
    appointmentCancel,
    appointmentConfirm,
    ...toolOperations(toolFamilies, 'Appointment'),
  ],
  combined: [
    { equal: ['patient'], range: 'date' },
    { equal: ['actor', 'status'], range: 'date' },
  ],
})

/**
 * The appointment to write, with the end of its hold; expired holds on its slots are ended first.
 * @throws FhirError 409 or 422
 */
async function toWrite(ctx: Context, before: Appointment | undefined, after: Appointment): Promise<Appointment> {
  if (before !== undefined && !ctx.isImport) checkMayBecome(before, after.status)
  const written = await withHold(ctx, before, after)
  await endHoldsInTheWay(ctx, written)
  return written
}

const asAppointment = (resource: AnyResource): Appointment => resource as Appointment

/**
 * Checks the rules of a booking, and moves its slots.
 * @throws FhirError 409 or 422 naming the rule; nothing of the change is then committed
 */
async function checkWrite(ctx: Context, before: Appointment | undefined, after: Appointment): Promise<void> {
  noteVisit(ctx, after.id ?? '', before)
  if (before === undefined || !isSamePeriod(before, after)) checkPeriod(after)
  if (ctx.isImport) ctx.unit.checkBeforeCommit(`actors of ${after.id}`, () => checkActors(ctx, before, after))
  else await checkPlanned(ctx, before, after)
  await moveSlots(ctx, before, after)
  await noteAppointment(ctx, before, after)
}

/** The rules for planned visits. @throws FhirError 422 naming the rule */
async function checkPlanned(ctx: Context, before: Appointment | undefined, after: Appointment): Promise<void> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (before !== undefined) checkCancellationWindow(before, after, ctx, policies)
  checkPlannedTime(before, after, ctx.now, policies)
  await checkActors(ctx, before, after)
  const { maxOpenAppointments } = policies
  if (maxOpenAppointments !== undefined) await checkOpenAppointments(ctx, before, after, maxOpenAppointments)
}

/** @throws FhirError 422 if the clinic's policy forbids it */
async function giveUp(ctx: Context, before: Appointment): Promise<void> {
  const { policies } = await readSettings(ctx.unit, ctx.clinic)
  if (!ctx.isImport) checkCancellationWindow(before, undefined, ctx, policies)
  noteVisit(ctx, before.id ?? '', before)
  await endHold(ctx, before)
  await moveSlots(ctx, before, undefined)
  await noteAppointment(ctx, before, undefined)
}

/**
 * IHE ITI-118 requires `total` on every page; if the page lacks it, a count follows. A single page needs no further
 * search.
 */
async function searchWithTotal(ctx: Context, plan: SearchPlan): Promise<SearchAnswer> {
  const answer = await ctx.unit.search(plan)
  if (answer.total !== undefined) return answer
  const { after: _after, ...rest } = plan
  const { total } = await ctx.unit.search({ ...rest, count: 0, total: 'accurate', sort: [], include: [] })
  return total === undefined ? answer : { ...answer, total }
}
