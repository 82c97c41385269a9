/**
 * Books, changes or cancels a visit (IHE ITI-117, with Argonaut's names), or moves it to another time: the new slots are taken and
 * the old ones freed in one change, or not at all.
 */
import { isDeepStrictEqual } from 'node:util'
import type {
  Appointment,
  AppointmentParticipant,
  CodeableConcept,
  Identifier,
  Patient,
  Reference,
  Slot,
} from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { newId } from '../fhir/new-id.ts'
import { conflict, FhirError, unprocessable } from '../fhir/outcome.ts'
import { spend } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import { scheduleOf } from '../reservations/reservation.ts'
import { checkMayBecome, holdEndOf, holdExpired, isCancelledByExpiry } from '../scheduling/appointment-status.ts'
import { withActors, withAnswers, withConfirmation, withPatients } from '../scheduling/participants.ts'
import { servicesAt } from '../scheduling/proposed-appointment.ts'
import { isSameSchedule } from '../scheduling/slot-times.ts'
import { inCommon } from '../scheduling/visit-type.ts'
import { tokenText } from '../search/value.ts'
import { namedSlots, noSuchSlot, slotsOf } from './named-slots.ts'
import { findAppointment, readProposal } from './proposal.ts'
import { resolvedActors } from './resolvable-actors.ts'

export interface Booking {
  readonly what: BookedAppointment
  /**
   * Patients in addition to those in the appointment: `Patient/<id>`, or resources, which are stored if they are new.
   */
  readonly patients?: readonly NamedPatient[]
  /** Appointment.comment. */
  readonly comment?: string | undefined
  /** Appointment.id of a visit to cancel in the same change. */
  readonly cancels?: string | undefined
}

export type BookedAppointment =
  /** Appointment.id of one offered by $find, or of a stored one that is proposed, pending or on the waitlist. */
  | { readonly id: string }
  /**
   * The appointment as requested. It is new if it has no id, or the id of one offered by $find; with the id of a stored
   * one it changes that, or cancels it if its status is cancelled.
   */
  | { readonly resource: Appointment }

/** @throws FhirError 400, 404, 409, 410 or 422; nothing of the change is then committed */
export async function book(ctx: Context, { what, patients = [], comment, cancels }: Booking): Promise<Booked> {
  const id = 'id' in what ? what.id : what.resource.id
  if (cancels !== undefined && cancels === id)
    throw unprocessable(`Appointment/${id} is both booked and cancelled; name another one to cancel`, {
      expression: 'cancelled-appt-id',
    })
  // First, so that its slots are free and it does not count towards the patient's limits.
  if (cancels !== undefined) await cancel(ctx, cancels)
  const details = { patients: await patientReferences(ctx, patients), comment }
  return 'id' in what
    ? await bookNamed(ctx, what.id, details)
    : await bookResource(ctx, ctx.unit.validate<Appointment>(what.resource, 'Appointment'), details)
}

type Booked = Versioned<Appointment>

interface Details {
  readonly patients: readonly string[]
  readonly comment: string | undefined
}

async function bookNamed(ctx: Context, id: string, details: Details): Promise<Booked> {
  const found = await findAppointment(ctx, id, 'appointment-reference')
  if (found.kind === 'offered') return await create(ctx, found.proposal, details)
  const { resource } = found.stored
  if (resource.status === 'booked') throw alreadyBooked(id)
  checkMayBecome(resource, 'booked')
  return await ctx.update<Appointment>(asBooked(ctx, resource, details))
}

async function bookResource(ctx: Context, resource: Appointment, details: Details): Promise<Booked> {
  const { id, status } = resource
  if (!BOOKABLE.has(status)) throw notBookable(status)
  if (id === undefined) return await create(ctx, resource, details)
  const found = await findAppointment(ctx, id, 'appointment-resource')
  if (found.kind === 'offered') return await create(ctx, resource, details)
  checkVersion(resource, found.stored.version)
  if (status === 'cancelled') {
    const { cancelationReason: reason, comment = details.comment } = resource
    return await cancel(ctx, id, { reason, comment })
  }
  checkMayBecome(found.stored.resource, 'booked')
  // A booked visit is changed as requested: it may wait for replies again.
  const isChange = found.stored.resource.status === 'booked'
  return await ctx.update<Appointment>(
    isChange ? withDetails(ctx, resource, details) : asBooked(ctx, resource, details),
  )
}

