/** kill -9 in the middle of transactions that are done in the background: each is done once, or its job says that it has failed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { ASYNC, ended, startedJob } from '../support/jobs.ts'
import { request, type TestServer } from '../support/server.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const JWT_SECRET = 'a secret that outlives the server'
/** Patients of a transaction, and transactions that wait for each other when the server is killed. */
const PATIENTS = 120
const TRANSACTIONS = 3
/** Milliseconds from the beginning of the first transaction to the kill: before, within and behind it, as fast as the machine is. */
const MOMENTS = [0, 60, 200]

const asUser =
  (url: string, token: string): TestServer['fhir'] =>
  (method, path, body, headers) =>
    request(url, method, path, body, { authorization: `Bearer ${token}`, connection: 'close', ...headers })

const transaction = (tag: string) => ({
  resourceType: 'Bundle',
  type: 'transaction',
  entry: Array.from({ length: PATIENTS }, () => ({
    resource: {
      resourceType: 'Patient',
      name: [{ family: 'Kettleworth' }],
      identifier: [{ system: 'urn:killed', value: tag }],
    },
    request: { method: 'POST', url: 'Patient' },
  })),
})

const countOf = async (fhir: TestServer['fhir'], tag: string): Promise<number> =>
  (await fhir('GET', `/Patient?identifier=urn:killed|${tag}&_summary=count`)).body.total

/** Checks that what the job says is what there is. @returns whether it was done */
async function wasDone(fhir: TestServer['fhir'], path: string, tag: string): Promise<boolean> {
  const { status, body } = await ended(fhir, path)
  const count = await countOf(fhir, tag)
  if (status === 200) {
    expect([body.entry[0].response.status, count]).toEqual(['200 OK', PATIENTS])
    expect(body.entry[0].resource.entry).toHaveLength(PATIENTS)
    return true
  }
  expect([status, body.issue[0].code]).toEqual([500, 'incomplete'])
  expect(body.issue[0].diagnostics).toContain('Look before you send it again')
  // As a whole, or not at all.
  expect([0, PATIENTS]).toContain(count)
  return false
}

test('deferred transactions whose server is killed are done once, or fail, and those that waited are done', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, DEMO: 'on' }
  let server = await start(env)
  const token = await login(server.url)
  let output = ''
  for (const [round, moment] of MOMENTS.entries()) {
    const fhir = asUser(server.url, token)
    const jobs: [path: string, tag: string][] = []
    for (let n = 0; n < TRANSACTIONS; n += 1) {
      const tag = `${round}-${n}`
      jobs.push([startedJob(await fhir('POST', '/', transaction(tag), ASYNC)), tag])
    }
    const hasBegun = async () =>
      (await fhir('GET', '/jobs')).body.jobs.some(({ state }: { state: string }) => state !== 'waiting')
    await until(hasBegun)
    await sleep(moment)
    await stop(server, 'SIGKILL')
    output += server.output()
    server = await start(env)
    const after = asUser(server.url, token)
    const done: boolean[] = []
    for (const [path, tag] of jobs) done.push(await wasDone(after, path, tag))
    // One at most was under way.
    expect(done.filter((one) => !one).length).toBeLessThanOrEqual(1)
    for (const [path] of jobs) await after('DELETE', path)
  }
  const fhir = asUser(server.url, token)
  const { body: history } = await fhir('GET', '/Patient/_history?_summary=count')
  expect(history.total).toBe((await fhir('GET', '/Patient?_summary=count')).body.total)
  await stop(server, 'SIGTERM')
  expect(output + server.output()).not.toContain('Kettleworth')
})
