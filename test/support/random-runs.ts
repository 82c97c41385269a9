/**
 * How many cases a random test tries: all of them, or a fifth in the short tier (test/suites.ts). Where a case goes through
 * a store or a server, its cost depends on the engine and the machine, so those tests stop when their time is over too.
 */
import fc from 'fast-check'
import type { Tier } from '../suites.ts'

/** Set by jest.config.js. */
declare const TEST_TIER: Tier

const SHARE: Readonly<Record<Tier, number>> = { short: 0.2, long: 1, full: 1 }
const SECONDS: Readonly<Record<Tier, number>> = { short: 4, long: 20, full: 20 }
/** Ten tries ten times as many cases as the long tier, and takes ten times as long. */
const RANDOM_RUNS = process.env['RANDOM_RUNS']

/**
 * @param all in the long tier
 * @param share of them that each tier tries
 */
export const randomRuns = (all: number, share = SHARE): number =>
  Math.ceil(all * Number(RANDOM_RUNS ?? share[TEST_TIER]))

/** For the name of a test, and for its first case; each further case has the next one. A failure tells which one it has. */
export const SEED = Number(process.env['RANDOM_SEED'] ?? Date.now() % 2 ** 31)

/** All of them, or in the short tier every fifth, which are others each time: for what would take too long for every change. */
export const sampled = <T>(all: readonly T[]): readonly T[] => {
  const step = Math.round(1 / SHARE[TEST_TIER])
  return all.filter((_, index) => (index + SEED) % step === 0)
}

export interface Cases {
  /** That many are tried however long they take. */
  readonly least: number
  readonly most: number
}

/** Tries one case after the other until all are tried or, beyond the least, the time of the tier is over. */
export async function tryCases({ least, most }: Cases, tryCase: (index: number) => Promise<void>): Promise<void> {
  const end = Date.now() + SECONDS[TEST_TIER] * Number(RANDOM_RUNS ?? 1) * 1_000
  for (let index = 0; index < most && (index < least || Date.now() < end); index += 1) await tryCase(index)
}

/** Tries a property with random values as often as {@link tryCases} says. */
export const tryProperty = <T>(
  cases: Cases,
  property: fc.IAsyncPropertyWithHooks<T>,
  options: fc.Parameters<T> = {},
): Promise<void> => tryCases(cases, (index) => fc.assert(property, { ...options, numRuns: 1, seed: SEED + index }))
