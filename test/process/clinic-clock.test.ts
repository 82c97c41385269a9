/** WORKERS=2: all processes know the clock of a clinic from the answer to the request that set it. */
import { expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, start, until } from '../support/server-process.ts'

endProcessesAfterEach()

const DAY = 86_400_000

test('a clock that is set is that of all workers, again and again, and so is one that a reset has set back', async () => {
  const { url } = await start({ DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on', WORKERS: '2' })
  const login = await request(url, 'POST', '/session', { username: 'admin', password: 'admin' })
  // Each request has a connection of its own, so that both workers answer.
  const headers = { authorization: `Bearer ${login.body.token}`, connection: 'close' }
  const ask = (method: string, path: string, body?: unknown) =>
    request(url, method, `/clinics/demo-clinic${path}`, body, headers)
  const workers = async () =>
    (await request(url, 'GET', '/health/ready', undefined, { connection: 'close' })).body.worker
  const seen = new Set<number>()
  await until(async () => seen.add(await workers()).size === 2)
  /** Days ahead of the machine, by many requests. */
  const daysAhead = async () => {
    const clocks = await Promise.all(Array.from({ length: 8 }, () => ask('GET', '/clock')))
    return new Set(clocks.map(({ body }) => Math.round((Date.parse(body.at) - Date.now()) / DAY)))
  }
  for (const days of [1, 2, 3, 4, 5]) {
    expect((await ask('POST', '/clock/advance', { by: 'PT24H' })).status).toBe(200)
    expect(await daysAhead()).toEqual(new Set([days]))
  }
  const reset = await ask('POST', '/reset', { scenario: 'empty' })
  if (reset.status !== 200) throw new Error(reset.text)
  expect(await daysAhead()).toEqual(new Set([0]))
})
