/** The runs of a clinic: their start, what is known of them while they are open, and their end. docs/runs.md */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { AccessOf } from '../../core/clinic-access.ts'
import type { Context } from '../../core/context.ts'
import { instantOf } from '../../fhir/dates.ts'
import { upTo } from '../../fhir/memoize.ts'
import { conflict, FhirError, notFound, unprocessable } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { present } from '../../fhir/resource.ts'
import type { Journal } from '../../record/journal/journal.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { type KindRecord, RECENT, type Repository, type UnitOfWork } from '../../repository/repository.ts'
import { withNames } from '../plans/parse-plan.ts'
import type { Plan } from '../plans/plan.ts'
import { stageReport } from '../reports/staged.ts'
import { resultOf, tallyOf } from '../reports/tally.ts'
import { faultsOfPlan, type OpenRun, stageClosedRun, stageOpenRun } from './open-runs.ts'
import type { Attested, RunRecord, RunReport } from './run.ts'
import { type FoundStates, RunWatch, type Watched, type WatchedJournal } from './run-watch.ts'

const RUN = recordKind<RunRecord>('run')

/** Runs that are kept of a clinic; the oldest that have ended make room for new ones. */
const MOST = 200
/** Watches of open runs that a process keeps; one that is forgotten reads the journal again. */
const WATCHES = 16

export interface RunServices {
  readonly repository: Repository
  readonly access: AccessOf
  /** Undefined in a work thread, which serves no route of runs. */
  readonly journal: Pick<Journal, 'store' | 'flush' | 'policies'> | undefined
}

export interface NewRun {
  readonly clinic: string
  readonly plan: Plan
  readonly client: string
  readonly by: string
  readonly as?: string
  readonly base: string
  /** Milliseconds after which it ends by itself. */
  readonly lasts: number
}

export interface FoundRun {
  readonly record: RunRecord
  readonly report: RunReport
}

export class Runs {
  readonly #services: RunServices
  readonly #watches = new LRUCache<string, RunWatch>(upTo(WATCHES))

  constructor(services: RunServices) {
    this.#services = services
  }

  /**
   * Starts a run: from now on requests belong to it.
   * @throws FhirError 409 where too many are open, 422 that names what keeps the plan from being carried out here
   */
  async start(asked: NewRun): Promise<RunRecord> {
    const { repository } = this.#services
    const { clinic, client, by, as, base, lasts } = asked
    await this.#requireJournal(clinic)
    const plan = withNames(asked.plan)
    await this.#requirePossible(clinic, plan)
    await this.#journal.flush()
    const { last: after } = await this.#journal.store.bounds(clinic)
    const id = `run-${randomBytes(6).toString('hex')}`
    const { scenario } = await repository.generation(clinic)
    const startedAt = repository.machineTime
    const record: RunRecord = {
      ...{ id, plan, client, by, status: 'open', startedAt, until: startedAt + lasts, base },
      ...present({ as, scenario }),
      ...{ callPrefix: `${id}-`, after, attested: {} },
    }
    await repository.change(clinic, async (unit) => {
      // Changes a record of all runs, so that of several that start at once each counts those before it.
      await stageOpenRun(unit, openRunOf(record))
      await stageRoom(unit)
      unit.records.put(RUN, id, record)
    })
    return record
  }

