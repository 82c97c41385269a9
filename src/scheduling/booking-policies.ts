/** Limits for booking, cancelling and moving visits: in the future, and according to the clinic's policies. */
import type { Appointment } from 'fhir/r4'
import { instantOf } from '../fhir/dates.ts'
import { type FhirError, unprocessable } from '../fhir/outcome.ts'
import { addressOf } from '../fhir/reference.ts'
import { stageOf } from './appointment-status.ts'
import { isSamePeriod } from './slot-times.ts'

/** Absent: no limit. */
export interface BookingPolicies {
  /** Least time between booking and start of a visit. */
  readonly minimumNoticeMinutes?: number
  /** Most days (of 24 hours) from now to the start of a visit. */
  readonly bookingHorizonDays?: number
  /** Least time before its start at which a booked visit may be cancelled, moved or deleted. */
  readonly cancellationWindowHours?: number
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/**
 * An appointment that is proposed, pending or booked must be in the future when it is new, moves or gets that status.
 * A record of a visit that took place, or did not, may have any time.
 * @param now milliseconds since 1970 UTC
 * @throws FhirError 422 naming the rule and the permitted times
 */
export function checkPlannedTime(
  before: Appointment | undefined,
  after: Appointment,
  now: number,
  policies: BookingPolicies,
): void {
  const { status, start } = after
  if (start === undefined || stageOf(status) !== 'planned') return
  const isSameTime = before !== undefined && isSamePeriod(before, after)
  if (isSameTime && before.status === status) return
  const time = Date.parse(start)
  if (time <= now) {
    const record = 'a visit that took place is recorded as arrived, fulfilled or noshow'
    throw refused(
      `${start}, which has passed; an appointment that is ${status} is in the future (${record})`,
      'past-time',
    )
  }
  // A hold was made in time, and is confirmed when its patient has decided.
  if (!isSameTime || before.status !== 'pending') checkLimits(start, now, policies)
}

/**
 * Whether a visit with this start can be booked now.
 * @param start milliseconds since 1970 UTC, as `now`
 */
export function isBookable(start: number, now: number, policies: BookingPolicies): boolean {
  const { first, last } = bookableStarts(now, policies)
  return start >= first && start <= last
}

function checkLimits(start: string, now: number, policies: BookingPolicies): void {
  const time = Date.parse(start)
  const { first, last } = bookableStarts(now, policies)
  const { minimumNoticeMinutes: notice, bookingHorizonDays: horizon } = policies
  if (time < first)
    throw refused(
      `${start}; this clinic books ${notice} minutes ahead, so from ${instantOf(first)} on`,
      'minimum-notice',
    )
  if (time > last)
    throw refused(
      `${start}; this clinic books ${horizon} days ahead at most, so until ${instantOf(last)}`,
      'booking-horizon',
    )
}

/**
 * The first and the last possible start of visits booked now, in milliseconds since 1970 UTC.
 * @param now milliseconds since 1970 UTC
 */
export function bookableStarts(
  now: number,
  policies: BookingPolicies,
): { readonly first: number; readonly last: number } {
  const { minimumNoticeMinutes: notice = 0, bookingHorizonDays: horizon = Number.POSITIVE_INFINITY } = policies
  return { first: Math.max(now + 1, now + notice * MINUTE), last: now + horizon * DAY }
}

const refused = (what: string, reason: string): FhirError =>
  unprocessable(`Appointment.start is ${what}`, { expression: 'Appointment.start', reason })

/**
 * Checks that a booked visit is given up in time: cancelled, moved, entered in error or (without `after`) deleted.
 * Leaving one of its slots counts as a move. The clinic itself can cancel at any time, with a reason of the provider.
 * @param now milliseconds since 1970 UTC
 * @throws FhirError 422 naming the rule, and a correct alternative
 */
export function checkCancellationWindow(
  before: Appointment,
  after: Appointment | undefined,
  { now, baseUrl }: { readonly now: number; readonly baseUrl: string },
  { cancellationWindowHours: hours }: BookingPolicies,
): void {
  if (hours === undefined || before.start === undefined || !isGivenUp(before, after, baseUrl)) return
  const latest = Date.parse(before.start) - hours * HOUR
  if (now <= latest) return
  throw unprocessable(
    `The visit of ${before.start} could be cancelled or moved until ${instantOf(latest)}, as this clinic asks for ${hours} hours; the clinic itself cancels with a cancelationReason of the provider (prov), and who does not come is noshow`,
    { expression: 'Appointment.status', reason: 'cancellation-window' },
  )
}

function isGivenUp(before: Appointment, after: Appointment | undefined, baseUrl: string): boolean {
  if (before.status !== 'booked') return false
  if (after === undefined || after.status === 'entered-in-error') return true
  if (after.status === 'cancelled') return !isByProvider(after)
  return stageOf(after.status) === 'planned' && !(isSamePeriod(before, after) && keepsSlots(before, after, baseUrl))
}

function keepsSlots(before: Appointment, after: Appointment, baseUrl: string): boolean {
  const [held, wanted] = [before, after].map(({ slot = [] }) =>
    slot.map(({ reference = '' }) => addressOf(reference, baseUrl)),
  )
  return new Set(held).isSubsetOf(new Set(wanted))
}

/** https://terminology.hl7.org/CodeSystem-appointment-cancellation-reason.html: `prov`, `prov-pers` and the like. */
const isByProvider = ({ cancelationReason }: Appointment): boolean =>
  cancelationReason?.coding?.some(
    ({ system, code = '' }) => system === CANCELLATION_REASON && /^prov(-|$)/.test(code),
  ) ?? false

const CANCELLATION_REASON = 'http://terminology.hl7.org/CodeSystem/appointment-cancellation-reason'
