/** kill -9 in the middle of an import: another process goes on, and each resource is written once. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { testEngine } from '../support/engine.ts'
import { ASYNC, ended, startedJob } from '../support/jobs.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop } from '../support/server-process.ts'

endProcessesAfterEach()

/** So many that a poll comes in the middle, and few enough for an engine that is slower. */
const LINES = testEngine() === 'sqlite' ? 12_000 : 3_000
const KILLS = 3
const NDJSON = { 'content-type': 'application/fhir+ndjson' }

/** Each tenth line is broken. */
const isBroken = (n: number): boolean => n % 10 === 0

const line = (n: number): string =>
  isBroken(n)
    ? `{"resourceType":"Observation","id":"o${n}"}`
    : `{"resourceType":"Observation","id":"o${n}","status":"final","code":{"text":"weight"},"identifier":[{"system":"urn:killed","value":"1"}]}`

test('an import whose server is killed again and again is complete in the end, without doubles', async () => {
  const env = {
    DATABASE_URL: await newLastingDatabaseUrl(),
    JWT_SECRET: 'a secret that outlives the server',
    DEMO: 'on',
  }
  let server = await start(env)
  const token = await login(server.url, 'admin')
  const admin = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(server.url, method, path, body, { authorization: `Bearer ${token}`, connection: 'close', ...headers })
  const text = Array.from({ length: LINES }, (_none, n) => line(n)).join('\n')
  const { body: binary } = await admin('POST', '/Binary', text, NDJSON)
  const part = [{ name: 'url', valueUri: `Binary/${binary.id}` }]
  const inputFormat = { name: 'inputFormat', valueString: 'application/fhir+ndjson' }
  const asked = { resourceType: 'Parameters', parameter: [inputFormat, { name: 'input', part }] }
  const job = startedJob(await admin('POST', '/$import', asked, ASYNC))
  const count = async () => (await admin('GET', '/Observation?identifier=urn:killed|1&_summary=count')).body.total
  const atKill: number[] = []
  for (let kill = 0; kill < KILLS; kill += 1) {
    const before = await count()
    while ((await count()) < before + 300 && (await admin('GET', job)).status !== 200) await sleep(20)
    atKill.push(await count())
    await stop(server, 'SIGKILL')
    server = await start(env)
  }
  const { status, body: manifest } = await ended(admin, job)
  const good = LINES - LINES / 10
  expect(atKill[0]).toBeLessThan(good)
  expect([status, manifest.output]).toMatchObject([200, [{ count: good, created: good, updated: 0 }]])
  expect(await count()).toBe(good)
  const { body: history } = await admin('GET', '/Observation/_history?_summary=count')
  expect(history.total).toBe((await admin('GET', '/Observation?_summary=count')).body.total)
  const { text: errors } = await admin('GET', new URL(manifest.error[0].url).pathname)
  const told = errors
    .trimEnd()
    .split('\n')
    .map((one) => Number(/Line (\d+)/.exec(one)?.[1]) - 1)
  expect(new Set(told)).toEqual(new Set(Array.from({ length: LINES }, (_none, n) => n).filter(isBroken)))
  expect(told).toHaveLength(LINES / 10)
})
