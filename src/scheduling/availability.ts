/** Working hours of a Schedule, from which its Slots are generated. docs/schedule.md */
import type { CodeableConcept, Period, Slot } from 'fhir/r4'

export const DAYS_OF_WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type DayOfWeek = (typeof DAYS_OF_WEEK)[number]

/** Minutes since midnight, in wall-clock time. */
export interface DayHours {
  readonly from: number
  readonly until: number
}

export interface OpeningHours extends DayHours {
  /** Code of the only appointment type offered in these hours; absent: slots for visits of any type. */
  readonly appointmentType?: string
}

export interface WeeklyHours extends OpeningHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

export interface Break extends DayHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

/** Hours of one day, replacing those of its weekday and the breaks. */
export interface SpecialHours extends OpeningHours {
  /** yyyy-mm-dd. */
  readonly date: string
}

export interface AppointmentType {
  /** One of the codes of `type`. */
  readonly code: string
  readonly type: CodeableConcept
  readonly minutes: number
  /** Minutes before and after each visit that are kept free. */
  readonly bufferBefore: number
  readonly bufferAfter: number
}

export interface Availability {
  /** IANA name; absent: the clinic's time zone. */
  readonly timeZone?: string
  /** Number of days with slots, from today. */
  readonly horizonDays: number
  /** Length of slots for visits of any type, in minutes. */
  readonly slotMinutes: number
  readonly weeklyHours: readonly WeeklyHours[]
  readonly breaks: readonly Break[]
  readonly specialHours: readonly SpecialHours[]
  /** Holidays and absences. */
  readonly notAvailable: readonly Period[]
  readonly appointmentTypes: readonly AppointmentType[]
}

/** All data that determine the Slots of a Schedule. It is stored as JSON, to detect changes later. */
export interface SlotPlan extends Availability {
  readonly timeZone: string
  /** Schedule.planningHorizon: slots exist only within it. */
  readonly planningHorizon?: Period
  /** Elements that each Slot copies from the Schedule. */
  readonly details: Pick<Slot, 'serviceCategory' | 'serviceType' | 'specialty'>
}
