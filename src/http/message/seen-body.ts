/** The body of a request as the journal sees it: its beginning, when the request has been answered. */
import type { Context as KoaContext } from 'koa'
import { MAX_BODY } from '../../record/journal/exchange.ts'

export interface SeenBytes {
  /** All of them, or the first ones. */
  readonly bytes: Uint8Array
  /** Of all. */
  readonly size: number
}

/** Where bytes went straight to the content storage, they are known by this. */
export interface SeenContent {
  readonly sha256: string
  readonly size: number
}

export const seeBody = ({ state }: Pick<KoaContext, 'state'>, bytes: Uint8Array): void => {
  state.seenBody ??= { bytes, size: bytes.byteLength } satisfies SeenBytes
}

/** Undefined where it was not read. */
export const seenBodyOf = ({ state }: Pick<KoaContext, 'state'>): SeenBytes | undefined => state.seenBody

/** The bytes themselves are about to be given away. */
export function keepBeginning(koa: Pick<KoaContext, 'state'>): void {
  const seen = seenBodyOf(koa)
  if (seen === undefined) return
  koa.state.seenBody = { bytes: Uint8Array.from(seen.bytes.subarray(0, MAX_BODY)), size: seen.size } satisfies SeenBytes
}
