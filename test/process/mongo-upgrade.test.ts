/** The form of a database of an older version is changed, with indexes that take long: what a balancer sees meanwhile. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { BSON, MongoClient } from 'mongodb'
import { freePort } from '../../src/main/listen.ts'
import { ReplicaSet } from '../support/replica-set.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, launch, until } from '../support/server-process.ts'

let nodes: ReplicaSet
beforeAll(async () => {
  nodes = await ReplicaSet.start({ nodes: 1 })
})
afterAll(() => nodes.stop())
endProcessesAfterEach()

async function restoreOldDatabase(url: string): Promise<void> {
  const file = join(import.meta.dirname, '../storage/old-stores/mongo-1.json')
  const dump: Record<string, { readonly _id: never }[]> = BSON.EJSON.parse(readFileSync(file, 'utf8'))
  const client = new MongoClient(url)
  for (const [collection, documents] of Object.entries(dump))
    if (documents.length > 0) await client.db().collection(collection).insertMany(documents)
  await client.close()
}

test('it lives, is not ready and says what it does; then it serves', async () => {
  const [DATABASE_URL, port] = [nodes.url('upgraded'), await freePort({ host: '127.0.0.1', port: 0 })]
  await restoreOldDatabase(DATABASE_URL)
  const holding = (mode: 'alwaysOn' | 'off') =>
    nodes.command({ configureFailPoint: 'hangAfterStartingIndexBuild', mode })
  await holding('alwaysOn')
  const { output } = launch({ DATABASE_URL, PORT: String(port) })
  const get = (path: string) => request(`http://127.0.0.1:${port}`, 'GET', path).catch(() => undefined)
  await until(async () => (await get('/health/live'))?.status === 200)
  const ready = await get('/health/ready')
  expect([ready?.status, ready?.headers.get('retry-after'), ready?.body]).toEqual([
    ...[503, '5'],
    { status: 'unavailable', error: 'the store is being brought up from version 1 to 3', parts: [] },
  ])
  expect((await get('/metadata'))?.status).toBe(503)
  expect(output()).toContain('"msg":"upgrade of the store"')
  expect(output()).not.toContain('runs at')
  await holding('off')
  await until(async () => (await get('/health/ready'))?.status === 200)
  expect((await get('/metadata'))?.status).toBe(200)
})
