/** WORKERS=n: several processes behind one port. What several servers share is in test/storage/sharing.test.ts. */
import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { Replacements } from '../../src/main/workers.ts'
import { RECENT } from '../../src/storage/port.ts'
import { request } from '../support/request.ts'
import { newFolder } from '../support/run.ts'
import {
  childrenOf,
  endProcessesAfterEach,
  isRunning,
  launch,
  login,
  type Started,
  start,
  stop,
  until,
} from '../support/server-process.ts'

endProcessesAfterEach()

const newDatabaseUrl = (): string => `sqlite:${join(newFolder(), 'emr.db')}`

const startWorkers = (): Promise<Started> => start({ DATABASE_URL: newDatabaseUrl(), WORKERS: '2' })

/** The numbers of the workers that respond, each over connections of its own. */
async function workersThatAnswer(url: string): Promise<readonly number[]> {
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      request(url, 'GET', '/health/ready', undefined, { connection: 'close' }).catch(() => undefined),
    ),
  )
  const numbers = answers.map((answer) => (answer?.status === 200 ? Number(answer.body.worker) : undefined))
  return [...new Set(numbers)].filter((number) => number !== undefined).sort((one, other) => one - other)
}

/** `fetch` would take a connection that is open. */
async function workerOfNewConnection(url: string): Promise<number> {
  const [response] = await once(get(`${url}/health/live`, { agent: false }), 'response')
  const { worker } = (await json(response)) as { worker: number }
  return worker
}

async function untilTheyAnswer(url: string, numbers: readonly number[]): Promise<void> {
  await until(async () => JSON.stringify(await workersThatAnswer(url)) === JSON.stringify(numbers))
}

describe('WORKERS=2', () => {
  test('greets once, and each worker says of itself that it is ready', async () => {
    const server = await startWorkers()
    expect(server.output().match(/runs at/g)).toHaveLength(1)
    expect(childrenOf(server.pid)).toHaveLength(2)
    await untilTheyAnswer(server.url, [1, 2])
  })

  test('a session that ends at one worker has ended at the others within a second', async () => {
    const server = await startWorkers()
    await untilTheyAnswer(server.url, [1, 2])
    const headers = { authorization: `Bearer ${await login(server.url)}`, connection: 'close' }
    const read = () => request(server.url, 'GET', '/Patient?_count=1', undefined, headers)
    const statuses = async () => (await Promise.all(Array.from({ length: 8 }, read))).map(({ status }) => status)
    expect(new Set(await statuses())).toEqual(new Set([200]))
    expect((await request(server.url, 'DELETE', '/session', undefined, headers)).status).toBe(204)
    await sleep(RECENT)
    expect(new Set(await statuses())).toEqual(new Set([401]))
  })

  test('finishes what is under way at SIGTERM, and ends with exit code 0', async () => {
    const server = await startWorkers()
    const authorization = `Bearer ${await login(server.url)}`
    const body = JSON.stringify({ resourceType: 'Patient' })
    const { hostname, port } = new URL(server.url)
    // Requests whose bodies are still to come, more than workers.
    const sockets = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const socket = connect(Number(port), hostname)
        await once(socket, 'connect')
        socket.write(
          `POST /Patient HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n` +
            `content-type: application/fhir+json\r\ncontent-length: ${body.length}\r\nexpect: 100-continue\r\n\r\n`,
        )
        await once(socket, 'data')
        return socket
      }),
    )
    const exit = stop(server, 'SIGTERM')
    const answers = sockets.map(async (socket) => {
      let answer = ''
      socket.on('data', (chunk) => {
        answer += String(chunk)
      })
      socket.write(body)
      await once(socket, 'close')
      return answer.split('\r\n')[0]
    })
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'HTTP/1.1 201 Created'))
    expect(await exit).toBe(0)
  })

  test('ends with exit code 0 at Ctrl-C, which a terminal sends to every process', async () => {
    const server = await startWorkers()
    for (const worker of childrenOf(server.pid)) process.kill(worker, 'SIGINT')
    expect(await stop(server, 'SIGINT')).toBe(0)
  })

  test('serves again at the same port when all workers are killed at once', async () => {
    const server = await startWorkers()
    for (const worker of childrenOf(server.pid)) process.kill(worker, 'SIGKILL')
    await untilTheyAnswer(server.url, [3, 4])
  })

  test('ends with a sentence and exit code 1 when workers die again and again', async () => {
    const server = await startWorkers()
    let over = false
    const killing = until(() => {
      for (const worker of childrenOf(server.pid)) process.kill(worker, 'SIGKILL')
      return over
    })
    expect(await server.exited).toBe(1)
    over = true
    await killing
    expect(server.output()).toContain('The server ends: its workers die again and again')
  })

  test('leaves no worker behind when the process that started them is killed', async () => {
    const server = await startWorkers()
    const workers = childrenOf(server.pid)
    expect(workers).toHaveLength(2)
    await stop(server, 'SIGKILL')
    await until(() => !workers.some(isRunning))
  })

  test('takes no new connections in a process whose event loop is held: the other one takes all', async () => {
    const file = join(newFolder(), 'held')
    const server = await start({
      ...{ DATABASE_URL: newDatabaseUrl(), WORKERS: '2' },
      ...{ EXTENSIONS: join(import.meta.dirname, 'held-loop.ts'), HELD_LOOP_FILE: file },
    })
    const authorization = `Bearer ${await login(server.url)}`
    const held = request(server.url, 'GET', '/$hold', undefined, { authorization, connection: 'close' })
    await until(() => existsSync(file))
    const workers = await Promise.all(Array.from({ length: 20 }, () => workerOfNewConnection(server.url)))
    expect(new Set(workers).size).toBe(1)
    rmSync(file)
    expect((await held).status).toBe(200)
    await untilTheyAnswer(server.url, [1, 2])
  })

  test('says once what keeps it from starting', async () => {
    const { url } = await startWorkers()
    const { port } = new URL(url)
    const second = launch({ DATABASE_URL: newDatabaseUrl(), WORKERS: '2', PORT: port })
    expect(await second.exited).toBe(1)
    expect(second.output()).toContain(
      `The server cannot start: another process listens at 127.0.0.1:${port} already; stop it, or set PORT to a free port`,
    )
    expect(second.output().match(/cannot start/g)).toHaveLength(1)
  })
})

