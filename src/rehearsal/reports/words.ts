/** Sentences that all forms of a report have in common. */
import type { Attested, RunReport, StepReport, Verdict } from '../runs/run.ts'
import { tallyOf } from './tally.ts'

/** Verdicts by how much they ask of the reader. */
const BY_URGENCY: readonly Verdict[] = ['fail', 'error', 'warning', 'pending', 'skip', 'pass']

/** The steps as they are read where there is little time: those that fail first, else in the order of the plan. */
export const mostUrgentFirst = (steps: readonly StepReport[]): readonly StepReport[] =>
  BY_URGENCY.flatMap((verdict) => steps.filter(({ result }) => result === verdict))

/** `3 of 5 steps pass (60 %)` */
export function scoreOf({ steps, score }: Pick<RunReport, 'steps' | 'score'>): string {
  const { passed, counted } = tallyOf(steps)
  return `${passed} of ${counted} steps pass (${score} %)`
}

/** `booking-lifecycle 1.0.0` */
export const planOf = ({ plan, version }: Pick<RunReport, 'plan' | 'version'>): string => `${plan} ${version}`

/** `Attested by Nora: yes, she said nine o'clock` */
export const attestedBy = ({ by, ok, note }: Attested): string =>
  `Attested by ${by}: ${ok ? 'yes' : 'no'}${note === undefined ? '' : `, ${note}`}`

/** The facts of a run that every form shows, by their names. */
export const factsOf = (report: RunReport): readonly (readonly [name: string, value: string])[] => {
  const { client, run, status, clinic, base, as, scenario, startedAt, endedAt } = report
  const where = { clinic, base, strictness: as, scenario }
  const facts = { client, plan: planOf(report), run, status, ...where, started: startedAt, ended: endedAt }
  return Object.entries(facts).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]))
}
