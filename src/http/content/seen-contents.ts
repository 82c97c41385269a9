/** The contents of a response, for the journal, which sees only their markers. */
import type { Context as KoaContext } from 'koa'

/** Sizes in bytes, by SHA-256. */
export const seenContentsOf = ({ state }: Pick<KoaContext, 'state'>): ReadonlyMap<string, number> | undefined =>
  state.seenContents

export function seeContent(
  { state }: KoaContext,
  { sha256, size }: { readonly sha256: string; readonly size: number },
): void {
  state.seenContents ??= new Map<string, number>()
  state.seenContents.set(sha256, size)
}
