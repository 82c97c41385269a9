/** A visit that is dragged: where it would be is marked, and said in words. */
import { type DragEvent, useRef, useState } from 'react'
import { clockText } from '../../fhir/time.ts'
import type { CalendarColumn, CalendarEntry, CalendarProps, Drop } from './entry.ts'
import { minuteOf, naiveAt, type Place, placeOf } from './layout.ts'

interface Held {
  readonly entry: CalendarEntry
  /** Minutes from its start to the pointer, and its length. */
  readonly grabbed: number
  readonly minutes: number
  readonly dropsAt: (row: string, naive: string) => Drop
}

interface Over {
  readonly column: string
  readonly place: Place
  readonly isAllowed: boolean
  readonly text: string
  readonly said: string
}

export type Drag = ReturnType<typeof useDrag>

export function useDrag({ dropsOf, onDrop, zone }: CalendarProps, range: Place) {
  const held = useRef<Held>(undefined)
  const [id, setId] = useState<string>()
  const [over, setOver] = useState<Over>()

  const start = (event: DragEvent<HTMLElement>, entry: CalendarEntry) => {
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setData('text/plain', entry.title)
    const { from, until } = placeOf(entry, zone)
    const box = event.currentTarget.getBoundingClientRect()
    const grabbed = ((event.clientY - box.top) / Math.max(box.height, 1)) * (until - from)
    held.current = { entry, grabbed, minutes: until - from, dropsAt: dropsOf(entry.id) }
    setId(entry.id)
  }
  const end = () => {
    held.current = undefined
    setId(undefined)
    setOver(undefined)
  }
  /** The wall time at which the held entry would begin. */
  const naiveUnder = (event: DragEvent<HTMLElement>, { day }: CalendarColumn, grabbed: number): string => {
    const box = event.currentTarget.getBoundingClientRect()
    const minute = range.from + ((event.clientY - box.top) / box.height) * (range.until - range.from)
    return naiveAt(day, minute - grabbed)
  }
  const moveOver = (event: DragEvent<HTMLElement>, column: CalendarColumn) => {
    const { current } = held
    if (current === undefined) return
    event.preventDefault()
    event.dataTransfer.dropEffect = 'move'
    const naive = naiveUnder(event, column, current.grabbed)
    const next = overOf(current, column, naive, zone)
    setOver((before) => (before !== undefined && isSame(before, next) ? before : next))
  }
  const drop = (event: DragEvent<HTMLElement>, column: CalendarColumn) => {
    const { current } = held
    if (current === undefined) return
    event.preventDefault()
    const naive = naiveUnder(event, column, current.grabbed)
    end()
    onDrop(current.entry.id, column.row, naive)
  }
  const onLeave = (event: DragEvent<HTMLElement>) => {
    const { left, right, top, bottom } = event.currentTarget.getBoundingClientRect()
    const { clientX: x, clientY: y } = event
    // Some browsers do not say which element comes next.
    if (x <= left || x >= right || y <= top || y >= bottom) setOver(undefined)
  }
  return { id, over, said: over?.said ?? '', start, end, moveOver, drop, onLeave }
}

function overOf({ entry, minutes, dropsAt }: Held, column: CalendarColumn, naive: string, zone: string): Over {
  const found = dropsAt(column.row, naive)
  const isSeen = found !== undefined
  const from = minuteOf(naive)
  const text = isSeen ? clockText(found.start, zone) : 'Nothing is free here'
  return {
    column: column.id,
    isAllowed: isSeen,
    place: isSeen ? placeOf(found, zone) : { from, until: from + minutes },
    text,
    said: isSeen
      ? `${entry.label}: to ${text}, ${column.name}.`
      : `${entry.label}: nothing is free there, ${column.name}.`,
  }
}

const isSame = (one: Over, other: Over): boolean =>
  one.said === other.said && one.column === other.column && one.place.from === other.place.from