describe('the configuration', () => {
  test.each([
    ['0', 'WORKERS is'],
    ['1.5', 'WORKERS is'],
    ['65', 'a whole number from 1 to 64'],
    ['2', 'sqlite::memory: is the memory of one process'],
  ])('refuses WORKERS=%s for a store in memory', (WORKERS, message) => {
    expect(() => readConfig({ WORKERS, DATABASE_URL: 'sqlite::memory:' })).toThrow(message)
  })

  test('means one process unless WORKERS says otherwise', () => {
    expect(readConfig({}).workers).toBe(1)
    expect(readConfig({ WORKERS: '4' }).workers).toBe(4)
  })
})

describe('a worker that died', () => {
  test('is replaced at once when it had served for ten seconds', () => {
    const replacements = new Replacements()
    expect([10_000, 3_600_000].map((served) => replacements.waitAfter(served))).toEqual([0, 0])
    expect(replacements.isHopeless).toBe(false)
  })

  test('at once is replaced after longer and longer waits, five seconds at most; the sixth in a row is hopeless', () => {
    const replacements = new Replacements()
    const waits = Array.from({ length: 8 }, () => [replacements.waitAfter(9_999), replacements.isHopeless])
    expect(waits).toEqual([
      [100, false],
      [200, false],
      [400, false],
      [800, false],
      [1600, false],
      [3200, true],
      [5000, true],
      [5000, true],
    ])
  })

  test('after some time ends the row of those that died at once', () => {
    const replacements = new Replacements()
    for (let death = 0; death < 5; death += 1) replacements.waitAfter(0)
    expect([10_000, 0].map((served) => replacements.waitAfter(served))).toEqual([0, 100])
  })
})
