/** Contents: as a table, and compared with targets. */
import { table, type Verdict } from '../report.ts'
import { type ContentsResults, LARGE, MEDIUM, MIB, type Transfer, WRITERS } from './contents-bench.ts'

/** Bytes of memory beyond that of before. */
const MAX_MEMORY = 20 * MIB
/** Milliseconds of a read at the 99th percentile. */
const MAX_P99 = 50

const mebibytes = (bytes: number | undefined): string => (bytes === undefined ? '-' : (bytes / MIB).toFixed(1))

const cells = ({ milliseconds, memory }: Transfer): readonly string[] => [milliseconds.toFixed(0), mebibytes(memory)]

export const contentsTable = (results: readonly ContentsResults[]): string =>
  table(
    [
      ...['', `${LARGE} MiB written, ms`, 'memory, MiB', 'read, ms', 'memory, MiB', 'a read, p99 ms'],
      `beside ${WRITERS} writes of ${MEDIUM} MiB`,
      'of the driver alone',
    ],
    results.map(({ engine, write, read, p99 }) => [
      engine,
      ...[...cells(write), ...cells(read), p99.alone.toFixed(1), p99.beside.toFixed(1)],
      p99.ceiling?.toFixed(1) ?? '-',
    ]),
  )

export const contentsVerdicts = ({ engine, write, read, p99 }: ContentsResults): readonly Verdict[] => [
  memoryVerdict(`a Binary of ${LARGE} MiB is written, ${engine}`, write),
  memoryVerdict(`a Binary of ${LARGE} MiB is read, ${engine}`, read),
  {
    what: `a read beside ${WRITERS} writes of ${MEDIUM} MiB, ${engine}`,
    value: `p99 ${p99.beside.toFixed(1)} ms`,
    target: `below ${MAX_P99} ms`,
    pass: p99.beside < MAX_P99,
  },
]

const memoryVerdict = (what: string, { memory }: Transfer): Verdict => ({
  what,
  value: `${mebibytes(memory)} MiB of memory`,
  target: `below ${mebibytes(MAX_MEMORY)} MiB`,
  pass: memory === undefined || memory < MAX_MEMORY,
})
