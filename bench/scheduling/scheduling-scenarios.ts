/** Scenarios among 100,000 Slots: times are found and booked, over FHIR. */
import type { HttpRequest, Traffic } from '../load.ts'
import type { Scenario, Target } from '../scenario.ts'
import type { Access } from '../scenarios.ts'
import { CALENDARS, DAYS, daysFrom, practitionerOf, scheduleOf } from './calendars.ts'

const p99 = (below: number): Target => ({ kind: 'p99', below })

/** So that neighbours in the list are not neighbours in the store. */
const spread = (n: number): number => (n * 37) % CALENDARS

const gets = (authorization: string, path: (n: number) => string): Traffic => ({
  kind: 'repeated',
  requests: Array.from(
    { length: 512 },
    (_, n): HttpRequest => ({ method: 'GET', path: path(n), headers: { authorization } }),
  ),
})

/** @throws Error where there are none, so that a broken scenario does not look fast */
const entries =
  (wanted: number) =>
  (text: string): string | undefined => {
    const { entry = [] } = JSON.parse(text) as { entry?: readonly unknown[] }
    return entry.length === wanted ? undefined : `${entry.length} entries instead of ${wanted}`
  }

export const schedulingScenarios = ({ authorization }: Access): readonly Scenario[] => [
  {
    name: '$find',
    traffic: gets(authorization, (n) => {
      const whom = [0, 1, 2].map((other) => `practitioner=Practitioner/${practitionerOf(spread(n) + other * 50)}`)
      const { start, end } = daysFrom(0, DAYS)
      return `/Appointment/$find?start=${start}&end=${end}&${whom.join('&')}&_count=20`
    }),
    target: p99(10),
    problemOf: entries(20),
  },
  {
    name: 'free slots of a schedule',
    traffic: gets(authorization, (n) => {
      const { start, end } = daysFrom(n % (DAYS - 2), 2)
      return `/Slot?schedule=Schedule/${scheduleOf(spread(n))}&status=free&start=ge${start}&start=lt${end}`
    }),
    target: p99(10),
    problemOf: entries(20),
  },
]
