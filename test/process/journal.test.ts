/** The journal of real processes: several that write it, requests in work threads, and one that is killed. */
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { describeOnSqlite } from '../support/engine.ts'
import { EXCHANGES, openStream, type Shown } from '../support/journal.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, type Started, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

const SECRET = 'one secret for all servers of a test'

const clientOf = (server: Started, token: string) => ({
  send: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    request(server.url, method, path, body, { authorization: `Bearer ${token}`, ...headers }),
})

async function addresses(server: Started, token: string, query: string): Promise<readonly string[]> {
  const found: string[] = []
  let next: string | undefined = `${EXCHANGES}${query}&count=200`
  while (next !== undefined) {
    const { body }: Shown = await clientOf(server, token).send('GET', next)
    found.push(...body.exchanges.map(({ address }: Shown) => address))
    next = body.next
  }
  return found
}

describe('the journal', () => {
  test('of several workers is one: each request is there once, and each stream has all', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const server = await start({ DATABASE_URL, WORKERS: '2', JWT_SECRET: SECRET })
    const token = await login(server.url)
    const { send } = clientOf(server, token)
    const streams = await Promise.all([1, 2, 3, 4].map(() => openStream(server.url, token, `${EXCHANGES}/live?run=w`)))
    const paths = Array.from({ length: 60 }, (_, n) => `/Patient?identifier=${n}`)
    await Promise.all(paths.map((path) => send('GET', path, undefined, { 'x-run-id': 'w', connection: 'close' })))
    await until(async () => (await addresses(server, token, '?run=w')).length >= 60)
    expect((await addresses(server, token, '?run=w')).toSorted()).toEqual(paths.toSorted())
    for (const stream of streams) {
      const seen = () => stream.events.filter(({ event }) => event === 'exchange').map(({ data }) => data.address)
      await until(() => seen().length >= 60)
      expect(seen().toSorted()).toEqual(paths.toSorted())
    }
    expect(await stop(server, 'SIGTERM')).toBe(0)
    await Promise.all(streams.map(({ ended }) => ended))
  })

  test('has a request that begins again in a work thread once, with its body and its reason', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const server = await start({ DATABASE_URL, JWT_SECRET: SECRET })
    const { send } = clientOf(server, await login(server.url))
    const div = `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(40_000)}</div>`
    const patient = { resourceType: 'Patient', gender: 'f', text: { status: 'generated', div } }
    const answer = await send('POST', '/Patient', patient, { 'x-run-id': 't', 'x-request-id': 'mine' })
    expect([answer.status, answer.headers.get('x-correlation-id')]).toEqual([422, 'mine'])
    const id = answer.headers.get('x-request-id')
    await until(async () => (await send('GET', `${EXCHANGES}/${id}`)).status === 200)
    const { body } = await send('GET', `${EXCHANGES}/${id}`)
    expect(body).toMatchObject({ status: 422, interaction: 'create', reason: { code: 'code-invalid' } })
    expect(body.request.body.text).toBe(JSON.stringify(patient))
    expect(body.timing.store).toEqual(expect.any(Number))
    expect((await send('GET', `${EXCHANGES}?run=t`)).body.exchanges).toHaveLength(1)
    expect(await stop(server, 'SIGTERM')).toBe(0)
  })

  test('of a process that is killed lacks its last moments at most, and the resources lack nothing', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const server = await start({ DATABASE_URL, JWT_SECRET: SECRET })
    const token = await login(server.url)
    const { send } = clientOf(server, token)
    const create = async () =>
      (await send('POST', '/Patient', { resourceType: 'Patient' }, { 'x-run-id': 'k' })).body.id
    const early = await create()
    await sleep(3_000)
    const stored: string[] = []
    for (let n = 0; n < 20; n += 1) stored.push(await create())
    await stop(server, 'SIGKILL')
    const again = await start({ DATABASE_URL, JWT_SECRET: SECRET })
    const after = clientOf(again, token)
    for (const id of [early, ...stored]) expect((await after.send('GET', `/Patient/${id}`)).status).toBe(200)
    const { exchanges } = (await after.send('GET', `${EXCHANGES}?run=k`)).body
    expect(exchanges.map(({ resource }: Shown) => resource)).toContain(`Patient/${early}`)
    await after.send('GET', '/Patient?identifier=again', undefined, { 'x-run-id': 'a' })
    await until(async () => (await addresses(again, token, '?run=a')).length === 1)
    expect(await stop(again, 'SIGTERM')).toBe(0)
  })
})

describeOnSqlite('a journal that cannot be read', () => {
  test('is set aside with a line in the log, and the server starts and serves', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const path = DATABASE_URL.slice('sqlite:'.length).replace(/\.db$/, '.journal.db')
    writeFileSync(path, 'this is no database, '.repeat(1_000))
    const server = await start({ DATABASE_URL, JWT_SECRET: SECRET })
    const token = await login(server.url)
    await clientOf(server, token).send('GET', '/Patient?identifier=first', undefined, { 'x-run-id': 'first' })
    await until(async () => (await addresses(server, token, '?run=first')).length === 1)
    await until(() => server.output().includes('the journal could not be read; it was set aside as'))
    expect(readdirSync(dirname(path)).some((name) => name.includes('.journal.db.unreadable-'))).toBe(true)
    expect(await stop(server, 'SIGTERM')).toBe(0)
  })
})
