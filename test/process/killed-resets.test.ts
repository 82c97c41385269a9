/** kill -9 in the middle of a reset, and resets where several processes serve: the old data or the new, never a mixture. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { Bundle } from 'fhir/r4'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { SEED, tryCases } from '../support/random-runs.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

/** Moments of a reset, the last ones behind its usual end. */
const MOMENTS = 50
const BEHIND = 1.2

const JWT_SECRET = 'a secret that outlives the server'
const TYPES = ['Organization', 'Practitioner', 'Schedule', 'Patient', 'Appointment', 'Coverage', 'DocumentReference']

const as = (token: string) => ({ authorization: `Bearer ${token}` })

const ask = (url: string, token: string, method: string, path: string, body?: unknown) =>
  request(url, method, path, body, { ...as(token), connection: 'close' })

/** The number of resources of each type, all read at one moment. */
async function countsIn(url: string, token: string): Promise<readonly number[]> {
  const entry = TYPES.map((type) => ({ request: { method: 'GET', url: `${type}?_summary=count` } }))
  const { body } = await ask(url, token, 'POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
  return ((body as Bundle).entry ?? []).map(({ resource }) => (resource as Bundle).total ?? 0)
}

interface Clone {
  readonly id: string
  readonly token: string
}

async function newClone(url: string, admin: string, scenario: string): Promise<Clone> {
  const asked = () => ask(url, admin, 'POST', '/clinics', { from: { scenario }, ttl: 'P1D' })
  let answer = await asked()
  // A database on a busy machine may not answer in time.
  for (let tries = 1; tries < 5 && answer.status === 503; tries++) answer = await asked()
  expect([answer.status, answer.body]).toMatchObject([201, {}])
  return answer.body
}

const resetTo = (url: string, { id, token }: Clone, scenario: string) =>
  ask(url, token, 'POST', `/clinics/${id}/reset`, { scenario })

/** Milliseconds that a reset to `quiet-week` takes, as busy as the machine is. */
async function usualTime(url: string, clone: Clone): Promise<number> {
  const since = performance.now()
  expect((await resetTo(url, clone, 'quiet-week')).status).toBe(200)
  return performance.now() - since
}

test('a server that is killed at any moment of a reset has the old data or the new when it starts again', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, DEMO: 'on' }
  let server = await start(env)
  const admin = await login(server.url, 'admin')
  const complete = await countsIn(server.url, (await newClone(server.url, admin, 'quiet-week')).token)
  const empty = await countsIn(server.url, (await newClone(server.url, admin, 'empty')).token)
  expect(complete).not.toEqual(empty)
  const usual = await usualTime(server.url, await newClone(server.url, admin, 'empty'))
  await tryCases({ least: 6, most: MOMENTS }, async (index) => {
    // Each has a clinic of its own, as the next reset of one has to wait until the lease of the broken one is over.
    const clone = await newClone(server.url, admin, 'empty')
    const broken = resetTo(server.url, clone, 'quiet-week').catch(() => undefined)
    // Spread over the time of a reset, and others in the next run; RANDOM_RUNS=15 has time for all of them.
    await sleep((usual * BEHIND * ((index * 7 + SEED) % MOMENTS)) / MOMENTS)
    await stop(server, 'SIGKILL')
    await broken
    server = await start(env)
    const found = await countsIn(server.url, clone.token)
    expect([empty, complete]).toContainEqual(found)
  })
  const last = await newClone(server.url, admin, 'empty')
  expect((await resetTo(server.url, last, 'quiet-week')).status).toBe(200)
  expect(await countsIn(server.url, last.token)).toEqual(complete)
})

test('with several processes each of them has the new data from the moment on when the reset is answered', async () => {
  const server = await start({ DATABASE_URL: await newLastingDatabaseUrl(), WORKERS: '4', DEMO: 'on' })
  const admin = await login(server.url, 'admin')
  const counts = () => Promise.all(Array.from({ length: 12 }, () => countsIn(server.url, admin)))
  const demo = { id: 'demo-clinic', token: admin }
  const complete = await countsIn(server.url, admin)
  for (let round = 0; round < 3; round += 1) {
    expect((await resetTo(server.url, demo, 'empty')).status).toBe(200)
    const [first = [], ...others] = await counts()
    expect(first[TYPES.indexOf('Patient')]).toBe(0)
    expect(others.filter((one) => one.join() !== first.join())).toEqual([])
    expect((await resetTo(server.url, demo, 'quiet-week')).status).toBe(200)
    for (const found of await counts()) expect(found).toEqual(complete)
  }
})

test('two processes never reset a clinic at once', async () => {
  const server = await start({ DATABASE_URL: await newLastingDatabaseUrl(), WORKERS: '4', DEMO: 'on' })
  const admin = await login(server.url, 'admin')
  const demo = { id: 'demo-clinic', token: admin }
  const all = await Promise.all(Array.from({ length: 6 }, () => resetTo(server.url, demo, 'quiet-week')))
  const statuses = all.map(({ status }) => status).toSorted()
  expect(statuses[0]).toBe(200)
  expect(statuses.at(-1)).toBe(409)
  await until(async () => (await resetTo(server.url, demo, 'empty')).status === 200)
})
