/** The later visits of a series, each at its time, or at the free time nearest to it. */
import type { Slot } from 'fhir/r4'
import { useEachOf } from '../../api/all-pages.ts'
import { clinicNow } from '../../api/clock.ts'
import { type FreeTime, nearestTo } from '../../fhir/free-times.ts'
import { addDays, dayOf, minutesBetween, naiveOf, wallTime } from '../../fhir/time.ts'
import { timesFor } from '../../fhir/visit-kinds.ts'
import { slotSearch, stillFree } from './use-free-slots.ts'

export interface Rhythm {
  /** Weeks from one visit to the next. */
  readonly weeks: number
  /** Visits in all. */
  readonly times: number
}

export interface Occurrence {
  /** When it should be, as an instant. */
  readonly at: string
  /** Undefined where nothing is free near it. */
  readonly time: FreeTime | undefined
  readonly isAtItsTime: boolean
  readonly isRead: boolean
}

/** Minutes around its time within which another one is looked for: that day, and those beside it. */
const NEAR = 36 * 60

/** @param rhythm undefined: the visit is not repeated */
export function useOccurrences(first: FreeTime | undefined, rhythm: Rhythm | undefined, zone: string) {
  const starts = first === undefined || rhythm === undefined ? [] : laterStarts(first.start, rhythm, zone)
  const looks = starts.map((at) => ({ who: first?.schedule ?? '', from: addDays(dayOf(at, zone), -1), days: 3 }))
  const found = useEachOf<Slot>(
    'Slot',
    looks.map((look) => slotSearch(look, zone)),
  )
  const minutes = first === undefined ? 0 : minutesBetween(first.start, first.end)
  return starts.map((at, index): Occurrence => {
    const { data } = found[index] ?? {}
    const times = ofType(timesFor(stillFree(data?.matches ?? [], [], clinicNow()), { minutes }), first?.type)
    const time = nearestTo(times, naiveOf(at, zone), { zone, within: NEAR })
    const isAtItsTime = time !== undefined && Date.parse(time.start) === Date.parse(at)
    return { at, time, isAtItsTime, isRead: data !== undefined }
  })
}

const ofType = (times: readonly FreeTime[], type = ''): readonly FreeTime[] =>
  times.filter((time) => time.type === '' || time.type === type)

/** At the same time by the clinic's clocks, also where those change in between. */
function laterStarts(start: string, { weeks, times }: Rhythm, zone: string): readonly string[] {
  const [day, clock] = [dayOf(start, zone), naiveOf(start, zone).slice(11)]
  return Array.from({ length: times - 1 }, (_, index) =>
    wallTime(`${addDays(day, 7 * weeks * (index + 1))}T${clock}`, zone),
  )
}
