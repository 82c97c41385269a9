/** No request can end the process for all clinics: it is aborted before the data it multiplies fills the memory. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { randomRuns } from '../support/random-runs.ts'
import { isRunning, login, type Started, start, stop } from '../support/server-process.ts'
import { MULTIPLYING_REQUESTS, type MultiplyingRequest } from './multiplying-requests.ts'

/** Requests at the same time. */
const AT_ONCE = 2
/** A hundred with RANDOM_RUNS=1, which takes an hour. */
const MANY = randomRuns(100, { short: 0.02, long: 0.02, full: 0.02 })
/**
 * Megabytes of the process that are not mapped from files: the heaps of two work threads (MAX_WORK_MB) and of the event
 * loop, and the responses of two batches, of 64 MB each, in several copies. Before there was a bound, the first invariant of
 * the list took 2,100 in one thread, and ended the process.
 */
const MAX_MEGABYTES = 2_400

let server: Started
let token: string

beforeAll(async () => {
  const environment = {
    DATABASE_URL: await newLastingDatabaseUrl(),
    EXTENSIONS: join(import.meta.dirname, 'long-work.ts'),
    MAX_WORK_MB: '512',
    PROFILE_POLICY: 'reject',
  }
  server = await start(environment)
  token = await login(server.url)
})
afterAll(() => stop(server, 'SIGKILL'))

async function send(method: string, path: string, body?: RequestBody, contentType = 'application/fhir+json') {
  const headers = { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': contentType }) }
  const response = await fetch(`${server.url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) })
  return { status: response.status, text: await response.text() }
}

type RequestBody = string | Uint8Array<ArrayBuffer>

function written(body: unknown): RequestBody | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body)
}

/** The outcomes of many attempts, without repetitions. */
async function outcomes(attempt: () => Promise<string>, times = MANY): Promise<readonly string[]> {
  const found = new Set<string>()
  for (let begun = 0; begun < times; begun += AT_ONCE) {
    for (const outcome of await Promise.all(Array.from({ length: AT_ONCE }, attempt))) found.add(outcome)
  }
  return [...found]
}

async function expectAlive(): Promise<void> {
  expect(isRunning(server.pid)).toBe(true)
  expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
  expect(anonymousMegabytes()).toBeLessThan(MAX_MEGABYTES)
}

/** Linux only, as /proc is; 0 elsewhere. */
function anonymousMegabytes(): number {
  if (process.platform !== 'linux') return 0
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024
}

describe(`the server is alive after ${MANY} times`, () => {
  test.each(MULTIPLYING_REQUESTS.map((one) => [one.name, one] as const))('%s', async (_name, hostile) => {
    await store(hostile)
    const { method, path, contentType = method === 'PATCH' ? JSON_PATCH : undefined, status, says } = hostile
    const body = written(hostile.body?.())
    const found = await outcomes(
      async () => {
        const response = await send(method, path, body, contentType)
        return `${response.status} ${response.text.includes(says) ? says : response.text.slice(0, 400)}`
      },
      Math.min(hostile.times ?? MANY, MANY),
    )
    expect(found).toEqual([`${status} ${says}`])
    await expectAlive()
  })

  test('a thread that fills its memory with small objects: the thread ends, and not the process', async () => {
    const found = await outcomes(async () => {
      const { status, text } = await send('GET', '/$fill-memory')
      return `${status} ${text.includes('memory')}`
    })
    expect(found).toEqual(['422 true'])
    await expectAlive()
  })
})

const JSON_PATCH = 'application/json-patch+json'

async function store({ stored }: MultiplyingRequest): Promise<void> {
  for (const resource of stored?.() ?? []) {
    const { status, text } = await send('PUT', `/${resource.resourceType}/${resource.id}`, JSON.stringify(resource))
    if (status >= 300) throw new Error(`${resource.resourceType}/${resource.id} is not stored: ${text.slice(0, 300)}`)
  }
}
