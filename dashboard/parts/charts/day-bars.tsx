/** Numbers by day as bars, with the same numbers as a table for screen readers. */
import { Box, VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleBand, scaleLinear } from '@visx/scale'
import { Bar } from '@visx/shape'
import { dateText } from '../../fhir/time.ts'
import { labelledOf, shortDay, whole } from './ticks.ts'

export interface DayNumber {
  /** `2026-11-24` */
  readonly day: string
  readonly number: number
}

interface DayBarsProps {
  /** The title, such as "Calls". */
  readonly title: string
  readonly days: readonly DayNumber[]
  /** Pixels. */
  readonly height: number
}

const MARGIN = { top: 8, right: 4, bottom: 24, left: 30 }
/** Pixels of a label below the bars. */
const LABEL = 64

export function DayBars({ title, days, height }: DayBarsProps) {
  const { ref, width } = useElementSize()
  const inner = Math.max(0, width - MARGIN.left - MARGIN.right)
  const most = Math.max(4, ...days.map(({ number }) => number))
  const x = scaleBand({ domain: days.map(({ day }) => day), range: [0, inner], padding: 0.3 })
  const y = scaleLinear({ domain: [0, most], range: [height - MARGIN.top - MARGIN.bottom, 0], nice: true })
  const total = days.reduce((sum, { number }) => sum + number, 0)
  const label = `${title} in ${days.length} days: ${total}`
  const every = labelledOf(days.length, inner, LABEL)
  const few = days.filter((_, index) => index % every === 0)
  return (
    <Box ref={ref} h={height}>
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={label}>
          <g transform={`translate(${MARGIN.left},${MARGIN.top})`}>
            {days.map(({ day, number }) => (
              <Bar
                key={day}
                x={x(day) ?? 0}
                y={y(number)}
                width={x.bandwidth()}
                height={Math.max(0, y(0) - y(number))}
                rx={2}
                className="bar"
              >
                <title>{`${dateText(day)}: ${number}`}</title>
              </Bar>
            ))}
            <AxisLeft scale={y} numTicks={4} hideTicks hideAxisLine tickClassName="tick" tickFormat={whole} />
            <AxisBottom
              top={y(0)}
              scale={x}
              hideTicks
              axisLineClassName="axis"
              tickClassName="tick"
              tickValues={few.map(({ day }) => day)}
              tickFormat={shortDay}
            />
          </g>
        </svg>
      )}
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <tbody>
            {days.map(({ day, number }) => (
              <tr key={day}>
                <th scope="row">{dateText(day)}</th>
                <td>{number}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </Box>
  )
}
