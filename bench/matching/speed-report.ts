/** The speed of Patient/$match: as tables, and compared with targets. */
import { table, type Verdict } from '../report.ts'
import type { CreateCost } from './create-cost.ts'
import type { Engine, SpeedResults } from './speed.ts'

/** Milliseconds, at 16 connections. */
const MAX_P99: Readonly<Record<Engine, number>> = { sqlite: 20, mongodb: 40 }
const TARGET_CONNECTIONS = 16
/** Processor time of a create with the keys, as a multiple of that without. */
const MAX_CREATE_COST = 1.25

export const speedVerdicts = (results: readonly SpeedResults[]): readonly Verdict[] =>
  results.flatMap(({ engine, patients, measurements }) =>
    measurements
      .filter(({ connections }) => connections === TARGET_CONNECTIONS)
      .map(({ p99 }) => ({
        what: `$match among ${patients.toLocaleString('en')}, ${engine}`,
        value: `p99 ${p99.toFixed(1)} ms`,
        target: `below ${MAX_P99[engine]} ms`,
        pass: p99 < MAX_P99[engine],
      })),
  )

export function createCostVerdict({ withKeys, withoutKeys }: CreateCost): Verdict {
  const ratio = withKeys / withoutKeys
  return {
    what: 'CPU of a Patient create with keys',
    value: `${ratio.toFixed(2)} times that without`,
    target: `at most ${MAX_CREATE_COST}`,
    pass: ratio <= MAX_CREATE_COST,
  }
}

export const speedTable = (results: readonly SpeedResults[]): string =>
  table(
    [
      '',
      'patients',
      'connections',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'CPU ms',
      'errors',
      'compared',
      'p99',
      'first',
      'narrowed',
      'load',
    ],
    results.flatMap(({ engine, patients, measurements, compared, machineLoad }) =>
      measurements.map(({ connections, requestsPerSecond, p50, p99, cpuPerRequest, errors }) => [
        engine,
        patients.toLocaleString('en'),
        String(connections),
        String(Math.round(requestsPerSecond)),
        p50.toFixed(2),
        p99.toFixed(2),
        cpuPerRequest?.toFixed(2) ?? '-',
        String(errors),
        compared.mean.toFixed(1),
        String(compared.p99),
        compared.first.toFixed(3),
        compared.narrowed.toFixed(3),
        machineLoad.toFixed(1),
      ]),
    ),
  )

export const createCostText = ({ withKeys, withoutKeys, computing }: CreateCost): string =>
  `Patient create: ${Math.round(withKeys)} µs of CPU with keys (${Math.round(computing)} µs of it to compute them), ` +
  `${Math.round(withoutKeys)} µs without.`
