/**
 * Failed authentications in the journal of the clinic that they name. Anybody can name any clinic, so they have a part of
 * their own beside its exchanges, which holds few of them and takes few in a minute: strangers displace nothing, and
 * fill nothing. docs/journal.md
 */
import type { Role } from '../../clinics/accounts.ts'
import { dialedNumber } from '../../clinics/settings.ts'
import { type Rate, TokenBucket } from '../../isolation/token-bucket.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import type { Repository } from '../../repository/repository.ts'
import { OF_STRANGERS } from '../recorder.ts'
import type { JournalPolicy } from './journal.ts'

/** The clinic that a stranger names, or a number of it. */
export type Claim = { readonly clinic: string } | { readonly dialed: string }

/** The least role that reads them. */
export const READS_STRANGERS: Role = 'admin'

/** Ten a minute, 60 at once; more are recorded as those of no clinic. */
export const OF_CLAIMED: Rate = { rate: 10 / 60, burst: 60 }

/** The last ones of a clinic that are kept. */
export const MOST_STRANGERS = 1_000

const ENDING = '/failed-authentications'

/** Their part of the journal, by the name under which the store keeps it: no id of a clinic has a slash. */
export const strangersOf = (clinic: string): string => `${clinic}${ENDING}`

export const isOfStrangers = (part: string): boolean => part.endsWith(ENDING)

export const clinicOfPart = (part: string): string => (isOfStrangers(part) ? part.slice(0, -ENDING.length) : part)

interface StrangerParts {
  readonly repository: Repository
  /** The policy of a clinic; that of SERVICE where there is no such clinic. */
  readonly load: (clinic: string) => Promise<JournalPolicy>
  /** Whether one more is recorded in a part of the journal. */
  readonly hasRoom: (part: string, now: number) => boolean
}

export class Strangers {
  readonly #parts: StrangerParts
  /** Claims that are looked up in the store, of all strangers together. */
  readonly #lookups = new TokenBucket(OF_STRANGERS)

  constructor(parts: StrangerParts) {
    this.#parts = parts
  }

  /**
   * How an exchange is recorded that makes a claim: without bodies.
   * @throws StoreUnavailable
   */
  async policyFor(claim: Claim, now: number): Promise<JournalPolicy> {
    const { load, hasRoom } = this.#parts
    const clinic = this.#lookups.take(now) ? await this.#clinicOf(claim) : SERVICE
    const policy = await load(clinic)
    const part = strangersOf(clinic)
    const isRecorded = policy.clinic === clinic && clinic !== SERVICE && policy.mode !== 'off'
    if (!isRecorded || !hasRoom(part, now)) return load(SERVICE)
    return { ...policy, clinic: part, mode: 'headers' }
  }

  async #clinicOf(claim: Claim): Promise<string> {
    if ('clinic' in claim) return claim.clinic
    return (await dialedNumber(this.#parts.repository, claim.dialed))?.clinic ?? SERVICE
  }
}
