/** The run of a request: docs/runs.md */
import type { Context as KoaContext, Middleware } from 'koa'
import type { ClinicFacts } from '../clinics/clinics.ts'
import { currentBudget } from '../isolation/budget.ts'
import type { RunFaults } from '../rehearsal/faults/rules.ts'
import { type NamedRun, openRunsIn, runOfRequest } from '../rehearsal/runs/open-runs.ts'
import type { Repository } from '../repository/repository.ts'
import { exchangeOf, stateOf } from './exchange.ts'
import { callIdOf, namedRunOf, namesRun, replayedIn } from './headers.ts'

/**
 * Lets a request join the open run that it belongs to, if there is one; a replay belongs to none, as it is not what the client
 * does.
 * @param facts of the clinic that the request is for
 * @param named besides its headers
 */
export function joinRunOf(
  koa: KoaContext,
  { machineTime }: Pick<Repository, 'machineTime'>,
  facts: ClinicFacts | undefined,
  named: Omit<NamedRun, 'header'>,
): void {
  if (facts?.openRuns === undefined || replayedIn(koa) !== undefined) return
  // A malformed name is the name of no run.
  const header = namedRunOf(koa) ?? (namesRun(koa) ? '' : undefined)
  const run = runOfRequest(openRunsIn(facts), { ...named, header }, machineTime)
  if (run === undefined) return
  exchangeOf(koa).run = run.id
  const budget = currentBudget()
  if (budget !== undefined) budget.run = run.id
}

/** The same for a request with a token, whose clinic is known. */
export const joinRun =
  (repository: Repository): Middleware =>
  (koa, next) => {
    const { clinic, user } = stateOf(koa)
    joinRunOf(koa, repository, clinic, { claim: user?.run, call: callIdOf(koa) })
    return next()
  }

/** The faults of the run that a request has joined. */
export const faultsOfRun = (koa: KoaContext, facts: ClinicFacts): RunFaults | undefined =>
  openRunsIn(facts).runs.find(({ id }) => id === exchangeOf(koa).run)
