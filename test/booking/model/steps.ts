/** Random steps on a calendar, as data: intents that become writes once the state of the calendar is known. */
import fc from 'fast-check'
import type { Appointment, Calendar, Slot, Write } from './calendar.ts'

export const SLOTS = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's8']
/** No slot of the calendar has it. */
const NO_SLOT = 'none'
const PATIENTS = ['p0', 'p1']
const ACTORS = ['doctor', 'nurse', 'room']

/** In half hours, by schedule: three that follow one another, and three that come later; others overlap them. */
const SPANS: readonly (readonly [schedule: string, from: number, to: number])[] = [
  ['calendar', 0, 1],
  ['calendar', 1, 2],
  ['calendar', 2, 3],
  ['other', 2, 3],
  ['calendar', 7, 8],
  ['calendar', 8, 9],
  ['calendar', 9, 10],
  ['other', 0, 2],
  ['third', 2, 3],
]

export function slotAtFirst(index: number): Slot {
  const [schedule, from, to] = SPANS[index] ?? ['calendar', 0, 1]
  return { schedule, from, to, status: 'free' }
}

interface Booking {
  readonly status: Appointment['status']
  readonly actors: readonly string[]
  readonly slots: readonly string[]
  /** The time begins and ends so many half hours from that of the slots. */
  readonly shift: readonly [number, number]
}

/** An intent to write. `which` is an index into the existing appointments. */
export type Intent =
  | ({ readonly kind: 'book'; readonly patient: string } & Booking)
  /** `stays`: at the time that it has, whatever its slots. */
  | ({ readonly kind: 'change'; readonly which: number; readonly stays?: boolean } & Partial<Booking>)
  | { readonly kind: 'remove'; readonly which: number }
  | { readonly kind: 'slot'; readonly slot: string; readonly after: Partial<Slot> }
  | { readonly kind: 'remove slot'; readonly slot: string }

/** An intent to call an operation. `offer` is an index into the slots that $find has found last. */
export type CallIntent =
  | { readonly kind: 'call'; readonly operation: '$hold' | '$book'; readonly offer: number; readonly cancels?: number }
  | {
      readonly kind: 'call'
      readonly operation: '$hold' | '$book' | '$cancel' | '$confirm'
      readonly which: number
      readonly cancels?: number
    }
  | {
      readonly kind: 'call'
      readonly operation: '$reschedule'
      readonly which: number
      readonly slots: readonly string[]
    }

export type Step =
  | { readonly kind: 'write'; readonly way: 'POST' | 'PUT' | 'PATCH'; readonly intent: Intent }
  | { readonly kind: 'transaction'; readonly way: 'POST' | 'PUT'; readonly intents: readonly Intent[] }
  | CallIntent
  | { readonly kind: 'find' }
  /** Two requests at the same time. */
  | { readonly kind: 'race'; readonly intents: readonly [Intent | CallIntent, Intent | CallIntent] }
  | { readonly kind: 'wait'; readonly minutes: number }

/** Actors named besides those of the schedule. */
const actors: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  { weight: 2, arbitrary: fc.subarray(ACTORS, { minLength: 1, maxLength: 2 }) },
)

const slotNames: fc.Arbitrary<readonly string[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SLOTS).map((slot) => [slot]) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 0, max: 5 }).map((at) => SLOTS.slice(at, at + 2)),
  },
  { weight: 1, arbitrary: fc.subarray([...SLOTS, NO_SLOT], { maxLength: 3 }) },
)

const shift = fc.oneof(
  { weight: 9, arbitrary: fc.constant<readonly [number, number]>([0, 0]) },
  { weight: 1, arbitrary: fc.tuple(fc.integer({ min: -1, max: 1 }), fc.integer({ min: -2, max: 1 })) },
)

const STATUSES = [
  ...['proposed', 'pending', 'booked', 'arrived', 'checked-in', 'fulfilled', 'cancelled', 'noshow', 'waitlist'],
  'entered-in-error',
]
const firstStatus = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('booked', 'pending', 'proposed') },
  { weight: 1, arbitrary: fc.constantFrom(...STATUSES) },
)
const nextStatus = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('booked', 'cancelled') },
  { weight: 2, arbitrary: fc.constantFrom(...STATUSES) },
)

const slotStatus = fc.constantFrom(
  ...['free', 'free', 'busy', 'busy-tentative', 'busy-unavailable', 'reserved', 'entered-in-error'],
)
const which = fc.nat(7)

