/** The time in which 10,000 exchanges are judged by a plan that asks the body of each of them. */
import { setTimeout as pause } from 'node:timers/promises'
import { progress } from '../emr.ts'

export const EXCHANGES = 10_000
const AT_ONCE = 25
/** Milliseconds for that many: the journal records 200 exchanges of a clinic in a second. */
const PACE = 150
const TIMES = 10

/** Each of its four steps is about every exchange. */
const PLAN = {
  ...{ plan: 'judged', title: 'Judged', version: '1.0.0', description: 'Each step is about every exchange' },
  steps: ["name.family = 'Nobody'", 'birthDate.empty()', 'name.given.count() = 2', 'telecom.empty()'].map(
    (request, index) => ({
      ...{ id: `step-${index}`, title: 'Creates', source: 'the bench' },
      expect: { interaction: 'create', type: 'Patient', request },
    }),
  ),
}

type Send = (
  method: 'POST' | 'PUT',
  path: string,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<{ readonly status: number; readonly text: string }>

/** Milliseconds of each time, in order. @throws Error where not all were judged */
export async function judgedWithin(send: Send): Promise<readonly number[]> {
  const patient = {
    resourceType: 'Patient',
    name: [{ family: 'Judged' }],
    birthDate: '1970-01-01',
    telecom: [{ system: 'phone', value: '1' }],
  }
  await send('PUT', '/clinics/demo-clinic/plans/judged', PLAN)
  // While it is open the journal keeps all of them.
  const { run } = JSON.parse((await send('POST', '/clinics/demo-clinic/runs', { plan: PLAN.plan })).text)
  for (let sent = 0; sent < EXCHANGES; sent += AT_ONCE) {
    const begun = performance.now()
    await Promise.all(Array.from({ length: AT_ONCE }, () => send('POST', '/Patient', patient, { 'x-run-id': run })))
    await pause(Math.max(0, PACE - (performance.now() - begun)))
  }
  const times: number[] = []
  for (let index = 0; index < TIMES; index += 1) {
    const since = performance.now()
    const { text } = await send('POST', '/clinics/demo-clinic/plans/$dry-run', { plan: PLAN, run })
    times.push(performance.now() - since)
    requireAll(text)
  }
  progress(`${EXCHANGES} exchanges judged: ${times.map((one) => one.toFixed(0)).join(' ')} ms`)
  return times
}

function requireAll(text: string): void {
  const { traffic, notes } = JSON.parse(text)
  if (traffic?.exchanges !== EXCHANGES || notes.length > 0)
    throw new Error(`Not all exchanges were judged: ${text.slice(0, 500)}`)
}