  /** The newest first. */
  async list(clinic: string): Promise<readonly RunRecord[]> {
    return newestFirst(await this.#services.repository.records(RUN, { clinic, limit: MOST }))
  }

  /** A run with what is known of it. One whose time is over is finished. @throws FhirError 404 */
  async find(clinic: string, id: string): Promise<FoundRun> {
    const record = await this.#read(clinic, id)
    if (record.report !== undefined) return { record, report: record.report }
    if (record.status === 'open' && record.until < this.#services.repository.machineTime)
      return await this.finish(clinic, id)
    return { record, report: await this.#report(clinic, record) }
  }

  /** Notes the word of a person. @throws FhirError 404 without such a run or step, 409 for a run that is over */
  async attest(clinic: string, id: string, step: string, word: Attested): Promise<FoundRun> {
    const { plan } = await this.#read(clinic, id)
    const attestable = plan.steps.filter(({ attest }) => attest !== undefined).map((one) => one.id)
    if (!attestable.includes(step))
      throw notFound(
        `The plan has no step '${step.slice(0, 64)}' that a person attests; ${attestable.length === 0 ? 'it has none' : `those are ${attestable.join(', ')}`}`,
      )
    await this.#change(clinic, id, (record) => ({ ...record, attested: { ...record.attested, [step]: word } }))
    return await this.find(clinic, id)
  }

  /** Ends a run with its verdict; one that is finished already stays as it is. @throws FhirError 404, 409 for an aborted one */
  async finish(clinic: string, id: string): Promise<FoundRun> {
    const record = await this.#read(clinic, id)
    if (record.status === 'finished' && record.report !== undefined) return { record, report: record.report }
    if (record.status === 'aborted') throw over(record)
    return await this.#end(clinic, record, 'finished')
  }

  /** Ends a run without a verdict. @throws FhirError 404, 409 where it has ended */
  async abort(clinic: string, id: string): Promise<FoundRun> {
    const record = await this.#read(clinic, id)
    if (record.status !== 'open') throw over(record)
    return await this.#end(clinic, record, 'aborted')
  }

  /** The steps of a plan by traffic that the journal has: nothing is stored. */
  rehearse(clinic: string, plan: Plan, of: { readonly run?: string; readonly call?: string; readonly since?: number }) {
    return this.#judge(this.#journal, { clinic, plan, filter: present(of) })
  }

  /** The same by exchanges that were exported, here or elsewhere. */
  rehearseExported(clinic: string, plan: Plan, journal: WatchedJournal) {
    return this.#judge(journal, { clinic, plan, filter: {} })
  }

  async #judge(journal: WatchedJournal, { clinic, plan, filter }: Pick<Watched, 'clinic' | 'plan' | 'filter'>) {
    const named = withNames(plan)
    const watch = new RunWatch(journal, { clinic, plan: named, filter, after: 0 })
    await watch.follow()
    return { steps: watch.steps({ isOpen: false }, {}, await this.#states(clinic, named)), ...watch.seen }
  }

  get #journal(): NonNullable<RunServices['journal']> {
    const { journal } = this.#services
    if (journal === undefined) throw new Error('Runs are served where the requests come in')
    return journal
  }

  async #read(clinic: string, id: string): Promise<RunRecord> {
    const record = /^[\w-]{1,64}$/.test(id) ? await this.#services.repository.readRecord(clinic, RUN, id) : undefined
    if (record === undefined) throw notFound(`The clinic has no run '${id.slice(0, 64)}'`)
    return record.value
  }

  async #requireJournal(clinic: string): Promise<void> {
    const { mode } = await this.#journal.policies.load(clinic)
    if (mode === 'off')
      throw unprocessable(
        "The clinic keeps no journal, so nothing could be judged; set its setting 'journal' to 'full' first",
      )
  }

  /** Everything that the plan names must exist, and its searches must be answered. @throws FhirError 422 */
  async #requirePossible(clinic: string, plan: Plan): Promise<void> {
    const ctx = await this.#reader(clinic)
    for (const [name, value] of Object.entries(plan.names ?? {})) {
      const reference = /^[A-Z][A-Za-z]+\/[\w.-]+$/.test(value) ? localReference(value, ctx.baseUrl) : undefined
      if (reference === undefined || (await ctx.find(reference.type, reference.id)) !== undefined) continue
      const step = plan.steps.find((one) => JSON.stringify(one).includes(value))
      const where = step === undefined ? `its name '${name}'` : `step '${step.id}'`
      throw unprocessable(
        `The plan ${plan.plan} can't be carried out here: ${where} is about ${value}, which the clinic does not have; ${remedy(plan)}`,
      )
    }
    await this.#states(clinic, plan)
  }

