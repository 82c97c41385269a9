/**
 * Updates the waitlist when slots are freed or taken, in the same change: a free slot is offered to the entry whose turn it
 * is, and an entry ends when its patient books what it asks for. Slots are offered in the background if the change that
 * frees them would take too long. docs/waitlist.md
 */
import type { Appointment, PractitionerRole, Slot, Task } from 'fhir/r4'
import { type ClinicSettings, readSettings } from '../clinics/settings.ts'
import type { ClinicAccess, Context } from '../core/context.ts'
import { searchRequest } from '../core/search-request.ts'
import { timeOf } from '../fhir/dates.ts'
import { addressOf } from '../fhir/reference.ts'
import type { BackgroundLoop, LeasedJob } from '../isolation/background-loop.ts'
import { type DueServicesOf, dueRecordLoop } from '../repository/due-records.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Versioned } from '../repository/repository.ts'
import { afterChange } from '../reservations/all-found.ts'
import { scheduleOf } from '../reservations/reservation.ts'
import { isBookable } from '../scheduling/booking-policies.ts'
import { hasEnded, isSamePeriod } from '../scheduling/slot-times.ts'
import { actorsOf, byTurn, type PossibleVisit, type WaitlistEntry, wants } from '../scheduling/waitlist.ts'
import { clockOf } from '../scheduling/zone-clock.ts'
import { freeRunFrom, holdersOf, isOnlyHeld, slotsOf } from './named-slots.ts'
import { closeOffer, offersTo, offerToFirst, openOffer, refusersOf, slotOf } from './waitlist-offers.ts'

/**
 * Freed slots that are left to the background, because the waitlist is too long or they are too many for that change.
 */
export const FREED_SLOT = recordKind<FreedSlot>('freed-slot')

/** Empty, as the key is the Slot.id. */
type FreedSlot = Readonly<Record<string, never>>

/** Most entries examined in a change, which must stay short however long the waitlist is. */
const MOST_IN_A_CHANGE = 100

/**
 * Must be called by any change to the status of a Slot, and by its deletion; not by the end of a hold, which frees what
 * was never taken.
 */
export const noteSlot = (ctx: Context, id: string): void =>
  ctx.unit.checkBeforeCommit(`the waitlist for Slot/${id}`, () => settleSlot(ctx, id))

/** Must be called by any write of an Appointment; without `after` it is deleted. */
export async function noteAppointment(
  ctx: Context,
  before: Appointment | undefined,
  after: Appointment | undefined,
): Promise<void> {
  const id = before?.id
  if (before?.status === 'waitlist' && after?.status !== 'waitlist' && id !== undefined)
    ctx.unit.checkBeforeCommit(`the waitlist without Appointment/${id}`, () => offerToNext(ctx, id))
  const isBookedAnew = before?.status !== 'booked' || after === undefined || !isSamePeriod(before, after)
  if (after?.status === 'booked' && isBookedAnew && !hasEnded(after, ctx.now)) await endEntries(ctx, after)
}

/** Runs once the change is staged, as the same change may free and take the slot. */
async function settleSlot(ctx: Context, id: string): Promise<void> {
  const slot = (await ctx.find<Slot>('Slot', id))?.resource
  const offer = await openOffer(ctx, id)
  if (slot?.status !== 'free') {
    // The offer stands while the slot is held, as for its own patient, and after that.
    if (offer === undefined || (slot !== undefined && (await isOnlyHeld(ctx, slot)))) return
    const patient = offer.for?.reference ?? ''
    const holders = slot === undefined ? [] : await holdersOf(ctx, id)
    const isTaken = holders.some((holder) => actorsOf(holder, ctx.baseUrl).includes(patient))
    await closeOffer(ctx, offer, isTaken)
  } else if (offer === undefined) await offerSlot(ctx, slot)
}

/** Stored entries, cached by unit of work, as one change may free many slots. */
const stored = new WeakMap<Context['unit'], Promise<readonly Versioned<Appointment>[]>>()

