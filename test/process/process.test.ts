/** The process from its start: greeting, refusals, and data that survives a kill -9. */
import { Agent, get as httpGet, type IncomingMessage } from 'node:http'
import { describe, expect, test } from '@jest/globals'
import { newDatabaseUrl, newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/server.ts'
import { endProcessesAfterEach, launch, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

describe('the process', () => {
  test('greets with its address, the demo login, a curl for FHIR and one for a tool, and ends cleanly on SIGTERM', async () => {
    const server = await start({ DATABASE_URL: await newDatabaseUrl() })
    expect(server.output()).toContain('demo / demo')
    expect(server.output()).toContain(`curl -s "${server.url}/Patient`)
    expect(server.output()).toContain('x-voice-secret: demo-secret')
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    expect(await stop(server, 'SIGTERM')).toBe(0)
  })

  test('is not ready from SIGTERM on, answers requests on new and on kept connections as the last ones of them, and ends cleanly', async () => {
    const server = await start({ DATABASE_URL: await newDatabaseUrl() })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const get = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        httpGet(`${server.url}/health/live`, { agent }, (answer) => resolve(answer.resume())).once('error', reject)
      })
    expect((await get()).headers.connection).toBe('keep-alive')
    const exit = stop(server, 'SIGTERM')
    await until(async () => (await fetch(`${server.url}/health/ready`)).status === 503)
    const last = await get()
    expect([last.statusCode, last.headers.connection]).toEqual([200, 'close'])
    expect(await exit).toBe(0)
    agent.destroy()
  })

  test('does not print a webhook secret of the operator', async () => {
    const server = await start({ DATABASE_URL: await newDatabaseUrl(), WEBHOOK_SECRET: 'the-operators-own-secret' })
    expect(server.output()).toContain('x-voice-secret: <WEBHOOK_SECRET>')
    expect(server.output()).not.toContain('the-operators-own-secret')
  })

  test.each([
    ['without secrets in production', { NODE_ENV: 'production' }, 'JWT_SECRET is missing'],
    ['on a wrong interaction rule', { DISABLED_INTERACTIONS: 'Patient.fly' }, "'fly'"],
    ['on a file it cannot open', { DATABASE_URL: 'sqlite:/dev/null/emr.db' }, 'The folder /dev/null is not there'],
    [
      // Linux: the system says ENOENT though the folder exists.
      'on a file in a folder that a special file system does not take',
      { DATABASE_URL: 'sqlite:/proc/data/emr.db' },
      'is not there, and this process cannot make it',
    ],
    [
      'on a MongoDB that does not answer',
      { DATABASE_URL: 'mongodb://127.0.0.1:9/emr?serverSelectionTimeoutMS=200' },
      'No MongoDB can be used at the address in DATABASE_URL',
    ],
    [
      'at an address that is not its own',
      { HOST: '192.0.2.1', DEMO: 'public' },
      "HOST '192.0.2.1' is not an address of this machine",
    ],
    ['as a demo at an address for everybody', { HOST: '0.0.0.0' }, 'set DEMO to off, or to public'],
  ])('refuses to start %s and says why', async (_name, env, message) => {
    const { exited, output } = launch({ DATABASE_URL: await newDatabaseUrl(), ...env })
    expect(await exited).toBe(1)
    expect(output()).toContain(message)
  })

  test('refuses to start at a port that is taken', async () => {
    const { url } = await start({ DATABASE_URL: await newDatabaseUrl() })
    const { port } = new URL(url)
    const { exited, output } = launch({ DATABASE_URL: await newDatabaseUrl(), PORT: port })
    expect(await exited).toBe(1)
    expect(output()).toContain(`another process listens at 127.0.0.1:${port} already`)
  })

  test('in production there is no demo clinic and no demo login', async () => {
    const server = await start({
      NODE_ENV: 'production',
      DATABASE_URL: await newDatabaseUrl(),
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
    const env = { DATABASE_URL: await newLastingDatabaseUrl() }
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

/** Transactions that a server has acknowledged when it is killed. */
const WRITES_BEFORE_KILL = 60
/** Tokens that a server has said to be made, and revoked, when it is killed. */
const TOKENS_BEFORE_KILL = 10

interface Tokens {
  readonly made: string[]
  readonly revoked: string[]
}

/** Makes tokens for programs until the server is gone, and revokes every other one: a clinic has a hundred at most. */
async function keepMaking(url: string, headers: Record<string, string>, { made, revoked }: Tokens): Promise<void> {
  for (let isKept = false; ; isKept = !isKept) {
    const { status, body } = await request(url, 'POST', '/tokens', { name: 'Bot', role: 'staff' }, headers)
    expect(status).toBe(201)
    if (!isKept) expect((await request(url, 'DELETE', `/tokens/${body.id}`, undefined, headers)).status).toBe(204)
    const tokens = isKept ? made : revoked
    tokens.push(body.token)
  }
}

describe('kill -9 during writes', () => {
  test('loses nothing that was acknowledged, and leaves no half transaction', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET: 'x'.repeat(32) }
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
      const enough = acknowledged.length + WRITES_BEFORE_KILL
      await until(() => acknowledged.length >= enough)
      const killed = stop(server, 'SIGKILL')
      alive = false
      await killed
      await Promise.all(clients)
    }
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

  test('leaves each token for a program as it was said to be: made ones work, and revoked ones are refused', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET: 'x'.repeat(32) }
    const made: string[] = []
    const revoked: string[] = []
    for (let round = 0; round < 2; round++) {
      const server = await start(env)
      const headers = {
        authorization: `Bearer ${await login(server.url, 'admin')}`,
        'content-type': 'application/json',
      }
      const enough = Math.min(made.length, revoked.length) + TOKENS_BEFORE_KILL
      const clients = Array.from({ length: 6 }, () =>
        keepMaking(server.url, headers, { made, revoked }).catch(() => 'gone'),
      )
      await until(() => made.length >= enough && revoked.length >= enough)
      await stop(server, 'SIGKILL')
      await Promise.all(clients)
    }
    const { url } = await start(env)
    const statusWith = async (token: string): Promise<number> =>
      (await request(url, 'GET', '/Patient?_count=1', undefined, { authorization: `Bearer ${token}` })).status
    const statusesWith = async (tokens: readonly string[]) => new Set(await Promise.all(tokens.map(statusWith)))
    expect([await statusesWith(made), await statusesWith(revoked)]).toEqual([new Set([200]), new Set([401])])
  })
})
