/** Whole phone calls: as tables, and compared with targets. */
import { table, type Verdict } from '../report.ts'
import type { TimedStep } from './caller.ts'
import { type CallsResults, IN_PROGRESS } from './calls-bench.ts'
import { FAR_MILLISECONDS } from './far-time.ts'

/** Milliseconds of a tool at the 99th percentile, without the time of the clinic's own system. */
const MAX_P99 = 15
/** Milliseconds of the server for all tools of a call, without the time of the clinic's own systems. */
const MAX_WHOLE_CALL = 150

/** They wait for a system of the clinic. */
const WAITING: ReadonlySet<string> = new Set(['submit_insurance_info', 'submit_intake'])

const farTime = (tool: string): number => (WAITING.has(tool) ? FAR_MILLISECONDS : 0)

const ofServer = (steps: readonly TimedStep[]): number =>
  steps.reduce((sum, { tool, milliseconds }) => sum + milliseconds - farTime(tool), 0)

function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

const byTool = (steps: readonly TimedStep[]): ReadonlyMap<string, readonly number[]> =>
  new Map(
    [...Map.groupBy(steps, ({ tool }) => tool)].map(([tool, ofTool]) => [
      tool,
      ofTool.map((step) => step.milliseconds),
    ]),
  )

export function callsTables({ alone, atOnce, inProgress, cpuPerCall }: CallsResults): string {
  const [inTurn, crowd, many] = [byTool(alone.flat()), byTool(atOnce), byTool(inProgress)]
  const cells = (values: readonly number[] = []): readonly string[] => [
    percentile(values, 50).toFixed(1),
    percentile(values, 99).toFixed(1),
  ]
  return [
    table(
      ['', 'in turn, p50 ms', 'p99', '16 at once, p50', 'p99', `${IN_PROGRESS} in progress, p50`, 'p99'],
      [...inTurn.keys()].map((tool) => [
        tool,
        ...cells(inTurn.get(tool)),
        ...cells(crowd.get(tool)),
        ...cells(many.get(tool)),
      ]),
    ),
    `A whole call takes ${percentile(alone.map(ofServer), 50).toFixed(0)} ms of the server, and ${cpuPerCall?.toFixed(1) ?? '-'} ms of processor time.`,
  ].join('\n\n')
}

export const callsVerdicts = ({ alone, atOnce, inProgress }: CallsResults): readonly Verdict[] => [
  wholeCall(percentile(alone.map(ofServer), 50)),
  ...toolVerdicts('16 at once', atOnce),
  ...toolVerdicts(`${IN_PROGRESS} in progress`, inProgress),
]

const wholeCall = (milliseconds: number): Verdict => ({
  what: 'a whole call of twelve tools',
  value: `${milliseconds.toFixed(0)} ms`,
  target: `below ${MAX_WHOLE_CALL} ms`,
  pass: milliseconds < MAX_WHOLE_CALL,
})

const toolVerdicts = (how: string, steps: readonly TimedStep[]): readonly Verdict[] =>
  [...byTool(steps)].map(([tool, values]) => {
    const [p99, below] = [percentile(values, 99), MAX_P99 + farTime(tool)]
    return {
      what: `${tool}, ${how}`,
      value: `p99 ${p99.toFixed(1)} ms`,
      target: `below ${below} ms`,
      pass: p99 < below,
    }
  })
