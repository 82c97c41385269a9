/**
 * A model of a clinic's calendar and of writes to it: docs/appointment.md as sets of facts. The server's responses and
 * its store are compared with the model, so it shares nothing with src/.
 */

/** Begins and ends so many half hours from the beginning of the calendar. */
export interface Slot {
  readonly schedule: string
  readonly from: number
  readonly to: number
  /** As in FHIR, or `reserved`: it would be free, were its actors. */
  readonly status: string
}

export interface Appointment {
  readonly status: string
  readonly patient: string
  /** The other participants. */
  readonly actors: readonly string[]
  readonly from: number
  readonly to: number
  /** Names of slots, which may not exist (any more). */
  readonly slots: readonly string[]
  /** When the hold ends, in minutes. */
  readonly heldUntil?: number
  /** The hold has ended so. */
  readonly isExpired?: true
}

export interface Rules {
  readonly overbooking: boolean
  /** Appointments of one patient that are held or booked and yet to come. */
  readonly mostOpen: number
}

/** Slots and appointments by name. */
export interface Calendar {
  readonly rules: Rules
  /** In minutes. */
  readonly now: number
  readonly slots: ReadonlyMap<string, Slot>
  readonly appointments: ReadonlyMap<string, Appointment>
}

/** One write; without a resource the deletion. */
export type Write =
  | { readonly type: 'Slot'; readonly name: string; readonly after?: Slot }
  | {
      readonly type: 'Appointment'
      readonly name: string
      readonly after?: Appointment
      readonly isNew?: true
      /** It changes one that is cancelled, which may have a reason. */
      readonly isOfCancelled?: true
    }

/** Possible refusals of a write, with the status and, where there is one, the reason: `409 slot-unavailable`. */
export type Refusals = readonly string[]

export interface Outcome {
  /** Where there are any, the write gets one of them and nothing is changed. */
  readonly refusals: Refusals
  readonly calendar: Calendar
}

/** The actors of each schedule; two share the doctor, and two the room. */
export const SCHEDULES: Readonly<Record<string, readonly string[]>> = {
  calendar: ['doctor'],
  other: ['doctor', 'room'],
  third: ['nurse', 'room'],
}

/** The other actors are people. */
const PLACES = ['room']

const HALF_HOUR = 30
/** Minutes. */
const HOLD = 5

const PLANNED = ['proposed', 'pending', 'booked']
const OPEN = ['pending', 'booked']
const RECORDED = ['arrived', 'checked-in', 'fulfilled', 'cancelled', 'noshow', 'entered-in-error']
const OVER = ['fulfilled', 'cancelled', 'noshow', 'entered-in-error']
const HELD_AS: Readonly<Record<string, string>> = {
  pending: 'busy-tentative',
  ...{ booked: 'busy', arrived: 'busy', 'checked-in': 'busy', fulfilled: 'busy', noshow: 'busy' },
}
/** Statuses that bookings set; a slot with another one was blocked, and bookings leave it as it is. */
const OF_BOOKINGS = ['free', 'busy', 'busy-tentative']
const ON_OFFER = ['free', 'reserved']
const FOR_SALE = [...ON_OFFER, 'entered-in-error']

const MOVES: readonly string[] = [
  ...['proposed pending', 'proposed booked', 'proposed cancelled', 'proposed waitlist'],
  ...['pending booked', 'pending cancelled', 'waitlist proposed', 'waitlist booked', 'waitlist cancelled'],
  ...['booked arrived', 'booked checked-in', 'booked cancelled', 'booked noshow'],
  ...['arrived checked-in', 'arrived fulfilled', 'arrived cancelled', 'arrived noshow'],
  ...['checked-in fulfilled', 'checked-in cancelled'],
]

/** All writes or none, in the order of a transaction. */
export function written(calendar: Calendar, writes: readonly Write[]): Outcome {
  let after = calendar
  for (const write of writes) {
    const refusals = write.type === 'Slot' ? [] : refusalsOf(after, write.name, write.after)
    if (refusals.length > 0) return { refusals, calendar }
    after = write.type === 'Slot' ? withSlot(after, write.name, write.after) : withAppointment(after, write)
  }
  const isHeld = writes.some((write) => write.type === 'Slot' && isTakenAway(calendar, after, write))
  const refusals = [
    ...when(isHeld, '409 slot-held'),
    ...when(!calendar.rules.overbooking && isSomebodyTwice(calendar, after), '409 slot-unavailable'),
  ]
  return refusals.length > 0 ? { refusals, calendar } : { refusals, calendar: withOffers(after) }
}

