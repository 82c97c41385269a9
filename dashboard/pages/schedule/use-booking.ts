/** Books what the dialog says: one visit, an entry of the waitlist, or a series of visits, which one Undo takes back. */
import type { Appointment, Patient } from 'fhir/r4'
import { errorText, foremostOf, isPassing } from '../../api/problem.ts'
import type { FreeTime } from '../../fhir/free-times.ts'
import { patientName } from '../../fhir/names.ts'
import { timeText } from '../../fhir/time.ts'
import { patientOf } from '../../fhir/visits.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useSubmit } from '../../parts/sign-in.tsx'
import { offerUndo } from '../../parts/undo.tsx'
import { whyNotBooked } from './patient-notice.tsx'
import { pathOf, type Said, TAKEN_BACK, useVisitActions, type VisitActions } from './visit-actions.ts'

/** A visit of a series that could not be booked. */
export interface Missed {
  readonly time: FreeTime
  readonly why: string
}

interface Booking {
  readonly time: FreeTime | undefined
  /** The later visits of the series. */
  readonly later: readonly FreeTime[]
  readonly patient: Patient | undefined
  readonly entry: Appointment | undefined
  readonly said: Said
  readonly held: () => Promise<Appointment | undefined>
  readonly forget: () => void
  readonly onRefused: () => void
  /** Called where some of the series are booked, and these are not. */
  readonly onMissed: (missed: readonly Missed[]) => void
  readonly onClose: () => void
}

export function useBooking({ time, later, patient, entry, said, held, forget, ...on }: Booking) {
  const { timeZone } = useClinic()
  const actions = useVisitActions()
  return useSubmit(async () => {
    if (time === undefined) throw new Error('Choose a free time.')
    const name = entry === undefined ? patientName(bookable(patient)) : patientOf(entry, [])
    const hold = await held()
    const first = await (entry === undefined
      ? actions.book(time, bookable(patient), said, hold)
      : actions.bookEntry(time, entry, hold)
    ).catch((error: unknown) => {
      if (!isPassing(error)) on.onRefused()
      throw error
    })
    forget()
    const { booked, missed } =
      entry === undefined ? await bookLater(actions, later, bookable(patient), said) : { booked: [], missed: [] }
    const all = [first, ...booked]
    if (missed.length > 0) on.onMissed(missed)
    else on.onClose()
    const when = timeText(time.start, timeZone)
    offerUndo(all.length === 1 ? `${name} is booked on ${when}.` : `${all.length} visits of ${name} are booked.`, {
      things: all.map(({ id = '' }) => pathOf(id)),
      undo: entry === undefined ? cancellationOf(actions, all) : waitingAgain(actions, first, entry),
    })
  })
}

/** One by one, as each may be refused by itself; nothing more is tried once the server is away. */
async function bookLater(actions: VisitActions, times: readonly FreeTime[], patient: Patient, said: Said) {
  const booked: Appointment[] = []
  const missed: Missed[] = []
  let isAway = false
  for (const time of times) {
    try {
      if (isAway) throw new Error('The server is not responding.')
      booked.push(await actions.book(time, patient, said))
    } catch (error) {
      isAway ||= isPassing(error)
      missed.push({ time, why: errorText(error) })
    }
  }
  return { booked, missed }
}

/**
 * Cancels each of them, also where one was changed since. Called again, it goes on with those that are left, as the
 * server may have been away in between. @throws the first problem, or one that is worth trying again
 */
function cancellationOf(actions: VisitActions, visits: readonly Appointment[]): () => Promise<void> {
  let left = visits
  return async () => {
    const results = await Promise.allSettled(
      left.map(({ id = '', meta }) => actions.cancel(id, TAKEN_BACK, meta?.versionId)),
    )
    left = left.filter((_, index) => results[index]?.status === 'rejected')
    const problems = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
    if (problems.length > 0) throw foremostOf(problems)
  }
}

/** Cancels the visit of an entry, which then waits under a new id; called again, it goes on with what is left. */
function waitingAgain(actions: VisitActions, visit: Appointment, entry: Appointment): () => Promise<unknown> {
  const cancel = cancellationOf(actions, [visit])
  return () => cancel().then(() => actions.wait(entry))
}

/** @throws Error where nobody is chosen, or nobody who can come */
function bookable(patient: Patient | undefined): Patient {
  if (patient === undefined) throw new Error('Choose a patient: type a part of the name, and take one of those found.')
  const why = whyNotBooked(patient)
  if (why !== undefined) throw new Error(why)
  return patient
}
