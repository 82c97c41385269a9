/**
 * Letters as callers spell them ("b as in bravo", "double l", NATO words), and names that they spell in addition to saying
 * them: "Smith, S M I T H", "Jon, that is J O N".
 */
import { soundsOf } from '../fhir/text-folding.ts'
import { repeatDoubled } from './numbers.ts'

const NATO: ReadonlyMap<string, string> = new Map(
  `alpha alfa bravo charlie delta echo foxtrot golf hotel india juliet juliett kilo lima mike november oscar papa
  quebec romeo sierra tango uniform victor whiskey whisky xray x-ray yankee zulu`
    .split(/\s+/)
    .map((word) => [word, word.charAt(0)] as const),
)

export const isLetter = (word: string): boolean => /^\p{L}$/u.test(word)

/** The letter of a NATO word. Mike and Victor are also names, so the calling code must be certain. */
export const natoLetter = (word: string): string | undefined => NATO.get(word)

/** "double u" is one letter, not two. */
export const withDoubleU = (text: string): string => text.replace(/\bdouble (?:u|you)\b/g, 'w')

/** Expands "double l" to "l l", and removes examples: see `withoutExamples`. */
const spelledLetters = (words: readonly string[]): string[] => repeatDoubled(withoutExamples(words))

/**
 * Reduces "b as in bravo", "b for bravo" and "b like bravo" to the letter; the word must begin with it, and a comma
 * after it is removed too.
 * @param isOther whether a word is not an example
 * @param certain the representation of a letter that has an example
 */
export function withoutExamples(
  words: readonly string[],
  isOther: (word: string) => boolean = () => false,
  certain: (letter: string) => string = (letter) => letter,
): readonly string[] {
  const out: string[] = []
  for (let i = 0; i < words.length; i++) {
    const letter = words[i] ?? ''
    out.push(letter)
    const link = isLetter(letter) ? linkAt(words, i + 1) : 0
    const example = words[i + link + 1] ?? ''
    if (link === 0 || !example.startsWith(letter) || isOther(example)) continue
    out[out.length - 1] = certain(letter)
    i += link + 1
    if (words[i + 1] === ',') i++
  }
  return out
}

/** Number of words in "as in", "for", "like" or "as" at `at`; 0 if there is none of them. */
function linkAt(words: readonly string[], at: number): number {
  if (words[at] === 'as' && words[at + 1] === 'in') return 2
  return ['for', 'like', 'as'].includes(words[at] ?? '') ? 1 : 0
}

/** The letters alone, in lower case and without accents. */
export const plainText = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase()

/** Compares by Double Metaphone. */
export function soundAlike(one: string, other: string): boolean {
  const sounds = plainSounds(one)
  return plainSounds(other).some((sound) => sounds.includes(sound))
}

const plainSounds = (word: string): readonly string[] => soundsOf(plainText(word)).filter((sound) => sound !== '')

type Token =
  | { readonly kind: 'word'; readonly text: string }
  /** Consecutive spelled letters, with an apostrophe or a hyphen if the caller said so. */
  | { readonly kind: 'letters'; readonly text: string }
  | { readonly kind: 'pause' }
  /** "spelled": the letters that follow spell the word before. */
  | { readonly kind: 'spelled' }

/** Fewest letters that form a word; a single one is an initial, and two may be either. */
const SHORTEST_WORD = 3
/** Letters that may be a given and a family name without a pause between them: j o h n d o e. */
const FULL_NAME = /^\p{L}{6,}$/u

/**
 * The words of a name, with "," for a pause; spelled letters replace the words that they spell. A spelling counts if
 * it sounds like a word or was announced; otherwise it is a separate word. There may be more than one reading.
 */
export function withSpelling(text: string): readonly (readonly string[])[] {
  const words = spelledLetters(commasBetweenLetters(announced(text)).split(' '))
  const readings = tokenLists(words).flatMap((tokens) => [...resolved(tokens), ...dividedLetters(tokens)])
  return readings.slice(0, MAX_READINGS)
}

const MAX_READINGS = 16

/** Token that announces letters; not a letter, so that no caller can say it. */
const SPELLED = '='

