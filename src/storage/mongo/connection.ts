/** The connection: one client of the official driver, with limits on every wait. */
import { type Db, MongoClient, type MongoClientOptions } from 'mongodb'
import { StoreUnavailable } from '../store-errors.ts'

/** The name of this program in MongoDB's list of clients and in currentOp. */
export const APP_NAME = 'sandbox-emr'

/**
 * Most milliseconds of each of these: the wait in a queue, a transaction with its retries, a majority's
 * acknowledgement.
 */
export const TIME_LIMIT = 8_000

/**
 * Milliseconds; the connection string may set others. A server that falls silent is detected by its heartbeat after the
 * first two together, which ends the commands that wait for it. Then a request waits for another server for the third.
 */
const TIMEOUTS = {
  heartbeatFrequencyMS: 2_000,
  connectTimeoutMS: 3_000,
  serverSelectionTimeoutMS: 5_000,
  waitQueueTimeoutMS: 5_000,
  /** Limit of one command on a server that is alive. */
  socketTimeoutMS: 30_000,
}

const MAX_POOL_SIZE = 64

const OPTIONS: MongoClientOptions = {
  appName: APP_NAME,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: TIME_LIMIT },
  retryReads: true,
  retryWrites: true,
  // Texts were validated when they were written.
  enableUtf8Validation: false,
}

const DEFAULT_DATABASE = 'emr'

export interface Connection {
  readonly client: MongoClient
  readonly db: Db
}

/**
 * @param maxPoolSize most connections, unless the connection string sets it
 * @throws StoreUnavailable when `url` is not valid, no server responds there, or it does not support transactions
 */
export async function connect(url: string, maxPoolSize?: number): Promise<Connection> {
  const client = clientOf(url, maxPoolSize)
  try {
    const hello = await client.db('admin').command({ hello: 1 })
    const isSharded = hello['msg'] === 'isdbgrid'
    if (hello['setName'] === undefined && !isSharded) throw new StoreUnavailable(NO_REPLICA_SET)
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

function clientOf(url: string, maxPoolSize: number = MAX_POOL_SIZE): MongoClient {
  try {
    return new MongoClient(url, { ...settingsFor(url, { ...TIMEOUTS, maxPoolSize }), ...OPTIONS })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StoreUnavailable(`DATABASE_URL is not an address of a MongoDB: ${reason}`, { cause: error })
  }
}

/** The settings that the connection string does not contain itself. */
const settingsFor = (url: string, settings: MongoClientOptions): MongoClientOptions =>
  Object.fromEntries(Object.entries(settings).filter(([name]) => !url.includes(`${name}=`)))

/** The database, from the path of the connection string; the driver's own default would be `test`. */
const databaseOf = (url: string): string => /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]+)/.exec(url)?.[1] ?? DEFAULT_DATABASE

/**
 * Limits the wait of requests in a queue: when the database is lost, they do not all wait for it one after the other.
 * @param since when the request arrived, milliseconds since 1970 UTC
 * @throws StoreUnavailable when it has waited longer than TIME_LIMIT
 */
export function checkTimeLimit(since: number): void {
  if (Date.now() - since <= TIME_LIMIT) return
  throw new StoreUnavailable(`The database could not begin a request within ${TIME_LIMIT / 1000} s`)
}
