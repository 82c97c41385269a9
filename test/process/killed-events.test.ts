/**
 * kill -9 of servers and of the receiver, restarts, and requests with faults: every committed change reaches the receiver once at
 * least and in the order of its versions, by rest-hook, by the notifications of a topic and by e-mail, and no other change does.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import type { Bundle, Parameters, Patient, Subscription, Task } from 'fhir/r4'
import { wanted } from '../events/support.ts'
import { toTopic } from '../events/topic-support.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { attempt } from '../support/faults.ts'
import { endProcessesAfterEach, login, type Started, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

/** How the servers of each round end. */
const ROUNDS = ['SIGKILL', 'SIGTERM', 'SIGKILL', 'SIGKILL'] as const
const CLIENTS = 4
/** The share of notifications that fail at the receiver. */
const FAILING = 0.15
/** Faults that requests meet, each at every so many updates. */
const FAULTY = { 'lost-answer': 7, 'half-answer': 11, reset: 13, throttled: 17, accepted: 19, 'version-moved': 9 }

interface Told {
  readonly path: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: notifications of every channel
  readonly body: any
}

const receivers = new Set<ChildProcess>()
afterEach(() => {
  for (const receiver of receivers) receiver.kill('SIGKILL')
})

/** A receiver that is there again at its port after it was killed. */
async function startReceiver() {
  const told: Told[] = []
  let [child, port] = await launchReceiver(0, told)
  return {
    url: `http://127.0.0.1:${port}`,
    told,
    fail: (share: number) => child.send(share),
    /** Kills it, and starts another one at its port. */
    replace: async () => {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
      ;[child, port] = await launchReceiver(port, told)
    },
  }
}

async function launchReceiver(port: number, told: Told[]): Promise<[ChildProcess, number]> {
  const child = fork(join(import.meta.dirname, 'event-receiver.ts'), [`${port}`], { execArgv: [] })
  receivers.add(child)
  const listening = await new Promise<number>((resolve) => {
    child.on('message', (message: Told | { readonly port: number }) => {
      if ('port' in message) resolve(message.port)
      else told.push(message)
    })
  })
  return [child, listening]
}

type Client = ReturnType<typeof clientOf>

/** Requests to a server that may be gone, or break off: their status is 0 then. */
const clientOf = (url: string, token: string) => (method: string, path: string, body?: object) =>
  attempt({ url, token }, method, path, body, { connection: 'close' })

/** Asks until there is a response that is not a fault. */
async function asked(client: Client, method: string, path: string, body?: object) {
  for (;;) {
    const met = await client(method, path, body)
    if (met.status >= 200 && met.status < 300) return met.body
    if (met.status !== 0) throw new Error(`${method} ${path}: ${met.status} ${met.text}`)
    await sleep(50)
  }
}

async function subscribe(client: Client, subscription: Subscription): Promise<string> {
  const { id } = await asked(client, 'POST', '/Subscription', subscription)
  await until(async () => (await asked(client, 'GET', `/Subscription/${id}`)).status === 'active')
  return id
}

/** Writes a patient and a task again and again, whatever becomes of the requests. */
async function keepChanging(client: Client, name: string, isOver: () => boolean): Promise<void> {
  for (let n = 0; !isOver(); n += 1) {
    const patient = { resourceType: 'Patient', id: name, name: [{ family: 'Killed' }], multipleBirthInteger: n }
    const status = n % 3 === 0 ? 'completed' : 'requested'
    const task = { resourceType: 'Task', id: name, status, intent: 'order', description: `killed ${n}` }
    await client('PUT', `/Patient/${name}`, patient)
    await client('PUT', `/Task/${name}`, task)
    await sleep(Math.random() * 30)
  }
}

/** All versions of a resource, the first one first. */
async function versionsOf<R extends Patient | Task>(client: Client, address: string): Promise<readonly R[]> {
  const versions: R[] = []
  for (let path: string | undefined = `/${address}/_history?_count=1000`; path !== undefined; ) {
    const { entry = [], link = [] }: Bundle<R> = await asked(client, 'GET', path)
    versions.push(...entry.flatMap(({ resource }) => resource ?? []))
    const next = link.find(({ relation }) => relation === 'next')
    path = next && new URL(next.url).pathname + new URL(next.url).search
  }
  return versions.toReversed()
}

/** In the order in which each arrived first. */
const firstOf = <T>(arrived: readonly T[]): readonly T[] => [
  ...new Map(arrived.map((one) => [JSON.stringify(one), one])).values(),
]

/** The content of a version, without what differs from one read to another. */
const contentOf = ({ id, meta, ...content }: Patient | Task) => ({ id, version: meta?.versionId, content })

const patientsIn = (told: readonly Told[], name: string) =>
  firstOf(told.filter(({ path }) => path === `/hook/Patient/${name}`).map(({ body }) => contentOf(body)))

const bundlesIn = (told: readonly Told[]): readonly Bundle[] =>
  told.flatMap(({ path, body }) => (path === '/topic' ? [body as Bundle] : []))

const tasksIn = (told: readonly Told[], name: string) => {
  const resources = bundlesIn(told).flatMap(({ entry = [] }) => entry.flatMap(({ resource }) => resource ?? []))
  return firstOf(
    resources.flatMap((resource) =>
      resource.resourceType === 'Task' && resource.id === name ? [contentOf(resource as Task)] : [],
    ),
  )
}

