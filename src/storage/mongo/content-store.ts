/**
 * Contents in their own collection, a document for each piece, as in GridFS
 * (https://www.mongodb.com/docs/manual/core/gridfs/). Unlike there, the clinic comes first, so that a sharded cluster
 * keeps contents with their clinic, and there is no second collection, since the server's own records have the lengths.
 * A client of its own keeps large uploads from taking connections of other requests.
 */
import { Binary, type Collection } from 'mongodb'
import { FairQueue } from '../../isolation/fair-queue.ts'
import { type ByteRange, ContentMissing, type ContentStore, inPieces } from '../content-port.ts'
import type { Connection } from './connection.ts'
import { insertOnce, PartConnection } from './part-connection.ts'

interface PieceDocument {
  readonly clinic: string
  readonly name: string
  /** 0, 1, 2… */
  readonly n: number
  readonly bytes: Binary
}

const COLLECTION = 'content'

/**
 * Bytes; with its names, a document stays below a quarter of a megabyte, a size that suits the storage engine, as in
 * GridFS.
 */
const PIECE = 255 * 1024

/** Most requests that read a piece at the same time. */
const READING = 16
/** Most pieces written at the same time. More delay mongod's concurrent reads, and are written no faster. */
const WRITING = 2

/** @param url as DATABASE_URL */
export function openMongoContentStore(url: string): ContentStore {
  const part = new PartConnection({
    url,
    what: 'a content',
    ...{ reading: READING, writing: WRITING },
    prepare: piecesIn,
  })
  // The number of waiting requests is limited by the requests in flight.
  const waiting = { perClinic: Number.POSITIVE_INFINITY, total: Number.POSITIVE_INFINITY }
  const writing = new FairQueue({ slots: WRITING, slotsPerClinic: WRITING, ...waiting })
  return {
    write: (clinic, name, bytes) => write(part, writing, { clinic, name }, bytes),
    read: (clinic, name, range) => read(part, { clinic, name }, range),
    delete: (clinic, name) => part.write((pieces) => remove(pieces, { clinic, name })),
    names: (clinic) => names(part, clinic),
    drop: async (clinic) => {
      for await (const name of names(part, clinic)) await part.write((pieces) => remove(pieces, { clinic, name }))
    },
    close: () => part.close(),
  }
}

type Part = PartConnection<Collection<PieceDocument>>

async function piecesIn({ db }: Connection): Promise<Collection<PieceDocument>> {
  const pieces = db.collection<PieceDocument>(COLLECTION)
  await pieces.createIndexes([{ name: 'by_piece', key: { clinic: 1, name: 1, n: 1 }, unique: true }])
  return pieces
}

type Name = Pick<PieceDocument, 'clinic' | 'name'>

const remove = async (pieces: Collection<PieceDocument>, name: Name): Promise<void> =>
  void (await pieces.deleteMany({ ...name }))

/** Finds one name after the other by the index, so that none is read again for each of its pieces. */
async function* names(part: Part, clinic: string): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const options = { projection: { name: 1 }, sort: { name: 1 } } as const
    const found = await part.read(clinic, (pieces, limits) =>
      pieces.findOne({ clinic, name: { $gt: after } }, { ...options, ...limits }),
    )
    if (found === null) return
    yield found.name
    after = found.name
  }
}

async function write(part: Part, writing: FairQueue, name: Name, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const writePiece = async (n: number, piece: Uint8Array): Promise<void> => {
    const release = await writing.enter({ clinic: name.clinic, token: name.name })
    await part.write((pieces) => insertOnce(pieces, [{ ...name, n, bytes: new Binary(piece) }])).finally(release)
  }
  let n = 0
  for await (const piece of inPieces(bytes, PIECE)) await writePiece(n++, piece)
  // An empty content has a piece too, which shows that it exists.
  if (n === 0) await writePiece(n, new Uint8Array())
}

/** Reads piece by piece, without a cursor, which would stay open for as long as a client is slow. */
async function* read(
  part: Part,
  name: Name,
  { start, end }: ByteRange = { start: 0, end: Number.POSITIVE_INFINITY },
): AsyncGenerator<Uint8Array> {
  const first = Math.floor(start / PIECE)
  for (let n = first; n === first || n * PIECE < end; n++) {
    const found = await part.read(name.clinic, (pieces, limits) =>
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
