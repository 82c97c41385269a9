/** The clinic that sends expensive requests, and the account it uses. */
export const HOSTILE_CLINIC = 'hostile-clinic'
/** Reached by phone calls. */
export const HOSTILE_NUMBER = '+12125550177'
export const HOSTILE_ACCOUNT = { username: 'hostile', password: 'a long password' } as const
