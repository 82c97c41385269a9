/** Scenarios among 100,000 Slots: times are found and booked, over FHIR and in calls. */
import { phoneOf } from '../data-set.ts'
import type { HttpRequest, Traffic } from '../load.ts'
import type { Scenario, Target } from '../scenario.ts'
import type { Access } from '../scenarios.ts'
import { DIALED, problemOfResult } from '../tool-scenarios.ts'
import { CALENDARS, DAYS, daysFrom, familyOfPractitioner, practitionerOf, scheduleOf } from './calendars.ts'

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

/** Three practitioners and 30 days, and a part of the night behind them. */
function find(n: number, moment = 0): string {
  const whom = [0, 1, 2].map((other) => `practitioner=Practitioner/${practitionerOf(spread(n) + other * 50)}`)
  const { start, end } = daysFrom(0, DAYS)
  const until = new Date(Date.parse(end) + moment).toISOString()
  return `/Appointment/$find?start=${start}&end=${until}&${whom.join('&')}&_count=20`
}

/** @throws Error where there are none, so that a broken scenario does not look fast */
const entries =
  (wanted: number) =>
  (text: string): string | undefined => {
    const { entry = [] } = JSON.parse(text) as { entry?: readonly { readonly search?: { readonly mode?: string } }[] }
    const found = entry.filter(({ search }) => search?.mode === 'match').length
    return found === wanted ? undefined : `${found} entries instead of ${wanted}`
  }

/** More than any scenario uses, so that connection and count combine to a unique number. */
const MAX_CONNECTIONS = 64
/** Milliseconds before the first Slot of a day. */
const NIGHT = 8 * 3_600_000

/** Request `n` of a connection: in every call times are looked for, and then the first one is booked. */
function inCalls(voiceSecret: string, connection: number, n: number, tool: string, given: object): HttpRequest {
  const call = Math.floor(n / 2) * MAX_CONNECTIONS + connection
  return {
    method: 'POST',
    path: `/emr-scheduling/${tool}`,
    headers: {
      'content-type': 'application/json',
      'x-voice-secret': voiceSecret,
      'x-call-id': `visit-${call}`,
      'x-call-to': DIALED,
      'x-call-from': phoneOf(call),
    },
    body: JSON.stringify({ message: { toolCalls: [{ id: `visit-${call}-${n}`, function: { arguments: given } }] } }),
  }
}

const resultOf = (response: string): { readonly slots?: readonly { readonly slotKey: string }[] } =>
  JSON.parse((JSON.parse(response) as { results: readonly { result: string }[] }).results[0]?.result ?? '{}')

/** Callers who book at the same time want different practitioners, so that they do not take each other's times. */
const dialogue = (voiceSecret: string, counts: (n: number) => boolean): Traffic => ({
  kind: 'dialogue',
  counts,
  next: (connection, n, response) => {
    if (n % 2 === 1) {
      const slotKey = resultOf(response).slots?.[0]?.slotKey
      if (slotKey === undefined) throw new Error(`find_available_slots was answered with ${response.slice(0, 300)}`)
      return inCalls(voiceSecret, connection, n, 'book_appointment', { slotKey, reason: 'a cough' })
    }
    const practitionerName = `Dr. ${familyOfPractitioner(Math.floor(n / 2) * 16 + connection)}`
    return inCalls(voiceSecret, connection, n, 'find_available_slots', { practitionerName })
  },
})

/** The tools come last: they book times that the others find. */
export const schedulingScenarios = ({ authorization, voiceSecret }: Access): readonly Scenario[] => [
  {
    name: '$find',
    traffic: gets(authorization, (n) => find(n)),
    target: p99(10),
    problemOf: entries(20),
  },
  {
    name: '$find until another moment',
    traffic: {
      kind: 'fresh',
      next: (connection, n) => {
        const moment = ((n * MAX_CONNECTIONS + connection) % NIGHT) + 1
        return { method: 'GET', path: find(n, moment), headers: { authorization } }
      },
    },
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
  {
    name: 'find_available_slots',
    traffic: dialogue(voiceSecret, (n) => n % 2 === 0),
    target: p99(25),
    problemOf: problemOfResult,
  },
  {
    name: 'book_appointment',
    traffic: dialogue(voiceSecret, (n) => n % 2 === 1),
    target: p99(25),
    problemOf: problemOfResult,
  },
]
