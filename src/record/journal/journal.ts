/**
 * The journal: a recorder of exchanges, of which as many are kept of each clinic as a person can look at, so that it
 * takes a bounded part of the server, however much is sent, and no clinic displaces another. docs/journal.md
 */
import { LRUCache } from 'lru-cache'
import type { Role } from '../../clinics/accounts.ts'
import { clinicFacts } from '../../clinics/clinics.ts'
import { type ClinicSettings, type JournalMode, recentSettings, secretsIn } from '../../clinics/settings.ts'
import { upTo } from '../../fhir/memoize.ts'
import { processorTime } from '../../isolation/budget.ts'
import { yieldToEventLoop } from '../../isolation/fair-queue.ts'
import { type Rate, TokenBuckets } from '../../isolation/token-bucket.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import type { JournalEntry, JournalStore, Kept } from '../../storage/journal-port.ts'
import { type Gap, nameOf, OF_STRANGERS, Recorder, type RecorderOptions, type Recording } from '../recorder.ts'
import { clinicOfStrangers, type SeenExchange } from './exchange.ts'
import { entryOf, gapEntry } from './pack.ts'
import { formsOf } from './secrets.ts'
import { type ClinicOfCall, MOST_STRANGERS, OF_CLAIMED, Strangers } from './strangers.ts'

const RECORDING: Recording = {
  name: 'journal',
  flushAfter: 75,
  betweenGaps: 2_000,
  // The size of exchanges is the bytes of their bodies.
  most: { items: 10_000, size: 32 * 1024 * 1024 },
  partOfClinic: 1 / 2,
}

/** Milliseconds of work after which the event loop has its turn. */
const SLICE = 2

/** The exchanges of each clinic: as many as a person can look at. */
const OF_CLINIC: Rate = { rate: 200, burst: 5_000 }
/** Without a clinic, and in the name of one, strangers may send whatever they like. */
const allowanceOf = (clinic: string): Rate =>
  clinic === SERVICE ? OF_STRANGERS : clinicOfStrangers(clinic) ? OF_CLAIMED : OF_CLINIC
/** Bytes of bodies that count as an exchange. */
const BYTES_PER_EXCHANGE = 4_096
/** Processor milliseconds that recording an exchange usually takes. */
const USUAL = 0.05

/** Entries that are kept at least of a clinic in which runs are open, as their verdicts are made of them. */
const OF_RUNS = 200_000

const TOO_MUCH = 'more came than is recorded of one clinic in a second'
const NOT_WRITTEN = 'the journal could not be written'

export interface JournalOptions extends RecorderOptions<JournalStore> {
  readonly repository: Repository
  readonly defaults: JournalDefaults
  /** Absent: neither numbers nor calls are known. */
  readonly clinicOfCall?: ClinicOfCall
  /** Secrets of the service itself. */
  readonly secrets: readonly string[]
  /** Replaces the usual rate of exchanges of each clinic, and of those that belong to no clinic. */
  readonly allowance?: Rate | undefined
}

interface Waiting {
  readonly clinic: string
  readonly at: number
  readonly seen: SeenExchange
  readonly policy: JournalPolicy
}

export class Journal extends Recorder<Waiting, JournalEntry, JournalStore> {
  readonly policies: JournalPolicies
  readonly strangers: Strangers<JournalPolicy>
  readonly #secrets: readonly string[]
  readonly #allowance: Rate | undefined
  /** How much of each clinic may still be recorded. A forgotten clinic starts with a full one. */
  readonly #buckets = new TokenBuckets((clinic) => this.#allowance ?? allowanceOf(clinic))
  readonly #written = new Set<() => void>()

  constructor(options: JournalOptions) {
    super(options, RECORDING)
    this.policies = new JournalPolicies(options.repository, options.defaults)
    this.#secrets = options.secrets.flatMap(formsOf)
    this.#allowance = options.allowance
    this.strangers = new Strangers({
      clinicOfCall: options.clinicOfCall ?? (async () => undefined),
      load: (clinic) => this.policies.load(clinic),
      hasRoom: (part, now) => this.#buckets.of(part).left(now) >= 1,
    })
  }

  /**
   * Whether an exchange is to be recorded; one that is not counts as missing. Called before anything is prepared for
   * it.
   * @param bytes of its bodies, as far as they are kept
   */
  takes({ clinic }: JournalPolicy, bytes: number, now: number): boolean {
    const isAllowed = this.#buckets.of(clinic).take(now, 1 + bytes / BYTES_PER_EXCHANGE)
    if (isAllowed && this.hasRoomFor(clinic, bytes)) return true
    this.miss({ clinic, at: now }, this.isFailing ? NOT_WRITTEN : TOO_MUCH)
    return false
  }

  /** Records an exchange that `takes` has accepted. Costs next to nothing, and never fails. */
  record(seen: SeenExchange, policy: JournalPolicy, bytes: number): void {
    this.add({ clinic: policy.clinic, at: seen.at, seen, policy }, bytes)
  }

