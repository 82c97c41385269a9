/** kill -9 in the middle of an export: it ends complete and as of one moment, by another process or after the next start. */
import { expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { ASYNC, type Exported, exported, startedJob } from '../support/jobs.ts'
import { type FhirResponse, request, type TestServer } from '../support/server.ts'
import {
  childrenOf,
  endProcessesAfterEach,
  login,
  type Started,
  start,
  stop,
  until,
} from '../support/server-process.ts'

endProcessesAfterEach()

const PATIENTS = 400
const JWT_SECRET = 'a secret that outlives the server'
/** How far the export is when the server is killed: a pattern of its progress. Some exports are further when it is read, or done. */
const MOMENTS = [/^begins/, /resources?, [A-O]/, /resources?, [P-Z]/]

const asUser =
  (url: string, token: string): TestServer['fhir'] =>
  (method, path, body, headers) =>
    request(url, method, path, body, { authorization: `Bearer ${token}`, connection: 'close', ...headers })

const nameOf = (n: number) => `Kettleworth${n}`

/** Writes all patients, in the same version of their content. */
async function writeAll(fhir: TestServer['fhir'], round: string): Promise<void> {
  for (let from = 0; from < PATIENTS; from += 100) {
    const entry = Array.from({ length: 100 }, (_, n) => ({
      resource: { resourceType: 'Patient', id: `k-${from + n}`, name: [{ family: nameOf(from + n) }], language: round },
      request: { method: 'PUT', url: `Patient/k-${from + n}` },
    }))
    const { status } = await fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect(status).toBe(200)
  }
}

const kept = ({ resources }: Exported) => resources.filter(({ id }) => id.startsWith('k-'))

function expectWhole(found: Exported, round: string): void {
  expect(new Set(found.addresses).size).toBe(found.addresses.length)
  expect(kept(found)).toHaveLength(PATIENTS)
  expect(new Set(kept(found).map(({ language }) => language))).toEqual(new Set([round]))
}

/** Starts an export, and waits until it is so far. */
async function begun(fhir: TestServer['fhir'], moment: RegExp): Promise<string> {
  const path = startedJob(await fhir('GET', '/$export', undefined, ASYNC))
  const isSoFar = ({ status, headers }: FhirResponse) => status === 200 || moment.test(headers.get('x-progress') ?? '')
  await until(async () => isSoFar(await fhir('GET', path)))
  return path
}

test('an export goes on after the next start, as of its time, whatever is written meanwhile', async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, DEMO: 'on' }
  let server: Started = await start(env)
  const token = await login(server.url)
  let output = ''
  for (const [index, moment] of MOMENTS.entries()) {
    const round = `en-${String.fromCharCode(65 + index)}A`
    await writeAll(asUser(server.url, token), round)
    const path = await begun(asUser(server.url, token), moment)
    await stop(server, 'SIGKILL')
    output += server.output()
    server = await start(env)
    const fhir = asUser(server.url, token)
    await writeAll(fhir, 'de')
    expectWhole(await exported(fhir, path), round)
    await fhir('DELETE', path)
  }
  await stop(server, 'SIGTERM')
  // Logs name no patient.
  expect(output + server.output()).not.toContain('Kettleworth')
})

test('another process takes over the export of one that was killed', async () => {
  const server = await start({ DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, DEMO: 'on', WORKERS: '2' })
  const fhir = asUser(server.url, await login(server.url))
  await writeAll(fhir, 'en')
  const path = await begun(fhir, /resources?, [A-O]/)
  const [worker] = childrenOf(server.pid)
  if (worker !== undefined) process.kill(worker, 'SIGKILL')
  expectWhole(await exported(fhir, path), 'en')
})
