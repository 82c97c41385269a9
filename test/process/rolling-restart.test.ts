/** Two servers on one MongoDB are stopped (SIGTERM) and started again in turn, under writes through a balancer. */
import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { expectKept } from '../faults/audit.ts'
import { Load } from '../faults/load.ts'
import { ReplicaSet } from '../support/replica-set.ts'
import { endProcessesAfterEach, login, type Started, start, stop, until } from '../support/server-process.ts'

/** Milliseconds between two looks at /health/ready. */
const LOOK = 250

/** Sends each request to one of the servers that are ready, in turn and once only, over connections that it keeps open. */
class Balancer {
  readonly failures: string[] = []
  readonly #agent = new Agent({ keepAlive: true })
  readonly #server: Server
  /** By address, whether each was ready at the last look. */
  readonly #servers = new Map<string, boolean>()
  #turn = 0
  #over = false
  readonly #looking: Promise<void>

  constructor() {
    this.#server = createServer((request, response) => this.#pass(request, response))
    this.#server.listen(0, '127.0.0.1')
    this.#looking = this.#look()
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  add(url: string): void {
    this.#servers.set(url, false)
  }

  isReady(url: string): boolean {
    return this.#servers.get(url) === true
  }

  async close(): Promise<void> {
    this.#over = true
    this.#server.close()
    this.#server.closeAllConnections()
    this.#agent.destroy()
    await this.#looking
  }

  async #look(): Promise<void> {
    for (; !this.#over; await sleep(LOOK)) {
      for (const url of this.#servers.keys()) {
        const headers = { connection: 'close' }
        const status = await fetch(`${url}/health/ready`, { headers }).then(
          (response) => response.status,
          () => undefined,
        )
        if (status === undefined) this.#servers.delete(url)
        else this.#servers.set(url, status === 200)
      }
    }
  }

  #pass(request: IncomingMessage, response: ServerResponse): void {
    const ready = [...this.#servers].filter(([, isReady]) => isReady).map(([url]) => url)
    const url = ready[this.#turn++ % ready.length]
    if (url === undefined) {
      this.#fail(response, 'no server is ready')
      return
    }
    const { method = '', headers } = request
    const passed = send(new URL(request.url ?? '', url), { agent: this.#agent, method, headers }, (answer) => {
      const { connection: _ofHop, ...rest } = answer.headers
      const { statusCode: status = 502 } = answer
      response.writeHead(status, rest)
      if (status >= 500)
        answer.on('data', (chunk) => this.failures.push(`${method} ${request.url}: ${status} ${chunk}`))
      answer.pipe(response)
      answer.on('error', (error) => this.#fail(response, `${method} ${request.url}: ${error.message}`))
    })
    passed.on('error', (error) => this.#fail(response, `${method} ${request.url}: ${error.message}`))
    request.pipe(passed)
  }

  #fail(response: ServerResponse, why: string): void {
    this.failures.push(why)
    if (!response.headersSent) response.writeHead(502)
    response.end(why)
  }
}

let nodes: ReplicaSet
let balancer: Balancer
let load: Load | undefined
beforeAll(async () => {
  nodes = await ReplicaSet.start({ nodes: 1 })
  balancer = new Balancer()
})
afterAll(async () => {
  await balancer.close()
  await nodes.stop()
})
endProcessesAfterEach()
afterEach(() => load?.stop())

/** A machine that is busy with other suites is no loss of MongoDB. */
const PATIENT = '&heartbeatFrequencyMS=10000&connectTimeoutMS=30000&serverSelectionTimeoutMS=30000'
const ROUNDS = 2
/** Writes between two restarts. */
const BETWEEN = 60

test('a rolling restart under load is seen by no client: no request fails, and nothing acknowledged is lost', async () => {
  const env = { DATABASE_URL: nodes.url('rolling') + PATIENT, JWT_SECRET: 'one secret for all the servers of a test' }
  const startBehind = async (): Promise<Started> => {
    const server = await start(env)
    balancer.add(server.url)
    await until(() => balancer.isReady(server.url))
    return server
  }
  const servers = [await startBehind(), await startBehind()]
  const target = { url: balancer.url, token: await login(balancer.url) }
  load = new Load('rolling', [target])
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, server] of servers.entries()) {
      await load.progress(BETWEEN)
      expect(await stop(server, 'SIGTERM')).toBe(0)
      servers[index] = await startBehind()
    }
  }
  await load.progress(BETWEEN)
  await load.stop()
  const { refused, unanswered, wrong } = load
  const none = { refused: 0, unanswered: 0, wrong: [], failures: [] }
  expect({ refused, unanswered, wrong, failures: balancer.failures }).toEqual(none)
  await expectKept(load, target, { fault: `rolling restart of two servers, ${ROUNDS} rounds` })
})
