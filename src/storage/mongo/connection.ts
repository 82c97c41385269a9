/** The connection: one client of the official driver, with bounds on everything it waits for. */
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { StoreUnavailable } from '../port.ts'

/** By it the server tells the sessions of this program from others. */
export const APP_NAME = 'sandbox-emr'

/** Milliseconds that a write waits in a queue, a transaction is retried, a majority has for a write; each of them. */
export const TIME_LIMIT = 8_000

/**
 * Milliseconds; the address may set others. A server that falls silent is found out by its heartbeat, which ends what
 * waits for it: after the first two together. Then a request waits for another one as long as the third says.
 */
const LIMITS = {
  heartbeatFrequencyMS: 2_000,
  connectTimeoutMS: 3_000,
  serverSelectionTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  /** Of a command that takes its time on a server that is alive. */
  socketTimeoutMS: 30_000,
  maxPoolSize: 64,
}

const OPTIONS: MongoClientOptions = {
  appName: APP_NAME,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: TIME_LIMIT },
  retryReads: true,
  retryWrites: true,
  // What the server stores has been checked when it was written.
  enableUtf8Validation: false,
}

const DEFAULT_DATABASE = 'emr'

/** @throws StoreUnavailable when nobody answers there, or transactions are not possible */
export async function connect(url: string): Promise<{ readonly client: MongoClient; readonly db: Db }> {
  const client = clientOf(url)
  try {
    const hello = await client.db('admin').command({ hello: 1 })
    if (hello['setName'] === undefined && hello['msg'] !== 'isdbgrid') throw new StoreUnavailable(NO_REPLICA_SET)
    return { client, db: client.db(databaseOf(url)) }
  } catch (error) {
    await client.close()
    if (error instanceof StoreUnavailable) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailable(`No MongoDB can be used at the address in DATABASE_URL: ${reason}`, { cause: error })
  }
}

const NO_REPLICA_SET =
  'The MongoDB server is not a member of a replica set, and transactions need one; a single node is enough: start ' +
  'mongod with --replSet rs0, run rs.initiate() in mongosh once, and end DATABASE_URL with ?replicaSet=rs0'

function clientOf(url: string): MongoClient {
  try {
    return new MongoClient(url, { ...limitsFor(url), ...OPTIONS })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailable(`DATABASE_URL is not an address of a MongoDB: ${reason}`, { cause: error })
  }
}

/** Those that the address does not set itself. */
const limitsFor = (url: string): MongoClientOptions =>
  Object.fromEntries(Object.entries(LIMITS).filter(([name]) => !url.includes(`${name}=`)))

/** The path of the address; the driver's own default would be `test`. */
const databaseOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE

/**
 * Where the database is lost, what waits in a queue does not wait for it one after the other.
 * @throws StoreUnavailable when it is too late to begin with what came at `since` (milliseconds since 1970 UTC)
 */
export function checkTimeLimit(since: number): void {
  if (Date.now() - since <= TIME_LIMIT) return
  throw new StoreUnavailable(`The database has not come to a request for ${TIME_LIMIT / 1000} s`)
}
