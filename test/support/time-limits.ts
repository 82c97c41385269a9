/** Time limits of servers in tests: a busy machine takes its time. Tests of what takes too long set their own. */
export const TIME_LIMITS = { MAX_WORK_MS: '60000' }