function storedEntries(ctx: Context): Promise<readonly Versioned<Appointment>[]> {
  const known =
    stored.get(ctx.unit) ?? ctx.search<Appointment>('Appointment', `status=waitlist&_count=${MOST_IN_A_CHANGE + 1}`)
  stored.set(ctx.unit, known)
  return known
}

/** Most Slots for which a change examines the entries; the rest is left to the background. */
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
  const waiting = await afterChange(ctx, 'Appointment', Promise.resolve(found), isWaiting)
  if (waiting.length > 0) await offerToWaiting(ctx, slot, waiting)
}

async function leaveToBackground(ctx: Context, slot: string): Promise<void> {
  await ctx.unit.records.read(FREED_SLOT, slot)
  ctx.unit.records.put(FREED_SLOT, slot, {}, { due: ctx.now })
}

/** The next entry gets its offer in another change, as that updates the same Task as the refusal. */
export async function noteRefusal(ctx: Context, offer: Task): Promise<void> {
  const slot = slotOf(offer, ctx.baseUrl)
  if (slot !== undefined) await leaveToBackground(ctx, slot)
}

const isWaiting = ({ status }: Appointment): boolean => status === 'waitlist'

/** Stages the offer of a free slot to the first of these entries that wants it and has no other offer. */
async function offerToWaiting(ctx: Context, slot: Slot, waiting: readonly Appointment[]): Promise<void> {
  const entries = (await wanting(ctx, slot, waiting)).map(asEntry)
  await offerToFirst(ctx, slot, entries.toSorted(byTurn))
}

/**
 * The entries that want a free slot, alone or joined with the free ones after it if it is too short; none if the
 * clinic's policies permit no booking of it now.
 */
