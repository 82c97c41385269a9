/**
 * Indexes what a clinic has stored by the search parameters that it has added, changed or removed: in the background, a
 * few resources at a time, clinic by clinic in turns. The record CUSTOM_INDEX says how far that is and, by its due time,
 * that there is work; whoever works on it has leased it, so that a server that dies leaves it to the next.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { declarationIn } from '../search/index/custom-declaration.ts'
import { type CustomIndex, customIndexIn, customIndexValue, type IndexedType } from '../search/index/custom-progress.ts'
import { CUSTOM_DECLARATION, CUSTOM_KEY, CUSTOM_PROGRESS } from './custom-records.ts'
import type { Repository, UnitOfWork } from './repository.ts'

export interface IndexingPace {
  /** Milliseconds between two looks for work. */
  readonly look: number
  /** Resources at a time. */
  readonly batch: number
  /** Milliseconds of work on a clinic before it is written down, and the next one has its turn. */
  readonly turn: number
  /** Milliseconds after which another server goes on where one has died. */
  readonly lease: number
}

const PACE: IndexingPace = { look: 500, batch: 50, turn: 1_000, lease: 15_000 }
/** Clinics of one look. */
const MAX_CLINICS = 20

interface Turn {
  /** Of the record, while nobody else has written it. */
  readonly version: number
  readonly index: CustomIndex
  /** By type the version that its resources have to be indexed by. */
  readonly wanted: Readonly<Record<string, number>>
}

/** Several processes may run one each. */
export class CustomIndexing {
  readonly #repository: Repository
  readonly #logger: Logger
  readonly #pace: IndexingPace
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  readonly #end = new AbortController()

  constructor(repository: Repository, logger: Logger, pace: IndexingPace = PACE) {
    this.#repository = repository
    this.#logger = logger
    this.#pace = pace
  }

  start(): void {
    if (this.#end.signal.aborted) return
    this.#timer = setTimeout(() => {
      this.#working = this.#look().then(() => this.start())
    }, this.#pace.look).unref()
  }

  /** Resolves when the batch under way is over. */
  async stop(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#timer)
    await this.#working
  }

  async #look(): Promise<void> {
    for (let worked = true; worked && !this.#end.signal.aborted; ) {
      worked = false
      const due = { dueBefore: Date.now(), limit: MAX_CLINICS }
      for (const { clinic } of (await this.#caught(() => this.#repository.records(CUSTOM_PROGRESS, due))) ?? []) {
        if (this.#end.signal.aborted) return
        worked ||= (await this.#caught(() => this.#takeTurn(clinic))) ?? false
      }
    }
  }

  /** A fault with one clinic leaves the others alone; its own lease makes it wait. */
  async #caught<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      const fault = error instanceof Error ? error.name : typeof error
      this.#logger.error({ fault }, 'the search parameters of a clinic could not be worked on')
      return undefined
    }
  }

  /** False when somebody else has it. */
  async #takeTurn(clinic: string): Promise<boolean> {
    const turn = await this.#repository.change(clinic, (unit) => lease(unit, this.#pace.lease))
    if (turn === undefined) return false
    const index = await this.#work(clinic, turn)
    await this.#repository.change(clinic, (unit) => settle(unit, turn, index))
    return true
  }

  async #work(clinic: string, { index, wanted }: Turn): Promise<CustomIndex> {
    const types = { ...index.types }
    const end = Date.now() + this.#pace.turn
    for (const [type, towards] of pending(index, wanted)) {
      let state = begun(types[type], towards)
      while (state.indexVersion !== towards) {
        if (this.#end.signal.aborted || Date.now() > end) return { types: { ...types, [type]: state } }
        state = await this.#batch(clinic, type, state)
      }
      types[type] = state
      if (state.done > 0)
        this.#logger.info({ clinic, type, done: state.done, failed: state.failed }, 'custom search index')
    }
    return { types }
  }

  /** Requests have as much time as it took. */
  async #batch(clinic: string, type: string, { after, ...state }: IndexedType): Promise<IndexedType> {
    const started = performance.now()
    const { batch: limit } = this.#pace
    const { towards } = state
    const from = after === undefined ? {} : { after }
    const { done, failed, next } = await this.#repository.reindex({
      clinic,
      type,
      indexVersion: towards,
      limit,
      ...from,
    })
    const sum = { ...state, done: state.done + done, failed: state.failed + failed }
    if (next === undefined) return { ...sum, indexVersion: towards }
    await sleep(performance.now() - started, undefined, { signal: this.#end.signal, ref: false }).catch(() => {})
    return { ...sum, after: next }
  }
}

const begun = (before: IndexedType | undefined, towards: number): IndexedType =>
  before?.towards === towards ? before : { indexVersion: before?.indexVersion ?? 0, towards, done: 0, failed: 0 }

/** Types that have to be indexed by a newer version than they are, each with that. */
const pending = ({ types }: CustomIndex, wanted: Turn['wanted']): readonly (readonly [string, number])[] =>
  Object.entries(wanted).filter(([type, version]) => (types[type]?.indexVersion ?? 0) < version)

/** undefined: somebody else has it. */
async function lease({ records, now }: UnitOfWork, milliseconds: number): Promise<Turn | undefined> {
  const record = await records.read(CUSTOM_PROGRESS, CUSTOM_KEY)
  if (record === undefined || record.due === null || record.due > now) return undefined
  const declaration = await records.read(CUSTOM_DECLARATION, CUSTOM_KEY)
  records.put(CUSTOM_PROGRESS, CUSTOM_KEY, record.value, { due: now + milliseconds })
  return {
    version: record.version + 1,
    index: customIndexIn(record.value),
    wanted: declarationIn(declaration?.value).types,
  }
}

/** Writes down how far it is; not where somebody has changed what is wanted, who has written it too. */
async function settle({ records, now }: UnitOfWork, { version, wanted }: Turn, index: CustomIndex): Promise<void> {
  const record = await records.read(CUSTOM_PROGRESS, CUSTOM_KEY)
  if (record?.version !== version) return
  const due = pending(index, wanted).length === 0 ? null : now
  records.put(CUSTOM_PROGRESS, CUSTOM_KEY, customIndexValue(index), { due })
}
