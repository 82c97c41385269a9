/** Time limits of servers in tests, generous for busy machines. Tests of timeouts set their own. */
export const TIME_LIMITS = { MAX_WORK_MS: '60000' }
