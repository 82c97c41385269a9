/** Writes pieces of contents, through its own client. */
import { Binary, type Collection } from 'mongodb'
import { COLLECTION, type PieceDocument, type PieceOrder } from './content-pieces.ts'
import { toStoreError } from './faults.ts'
import { insertOnce } from './insert-once.ts'
import { PartConnection } from './part-connection.ts'
import { BatchQueue } from './queues.ts'

/** More commands at once delay mongod's concurrent reads, and write no faster. */
export const COMMANDS = 2
/** A megabyte. */
export const PIECES_OF_COMMAND = 4

export class ContentWriter {
  readonly #connection: PartConnection<Collection<PieceDocument>>
  readonly #queue: BatchQueue<PieceDocument, undefined>

  /** @param url as DATABASE_URL */
  constructor(url: string) {
    this.#connection = new PartConnection({
      url,
      connections: COMMANDS,
      prepare: ({ db }) => db.collection<PieceDocument>(COLLECTION),
    })
    const limits = { concurrency: COMMANDS, items: PIECES_OF_COMMAND }
    this.#queue = new BatchQueue(async (pieces) => {
      await insertOnce(await this.#connection.get(), pieces)
      return pieces.map(() => ({ value: undefined }))
    }, limits)
  }

  /** Writes a piece, which a majority has on its disks when this resolves. @throws StoreUnavailable */
  async write({ bytes, ...piece }: PieceOrder): Promise<undefined> {
    try {
      return await this.#queue.add({ ...piece, bytes: new Binary(bytes) })
    } catch (error) {
      throw toStoreError(error)
    }
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }
}
