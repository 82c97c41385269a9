/** Schedules of a hostile clinic, with as much availability as the server takes. */
import type { Extension, Schedule } from 'fhir/r4'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

const MOST = 100

const times = (make: (n: number) => Extension): readonly Extension[] => Array.from({ length: MOST }, (_, n) => make(n))

/** The hours one after the other, 14 minutes each. */
const hours = (url: string, n: number): Extension => ({
  url,
  extension: [
    ...DAYS.map((valueCode) => ({ url: 'daysOfWeek', valueCode })),
    { url: 'availableStartTime', valueTime: clock(n * 14) },
    { url: 'availableEndTime', valueTime: clock(n * 14 + 13) },
  ],
})

const clock = (minute: number): string =>
  `${[Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')}:00`

const appointmentType = (n: number): Extension => ({
  url: 'appointmentType',
  extension: [
    { url: 'type', valueCodeableConcept: { coding: [{ system: 'http://example.org/types', code: `type-${n}` }] } },
    { url: 'minutes', valuePositiveInt: 5 },
  ],
})

/** Without Slots: its horizon is far away. */
export const largeSchedule = (n: number): Schedule => ({
  resourceType: 'Schedule',
  id: `schedule-${n}`,
  actor: [{ reference: `Practitioner/practitioner-${n}` }],
  planningHorizon: { start: '2200-01-01' },
  extension: [
    {
      url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
      extension: [
        { url: 'slotMinutes', valuePositiveInt: 5 },
        ...times((n) => hours('availableTime', n)),
        ...times((n) => hours('break', n)),
        ...times(appointmentType),
      ],
    },
  ],
})