const intents: fc.Arbitrary<Intent> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('book' as const),
      patient: fc.constantFrom(...PATIENTS),
      status: firstStatus,
      actors,
      slots: slotNames,
      shift,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record(
      {
        kind: fc.constant('change' as const),
        which,
        status: nextStatus,
        actors,
        slots: slotNames,
        shift,
        stays: fc.boolean(),
      },
      { requiredKeys: ['kind', 'which'] },
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('slot' as const),
      slot: fc.constantFrom(...SLOTS),
      after: fc.oneof(
        { weight: 3, arbitrary: fc.record({ status: slotStatus }) },
        {
          weight: 1,
          arbitrary: fc.record({ status: slotStatus, from: fc.nat(11) }).map((one) => ({ ...one, to: one.from + 1 })),
        },
        { weight: 1, arbitrary: fc.record({ schedule: fc.constantFrom('calendar', 'other', 'third') }) },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove slot' as const), slot: fc.constantFrom(...SLOTS) }) },
)

const ofOffer: fc.Arbitrary<CallIntent> = fc.record(
  {
    kind: fc.constant('call' as const),
    operation: fc.constantFrom('$hold' as const, '$book' as const),
    offer: which,
    cancels: which,
  },
  { requiredKeys: ['kind', 'operation', 'offer'] },
)

const ofStored: fc.Arbitrary<CallIntent> = fc.record({
  kind: fc.constant('call' as const),
  operation: fc.constantFrom('$hold' as const, '$book' as const, '$cancel' as const, '$confirm' as const),
  which,
})

const reschedules: fc.Arbitrary<CallIntent> = fc.record({
  kind: fc.constant('call' as const),
  operation: fc.constant('$reschedule' as const),
  which,
  slots: slotNames.filter(({ length }) => length > 0),
})

const calls = fc.oneof(
  { weight: 3, arbitrary: ofOffer },
  { weight: 3, arbitrary: ofStored },
  { weight: 2, arbitrary: reschedules },
)

const either = fc.oneof(intents, calls)

export const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      way: fc.constantFrom('POST' as const, 'PUT' as const, 'PATCH' as const),
      intent: intents,
    }),
  },
  { weight: 8, arbitrary: calls },
  { weight: 2, arbitrary: fc.constant({ kind: 'find' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('transaction' as const),
      way: fc.constantFrom('POST' as const, 'PUT' as const),
      intents: fc.array(intents, { minLength: 2, maxLength: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('race' as const), intents: fc.tuple(either, either) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(2, 4, 13, 90) }),
  },
)

/**
 * The write that an intent results in; undefined where there is nothing to write. `name` is that of a new appointment.
 */
export function writeOf(calendar: Calendar, intent: Intent, name: string): Write | undefined {
  switch (intent.kind) {
    case 'book':
      return { type: 'Appointment', name, after: booking(calendar, intent), isNew: true }
    case 'change':
    case 'remove':
      return ofAppointment(calendar, intent)
    case 'slot': {
      const before = calendar.slots.get(intent.slot) ?? slotAtFirst(SLOTS.indexOf(intent.slot))
      return { type: 'Slot', name: intent.slot, after: { ...before, ...intent.after } }
    }
    case 'remove slot':
      return calendar.slots.has(intent.slot) ? { type: 'Slot', name: intent.slot } : undefined
  }
}

function ofAppointment(calendar: Calendar, intent: Intent & { readonly kind: 'change' | 'remove' }): Write | undefined {
  const all = [...calendar.appointments]
  const [name, before] = all[intent.which % Math.max(1, all.length)] ?? []
  if (name === undefined || before === undefined) return undefined
  if (intent.kind === 'remove') return { type: 'Appointment', name }
  const { status = before.status, actors = before.actors, slots = before.slots, shift, stays } = intent
  const isMoved = stays !== true && (intent.slots !== undefined || shift !== undefined)
  const moved = booking(calendar, { patient: before.patient, status, actors, slots, shift: shift ?? [0, 0] })
  const after = isMoved ? moved : { ...before, status, actors, slots }
  return { type: 'Appointment', name, after, ...(before.status === 'cancelled' ? { isOfCancelled: true } : {}) }
}

/** At the time of its slots, as far as there are any. */
function booking(
  { slots: stored }: Calendar,
  { patient, status, actors, slots, shift: [first, last] }: Booking & { readonly patient: string },
): Appointment {
  const found = slots.flatMap((slot) => stored.get(slot) ?? [])
  const from = found.length === 0 ? 5 : Math.min(...found.map((slot) => slot.from))
  const to = found.length === 0 ? 6 : Math.max(...found.map((slot) => slot.to))
  return { patient, status, actors, slots, from: from + first, to: to + last }
}
