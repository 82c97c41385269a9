/** The growth of time and memory: as tables, and compared with targets. */

import { median } from '../median.ts'
import { table, type Verdict } from '../report.ts'
import type { GrowthResults, Occupied, QueryResult, Side } from './growth-bench.ts'

/** Time on the large store relative to the small one. */
const MAX_RATIO = 1.5
const MAX_CPU_OF_CREATE = 0.5
const MEBIBYTE = 1024 * 1024
/** Additional memory of the server with fifty times the data: SQLite's page cache, and as much again. */
const MAX_MEMORY_GROWTH = 64 * MEBIBYTE
/** In the last waves of new requests, every cache should have reached its limit. */
const MAX_GROWTH_IN_LAST_WAVES = 0.1

const timeOf = ({ milliseconds }: QueryResult, side: Side): number => median(milliseconds[side])

/** The median of the ratios per round, as both sides of a round are measured under the same conditions. */
const ratioOf = ({ milliseconds: { small, large } }: QueryResult): number =>
  median(large.map((time, round) => time / (small[round] ?? Number.NaN)))

const cpuRatioOf = ({ cpu: { small, large } }: QueryResult): number => (large ?? Number.NaN) / (small ?? Number.NaN)

export const growthVerdicts = (results: GrowthResults): readonly Verdict[] => [
  ...results.queries.map(queryVerdict),
  ...results.creates.flatMap(({ side, connections, cpuPerRequest }) =>
    cpuPerRequest === undefined || connections === 1
      ? []
      : [
          {
            what: `create, ${side} store`,
            value: `${cpuPerRequest.toFixed(3)} ms of CPU`,
            target: `below ${MAX_CPU_OF_CREATE} ms`,
            pass: cpuPerRequest < MAX_CPU_OF_CREATE,
          },
        ],
  ),
  ...memoryVerdicts(results),
]

function queryVerdict(result: QueryResult): Verdict {
  const ratio = ratioOf(result)
  return {
    what: result.query.name,
    value: `${ratio.toFixed(2)} times`,
    byCpu: cpuRatioOf(result).toFixed(2),
    target: `at most ${MAX_RATIO}`,
    pass: ratio <= MAX_RATIO,
  }
}

function memoryVerdicts({ memory, waves }: GrowthResults): readonly Verdict[] {
  const more = (memory.large.afterQueries.own ?? Number.NaN) - (memory.small.afterQueries.own ?? Number.NaN)
  const [middle, last] = [waves[Math.floor(waves.length / 2) - 1]?.own, waves.at(-1)?.own]
  const grown = (last ?? Number.NaN) / (middle ?? Number.NaN) - 1
  if (Number.isNaN(more) || Number.isNaN(grown)) return []
  return [
    {
      what: 'own memory, large store beside small',
      value: `${Math.round(more / MEBIBYTE)} MiB more`,
      target: `at most ${MAX_MEMORY_GROWTH / MEBIBYTE} MiB`,
      pass: more <= MAX_MEMORY_GROWTH,
    },
    {
      what: 'own memory, growth by the last waves',
      value: `${Math.round(grown * 100)} %`,
      target: `at most ${MAX_GROWTH_IN_LAST_WAVES * 100} %`,
      pass: grown <= MAX_GROWTH_IN_LAST_WAVES,
    },
  ]
}

export const growthTables = (results: GrowthResults): string =>
  [
    table(
      ['', 'small ms', 'large ms', 'ratio', 'CPU ms', 'CPU ms', 'ratio', 'resident', 'own'],
      results.queries.map(line),
    ),
    table(
      ['creates', 'connections', 'requests/s', 'p50 ms', 'CPU ms', 'memory', 'errors'],
      results.creates.map(({ side, connections, requestsPerSecond, p50, cpuPerRequest, memory, errors }) => [
        `${side} store`,
        String(connections),
        String(Math.round(requestsPerSecond)),
        p50.toFixed(2),
        cpuPerRequest?.toFixed(3) ?? '-',
        mebibytes(memory),
        String(errors),
      ]),
    ),
    table(
      ['memory', 'resident', 'own'],
      [
        ...(['small', 'large'] as const).flatMap((side) => [
          memoryLine(`${side} store, after the start`, results.memory[side].start),
          memoryLine(`${side} store, after all queries`, results.memory[side].afterQueries),
        ]),
        ...results.waves.map((wave, index) => memoryLine(`large store, after wave ${index + 1}`, wave)),
      ],
    ),
    `Start: ${Math.round(results.start.small)} ms on the small store, ${Math.round(results.start.large)} ms on the large one.`,
    `Load of the machine at the end: ${results.machineLoad.toFixed(1)}.`,
  ].join('\n\n')

const line = (result: QueryResult): readonly string[] => [
  result.query.name,
  timeOf(result, 'small').toFixed(2),
  timeOf(result, 'large').toFixed(2),
  ratioOf(result).toFixed(2),
  result.cpu.small?.toFixed(2) ?? '-',
  result.cpu.large?.toFixed(2) ?? '-',
  cpuRatioOf(result).toFixed(2),
  mebibytes(result.memory.large.resident),
  mebibytes(result.memory.large.own),
]

const memoryLine = (name: string, { resident, own }: Occupied): readonly string[] => [
  name,
  mebibytes(resident),
  mebibytes(own),
]

const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? '-' : `${Math.round(bytes / MEBIBYTE)} MiB`
