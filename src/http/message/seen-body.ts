/** The body of a request for the journal: its beginning, read when the response is ready. */
import type { Context as KoaContext } from 'koa'
import { MAX_BODY } from '../../record/journal/exchange.ts'

export interface SeenBytes {
  /** The whole body, or its first bytes. */
  readonly bytes: Uint8Array
  /** Size of the whole body. */
  readonly size: number
}

/** Stands for bytes that went straight to the content storage. */
export interface SeenContent {
  readonly sha256: string
  readonly size: number
}

export const seeBody = ({ state }: Pick<KoaContext, 'state'>, bytes: Uint8Array): void => {
  state.seenBody ??= { bytes, size: bytes.byteLength } satisfies SeenBytes
}

/** Undefined where the body was not read. */
export const seenBodyOf = ({ state }: Pick<KoaContext, 'state'>): SeenBytes | undefined => state.seenBody

/** Copies the beginning, as the bytes themselves are about to be transferred. */
export function keepBeginning(koa: Pick<KoaContext, 'state'>): void {
  const seen = seenBodyOf(koa)
  if (seen === undefined) return
  koa.state.seenBody = { bytes: Uint8Array.from(seen.bytes.subarray(0, MAX_BODY)), size: seen.size } satisfies SeenBytes
}
