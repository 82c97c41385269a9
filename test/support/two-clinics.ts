/** A server with two clinics: the demo clinic, and another with staff of its own. */
import { createAccount } from '../../src/clinics/accounts.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import { CHEAP_PASSWORDS } from './passwords.ts'
import { request, startServer, type TestServer } from './server.ts'

export const OTHER_CLINIC = 'other-clinic'

export interface TwoClinics {
  readonly server: TestServer
  /** A FHIR request by staff of the demo clinic. */
  readonly ours: TestServer['fhir']
  /** The same by staff of the other clinic. */
  readonly theirs: TestServer['fhir']
}

/** @param env as of `startServer` */
export async function startTwoClinics(env: Record<string, string> = {}): Promise<TwoClinics> {
  const server = await startServer(env)
  const { repository } = server.app
  await createClinic(repository, OTHER_CLINIC, {
    name: 'Other Clinic',
    timeZone: 'Europe/Vienna',
    dialedNumbers: ['+12125550199'],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  const account = { username: 'other', name: 'Other Staff', clinic: OTHER_CLINIC, role: 'staff' } as const
  await createAccount(repository, account, 'a long password', CHEAP_PASSWORDS)
  const authorization = `Bearer ${await server.login('other', 'a long password')}`
  return {
    server,
    ours: server.fhir,
    theirs: (method, path, body, headers) => request(server.url, method, path, body, { authorization, ...headers }),
  }
}