/** The calendar after some minutes: holds that have ended are cancelled. */
export function later(calendar: Calendar, minutes: number): Calendar {
  const now = calendar.now + minutes
  let after: Calendar = { ...calendar, now }
  const ended = [...calendar.appointments].filter(([, { heldUntil = Number.POSITIVE_INFINITY }]) => heldUntil <= now)
  for (const [name, { heldUntil: _heldUntil, ...rest }] of ended) {
    after = withAppointment(after, {
      type: 'Appointment',
      name,
      after: { ...rest, status: 'cancelled', isExpired: true },
    })
  }
  return ended.length === 0 ? after : withOffers(after)
}

/** The actors that are somewhere at a half hour, each as often as it is, and by which appointment. */
export function presencesIn({ appointments, slots }: Calendar): readonly (readonly [presence: string, by: string])[] {
  return [...appointments].flatMap(([name, one]) => {
    if (HELD_AS[one.status] === undefined || one.status === 'noshow') return []
    const ofSlots = one.slots.flatMap((slot) => SCHEDULES[slots.get(slot)?.schedule ?? ''] ?? [])
    const everybody = [...new Set([...one.actors, ...ofSlots])]
    return everybody.flatMap((actor) => halvesOf(one).map((half) => [`${actor} ${half}`, name] as const))
  })
}

/** In quarters, so that a visit that takes no time is somewhere too. */
const halvesOf = ({ from, to }: { readonly from: number; readonly to: number }): readonly number[] =>
  Array.from({ length: Math.max(1, 4 * (to - from)) }, (_, index) => from + index / 4)

/** Whether an added actor is already in another appointment at that time. */
function isSomebodyTwice(before: Calendar, after: Calendar): boolean {
  const known = new Set(presencesIn(before).map((presence) => presence.join()))
  const all = presencesIn(after)
  return all.some(
    ([presence, by]) =>
      !known.has([presence, by].join()) && all.some((other) => other[0] === presence && other[1] !== by),
  )
}

/** The calendar with each offered slot free where all its actors are. */
function withOffers(calendar: Calendar): Calendar {
  const taken = new Set(presencesIn(calendar).map(([presence]) => presence))
  const slots = Array.from(calendar.slots, ([name, slot]): readonly [string, Slot] => {
    if (!ON_OFFER.includes(slot.status)) return [name, slot]
    const isTaken = SCHEDULES[slot.schedule]?.some((actor) =>
      halvesOf(slot).some((half) => taken.has(`${actor} ${half}`)),
    )
    return [name, { ...slot, status: isTaken === true ? 'reserved' : 'free' }]
  })
  return { ...calendar, slots: new Map(slots) }
}

/** The appointment as it is when it is held from now on. */
export const held = ({ now }: Calendar, appointment: Appointment): Appointment => ({
  ...appointment,
  status: 'pending',
  heldUntil: now + HOLD,
})

/** The slots that can be booked. */
export const freeSlots = ({ slots, now }: Calendar): readonly string[] =>
  [...slots].filter(([, { status, from }]) => status === 'free' && from * HALF_HOUR > now).map(([name]) => name)

const heldSlots = (appointment: Appointment | undefined): readonly string[] =>
  appointment !== undefined && HELD_AS[appointment.status] !== undefined ? appointment.slots : []

/** The appointments that hold a slot. */
const holdersOf = ({ appointments }: Calendar, slot: string): readonly string[] =>
  [...appointments].filter(([, appointment]) => heldSlots(appointment).includes(slot)).map(([name]) => name)

/** Why an appointment cannot be written so. */
function refusalsOf(calendar: Calendar, name: string, after: Appointment | undefined): Refusals {
  const before = calendar.appointments.get(name)
  if (after === undefined) return []
  return [
    ...when(!mayBecome(before, after), '422 illegal-status-move'),
    ...when(before?.isExpired === true && !mayBecome(before, after), '409 hold-expired'),
    ...when(isNewTime(before, after) && after.to < after.from, '422 end-before-start'),
    ...when(isPlannedInThePast(calendar, before, after), '422 past-time'),
    ...when(hasTooMany(calendar, name, after), '422 too-many-open-appointments'),
    ...slotRefusals(calendar, name, after),
  ]
}