async function wanting(ctx: Context, slot: Slot, entries: readonly Appointment[]): Promise<readonly Appointment[]> {
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

const asEntry = (resource: Appointment): WaitlistEntry => ({ id: resource.id ?? '', resource })

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

/** PractitionerRoles, with their practitioners and places. */
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

/** Offers the slots offered to an ended entry to the next one. */
async function offerToNext(ctx: Context, entry: string): Promise<void> {
  for (const offer of await offersTo(ctx, [entry])) {
    const slot = slotOf(offer, ctx.baseUrl)
    if (slot === undefined) continue
    const found = (await ctx.find<Slot>('Slot', slot))?.resource
    const isFree = found?.status === 'free'
    // A slot that is taken closes its offer itself.
    if (found === undefined || !(isFree || (await isOnlyHeld(ctx, found)))) continue
    await closeOffer(ctx, offer, false)
    await (isFree ? settleSlot(ctx, slot) : leaveToBackground(ctx, slot))
  }
}

/** Patients whose entries are looked up together. */
const AT_ONCE = 50

/** Ends the entries of its patients that ask for such a visit. */
async function endEntries(ctx: Context, booked: Appointment): Promise<void> {
  const named = new Set(actorsOf(booked, ctx.baseUrl).filter((actor) => actor.startsWith('Patient/')))
  const patients = [...named]
  for (let at = 0; at < patients.length; at += AT_ONCE) {
    const some = patients.slice(at, at + AT_ONCE)
    const isTheirs = (entry: Appointment) =>
      isWaiting(entry) && actorsOf(entry, ctx.baseUrl).some((actor) => some.includes(actor))
    const entries = await afterChange(ctx, 'Appointment', storedEntriesOf(ctx, some), isTheirs)
    if (entries.length === 0) continue
    const settings = await readSettings(ctx.unit, ctx.clinic)
    const visit = await visitOf(ctx, booked, await slotsOf(ctx, booked), actorsOf(booked, ctx.baseUrl))
    for (const entry of entries)
      if (visit !== undefined && wants(entry, visit, readingOf(ctx, settings))) await endEntry(ctx, entry)
  }
}

/** Omits patients created by this change, as no stored entry can refer to them. @param patients as `Patient/<id>` */
async function storedEntriesOf(ctx: Context, patients: readonly string[]) {
  const created = new Set(ctx.unit.staged('Patient').flatMap((one) => (one.version === 1 ? [`Patient/${one.id}`] : [])))
  const known = patients.filter((patient) => !created.has(patient))
  return known.length === 0
    ? []
    : await ctx.search<Appointment>('Appointment', `patient=${known.join()}&status=waitlist`)
}

/** R4 has no status for a fulfilled entry: https://hl7.org/fhir/R4/valueset-appointmentstatus.html. */
const endEntry = (ctx: Context, entry: Appointment) =>
  ctx.update<Appointment>({
    ...entry,
    status: 'cancelled',
    cancelationReason: { text: 'The patient has booked a visit' },
  })

/** Entries read per page. */
const PAGE = 25
/** Milliseconds after which a slot that is held is looked at again. */
const UNTIL_A_HOLD_ENDS = 60_000
/** Number of next entries kept, as some may have another offer by the time of the change. */
const KEPT = 20

export const waitlistOffering = (services: DueServicesOf<ClinicAccess>): BackgroundLoop =>
  dueRecordLoop(services, {
    kind: FREED_SLOT,
    begin: ({ clinic, key }) => new FreedSlotJob(services.accessOf(clinic), key),
    failure: 'a slot that was freed could not be offered to the waitlist',
  })

/** The work on one slot: each batch reads a page of the waitlist, and the last one makes the offer. */
class FreedSlotJob implements LeasedJob {
  readonly #access: ClinicAccess
  readonly #slot: string
  #next: readonly Appointment[] = []
  #after: string | undefined

  constructor(access: ClinicAccess, slot: string) {
    this.#access = access
    this.#slot = slot
  }

  async batch(): Promise<boolean> {
    const isMore = await this.#readPage()
    if (!isMore) await this.#offer()
    return isMore
  }

  /** Nothing to release: without an offer the work is repeated after the lease. */
  async end(): Promise<void> {}

  /** Keeps the entries of a page that are next in turn. @returns whether there is another page */
  async #readPage(): Promise<boolean> {
    const ctx = await this.#access.reader()
    const slot = (await ctx.find<Slot>('Slot', this.#slot))?.resource
    if (slot?.status !== 'free') return false
    const limits = { defaultCount: PAGE, maxCount: PAGE, includes: 0 }
    const { plan } = await searchRequest(ctx, ['Appointment'], new URLSearchParams('status=waitlist'), { limits })
    const { matches, next } = await ctx.unit.search(this.#after === undefined ? plan : { ...plan, after: this.#after })
    const entries = matches.map(({ resource }) => resource as Appointment)
    const wantingIt = await wanting(ctx, slot, entries)
    const offers =
      wantingIt.length === 0
        ? []
        : await offersTo(
            ctx,
            wantingIt.map(({ id = '' }) => id),
          )
    const offered = new Set(offers.map(({ focus }) => focus?.reference))
    const waiting = wantingIt.filter(({ id }) => !offered.has(`Appointment/${id}`))
    this.#next = [...this.#next, ...waiting]
      .map(asEntry)
      .toSorted(byTurn)
      .slice(0, KEPT)
      .map(({ resource }) => resource)
    this.#after = next
    return next !== undefined
  }

  async #offer(): Promise<void> {
    await this.#access.change(async (ctx) => {
      await ctx.unit.records.read(FREED_SLOT, this.#slot)
      const slot = (await ctx.find<Slot>('Slot', this.#slot))?.resource
      if (slot !== undefined && (await isOnlyHeld(ctx, slot))) {
        ctx.unit.records.put(FREED_SLOT, this.#slot, {}, { due: ctx.now + UNTIL_A_HOLD_ENDS })
        return
      }
      ctx.unit.records.delete(FREED_SLOT, this.#slot)
      const found = await Promise.all(this.#next.map(({ id = '' }) => ctx.find<Appointment>('Appointment', id)))
      const waiting = found.flatMap((entry) => (entry?.resource.status === 'waitlist' ? [entry.resource] : []))
      if (slot?.status === 'free') await offerToWaiting(ctx, slot, waiting)
    })
  }
}
