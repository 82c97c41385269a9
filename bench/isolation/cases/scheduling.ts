/** Times that are generated, found and booked. Bookings and generated Slots remain on MongoDB. */
import type { Extension, Schedule } from 'fhir/r4'
import { AVAILABILITY_URL } from '../../../src/scheduling/availability.ts'
import { flood, type HostileCase, type HostileRequest, send, type Target, times } from '../hostile-case.ts'
import { CALENDARS_END, CALENDARS_START, HOSTILE_CALENDARS, hostileSlotId } from '../stored/calendars.ts'

const DAYS_OF_WEEK = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

const availability = (...extension: Extension[]): Extension => ({ url: AVAILABILITY_URL, extension })

/** Visits of five minutes around the clock, for a year: the most that a template may ask for. */
const densest = (n: number): Schedule => ({
  resourceType: 'Schedule',
  id: `dense-${n}`,
  actor: [{ reference: `Practitioner/practitioner-${n}` }],
  extension: [
    availability(
      { url: 'timeZone', valueCode: 'UTC' },
      { url: 'horizonDays', valuePositiveInt: 366 },
      { url: 'slotMinutes', valuePositiveInt: 5 },
      {
        url: 'availableTime',
        extension: [
          ...DAYS_OF_WEEK.map((day) => ({ url: 'daysOfWeek', valueCode: day })),
          { url: 'availableStartTime', valueTime: '00:00:00' },
          { url: 'availableEndTime', valueTime: '00:00:00' },
        ],
      },
    ),
  ],
})

const SCHEDULES = 4

/** Calls $generate-slots for each again and again, beside the background. */
async function generate({ send: sendOne, signal }: Target): Promise<void> {
  await Promise.all(
    times(SCHEDULES, async (n) => {
      const { id } = densest(n)
      await sendOne(send('PUT', `/Schedule/${id}`, densest(n)))
      while (!signal.aborted) {
        const answer = await sendOne(send('POST', `/Schedule/${id}/$generate-slots`, ''))
        if (answer === undefined || answer.status !== 200) return
      }
    }),
  )
}

const iso = (time: number): string => new Date(time).toISOString()

type Parameter = Readonly<Record<string, unknown>> & { readonly name: string }

const call = (operation: '$find' | '$hold' | '$book', ...parameter: readonly Parameter[]): HostileRequest =>
  send('POST', `/Appointment/${operation}`, { resourceType: 'Parameters', parameter })

/** No visit begins at this second. Each request differs, so that no cached response serves the next one. */
const fitsNothing = (n: number): HostileRequest =>
  call(
    '$find',
    { name: 'start', valueDateTime: iso(CALENDARS_START) },
    { name: 'end', valueDateTime: iso(CALENDARS_END) },
    { name: 'timing', valueTiming: { repeat: { dayOfWeek: DAYS_OF_WEEK, timeOfDay: [timeOfDay(n)] } } },
  )

const DIFFERENT = 3_000
const DAY_SECONDS = 86_400
/** `hh:mm:01` to `hh:mm:07`, of any hour and minute. */
const timeOfDay = (n: number): string =>
  iso(1_000 * (((n * 60) % DAY_SECONDS) + 1 + (Math.floor((n * 60) / DAY_SECONDS) % 7))).slice(11, 19)

const visit = (n: number, status: string) => ({
  resourceType: 'Appointment',
  status,
  slot: [{ reference: `Slot/${hostileSlotId(n)}` }],
  start: iso(CALENDARS_START + Math.floor(n / HOSTILE_CALENDARS.schedules) * 300_000),
  end: iso(CALENDARS_START + (Math.floor(n / HOSTILE_CALENDARS.schedules) + 1) * 300_000),
  participant: [{ actor: { reference: 'Patient/patient-1' }, status: 'accepted' }],
})

const book = (n: number): HostileRequest =>
  call('$book', { name: 'appointment-resource', resource: visit(n, 'booked') })

/** A proposed visit is stored by the first request, and held by its id in the second. */
const proposeAndHold = (n: number): readonly HostileRequest[] => [
  send('PUT', `/Appointment/proposed-${n}`, { ...visit(n, 'proposed'), id: `proposed-${n}` }),
  call('$hold', {
    name: 'appointment-reference',
    valueReference: { reference: `Appointment/proposed-${n}` },
  }),
]

export const scheduling: readonly HostileCase[] = [
  {
    name: 'slots-of-the-densest-template',
    about: '$generate-slots of 4 schedules with visits of five minutes around the clock for 366 days',
    stored: 'nothing',
    attack: () => ({ kind: 'program', run: generate }),
  },
  {
    name: 'find-that-fits-nothing',
    about: '$find over 100 schedules with timings that no visit fits, each another one, 16 connections for 3 s',
    stored: 'calendars',
    attack: () => flood(16, 3, times(DIFFERENT, fitsNothing)),
  },
  {
    name: 'bookings-of-the-same-slots',
    about: '64 connections $book and $hold the same 8 slots for 3 s',
    stored: 'calendars',
    attack: () => flood(64, 3, times(8, (n) => [book(n), ...proposeAndHold(n)]).flat()),
  },
  {
    name: 'bookings-of-all-slots',
    about: '64 connections $book 2,000 slots for 3 s',
    stored: 'calendars',
    attack: () =>
      flood(
        64,
        3,
        times(2_000, (n) => book(n + 100)),
      ),
  },
]
