/** A column of the calendar: its head, the time behind, entries over it, and the mark of a drop. */
import { Box, VisuallyHidden } from '@mantine/core'
import { useMemo } from 'react'
import { clockText } from '../../fhir/time.ts'
import classes from './calendar.module.css'
import type { CalendarColumn, CalendarEntry, CalendarShade } from './entry.ts'
import type { KindColors } from './kinds.ts'
import { inLanes, type Lane, type Place, topOf } from './layout.ts'
import type { Drag } from './use-drag.ts'

export interface Placed {
  readonly entries: readonly (Place & { readonly entry: CalendarEntry })[]
  readonly shades: readonly (Place & { readonly shade: CalendarShade })[]
}

interface ColumnProps {
  readonly index: number
  readonly column: CalendarColumn
  readonly placed: Placed
  readonly range: Place
  readonly zone: string
  /** Minute of the day; undefined where it is not the day. */
  readonly now: number | undefined
  /** The only entry that the Tab key stops at. */
  readonly tabStop: string | undefined
  readonly onFocus: (id: string) => void
  readonly onOpen: (id: string) => void
  readonly drag: Drag
  readonly colors: KindColors
}

export function CalendarColumnView(props: ColumnProps) {
  const { index, column, placed, range, zone, now, tabStop, onFocus, onOpen, drag, colors } = props
  const lanes = useMemo(() => inLanes(placed.entries), [placed.entries])
  return (
    <Box className={classes.column} role="group" aria-label={column.name}>
      <div className={classes.head}>{column.head}</div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a visit is moved without a mouse by its dialog */}
      <div
        className={classes.body}
        onDragEnter={(event) => drag.moveOver(event, column)}
        onDragOver={(event) => drag.moveOver(event, column)}
        onDrop={(event) => drag.drop(event, column)}
      >
        {placed.shades.map(({ shade, ...place }) => (
          <Shade
            key={shade.id}
            shade={shade}
            style={boxOf(place, range)}
            column={index}
            from={place.from}
            onOpen={onOpen}
          />
        ))}
        {now !== undefined && now >= range.from && now <= range.until && (
          <div className={classes.now} style={{ top: topOf(now, range) }} />
        )}
        {lanes.map(({ entry, ...place }) => (
          <button
            key={entry.id}
            type="button"
            className={classes.entry}
            style={{ ...boxOf(place, range), ...asideOf(place) }}
            title={entry.title}
            data-look={entry.look}
            data-color={entry.look === 'free' ? undefined : (colors.get(entry.kind) ?? 'plain')}
            data-column={index}
            data-from={place.from}
            data-time={`${entry.row} ${entry.start}`}
            data-dragged={drag.id === entry.id || undefined}
            tabIndex={entry.id === tabStop ? 0 : -1}
            draggable={entry.isMovable}
            onFocus={() => onFocus(entry.id)}
            onClick={() => onOpen(entry.id)}
            onDragStart={(event) => drag.start(event, entry)}
            onDragEnd={drag.end}
          >
            <EntryText entry={entry} zone={zone} />
          </button>
        ))}
        {drag.over?.column === column.id && (
          <div
            className={classes.mark}
            data-allowed={drag.over.isAllowed}
            style={boxOf(drag.over.place, range)}
            aria-hidden="true"
          >
            {drag.over.text}
          </div>
        )}
      </div>
    </Box>
  )
}

function EntryText({ entry, zone }: { readonly entry: CalendarEntry; readonly zone: string }) {
  return (
    <span className={classes.text}>
      <span className={classes.at}>{clockText(entry.start, zone)}</span>{' '}
      <bdi className={classes.label}>{entry.label}</bdi>
      {entry.kind !== '' && <bdi> · {entry.kind}</bdi>}
      <VisuallyHidden>{entry.spoken}</VisuallyHidden>
    </span>
  )
}

interface ShadeProps {
  readonly shade: CalendarShade
  readonly style: object
  readonly column: number
  readonly from: number
  readonly onOpen: (id: string) => void
}

function Shade({ shade, style, column, from, onOpen }: ShadeProps) {
  const { opens } = shade
  if (opens === undefined) {
    return (
      <div className={classes.shade} data-look={shade.look} style={style} title={shade.text || undefined}>
        <bdi>{shade.text}</bdi>
      </div>
    )
  }
  return (
    <button
      type="button"
      className={classes.shade}
      data-look={shade.look}
      data-column={column}
      data-from={from}
      style={style}
      title={shade.text}
      onClick={() => onOpen(opens)}
    >
      <bdi>{shade.text}</bdi>
    </button>
  )
}

const boxOf = (place: Place, range: Place) => {
  const [from, until] = [Math.max(place.from, range.from), Math.min(place.until, range.until)]
  return { top: topOf(from, range), height: `${(Math.max(until - from, 0) / (range.until - range.from)) * 100}%` }
}

const asideOf = ({ lane, lanes }: Lane) => ({
  insetInlineStart: `calc(${(lane / lanes) * 100}% + 2px)`,
  width: `calc(${100 / lanes}% - 5px)`,
})
