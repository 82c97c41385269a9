/**
 * The context of every part of the SQLite engine: each thread has one, with its own connection; and the number in memory
 * by which the threads of a process notice changes of each other.
 */
import type { CombinedIndex, CoveredParameters } from '../../search/plan.ts'
import { SearchIndex } from '../index/search-index.ts'
import type { OnUpgrade } from '../index/upgrade.ts'
import type { Extraction } from '../port.ts'
import { RecentRecords, type RecordAddress } from '../recent.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { Database } from './connection.ts'
import { epochOf, readState } from './index-state.ts'
import { InternedNames } from './interned-names.ts'
import { readRecord } from './records.ts'

export interface Engine {
  readonly db: Database
  readonly names: InternedNames
  readonly recent: RecentRecords
  /** The combined indexes that are written; `index` determines which of them can be searched by. */
  readonly combined: readonly CombinedIndex[]
  readonly index: SearchIndex
  /** Parameters whose values are not written where another parameter has the same one. */
  readonly covered: CoveredParameters
  readonly signals: Signals
  /** Most candidates that are less work to collect and sort than an index is to scan in the requested order. */
  readonly fewCandidates: number
}

/** Version of the form of index rows: see SearchIndexOptions. */
const FORM = '2'

/** Options shared by all engines of one file. */
export interface EngineOptions {
  /** A file, created when it is missing, or ':memory:'. */
  readonly path: string
  readonly combined: readonly CombinedIndex[]
  /** See Engine; absent: nothing. */
  readonly covered?: CoveredParameters
  readonly extraction?: Extraction | undefined
  /** See Engine; 4096 unless a test wants scans on few resources. */
  readonly fewCandidates?: number
  /** Kinds of records that are read with every request and seldom change. */
  readonly recentKinds?: readonly string[]
  /** Called before an older store is changed. */
  readonly onUpgrade?: OnUpgrade | undefined
}

/** The options as a message to a thread that has no FHIR definitions. */
export interface SentOptions extends Omit<EngineOptions, 'extraction' | 'onUpgrade'> {
  /** By type: the parts of its search index, in addition to those that the engine itself knows. */
  readonly versions: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly signals: SharedArrayBuffer
}

export function sentOptions({ extraction, ...options }: EngineOptions, { index, signals }: Engine): SentOptions {
  const { path, combined, covered = {}, fewCandidates = FEW_CANDIDATES, recentKinds = [] } = options
  const types = new Set([...(extraction?.types ?? []), ...index.state.types.keys()])
  const versions = new Map([...types].map((type) => [type, extraction?.parametersOf(type) ?? NONE] as const))
  return { path, combined, covered, fewCandidates, recentKinds, versions, signals: signals.buffer }
}

/** @throws the error of SQLite, StoreUnavailable */
export const openReceived = (role: 'writer' | 'reader', { versions, signals, ...options }: SentOptions): Engine =>
  openBeside(role, { ...options, extraction: extractionOf(versions) }, new Signals(signals))

const NONE: ReadonlyMap<string, string> = new Map()

const extractionOf = (versions: SentOptions['versions']): Extraction => ({
  version: 0,
  types: [...versions.keys()],
  parametersOf: (type) => versions.get(type) ?? NONE,
  entriesOf: () => {
    throw new Error('Only a thread that has FHIR definitions extracts entries')
  },
})

/**
 * An engine with its own connection, on a file that is already a store. It claims nothing in the search index.
 * @throws the error of SQLite, StoreUnavailable
 */
export function openBeside(role: 'writer' | 'reader', options: EngineOptions, signals: Signals): Engine {
  const db = new Database(options.path)
  try {
    if (role === 'writer') db.configure()
    else db.configureForReading()
    const engine = engineOf(db, options, signals, true)
    engine.index.accept(readState(db))
    return engine
  } catch (error) {
    db.close()
    throw error
  }
}

const FEW_CANDIDATES = 4096

/** @param onlyScanned see SearchIndexOptions */
export function engineOf(db: Database, options: EngineOptions, signals: Signals, onlyScanned = false): Engine {
  const { combined, covered = {}, extraction, fewCandidates = FEW_CANDIDATES, recentKinds = [], onUpgrade } = options
  const index = new SearchIndex({ combined, extraction, onlyScanned, form: FORM, onUpgrade })
  const read = ({ clinic, kind, key }: RecordAddress) => readRecord(db, clinic, kind, key)
  const recent = new RecentRecords(read, recentKinds, signals.recent)
  return { db, names: new InternedNames(db), recent, combined, covered, index, signals, fewCandidates }
}

/**
 * Keeps a process from writing rows without the parts that another version searches by, which would leave the index
 * incomplete for good.
 * @throws StoreUnavailable when another version of the server has opened the file since
 */
export function checkIndex({ db, index, signals }: Engine): void {
  if (signals.sawEpoch(epochOf(db)) !== index.state.epoch) index.accept(readState(db))
  if (index.isOverruled) {
    throw new StoreUnavailable(
      'Another version of the server has opened this store; this one no longer writes, stop it',
    )
  }
}

/**
 * Takes over state that another thread of this process has already seen.
 * @throws StoreOutdated when a newer server has changed the tables
 */
export function refreshIndex({ db, index, signals }: Engine): void {
  if (signals.epoch > index.state.epoch) index.accept(readState(db))
}

const RECENT = 0
const EPOCH = 1
const DROPS = 2

/** State of one SQLite file in memory shared by the threads of a process. */
export class Signals {
  readonly buffer: SharedArrayBuffer
  /** Counts the changes of records that are cached (storage/recent.ts). */
  readonly recent: Int32Array
  readonly #numbers: Int32Array

  /** @param buffer of another thread's signals; absent: this is the first thread */
  constructor(buffer = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#numbers = new Int32Array(buffer)
    this.recent = this.#numbers.subarray(RECENT, RECENT + 1)
  }

  /** The highest epoch of the search index that any thread has seen. */
  get epoch(): number {
    return Atomics.load(this.#numbers, EPOCH)
  }

  /** The number of drops by this process, each in its parts. */
  get drops(): number {
    return Atomics.load(this.#numbers, DROPS)
  }

  hasDropped(): void {
    Atomics.add(this.#numbers, DROPS, 1)
  }

  /** @returns `epoch` */
  sawEpoch(epoch: number): number {
    for (let known = this.epoch; known < epoch; ) {
      const found = Atomics.compareExchange(this.#numbers, EPOCH, known, epoch)
      known = found === known ? epoch : found
    }
    return epoch
  }
}
