/**
 * Contents in a collection of their own, a document for each piece, as GridFS has them
 * (https://www.mongodb.com/docs/manual/core/gridfs/), but by the clinic first, so that a sharded cluster keeps them with it,
 * and without a second collection: how long a content is, is said by the server's own records. By a client of its own, so
 * that large uploads take none of the connections of other requests.
 */
import { Binary, type Collection } from 'mongodb'
import { type ByteRange, ContentMissing, type ContentStore, inPieces } from '../content-port.ts'
import { type Connection, connect } from './connection.ts'
import { isDuplicateKey, toStoreError } from './faults.ts'

interface PieceDocument {
  readonly clinic: string
  readonly name: string
  /** 0, 1, 2… */
  readonly n: number
  readonly bytes: Binary
}

const COLLECTION = 'content'
/** Requests that write or read a piece at the same time. */
const CONNECTIONS = 16
/** Bytes; with its names a document stays below a quarter of a megabyte, which the storage engine likes, as in GridFS. */
const PIECE = 255 * 1024

/** @param url as DATABASE_URL */
export function openMongoContentStore(url: string): ContentStore {
  let opened: Promise<Opened> | undefined
  /** Once it has failed, the next call tries again. */
  const open = (): Promise<Opened> => {
    opened ??= openCollection(url).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const pieces = async () => (await served(open)).pieces
  return {
    write: async (clinic, name, bytes) => write(await pieces(), { clinic, name }, bytes),
    read: (clinic, name, range) => read(pieces, { clinic, name }, range),
    delete: async (clinic, name) => {
      const collection = await pieces()
      await served(() => collection.deleteMany({ clinic, name }))
    },
    close: async () => {
      const { client } = (await opened?.catch(() => undefined)) ?? {}
      await client?.close()
    },
  }
}

interface Opened extends Pick<Connection, 'client'> {
  readonly pieces: Collection<PieceDocument>
}

async function openCollection(url: string): Promise<Opened> {
  const { client, db } = await connect(url, CONNECTIONS)
  try {
    const pieces = db.collection<PieceDocument>(COLLECTION)
    await pieces.createIndexes([{ name: 'by_piece', key: { clinic: 1, name: 1, n: 1 }, unique: true }])
    return { client, pieces }
  } catch (error) {
    await client.close()
    throw error
  }
}

type Name = Pick<PieceDocument, 'clinic' | 'name'>

async function write(
  collection: Collection<PieceDocument>,
  name: Name,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  let n = 0
  for await (const piece of inPieces(bytes, PIECE)) await insert(collection, { ...name, n: n++, bytes: binary(piece) })
  // One that is empty has a piece too, by which it is known to be there.
  if (n === 0) await insert(collection, { ...name, n, bytes: binary(new Uint8Array()) })
}

const binary = (piece: Uint8Array): Binary => new Binary(piece)

/** A name is used once, so a piece that is there already was written before its acknowledgement was lost. */
const insert = (collection: Collection<PieceDocument>, piece: PieceDocument): Promise<unknown> =>
  served(() =>
    collection.insertOne(piece).catch((error: unknown) => {
      if (!isDuplicateKey(error)) throw error
    }),
  )

/** Piece by piece, without a cursor, which would be kept open for as long as a client is slow. */
async function* read(
  collectionOf: () => Promise<Collection<PieceDocument>>,
  name: Name,
  { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  const collection = await collectionOf()
  const first = Math.floor(start / PIECE)
  for (let n = first; n === first || n * PIECE < end; n++) {
    const found = await served(() => collection.findOne({ ...name, n }, { projection: { bytes: 1 } }))
    // Behind the last piece there is none; a content without its first piece is not there.
    if (found === null && n === 0) throw new ContentMissing()
    if (found === null) return
    const bytes = found.bytes.value()
    const from = n === first ? start - n * PIECE : 0
    const piece = bytes.subarray(from, Math.max(from, Math.min(bytes.length, end - n * PIECE)))
    if (piece.length > 0) yield piece
    if (bytes.length < PIECE) return
  }
}

async function served<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error)
  }
}
