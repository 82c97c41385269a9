/**
 * The journal: exchanges go into a bounded queue and are written in batches beside the requests, which never wait for it.
 * What is more than a clinic's allowance, or cannot be written, is missing, and that is an entry too. docs/journal.md
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PartLoad } from '../budget/part-load.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import type { JournalEntry, JournalStore, Kept } from '../storage/journal-port.ts'
import { StoreUnavailable } from '../storage/port.ts'
import { Allowances } from './allowances.ts'
import { MAX_BODY, type SeenExchange } from './exchange.ts'
import { MissingExchanges } from './missing.ts'
import { entryOf } from './pack.ts'
import { type JournalDefaults, JournalPolicies, type JournalPolicy } from './policies.ts'
import { formsOf } from './secrets.ts'
import { type SentRequest, seenOf } from './sent.ts'

/** Milliseconds from an exchange until it is written: what a process that is killed loses. */
const FLUSH_AFTER = 75
/** Exchanges that wait at most, and the bytes of their bodies; a clinic takes half of either. */
const MAX_WAITING = 10_000
const MAX_BYTES = 32 * 1024 * 1024
/** Milliseconds before a write that failed is tried again, and between two log lines about it. */
const RETRY_AFTER = 1_000
const BETWEEN_REPORTS = 60_000
/** Milliseconds that the end of the server waits for a store that does not answer. */
const CLOSING_TIME = 3_000
/** Milliseconds of work after which the event loop has its turn. */
const SLICE = 2

const OF_CLINIC = { rate: 200, burst: 5_000 }
/** Of all that belongs to no clinic, as strangers may send what they like. */
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

/** Runs its argument for no request. */
const forNoRequest = AsyncLocalStorage.snapshot()

export class Journal {
  readonly store: JournalStore
  readonly policies: JournalPolicies
  readonly #logger: Logger
  readonly #secrets: readonly string[]
  readonly #clinics = new Allowances(OF_CLINIC)
  readonly #service = new Allowances(OF_SERVICE)
  readonly #missing = new MissingExchanges()
  readonly #written = new Set<() => void>()
  #waiting: Waiting[] = []
  readonly #waitingOf = new Map<string, { count: number; bytes: number }>()
  #bytes = 0
  #unwritten: Batch | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #fault: { readonly reportedAt: number } | undefined
  #isClosed = false

  constructor({ store, repository, logger, defaults, secrets }: JournalOptions) {
    this.store = store
    this.policies = new JournalPolicies(repository, defaults)
    this.#logger = logger
    this.#secrets = secrets.flatMap(formsOf)
  }

