/** The effects of the operations on Appointment on a calendar, as writes: docs/operations/appointment-*.md. */
import { type Appointment, type Calendar, held, type Outcome, type Refusals, SCHEDULES, written } from './calendar.ts'
import type { CallIntent } from './steps.ts'

interface OfOffer {
  readonly operation: '$hold' | '$book'
  /** The slot that $find has found. */
  readonly offer: string
  /** The name of the resulting appointment. */
  readonly name: string
  /** The appointment that is cancelled for it. */
  readonly cancels?: string
}

export type Call =
  | OfOffer
  | { readonly operation: '$hold' | '$book' | '$cancel' | '$confirm'; readonly of: string }
  | { readonly operation: '$reschedule'; readonly of: string; readonly slots: readonly string[] }

/** The call that an intent results in; undefined where it has no target. */
export function callOf(
  { appointments }: Calendar,
  offers: readonly string[],
  intent: CallIntent,
  name: string,
): Call | undefined {
  const names = [...appointments.keys()]
  if ('which' in intent) {
    const of = among(names, intent.which)
    const stored = appointments.get(of ?? '')
    if (of === undefined || stored === undefined || isIdle(stored, intent)) return undefined
    return 'slots' in intent
      ? { operation: intent.operation, of, slots: intent.slots }
      : { operation: intent.operation, of }
  }
  const { operation } = intent
  const offer = among(offers, intent.offer)
  const cancels = intent.cancels === undefined || operation === '$hold' ? undefined : among(names, intent.cancels)
  return offer === undefined ? undefined : { operation, offer, name, ...(cancels === undefined ? {} : { cancels }) }
}

/** Whether the operation would change nothing: the server then writes nothing, and leaves changed slots as they are. */
const isIdle = ({ status, slots }: Appointment, intent: CallIntent): boolean =>
  'slots' in intent ? slots.join() === intent.slots.join() : intent.operation === '$confirm' && status === 'booked'

const among = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)]

/** The patient named in every $find. */
export const FINDING_PATIENT = 'p0'

export function called(calendar: Calendar, call: Call): Outcome {
  if ('offer' in call) return ofOffer(calendar, call)
  const stored = calendar.appointments.get(call.of)
  if (stored === undefined) return refused(calendar, '410', '410 appointment-not-found')
  switch (call.operation) {
    case '$hold':
      if (stored.status === 'pending') return refused(calendar, '409 slot-unavailable')
      return changed(calendar, call.of, held(calendar, stored), stored.isExpired ? ['409 slot-unavailable'] : [])
    case '$book':
      if (stored.status === 'booked') return refused(calendar, '409 already-booked')
      return changed(calendar, call.of, { ...stored, status: 'booked' })
    case '$confirm':
      return changed(calendar, call.of, { ...stored, status: 'booked' })
    case '$cancel':
      return changed(calendar, call.of, { ...stored, status: 'cancelled' })
    case '$reschedule':
      return rescheduled(calendar, call.of, stored, call.slots)
  }
}

const refused = (calendar: Calendar, ...refusals: Refusals): Outcome => ({ refusals, calendar })

/** @param others refusals of an appointment whose hold has just ended */
function changed(calendar: Calendar, name: string, after: Appointment, others: Refusals = []): Outcome {
  const outcome = written(calendar, [{ type: 'Appointment', name, after }])
  return outcome.refusals.length === 0 ? outcome : { ...outcome, refusals: [...outcome.refusals, ...others] }
}

function ofOffer(calendar: Calendar, { operation, offer, name, cancels }: OfOffer): Outcome {
  const cancelled =
    cancels === undefined ? { refusals: [], calendar } : called(calendar, { operation: '$cancel', of: cancels })
  const slot = calendar.slots.get(offer)
  const refusals = [...cancelled.refusals, ...(slot === undefined ? ['404 appointment-not-found'] : [])]
  if (slot === undefined || refusals.length > 0) return { refusals, calendar }
  const { schedule, from, to } = slot
  const actors = SCHEDULES[schedule] ?? []
  const booked = { patient: FINDING_PATIENT, status: 'booked', actors, slots: [offer], from, to }
  const after = operation === '$hold' ? held(calendar, booked) : booked
  const outcome = written(cancelled.calendar, [{ type: 'Appointment', name, after }])
  return outcome.refusals.length === 0 ? outcome : { ...outcome, calendar }
}

function rescheduled(calendar: Calendar, name: string, stored: Appointment, slots: readonly string[]): Outcome {
  if (stored.isExpired) return refused(calendar, '422 not-movable', '409 hold-expired')
  if (stored.status !== 'booked' && stored.status !== 'pending') return refused(calendar, '422 not-movable')
  const found = slots.flatMap((slot) => calendar.slots.get(slot) ?? [])
  if (found.length < slots.length) return refused(calendar, '422 slot-not-found')
  const inOrder = [...found].sort((one, other) => one.from - other.from)
  const [from, to] = [inOrder[0]?.from ?? 0, inOrder.at(-1)?.to ?? 0]
  const actors = withActors(stored.actors, scheduleOf(calendar, stored.slots), inOrder[0]?.schedule)
  return changed(calendar, name, { ...stored, actors, slots, from, to })
}

/** The schedule of the first slot there is. */
const scheduleOf = ({ slots }: Calendar, names: readonly string[]): string | undefined =>
  names.map((name) => slots.get(name)?.schedule).find((schedule) => schedule !== undefined)

/** The actors of the new schedule take the place of those of the old one. */
function withActors(actors: readonly string[], old: string | undefined, next = ''): readonly string[] {
  if (old === next) return actors
  const [leaving, coming] = [new Set(SCHEDULES[old ?? '']), new Set(SCHEDULES[next])]
  const staying = actors.filter((actor) => !leaving.has(actor))
  return [...new Set([...staying, ...actors.filter((actor) => coming.has(actor)), ...coming])]
}
