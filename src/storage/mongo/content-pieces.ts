/** Pieces of contents: as stored in MongoDB, and as sent to the thread that writes them. */
import type { Binary } from 'mongodb'

export interface PieceDocument {
  readonly clinic: string
  readonly name: string
  /** 0, 1, 2… */
  readonly n: number
  readonly bytes: Binary
}

export interface PieceOrder extends Omit<PieceDocument, 'bytes'> {
  readonly bytes: Uint8Array<ArrayBuffer>
}

export const COLLECTION = 'content'

/**
 * Bytes; with its names, a document stays below a quarter of a megabyte, a size that suits the storage engine, as in
 * GridFS.
 */
export const PIECE = 255 * 1024
