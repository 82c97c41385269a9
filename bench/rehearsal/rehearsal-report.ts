/** Rehearsal: as a table, and compared with targets. */
import { table, type Verdict } from '../report.ts'
import { EXCHANGES } from './judging-bench.ts'
import { RESOURCES, type RehearsalResults, WRITERS } from './rehearsal-bench.ts'

/** Milliseconds of a reset at the 95th percentile. */
const MAX_RESET: Readonly<Record<string, number>> = { sqlite: 1_000, mongodb: 3_000 }
/** Milliseconds within which the exchanges of a run are judged. */
const MAX_JUDGING = 2_000
/** Share of the processor time of a create. */
const MAX_COST = 0.01

const percentile = (times: readonly number[], share: number): number =>
  times.toSorted((one, other) => one - other)[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)] ?? 0

const cells = (times: readonly number[]): readonly string[] =>
  [0.5, 0.95].map((share) => percentile(times, share).toFixed(0))

export const rehearsalTable = (results: readonly RehearsalResults[]): string =>
  table(
    [
      '',
      ...['reset to a snapshot, median ms', 'p95', 'reset to quiet-week, median ms', 'p95'],
      ...['snapshot, median ms', 'p95', 'clone, median ms', 'p95', 'judging, median ms', 'p95', 'writes', 'refused'],
    ],
    results.map(({ engine, resets, toScenario, snapshots, clones, judged, writes, refused }) => [
      engine,
      ...[...cells(resets), ...cells(toScenario), ...cells(snapshots), ...cells(clones), ...cells(judged)],
      ...[String(writes), JSON.stringify(refused)],
    ]),
  )

export const rehearsalVerdicts = ({
  engine,
  resets,
  judged,
  creates,
  refused,
}: RehearsalResults): readonly Verdict[] => [
  {
    what: `a reset to ${RESOURCES} resources beside ${WRITERS} writers, ${engine}`,
    value: `p95 ${percentile(resets, 0.95).toFixed(0)} ms`,
    target: `at most ${MAX_RESET[engine] ?? 0} ms`,
    pass: percentile(resets, 0.95) <= (MAX_RESET[engine] ?? 0),
  },
  {
    what: `writes beside resets, ${engine}`,
    value: JSON.stringify(refused),
    target: 'none refused',
    pass: Object.keys(refused).length === 0,
  },
  {
    what: `${EXCHANGES} exchanges judged by a plan that asks each body, ${engine}`,
    value: `p95 ${percentile(judged, 0.95).toFixed(0)} ms`,
    target: `at most ${MAX_JUDGING} ms`,
    pass: percentile(judged, 0.95) <= MAX_JUDGING,
  },
  ...(creates === undefined ? [] : [costOf(engine, creates.cpu)]),
]

const costOf = (
  engine: string,
  { without, beside }: { readonly without: number; readonly beside: number },
): Verdict => ({
  what: `a create where clinics can be rehearsed in, without a rule, ${engine}`,
  value: `${((beside / without - 1) * 100).toFixed(1)} % more processor time`,
  target: `at most ${MAX_COST * 100} %`,
  pass: beside / without - 1 <= MAX_COST,
})
