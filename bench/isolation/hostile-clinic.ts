/** The clinic that sends expensive requests, and the account it uses. */
export const HOSTILE_CLINIC = 'hostile-clinic'
/** Reached by phone calls. */
export const HOSTILE_NUMBER = '+12125550177'
/** That of the clinic that waits: beside another clinic the accounts of the demo are gone. */
export const DEMO_CLINIC_ACCOUNT = { username: 'waiting', password: 'a long password' } as const
export const HOSTILE_ACCOUNT = { username: 'hostile', password: 'a long password' } as const
