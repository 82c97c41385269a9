/**
 * The mongod of a benchmark: a replica set of one node, with its journal on the same disk as the embedded engine's
 * data.
 */
import { mkdirSync } from 'node:fs'
import { MongoMemoryReplSet } from 'mongodb-memory-server-core'
import { findMongod, NO_MONGOD } from '../../test/support/mongod.ts'
import { type Usage, usageOf } from '../server-process.ts'

export interface Mongod extends Usage {
  /** The URL of a database. */
  readonly urlOf: (database: string) => string
  readonly stop: () => Promise<void>
}

/** @throws Error when there is no mongod, and it cannot be installed */
export async function startMongod(folder: string): Promise<Mongod> {
  const systemBinary = await findMongod()
  if (systemBinary === undefined) throw new Error(`MongoDB can't be measured: ${NO_MONGOD}; or use --engine sqlite`)
  process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false'
  mkdirSync(folder)
  const replicaSet = await MongoMemoryReplSet.create({
    binary: { systemBinary },
    instanceOpts: [{ dbPath: folder, storageEngine: 'wiredTiger' }],
    replSet: { count: 1, storageEngine: 'wiredTiger' },
  })
  const pid = replicaSet.servers[0]?.instanceInfo?.instance.mongodProcess?.pid
  if (pid === undefined) throw new Error('The mongod of the benchmark has no process')
  return {
    ...usageOf(pid),
    urlOf: (database) => replicaSet.getUri(database),
    stop: async () => {
      await replicaSet.stop({ doCleanup: false })
    },
  }
}
