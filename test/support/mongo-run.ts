/**
 * The mongod of a test run: one node that is a replica set, started when the first test file asks for it. Jest's main
 * process holds it, and tells the test files its address over HTTP.
 */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MongoMemoryReplSet } from 'mongodb-memory-server-core'
import { findMongod, NO_MONGOD } from './mongod.ts'

let holder: Server | undefined
let replicaSet: Promise<MongoMemoryReplSet> | undefined

/** @throws Error where there is no mongod, and CI=true says that there has to be one */
export async function prepareMongo(): Promise<void> {
  const binary = await findMongod()
  if (binary === undefined) {
    if (process.env['CI'] === 'true') throw new Error(`The MongoDB tests can't run: ${NO_MONGOD}`)
    process.stderr.write(`The MongoDB tests are skipped: ${NO_MONGOD}\n`)
    return
  }
  process.env['MONGOMS_SYSTEM_BINARY'] = binary
  process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false'
  holder = createServer((_request, response) => {
    replicaSet ??= MongoMemoryReplSet.create({ replSet: { count: 1, storageEngine: 'wiredTiger' } })
    replicaSet.then(
      (started) => response.end(started.getUri()),
      (error: unknown) => response.writeHead(500).end(String(error)),
    )
  })
  holder.listen(0, '127.0.0.1')
  await once(holder, 'listening')
  process.env['TEST_MONGO'] = `http://127.0.0.1:${(holder.address() as AddressInfo).port}`
}

export async function stopMongo(): Promise<void> {
  holder?.closeAllConnections()
  holder?.close()
  await (await replicaSet?.catch(() => undefined))?.stop()
}
