/**
 * A calendar with the time down the side: a column for each practitioner of a day, or for each day of a practitioner. It
 * is as high as the window, so that the hours of a day are seen at once.
 */
import { Box, Text } from '@mantine/core'
import { useViewportSize } from '@mantine/hooks'
import { type CSSProperties, type KeyboardEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { clinicNow } from '../../api/clock.ts'
import { clockText, dayOf, naiveOf, wallTime } from '../../fhir/time.ts'
import { useEvery } from '../use-every.ts'
import classes from './calendar.module.css'
import { CalendarColumnView } from './column.tsx'
import type { CalendarProps } from './entry.ts'
import { kindColors } from './kinds.ts'
import { minuteOf, naiveAt, type Place, placeOf, rangeOf, topOf } from './layout.ts'
import { CalendarLegend } from './legend.tsx'
import { useDrag } from './use-drag.ts'
import { neighbourOf } from './walk.ts'

/** Pixels of the shortest entry, in which a line of text is read. */
const LEAST = 17
/** Pixels below the calendar: the legend, and the padding of the page. */
const BELOW = 64
const LEAST_HEIGHT = 320

export function Calendar(props: CalendarProps) {
  const { name, columns, entries, shades, zone, step } = props
  const colors = useMemo(
    () => kindColors(entries.flatMap(({ look, kind }) => (look === 'free' ? [] : kind))),
    [entries],
  )
  const { placed, range } = usePlaced(props)
  const now = useNow(zone)
  const frame = useFill()
  const drag = useDrag(props, range)
  const [current, setCurrent] = useState<string>()
  const first = placed.flatMap(({ entries }) => entries)[0]?.entry.id
  const isKnown = placed.some(({ entries }) => entries.some(({ entry }) => entry.id === current))
  const style = {
    '--columns': columns.length,
    '--least': `${Math.ceil(((range.until - range.from) / step) * LEAST)}px`,
    '--hours': (range.until - range.from) / 60,
  } as CSSProperties
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys move the focus between the buttons in it */}
      <div ref={frame} className={`card ${classes.frame}`} onKeyDown={walk} onDragLeave={drag.onLeave}>
        <Box className={classes.inner} style={style} role="group" aria-label={name}>
          <Axis range={range} now={columns.some(({ day }) => day === now.day) ? now : undefined} />
          {columns.map((column, index) => (
            <CalendarColumnView
              key={column.id}
              index={index}
              column={column}
              placed={placed[index] ?? { entries: [], shades: [] }}
              range={range}
              zone={zone}
              now={column.day === now.day ? now.minute : undefined}
              tabStop={isKnown ? current : first}
              onFocus={setCurrent}
              onOpen={props.onOpen}
              drag={drag}
              colors={colors}
            />
          ))}
        </Box>
      </div>
      <div className={classes.below}>
        <CalendarLegend colors={colors} isShut={shades.some(({ look }) => look === 'shut')} />
        <Text size="xs" role="status" className={classes.said}>
          {drag.said}
        </Text>
      </div>
    </div>
  )
}

/** Moves the focus by the arrow keys: through a column, and to the same time of the next one. */
function walk(event: KeyboardEvent<HTMLElement>): void {
  const next = neighbourOf(event.currentTarget, event.target as HTMLElement, event.key)
  if (next === undefined) return
  event.preventDefault()
  next.focus()
}

/** The entries and shades of each column with their places, and the hours that show all of them. */
function usePlaced({ columns, entries, shades, zone }: CalendarProps) {
  return useMemo(() => {
    const of = <T extends { readonly row: string; readonly start: string; readonly end: string }>(all: readonly T[]) =>
      all.map((one) => ({ one, day: dayOf(one.start, zone), place: placeOf(one, zone) }))
    const [allEntries, allShades] = [of(entries), of(shades)]
    const placed = columns.map(({ row, day }) => {
      const isHere = (item: { readonly one: { readonly row: string }; readonly day: string }) =>
        item.one.row === row && item.day === day
      return {
        entries: allEntries.filter(isHere).map(({ one, place }) => ({ entry: one, ...place })),
        shades: allShades.filter(isHere).map(({ one, place }) => ({ shade: one, ...place })),
      }
    })
    const open = placed.flatMap((one) => [...one.entries, ...one.shades.filter(({ shade }) => shade.look === 'open')])
    return { placed, range: rangeOf(open) }
  }, [columns, entries, shades, zone])
}

interface Now {
  readonly day: string
  readonly minute: number
  readonly text: string
}

/** The time of the clinic, which goes on. */
function useNow(zone: string): Now {
  useEvery(15_000)
  const at = clinicNow()
  return { day: dayOf(at, zone), minute: minuteOf(naiveOf(at, zone)), text: clockText(at, zone) }
}

/** Gives the element the height that is left of the window below its top. */
function useFill() {
  const box = useRef<HTMLDivElement>(null)
  const { height } = useViewportSize()
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const top = element.getBoundingClientRect().top + window.scrollY
    element.style.height = `${Math.max((height || window.innerHeight) - top - BELOW, LEAST_HEIGHT)}px`
  })
  return box
}

function Axis({ range, now }: { readonly range: Place; readonly now: Now | undefined }) {
  const hours = Array.from({ length: (range.until - range.from) / 60 }, (_, index) => range.from + index * 60)
  const isSeen = now !== undefined && now.minute >= range.from && now.minute <= range.until
  return (
    <div className={classes.axis} aria-hidden="true">
      <div className={classes.head} />
      <div className={classes.hours}>
        {hours.map((minute) => (
          <span key={minute} className={classes.hour} style={{ top: topOf(minute, range) }}>
            {hourText(minute)}
          </span>
        ))}
        {isSeen && (
          <span className={classes.clock} style={{ top: topOf(now.minute, range) }}>
            {now.text}
          </span>
        )}
      </div>
    </div>
  )
}

/** An hour as the clinic writes times, `9 AM` or `09:00`, on a day without a change of the clocks. */
const hourText = (minute: number): string =>
  clockText(wallTime(naiveAt('2026-01-05', minute).replace(' ', 'T'), 'UTC'), 'UTC').replace(':00 ', ' ')
