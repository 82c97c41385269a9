/** The clinic that sends expensive requests, and the account it uses. */
export const HOSTILE_CLINIC = 'hostile-clinic'
/** The number dialled by its phone calls. */
export const HOSTILE_NUMBER = '+12125550177'
/** An account of the demo clinic, which waits: once there is another clinic, the demo's own accounts are removed. */
export const DEMO_CLINIC_ACCOUNT = { username: 'waiting', password: 'a long password' } as const
export const HOSTILE_ACCOUNT = { username: 'hostile', password: 'a long password' } as const
/** An admin of the same clinic, for requests that its staff may not send. */
export const HOSTILE_ADMIN = { username: 'hostile-admin', password: 'a long password' } as const
