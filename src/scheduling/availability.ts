/** When a Schedule offers visits: the working hours from which its Slots are generated. docs/schedule.md */
import type { CodeableConcept, Period, Slot } from 'fhir/r4'

export const DAYS_OF_WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type DayOfWeek = (typeof DAYS_OF_WEEK)[number]

/** Minutes since midnight, as clocks show them. */
export interface DayHours {
  readonly from: number
  readonly until: number
}

export interface OpeningHours extends DayHours {
  /** The code of the appointment type that alone is offered in these hours; absent: slots for visits of any type. */
  readonly appointmentType?: string
}

export interface WeeklyHours extends OpeningHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

export interface Break extends DayHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

/** Hours of one day, in place of those of its weekday and of the breaks. */
export interface SpecialHours extends OpeningHours {
  /** yyyy-mm-dd. */
  readonly date: string
}

export interface AppointmentType {
  /** One of the codes of `type`. */
  readonly code: string
  readonly type: CodeableConcept
  readonly minutes: number
  /** Minutes before and after each visit in which nobody is booked. */
  readonly bufferBefore: number
  readonly bufferAfter: number
}

export interface Availability {
  /** IANA name; absent: that of the clinic. */
  readonly timeZone?: string
  /** Days that have slots, from today. */
  readonly horizonDays: number
  /** Length of slots for visits of any type. */
  readonly slotMinutes: number
  readonly weeklyHours: readonly WeeklyHours[]
  readonly breaks: readonly Break[]
  readonly specialHours: readonly SpecialHours[]
  /** Holidays and absences. */
  readonly notAvailable: readonly Period[]
  readonly appointmentTypes: readonly AppointmentType[]
}

/** All that decides which Slots a Schedule has. It is kept as JSON, to tell later what has changed. */
export interface SlotPlan extends Availability {
  readonly timeZone: string
  /** Schedule.planningHorizon: there are slots within it only. */
  readonly planningHorizon?: Period
  /** What each Slot repeats of the Schedule. */
  readonly details: Pick<Slot, 'serviceCategory' | 'serviceType' | 'specialty'>
}
