/**
 * The journal: exchanges go into a bounded queue and are written in batches beside the requests, which never wait for
 * it. Exchanges that exceed a clinic's allowance, or cannot be written, are missing, and their gap is an entry too.
 * docs/journal.md
 */
import type { Logger } from 'pino'
import { type ComponentHealth, noteOfSetAside, yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { processorTime } from '../../isolation/processor-time.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { Gaps } from '../../storage/gaps.ts'
import type { JournalEntry, JournalStore, Kept } from '../../storage/journal-port.ts'
import { nameOf, WriteBehind } from '../../storage/write-behind.ts'
import { type Allowance, Allowances } from './allowances.ts'
import { MAX_BODY, type SeenExchange } from './exchange.ts'
import { entryOf, gapEntry } from './pack.ts'
import { type JournalDefaults, JournalPolicies, type JournalPolicy } from './policies.ts'
import { formsOf } from './secrets.ts'
import { type SentRequest, seenOf } from './sent.ts'

/** Milliseconds from an exchange until it is written. */
const FLUSH_AFTER = 75
/** Milliseconds between two entries that report missing ones. */
const BETWEEN_GAPS = 2_000
/** Exchanges that wait at most, and the bytes of their bodies; a clinic takes half of either. */
const MAX_WAITING = 10_000
const MAX_BYTES = 32 * 1024 * 1024
/** Milliseconds of work after which the event loop has its turn. */
const SLICE = 2

const OF_CLINIC = { rate: 200, burst: 5_000 }
/** The allowance of all exchanges without a clinic, as strangers may send whatever they like. */
const OF_SERVICE = { rate: 10, burst: 600 }

const TOO_MUCH = 'more came than is recorded of one clinic in a second'
const NOT_WRITTEN = 'the journal could not be written'

export interface JournalOptions {
  readonly store: JournalStore
  readonly repository: Repository
  readonly logger: Logger
  readonly defaults: JournalDefaults
  /** Secrets of the service itself. */
  readonly secrets: readonly string[]
  /** Replaces the usual allowance of each clinic, and of exchanges that belong to no clinic. */
  readonly allowance?: Allowance | undefined
}

interface Waiting {
  readonly seen: SeenExchange
  readonly policy: JournalPolicy
  readonly bytes: number
}

interface Batch {
  readonly entries: readonly JournalEntry[]
  readonly kept: ReadonlyMap<string, Kept>
  readonly since: number
}

export class Journal {
  readonly store: JournalStore
  readonly policies: JournalPolicies
  readonly #logger: Logger
  readonly #secrets: readonly string[]
  readonly #clinics: Allowances
  readonly #service: Allowances
  readonly #gaps = new Gaps(BETWEEN_GAPS)
  readonly #writing: WriteBehind<Batch>
  readonly #written = new Set<() => void>()
  #waiting: Waiting[] = []
  readonly #waitingOf = new Map<string, { count: number; bytes: number }>()
  #bytes = 0

  constructor({ store, repository, logger, defaults, secrets, allowance }: JournalOptions) {
    this.#clinics = new Allowances(allowance ?? OF_CLINIC)
    this.#service = new Allowances(allowance ?? OF_SERVICE)
    this.store = store
    this.policies = new JournalPolicies(repository, defaults)
    this.#logger = logger
    this.#secrets = secrets.flatMap(formsOf)
    this.#writing = new WriteBehind<Batch>({
      what: 'the journal',
      logger,
      flushAfter: FLUSH_AFTER,
      hasWork: () => this.#waiting.length > 0 || this.#gaps.count > 0,
      pack: (isLast) => this.#pack(isLast),
      write: ({ entries, kept }) => store.write(entries, kept),
      lost: () => this.#gaps.count,
      // A batch that the store refuses would be retried for ever.
      onRefused: ({ entries }) => {
        for (const { clinic, at } of entries) this.#gaps.add(clinic, at, NOT_WRITTEN)
      },
      onWritten: () => {
        for (const work of this.#written) work()
      },
    })
  }

  /**
   * Whether an exchange is to be recorded; one that is not counts as missing. Called before anything is prepared for
   * it.
   * @param bytes of its bodies, as far as they are kept
   */
  takes({ clinic }: JournalPolicy, bytes: number, now: number): boolean {
    if (this.#allowancesOf(clinic).take(clinic, bytes, now) && this.#hasRoomFor(clinic, bytes)) return true
    this.#gaps.add(clinic, now, this.#writing.isFailing ? NOT_WRITTEN : TOO_MUCH)
    this.#writing.writeSoon()
    return false
  }

  /** Records an exchange that `takes` has accepted. Costs next to nothing, and never fails. */
  record(seen: SeenExchange, policy: JournalPolicy, bytes: number): void {
    const ofClinic = this.#waitingOf.get(policy.clinic) ?? { count: 0, bytes: 0 }
    this.#waitingOf.set(policy.clinic, { count: ofClinic.count + 1, bytes: ofClinic.bytes + bytes })
    this.#bytes += bytes
    this.#waiting.push({ seen, policy, bytes })
    this.#writing.writeSoon()
  }

  /** Records a request of this server to a clinic's system. */
  recordSent(sent: SentRequest): void {
    const policy = this.policies.known(sent.clinic)
    if (policy !== undefined) this.#recordSent(sent, policy)
    else {
      // An unreadable store is reported elsewhere.
      void this.policies.load(sent.clinic).then(
        (loaded) => this.#recordSent(sent, loaded),
        () => {},
      )
    }
  }

  #recordSent(sent: SentRequest, policy: JournalPolicy): void {
    if (policy.mode === 'off' || policy.clinic !== sent.clinic) return
    const bytes = policy.mode === 'full' ? Math.min(sent.body.length, MAX_BODY) : 0
    if (this.takes(policy, bytes, sent.at)) this.record(seenOf(sent), policy, bytes)
  }

  /** The forms of the secrets of the service and of a clinic, which no entry may show. */
  formsOfSecrets(clinic: string): readonly string[] {
    return this.#formsWith(this.policies.secrets(clinic))
  }

  #formsWith(ofClinic: readonly string[]): readonly string[] {
    return [...this.#secrets, ...ofClinic.flatMap(formsOf)]
  }

  /** Calls `work` after each write. @returns a function that ends that */
  onWritten(work: () => void): () => void {
    this.#written.add(work)
    return () => void this.#written.delete(work)
  }

  /** For /health/ready. Requests are served while the journal cannot be written. */
  get load(): ComponentHealth {
    const waiting = this.#waiting.length + (this.#writing.unwritten?.entries.length ?? 0)
    const since = this.#writing.unwritten?.since ?? this.#waiting[0]?.seen.at
    const oldestMs = since === undefined ? 0 : Math.max(0, Date.now() - since)
    const state = this.#writing.isFailing ? 'degraded' : 'ok'
    return { name: 'journal', state, waiting, oldestMs, ...noteOfSetAside(this.store.setAsideAt?.()) }
  }

  /** Resolves when everything recorded before is written, or writing it has failed. */
  async flush(): Promise<void> {
    await this.#writing.flush()
  }

  async close(): Promise<void> {
    await this.#writing.close()
    await this.store.close()
  }

  #allowancesOf(clinic: string): Allowances {
    return clinic === SERVICE ? this.#service : this.#clinics
  }

  #hasRoomFor(clinic: string, bytes: number): boolean {
    const ofClinic = this.#waitingOf.get(clinic) ?? { count: 0, bytes: 0 }
    return (
      this.#waiting.length < MAX_WAITING &&
      this.#bytes + bytes <= MAX_BYTES &&
      ofClinic.count < MAX_WAITING / 2 &&
      ofClinic.bytes + bytes <= MAX_BYTES / 2
    )
  }

  async #pack(isLast: boolean): Promise<Batch | undefined> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingOf.clear()
    this.#bytes = 0
    const entries: JournalEntry[] = []
    let since = performance.now()
    for (const { seen, policy } of waiting) {
      const { clinic, mode, secrets } = policy
      const begun = processorTime()
      const entry = mode === 'off' ? undefined : this.#entryOf(seen, mode, secrets)
      if (entry !== undefined) entries.push(entry)
      this.#allowancesOf(clinic).charge(clinic, (processorTime() - begun) / 1_000)
      if (performance.now() - since < SLICE) continue
      await yieldToEventLoop()
      since = performance.now()
    }
    entries.push(...this.#gaps.take(Date.now(), isLast).map(gapEntry))
    if (entries.length === 0) return undefined
    const kept = new Map(entries.map(({ clinic }) => [clinic, this.policies.kept(clinic)]))
    return { entries, kept, since: waiting[0]?.seen.at ?? Date.now() }
  }

  #entryOf(seen: SeenExchange, mode: 'full' | 'headers', ofClinic: readonly string[]): JournalEntry | undefined {
    try {
      return entryOf(seen, { mode, secrets: this.#formsWith(ofClinic) })
    } catch (error) {
      this.#logger.error({ fault: nameOf(error) }, 'an exchange could not be recorded')
      this.#gaps.add(seen.clinic, seen.at, 'it could not be recorded')
      return undefined
    }
  }
}
