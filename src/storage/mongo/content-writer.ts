/** Writes pieces of contents, by a client of its own. */
import { Binary, type Collection, MongoBulkWriteError } from 'mongodb'
import { type Connection, connect } from './connection.ts'
import { COLLECTION, type PieceDocument, type PieceOrder } from './content-pieces.ts'
import { DUPLICATE_KEY, isDuplicateKey, toStoreError } from './faults.ts'
import { BatchQueue } from './queues.ts'

/** More of them at once keep mongod from reads that come at the same time, and write no faster. */
export const COMMANDS = 2
/** A megabyte. */
export const PIECES_OF_COMMAND = 4

export class ContentWriter {
  readonly #url: string
  readonly #queue: BatchQueue<PieceDocument, undefined>
  #connection: Promise<Connection> | undefined

  /** @param url as DATABASE_URL */
  constructor(url: string) {
    this.#url = url
    const limits = { concurrency: COMMANDS, items: PIECES_OF_COMMAND }
    this.#queue = new BatchQueue(async (pieces) => {
      const { db } = await this.#connected()
      await insert(db.collection<PieceDocument>(COLLECTION), pieces)
      return pieces.map(() => ({ value: undefined }))
    }, limits)
  }

  /** A majority has it on its disks when it resolves. @throws StoreUnavailable */
  async write({ bytes, ...piece }: PieceOrder): Promise<undefined> {
    try {
      return await this.#queue.add({ ...piece, bytes: new Binary(bytes) })
    } catch (error) {
      throw toStoreError(error)
    }
  }

  async close(): Promise<void> {
    const { client } = (await this.#connection?.catch(() => undefined)) ?? {}
    await client?.close()
  }

  /** Once it has failed, the next call tries again. */
  #connected(): Promise<Connection> {
    this.#connection ??= connect(this.#url, COMMANDS).catch((error: unknown) => {
      this.#connection = undefined
      throw error
    })
    return this.#connection
  }
}

/** A name is used once, so a piece that is there already was written before its acknowledgement was lost. */
async function insert(collection: Collection<PieceDocument>, pieces: readonly PieceDocument[]): Promise<void> {
  try {
    await collection.insertMany(pieces, { ordered: false })
  } catch (error) {
    if (!areThere(error)) throw error
  }
}

function areThere(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  const failed = [error.writeErrors].flat()
  const isAcknowledged = error.result.getWriteConcernError() === undefined
  return isAcknowledged && failed.length > 0 && failed.every(({ code }) => code === DUPLICATE_KEY)
}