const valuesOf = (parameters: Parameters, name: string): readonly string[] =>
  (parameters.parameter ?? []).flatMap(({ part = [] }) =>
    part.flatMap((one) => (one.name === name ? (one.valueString ?? []) : [])),
  )

/** The numbers of events of the topic, as they arrived first. */
const numbersIn = (told: readonly Told[]) =>
  firstOf(
    bundlesIn(told).flatMap(({ entry = [] }) => valuesOf(entry[0]?.resource as Parameters, 'event-number').map(Number)),
  )

/** The numbers of events that e-mails tell of, as they arrived first. */
const mailedIn = (told: readonly Told[]) =>
  firstOf(
    told.flatMap(({ path, event, body }) => {
      if (path !== '/mail') return []
      const last = Number(event.split('.').at(-1))
      const count = Number(/has (\d+) new/.exec(body.data.text)?.[1])
      return Array.from({ length: count }, (_, index) => last - count + index + 1)
    }),
  )

const numbersTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

/** The versions by which a task became completed. */
const completions = (versions: readonly Task[]): readonly Task[] =>
  versions.filter(({ status }, index) => status === 'completed' && versions[index - 1]?.status !== 'completed')

test(`servers that end ${ROUNDS.length} times in the middle of requests with faults, and a receiver that fails and is killed: it is told of every committed change, in order, and of no other`, async () => {
  const env = {
    ...{ DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' },
    JWT_SECRET: 'a secret that outlives the server',
  }
  const receiver = await startReceiver()
  let servers: Started[] = [await start(env)]
  const url = (client = 0) => servers[client % servers.length]?.url ?? ''
  const [staff, admin] = [await login(url()), await login(url(), 'admin')]
  const asStaff = (client = 0) => clientOf(url(client), staff)
  const asAdmin = (method: string, path: string, body?: object) =>
    asked(clientOf(url(), admin), method, `/clinics/demo-clinic${path}`, body)
  const advance = (minutes: number) => asAdmin('POST', '/clock/advance', { by: `PT${minutes}M` })

  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const messages = { enabled: true, url: `${receiver.url}/mail`, secret }
  await asAdmin('PUT', '/settings', { ...(await asAdmin('GET', '/settings')), messages })
  const payload = 'application/fhir+json'
  const subscriptions = [
    wanted('Patient?family=Killed', { endpoint: `${receiver.url}/hook`, payload }),
    toTopic({ topic: 'task-completed', endpoint: `${receiver.url}/topic`, content: 'full-resource', maxCount: 5 }),
    wanted('Task?status=completed', { type: 'email', endpoint: 'mailto:front.desk@example.org' }),
  ]
  const ids: string[] = []
  for (const subscription of subscriptions) ids.push(await subscribe(asStaff(), subscription))
  for (const [fault, every] of Object.entries(FAULTY))
    await asAdmin('PUT', `/faults/${fault}`, { fault, every, when: { interaction: 'update' } })

  for (const [round, signal] of ROUNDS.entries()) {
    if (round === 2) await receiver.replace()
    receiver.fail(FAILING)
    // Two processes at once in every other round.
    if (round % 2 === 1) servers.push(await start(env))
    let isOver = false
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      keepChanging(asStaff(client), `k-${round % 2}-${client}`, () => isOver),
    )
    const before = receiver.told.length
    const countOf = (path: string) => receiver.told.slice(before).filter((one) => one.path.startsWith(path)).length
    await until(async () => {
      await advance(1)
      return countOf('/hook') >= 20 && countOf('/topic') >= 2 && countOf('/mail') >= 2
    })
    await sleep(Math.random() * 200)
    await Promise.all(servers.map((server) => stop(server, signal)))
    isOver = true
    await Promise.all(clients)
    servers = [await start(env)]
  }

  receiver.fail(0)
  const { rules }: { rules: { name: string; fired: number }[] } = await asAdmin('GET', '/faults')
  expect(rules.flatMap(({ name, fired }) => (fired > 0 ? [name] : [])).sort()).toEqual(Object.keys(FAULTY).sort())
  await asAdmin('DELETE', '/faults')
  const names = [0, 1].flatMap((half) => Array.from({ length: CLIENTS }, (_, client) => `k-${half}-${client}`))
  const patients = new Map<string, readonly Patient[]>()
  const tasks = new Map<string, readonly Task[]>()
  for (const name of names) {
    patients.set(name, await versionsOf<Patient>(asStaff(), `Patient/${name}`))
    tasks.set(name, await versionsOf<Task>(asStaff(), `Task/${name}`))
  }
  const completed = [...tasks.values()].flat().filter(({ status }) => status === 'completed').length
  const { told } = receiver
  await until(async () => {
    await advance(60)
    return (
      names.every((name) => patientsIn(told, name).length >= (patients.get(name) ?? []).length) &&
      names.every((name) => tasksIn(told, name).length >= completions(tasks.get(name) ?? []).length) &&
      mailedIn(told).length >= completed
    )
  })
  for (const name of names) {
    expect(patientsIn(told, name)).toEqual((patients.get(name) ?? []).map(contentOf))
    expect(tasksIn(told, name)).toEqual(completions(tasks.get(name) ?? []).map(contentOf))
  }
  expect(numbersIn(told)).toEqual(numbersTo(numbersIn(told).length))
  expect(mailedIn(told)).toEqual(numbersTo(completed))
  for (const id of ids) expect((await asked(asStaff(), 'GET', `/Subscription/${id}`)).status).toBe('active')
  await Promise.all(servers.map((server) => stop(server, 'SIGTERM')))
})