const BOOKABLE: ReadonlySet<Appointment['status']> = new Set(['proposed', 'pending', 'booked', 'cancelled'])

const notBookable = (status: Appointment['status']): FhirError =>
  unprocessable(
    `An appointment that is ${status} is not written by $book; give one that is pending or booked, or cancelled to cancel it`,
    { expression: 'appointment-resource', reason: 'not-bookable' },
  )

const alreadyBooked = (id: string): FhirError =>
  conflict(
    `Appointment/${id} is booked already; to change it give appointment-resource with its id, or call $reschedule`,
    { expression: 'appointment-reference', reason: 'already-booked' },
  )

/** Stored under an id of its own, as the same times may be offered to others. */
async function create(ctx: Context, offered: Appointment, details: Details): Promise<Booked> {
  if (offered.status === 'cancelled')
    throw unprocessable('There is nothing to cancel: give the id of an appointment that is stored', {
      expression: 'appointment-resource',
      reason: 'not-bookable',
    })
  return await ctx.create<Appointment>({ ...asBooked(ctx, offered, details), id: newId() })
}

const asBooked = (ctx: Context, appointment: Appointment, details: Details): Appointment => {
  const booked = withDetails(ctx, appointment, details)
  return { ...booked, participant: withAnswers(booked.participant) }
}

function withDetails({ baseUrl }: Context, appointment: Appointment, { patients, comment }: Details): Appointment {
  const participant = withPatients(appointment.participant, patients, baseUrl)
  return { ...appointment, status: 'booked', participant, ...(comment === undefined ? {} : { comment }) }
}

/** @throws FhirError 409 if the resource was made from a version other than the current one */
function checkVersion({ id, meta }: Appointment, version: number): void {
  if (meta?.versionId === undefined || meta.versionId === String(version)) return
  throw conflict(
    `appointment-resource was made from version ${meta.versionId} of Appointment/${id}, which has version ${version} by now; read it again`,
    { expression: 'appointment-resource', reason: 'stale-version' },
  )
}

/**
 * An appointment already confirmed stays as it is.
 * @param id Appointment.id
 * @param patient the confirming patient, as `Patient/<id>`; absent: the only patient of the appointment
 * @throws FhirError 404, 409, 410, 422
 */
export async function confirm(ctx: Context, id: string, patient?: string): Promise<Versioned<Appointment>> {
  const found = await ctx.read<Appointment>('Appointment', id)
  const { resource } = found
  checkMayBecome(resource, 'booked')
  const confirmed = withConfirmation(resource, patient, ctx.baseUrl)
  const participant = resource.status === 'booked' || patient !== undefined ? confirmed : withAnswers(confirmed)
  const next: Appointment = { ...resource, status: 'booked', participant }
  return isDeepStrictEqual(next, resource) ? found : await ctx.update<Appointment>(next)
}

export interface Cancellation {
  /** Appointment.cancelationReason. */
  readonly reason?: CodeableConcept | undefined
  /** Appointment.comment. */
  readonly comment?: string | undefined
}

/**
 * An appointment already cancelled stays as it is, with its reason.
 * @param id Appointment.id
 * @throws FhirError 404, 410, 422
 */
export async function cancel(
  ctx: Context,
  id: string,
  { reason, comment }: Cancellation = {},
): Promise<Versioned<Appointment>> {
  const found = await ctx.read<Appointment>('Appointment', id)
  if (found.resource.status === 'cancelled') return found
  return await ctx.update<Appointment>({
    ...found.resource,
    status: 'cancelled',
    ...(reason === undefined ? {} : { cancelationReason: reason }),
    ...(comment === undefined ? {} : { comment }),
  })
}

/** Budget steps to look up one patient. */
const LOOKED_UP = 10

