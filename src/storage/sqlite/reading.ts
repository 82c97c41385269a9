/**
 * Reads whose length depends on what is stored and requested. On the event loop each has a small allowance, which
 * suffices for most; one that exceeds it restarts in a reader thread. Without reader threads, a read has all its time
 * where it is.
 */
import { type Budget, currentBudget } from '../../isolation/budget.ts'
import { processorTime } from '../../isolation/processor-time.ts'
import { SlowKinds } from '../../isolation/slow-kinds.ts'
import type { Engine } from './engine.ts'
import type { Readers } from './readers.ts'
import { type Answer, clinicOf, inTime, type Query, type ReadKind, read, whatIsRead } from './reads.ts'
import { OutOfTime, type Times, WorkingTime } from './time-limit.ts'

/** How many more times a read must have been long than short: it may be long once because the machine is busy. */
const TIMES_LONG = 3

export class Reading {
  readonly #engine: Engine
  /** undefined: a read has all its time where it is. */
  readonly #readers: Readers | undefined
  readonly #times: Times
  readonly #long = new SlowKinds(TIMES_LONG)

  constructor(engine: Engine, times: Times, readers?: Readers) {
    this.#engine = engine
    this.#times = times
    this.#readers = readers
  }

  /** @throws BudgetError, and errors of the port */
  async read<Kind extends ReadKind>(kind: Kind, query: Query<Kind>): Promise<Answer<Kind>> {
    const budget = currentBudget()
    const endsAt = this.#endOf(budget)
    if (this.#readers === undefined) return this.#readHere(kind, query, endsAt, budget)
    const isKnownLong = !this.#long.isEmpty && this.#long.isSlow(wordsOf(kind, query))
    const answer = isKnownLong ? undefined : this.#readBriefly(kind, query, budget)
    if (answer !== undefined) return answer
    const since = Date.now()
    try {
      return await this.#readers.read({ kind, query, what: whatIsRead(kind, query) }, endsAt, budget)
    } finally {
      budget?.hasReadSince(since)
    }
  }

  /** The deadline, milliseconds since 1970 UTC. */
  #endOf(budget: Budget | undefined): number {
    return budget === undefined ? Date.now() + this.#times.inBackground : budget.readEndsAt
  }

  #readHere<Kind extends ReadKind>(
    kind: Kind,
    query: Query<Kind>,
    endsAt: number,
    budget: Budget | undefined,
  ): Answer<Kind> {
    const limit = { endsAt, isAbandoned: budget && (() => budget.isAbandoned) }
    const began = processorTime()
    try {
      return inTime(
        () => whatIsRead(kind, query),
        () => read(this.#engine, kind, query, limit),
      )
    } finally {
      pay(budget, processorTime() - began)
    }
  }

  /** Reads within the allowance; undefined: it takes longer than the event loop may be held for. */
  #readBriefly<Kind extends ReadKind>(
    kind: Kind,
    query: Query<Kind>,
    budget: Budget | undefined,
  ): Answer<Kind> | undefined {
    const { allowance } = this.#times
    const began = processorTime()
    try {
      const answer = read(this.#engine, kind, query, new WorkingTime(allowance, processorTime))
      if (!this.#long.isEmpty) this.#long.wasShort(wordsOf(kind, query))
      pay(budget, processorTime() - began)
      return answer
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error
      this.#long.wasLong(wordsOf(kind, query))
      return undefined
    }
  }
}

/** The description of a read; reads with the same one are assumed to take equally long. */
const wordsOf = <Kind extends ReadKind>(kind: Kind, query: Query<Kind>): string =>
  `${clinicOf(query)} ${whatIsRead(kind, query)}`

/** Pays for a read; a step is a microsecond. @throws BudgetError */
const pay = (budget: Budget | undefined, microseconds: number): void => budget?.spend(microseconds, 'its searches')
