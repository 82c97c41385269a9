/** The result of a whole run, from those of its steps. */
import type { RunReport, StepReport } from '../runs/run.ts'

/** The result of a run that is finished. */
export function resultOf(steps: readonly StepReport[]): RunReport['result'] {
  const has = (result: StepReport['result']) => steps.some((step) => step.result === result)
  if (has('fail')) return 'fail'
  return has('error') ? 'error' : 'pass'
}

interface Tally {
  readonly passed: number
  /** Steps, without optional ones that were skipped. */
  readonly counted: number
  /** Percentage of those that pass, rounded down. */
  readonly score: number
}

export function tallyOf(steps: readonly StepReport[]): Tally {
  const counted = steps.filter(({ optional, result }) => optional !== true || result !== 'skip')
  const passed = counted.filter(({ result }) => result === 'pass').length
  const score = counted.length === 0 ? 100 : Math.floor((100 * passed) / counted.length)
  return { passed, counted: counted.length, score }
}
