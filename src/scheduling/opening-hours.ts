/** The hours of a week in which a place is open: of a Location, or where it states none, of the Schedules there. */
import type { LocationHoursOfOperation } from 'fhir/r4'
import { valuesIn } from '../fhir/resource.ts'
import { type Availability, DAYS_OF_WEEK, type DayHours, type DayOfWeek } from './availability.ts'

/** By day, in order and apart; hours that go on behind midnight end later than the 1440th minute. A closed day is absent. */
export type OpeningWeek = ReadonlyMap<DayOfWeek, readonly DayHours[]>

interface Hours extends DayHours {
  readonly daysOfWeek: readonly DayOfWeek[]
}

const MIDNIGHT = 24 * 60

/** https://hl7.org/fhir/R4/location-definitions.html#Location.hoursOfOperation; entries without any time say nothing. */
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

/** Breaks are those of people; the place stays open. */
export const workingHours = (availabilities: readonly Availability[]): OpeningWeek =>
  weekOf(availabilities.flatMap(({ weeklyHours }) => weeklyHours))

function weekOf(all: readonly Hours[]): OpeningWeek {
  const days = DAYS_OF_WEEK.map(
    (day) => [day, joined(all.filter(({ daysOfWeek }) => daysOfWeek.includes(day)))] as const,
  )
  return new Map(days.filter(([, hours]) => hours.length > 0))
}

/** Hours that overlap or touch become one. */
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
