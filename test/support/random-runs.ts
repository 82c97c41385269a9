/** The number of cases that a random test tries: all of them, or a fifth in the short tier (test/suites.ts). */
import type { Tier } from '../suites.ts'

/** Set by jest.config.js. */
declare const TEST_TIER: Tier

const SHARE: Readonly<Record<Tier, number>> = { short: 0.2, long: 1, full: 1 }

/**
 * @param all in the long tier; RANDOM_RUNS=10 tries ten times as many, in any tier.
 * @param share of them that each tier tries
 */
export const randomRuns = (all: number, share = SHARE): number =>
  Math.ceil(all * Number(process.env['RANDOM_RUNS'] ?? share[TEST_TIER]))
