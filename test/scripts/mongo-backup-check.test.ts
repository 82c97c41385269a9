/** `npm run backup -- --check` on databases of MongoDB that were restored, some of them in part. */
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { openStore } from '../../src/main/open-store.ts'
import { addBinaries, runScript } from '../support/backups.ts'
import { newMongoUrl, withDatabase } from '../support/mongo.ts'

const CLINIC = 'north'

let source = ''
let sha256 = ''
beforeAll(async () => {
  source = await newMongoUrl()
  ;[sha256 = ''] = await addBinaries(source, CLINIC, [randomBytes(600_000), randomBytes(20)])
})

/** Another database with the same documents, and no index, as after a restore that was stopped. */
async function copied(): Promise<string> {
  const url = await newMongoUrl()
  const name = await withDatabase(url, async (db) => db.databaseName)
  await withDatabase(source, async (db) => {
    for (const { name: coll } of await db.listCollections().toArray())
      await db
        .collection(coll)
        .aggregate([{ $out: { db: name, coll } }])
        .toArray()
  })
  return url
}

/** The same with the indexes, as a start makes them. */
async function restored(): Promise<string> {
  const url = await copied()
  await (await openStore(url)).close()
  return url
}

const check = (url: string) => runScript('backup', ['--check'], { env: { DATABASE_URL: url } })

test('a database that is whole has the same counts as its source', async () => {
  const [there, here] = [await check(await restored()), await check(source)]
  expect(there).toEqual({
    code: 0,
    output: expect.stringMatching(/resources: 2\n.*content: 4\n.*each content .* is whole/s),
  })
  expect(there).toEqual(here)
})

test('a database without indexes lacks each of them, and the check makes none', async () => {
  const url = await copied()
  for (let count = 0; count < 2; count += 1) {
    const { code, output } = await check(url)
    expect(code).toBe(1)
    expect(output).toContain('resources has no index by_entry; the start of a server makes it')
  }
})

test('a content that lacks a piece is found, and so is each version that refers to it', async () => {
  const url = await restored()
  await withDatabase(url, async (db) => void (await db.collection('content').deleteOne({ n: 1 })))
  const { code, output } = await check(url)
  expect(code).toBe(1)
  expect(output).toContain(`The content ${sha256} of clinic ${CLINIC} is missing or damaged`)
  expect(output).toContain(`Binary/${sha256}/_history/1 of clinic ${CLINIC} refers to the content ${sha256}`)
})

test('a version that refers to a content without a record is found', async () => {
  const url = await restored()
  await withDatabase(url, async (db) => void (await db.collection('records').deleteMany({ kind: 'content' })))
  const { code, output } = await check(url)
  expect(code).toBe(1)
  expect(output).toContain(`refers to the content ${sha256}, which is not whole`)
})

test('a database without a store is refused', async () => {
  expect(await check(await newMongoUrl())).toMatchObject({
    code: 1,
    output: expect.stringContaining('There is no store'),
  })
})
