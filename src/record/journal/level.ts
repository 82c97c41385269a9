/** A text that another one stands for, with the places that its parts come from. */

export interface Span {
  readonly start: number
  readonly end: number
}

/** One level of a text. */
export interface Level {
  readonly text: string
  /** Where a part of it stands in the text that was given. */
  readonly sourceOf: (span: Span) => Span
}

/** Between texts that are looked at as one: no run, no comment and no secret goes on behind it. XML has no such character. */
export const APART = '\u0001'

/** The index of the last one that begins there or before. */
export function lastUpTo(pieces: readonly { readonly at: number }[], index: number): number {
  let [low, high] = [0, pieces.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((pieces[middle]?.at ?? 0) <= index) low = middle
    else high = middle - 1
  }
  return low
}