  /** Records a request of this server to a clinic's system. */
  recordSent(sent: SeenExchange): void {
    this.policies.use(sent.clinic, (policy) => {
      if (policy.mode === 'off' || policy.clinic !== sent.clinic) return
      const bytes = policy.mode === 'full' ? (sent.requestBody?.text?.length ?? 0) : 0
      if (this.takes(policy, bytes, sent.at)) this.record(sent, policy, bytes)
    })
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

  protected async pack(waiting: readonly Waiting[], takeGaps: () => readonly Gap[]): Promise<readonly JournalEntry[]> {
    const entries: JournalEntry[] = []
    let since = performance.now()
    for (const { seen, policy } of waiting) {
      const entry = policy.mode === 'off' ? undefined : this.#entryOf(seen, policy.mode, policy)
      if (entry !== undefined) entries.push(entry)
      if (performance.now() - since < SLICE) continue
      await yieldToEventLoop()
      since = performance.now()
    }
    return [...entries, ...takeGaps().map(gapEntry)]
  }

  protected async write(entries: readonly JournalEntry[]): Promise<void> {
    await this.store.write(entries, new Map(entries.map(({ clinic }) => [clinic, this.policies.kept(clinic)])))
  }

  protected override written(): void {
    for (const work of this.#written) work()
  }

  protected itemsIn(entry: JournalEntry): readonly JournalEntry[] {
    return [entry]
  }

  #entryOf(seen: SeenExchange, mode: 'full' | 'headers', { clinic, secrets }: JournalPolicy): JournalEntry | undefined {
    const begun = processorTime()
    try {
      return entryOf(seen, { mode, secrets: this.#formsWith(secrets) })
    } catch (error) {
      this.logger.error({ fault: nameOf(error) }, 'an exchange could not be recorded')
      this.miss(seen, 'it could not be recorded')
      return undefined
    } finally {
      // Bodies can be made to take longer than others of their length; time taken by other programs is not the clinic's.
      const milliseconds = (processorTime() - begun) / 1_000
      this.#buckets.of(clinic).spend(Math.max(0, milliseconds - USUAL) / USUAL)
    }
  }
}

export interface JournalPolicy extends Kept {
  /** SERVICE for a clinic that does not exist. */
  readonly clinic: string
  readonly mode: JournalMode
  /** The least role that reads its exchanges; absent: it depends on the exchange. */
  readonly leastRole?: Role
  /** Secrets of the clinic, which no exchange may show. */
  readonly secrets: readonly string[]
}

/** For clinics without settings of their own. */
export type JournalDefaults = Omit<JournalPolicy, 'clinic' | 'secrets'>

/** Policies that are remembered, for while settings have to be looked up. */
const REMEMBERED = 10_000

/** How much the journal keeps of each clinic, by its settings, which are in memory: a change of them takes effect at once. */
class JournalPolicies {
  readonly #repository: Repository
  readonly #defaults: JournalDefaults
  readonly #ofService: JournalPolicy
  readonly #last = new LRUCache<string, JournalPolicy>(upTo(REMEMBERED))
  /** By the settings that they were made of: these are one object until they change. */
  readonly #made = new WeakMap<ClinicSettings, JournalPolicy>()

  constructor(repository: Repository, defaults: JournalDefaults) {
    this.#repository = repository
    this.#defaults = defaults
    this.#ofService = { clinic: SERVICE, secrets: [], ...defaults }
  }

  /** Undefined where it has to be loaded. */
  known(clinic: string): JournalPolicy | undefined {
    if (clinic === SERVICE) return this.#ofService
    try {
      const settings = recentSettings(this.#repository, clinic)
      if (!(settings instanceof Promise)) return this.#policyOf(clinic, settings)
      // The caller that needs it loads it.
      settings.catch(() => {})
      return undefined
    } catch {
      // A store that cannot be read: `load` says so.
      return undefined
    }
  }

  /** Calls `work` with the policy of a clinic: at once, unless it has to be loaded. */
  use(clinic: string, work: (policy: JournalPolicy) => void): void {
    const policy = this.known(clinic)
    if (policy !== undefined) work(policy)
    // An unreadable store is reported elsewhere.
    else void this.load(clinic).then(work, () => {})
  }

  /** @throws StoreUnavailable */
  async load(clinic: string): Promise<JournalPolicy> {
    if (clinic === SERVICE) return this.#ofService
    return this.#policyOf(clinic, await recentSettings(this.#repository, clinic))
  }

  /** @param part a clinic, or its part for strangers */
  kept(part: string): Kept {
    const ofStrangers = clinicOfStrangers(part)
    const clinic = ofStrangers ?? part
    const { days, entries } = this.#lastKnown(clinic) ?? this.#defaults
    if (ofStrangers !== undefined) return { days, entries: Math.min(entries, MOST_STRANGERS) }
    return { days, entries: this.#mayHaveOpenRuns(clinic) ? Math.max(entries, OF_RUNS) : entries }
  }

  /** True while it is not known: what is removed is gone, and what is too much is removed a moment later. */
  #mayHaveOpenRuns(clinic: string): boolean {
    if (clinic === SERVICE) return false
    try {
      const facts = clinicFacts(this.#repository, clinic)
      if (!(facts instanceof Promise)) return facts?.openRuns !== undefined
      // Known the next time. Where the store cannot be read, others say so.
      facts.catch(() => {})
      return true
    } catch {
      return true
    }
  }

  secrets(clinic: string): readonly string[] {
    return this.#lastKnown(clinic)?.secrets ?? []
  }

  #lastKnown(clinic: string): JournalPolicy | undefined {
    return this.known(clinic) ?? this.#last.get(clinic)
  }

  #policyOf(clinic: string, settings: ClinicSettings | undefined): JournalPolicy {
    if (settings === undefined) return this.#ofService
    const policy = this.#made.get(settings) ?? this.#policyBy(clinic, settings)
    this.#made.set(settings, policy)
    if (this.#last.get(clinic) !== policy) this.#last.set(clinic, policy)
    return policy
  }

  #policyBy(clinic: string, settings: ClinicSettings): JournalPolicy {
    const { mode, days, entries } = this.#defaults
    return {
      clinic,
      secrets: secretsIn(settings),
      mode: settings.journal ?? mode,
      days: settings.journalDays ?? days,
      entries: settings.journalEntries ?? entries,
    }
  }
}