/** `Patient/<id>`, or the resource itself. */
export type NamedPatient = string | Patient

/**
 * References to the patients of a booking; new patients are staged with it. A Patient without an id is never matched by
 * similarity: it is the one with one of its identifiers, as in a conditional create, or else a new one.
 * @throws FhirError 400 or 422
 */
async function patientReferences(ctx: Context, patients: readonly NamedPatient[]): Promise<readonly string[]> {
  spend(patients.length * LOOKED_UP, 'its patients')
  const references: string[] = []
  const created: Created = new Map()
  for (const patient of patients)
    references.push(typeof patient === 'string' ? patient : await stored(ctx, patient, created))
  return [...new Set(references)]
}

/** The patients created by this booking, by each of their identifiers. */
type Created = Map<string, string>

async function stored(ctx: Context, given: Patient, created: Created): Promise<string> {
  const patient = ctx.unit.validate<Patient>(given, 'Patient')
  if (patient.id !== undefined) return await existing(ctx, patient.id)
  const tokens = (patient.identifier ?? []).filter(({ value }) => value !== undefined).map(tokenOf)
  const found = await withOneIdentifier(ctx, tokens, created)
  if (found !== undefined) return found
  const reference = `Patient/${(await ctx.create<Patient>(patient)).id}`
  for (const token of tokens) created.set(token, reference)
  return reference
}

/** The stored patient; other elements of the given resource are ignored. */
async function existing(ctx: Context, id: string): Promise<string> {
  if ((await ctx.find<Patient>('Patient', id)) !== undefined) return `Patient/${id}`
  throw unprocessable(
    `There is no Patient/${id} in this clinic; give a patient-resource without an id for somebody who is new`,
    { expression: 'patient-resource', reason: 'reference-not-found' },
  )
}

/** The change commits only if the same patients still have the identifiers. */
async function withOneIdentifier(
  ctx: Context,
  tokens: readonly string[],
  created: Created,
): Promise<string | undefined> {
  if (tokens.length === 0) return undefined
  const matches = await ctx.searchGuarded<Patient>('Patient', `identifier=${encodeURIComponent(tokens.join())}`)
  const found = new Set([
    ...matches.map(({ id }) => `Patient/${id}`),
    ...tokens.flatMap((token) => created.get(token) ?? []),
  ])
  if (found.size <= 1) return [...found][0]
  throw unprocessable(
    `${[...found].slice(0, NAMED).join(', ')} have the identifiers of the patient-resource; give the id of the one who comes`,
    { expression: 'patient-resource', reason: 'several-patients' },
  )
}

/** Most patients listed in a message. */
const NAMED = 10

/** An identifier without a system differs from one with a system. */
const tokenOf = ({ system = '', value = '' }: Identifier): string => tokenText(system, value)

/** The slots, or the id of an Appointment that $find has offered for them. */
export type NewTime = { readonly slots: readonly Reference[] } | { readonly proposal: string }

/**
 * The visit keeps its id and status. If the new slots belong to another schedule, its actors replace those of the old
 * one; if they are for other services, these replace the services of the visit.
 * @param id Appointment.id
 * @param comment Appointment.comment
 * @throws FhirError 404, 409, 410, 422
 */
export async function reschedule(
  ctx: Context,
  id: string,
  to: NewTime,
  comment?: string,
): Promise<Versioned<Appointment>> {
  const found = await ctx.read<Appointment>('Appointment', id)
  const before = found.resource
  if (isCancelledByExpiry(before)) throw holdExpired(id)
  if (before.status !== 'booked' && before.status !== 'pending') throw notMovable(before)
  // An expired hold is checked here, as nothing else would notice it if the visit keeps its time.
  if ((holdEndOf(before) ?? Number.POSITIVE_INFINITY) <= ctx.now) throw holdExpired(id)
  const slot = 'slots' in to ? [...to.slots] : await slotsOffered(ctx, to.proposal)
  const slots = await slotsInOrder(ctx, slot)
  const [old] = await slotsOf(ctx, before)
  const next: Appointment = {
    ...(await withServices(ctx, before, old, slots)),
    slot,
    ...timesOf(slots, before),
    participant: await participantsOf(ctx, before, old, slots),
    ...(comment === undefined ? {} : { comment }),
  }
  return isDeepStrictEqual(next, before) ? found : await ctx.update<Appointment>(next)
}

