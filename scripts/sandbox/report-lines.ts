/** A report on a terminal: each step with what proves it, the score, and what it means for the shell. */
import { attestedBy, scoreOf } from '../../src/rehearsal/reports/words.ts'
import type { RunReport, StepReport, Verdict } from '../../src/rehearsal/runs/run.ts'

const WIDTH = 'warning'.length + 2
const INDENT = ' '.repeat(WIDTH)

/** 0: it passes; 1: it fails; 2: nothing is decided. */
export const exitCodeFor = ({ result }: Pick<RunReport, 'result'>): number =>
  result === 'pass' ? 0 : result === 'fail' ? 1 : 2

export const linesOf = (report: RunReport): readonly string[] => [
  ...report.steps.flatMap(linesOfStep),
  ...report.notes,
  `${report.title}: ${report.result}, ${scoreOf(report)}`,
]

export function linesOfStep({ result, title, message, evidence, attested }: StepReport): readonly string[] {
  return [
    `${labelOf(result)}${title}`,
    `${INDENT}${message}`,
    ...evidence.map(({ of, line, exchange }) => `${INDENT}${of}: ${line}  ${exchange}`),
    ...(attested === undefined ? [] : [`${INDENT}${attestedBy(attested)}`]),
  ]
}

const labelOf = (result: Verdict): string => result.padEnd(WIDTH)
