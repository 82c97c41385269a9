/** The results of the hostile cases: as a table, and compared with the limits. */
import { table, type Verdict } from '../report.ts'
import type { Outcome } from './hostile-client.ts'
import type { CaseResult, IsolationResults } from './isolation-bench.ts'

/** Milliseconds. */
const LONGEST_WAIT = 100
const LONGEST_REQUEST = 10_000
const MOST_MEMORY = 1024 ** 3
const MEBIBYTE = 1024 ** 2
/** Milliseconds of delay of the probe itself beyond which the machine was too busy for a verdict. */
const LATE_PROBE = 30
const SHOWN_ANSWERS = 3

const longest = (outcomes: readonly Outcome[]): number =>
  outcomes.reduce((most, { milliseconds }) => Math.max(most, milliseconds), 0)

/** The faults of a case; empty when there are none. */
function faultsOf({ observed, outcomes, serverDied, serverKilled }: CaseResult): readonly string[] {
  const { reads, failedReads, health, failedHealth, memory } = observed
  const isUnanswered = outcomes.some(({ result }) => ['broken', 'unanswered', 500].includes(result))
  const faults: Readonly<Record<string, boolean>> = {
    died: serverDied,
    'ignored SIGTERM': serverKilled,
    waits: reads.max >= LONGEST_WAIT || failedReads > 0,
    health: health >= LONGEST_WAIT || failedHealth > 0,
    memory: memory >= MOST_MEMORY,
    request: isUnanswered || longest(outcomes) >= LONGEST_REQUEST,
  }
  return Object.entries(faults).flatMap(([fault, isFound]) => (isFound ? [fault] : []))
}

export const isolationVerdicts = ({ engine, cases }: IsolationResults): readonly Verdict[] =>
  cases.map((result) => {
    const faults = faultsOf(result)
    return {
      what: `${engine}: ${result.name}`,
      value: faults.length === 0 ? `others wait ${milliseconds(result.observed.reads.max)} ms` : faults.join(', '),
      target: 'no fault',
      pass: faults.length === 0,
    }
  })

const milliseconds = (value: number): string => (value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en'))
const mebibytes = (bytes: number): string => Math.round(bytes / MEBIBYTE).toLocaleString('en')

export const isolationTables = (results: IsolationResults): string =>
  [
    `Isolation, ${results.engine}. Idle, a read takes ${milliseconds(results.idle.reads.p50)} ms ` +
      `(p99 ${milliseconds(results.idle.reads.p99)}, longest ${milliseconds(results.idle.reads.max)}).`,
    table(['', 'p50 ms', 'p99 ms', 'longest', 'health', 'MiB', 'request ms', 'answers', ''], results.cases.map(rowOf)),
    ...results.cases.flatMap(notesOn),
  ].join('\n\n')

function rowOf(result: CaseResult): readonly string[] {
  const { name, observed, outcomes } = result
  const { reads, health, memory } = observed
  const faults = faultsOf(result)
  return [
    name,
    milliseconds(reads.p50),
    milliseconds(reads.p99),
    milliseconds(reads.max),
    milliseconds(health),
    mebibytes(memory),
    milliseconds(longest(outcomes)),
    answersOf(outcomes),
    faults.length === 0 ? 'pass' : `MISS: ${faults.join(', ')}`,
  ]
}

/** `200 × 3, 429 × 37` */
function answersOf(outcomes: readonly Outcome[]): string {
  const counts = new Map<string, number>()
  for (const { result } of outcomes) counts.set(String(result), (counts.get(String(result)) ?? 0) + 1)
  const listed = [...counts].map(([result, count]) => (count === 1 ? result : `${result} × ${count}`))
  return listed.length <= SHOWN_ANSWERS ? listed.join(', ') : `${listed.slice(0, SHOWN_ANSWERS).join(', ')}, …`
}

function notesOn({ name, observed: { delay }, refused, outcomes }: CaseResult): readonly string[] {
  const error = outcomes.find((outcome) => outcome.error !== undefined)?.error
  return [
    ...(delay < LATE_PROBE ? [] : [`${name}: the probe itself was up to ${milliseconds(delay)} ms late`]),
    ...refused.map((one) => `${name}: the set-up was refused: ${one}`),
    ...(error === undefined ? [] : [`${name}: ${error.replaceAll(/\s+/g, ' ').slice(0, 300)}`]),
  ]
}
