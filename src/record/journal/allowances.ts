/**
 * How much of each clinic is recorded: as much as a person can look at. Excess exchanges are left out, so that the
 * journal takes a bounded part of the server, however much is sent, and no clinic displaces another.
 */
import { LRUCache } from 'lru-cache'

export interface Allowance {
  /** Exchanges a second; one with long bodies counts for several. */
  readonly rate: number
  /** Exchanges that may come at once. */
  readonly burst: number
}

/** Bytes of bodies that count as an exchange. */
const BYTES_PER_EXCHANGE = 4_096
/** Processor milliseconds that recording an exchange usually takes. */
const USUAL = 0.05
/** Clinics that are remembered. */
const REMEMBERED = 10_000

interface Level {
  left: number
  at: number
}

export class Allowances {
  readonly #allowance: Allowance
  readonly #levels = new LRUCache<string, Level>({ max: REMEMBERED })

  constructor(allowance: Allowance) {
    this.#allowance = allowance
  }

  /**
   * Takes an exchange from the remaining allowance of its clinic.
   * @param now milliseconds since 1970 UTC
   * @returns false where nothing is left
   */
  take(clinic: string, bytes: number, now: number): boolean {
    const { rate, burst } = this.#allowance
    const level = this.#levelOf(clinic, now)
    level.left = Math.min(burst, level.left + (Math.max(0, now - level.at) / 1000) * rate)
    level.at = now
    if (level.left < 1) return false
    level.left -= 1 + bytes / BYTES_PER_EXCHANGE
    return true
  }

  /**
   * Charges a clinic for recording that took longer than usual: bodies can be made to take longer than others of their
   * length.
   * @param milliseconds of processor time: time taken by other programs is not the clinic's
   */
  charge(clinic: string, milliseconds: number): void {
    const level = this.#levels.get(clinic)
    if (level !== undefined) level.left -= Math.max(0, milliseconds - USUAL) / USUAL
  }

  #levelOf(clinic: string, now: number): Level {
    const known = this.#levels.get(clinic)
    if (known !== undefined) return known
    // A forgotten clinic starts with its full allowance.
    const level = { left: this.#allowance.burst, at: now }
    this.#levels.set(clinic, level)
    return level
  }
}
