/** Texts that may stand at a place of JSON that is being written. */

export interface Suggestion {
  readonly text: string
  /** Its meaning. */
  readonly hint?: string
}

/** The most that are offered. */
const MOST = 50

/** Suggestions that begin with what is written, before those that only contain it. */
export function matching(all: readonly Suggestion[], word: string): readonly Suggestion[] {
  const wanted = word.toLowerCase()
  const having = all.filter(({ text }) => text.toLowerCase().includes(wanted) && text !== word)
  const begins = ({ text }: Suggestion): boolean => text.toLowerCase().startsWith(wanted)
  return [...having.filter(begins), ...having.filter((one) => !begins(one))].slice(0, MOST)
}
