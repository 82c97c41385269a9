/**
 * The store of contents: bytes beside the resources, such as files, which are written and read in pieces and never
 * changed. References to them are kept elsewhere (src/content). `test/storage/content-store.test.ts` is its
 * specification.
 */
import { StoreUnavailable } from './store-errors.ts'

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Each content has a name, random and used once, within its clinic. An engine opens its database on first use. */
export interface ContentStore {
  /**
   * Durable when it resolves. After a failure, `delete` removes whatever was stored.
   * @throws StoreUnavailable, and whatever `pieces` throws
   */
  write(clinic: string, name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Reads in pieces whose length the engine chooses; without a range, all bytes. A range may reach beyond the end.
   * @throws StoreUnavailable, ContentMissing
   */
  read(clinic: string, name: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** Does nothing where there is no such content. @throws StoreUnavailable */
  delete(clinic: string, name: string): Promise<void>
  /** The names of the clinic's contents, in any order, those half written included. @throws StoreUnavailable */
  names(clinic: string): AsyncIterable<string>
  /** Deletes the contents of a clinic, one after the other, and every trace of it. @throws StoreUnavailable */
  drop(clinic: string): Promise<void>
  /** Does not wait: reads and writes under way fail. */
  close(): Promise<void>
}

/** There is no content of that name, or a part of it is missing. Becomes 503, as it may be restored from a backup. */
export class ContentMissing extends StoreUnavailable {
  constructor() {
    super('A content is not where it was stored')
  }
}

/** Bytes of a piece: several pieces are in memory for each content being written or read. */
export const PIECE_BYTES = 128 * 1024

/** The same bytes in pieces of exactly `length`, except for the last one. */
export async function* inPieces(bytes: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (let piece of bytes) {
    while (size + piece.length >= length) {
      const rest = length - size
      yield Buffer.concat([...waiting, piece.subarray(0, rest)])
      waiting = []
      size = 0
      piece = piece.subarray(rest)
    }
    if (piece.length === 0) continue
    waiting.push(piece)
    size += piece.length
  }
  if (size > 0) yield Buffer.concat(waiting)
}
