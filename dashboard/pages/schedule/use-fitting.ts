/** The chosen time, made as long as the kind of visit takes. */
import { type FreeTime, scheduleIdOf } from '../../fhir/free-times.ts'
import { clockText, dayOf, minutesBetween } from '../../fhir/time.ts'
import { timesFor, type VisitKind } from '../../fhir/visit-kinds.ts'
import { useFreeSlots } from './use-free-slots.ts'
import type { Column } from './use-plan.ts'

interface Around {
  readonly columns: readonly Column[]
  /** Slots that are held in this dialog. */
  readonly own: readonly string[]
  readonly zone: string
}

interface Fitting {
  /** Undefined until there is one. */
  readonly time: FreeTime | undefined
  /** Says that the visit does not fit. */
  readonly tooShort?: string
}

export function useFitting(
  chosen: FreeTime | undefined,
  kind: VisitKind | undefined,
  { columns, own, zone }: Around,
): Fitting {
  const looked = { who: chosen?.schedule ?? '', from: dayOf(chosen?.start ?? 0, zone), days: 1 }
  const { data } = useFreeSlots(looked, zone, own, chosen !== undefined && kind !== undefined)
  if (chosen === undefined || kind === undefined) return { time: chosen }
  const { schedule, start } = chosen
  const who = columns.find(({ id }) => id === schedule)?.label ?? 'this practitioner'
  if (!kind.minutes.has(schedule))
    return { time: undefined, tooShort: `${who} does not offer ${kind.name}. Choose another time.` }
  const minutes = kind.minutes.get(schedule) ?? minutesBetween(start, chosen.end)
  if (data === undefined) return { time: minutes === minutesBetween(start, chosen.end) ? chosen : undefined }
  const ofSchedule = data.filter((slot) => scheduleIdOf(slot) === schedule)
  const time = timesFor(ofSchedule, { kind }).find((one) => one.start === start)
  if (time !== undefined) return { time }
  // A time that was taken in the meantime stays chosen: the server says so.
  if (!ofSchedule.some((slot) => slot.start === start)) return { time: chosen }
  return {
    time: undefined,
    tooShort: `${kind.name} takes ${minutes} minutes, which are not free from ${clockText(start, zone)}. Choose another time.`,
  }
}
