/**
 * Requests, errors and p95 by periods. Each period is a button over its bar, which arrow keys go along; the same numbers
 * are a table for screen readers.
 */
import { Box, Group, Text, VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { AxisBottom, AxisLeft, AxisRight } from '@visx/axis'
import { scaleLinear } from '@visx/scale'
import { Bar, LinePath } from '@visx/shape'
import { type KeyboardEvent, useState } from 'react'
import type { Counts } from '../../api/exchanges.ts'
import { clockText, dayOf, dayText, secondsText } from '../../fhir/time.ts'
import { labelledOf, shortDay, whole } from './ticks.ts'
import classes from './traffic.module.css'

type Period = Counts['periods'][number]

interface TrafficProps {
  readonly counts: Counts
  /** IANA name. */
  readonly zone: string
  /** Pixels. */
  readonly height: number
  /** Called with FHIR instants when a period is chosen. */
  readonly onZoom: (from: string, to: string) => void
}

const MARGIN = { top: 8, right: 52, bottom: 22, left: 36 }
/** Pixels of a label below the bars. */
const LABEL = 84
const DAY = 86_400

export function Traffic({ counts, zone, height, onZoom }: TrafficProps) {
  const { ref, width } = useElementSize()
  const { periods, period, requests, errors, p95 } = counts
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right)
  const below = height - MARGIN.top - MARGIN.bottom
  const step = inner / periods.length
  const y = scaleLinear({
    domain: [0, Math.max(4, ...periods.map((one) => one.requests))],
    range: [below, 0],
    nice: true,
  })
  const slowest = Math.max(10, ...periods.map((one) => one.p95 ?? 0))
  const yOfTime = scaleLinear({ domain: [0, slowest], range: [below, 0], nice: true })
  const x = scaleLinear({ domain: [0, periods.length], range: [0, inner] })
  const every = labelledOf(periods.length, inner, LABEL)
  const measured = periods.flatMap((one, index) => (one.p95 === undefined ? [] : [{ index, p95: one.p95 }]))
  return (
    <div>
      <Legend {...{ requests, errors, p95, isWhole: counts.isWhole }} />
      <Box ref={ref} h={height} pos="relative">
        {width > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            <g transform={`translate(${MARGIN.left},${MARGIN.top})`}>
              {periods.map((one, index) => (
                <g key={one.from}>
                  <Bar {...barAt(index, step)} y={y(one.requests)} height={below - y(one.requests)} className="bar" />
                  <Bar
                    {...barAt(index, step)}
                    y={y(one.errors)}
                    height={below - y(one.errors)}
                    className={classes.error}
                  />
                </g>
              ))}
              <LinePath
                data={measured}
                x={({ index }) => (index + 0.5) * step}
                y={(one) => yOfTime(one.p95)}
                className={classes.line}
              />
              <AxisLeft scale={y} numTicks={3} hideTicks hideAxisLine tickClassName="tick" tickFormat={whole} />
              <AxisRight
                left={inner}
                scale={yOfTime}
                numTicks={3}
                hideTicks
                hideAxisLine
                tickClassName="tick"
                tickFormat={(milliseconds) => timeLabel(Number(milliseconds))}
              />
              <AxisBottom
                top={below}
                scale={x}
                hideTicks
                axisLineClassName="axis"
                tickClassName="tick"
                tickValues={periods.map((_, index) => index).filter((index) => index % every === 0)}
                tickFormat={(index) => shortText(periods[Number(index)], period, zone)}
              />
            </g>
          </svg>
        )}
        {width > 0 && <Periods counts={counts} zone={zone} step={step} below={below} onZoom={onZoom} />}
      </Box>
      <VisuallyHidden>
        <Numbers counts={counts} zone={zone} />
      </VisuallyHidden>
    </div>
  )
}

const barAt = (index: number, step: number) => ({ x: index * step + step * 0.1, width: Math.max(1, step * 0.8) })

interface LegendProps extends Pick<Counts, 'requests' | 'errors' | 'isWhole'> {
  readonly p95: number | undefined
}

