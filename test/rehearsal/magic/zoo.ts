/** A server with the scenario `matching-zoo` in a clinic of its own. */
import { createAccount } from '../../../src/clinics/accounts.ts'
import { type ClinicSettings, writeSettings } from '../../../src/clinics/settings.ts'
import { loadScenario } from '../../../src/rehearsal/scenarios/load-scenario.ts'
import { Scenarios } from '../../../src/rehearsal/scenarios/scenarios.ts'
import { CHEAP_PASSWORDS } from '../../support/passwords.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { withToken } from '../../support/two-clinics.ts'

export const ZOO = 'zoo'

const SETTINGS: ClinicSettings = {
  name: 'The Zoo',
  timeZone: 'America/New_York',
  dialedNumbers: ['+12125550177'],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
}

/** The header by which a tool call reaches it. */
export const TO_ZOO = { 'x-call-to': '+12125550177' }

/** @param env as of `startServer` @returns the server, and requests by an admin of the zoo */
export async function startZoo(env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer(env)
  const { repository, access } = server.app
  await repository.change(ZOO, (unit) => writeSettings(unit, SETTINGS))
  const { name: clinicName, timeZone } = SETTINGS
  const day = { clinic: ZOO, clinicName, timeZone, now: Date.now() }
  const load = loadScenario(new Scenarios().named('matching-zoo'), day, (work) =>
    access(ZOO, { kind: 'server' }).change(work),
  )
  for await (const _done of load);
  const account = { username: 'keeper', name: 'Keeper', clinic: ZOO, role: 'admin' } as const
  await createAccount(repository, account, 'a long password', CHEAP_PASSWORDS)
  return withToken(server, await server.login('keeper', 'a long password'))
}
