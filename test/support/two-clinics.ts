/** A server with two clinics: the demo clinic and another one. With another clinic, the demo's accounts are removed. */
import { type Account, createAccount } from '../../src/clinics/accounts.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { CHEAP_PASSWORDS } from './passwords.ts'
import { request, startServer, type TestServer } from './server.ts'

export const OTHER_CLINIC = 'other-clinic'

/** The password of all accounts here. */
export const PASSWORD = 'a long password'

export interface TwoClinics {
  /** Its `fhir` and `token` are those of staff of the demo clinic. */
  readonly server: TestServer
  /** A FHIR request by staff of the demo clinic. */
  readonly ours: TestServer['fhir']
  /** The same by staff of the other clinic. */
  readonly theirs: TestServer['fhir']
}

/** @param env and parts as of `startServer` */
export async function startTwoClinics(
  env: Record<string, string> = {},
  parts: Parameters<typeof startServer>[1] = {},
): Promise<TwoClinics> {
  const server = await startServer(env, parts)
  await createClinic(server.app.repository, OTHER_CLINIC, {
    name: 'Other Clinic',
    timeZone: 'Europe/Vienna',
    dialedNumbers: ['+12125550199'],
    defaultRegion: 'US',
    policies: { overbooking: false, slotTakenStatus: 409 },
  })
  const ours = withToken(server, await logInAs(server, { username: 'ours', clinic: DEMO_CLINIC, role: 'staff' }))
  const theirs = withToken(server, await logInAs(server, { username: 'other', clinic: OTHER_CLINIC, role: 'staff' }))
  return { server: ours, ours: ours.fhir, theirs: theirs.fhir }
}

/** Makes the account, with PASSWORD. @returns a token of it */
export async function logInAs(
  { app, login }: Pick<TestServer, 'app' | 'login'>,
  account: Omit<Account, 'name'>,
): Promise<string> {
  await createAccount(app.repository, { name: account.username, ...account }, PASSWORD, CHEAP_PASSWORDS)
  return await login(account.username, PASSWORD)
}

/** The same server, with another token. */
export const withToken = (server: TestServer, token: string): TestServer => ({
  ...server,
  token,
  fhir: (method, path, body, headers) =>
    request(server.url, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
})
