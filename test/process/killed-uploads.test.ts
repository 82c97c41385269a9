/** kill -9 in the middle of uploads: every Binary that was acknowledged is there whole, and nothing is kept that none refers to. */
import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { StoredContents } from '../../src/content/contents.ts'
import { openContentStore, openStore } from '../../src/open-store.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { Repository } from '../../src/repository/repository.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'
import { storedNames } from '../support/stored-names.ts'

endProcessesAfterEach()

/** Acknowledged uploads after which the server is killed, round by round: a hundred in all, others under way each time. */
const ROUNDS = [20, 35, 45]
const CLIENTS = 8
const HOUR = 3_600_000
const CLINIC = 'demo-clinic'

interface Acknowledged {
  readonly id: string
  readonly sha256: string
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Of many sizes: within the resource, of one piece, of several; and the same ones from several clients. */
const SAME = randomBytes(300_000)
const anyBytes = (n: number) => (n % 4 === 3 ? SAME : randomBytes([2_000, 60_000, 900_000][n % 3] ?? 0))

/** Until the server is gone. */
async function keepUploading(url: string, authorization: string, known: Acknowledged[]): Promise<void> {
  for (let n = 0; ; n += 1) {
    const body = anyBytes(n)
    const headers = { authorization, 'content-type': 'application/octet-stream' }
    const response = await fetch(`${url}/Binary`, { method: 'POST', headers, body })
    const { id } = (await response.json()) as { id: string }
    if (response.status === 201) known.push({ id, sha256: hashOf(body) })
  }
}

/** What is left of contents once a server an hour later has looked for what nothing refers to. */
async function collected(
  url: string,
): Promise<{ used: readonly string[]; waiting: number; stored: readonly string[] }> {
  const store = await openStore(url)
  const contentStore = await openContentStore(url)
  const clock = () => Date.now() + HOUR
  const repository = new Repository(store, { baseUrl: 'http://here', clock })
  const contents = new StoredContents(repository, contentStore)
  const due = { dueBefore: clock(), limit: 1_000 }
  for (const { clinic, key } of await repository.records(CONTENT, due)) await contents.collect(clinic, key)
  const uploads = recordKind('content-upload')
  for (const { clinic, key } of await repository.records(uploads, due)) await contents.collectUpload(clinic, key)
  const used = (await repository.records(CONTENT, { clinic: CLINIC, limit: 1_000 })).map(({ value }) => value.name)
  const waiting = (await repository.records(uploads, { dueBefore: Number.MAX_SAFE_INTEGER, limit: 1_000 })).length
  await contentStore.close()
  await store.close()
  return { used: used.toSorted(), waiting, stored: (await storedNames(url)).toSorted() }
}

test(`a server that is killed in the middle of uploads, ${ROUNDS.length} times, has each that it acknowledged, and keeps nothing else`, async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
  const known: Acknowledged[] = []
  for (const count of ROUNDS) {
    const server = await start(env)
    const authorization = `Bearer ${await login(server.url)}`
    const before = known.length
    const clients = Array.from({ length: CLIENTS }, () =>
      keepUploading(server.url, authorization, known).catch(() => 'gone'),
    )
    await until(() => known.length >= before + count)
    await stop(server, 'SIGKILL')
    expect(new Set(await Promise.all(clients))).toEqual(new Set(['gone']))
  }
  const { used, waiting, stored } = await collected(env.DATABASE_URL)
  expect(waiting).toBe(0)
  expect(stored).toEqual(used)
  const server = await start(env)
  const authorization = `Bearer ${await login(server.url)}`
  for (const { id, sha256 } of known) {
    const response = await fetch(`${server.url}/Binary/${id}`, { headers: { authorization } })
    expect({ id, sha256: hashOf(Buffer.from(await response.arrayBuffer())) }).toEqual({ id, sha256 })
  }
  // Those that were written and not acknowledged are whole too.
  const headers = { authorization, accept: 'application/fhir+json' }
  const all = await fetch(`${server.url}/Binary?_count=1000&_elements=contentType`, { headers })
  const { entry = [] } = (await all.json()) as { entry?: { resource: { id: string } }[] }
  expect(entry.length).toBeGreaterThanOrEqual(known.length)
  for (const { resource } of entry) {
    const response = await fetch(`${server.url}/Binary/${resource.id}`, { headers: { authorization } })
    expect(response.status).toBe(200)
    expect((await response.arrayBuffer()).byteLength).toBe(Number(response.headers.get('content-length')))
  }
  await stop(server, 'SIGTERM')
})