const when = (isSo: boolean, refusal: string): Refusals => (isSo ? [refusal] : [])

const mayBecome = (before: Appointment | undefined, { status }: Appointment): boolean =>
  before === undefined ||
  before.status === status ||
  MOVES.includes(`${before.status} ${status}`) ||
  (status === 'entered-in-error' && before.status !== 'entered-in-error')

const isNewTime = (before: Appointment | undefined, after: Appointment): boolean =>
  before?.from !== after.from || before.to !== after.to

const isPlannedInThePast = ({ now }: Calendar, before: Appointment | undefined, after: Appointment): boolean =>
  PLANNED.includes(after.status) &&
  after.from * HALF_HOUR <= now &&
  (isNewTime(before, after) || before?.status !== after.status)

const isOpen = ({ now }: Calendar, { status, from }: Appointment): boolean =>
  OPEN.includes(status) && from * HALF_HOUR >= now

function hasTooMany(calendar: Calendar, name: string, after: Appointment): boolean {
  const { appointments, rules } = calendar
  const before = appointments.get(name)
  if (!isOpen(calendar, after) || (before !== undefined && isOpen(calendar, before))) return false
  const others = [...appointments].filter(([other, one]) => other !== name && isOpen(calendar, one))
  return others.filter(([, { patient }]) => patient === after.patient).length >= rules.mostOpen
}

/** Why it cannot have these slots. */
function slotRefusals(calendar: Calendar, name: string, after: Appointment): Refusals {
  const { slots, rules } = calendar
  const before = calendar.appointments.get(name)
  const isRecorded = RECORDED.includes(after.status)
  const isHolding = HELD_AS[after.status] !== undefined
  const kept = heldSlots(before)
  const found = after.slots.flatMap((id) => slots.get(id) ?? [])
  const taken = after.slots.filter((id) => isHolding && !kept.includes(id)).flatMap((id) => slots.get(id) ?? [])
  const named = isHolding ? kept : (before?.slots ?? [])
  const isUnknown = (id: string) => !slots.has(id) && !named.includes(id)
  const isSold = ({ status }: Slot) => !ON_OFFER.includes(status) && !(rules.overbooking && status === 'busy')
  const isElsewhere =
    isNewTime(before, after) || before?.slots.join() !== after.slots.join() || heldSlots(after).join() !== kept.join()
  const isChecked = isElsewhere && (isHolding || !isRecorded)
  return [
    ...when(!isRecorded && after.slots.some(isUnknown), '422 slot-not-found'),
    ...when(taken.some(isSold), '409 slot-unavailable'),
    ...when(isChecked && new Set(found.map(({ schedule }) => schedule)).size > 1, '422 slots-of-two-schedules'),
    ...when(isChecked && !isSpanOf(after, found), '422'),
  ]
}

/** Whether the slots follow one another from the beginning to the end. */
function isSpanOf({ from, to }: Appointment, slots: readonly Slot[]): boolean {
  const inOrder = [...slots].sort((one, other) => one.from - other.from)
  const [first] = inOrder
  return (
    first === undefined ||
    (first.from === from &&
      inOrder.at(-1)?.to === to &&
      inOrder.every((slot, index) => index === 0 || inOrder[index - 1]?.to === slot.from))
  )
}

/** Whether a write to a slot takes it from the appointments that hold it. */
function isTakenAway(before: Calendar, after: Calendar, { name, after: slot }: Write & { readonly type: 'Slot' }) {
  const old = before.slots.get(name)
  const holders = holdersOf(after, name)
  if (old === undefined) return FOR_SALE.includes(after.slots.get(name)?.status ?? '') && holders.length > 0
  const isAhead = (id: string) => !OVER.includes(after.appointments.get(id)?.status ?? '')
  if (slot === undefined) return old.status !== 'free' && holders.some(isAhead)
  const staying = new Set(holdersOf(before, name)).intersection(new Set(holders))
  if (old.status !== slot.status && FOR_SALE.includes(slot.status) && staying.size > 0) return true
  const hasMoved = old.from !== slot.from || old.to !== slot.to || old.schedule !== slot.schedule
  return hasMoved && !holders.every((id) => movesAlong(before, after, id))
}

