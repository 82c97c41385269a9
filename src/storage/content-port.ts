/**
 * The store of contents: bytes beside the resources, such as files, which are written and read in pieces and never
 * changed. It knows nothing of what refers to them (src/content). `test/storage/content-store.test.ts` is its specification.
 */
import { StoreUnavailable } from './port.ts'

/** Bytes from `start` up to, not including, `end`. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * A name is the server's own (random), used once, and belongs to a clinic. An engine opens its database when it is first
 * needed.
 */
export interface ContentStore {
  /**
   * Durable when it resolves. When it fails, `delete` removes what there is of it.
   * @throws StoreUnavailable, and what `pieces` throws
   */
  write(clinic: string, name: string, pieces: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * In pieces that are as long as the engine likes; all bytes without a range, and no more than there are.
   * @throws StoreUnavailable, ContentMissing
   */
  read(clinic: string, name: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /** Does nothing where there is none. @throws StoreUnavailable */
  delete(clinic: string, name: string): Promise<void>
  /** Waits for nothing: whoever writes or reads fails. */
  close(): Promise<void>
}

/** There is no content of that name, or a part of it is missing. Becomes 503: it may come back from a backup. */
export class ContentMissing extends StoreUnavailable {
  constructor() {
    super('A content is not where it was stored')
  }
}

/** Bytes of a piece: several are in memory for each content that is written or read. */
export const PIECE_BYTES = 128 * 1024

/** The same bytes in pieces of that length, but for the last one. */
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
