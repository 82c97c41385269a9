/** Addresses of new databases on the MongoDB of this run. */
import { heldAddress } from './address-holder.ts'
import { runName } from './run.ts'

let databases = 0

/** The address of a database that does not exist yet; it goes when the run ends. */
export async function newMongoUrl(): Promise<string> {
  databases += 1
  const url = new URL(process.env['TEST_MONGODB_URL'] ?? (await startedUrl()))
  url.pathname = `/${runName()}-${process.pid}-${Date.now().toString(36)}-${databases}`
  return url.href
}

/** Starts the mongod of the run unless it is running (mongo-run.ts). */
async function startedUrl(): Promise<string> {
  const holder = process.env['TEST_MONGO']
  if (holder === undefined) throw new Error('There is no mongod; see test/support/mongod.ts')
  return await heldAddress(holder).catch((error: unknown) => {
    throw new Error('The mongod of this run did not start', { cause: error })
  })
}