/** Whether an appointment was written with its slots, and fits them. */
function movesAlong(before: Calendar, after: Calendar, id: string): boolean {
  const appointment = after.appointments.get(id)
  if (appointment === undefined || appointment === before.appointments.get(id)) return false
  return isSpanOf(
    appointment,
    appointment.slots.flatMap((one) => after.slots.get(one) ?? []),
  )
}

function withSlot(calendar: Calendar, name: string, slot: Slot | undefined): Calendar {
  const slots = new Map(calendar.slots)
  if (slot === undefined) slots.delete(name)
  else slots.set(name, slot)
  return { ...calendar, slots }
}

/** With its slots taken, kept and freed; a hold lasts while the appointment is pending. */
function withAppointment(
  calendar: Calendar,
  { name, after: given }: Write & { readonly type: 'Appointment' },
): Calendar {
  const appointments = new Map(calendar.appointments)
  const before = appointments.get(name)
  const after = given && withHold(before, given)
  if (after === undefined) appointments.delete(name)
  else appointments.set(name, after)
  let next: Calendar = { ...calendar, appointments }
  for (const id of heldSlots(before)) if (!heldSlots(after).includes(id)) next = freed(next, id)
  for (const id of heldSlots(after)) next = taken(next, id, HELD_AS[after?.status ?? ''] ?? '', heldSlots(before))
  const isBookedAnew = after?.status === 'booked' && (before?.status !== 'booked' || isNewTime(before, after))
  return isBookedAnew ? withoutWaiting(next, after) : next
}

/** Without the waitlist entries that the appointment fulfils: docs/waitlist.md. */
function withoutWaiting(calendar: Calendar, { patient, actors, slots: [first = ''] }: Appointment): Calendar {
  const present = [...actors, ...(SCHEDULES[calendar.slots.get(first)?.schedule ?? ''] ?? [])]
  const isWanted = (asked: readonly string[]) => asked.length === 0 || asked.some((actor) => present.includes(actor))
  const appointments = Array.from(calendar.appointments, ([name, one]) => {
    const isOver =
      one.status === 'waitlist' &&
      one.patient === patient &&
      isWanted(one.actors.filter((actor) => !PLACES.includes(actor))) &&
      isWanted(one.actors.filter((actor) => PLACES.includes(actor)))
    return [name, isOver ? { ...one, status: 'cancelled' } : one] as const
  })
  return { ...calendar, appointments: new Map(appointments) }
}

function withHold(before: Appointment | undefined, { heldUntil, isExpired, ...after }: Appointment): Appointment {
  const until = heldUntil ?? before?.heldUntil
  const isOver = isExpired ?? (before?.isExpired && after.status === 'cancelled')
  return {
    ...after,
    ...(until === undefined || after.status !== 'pending' ? {} : { heldUntil: until }),
    ...(isOver ? { isExpired: true } : {}),
  }
}

function freed(calendar: Calendar, id: string): Calendar {
  const slot = calendar.slots.get(id)
  if (slot === undefined || !OF_BOOKINGS.includes(slot.status)) return calendar
  const holders = holdersOf(calendar, id)
  const status = holders.length === 0 ? 'free' : isBooked(calendar, id) ? 'busy' : slot.status
  return withSlot(calendar, id, { ...slot, status })
}

/** Whether the appointment is booked rather than only held. */
const isBooked = (calendar: Calendar, id: string): boolean =>
  holdersOf(calendar, id).some((name) => calendar.appointments.get(name)?.status !== 'pending')

function taken(calendar: Calendar, id: string, status: string, kept: readonly string[]): Calendar {
  const slot = calendar.slots.get(id)
  const isKept = kept.includes(id)
  if (slot === undefined || !(isKept ? OF_BOOKINGS : ON_OFFER).includes(slot.status)) return calendar
  return withSlot(calendar, id, { ...slot, status: isKept && isBooked(calendar, id) ? 'busy' : status })
}
