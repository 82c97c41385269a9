/** The soak: as a table, and whether anything grows. The first quarter, in which caches fill, does not count. */
import { median } from '../median.ts'
import { table, type Verdict } from '../report.ts'
import type { Sample, SoakResults } from './soak-bench.ts'

const MEBIBYTE = 1024 * 1024

type Measure = Exclude<keyof Sample, 'at'>

interface Limit {
  readonly what: string
  readonly unit: string
  readonly size: number
  /** The most by which the last quarter may exceed the second one: a share, or an amount where that is more. */
  readonly share: number
  readonly amount: number
}

const LIMITS: Readonly<Record<Exclude<Measure, 'journal'>, Limit>> = {
  memory: { what: 'memory of its own', unit: 'MB', size: MEBIBYTE, share: 0.1, amount: 16 * MEBIBYTE },
  handles: { what: 'open files and sockets', unit: '', size: 1, share: 0, amount: 4 },
  threads: { what: 'threads', unit: '', size: 1, share: 0, amount: 3 },
  wal: { what: 'logs before the files (WAL)', unit: 'MB', size: MEBIBYTE, share: 0.1, amount: 8 * MEBIBYTE },
  waiting: { what: 'what waits for a part', unit: '', size: 1, share: 0.5, amount: 200 },
}

/** More bytes of the journal for a request in the last quarter than in the second one. */
const MAX_JOURNAL = 1.25

/** A quarter of the samples. @param index from 0 */
const quarter = (samples: readonly Sample[], index: number): readonly Sample[] =>
  samples.slice(Math.floor((samples.length * index) / 4), Math.floor((samples.length * (index + 1)) / 4))

const medianOf = (samples: readonly Sample[], measure: Measure): number => median(samples.map((one) => one[measure]))

const grownIn = (samples: readonly Sample[]): number => (samples.at(-1)?.journal ?? 0) - (samples[0]?.journal ?? 0)

const shown = (value: number, { unit, size }: Limit): string =>
  `${(value / size).toFixed(unit === '' ? 0 : 1)} ${unit}`.trim()

export const soakTable = ({ samples, load, capacity, rate, minutes }: SoakResults): string =>
  [
    `${minutes} minutes at ${rate} of ${Math.round(capacity)} requests per second: p50 ${load.p50.toFixed(1)} ms, ` +
      `p99 ${load.p99.toFixed(1)} ms, ${load.errors} errors; ${samples.length} samples`,
    table(
      ['median', '1st quarter', '2nd', '3rd', '4th', 'most'],
      [
        ...Object.entries(LIMITS).map(([measure, limit]) => [
          limit.what,
          ...[0, 1, 2, 3].map((index) => shown(medianOf(quarter(samples, index), measure as Measure), limit)),
          shown(Math.max(...samples.map((one) => one[measure as Measure])), limit),
        ]),
        [
          'the journal has grown by',
          ...[0, 1, 2, 3].map((index) => `${(grownIn(quarter(samples, index)) / MEBIBYTE).toFixed(1)} MB`),
          `${((samples.at(-1)?.journal ?? 0) / MEBIBYTE).toFixed(1)} MB`,
        ],
      ],
    ),
  ].join('\n\n')

export function soakVerdicts({ samples, load }: SoakResults): readonly Verdict[] {
  const [second, last] = [quarter(samples, 1), quarter(samples, 3)]
  const grown = Object.entries(LIMITS).map(([measure, limit]): Verdict => {
    const [before, after] = [second, last].map((of) => medianOf(of, measure as Measure)) as [number, number]
    const most = Math.max(before * (1 + limit.share), before + limit.amount)
    const [value, target] = [shown(after, limit), `at most ${shown(most, limit)}, after ${shown(before, limit)}`]
    return { what: limit.what, value, target, pass: after <= most }
  })
  const journal = grownIn(last) / Math.max(1, grownIn(second))
  return [
    ...grown,
    {
      what: 'growth of the journal in the last quarter, by that in the second',
      value: journal.toFixed(2),
      target: `at most ${MAX_JOURNAL}`,
      pass: journal <= MAX_JOURNAL,
    },
    { what: 'requests that failed', value: String(load.errors), target: 'none', pass: load.errors === 0 },
  ]
}
