/** The clinic that sends what is dear, and the account that it does so with. */
export const HOSTILE_CLINIC = 'hostile-clinic'
/** Reached by phone calls. */
export const HOSTILE_NUMBER = '+12125550177'
export const HOSTILE_ACCOUNT = { username: 'hostile', password: 'a long password' } as const
