/**
 * kill -9 of servers, and of nothing in particular at the receiver: every committed change of a patient reaches a receiver that
 * fails at random, once at least and in the order of its versions, however often the servers are killed.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, type Started, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const ROUNDS = 4
const CLIENTS = 4
/** The share of notifications that fail at the receiver. */
const FAILING = 0.15
const JSON_TYPE = { 'content-type': 'application/fhir+json' }

interface Told {
  readonly id: string
  readonly version: number
  readonly event: string
}

const receivers = new Set<ChildProcess>()
afterEach(() => {
  for (const receiver of receivers) receiver.kill('SIGKILL')
})

async function startReceiver() {
  const child = fork(join(import.meta.dirname, 'event-receiver.ts'), { execArgv: [] })
  receivers.add(child)
  const told: Told[] = []
  const port = await new Promise<number>((resolve) => {
    child.on('message', (message: Told | { readonly port: number }) => {
      if ('port' in message) resolve(message.port)
      else told.push(message)
    })
  })
  return { url: `http://127.0.0.1:${port}/hook`, told, fail: (share: number) => child.send(share) }
}

const headersOf = async (url: string, username?: string) => ({
  ...JSON_TYPE,
  authorization: `Bearer ${await login(url, username)}`,
})

async function subscribe(url: string, endpoint: string): Promise<string> {
  const headers = await headersOf(url)
  const { body } = await request(
    url,
    'POST',
    '/Subscription',
    {
      ...{ resourceType: 'Subscription', status: 'requested', reason: 'a test', criteria: 'Patient?family=Killed' },
      channel: { type: 'rest-hook', endpoint, payload: 'application/fhir+json' },
    },
    headers,
  )
  await until(async () => (await statusOf(url, body.id)) === 'active')
  return body.id
}

const statusOf = async (url: string, id: string): Promise<string> =>
  (await request(url, 'GET', `/Subscription/${id}`, undefined, await headersOf(url))).body.status

/** Creates a patient, and updates it until the server is gone. */
async function keepChanging(url: string, id: string): Promise<void> {
  const headers = await headersOf(url)
  for (let n = 0; ; n += 1) {
    const patient = { resourceType: 'Patient', id, name: [{ family: 'Killed' }], multipleBirthInteger: n }
    const { status } = await request(url, 'PUT', `/Patient/${id}`, patient, headers)
    if (status >= 500) throw new Error(`it failed with ${status}`)
    await sleep(Math.random() * 30)
  }
}

/** The newest version of each patient. */
async function committed(url: string): Promise<ReadonlyMap<string, number>> {
  const { body } = await request(url, 'GET', '/Patient?family=Killed&_count=200', undefined, await headersOf(url))
  const entries: { resource: { id: string; meta: { versionId: string } } }[] = body.entry
  return new Map(entries.map(({ resource: { id, meta } }) => [id, Number(meta.versionId)]))
}

/** The versions of a patient by their first arrival. */
const arrivedOf = (told: readonly Told[], id: string): readonly number[] => [
  ...new Set(told.filter((one) => one.id === id).map(({ version }) => version)),
]

const upTo = (version: number) => Array.from({ length: version }, (_, index) => index + 1)

async function advance(url: string, minutes: number): Promise<void> {
  const headers = { ...(await headersOf(url, 'admin')), 'content-type': 'application/json' }
  const { status } = await request(url, 'POST', '/clinics/demo-clinic/clock/advance', { by: `PT${minutes}M` }, headers)
  expect(status).toBe(200)
}

test(`servers that are killed ${ROUNDS} times tell a receiver that fails at random of every committed change, in order`, async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
  const receiver = await startReceiver()
  let servers: Started[] = [await start(env)]
  const first = () => servers[0]?.url ?? ''
  const id = await subscribe(first(), receiver.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    receiver.fail(FAILING)
    // Two processes at once in every other round.
    if (round % 2 === 1) servers.push(await start(env))
    const before = receiver.told.length
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      keepChanging(servers[client % servers.length]?.url ?? '', `k-${round % 2}-${client}`).catch(() => 'gone'),
    )
    await until(async () => {
      await advance(first(), 1)
      return receiver.told.length >= before + 20
    })
    await sleep(Math.random() * 200)
    await Promise.all(servers.map((server) => stop(server, 'SIGKILL')))
    await Promise.all(clients)
    servers = [await start(env)]
  }
  receiver.fail(0)
  const versions = await committed(first())
  expect(versions.size).toBe(2 * CLIENTS)
  await until(async () => {
    await advance(first(), 60)
    return [...versions].every(([patient, version]) => arrivedOf(receiver.told, patient).length >= version)
  })
  for (const [patient, version] of versions) expect(arrivedOf(receiver.told, patient)).toEqual(upTo(version))
  expect(await statusOf(first(), id)).toBe('active')
  await Promise.all(servers.map((server) => stop(server, 'SIGTERM')))
})