/** Spelling and Spell are family names, so on their own they announce nothing. */
const ANNOUNCEMENT =
  /(?<=^| )(?:(?:and|it's|its|that's|thats|that is|it is|which is) )*(?:spelled|spelt|spelling (?:it|is)|(?:let me|i'll|i will|i|you) spell)(?: (?:it|that|is|as|like this|for you|out))*(?: ,)?(?= |$)/gu
const SPELLING_CUE =
  /(?<=^| )(?:that's|thats|that is|it's|its|it is|as in)(?= (?:, )?\p{L}(?:-\p{L})+(?: |$)| (?:, )?\p{L}(?: (?:, )?\p{L})+(?: |$)| \p{L} (?:as in|for) )/gu

const announced = (text: string): string =>
  text
    .replace(ANNOUNCEMENT, SPELLED)
    .replace(SPELLING_CUE, SPELLED)
    .replace(/(?<=^| )(?:capital|upper ?case|lower ?case) (?=\p{L}(?: |$))/gu, '')
    .replace(/ , as in /g, ' as in ')
    .replace(/(?<=\p{L}{2}) hyphen (?=\p{L}{2})/gu, '-')
    .replace(/ apostrophe (?=\p{L}{2})/gu, "'")

/** "s , m as in mary , i , t , h" becomes one word; "j o h n , s m i t h" stays two. */
const commasBetweenLetters = (text: string): string =>
  text.replace(COMMAS_BETWEEN_LETTERS, (letters) => letters.replaceAll(' ,', ''))

const COMMAS_BETWEEN_LETTERS = /(?<=^| )(?:\p{L}(?: (?:as in|as|for|like) \p{L}+)? , ){2,}\p{L}(?= |$)/gu

/**
 * NATO words are read as letters if all words are NATO words, or if they spell a word; as some are also names, both
 * readings may remain.
 */
function tokenLists(words: readonly string[]): readonly (readonly Token[])[] {
  const plainly = tokensOf(words)
  const stretch = natoStretch(words)
  if (stretch === undefined) return [plainly]
  const [from, to] = stretch
  const letters: Token = {
    kind: 'letters',
    text: words
      .slice(from, to)
      .map((word) => natoLetter(word) ?? word)
      .join(''),
  }
  const before = tokensOf(words.slice(0, from))
  const spelled = [...before, letters, ...tokensOf(words.slice(to))]
  if (from === 0 && to === words.length) return to > MOST_NATO_NAMES ? [spelled] : [spelled, plainly]
  const said = before.flatMap((token) => (token.kind === 'word' ? [token.text] : []))
  const isCertain = before.at(-1)?.kind === 'spelled' || spanOf(said, letters.text) !== undefined
  return [isCertain ? spelled : plainly]
}

const MOST_NATO_NAMES = 3

/** Start and end (exclusive) of the first sequence of three or more NATO words, with letters among them. */
function natoStretch(words: readonly string[]): readonly [number, number] | undefined {
  const isSpelled = (word: string | undefined) =>
    word !== undefined && (natoLetter(word) !== undefined || isLetter(word))
  for (let from = 0; from < words.length; from++) {
    let to = from
    while (isSpelled(words[to])) to++
    const natos = words.slice(from, to).filter((word) => natoLetter(word) !== undefined).length
    if (to - from >= SHORTEST_WORD && natos > 1) return [from, to]
    from = Math.max(from, to)
  }
  return undefined
}

function tokensOf(words: readonly string[]): readonly Token[] {
  const tokens: Token[] = []
  let run = ''
  const endRun = () => {
    if (run !== '') tokens.push({ kind: 'letters', text: run })
    run = ''
  }
  for (const [index, word] of words.entries()) {
    const letter = letterOf(word, run !== '' && isLetter(words[index + 1] ?? ''))
    if (letter === undefined) endRun()
    if (letter !== undefined) run += letter
    else tokens.push(tokenOf(word))
  }
  endRun()
  return tokens.filter((token) => token.kind !== 'word' || !NO_NAME.includes(token.text))
}

const NO_NAME: readonly string[] = ['', 'space']

/** @param isBetween whether letters are before and after the word */
function letterOf(word: string, isBetween: boolean): string | undefined {
  if (isLetter(word)) return word
  return isBetween ? SIGNS.get(word) : undefined
}

function tokenOf(word: string): Token {
  if (word === ',') return { kind: 'pause' }
  if (word === SPELLED) return { kind: 'spelled' }
  return LETTERS_WITH_HYPHENS.test(word)
    ? { kind: 'letters', text: word.replaceAll('-', '') }
    : { kind: 'word', text: word }
}

const LETTERS_WITH_HYPHENS = /^\p{L}(?:-\p{L})+$/u

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['apostrophe', "'"],
  ['hyphen', '-'],
  ['dash', '-'],
])

/** Readings of the words up to each token. */
function resolved(tokens: readonly Token[]): readonly (readonly string[])[] {
  let readings: readonly (readonly string[])[] = [[]]
  for (const [index, token] of tokens.entries()) {
    if (token.kind === 'pause') readings = readings.map((words) => [...words, ','])
    if (token.kind === 'word') readings = readings.map((words) => withWord(words, token.text, tokens[index - 1]))
    if (token.kind === 'letters') readings = readings.flatMap((words) => withLetters(words, token.text, tokens, index))
  }
  return readings
}

