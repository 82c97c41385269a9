/**
 * The mongod of a test run: one node that is a replica set, started when the first test file asks for it. Jest's main
 * process holds it, and tells the test files its address over HTTP.
 */
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MongoClient } from 'mongodb'
import { MongoMemoryReplSet } from 'mongodb-memory-server-core'
import { holderOf } from './address-holder.ts'
import { findMongod, NO_MONGOD } from './mongod.ts'
import { newFolder, runName } from './run.ts'

/** Nothing is measured for the vendor's support; the oplog is small. */
const ARGUMENTS = ['--setParameter', 'diagnosticDataCollectionEnabled=false', '--oplogSize', '256']

let holder: Server | undefined
let replicaSet: Promise<MongoMemoryReplSet> | undefined

/**
 * Whether suites can run on MongoDB; where not, prints which suites are skipped and why.
 * @throws Error where CI=true says that they have to
 */
export async function canUseMongo(): Promise<boolean> {
  if (givenUrl() !== undefined || (await findMongod()) !== undefined) return true
  if (process.env['CI'] === 'true') throw new Error(`The tests on MongoDB can't run: ${NO_MONGOD}`)
  process.stderr.write(`The tests on MongoDB are skipped: ${NO_MONGOD}\n`)
  return false
}

export async function prepareMongo(): Promise<void> {
  const binary = await findMongod()
  if (binary === undefined) return
  process.env['MONGOMS_SYSTEM_BINARY'] = binary
  process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false'
  holder = holderOf(async () => {
    replicaSet ??= startReplicaSet()
    return (await replicaSet).getUri()
  })
  holder.listen(0, '127.0.0.1')
  await once(holder, 'listening')
  process.env['TEST_MONGO'] = `http://127.0.0.1:${(holder.address() as AddressInfo).port}`
}

const startReplicaSet = (): Promise<MongoMemoryReplSet> =>
  MongoMemoryReplSet.create({
    instanceOpts: [{ dbPath: newFolder() }],
    replSet: { storageEngine: 'wiredTiger', args: ARGUMENTS },
  })

export async function stopMongo(): Promise<void> {
  holder?.closeAllConnections()
  holder?.close()
  await (await replicaSet?.catch(() => undefined))?.stop()
  const given = givenUrl()
  if (given !== undefined) await dropDatabases(given)
}

/** A MongoDB of the developer's, in place of one that the run starts. */
const givenUrl = (): string | undefined => process.env['TEST_MONGODB_URL']

async function dropDatabases(url: string): Promise<void> {
  const client = new MongoClient(url)
  try {
    const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
    const ours = databases.filter(({ name }) => name.startsWith(runName()))
    for (const { name } of ours) await client.db(name).dropDatabase()
  } finally {
    await client.close()
  }
}
