/** The kinds of visit that Schedules offer, with their lengths: docs/tools/list-appointment-types.md. */
import type { Appointment, CodeableConcept, Schedule, Slot } from 'fhir/r4'
import { availabilityOf } from './availability.ts'
import { type FreeTime, freeTimes, scheduleIdOf, type TimedSlot } from './free-times.ts'
import { conceptText } from './names.ts'

export interface VisitKind {
  /** `system|code` */
  readonly key: string
  readonly name: string
  readonly concept: CodeableConcept
  /** The element of an Appointment and of a Slot that says it. */
  readonly element: 'appointmentType' | 'serviceType'
  /** Minutes, by the ids of the Schedules that offer it; undefined: one Slot, however long. */
  readonly minutes: ReadonlyMap<string, number | undefined>
}

/** Sorted by name. A type without a code is left out, as no Slot is found by it. */
export function kindsOf(schedules: readonly Schedule[]): readonly VisitKind[] {
  const kinds = new Map<string, VisitKind>()
  for (const offered of schedules.flatMap(offeredBy)) {
    const before = kinds.get(offered.key)
    kinds.set(offered.key, {
      ...(before ?? offered),
      minutes: new Map([...offered.minutes, ...(before?.minutes ?? [])]),
    })
  }
  return [...kinds.values()].sort((one, other) => one.name.localeCompare(other.name, 'en'))
}

function offeredBy(schedule: Schedule): readonly VisitKind[] {
  const { id = '', serviceType = [] } = schedule
  const hours = availabilityOf(schedule)
  const kind = (element: VisitKind['element'], concept: CodeableConcept, minutes: string | undefined) => {
    const [key] = codesOf([concept])
    const length = Number(minutes) || undefined
    return key === undefined
      ? []
      : [{ key, name: conceptText(concept), concept, element, minutes: new Map([[id, length]]) }]
  }
  const services = serviceType.flatMap((concept) => kind('serviceType', concept, hours?.slotMinutes))
  if (hours === undefined) return services
  const isForAny = [...hours.weekly, ...hours.special].some(({ type }) => type === '')
  const types = hours.types.flatMap(({ concept, minutes }) =>
    concept === undefined ? [] : kind('appointmentType', concept, minutes),
  )
  return [...types, ...(isForAny ? services : [])]
}

const codesOf = (concepts: readonly CodeableConcept[]): readonly string[] =>
  concepts.flatMap(({ coding = [] }) => coding.flatMap(({ system = '', code }) => (code ? [`${system}|${code}`] : [])))

/** The kind that an appointment, or a Slot for one kind only, asks for. */
export function kindIn(
  kinds: readonly VisitKind[],
  { appointmentType, serviceType = [] }: Pick<Appointment, 'appointmentType' | 'serviceType'>,
): VisitKind | undefined {
  const codes = codesOf([...(appointmentType === undefined ? [] : [appointmentType]), ...serviceType])
  return kinds.find(({ key }) => codes.includes(key))
}

/** A Slot of a type of its own takes visits of that alone. */
function suits({ key, element, minutes }: VisitKind, slot: Slot): boolean {
  if (!minutes.has(scheduleIdOf(slot))) return false
  if (slot.appointmentType !== undefined) return element === 'appointmentType' && isOneOf([slot.appointmentType], key)
  return element === 'appointmentType' || isOneOf(slot.serviceType ?? [], key)
}

const isOneOf = (concepts: readonly CodeableConcept[], key: string): boolean => {
  const codes = codesOf(concepts)
  return codes.length === 0 || codes.includes(key)
}

/**
 * Every start from which a visit of the kind fits, in order.
 * @param minutes needed where no kind is asked for; undefined: each Slot is a time of its own
 */
export function timesFor(
  slots: readonly TimedSlot[],
  { kind, minutes }: { readonly kind?: VisitKind | undefined; readonly minutes?: number | undefined },
): readonly FreeTime[] {
  if (kind === undefined) return freeTimes(slots, minutes)
  const suiting = slots.filter((slot) => suits(kind, slot))
  return Array.from(kind.minutes, ([schedule, length]) =>
    freeTimes(
      suiting.filter((slot) => scheduleIdOf(slot) === schedule),
      length ?? minutes,
    ),
  )
    .flat()
    .sort((one, other) => Date.parse(one.start) - Date.parse(other.start))
}