/** Adds a word unless it only repeats the one just spelled. */
function withWord(words: readonly string[], word: string, before: Token | undefined): readonly string[] {
  const isRepeated = before?.kind === 'letters' && before.text.length >= SHORTEST_WORD && soundsLike(before.text, word)
  return isRepeated && words.at(-1) === before.text ? words : [...words, word]
}

function withLetters(
  words: readonly string[],
  letters: string,
  tokens: readonly Token[],
  at: number,
): readonly (readonly string[])[] {
  const before = tokens[at - 1]
  const said = words.filter((word) => word !== ',')
  const span = letters.length > 1 ? spanOf(said, letters) : undefined
  if (span !== undefined) {
    const replaced = replacing(words, said, span)
    const isSame = plainText(said.slice(span.from, span.to).join('')) === plainText(letters)
    // Without a pause, a spelling that only sounds alike may be another part of the name: Dana D E A N.
    return isSame || before?.kind !== 'word' ? [replaced] : [replaced, [...words, letters]]
  }
  if (before?.kind === 'spelled' && said.length > 0) return [replacingLast(words, letters)]
  return withOwnLetters(words, letters, at === tokens.length - 1)
}

/** Letters that spell none of the words; at the end they may spell one that was not recognized. */
function withOwnLetters(words: readonly string[], letters: string, isLast: boolean): readonly (readonly string[])[] {
  const own = [...words, letters]
  const initials = [...words, ...letters]
  if (letters.length < SHORTEST_WORD) return isLast && letters.length > 1 ? [own, initials] : [initials]
  const isAfterFullName = words.filter((word) => word !== ',').length > 1
  return isLast && isAfterFullName ? [own, replacingLast(words, letters)] : [own]
}

/** Replaces the words of the span by their spelling; pauses stay unless a word is removed. */
function replacing(words: readonly string[], said: readonly string[], span: Span): readonly string[] {
  const spelled = [...said.slice(0, span.from), ...span.words, ...said.slice(span.to)]
  let next = 0
  return words.map((word) => (word === ',' ? word : (spelled[next++] ?? '')))
}

function replacingLast(words: readonly string[], letters: string): readonly string[] {
  const last = words.findLastIndex((word) => word !== ',')
  return words.with(last, letters)
}

/** The words without those that equal `name` or sound like it. */
export function withoutSaid(words: readonly string[], name: readonly string[]): readonly string[] {
  const others = words.filter((word) => word !== ',')
  const span = spanOf(others, name.join(''))
  return span === undefined ? others : [...others.slice(0, span.from), ...others.slice(span.to)]
}

interface Span {
  readonly from: number
  readonly to: number
  /** The spelled words, one for each word of the span. */
  readonly words: readonly string[]
}

/** The words that the letters spell: an identical sequence, else one that sounds alike; the last match. */
function spanOf(words: readonly string[], letters: string): Span | undefined {
  const spans = spansOf(words)
  const same = spans.find(({ words }) => plainText(words.join('')) === plainText(letters))
  if (same !== undefined) return same
  for (const span of spans) {
    const spelled = aligned(span.words, letters)
    if (spelled !== undefined) return { ...span, words: spelled }
  }
  return undefined
}

/** All sequences of the words; the last and the shortest first. */
function spansOf(words: readonly string[]): readonly Span[] {
  const spans: Span[] = []
  for (let to = words.length; to > 0; to--) {
    for (let from = to - 1; from >= Math.max(0, to - MAX_WORDS_SPELLED); from--)
      spans.push({ from, to, words: words.slice(from, to) })
  }
  return spans
}

const MAX_WORDS_SPELLED = 3

/** Divides the letters so that each part sounds like the word at its place. */
function aligned(words: readonly string[], letters: string): readonly string[] | undefined {
  const [word, ...others] = words
  if (word === undefined) return undefined
  if (others.length === 0) return soundsLike(word, letters) ? [letters] : undefined
  for (let cut = 1; cut < letters.length; cut++) {
    const head = letters.slice(0, cut)
    const tail = soundsLike(word, head) ? aligned(others, letters.slice(cut)) : undefined
    if (tail !== undefined) return [head, ...tail]
  }
  return undefined
}

/** Single letters never match. */
const soundsLike = (one: string, other: string): boolean =>
  one.length >= 2 && other.length >= 2 && soundAlike(one, other)

/** A full name in letters without a pause may be divided anywhere. */
function dividedLetters(tokens: readonly Token[]): readonly (readonly string[])[] {
  const [only, ...others] = tokens.filter(({ kind }) => kind !== 'pause' && kind !== 'spelled')
  if (only?.kind !== 'letters' || others.length > 0 || !FULL_NAME.test(only.text)) return []
  const { text } = only
  return Array.from({ length: text.length - 3 }, (_part, index) => [text.slice(0, index + 2), text.slice(index + 2)])
}