function Legend({ requests, errors, p95, isWhole }: LegendProps) {
  return (
    <Group gap="md" role="status">
      <Text size="sm">
        <span className={classes.barKey} /> {countText(requests, 'request')}
      </Text>
      <Text size="sm">
        <span className={classes.errorKey} /> {countText(errors, 'error')}
      </Text>
      {p95 !== undefined && (
        <Text size="sm" title="95 of 100 requests took this long at most">
          <span className={classes.lineKey} /> p95 {timeLabel(p95)}
        </Text>
      )}
      {!isWhole && (
        <Text size="sm" c="dimmed">
          The newest 100,000 are counted; choose a shorter time for the others.
        </Text>
      )}
    </Group>
  )
}

interface PeriodsProps extends Omit<TrafficProps, 'height'> {
  /** Pixels. */
  readonly step: number
  readonly below: number
}

/** One button has the focus in turn, as in a toolbar: https://www.w3.org/WAI/ARIA/apg/patterns/toolbar/ */
function Periods({ counts: { periods, period, to }, zone, step, below, onZoom }: PeriodsProps) {
  const [at, setAt] = useState(0)
  const current = Math.min(at, periods.length - 1)
  const go = (event: KeyboardEvent<HTMLElement>): void => {
    const next = keyed(event.key, current, periods.length)
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
    event.currentTarget.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div role="toolbar" aria-label="Zoom into a period" className={classes.periods} onKeyDown={go}>
      {periods.map((one, index) => (
        <button
          key={one.from}
          type="button"
          className={classes.period}
          style={{ left: MARGIN.left + index * step, width: step, top: MARGIN.top, height: below }}
          tabIndex={index === current ? 0 : -1}
          title={periodText(one, period, zone)}
          onFocus={() => setAt(index)}
          onClick={() => onZoom(one.from, endOf(one, period, to))}
        >
          <VisuallyHidden>{periodText(one, period, zone)}</VisuallyHidden>
        </button>
      ))}
    </div>
  )
}

const keyed = (key: string, current: number, count: number): number | undefined =>
  ({
    ArrowLeft: Math.max(0, current - 1),
    ArrowRight: Math.min(count - 1, current + 1),
    Home: 0,
    End: count - 1,
  })[key]

function Numbers({ counts: { periods, period }, zone }: Pick<TrafficProps, 'counts' | 'zone'>) {
  return (
    <table>
      <caption>Requests by time</caption>
      <thead>
        <tr>
          {['Time', 'Requests', 'Errors', 'p95 in milliseconds'].map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {periods.map((one) => (
          <tr key={one.from}>
            <th scope="row">{timesText(one, period, zone)}</th>
            <td>{one.requests}</td>
            <td>{one.errors}</td>
            <td>{one.p95}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const endOf = ({ from }: Period, period: number, to: string): string =>
  new Date(Math.min(Date.parse(from) + period * 1_000, Date.parse(to))).toISOString()

/** `Tue 24 Nov 2026, 10:30 to 10:32` */
function timesText({ from }: Period, period: number, zone: string): string {
  const end = new Date(Date.parse(from) + period * 1_000).toISOString()
  if (period >= DAY) return `${dayText(from, zone)} to ${dayText(end, zone)}`
  const text = period < 60 ? secondsText : clockText
  return `${dayText(from, zone)}, ${text(from, zone)} to ${text(end, zone)}`
}

const periodText = (one: Period, period: number, zone: string): string =>
  [
    `${timesText(one, period, zone)}: ${countText(one.requests, 'request')}`,
    countText(one.errors, 'error'),
    ...(one.p95 === undefined ? [] : [`p95 ${timeLabel(one.p95)}`]),
  ].join(', ')

/** The label of a bar: a day or a time of day. */
function shortText(one: Period | undefined, period: number, zone: string): string {
  if (one === undefined) return ''
  const { from } = one
  if (period >= 3_600) return shortDay(dayOf(from, zone))
  return period < 60 ? secondsText(from, zone) : clockText(from, zone)
}

const countText = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`

/** `12 ms`, `1.5 s` */
const timeLabel = (milliseconds: number): string =>
  milliseconds >= 1_000 ? `${Math.round(milliseconds / 100) / 10} s` : `${Math.round(milliseconds)} ms`
