/** Ids, tags and content of generated Slots. https://hl7.org/fhir/R4/slot.html */
import { createHash } from 'node:crypto'
import type { Slot } from 'fhir/r4'
import type { SlotPlan } from './availability.ts'
import type { PlannedSlot } from './planned-slots.ts'
import { ZoneClock } from './zone-clock.ts'

/** System of meta.tag in a generated Slot. A Slot without it was created by a user, and is left alone. */
const ORIGIN_SYSTEM = 'https://sandbox-emr.example/fhir/CodeSystem/slot-origin'

const CODES = { visit: 'generated', buffer: 'generated-buffer' } as const satisfies Record<PlannedSlot['kind'], string>

/** The tag in the form of a search parameter. */
export const BUFFER_TAG = `${ORIGIN_SYSTEM}|${CODES.buffer}`

export type SlotWithId = Slot & { readonly id: string }

/** https://hl7.org/fhir/R4/datatypes.html#id */
const MAX_ID = 64

/** The same for every process and run, so that no slot is created twice: `slot-<schedule>-20260302T1330Z`. */
export function slotIdAt(schedule: string, start: number): string {
  const time = new Date(start)
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\d\d\.\d+Z$/, 'Z')
  const id = `slot-${schedule}-${time}`
  if (id.length <= MAX_ID) return id
  return `slot-${createHash('sha256').update(schedule).digest('hex').slice(0, 32)}-${time}`
}

/** Returns undefined for a Slot that was not generated. */
export function kindOf({ meta }: Slot): PlannedSlot['kind'] | undefined {
  const codes = (meta?.tag ?? []).filter(({ system }) => system === ORIGIN_SYSTEM).map(({ code }) => code)
  if (codes.includes(CODES.buffer)) return 'buffer'
  return codes.includes(CODES.visit) ? 'visit' : undefined
}

/** True for a generated Slot that has not been booked, held or blocked. */
export function isUntouched(slot: Slot): boolean {
  switch (kindOf(slot)) {
    case 'visit':
      return slot.status === 'free'
    case 'buffer':
      return slot.status === 'busy-unavailable'
    case undefined:
      return false
  }
}

/** Creates the Slots of a plan; each replaces `stored` if the content differs. */
export function slotsOf(schedule: string, { details, timeZone }: SlotPlan) {
  const clock = new ZoneClock(timeZone)
  return ({ kind, start, end, appointmentType }: PlannedSlot, stored?: Slot): SlotWithId => {
    const { meta, serviceCategory: _c, serviceType: _t, specialty: _s, appointmentType: _a, ...kept } = stored ?? {}
    const tags = (meta?.tag ?? []).filter(({ system }) => system !== ORIGIN_SYSTEM)
    return {
      ...kept,
      resourceType: 'Slot',
      id: slotIdAt(schedule, start),
      meta: { ...meta, tag: [...tags, { system: ORIGIN_SYSTEM, code: CODES[kind] }] },
      ...details,
      ...(appointmentType === undefined ? {} : { appointmentType }),
      schedule: { reference: `Schedule/${schedule}` },
      status: kind === 'buffer' ? 'busy-unavailable' : 'free',
      start: clock.format(start),
      end: clock.format(end),
    }
  }
}
