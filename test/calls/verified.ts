/** Whom a call's caller is verified as, seen from the inside. */
import { verifiedPatientOf } from '../../src/calls/session/verification.ts'
import type { TestServer } from '../support/server.ts'

/** Patient.id, in the demo clinic; undefined for a caller who is not verified. */
export const verifiedIn = async ({ app }: TestServer, callId: string): Promise<string | undefined> =>
  verifiedPatientOf(await app.access('demo-clinic', { kind: 'server' }).reader(), { clinic: 'demo-clinic', callId })
