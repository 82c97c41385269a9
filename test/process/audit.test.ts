/** The audit trail of real processes: several that write it, and one that is killed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { eventsIn } from '../support/audit.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, type Started, start, stop } from '../support/server-process.ts'

endProcessesAfterEach()

const SECRET = 'one secret for all servers of a test'

async function read(server: Started, path: string, token: string): Promise<void> {
  await request(server.url, 'GET', path, undefined, { authorization: `Bearer ${token}` })
}

/** The paths of the queries that are recorded. */
async function queriesIn(databaseUrl: string): Promise<readonly string[]> {
  // biome-ignore lint/suspicious/noExplicitAny: looks into AuditEvents
  const events: readonly any[] = await eventsIn(databaseUrl, 'demo-clinic')
  return events.flatMap(({ entity = [] }) =>
    entity.flatMap(({ query }: { query?: string }) =>
      query === undefined ? [] : [Buffer.from(query, 'base64').toString()],
    ),
  )
}

describe('the audit trail', () => {
  test('of several workers is one, in which each request is once', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const server = await start({ DATABASE_URL, WORKERS: '2', JWT_SECRET: SECRET })
    const token = await login(server.url)
    const paths = Array.from({ length: 100 }, (_, n) => `/Patient?identifier=${n}`)
    await Promise.all(paths.map((path) => read(server, path, token)))
    expect(await stop(server, 'SIGTERM')).toBe(0)
    expect((await queriesIn(DATABASE_URL)).toSorted()).toEqual(paths.toSorted())
  })

  test('of a process that is killed lacks no more than what happened in its last moments', async () => {
    const DATABASE_URL = await newLastingDatabaseUrl()
    const server = await start({ DATABASE_URL, JWT_SECRET: SECRET })
    const token = await login(server.url)
    // The first one starts the thread.
    await read(server, '/Patient?identifier=first', token)
    await sleep(3_000)
    await read(server, '/Patient?identifier=early', token)
    await sleep(1_500)
    await read(server, '/Patient?identifier=last', token)
    await stop(server, 'SIGKILL')
    const found = await queriesIn(DATABASE_URL)
    expect(found).toEqual(expect.arrayContaining(['/Patient?identifier=first', '/Patient?identifier=early']))
    // The trail can be written and read as before.
    const again = await start({ DATABASE_URL, JWT_SECRET: SECRET })
    await read(again, '/Patient?identifier=again', token)
    expect(await stop(again, 'SIGTERM')).toBe(0)
    expect(await queriesIn(DATABASE_URL)).toContain('/Patient?identifier=again')
  })
})
