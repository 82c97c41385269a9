/** The open runs of a clinic, which of them a request belongs to, and the faults that they provoke. docs/runs.md */
import { type ClinicFacts, OPEN_RUNS } from '../../clinics/clinics.ts'
import { conflict } from '../../fhir/outcome.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import type { UnitOfWork } from '../../repository/repository.ts'
import { forgetStepCounts, parseRule, type Rules, type RunFaults } from '../faults/rules.ts'
import type { Plan } from '../plans/plan.ts'
import type { RunRecord } from './run.ts'

/**
 * A run, as far as its requests need to know: the beginning of the ids of its calls, which no others have; the time of the machine
 * from which on no request belongs to it; and rules by the ids of steps, none of which names a run.
 */
export interface OpenRun extends RunFaults, Pick<RunRecord, 'callPrefix' | 'until'> {}

/** In the order in which they were started. */
export interface OpenRuns {
  readonly runs: readonly OpenRun[]
}

const RECORD = recordKind<OpenRuns>(OPEN_RUNS.name)
const NONE: OpenRuns = { runs: [] }

/** Runs of a clinic that may be open at one time. */
const MOST = 20

/** The open runs of a clinic whose facts are known. */
export const openRunsIn = ({ openRuns }: Pick<ClinicFacts, 'openRuns'>): OpenRuns =>
  (openRuns as OpenRuns | undefined) ?? NONE

const readRuns = async ({ records }: UnitOfWork): Promise<readonly OpenRun[]> =>
  (await records.read(RECORD, OPEN_RUNS.key))?.value.runs ?? []

const isOpen = ({ until }: OpenRun, now: number): boolean => now < until

/**
 * Stages a run whose requests are recognized from now on; those whose time is over leave the record.
 * @throws FhirError 409 where the clinic has too many
 */
export async function stageOpenRun(unit: UnitOfWork, run: OpenRun): Promise<void> {
  const before = await readRuns(unit)
  const open = before.filter((one) => isOpen(one, unit.writtenAt))
  if (open.length >= MOST)
    throw conflict(`The clinic has ${MOST} open runs, which is the most; finish or abort one of them first`)
  for (const over of before) if (!open.includes(over)) forgetStepCounts(unit, over)
  unit.records.put(RECORD, OPEN_RUNS.key, { runs: [...open, run] })
}

/** Stages the end of a run: no request belongs to it any more, and what its faults have counted is deleted. */
export async function stageClosedRun(unit: UnitOfWork, id: string): Promise<void> {
  const runs = await readRuns(unit)
  const closed = runs.find((run) => run.id === id)
  if (closed === undefined) return
  forgetStepCounts(unit, closed)
  unit.records.put(RECORD, OPEN_RUNS.key, { runs: runs.filter((run) => run !== closed) })
}

/** The rules of the faults that the steps of a plan provoke: each meets the first matching request, unless `on` says otherwise. */
export const faultsOfPlan = ({ steps }: Pick<Plan, 'steps'>): Rules =>
  Object.fromEntries(
    steps.flatMap(({ id, do: provoked }) =>
      provoked === undefined ? [] : [[id, parseRule(id, { on: [1], ...provoked })]],
    ),
  )

/** The names by which a request says to which run it belongs. */
export interface NamedRun {
  /** The claim `run` of its token. */
  readonly claim?: string | undefined
  /** X-Sandbox-Run or X-Run-Id. */
  readonly header?: string | undefined
  /** The id of its call. */
  readonly call?: string | undefined
}

/**
 * The run that a request belongs to: that of its token, that in its header, that of its call, or the only one that is open, unless
 * the request names another.
 * @param now milliseconds since 1970 UTC, of the machine
 */
export function runOfRequest(openRuns: OpenRuns, named: NamedRun, now: number): OpenRun | undefined {
  const { claim, header, call } = named
  const open = openRuns.runs.filter((run) => isOpen(run, now))
  const [first] = open
  const only = open.length === 1 && claim === undefined && header === undefined ? first : undefined
  return (
    open.find(({ id }) => id === claim) ??
    open.find(({ id }) => id === header) ??
    open.find(({ callPrefix }) => call?.startsWith(callPrefix)) ??
    only
  )
}
