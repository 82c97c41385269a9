/**
 * How much the journal keeps of each clinic, by its settings: looked up without waiting, and reloaded after a moment.
 */
import type { JournalMode } from '../../clinics/journal-settings.ts'
import { clinicExists, readSettings, secretsIn } from '../../clinics/settings.ts'
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

/** Milliseconds for which a policy is used before it is looked up again. */
const FRESH = 250
/** Policies that are remembered. */
const REMEMBERED = 10_000

const NO_SECRETS: readonly string[] = []

interface Known {
  readonly policy: JournalPolicy
  readonly until: number
}

export class JournalPolicies {
  readonly #repository: Repository
  readonly #defaults: JournalDefaults
  readonly #known = new Map<string, Known>()
  readonly #loading = new Map<string, Promise<JournalPolicy>>()

  constructor(repository: Repository, defaults: JournalDefaults) {
    this.#repository = repository
    this.#defaults = defaults
    this.#known.set(SERVICE, {
      policy: { clinic: SERVICE, secrets: NO_SECRETS, ...defaults },
      until: Number.POSITIVE_INFINITY,
    })
  }

  /** Undefined where it has to be loaded. @param now milliseconds since 1970 UTC */
  known(clinic: string, now: number): JournalPolicy | undefined {
    const known = this.#known.get(clinic)
    return known === undefined || now >= known.until ? undefined : known.policy
  }

  /** As last known. */
  kept(clinic: string): Kept {
    const { days, entries } = this.#known.get(clinic)?.policy ?? this.#defaults
    return { days, entries }
  }

  /** The secrets of a clinic, as last known. */
  secrets(clinic: string): readonly string[] {
    return this.#known.get(clinic)?.policy.secrets ?? NO_SECRETS
  }

  /** @throws StoreUnavailable */
  load(clinic: string): Promise<JournalPolicy> {
    const before = this.#loading.get(clinic)
    if (before !== undefined) return before
    const loading = this.#load(clinic).finally(() => this.#loading.delete(clinic))
    this.#loading.set(clinic, loading)
    return loading
  }

  async #load(clinic: string): Promise<JournalPolicy> {
    if (clinic === SERVICE) return { clinic, secrets: NO_SECRETS, ...this.#defaults }
    const policy = await this.#read(clinic)
    if (this.#known.size >= REMEMBERED) this.#forgetOldest()
    this.#known.set(clinic, { policy, until: Date.now() + FRESH })
    return policy
  }

  async #read(clinic: string): Promise<JournalPolicy> {
    if (!(await clinicExists(this.#repository, clinic)))
      return { clinic: SERVICE, secrets: NO_SECRETS, ...this.#defaults }
    const settings = await readSettings(this.#repository, clinic)
    const { mode, days, entries } = this.#defaults
    return {
      clinic,
      secrets: secretsIn(settings),
      mode: settings.journal ?? mode,
      days: settings.journalDays ?? days,
      entries: settings.journalEntries ?? entries,
    }
  }

  #forgetOldest(): void {
    for (const clinic of this.#known.keys()) {
      if (clinic === SERVICE) continue
      this.#known.delete(clinic)
      return
    }
  }
}
