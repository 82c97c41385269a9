/** The process as it is started: greeting, refusals, and what survives a kill -9. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { request } from './support/server.ts'

const ENTRY = join(import.meta.dirname, '../src/index.ts')
const running = new Set<ChildProcess>()
const folders: string[] = []

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'emr-'))
  folders.push(made)
  return made
}

interface Started {
  readonly child: ChildProcess
  readonly url: string
  readonly output: () => string
}

function launch(env: Record<string, string>): {
  child: ChildProcess
  output: () => string
  exited: Promise<number | null>
} {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ENTRY], {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'info', ...env },
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, output: () => output, exited }
}

async function start(env: Record<string, string>): Promise<Started> {
  const { child, output, exited } = launch(env)
  const address = /answers at (http:\/\/\S+)/
  for (let i = 0; i < 600 && !address.test(output()); i++) {
    const over = await Promise.race([exited.then(() => true), new Promise((resolve) => setTimeout(resolve, 50))])
    if (over === true) throw new Error(`the server ended: ${output()}`)
  }
  return { child, output, url: address.exec(output())?.[1] ?? '' }
}

async function stop({ child }: Started, signal: NodeJS.Signals): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill(signal)
  return exited
}

async function login(url: string): Promise<string> {
  return (
    await request(
      url,
      'POST',
      '/session',
      { username: 'demo', password: 'demo' },
      { 'content-type': 'application/json' },
    )
  ).body.token
}

describe('the process', () => {
  test('greets with its address, the demo login, a curl for FHIR and one for a tool, and ends cleanly on SIGTERM', async () => {
    const server = await start({ DATABASE_URL: 'sqlite::memory:' })
    expect(server.output()).toContain('demo / demo')
    expect(server.output()).toContain(`curl -s "${server.url}/Patient`)
    expect(server.output()).toContain('x-voice-secret: demo-secret')
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    expect(await stop(server, 'SIGTERM')).toBe(0)
  })

  test('does not print a webhook secret of the operator', async () => {
    const server = await start({ DATABASE_URL: 'sqlite::memory:', WEBHOOK_SECRET: 'the-operators-own-secret' })
    expect(server.output()).toContain('x-voice-secret: <WEBHOOK_SECRET>')
    expect(server.output()).not.toContain('the-operators-own-secret')
  })

  test.each([
    ['without secrets in production', { NODE_ENV: 'production' }, 'JWT_SECRET is missing'],
    ['on a wrong interaction rule', { DISABLED_INTERACTIONS: 'Patient.fly', DATABASE_URL: 'sqlite::memory:' }, "'fly'"],
    ['on a database it cannot open', { DATABASE_URL: 'sqlite:/dev/null/emr.db' }, 'The folder /dev/null is not there'],
    [
      'at an address that is not its own',
      { DATABASE_URL: 'sqlite::memory:', HOST: '192.0.2.1' },
      "HOST is '192.0.2.1'",
    ],
  ])('refuses to start %s and says why', async (_name, env, message) => {
    const { exited, output } = launch(env)
    expect(await exited).toBe(1)
    expect(output()).toContain(message)
  })

  test('refuses to start at a port that is taken', async () => {
    const { url } = await start({ DATABASE_URL: 'sqlite::memory:' })
    const { port } = new URL(url)
    const { exited, output } = launch({ DATABASE_URL: 'sqlite::memory:', PORT: port })
    expect(await exited).toBe(1)
    expect(output()).toContain(`another process listens at 127.0.0.1:${port} already`)
  })

  test('in production there is no demo clinic and no demo login', async () => {
    const server = await start({
      NODE_ENV: 'production',
      DATABASE_URL: 'sqlite::memory:',
      JWT_SECRET: 'j'.repeat(32),
      WEBHOOK_SECRET: 'w'.repeat(16),
    })
    const answer = await request(
      server.url,
      'POST',
      '/session',
      { username: 'demo', password: 'demo' },
      { 'content-type': 'application/json' },
    )
    expect(answer.status).toBe(401)
  })

  test('a second start keeps the data and seeds nothing over them', async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder(), 'emr.db')}` }
    const first = await start(env)
    const token = await login(first.url)
    const headers = { authorization: `Bearer ${token}` }
    const mine = await request(
      first.url,
      'POST',
      '/Patient',
      { resourceType: 'Patient', name: [{ family: 'Kept' }] },
      headers,
    )
    const { body: page } = await request(first.url, 'GET', '/Patient?_count=1&_total=accurate', undefined, headers)
    const gone = page.entry[0].resource.id
    await request(first.url, 'DELETE', `/Patient/${gone}`, undefined, headers)
    await stop(first, 'SIGTERM')
    const second = await start(env)
    const again = { authorization: `Bearer ${await login(second.url)}` }
    expect((await request(second.url, 'GET', `/Patient/${mine.body.id}`, undefined, again)).status).toBe(200)
    expect((await request(second.url, 'GET', `/Patient/${gone}`, undefined, again)).status).toBe(410)
    expect((await request(second.url, 'GET', '/Patient?_count=1&_total=accurate', undefined, again)).body.total).toBe(
      page.total - 1,
    )
  })
})

describe('kill -9 during writes', () => {
  test('loses nothing that was acknowledged, and leaves no half transaction', async () => {
    const env = { DATABASE_URL: `sqlite:${join(folder(), 'emr.db')}`, JWT_SECRET: 'x'.repeat(32) }
    const acknowledged: string[] = []
    let sent = 0
    for (let round = 0; round < 3; round++) {
      const server = await start(env)
      const headers = { authorization: `Bearer ${await login(server.url)}` }
      let alive = true
      const client = async (): Promise<void> => {
        while (alive) {
          const pair = `pair-${sent++}`
          const patient = {
            resource: { resourceType: 'Patient', id: pair },
            request: { method: 'PUT', url: `Patient/${pair}` },
          }
          const basic = {
            resource: {
              resourceType: 'Basic',
              id: pair,
              code: { text: 'x' },
              subject: { reference: `Patient/${pair}` },
            },
            request: { method: 'PUT', url: `Basic/${pair}` },
          }
          const answer = await request(
            server.url,
            'POST',
            '/',
            { resourceType: 'Bundle', type: 'transaction', entry: [patient, basic] },
            headers,
          ).catch(() => undefined)
          if (answer?.status === 200) acknowledged.push(pair)
        }
      }
      const clients = Array.from({ length: 16 }, client)
      await new Promise((resolve) => setTimeout(resolve, 700))
      const killed = stop(server, 'SIGKILL')
      alive = false
      await killed
      await Promise.all(clients)
    }
    expect(acknowledged.length).toBeGreaterThan(48)
    const server = await start(env)
    const headers = { authorization: `Bearer ${await login(server.url)}` }
    const ids = async (type: string): Promise<Set<string>> => {
      const found = new Set<string>()
      let path: string | undefined = `/${type}?_count=1000`
      while (path !== undefined) {
        const { body } = await request(server.url, 'GET', path, undefined, headers)
        for (const { resource } of body.entry ?? []) found.add(resource.id)
        path = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url.slice(server.url.length)
      }
      return found
    }
    const [patients, basics] = [await ids('Patient'), await ids('Basic')]
    expect(acknowledged.filter((pair) => !patients.has(pair) || !basics.has(pair))).toEqual([])
    expect([...patients].filter((id) => id.startsWith('pair-') && !basics.has(id))).toEqual([])
    expect([...basics].filter((id) => id.startsWith('pair-') && !patients.has(id))).toEqual([])
  })
})
