/** The place of a cursor in JSON that is being written: it may be incomplete, and wrong elsewhere. */

export interface Place {
  /** The members that lead there, without the numbers of lists: `['steps', 'expect', 'type']`. */
  readonly path: readonly string[]
  /** Whether the name of a member of the object at `path` is written; otherwise a value. */
  readonly isName: boolean
  /** Within quotes. */
  readonly isQuoted: boolean
  /** The part that is written already, before the cursor. */
  readonly word: string
}

interface Level {
  readonly kind: '{' | '['
  /** The member that is written. */
  name: string
  /** After the colon of a member, and in a list. */
  isValue: boolean
}

/** Texts, which may lack their closing quote, and the signs between them. */
const TOKENS = /"(?:\\.|[^"\\\n])*"?|[{}[\]:,]/g

/** Reads the text up to the cursor. @returns undefined outside of the outermost object */
export function placeIn(text: string, cursor: number): Place | undefined {
  const levels: Level[] = []
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (index >= cursor) break
    if (!token.startsWith('"')) follow(levels, token)
    else if (cursor <= endOfString(text, index))
      return placeOf(levels, { isQuoted: true, word: nameOf(text.slice(index + 1, cursor)) })
    else noteName(levels, token)
  }
  return placeOf(levels, { isQuoted: false, word: /[\w$-]*$/.exec(text.slice(0, cursor))?.[0] ?? '' })
}

/** Goes into an object or a list, out of it, or on to the next member or value. */
function follow(levels: Level[], sign: string): void {
  const level = levels.at(-1)
  if (sign === '{' || sign === '[') levels.push({ kind: sign, name: '', isValue: sign === '[' })
  else if (sign === '}' || sign === ']') levels.pop()
  else if (level?.kind === '{') level.isValue = sign === ':'
}

function noteName(levels: readonly Level[], token: string): void {
  const level = levels.at(-1)
  if (level?.isValue === false) level.name = token.slice(1, -1)
}

function placeOf(levels: readonly Level[], { isQuoted, word }: Pick<Place, 'isQuoted' | 'word'>): Place | undefined {
  if (levels.length === 0) return undefined
  const isName = levels.at(-1)?.isValue === false
  const above = isName ? levels.slice(0, -1) : levels
  return { path: above.flatMap(({ kind, name }) => (kind === '{' ? [name] : [])), isName, isQuoted, word }
}

/** `{{na` where the beginning of a name is written within a text; otherwise the text. */
const nameOf = (text: string): string => /\{\{[\w-]*$/.exec(text)?.[0] ?? text

/** The index of the closing quote; the end of the line where there is none. @param start of the opening quote */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '"' || text[at] === '\n') return at
  }
  return text.length
}

export interface Change {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Begins a name of the plan within a text. */
export const NAME = '{{'

/** The change by which a suggestion takes the place of what is written at the cursor. */
export function accepting(text: string, cursor: number, { isName, isQuoted, word }: Place, chosen: string): Change {
  const from = cursor - word.length
  if (chosen.startsWith(NAME)) return { from, to: text.startsWith('}}', cursor) ? cursor + 2 : cursor, insert: chosen }
  if (!isQuoted) return { from, to: cursor, insert: `"${chosen}"${isName ? ': ' : ''}` }
  const end = endOfString(text, from - 1)
  const isClosed = text[end] === '"'
  const rest = text.slice(isClosed ? end + 1 : end)
  const colon = isName && !/^\s*:/.test(rest) ? ': ' : ''
  // An unclosed string goes on to the end of its line, with what belongs to others.
  return { from, to: isClosed ? end + 1 : cursor, insert: `${chosen}"${colon}` }
}