  /**
   * Whether an exchange is to be recorded; one that is not is missing from now on. To be asked before anything is made for it.
   * @param bytes of its bodies, as far as they are kept
   */
  takes({ clinic }: JournalPolicy, bytes: number, now: number): boolean {
    if (this.#allowancesOf(clinic).take(clinic, bytes, now) && this.#hasRoomFor(clinic, bytes)) return true
    this.#missing.add(clinic, now, this.#fault === undefined ? TOO_MUCH : NOT_WRITTEN)
    this.#writeSoon()
    return false
  }

  /** Of an exchange that it takes. Costs next to nothing, and never fails. */
  record(seen: SeenExchange, policy: JournalPolicy, bytes: number): void {
    const ofClinic = this.#waitingOf.get(policy.clinic) ?? { count: 0, bytes: 0 }
    this.#waitingOf.set(policy.clinic, { count: ofClinic.count + 1, bytes: ofClinic.bytes + bytes })
    this.#bytes += bytes
    this.#waiting.push({ seen, policy, bytes })
    this.#writeSoon()
  }

  /** What this server has asked of a clinic's system. */
  recordSent(sent: SentRequest): void {
    const policy = this.policies.known(sent.clinic, sent.at)
    if (policy !== undefined) this.#recordSent(sent, policy)
    else {
      // A store that cannot be read has other things to tell of.
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

  /** `work` is told whenever something has been written. @returns a function that ends that */
  onWritten(work: () => void): () => void {
    this.#written.add(work)
    return () => void this.#written.delete(work)
  }

  /** For /health/ready. Requests are served while the journal cannot be written. */
  get load(): PartLoad {
    const waiting = this.#waiting.length + (this.#unwritten?.entries.length ?? 0)
    const since = this.#unwritten?.since ?? this.#waiting[0]?.seen.at
    const oldestMs = since === undefined ? 0 : Math.max(0, Date.now() - since)
    const state = this.#fault !== undefined ? 'degraded' : 'ok'
    return { name: 'journal', state, waiting, oldestMs }
  }

  /** Resolves when what was recorded before is written, or has failed to be. */
  async flush(): Promise<void> {
    await this.#writing
    if (this.#hasWork) await this.#write()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const { promise, resolve } = Promise.withResolvers<void>()
    const late = setTimeout(resolve, CLOSING_TIME)
    await Promise.race([this.flush(), promise])
    clearTimeout(late)
    clearTimeout(this.#timer)
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

  get #hasWork(): boolean {
    return this.#waiting.length > 0 || this.#unwritten !== undefined || this.#missing.count > 0
  }

  #writeSoon(): void {
    if (this.#timer === undefined && this.#writing === undefined) this.#writeAfter(FLUSH_AFTER)
  }

  #writeAfter(milliseconds: number): void {
    if (this.#isClosed) return
    this.#timer = forNoRequest(() => setTimeout(() => void this.#write(), milliseconds)).unref()
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= forNoRequest(() => this.#writeBatch()).finally(() => {
      this.#writing = undefined
      if (this.#hasWork) this.#writeAfter(this.#fault === undefined ? FLUSH_AFTER : RETRY_AFTER)
    })
    return this.#writing
  }

  async #writeBatch(): Promise<void> {
    try {
      this.#unwritten ??= await this.#pack()
      const { entries, kept } = this.#unwritten
      if (entries.length > 0) await this.store.write(entries, kept)
      this.#unwritten = undefined
      this.#goesOn()
      if (entries.length > 0) for (const work of this.#written) work()
    } catch (error) {
      // What the store can never take would be tried for ever.
      if (!(error instanceof StoreUnavailable)) this.#giveUp()
      this.#cannotWrite(error)
    }
  }

  #giveUp(): void {
    for (const { clinic, at } of this.#unwritten?.entries ?? []) this.#missing.add(clinic, at, NOT_WRITTEN)
    this.#unwritten = undefined
  }

  async #pack(): Promise<Batch> {
    const waiting = this.#waiting
    this.#waiting = []
    this.#waitingOf.clear()
    this.#bytes = 0
    const entries: JournalEntry[] = []
    let since = performance.now()
    for (const { seen, policy } of waiting) {
      const { clinic, mode } = policy
      const begun = performance.now()
      const entry = mode === 'off' ? undefined : this.#entryOf(seen, mode)
      if (entry !== undefined) entries.push(entry)
      const now = performance.now()
      this.#allowancesOf(clinic).charge(clinic, now - begun)
      if (now - since < SLICE) continue
      await setImmediate()
      since = performance.now()
    }
    entries.push(...this.#missing.take(Date.now(), this.#isClosed))
    const kept = new Map(entries.map(({ clinic }) => [clinic, this.policies.kept(clinic)]))
    return { entries, kept, since: waiting[0]?.seen.at ?? Date.now() }
  }

  #entryOf(seen: SeenExchange, mode: 'full' | 'headers'): JournalEntry | undefined {
    try {
      return entryOf(seen, { mode, secrets: this.#secrets })
    } catch (error) {
      this.#logger.error({ fault: nameOf(error) }, 'an exchange could not be recorded')
      this.#missing.add(seen.clinic, seen.at, 'it could not be recorded')
      return undefined
    }
  }

  #goesOn(): void {
    if (this.#fault === undefined) return
    this.#fault = undefined
    this.#logger.warn({ lost: this.#missing.count }, 'the journal is written again')
  }

  #cannotWrite(error: unknown): void {
    const reason = error instanceof StoreUnavailable ? error.message : `an unexpected fault (${nameOf(error)})`
    const now = Date.now()
    const isDue = now - (this.#fault?.reportedAt ?? Number.NEGATIVE_INFINITY) >= BETWEEN_REPORTS
    this.#fault = { reportedAt: isDue ? now : (this.#fault?.reportedAt ?? now) }
    if (isDue) this.#logger.error({ reason, lost: this.#missing.count }, 'the journal cannot be written')
  }
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error)
