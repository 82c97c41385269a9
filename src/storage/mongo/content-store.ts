/**
 * Contents in their own collection, a document for each piece, as in GridFS
 * (https://www.mongodb.com/docs/manual/core/gridfs/). Unlike there, the clinic comes first, so that a sharded cluster
 * keeps contents with their clinic, and there is no second collection, since the server's own records have the lengths.
 * Separate clients keep large uploads from taking connections of other requests, and a separate thread writes.
 */
import { join } from 'node:path'
import type { Collection } from 'mongodb'
import { FairQueue } from '../../isolation/fair-queue.ts'
import { type ByteRange, ContentMissing, type ContentStore, inPieces } from '../content-port.ts'
import { SideThread } from '../side-thread.ts'
import type { Connection } from './connection.ts'
import { COLLECTION, PIECE, type PieceDocument, type PieceOrder } from './content-pieces.ts'
import { COMMANDS, PIECES_OF_COMMAND } from './content-writer.ts'
import { served } from './faults.ts'
import { PartConnection } from './part-connection.ts'
import { PartReads } from './part-reads.ts'

/** Most requests that read a piece at the same time. */
const CONNECTIONS = 16

const ENTRY = join(import.meta.dirname, 'content-thread.ts')

/** Most pieces that the thread holds at the same time: a piece of another clinic waits for one of them at most. */
const WITH_THE_THREAD = COMMANDS * PIECES_OF_COMMAND

/** @param url as DATABASE_URL */
export function openMongoContentStore(url: string): ContentStore {
  const connection = new PartConnection({ url, connections: CONNECTIONS, prepare: piecesIn })
  const pieces = () => served(() => connection.get())
  const reads = new PartReads({ open: () => connection.get(), connections: CONNECTIONS, what: 'a content' })
  const writer = new PieceWriter(url)
  return {
    write: async (clinic, name, bytes) => {
      await pieces()
      await write(writer, { clinic, name }, bytes)
    },
    read: (clinic, name, range) => read(reads, { clinic, name }, range),
    delete: async (clinic, name) => {
      const collection = await pieces()
      await served(() => collection.deleteMany({ clinic, name }))
    },
    close: async () => {
      await Promise.all([writer.close(), connection.close()])
    },
  }
}

async function piecesIn({ db }: Connection): Promise<Collection<PieceDocument>> {
  const pieces = db.collection<PieceDocument>(COLLECTION)
  await pieces.createIndexes([{ name: 'by_piece', key: { clinic: 1, name: 1, n: 1 }, unique: true }])
  return pieces
}

type Name = Pick<PieceDocument, 'clinic' | 'name'>

async function write(writer: PieceWriter, name: Name, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  let n = 0
  for await (const piece of inPieces(bytes, PIECE)) await writer.write({ ...name, n: n++, bytes: whole(piece) })
  // An empty content has a piece too, which shows that it exists.
  if (n === 0) await writer.write({ ...name, n, bytes: new Uint8Array() })
}

/** A piece in its own buffer, which can be transferred to another thread. */
const whole = (piece: Uint8Array): Uint8Array<ArrayBuffer> =>
  piece.buffer instanceof ArrayBuffer && piece.byteLength === piece.buffer.byteLength
    ? (piece as Uint8Array<ArrayBuffer>)
    : new Uint8Array(piece)

/** Passes pieces to the writing thread; the clinic with the fewest pieces there goes first. */
class PieceWriter {
  readonly #thread: SideThread<PieceOrder>
  readonly #queue = new FairQueue({
    slots: WITH_THE_THREAD,
    slotsPerClinic: WITH_THE_THREAD,
    // The number of waiting requests is limited by the requests in flight.
    perClinic: Number.POSITIVE_INFINITY,
    total: Number.POSITIVE_INFINITY,
  })

  constructor(url: string) {
    this.#thread = new SideThread({ entry: ENTRY, what: 'writes contents', data: url })
  }

  /** @throws StoreUnavailable */
  async write(piece: PieceOrder): Promise<void> {
    const release = await this.#queue.enter({ clinic: piece.clinic, token: piece.name })
    try {
      await this.#thread.write(piece, [piece.bytes.buffer])
    } finally {
      release()
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}

/** Reads piece by piece, without a cursor, which would stay open for as long as a client is slow. */
async function* read(
  reads: PartReads<Collection<PieceDocument>>,
  name: Name,
  { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  const first = Math.floor(start / PIECE)
  for (let n = first; n === first || n * PIECE < end; n++) {
    const found = await reads.read(name.clinic, (pieces, limits) =>
      pieces.findOne({ ...name, n }, { projection: { bytes: 1 }, ...limits }),
    )
    // There is none behind the last piece; a content without its first piece does not exist.
    if (found === null && n === 0) throw new ContentMissing()
    if (found === null) return
    const bytes = found.bytes.value()
    const from = n === first ? start - n * PIECE : 0
    const piece = bytes.subarray(from, Math.max(from, Math.min(bytes.length, end - n * PIECE)))
    if (piece.length > 0) yield piece
    if (bytes.length < PIECE) return
  }
}