const notMovable = ({ id, status }: Appointment): FhirError =>
  unprocessable(`Appointment/${id} is ${status}; only one that is booked or pending moves to another time`, {
    expression: 'Appointment.status',
    reason: 'not-movable',
  })

async function slotsOffered(ctx: Context, id: string): Promise<Reference[]> {
  const proposal = await readProposal(ctx, id)
  if (proposal?.slot !== undefined) return proposal.slot
  throw new FhirError(404, {
    code: 'not-found',
    diagnostics: `$find does not offer Appointment/${id} (any more); call $find again, or name slots`,
    expression: 'appointment-reference',
    reason: 'appointment-not-found',
  })
}

type Slots = readonly [Slot, ...Slot[]]

/** @throws FhirError 422 if there is none, or one does not exist */
async function slotsInOrder(ctx: Context, slot: readonly Reference[]): Promise<Slots> {
  const slots: Slot[] = []
  for (const { id, index } of namedSlots(ctx, { status: 'booked', slot: [...slot] })) {
    const found = await ctx.find<Slot>('Slot', id)
    if (found === undefined) throw noSuchSlot(id, index)
    slots.push(found.resource)
  }
  const [first, ...others] = slots.sort((one, other) => timeOf(one.start) - timeOf(other.start))
  if (first === undefined) throw unprocessable('Name a slot to move to', { expression: 'slot' })
  return [first, ...others]
}

function timesOf(slots: Slots, { minutesDuration }: Appointment) {
  const { start } = slots[0]
  const { end } = slots.at(-1) ?? slots[0]
  const minutes = Math.floor((timeOf(end) - timeOf(start)) / 60_000)
  return { start, end, ...(minutesDuration === undefined || !(minutes >= 1) ? {} : { minutesDuration: minutes }) }
}

/** Slots of several schedules are refused when the visit is written. */
async function participantsOf(
  ctx: Context,
  before: Appointment,
  old: Slot | undefined,
  [next]: Slots,
): Promise<AppointmentParticipant[]> {
  if (old !== undefined && isSameSchedule(old, next, ctx.baseUrl)) return before.participant
  const [oldActors, newActors] = [old === undefined ? [] : await actorsOf(ctx, old), await actorsOf(ctx, next)]
  return withActors(before.participant, oldActors, await resolvedActors(ctx, newActors), ctx.baseUrl)
}

const actorsOf = async (ctx: Context, slot: Slot): Promise<readonly Reference[]> =>
  (await scheduleOf(ctx, slot))?.actor ?? []

/** Replaces the services that came from the old slot by those of the new one. */
async function withServices(
  ctx: Context,
  visit: Appointment,
  old: Slot | undefined,
  [next]: Slots,
): Promise<Appointment> {
  const there = servicesAt(await scheduleOf(ctx, next), next)
  const here = old && servicesAt(await scheduleOf(ctx, old), old)
  if (isDeepStrictEqual(there, here)) return visit
  const { serviceCategory, serviceType, specialty, ...rest } = visit
  const kept = inCommon(serviceType ?? [], there.serviceType ?? [])
  const categories = there.serviceCategory ?? unless(serviceCategory, here?.serviceCategory)
  const types = kept.length > 0 ? kept : (there.serviceType ?? unless(serviceType, here?.serviceType))
  const specialties = there.specialty ?? unless(specialty, here?.specialty)
  return {
    ...rest,
    ...(categories === undefined ? {} : { serviceCategory: categories }),
    ...(types === undefined ? {} : { serviceType: types }),
    ...(specialties === undefined ? {} : { specialty: specialties }),
  }
}

type Concepts = CodeableConcept[] | undefined

/** The visit's own concepts, unless they came from the old slot. */
const unless = (own: Concepts, old: Concepts): Concepts => (isDeepStrictEqual(own, old) ? undefined : own)
