/**
 * Decides which faults a request meets: those it names itself, then those of its run, in the order of the steps, then those of
 * the clinic's rules, in the order of their names.
 */
import { readSettings } from '../../clinics/settings.ts'
import { forNoRequest } from '../../isolation/budget.ts'
import type { Repository } from '../../repository/repository.ts'
import { isAnsweredBy } from './answers.ts'
import { CATALOGUE } from './catalogue.ts'
import type { Fired } from './fired.ts'
import { canOccur, type FaultRequest, matches } from './matching.ts'
import type { NamedFault } from './named.ts'
import { countForRule, countForStep, countNamed, type Rule, type Rules, type RunFaults } from './rules.ts'

/** A clinic, and the faults that may meet its request. */
export interface Candidates {
  readonly clinic: string
  /** Named by the request itself. */
  readonly named: readonly NamedFault[]
  readonly rules?: Rules | undefined
  /** The run that the request belongs to. */
  readonly run?: RunFaults | undefined
}

/** The faults that fire, which are counted. Behind one that answers the request nothing more is looked at. */
export async function firedBy(
  repository: Repository,
  { clinic, named, rules = {}, run }: Candidates,
  request: FaultRequest,
): Promise<readonly Fired[]> {
  const fired: Fired[] = []
  const isAnswered = () => fired.some(({ name }) => isAnsweredBy(name))
  for (const one of named) {
    if (!isAnswered() && canOccur(one.fault, request)) fired.push(await fireNamed(repository, clinic, one))
  }
  const meet = async (rule: Rule, count: () => Promise<number | undefined>) => {
    if (isAnswered() || !isFor(rule, request)) return
    // A change in the budget of the request would keep it from moving to a work thread.
    const number = await forNoRequest(count)
    if (number !== undefined) fired.push(firedByRule(rule, number, await areTold(repository, clinic)))
  }
  for (const [step, rule] of Object.entries(run?.faults ?? {}))
    await meet(rule, () => countForStep(repository, clinic, run?.id ?? '', step, rule))
  for (const [name, rule] of Object.entries(rules)) await meet(rule, () => countForRule(repository, clinic, name, rule))
  return fired
}

/** A fault that the request itself names, counted by its name. */
export async function fireNamed(
  repository: Repository,
  clinic: string,
  { fault: { name }, with: values }: NamedFault,
): Promise<Fired> {
  const number = await forNoRequest(() => countNamed(repository, clinic, name))
  return { name, number, with: values, isTold: await areTold(repository, clinic) }
}

function isFor({ fault, when }: Rule, request: FaultRequest): boolean {
  // A newer server may have written a rule for a fault that this one does not know.
  const known = CATALOGUE.get(fault)
  return known !== undefined && canOccur(known, request) && matches(when, request)
}

/** Whether responses of the clinic say which faults they have met. */
const areTold = async (repository: Repository, clinic: string): Promise<boolean> =>
  (await readSettings(repository, clinic)).faultLabels ?? true

const firedByRule = ({ fault, with: values, when }: Rule, number: number, isTold: boolean): Fired => ({
  name: fault,
  number,
  with: values,
  isTold,
  ...(when?.tool === undefined ? {} : { tool: when.tool }),
})
