/** Calendars of a hostile clinic, generated from numbers: 100 schedules with 200 free Slots each. */
import type { Schedule, Slot } from 'fhir/r4'

export const HOSTILE_CALENDARS = { schedules: 100, slots: 20_000 } as const

const PER_SCHEDULE = HOSTILE_CALENDARS.slots / HOSTILE_CALENDARS.schedules
const MINUTE = 60_000
const SLOT_MINUTES = 5
/** Far enough in the future. */
export const CALENDARS_START = Date.UTC(2032, 0, 5, 9)
export const CALENDARS_END = CALENDARS_START + PER_SCHEDULE * SLOT_MINUTES * MINUTE

const hostileScheduleId = (n: number): string => `hostile-schedule-${n}`
export const hostileSlotId = (n: number): string => `hostile-slot-${n}`

export const hostileSchedule = (n: number): Schedule => ({
  resourceType: 'Schedule',
  id: hostileScheduleId(n),
  actor: [{ reference: `Practitioner/practitioner-${n % 50}` }],
})

/** All schedules have theirs at the same times. */
export function hostileSlot(n: number): Slot {
  const [number, schedule] = [Math.floor(n / HOSTILE_CALENDARS.schedules), n % HOSTILE_CALENDARS.schedules]
  const start = CALENDARS_START + number * SLOT_MINUTES * MINUTE
  return {
    resourceType: 'Slot',
    id: hostileSlotId(n),
    schedule: { reference: `Schedule/${hostileScheduleId(schedule)}` },
    status: 'free',
    start: new Date(start).toISOString(),
    end: new Date(start + SLOT_MINUTES * MINUTE).toISOString(),
  }
}
