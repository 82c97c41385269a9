/**
 * What becomes of the waitlist when slots are freed and taken, in the change that does so: a free slot is offered to the
 * entry whose turn it is, and an entry ends when its patient books what it asks for. docs/waitlist.md
 */
import type { Appointment, PractitionerRole, Slot, Task } from 'fhir/r4'
import { type ClinicSettings, readSettings } from '../clinics/settings.ts'
import type { Context } from '../core/context.ts'
import { timeOf } from '../fhir/dates.ts'
import { addressOf } from '../fhir/reference.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Versioned } from '../repository/repository.ts'
import { scheduleOf } from '../reservations/schedule-of-slot.ts'
import { isBookable } from '../scheduling/booking-policies.ts'
import { hasEnded, isSamePeriod } from '../scheduling/slot-times.ts'
import { actorsOf, byTurn, type PossibleVisit, type WaitlistEntry, wants } from '../scheduling/waitlist.ts'
import { clockOf } from '../scheduling/zone-clock.ts'
import { appointmentsAfter, holdersOf } from './holders.ts'
import { slotsOf } from './named-slots.ts'
import { freeRunFrom } from './slot-runs.ts'
import { closeOffer, offersTo, offerToFirst, openOffer, refusersOf, slotOf } from './waitlist-offers.ts'

/** Slots that were freed where the waitlist is too long, or they are too many, to be looked through in that change. */
export const FREED_SLOT = recordKind<FreedSlot>('freed-slot')

/** The key says it all. */
type FreedSlot = Readonly<Record<string, never>>

/** Entries that a change looks through; it is to stay short however long the list is. */
const MOST_IN_A_CHANGE = 100

/** To be called by what changes the status of a Slot, or deletes it. */
export const noteSlot = (ctx: Context, id: string): void =>
  ctx.unit.checkBeforeCommit(`the waitlist for Slot/${id}`, () => settleSlot(ctx, id))

/** To be called by what writes an Appointment; without `after` it is deleted. */
export async function noteAppointment(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment | undefined,
): Promise<void> {
  const id = before?.id
  if (before?.status === 'waitlist' && after?.status !== 'waitlist' && id !== undefined)
    ctx.unit.checkBeforeCommit(`the waitlist without Appointment/${id}`, () => passOn(ctx, id))
  const isBookedAnew = before?.status !== 'booked' || after === undefined || !isSamePeriod(before, after)
  if (after?.status === 'booked' && isBookedAnew && !hasEnded(after, ctx.now)) await endEntries(ctx, after)
}

/** Once the change is staged: the slot may be freed and taken by the same one. */
async function settleSlot(ctx: Context, id: string): Promise<void> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  const offer = await openOffer(ctx, id)
  if (slot?.status !== 'free') {
    if (offer === undefined) return
    const patient = offer.for?.reference ?? ''
    const holders = slot === undefined ? [] : await holdersOf(ctx, id)
    const isTaken = holders.some((holder) => actorsOf(holder, ctx.baseUrl).includes(patient))
    await closeOffer(ctx, offer, isTaken)
  } else if (offer === undefined) await offerSlot(ctx, slot)
}

/** As they are stored; by unit of work, as one change may free many slots. */
const stored = new WeakMap<Context['unit'], Promise<readonly Versioned<Appointment>[]>>()

function storedEntries(ctx: Context): Promise<readonly Versioned<Appointment>[]> {
  const known =
    stored.get(ctx.unit) ?? ctx.search<Appointment>('Appointment', `status=waitlist&_count=${MOST_IN_A_CHANGE + 1}`)
  stored.set(ctx.unit, known)
  return known
}

/** Slots for which a change looks through the entries; the rest is done in the background. */
const MOST_SLOTS = 20
const settled = new WeakMap<Context['unit'], number>()

async function offerSlot(ctx: Context, slot: Slot): Promise<void> {
  const found = await storedEntries(ctx)
  const count = settled.get(ctx.unit) ?? 0
  settled.set(ctx.unit, count + 1)
  if (found.length > MOST_IN_A_CHANGE || (found.length > 0 && count >= MOST_SLOTS)) {
    await leaveToBackground(ctx, slot.id ?? '')
    return
  }
  const waiting = await appointmentsAfter(ctx, Promise.resolve(found), isWaiting)
  if (waiting.length > 0) await offerToWaiting(ctx, slot, waiting)
}

async function leaveToBackground(ctx: Context, slot: string): Promise<void> {
  await ctx.unit.records.read(FREED_SLOT, slot)
  ctx.unit.records.put(FREED_SLOT, slot, {}, { due: ctx.now })
}

/** The next one is asked in another change, as the Task of the refusal is the one of the next offer. */
export async function noteRefusal(ctx: Context, offer: Task): Promise<void> {
  const slot = slotOf(offer, ctx.baseUrl)
  if (slot !== undefined) await leaveToBackground(ctx, slot)
}

const isWaiting = ({ status }: Appointment): boolean => status === 'waitlist'

/** Stages the offer of a free slot to the first of these entries that wants it, and has no other offer. */
export async function offerToWaiting(ctx: Context, slot: Slot, waiting: readonly Appointment[]): Promise<void> {
  const entries = (await wanting(ctx, slot, waiting)).map(asEntry)
  await offerToFirst(ctx, slot, entries.toSorted(byTurn))
}

/**
 * Those of the entries that want a free slot, alone or with the free ones that follow where it is too short; none where the
 * clinic's policies let nobody book it now.
 */
