/**
 * Runs of base64 and of hexadecimal digits in a text, as the texts that they stand for: with line breaks and separators,
 * of either alphabet and letter case, and wherever in a run the text begins. https://www.rfc-editor.org/rfc/rfc4648
 */

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

/** Separates texts that are searched as one: no run, no comment and no secret continues behind it. XML has no such character. */
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

interface Encoding {
  readonly name: 'base64' | 'hex'
  /** By character code: DIGIT, BETWEEN or neither. */
  readonly kinds: Uint8Array
  /** Digits that make a group of whole bytes, and the bytes of it. */
  readonly digits: number
  readonly bytes: number
  /** A digit of which no text is made, wherever a byte begins. */
  readonly filler: string
}

const DIGIT = 1
const BETWEEN = 2

/** Characters of what is taken for the beginning of a secret where a text is cut. */
const LEAST_BEGUN = 6

function kindsOf(digits: RegExp, between: string): Uint8Array {
  const kinds = new Uint8Array(65_536)
  for (let code = 0; code < 128; code += 1) {
    const character = String.fromCharCode(code)
    if (digits.test(character)) kinds[code] = DIGIT
    else if (between.includes(character)) kinds[code] = BETWEEN
  }
  return kinds
}

const ENCODINGS: readonly Encoding[] = [
  { name: 'base64', kinds: kindsOf(/[\w+/-]/, '\r\n'), digits: 4, bytes: 3, filler: '/' },
  { name: 'hex', kinds: kindsOf(/[\da-f]/i, '\r\n:- '), digits: 2, bytes: 1, filler: 'f' },
]

/** Between two runs no text goes on. */
const GROUPS_BETWEEN = 2

/** Characters of UTF-8 as its bytes, and those of UTF-16 that have a zero. */
const PRINTED = String.raw`[\0\t\n\r\x20-\x7e]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\xa0-\xff]\0|\0[\xa0-\xff]`
const printed = Array.from({ length: 65 }, (_none, count) => new RegExp(`(?:${PRINTED}){${count},}`, 'g'))

interface Piece {
  /** The index of its first character in the decoded text. */
  readonly at: number
  readonly source: (index: number) => Span
}

/**
 * The texts that runs stand for, as one; undefined where there are none. Each byte is a character.
 * @param shortest characters of a text that is looked for
 */
export function decodedRuns(text: string, shortest: number): Level | undefined {
  const parts: string[] = []
  const pieces: Piece[] = []
  let length = 0
  const add = (part: string, source: Piece['source']) => {
    pieces.push({ at: length, source })
    parts.push(part, APART)
    length += part.length + APART.length
  }
  for (const encoding of ENCODINGS) addRuns({ text, encoding, shortest }, add)
  if (parts.length === 0) return undefined
  return {
    text: parts.join(''),
    sourceOf: ({ start, end }) => ({ start: sourceAt(pieces, start).start, end: sourceAt(pieces, end - 1).end }),
  }
}

function sourceAt(pieces: readonly Piece[], index: number): Span {
  const piece = pieces[lastUpTo(pieces, index)]
  return piece === undefined ? { start: 0, end: 0 } : piece.source(index - piece.at)
}

interface Sought {
  readonly text: string
  readonly encoding: Encoding
  readonly shortest: number
}

/** All runs are decoded together, once for each digit with which a byte may begin. */
function addRuns(sought: Sought, add: (part: string, source: Piece['source']) => void): void {
  const { name, digits, bytes } = sought.encoding
  const { joined, runs } = joinedRuns(sought)
  if (runs.length === 0) return
  const parts = printed[Math.min(sought.shortest, printed.length - 1)] ?? /./g
  for (let shift = 0; shift < digits; shift += 1) {
    const decoded = Buffer.from(joined.slice(shift), name).toString('latin1')
    for (const { 0: part, index } of decoded.matchAll(parts)) {
      add(part, (at) => runs[lastUpTo(runs, Math.floor(((index + at) * digits) / bytes) + shift)] ?? NOWHERE)
    }
  }
}

const NOWHERE: Span = { start: 0, end: 0 }

type FoundRun = Span & { readonly isPure: boolean }

interface Run extends Span {
  /** Where its digits begin among those of all. */
  readonly at: number
}

function joinedRuns({ text, encoding, shortest }: Sought): { readonly joined: string; readonly runs: readonly Run[] } {
  const { digits, bytes, filler } = encoding
  const runs: Run[] = []
  let joined = ''
  for (const { start, end, isPure } of runsIn(text, encoding, (shortest * digits) / bytes)) {
    runs.push({ start, end, at: joined.length })
    const written = text.slice(start, end)
    joined += isPure ? written : digitsOf(written, encoding)
    joined += filler.repeat(GROUPS_BETWEEN * digits - (joined.length % digits))
  }
  return { joined, runs }
}

const digitsOf = (written: string, { kinds }: Encoding): string =>
  [...written].filter((character) => kinds[character.charCodeAt(0)] === DIGIT).join('')

function runsIn(text: string, { kinds }: Encoding, least: number): readonly FoundRun[] {
  const runs: FoundRun[] = []
  let [start, end, count] = [0, 0, 0]
  const close = () => {
    if (count >= least) runs.push({ start, end, isPure: count === end - start })
    count = 0
  }
  for (let at = 0; at < text.length; at += 1) {
    const kind = kinds[text.charCodeAt(at)]
    if (kind === DIGIT) {
      if (count === 0) start = at
      count += 1
      end = at + 1
    } else if (kind === 0 && count > 0) close()
  }
  close()
  return runs
}

/** Where a run begins with which the text ends: undefined where it ends with none. */
export function lastRun(text: string): number | undefined {
  const starts = ENCODINGS.flatMap((encoding) =>
    runsIn(text, encoding, (LEAST_BEGUN * encoding.digits) / encoding.bytes)
      .filter(({ end }) => end === text.length)
      .map(({ start }) => start),
  )
  return starts.length === 0 ? undefined : Math.min(...starts)
}
