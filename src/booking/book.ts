/** Books, changes or cancels a visit: IHE ITI-117, with Argonaut's names. */

import { isDeepStrictEqual } from 'node:util'
import type { Appointment, CodeableConcept, Identifier, Patient } from 'fhir/r4'
import type { Context } from '../core/context.ts'
import { newId } from '../fhir/new-id.ts'
import { conflict, type FhirError, unprocessable } from '../fhir/outcome.ts'
import { spend } from '../isolation/budget.ts'
import type { Versioned } from '../repository/repository.ts'
import { checkMayBecome } from '../scheduling/hold.ts'
import { withAnswers, withConfirmation, withPatients } from '../scheduling/participants.ts'
import { tokenText } from '../search/value.ts'
import { findAppointment } from './proposal.ts'

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