  async #reader(clinic: string): Promise<Context> {
    return await this.#services.access(clinic, { kind: 'server' }).reader()
  }

  /** @throws FhirError 422 naming the step whose search is refused */
  async #states(clinic: string, { plan, steps }: Plan): Promise<FoundStates> {
    const withStates = steps.filter(({ state }) => state !== undefined)
    if (withStates.length === 0) return {}
    const ctx = await this.#reader(clinic)
    const found: Record<string, number[]> = {}
    for (const { id, state = [] } of withStates) {
      found[id] = []
      for (const { query } of [state].flat()) found[id].push(await counted(ctx, query, `Plan ${plan}, step '${id}'`))
    }
    return found
  }

  async #report(clinic: string, record: RunRecord, status = record.status): Promise<RunReport> {
    const watch = this.#watches.get(record.id) ?? this.#watchOf(clinic, record)
    try {
      await watch.follow()
    } catch (error) {
      // It may have seen half of an exchange.
      this.#watches.delete(record.id)
      throw error
    }
    const isOpen = status === 'open'
    const steps = watch.steps({ isOpen }, record.attested, await this.#states(clinic, record.plan))
    const { plan, title, version } = record.plan
    const { id: run, client, base, as, scenario, startedAt } = record
    return {
      ...{ run, clinic, plan, version, title, client, base },
      ...present({ as, scenario }),
      ...{
        status,
        result: status === 'finished' ? resultOf(steps) : 'pending',
        score: tallyOf(steps).score,
        startedAt: instantOf(startedAt),
      },
      ...(isOpen ? {} : { endedAt: instantOf(this.#services.repository.machineTime) }),
      steps,
      ...watch.seen,
    }
  }

  #watchOf(clinic: string, { id, plan, after, until }: RunRecord): RunWatch {
    const watch = new RunWatch(this.#journal, { clinic, plan, filter: { run: id }, after, until })
    this.#watches.set(id, watch)
    return watch
  }

  async #end(clinic: string, record: RunRecord, status: 'finished' | 'aborted'): Promise<FoundRun> {
    // Other processes write their part of the journal within that time.
    await sleep(RECENT)
    const report = await this.#report(clinic, record, status)
    const ended = await this.#change(clinic, record.id, (current) => ({ ...current, status, report }), true)
    this.#watches.delete(record.id)
    return { record: ended, report: ended.report ?? report }
  }

  /** @throws FhirError 409 for a run that is over */
  async #change(
    clinic: string,
    id: string,
    changed: (record: RunRecord) => RunRecord,
    isEnd = false,
  ): Promise<RunRecord> {
    return await this.#services.access(clinic, { kind: 'server' }).change(async (ctx) => {
      const { unit } = ctx
      const record = (await unit.records.read(RUN, id))?.value
      if (record === undefined) throw notFound(`The clinic has no run '${id}'`)
      if (record.status !== 'open') {
        // Two who end it in the same way at once get the same report.
        if (isEnd && changed(record).status === record.status) return record
        throw over(record)
      }
      const next = changed(record)
      unit.records.put(RUN, id, next)
      if (isEnd) await stageClosedRun(unit, id)
      if (next.status === 'finished') await stageReport(ctx, next)
      return next
    })
  }
}

/** The runs of a clinic that are finished, each with its report. */
export async function* finishedRuns(repository: Repository, clinic: string): AsyncGenerator<RunRecord> {
  for await (const page of repository.recordPages(RUN, { clinic })) {
    for (const { value } of page) if (value.status === 'finished') yield value
  }
}

const newestFirst = (records: readonly KindRecord<RunRecord>[]): readonly RunRecord[] =>
  records.map(({ value }) => value).toSorted((one, other) => other.startedAt - one.startedAt)

/** Deletes the oldest runs that are over, so that there is room for another one. */
async function stageRoom({ records }: UnitOfWork): Promise<void> {
  const all = newestFirst(await records.list(RUN, { after: '', limit: MOST }))
  if (all.length < MOST) return
  const surplus = all.filter(({ status }) => status !== 'open').slice(MOST - 20)
  for (const { id } of surplus) records.delete(RUN, id, { expect: 'any' })
}

const over = ({ id, status }: RunRecord): FhirError =>
  conflict(`The run '${id}' is ${status}, so it can't be changed any more`)

const remedy = ({ scenario }: Plan): string =>
  scenario === undefined
    ? 'reset it to a scenario that has it'
    : `reset it to ${scenario}, or start the run with "clone": true, which makes a clinic of that scenario for it`

/** The matches of a search, as far as a page has them. */
async function counted(ctx: Context, query: string, where: string): Promise<number> {
  const [, type = '', criteria = ''] = /^(\w+)\?(.*)$/s.exec(query) ?? []
  try {
    return (await ctx.search(type as 'Patient', criteria)).length
  } catch (error) {
    if (error instanceof FhirError && error.status < 500)
      throw unprocessable(`${where}: the search ${query} is refused: ${error.message}`)
    throw error
  }
}

/** As requests see it: the faults that they meet are those of its steps. */
const openRunOf = ({ id, callPrefix, until, plan }: RunRecord): OpenRun => ({
  ...{ id, callPrefix, until },
  faults: faultsOfPlan(plan),
})