export async function wanting(
  ctx: Context,
  slot: Slot,
  entries: readonly Appointment[],
): Promise<readonly Appointment[]> {
  const settings = await readSettings(ctx.unit, ctx.clinic)
  if (entries.length === 0 || !isBookable(timeOf(slot.start), ctx.now, settings.policies)) return []
  const longest = Math.max(...entries.map(({ minutesDuration = 0 }) => minutesDuration))
  const run = await freeRunFrom(ctx, { ...slot, id: slot.id ?? '' }, longest)
  const visit = await visitOf(ctx, { ...slot, end: run.at(-1)?.end ?? slot.end }, [slot])
  if (visit === undefined) return []
  const reading = readingOf(ctx, settings)
  const refusers = await refusersOf(ctx, slot.id ?? '')
  return entries.filter((entry) => !refusers.has(`Appointment/${entry.id}`) && wants(entry, visit, reading))
}

export const asEntry = (resource: Appointment): WaitlistEntry => ({ id: resource.id ?? '', resource })

const readingOf = ({ baseUrl }: Context, { timeZone }: ClinicSettings) => ({ baseUrl, clock: clockOf(timeZone) })

/** A slot, or a booked appointment in its slots, as a visit; undefined without times. */
async function visitOf(
  ctx: Context,
  visit: Slot | Appointment,
  [first]: readonly Slot[],
  participants: readonly string[] = [],
): Promise<PossibleVisit | undefined> {
  const { start, end } = visit
  if (start === undefined || end === undefined) return undefined
  const actors = await withRoles(ctx, [...participants, ...(await actorsOfSchedule(ctx, first))])
  const types = { ...(first === undefined ? {} : typesOf(first)), ...typesOf(visit) }
  return { start: Date.parse(start), end: Date.parse(end), types, actors }
}

const typesOf = ({ appointmentType, serviceType, specialty }: Slot | Appointment): PossibleVisit['types'] => ({
  ...(appointmentType === undefined ? {} : { appointmentType }),
  ...(serviceType === undefined ? {} : { serviceType }),
  ...(specialty === undefined ? {} : { specialty }),
})

async function actorsOfSchedule(ctx: Context, slot: Slot | undefined): Promise<readonly string[]> {
  const schedule = slot && (await scheduleOf(ctx, slot))
  return schedule?.actor.map(({ reference = '' }) => addressOf(reference, ctx.baseUrl)) ?? []
}

/** PractitionerRoles together with the practitioner and the places that they stand for. */
async function withRoles(ctx: Context, actors: readonly string[]): Promise<ReadonlySet<string>> {
  const roles = actors.filter((actor) => actor.startsWith('PractitionerRole/'))
  const found = await Promise.all(
    roles.map((role) => ctx.find<PractitionerRole>('PractitionerRole', role.slice(role.indexOf('/') + 1))),
  )
  const behind = found.flatMap((role) => {
    const { practitioner, location = [] } = role?.resource ?? {}
    return [practitioner, ...location].flatMap((one) => (one?.reference ? [addressOf(one.reference, ctx.baseUrl)] : []))
  })
  return new Set([...actors, ...behind])
}

/** What an entry was offered that is none any more goes to the next one. */
async function passOn(ctx: Context, entry: string): Promise<void> {
  for (const offer of await offersTo(ctx, [entry])) {
    const slot = slotOf(offer, ctx.baseUrl)
    if (slot === undefined) continue
    const found = (await ctx.find<Slot>('Slot', slot))?.resource
    // A slot that is taken closes its offer itself.
    if (found?.status !== 'free') continue
    await closeOffer(ctx, offer, false)
    await settleSlot(ctx, slot)
  }
}

/** Patients whose entries are looked up together. */
const AT_ONCE = 50

/** The entries of the patients that asked for such a visit have what they waited for. */
async function endEntries(ctx: Context, booked: Appointment): Promise<void> {
  const named = new Set(actorsOf(booked, ctx.baseUrl).filter((actor) => actor.startsWith('Patient/')))
  const patients = [...named]
  for (let at = 0; at < patients.length; at += AT_ONCE) {
    const some = patients.slice(at, at + AT_ONCE)
    const isTheirs = (entry: Appointment) =>
      isWaiting(entry) && actorsOf(entry, ctx.baseUrl).some((actor) => some.includes(actor))
    const entries = await appointmentsAfter(ctx, storedEntriesOf(ctx, some), isTheirs)
    if (entries.length === 0) continue
    const settings = await readSettings(ctx.unit, ctx.clinic)
    const visit = await visitOf(ctx, booked, await slotsOf(ctx, booked), actorsOf(booked, ctx.baseUrl))
    for (const entry of entries)
      if (visit !== undefined && wants(entry, visit, readingOf(ctx, settings))) await endEntry(ctx, entry)
  }
}

/** Nothing that is stored names who comes into being with this change. @param patients as `Patient/<id>` */
async function storedEntriesOf(ctx: Context, patients: readonly string[]) {
  const created = new Set(ctx.unit.staged('Patient').flatMap((one) => (one.version === 1 ? [`Patient/${one.id}`] : [])))
  const known = patients.filter((patient) => !created.has(patient))
  return known.length === 0
    ? []
    : await ctx.search<Appointment>('Appointment', `patient=${known.join()}&status=waitlist`)
}

/** R4 has no status for it: https://hl7.org/fhir/R4/valueset-appointmentstatus.html. */
const endEntry = (ctx: Context, entry: Appointment) =>
  ctx.update<Appointment>({
    ...entry,
    status: 'cancelled',
    cancelationReason: { text: 'The patient has booked a visit' },
  })
