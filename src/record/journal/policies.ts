/** How much the journal keeps of each clinic, by its settings, which are in memory: a change of them takes effect at once. */
import { LRUCache } from 'lru-cache'
import type { JournalMode } from '../../clinics/journal-settings.ts'
import { type ClinicSettings, recentSettings, secretsIn } from '../../clinics/settings.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import type { Kept } from '../../storage/journal-port.ts'

export interface JournalPolicy extends Kept {
  /** SERVICE for a clinic that does not exist. */
  readonly clinic: string
  readonly mode: JournalMode
  /** Secrets of the clinic, which no exchange may show. */
  readonly secrets: readonly string[]
}

/** For clinics without settings of their own. */
export type JournalDefaults = Omit<JournalPolicy, 'clinic' | 'secrets'>

/** Policies that are remembered, for while settings have to be looked up. */
const REMEMBERED = 10_000

export class JournalPolicies {
  readonly #repository: Repository
  readonly #defaults: JournalDefaults
  readonly #ofService: JournalPolicy
  readonly #last = new LRUCache<string, JournalPolicy>({ max: REMEMBERED })
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

  kept(clinic: string): Kept {
    const { days, entries } = this.#lastKnown(clinic) ?? this.#defaults
    return { days, entries }
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
    this.#last.set(clinic, policy)
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
