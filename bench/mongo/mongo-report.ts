/** The results on MongoDB as tables, by medians of the rounds. */
import type { Measurement } from '../load.ts'
import { median } from '../median.ts'
import { table, type Verdict } from '../report.ts'
import type { MongoResults, Row } from './mongo-bench.ts'

const round = (value: number): string => Math.round(value).toLocaleString('en')

type Side = 'server' | 'compared'

const medianOf = ({ rounds }: Row, side: Side, value: (measured: Measurement) => number | undefined): number =>
  median(rounds.flatMap((one) => (one[side] === undefined ? [] : (value(one[side]) ?? []))))

/** Requests per second, of the measurements made directly after each other. */
const ratioOf = ({ rounds }: Row): number =>
  median(
    rounds.flatMap(({ server, compared }) =>
      compared === undefined ? [] : [server.requestsPerSecond / compared.requestsPerSecond],
    ),
  )

const cpuOf = ({ cpuPerRequest = Number.NaN, databaseCpuPerRequest = 0 }: Measurement): number =>
  cpuPerRequest + databaseCpuPerRequest

export function mongoVerdicts({ rows }: MongoResults): readonly Verdict[] {
  return rows.flatMap((row) => {
    const { name, beside, atLeast, notJudged } = row
    if (beside === undefined || atLeast === undefined) return []
    const ratio = ratioOf(row)
    return [
      {
        what: `MongoDB: ${name}`,
        value: `${ratio.toFixed(3)} of ${beside}`,
        target: notJudged ?? `at least ${atLeast.toFixed(3)}`,
        byCpu: (medianOf(row, 'compared', cpuOf) / medianOf(row, 'server', cpuOf)).toFixed(3),
        pass: notJudged !== undefined || ratio >= atLeast,
      },
    ]
  })
}

export const mongoTables = (results: MongoResults): string =>
  [
    table(
      ['MongoDB, 16 connections', 'requests/s', 'p50 ms', 'p99 ms', 'CPU ms', 'mongod', 'errors', 'load'],
      results.rows.flatMap((row) => [
        ...(row.beside === undefined ? [] : [line(row, `[${row.beside}]`, 'compared')]),
        line(row, row.name, 'server'),
      ]),
    ),
    `MongoDB, import: ${round(results.import.resources)} resources, ${round(results.import.resourcesPerSecond)} a second.`,
  ].join('\n\n')

function line(row: Row, name: string, side: Side): readonly string[] {
  const errors = row.rounds.reduce((sum, one) => sum + (one[side]?.errors ?? 0), 0)
  return [
    name,
    round(medianOf(row, side, ({ requestsPerSecond }) => requestsPerSecond)),
    medianOf(row, side, ({ p50 }) => p50).toFixed(2),
    medianOf(row, side, ({ p99 }) => p99).toFixed(2),
    medianOf(row, side, ({ cpuPerRequest }) => cpuPerRequest).toFixed(3),
    medianOf(row, side, ({ databaseCpuPerRequest }) => databaseCpuPerRequest).toFixed(3),
    String(errors),
    median(row.rounds.map(({ machineLoad }) => machineLoad)).toFixed(1),
  ]
}
