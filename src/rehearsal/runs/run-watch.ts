/** Follows the journal for a run, and judges its client by the plan. Each process that is asked about a run has one. */
import { unpaid } from '../../isolation/budget.ts'
import { isGap, LEAST_ROLE } from '../../record/journal/exchange.ts'
import {
  type JournalEntries,
  type JournalFilter,
  JournalReader,
  type NumberedExchange,
} from '../../record/journal/journal-reader.ts'
import type { Plan } from '../plans/plan.ts'
import { SeenByRun } from './exchange-matching.ts'
import { JournalSource } from './exchange-source.ts'
import type { RunRecord, RunReport, StepReport } from './run.ts'
import { type Judged, StepWatch } from './step-watch.ts'
import { TrafficWatch } from './traffic.ts'

/** By step, the number of matches of each search for its `state`. */
export type FoundStates = Readonly<Record<string, readonly number[]>>

/** The exchanges that are judged. */
export interface Watched {
  readonly clinic: string
  readonly plan: Plan
  readonly filter: JournalFilter
  /** The number of the exchange after which they begin. */
  readonly after: number
  /** Milliseconds since 1970 UTC from which on they are not; absent: they have no end. */
  readonly until?: number
}

/** Where the exchanges of a run are read. */
export interface WatchedJournal {
  readonly store: JournalEntries
  /** Writes what waits to be written. */
  flush(): Promise<void>
}

export class RunWatch {
  readonly #watched: Watched
  readonly #journal: WatchedJournal
  readonly #reader: JournalReader
  readonly #source: JournalSource
  readonly #steps: readonly StepWatch[]
  readonly #traffic = new TrafficWatch()
  #upTo: number
  #hasGap = false
  /** How many exchanges have named another run in a header, by its name. */
  readonly #named = new Map<string, number>()
  #reading: Promise<void> = Promise.resolve()

  constructor(journal: WatchedJournal, watched: Watched) {
    this.#journal = journal
    this.#watched = watched
    // Evidence is shown to staff.
    this.#reader = new JournalReader(journal.store, watched.clinic, LEAST_ROLE)
    this.#source = new JournalSource(this.#reader)
    this.#steps = watched.plan.steps.map((step) => new StepWatch(step))
    this.#upTo = watched.after
  }

  /** Reads what has come since it was last asked. @throws StoreUnavailable; then it has to begin anew, in another watch */
  async follow(): Promise<void> {
    const next = this.#reading.catch(() => {}).then(() => this.#readOn())
    this.#reading = next
    await next
  }

  async #readOn(): Promise<void> {
    await unpaid(async () => {
      await this.#journal.flush()
      const { first } = await this.#reader.bounds()
      if (first > this.#upTo + 1 && this.#upTo > 0) this.#hasGap = true
    })
    // A page is a work of its own: how long a work may wait for the store is limited.
    for (let isMore = true; isMore; ) isMore = await unpaid(() => this.#readPage())
  }

  async #readPage(): Promise<boolean> {
    const { exchanges, upTo, isMore } = await this.#reader.since(this.#watched.filter, this.#upTo)
    this.#source.comes(exchanges.flatMap(({ exchange }) => (isGap(exchange) ? [] : [exchange.id])))
    for (const exchange of exchanges) await this.#see(exchange)
    this.#upTo = upTo
    return isMore
  }

  async #see({ exchange }: NumberedExchange): Promise<void> {
    if (isGap(exchange)) {
      this.#hasGap = true
      return
    }
    await this.#source.turn()
    const seen = new SeenByRun(exchange, this.#source)
    if (!isOfClient(seen) || seen.begun >= (this.#watched.until ?? Number.POSITIVE_INFINITY)) return
    this.#traffic.see(seen)
    const { namedRun } = exchange
    if (namedRun !== undefined && (this.#named.has(namedRun) || this.#named.size < MOST_NAMED))
      this.#named.set(namedRun, (this.#named.get(namedRun) ?? 0) + 1)
    for (const step of this.#steps) await step.see(seen)
  }

  /** The steps so far. @param found by the searches of each step */
  steps(judged: Pick<Judged, 'isOpen'>, attested: RunRecord['attested'], found: FoundStates): readonly StepReport[] {
    return this.#watched.plan.steps.flatMap(
      ({ id }, index) =>
        this.#steps[index]?.report({
          ...judged,
          hasGap: this.#hasGap,
          attested: Object.hasOwn(attested, id) ? attested[id] : undefined,
          found: found[id],
        }) ?? [],
    )
  }

  get seen(): Pick<RunReport, 'traffic' | 'observed' | 'notes'> {
    const { traffic, observed } = this.#traffic
    return { traffic, observed, notes: [...(this.#hasGap ? [MISSING] : []), ...[...this.#named].map(noteOfNamed)] }
  }
}

/** Other runs that a report names. */
const MOST_NAMED = 5

const noteOfNamed = ([name, count]: readonly [string, number]): string =>
  `${count === 1 ? 'One request' : `${count} requests`} of the run named another in a header, '${name}': the token or the call says to which a request belongs`

const MISSING = 'Exchanges of the run are missing from the journal: steps that they may decide end in error'

/** FHIR, the Model Context Protocol, and the routes of calls; their tools tell themselves. */
const OF_CLIENT = /^\/(?:$|[A-Z$_]|(?:mcp|calls|abandonments)(?:\/|$))/

/** Whether the client did it: it may say to which run administrative requests belong too, but they are not judged. */
const isOfClient = ({ summary: { direction, replayOf, interaction }, path }: SeenByRun): boolean =>
  direction === 'in' && replayOf === undefined && (interaction === 'tool' || OF_CLIENT.test(path))
