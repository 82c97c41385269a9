/**
 * A separate client for a part of the store, so that its work takes no connections of other requests; its reads take none
 * from its writes.
 */
import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb'
import { StoreUnavailable } from '../store-errors.ts'
import { type Connection, connect } from './connection.ts'
import { DUPLICATE_KEY, isDuplicateKey, served } from './faults.ts'
import { FairReads, type ReadLimits, readLimits } from './read-limits.ts'

interface PartOptions<Part> {
  /** An address like DATABASE_URL. */
  readonly url: string
  /** The purpose of the reads: see BudgetError.what. */
  readonly what: string
  /** Connections; at least two for reads: a clinic gets all but one of them. */
  readonly reading: number
  readonly writing: number
  /** Creates collections and indexes, and returns the object through which the part is used. */
  readonly prepare: (connection: Connection) => Part | Promise<Part>
}

interface Opened<Part> extends Pick<Connection, 'client'> {
  readonly part: Part
}

export class PartConnection<Part> {
  readonly #options: PartOptions<Part>
  readonly #reads: FairReads
  #opened: Promise<Opened<Part>> | undefined
  #isClosed = false

  constructor(options: PartOptions<Part>) {
    this.#options = options
    this.#reads = new FairReads({ slots: options.reading, slotsPerClinic: options.reading - 1 })
  }

  /** @throws StoreUnavailable */
  write(work: (part: Part) => Promise<void>): Promise<void> {
    return served(async () => work(await this.#part()))
  }

  /**
   * @param read receives the options of a command
   * @throws see FairReads; and errors of the port
   */
  read<T>(clinic: string, read: (part: Part, limits: ReadLimits) => Promise<T>): Promise<T> {
    return served(async () => {
      const part = await this.#part()
      return await this.#reads.read(
        clinic,
        () => this.#options.what,
        () => read(part, readLimits()),
      )
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const { client } = (await this.#opened?.catch(() => undefined)) ?? {}
    await client?.close()
  }

  /** The part, opened on first use; after a failure, the next call tries again. */
  async #part(): Promise<Part> {
    // A late call would open a connection that nothing closes.
    if (this.#isClosed) throw new StoreUnavailable('This part of the store is closed')
    this.#opened ??= opened(this.#options).catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return (await this.#opened).part
  }
}

async function opened<Part>({ url, reading, writing, prepare }: PartOptions<Part>): Promise<Opened<Part>> {
  const connection = await connect(url, reading + writing)
  const { client } = connection
  try {
    return { client, part: await prepare(connection) }
  } catch (error) {
    await client.close()
    throw error
  }
}

/**
 * Inserts documents, perhaps again after an attempt of unknown outcome.
 * @param documents each with a unique key that is used once: one that exists was written by an earlier attempt
 */
export async function insertOnce<Schema extends Document>(
  collection: Collection<Schema>,
  documents: readonly OptionalUnlessRequiredId<Schema>[],
): Promise<void> {
  try {
    await collection.insertMany(documents, { ordered: false })
  } catch (error) {
    if (!areThere(error)) throw error
  }
}

/** True when every refused document exists already. */
function areThere(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  const failed = [error.writeErrors].flat()
  const isAcknowledged = error.result.getWriteConcernError() === undefined
  return isAcknowledged && failed.length > 0 && failed.every(({ code }) => code === DUPLICATE_KEY)
}
