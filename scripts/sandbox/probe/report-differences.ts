/** Differences between the reports of two servers that were probed. */
import type { RunReport, StepReport } from '../../../src/rehearsal/runs/run.ts'

type Steps = Pick<RunReport, 'steps' | 'base'>

/** A line for each step that ends otherwise; none where both servers do the same. */
export function reportDifferences(here: Steps, there: Steps): readonly string[] {
  const ids = new Set([...here.steps, ...there.steps].map(({ id }) => id))
  return [...ids].flatMap((id) => {
    const [one, other] = [stepOf(here, id), stepOf(there, id)]
    if (one?.result === other?.result) return []
    return [
      `${one?.title ?? other?.title}: ${said(one)} at ${here.base}, ${said(other)} at ${there.base}`,
      ...[one, other].flatMap((step) => (step === undefined || step.result === 'pass' ? [] : [`  ${step.message}`])),
    ]
  })
}

const stepOf = ({ steps }: Steps, id: string): StepReport | undefined => steps.find((step) => step.id === id)

const said = (step: StepReport | undefined): string => step?.result ?? 'not tried'
