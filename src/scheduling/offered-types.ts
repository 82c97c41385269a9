/** The kinds of visits that a Schedule offers, each with its length and the query for its Slots. */
import type { CodeableConcept, Schedule, Slot } from 'fhir/r4'
import { timeOf } from '../fhir/dates.ts'
import { tokenText } from '../search/value.ts'
import type { Availability } from './availability.ts'

export interface OfferedType {
  /** Spoken name. */
  readonly name: string
  readonly durationMinutes: number
  /**
   * Search parameter that finds its Slots: `appointment-type=system|code` for Slots of this type only,
   * `service-type=system|code` for Slots for visits of any type.
   */
  readonly query: string
  /** Identity of the type: equal for types with the same coding, whichever Schedule offers them. */
  readonly code: string
}

/**
 * @param availability availability of the Schedule; absent if its Slots are not generated, so that `slots` show the
 * types
 */
export function typesOf(
  { serviceType = [] }: Pick<Schedule, 'serviceType'>,
  availability: Availability | undefined,
  slots: readonly Slot[],
): readonly OfferedType[] {
  if (availability === undefined) return slots.flatMap((slot) => typesOfSlot(slot, serviceType))
  const { appointmentTypes, weeklyHours, specialHours, slotMinutes } = availability
  const isForAny = [...weeklyHours, ...specialHours].some(({ appointmentType }) => appointmentType === undefined)
  return [
    ...appointmentTypes.flatMap(({ type, minutes }) => typeOf('appointment-type', type, minutes)),
    ...(isForAny ? serviceType.flatMap((type) => typeOf('service-type', type, slotMinutes)) : []),
  ]
}

function typesOfSlot(slot: Slot, ofSchedule: readonly CodeableConcept[]): readonly OfferedType[] {
  const minutes = Math.round((timeOf(slot.end) - timeOf(slot.start)) / 60_000)
  if (!(minutes > 0)) return []
  if (slot.appointmentType !== undefined) return typeOf('appointment-type', slot.appointmentType, minutes)
  return (slot.serviceType ?? ofSchedule).flatMap((type) => typeOf('service-type', type, minutes))
}

/** Identified by its first code; a type without a code has no query. */
function typeOf(
  param: 'appointment-type' | 'service-type',
  { coding = [], text }: CodeableConcept,
  durationMinutes: number,
): readonly OfferedType[] {
  const coded = coding.find((one) => one.code !== undefined)
  if (coded?.code === undefined) return []
  const { system, code, display } = coded
  const query = String(new URLSearchParams({ [param]: tokenText(system, code) }))
  return [{ name: text ?? display ?? code, durationMinutes, query, code: JSON.stringify([system ?? '', code]) }]
}

const BY_NAME = new Intl.Collator('en', { sensitivity: 'base' })

/** Distinct types, with their longest length and first name, sorted by name. */
export function distinctTypes(types: readonly OfferedType[]): readonly OfferedType[] {
  const byCode = new Map<string, OfferedType>()
  for (const type of types) {
    const known = byCode.get(type.code)
    const durationMinutes = Math.max(type.durationMinutes, known?.durationMinutes ?? 0)
    byCode.set(type.code, { ...(known ?? type), durationMinutes })
  }
  return [...byCode.values()].sort(
    (one, other) => BY_NAME.compare(one.name, other.name) || (one.code < other.code ? -1 : 1),
  )
}
