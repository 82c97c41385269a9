/**
 * Failed authentications in the journal of the clinic that they name. Anybody can name any clinic, so they have a part of
 * their own beside its exchanges, which holds few of them and takes few in a minute: strangers displace nothing, and
 * fill nothing. docs/journal.md
 */
import type { Role } from '../../clinics/accounts.ts'
import type { JournalMode } from '../../clinics/settings.ts'
import { type Rate, TokenBucket } from '../../isolation/token-bucket.ts'
import { SERVICE } from '../../repository/record-kinds.ts'
import { OF_STRANGERS } from '../recorder.ts'
import { strangersOf } from './exchange.ts'

/** A number of a clinic, as the stranger has written it, and the id of one of its calls. */
export interface CallClaim {
  readonly dialed?: string
  readonly call?: string
}

/** The clinic that a stranger names, or a call to it. */
export type Claim = { readonly clinic: string } | CallClaim

/** The clinic of the number, or else of the call; undefined where neither leads to one. */
export type ClinicOfCall = (claim: CallClaim) => Promise<string | undefined>

/** The least role that reads them. */
export const READS_STRANGERS: Role = 'admin'

/** Ten a minute, 60 at once; more are recorded as those of no clinic. */
export const OF_CLAIMED: Rate = { rate: 10 / 60, burst: 60 }

/** The last ones of a clinic that are kept. */
export const MOST_STRANGERS = 1_000

interface Policy {
  readonly clinic: string
  readonly mode: JournalMode
  readonly leastRole?: Role
}

interface StrangerParts<Of extends Policy> {
  readonly clinicOfCall: ClinicOfCall
  /** The policy of a clinic; that of SERVICE where there is no such clinic. */
  readonly load: (clinic: string) => Promise<Of>
  /** Whether one more is recorded in a part of the journal. */
  readonly hasRoom: (part: string, now: number) => boolean
}

export class Strangers<Of extends Policy> {
  readonly #parts: StrangerParts<Of>
  /** Claims that are looked up in the store, of all strangers together. */
  readonly #lookups = new TokenBucket(OF_STRANGERS)

  constructor(parts: StrangerParts<Of>) {
    this.#parts = parts
  }

  /**
   * How an exchange is recorded that makes a claim: without bodies.
   * @throws StoreUnavailable
   */
  async policyFor(claim: Claim, now: number): Promise<Of> {
    const { load, hasRoom } = this.#parts
    const clinic = this.#lookups.take(now) ? await this.#clinicOf(claim) : SERVICE
    const policy = await load(clinic)
    const part = strangersOf(clinic)
    const isRecorded = policy.clinic === clinic && clinic !== SERVICE && policy.mode !== 'off'
    if (!isRecorded || !hasRoom(part, now)) return load(SERVICE)
    return { ...policy, clinic: part, mode: 'headers', leastRole: READS_STRANGERS }
  }

  async #clinicOf(claim: Claim): Promise<string> {
    if ('clinic' in claim) return claim.clinic
    return (await this.#parts.clinicOfCall(claim)) ?? SERVICE
  }
}
