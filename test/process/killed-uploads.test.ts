/**
 * kill -9 in the middle of uploads: acknowledged contents are there whole, no document refers to a missing one, and
 * contents that no document refers to are deleted.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { StoredContents } from '../../src/content/contents.ts'
import { openContentStore, openStore } from '../../src/main/open-store.ts'
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
  /** The address of a Binary or a DocumentReference. */
  readonly address: string
  readonly sha256: string
}

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** A content that several clients upload. */
const SAME = randomBytes(300_000)
const anyBytes = (n: number) => (n % 4 === 3 ? SAME : randomBytes([2_000, 60_000, 900_000][n % 3] ?? 0))

const OCTETS = 'application/octet-stream'
const document = (attachment: object) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  content: [{ attachment: { contentType: OCTETS, ...attachment } }],
})

interface Upload {
  readonly path: string
  readonly type: string
  readonly body: Uint8Array<ArrayBuffer> | string
}

/** A file, a document with its content, and a document beside the Binary to which it refers. */
function uploadOf(n: number, bytes: Buffer<ArrayBuffer>): Upload {
  const data = bytes.toString('base64')
  if (n % 3 === 0) return { path: '/Binary', type: OCTETS, body: bytes }
  if (n % 3 === 1) return inJson('/DocumentReference', document({ data }))
  const fullUrl = `urn:uuid:${randomUUID()}`
  const entry = [
    { resource: document({ url: fullUrl }), request: { method: 'POST', url: 'DocumentReference' } },
    {
      fullUrl,
      resource: { resourceType: 'Binary', contentType: OCTETS, data },
      request: { method: 'POST', url: 'Binary' },
    },
  ]
  return inJson('/', { resourceType: 'Bundle', type: 'transaction', entry })
}

const inJson = (path: string, body: object): Upload => ({
  path,
  type: 'application/fhir+json',
  body: JSON.stringify(body),
})

/** The address of the written resource, from the response. */
function addressIn({
  resourceType,
  id,
  entry,
}: {
  resourceType: string
  id: string
  entry?: { response: { location: string } }[]
}) {
  const location = entry?.[0]?.response.location
  return location === undefined ? `/${resourceType}/${id}` : (new URL(location).pathname.split('/_history')[0] ?? '')
}

/** Uploads until the server is killed. */
async function keepUploading(client: number, url: string, authorization: string, known: Acknowledged[]): Promise<void> {
  for (let n = 0; ; n += 1) {
    const bytes = anyBytes(n)
    const { path, type, body } = uploadOf(client + n, bytes)
    const headers = { authorization, 'content-type': type }
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body })
    const address = addressIn(await response.json())
    if (response.ok) known.push({ address, sha256: hashOf(bytes) })
  }
}

/** The bytes at an address, or of the document there, wherever they are. */
async function bytesAt(url: string, address: string, authorization: string): Promise<Buffer> {
  const response = await fetch(`${url}${address}`, { headers: { authorization } })
  expect([address, response.status]).toEqual([address, 200])
  if (address.startsWith('/Binary')) {
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.length).toBe(Number(response.headers.get('content-length')))
    return bytes
  }
  const [{ attachment }] = ((await response.json()) as { content: [{ attachment: { data?: string; url?: string } }] })
    .content
  if (attachment.data !== undefined) return Buffer.from(attachment.data, 'base64')
  return await bytesAt(url, `/${attachment.url}`, authorization)
}

/** The contents that are left after a server, an hour later, has deleted those that nothing refers to. */
async function collected(
  url: string,
): Promise<{ used: readonly string[]; waiting: number; stored: readonly string[] }> {
  const store = await openStore(url)
  const contentStore = await openContentStore(url)
  const clock = () => Date.now() + HOUR
  const repository = new Repository(store, { baseUrl: 'http://here', clock })
  const contents = new StoredContents(repository, contentStore)
  const due = { limit: 1_000 }
  for (const { clinic, key } of await repository.dueRecords(CONTENT, due)) await contents.collect(clinic, key)
  const uploads = recordKind('content-upload')
  for (const { clinic, key } of await repository.dueRecords(uploads, due)) await contents.collectUpload(clinic, key)
  const used = (await repository.records(CONTENT, { clinic: CLINIC, limit: 1_000 })).map(({ value }) => value.name)
  const waiting = (await repository.records(uploads, { clinic: CLINIC, limit: 1_000 })).length
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
    const clients = Array.from({ length: CLIENTS }, (_, client) =>
      keepUploading(client, server.url, authorization, known).catch(() => 'gone'),
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
  for (const { address, sha256 } of known) {
    expect({ address, sha256: hashOf(await bytesAt(server.url, address, authorization)) }).toEqual({ address, sha256 })
  }
  // Contents that were written but not acknowledged are whole too.
  for (const type of ['Binary', 'DocumentReference']) {
    const headers = { authorization, accept: 'application/fhir+json' }
    const all = await fetch(`${server.url}/${type}?_count=1000&_summary=true`, { headers })
    const { entry = [] } = (await all.json()) as { entry?: { resource: { id: string } }[] }
    expect(entry.length).toBeGreaterThanOrEqual(known.filter(({ address }) => address.startsWith(`/${type}`)).length)
    for (const { resource } of entry) await bytesAt(server.url, `/${type}/${resource.id}`, authorization)
  }
  await stop(server, 'SIGTERM')
})
