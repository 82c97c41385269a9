/** The growth of time and memory as tables, and judged. */
import { table, type Verdict } from '../report.ts'
import { type Asked, type GrowthResults, median, type Occupied, type Side } from './growth-bench.ts'

/** Time on the large store, as a multiple of that on the small one. */
const MAX_RATIO = 1.5
const MAX_CPU_OF_CREATE = 0.5
const MEBIBYTE = 1024 * 1024
/** What the server with fifty times the data may take more for itself: the pages that SQLite keeps, and as much again. */
const MAX_MEMORY_GROWTH = 64 * MEBIBYTE
/** By the last waves of what no server has met, every cache has come to its bound. */
const MAX_GROWTH_IN_LAST_WAVES = 0.1

const timeOf = ({ milliseconds }: Asked, side: Side): number => median(milliseconds[side])

/** The median of the rounds' ratios: both sides of a round met the same machine. */
const ratioOf = ({ milliseconds: { small, large } }: Asked): number =>
  median(large.map((time, round) => time / (small[round] ?? Number.NaN)))

const cpuRatioOf = ({ cpu: { small, large } }: Asked): number => (large ?? Number.NaN) / (small ?? Number.NaN)

export const growthVerdicts = (results: GrowthResults): readonly Verdict[] => [
  ...results.asked.filter(({ question }) => question.kind !== 'other').map(questionVerdict),
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

function questionVerdict(asked: Asked): Verdict {
  const ratio = ratioOf(asked)
  return {
    what: asked.question.name,
    value: `${ratio.toFixed(2)} times`,
    byCpu: cpuRatioOf(asked).toFixed(2),
    target: `at most ${MAX_RATIO}`,
    pass: ratio <= MAX_RATIO,
  }
}

function memoryVerdicts({ memory, waves }: GrowthResults): readonly Verdict[] {
  const more = (memory.large.asked.own ?? Number.NaN) - (memory.small.asked.own ?? Number.NaN)
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
      results.asked.map(line),
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
          memoryLine(`${side} store, after all questions`, results.memory[side].asked),
        ]),
        ...results.waves.map((wave, index) => memoryLine(`large store, after wave ${index + 1}`, wave)),
      ],
    ),
    `Start: ${Math.round(results.start.small)} ms on the small store, ${Math.round(results.start.large)} ms on the large one.`,
    `Load of the machine at the end: ${results.machineLoad.toFixed(1)}.`,
  ].join('\n\n')

const line = (asked: Asked): readonly string[] => [
  asked.question.kind === 'other' ? `(${asked.question.name})` : asked.question.name,
  timeOf(asked, 'small').toFixed(2),
  timeOf(asked, 'large').toFixed(2),
  ratioOf(asked).toFixed(2),
  asked.cpu.small?.toFixed(2) ?? '-',
  asked.cpu.large?.toFixed(2) ?? '-',
  cpuRatioOf(asked).toFixed(2),
  mebibytes(asked.memory.large.resident),
  mebibytes(asked.memory.large.own),
]

const memoryLine = (name: string, { resident, own }: Occupied): readonly string[] => [
  name,
  mebibytes(resident),
  mebibytes(own),
]

const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? '-' : `${Math.round(bytes / MEBIBYTE)} MiB`
