/** Runs over a kill of the server, and where several processes serve. */
import { expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const JWT_SECRET = 'a secret that outlives the server'
const CREATED = { interaction: 'create', type: 'Patient', status: 201 }
const THROTTLED = {
  fault: 'throttled',
  when: { interaction: 'search-type', type: 'Slot' },
  on: [3],
  with: { 'retry-after': 1 },
}

const PLAN = {
  ...{ plan: 'tried', title: 'Tried', version: '1.0.0', description: 'A plan of a test' },
  steps: [
    { id: 'creates', title: 'Creates', source: 'a test', expect: CREATED, times: 40 },
    { id: 'waits', title: 'Is told to wait', source: 'a test', do: THROTTLED },
    { id: 'kept', title: 'Is kept', source: 'a test', state: { query: 'Patient?family=Kept', count: 40 } },
  ],
}

const ask = (url: string, token: string, method: string, path: string, body?: unknown) =>
  request(url, method, path, body, { authorization: `Bearer ${token}`, connection: 'close' })

async function startRun(
  url: string,
): Promise<{ readonly admin: string; readonly path: string; readonly token: string }> {
  const admin = await login(url, 'admin')
  expect((await ask(url, admin, 'PUT', '/clinics/demo-clinic/plans/tried', PLAN)).status).toBe(201)
  const { body } = await ask(url, admin, 'POST', '/clinics/demo-clinic/runs', { plan: 'tried' })
  return { admin, path: `/clinics/demo-clinic/runs/${body.run}`, token: body.token }
}

/** @returns the statuses of the searches, sorted */
async function work(url: string, token: string, patients: number, searches: number): Promise<readonly number[]> {
  const patient = { resourceType: 'Patient', name: [{ family: 'Kept' }] }
  const created = Array.from({ length: patients }, () => ask(url, token, 'POST', '/Patient', patient))
  const searched = Array.from({ length: searches }, () => ask(url, token, 'GET', '/Slot?status=free&_count=1'))
  await Promise.all(created)
  return (await Promise.all(searched)).map(({ status }) => status).toSorted()
}

const resultsOf = (steps: readonly { readonly result: string }[]) => steps.map(({ result }) => result)

test('a run goes on after the server was killed, with what its client did before and what its faults have counted', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, DEMO: 'on' }
  const first = await start(env)
  const { admin, path, token } = await startRun(first.url)
  expect(await work(first.url, token, 20, 2)).toEqual([200, 200])
  // The journal has an exchange a moment after its answer.
  const seen = async () => (await ask(first.url, admin, 'GET', path)).body.traffic.exchanges
  await until(async () => (await seen()) === 22)
  await stop(first, 'SIGKILL')
  const second = await start(env)
  expect(await work(second.url, token, 20, 3)).toEqual([200, 200, 429])
  const { body } = await ask(second.url, admin, 'POST', `${path}/finish`)
  expect([resultsOf(body.steps), body.result, body.traffic.exchanges]).toEqual([['pass', 'pass', 'pass'], 'pass', 45])
})

test('each of several processes tells of a run what all of them have seen', async () => {
  const { url } = await start({ DATABASE_URL: await newLastingDatabaseUrl(), WORKERS: '4', JWT_SECRET, DEMO: 'on' })
  const { admin, path, token } = await startRun(url)
  expect(await work(url, token, 40, 4)).toEqual([200, 200, 200, 429])
  const told = async () => Promise.all(Array.from({ length: 8 }, async () => (await ask(url, admin, 'GET', path)).body))
  await until(async () => (await told()).every(({ traffic }) => traffic.exchanges === 44))
  const finished = await Promise.all(Array.from({ length: 4 }, () => ask(url, admin, 'POST', `${path}/finish`)))
  expect(new Set(finished.map(({ text }) => text)).size).toBe(1)
  expect(resultsOf(finished[0]?.body.steps)).toEqual(['pass', 'pass', 'pass'])
})
