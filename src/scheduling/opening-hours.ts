/** Weekly opening hours of a place: of its Location, or, if that states none, of the Schedules there. */
import type { LocationHoursOfOperation } from 'fhir/r4'
import { valuesIn } from '../fhir/resource.ts'
import { type Availability, DAYS_OF_WEEK, type DayHours, type DayOfWeek } from './availability.ts'

/**
 * Hours by day, sorted and disjoint; hours that continue after midnight end later than minute 1440. Closed days are
 * absent.
 */
export type OpeningWeek = ReadonlyMap<DayOfWeek, readonly DayHours[]>

interface Hours extends DayHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

const MIDNIGHT = 24 * 60

/** https://hl7.org/fhir/R4/location-definitions.html#Location.hoursOfOperation; entries without times are ignored. */
export const statedHours = (stated: readonly LocationHoursOfOperation[]): OpeningWeek =>
  weekOf(
    stated.flatMap(({ daysOfWeek: days = [...DAYS_OF_WEEK], allDay, openingTime, closingTime }) => {
      const daysOfWeek = valuesIn(days)
      if (allDay === true) return { daysOfWeek, from: 0, until: MIDNIGHT }
      if (openingTime === undefined && closingTime === undefined) return []
      const from = minuteOf(openingTime) ?? 0
      const until = minuteOf(closingTime) ?? MIDNIGHT
      return { daysOfWeek, from, until: until > from ? until : until + MIDNIGHT }
    }),
  )

/** Ignores breaks, which apply to people while the place stays open. */
export const workingHours = (availabilities: readonly Availability[]): OpeningWeek =>
  weekOf(availabilities.flatMap(({ weeklyHours }) => weeklyHours))

function weekOf(all: readonly Hours[]): OpeningWeek {
  const days = DAYS_OF_WEEK.map(
    (day) => [day, joined(all.filter(({ daysOfWeek }) => daysOfWeek.includes(day)))] as const,
  )
  return new Map(days.filter(([, hours]) => hours.length > 0))
}

/** Merges hours that overlap or touch. */
function joined(hours: readonly DayHours[]): readonly DayHours[] {
  const result: DayHours[] = []
  for (const { from, until } of hours.toSorted((one, other) => one.from - other.from)) {
    const last = result.at(-1)
    if (last === undefined || last.until < from) result.push({ from, until })
    else result[result.length - 1] = { from: last.from, until: Math.max(last.until, until) }
  }
  return result
}

function minuteOf(time: string | undefined): number | undefined {
  const [, hour, minute] = /^(\d\d):(\d\d)/.exec(time ?? '') ?? []
  return minute === undefined ? undefined : Number(hour) * 60 + Number(minute)
}
