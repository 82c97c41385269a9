/** A server whose only clinic is filled with a scenario. */
import { createClinic } from '../../src/clinics/clinics.ts'
import { loadScenario } from '../../src/rehearsal/scenarios/load-scenario.ts'
import type { ClinicDay } from '../../src/rehearsal/scenarios/moments.ts'
import type { Scenario } from '../../src/rehearsal/scenarios/scenario.ts'
import { startServer, type TestServer } from './server.ts'
import { logInAs, withToken } from './two-clinics.ts'

const SCENARIO_CLINIC = 'scenario-clinic'
const NAME = 'Scenario Clinic'
const TIME_ZONE = 'America/New_York'

/** The day of the clinic while it is now. */
export const scenarioDay = (now: number = Date.now()): ClinicDay => ({
  clinic: SCENARIO_CLINIC,
  clinicName: NAME,
  timeZone: TIME_ZONE,
  now,
})

/** Loads it; requests are those of its staff. @param env as of `startServer` */
export async function startWithScenario(scenario: Scenario, env: Record<string, string> = {}): Promise<TestServer> {
  const server = await startServer(env)
  try {
    await createClinic(server.app.repository, SCENARIO_CLINIC, {
      name: NAME,
      timeZone: TIME_ZONE,
      dialedNumbers: ['+15185550100'],
      defaultRegion: 'US',
      policies: { overbooking: false, slotTakenStatus: 409 },
    })
    const { change } = server.app.access(SCENARIO_CLINIC, { kind: 'server' })
    for await (const _done of loadScenario(scenario, scenarioDay(), (work) => change(work)));
    return withToken(server, await logInAs(server, { username: 'staff', clinic: SCENARIO_CLINIC, role: 'staff' }))
  } catch (error) {
    await server.close()
    throw error
  }
}
