/** A Schedule whose Slots are generated for all half hours of all days, a week ahead. */
import type { Reference, Schedule } from 'fhir/r4'

const AVAILABILITY = 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability'
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

export const allDaySchedule = (id: string, actor: Reference): Schedule => ({
  resourceType: 'Schedule',
  id,
  actor: [actor],
  extension: [
    {
      url: AVAILABILITY,
      extension: [
        { url: 'slotMinutes', valuePositiveInt: 30 },
        { url: 'horizonDays', valuePositiveInt: 7 },
        { url: 'availableTime', extension: DAYS.map((day) => ({ url: 'daysOfWeek', valueCode: day })) },
      ],
    },
  ],
})
