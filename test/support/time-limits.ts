/** Time limits of servers in tests, generous for busy machines. Tests of timeouts set their own. */
export const TIME_LIMITS = { MAX_WORK_MS: '60000' }

/** Milliseconds after which a test hangs, and is ended: a machine that is busy with other suites takes its time. */
export const MOST_OF_TEST = 300_000 * Math.max(1, Number(process.env['RANDOM_RUNS'] ?? 1))
