/**
 * Extracts a name from the sentence in which it was said: "my name is Jane" is Jane, "S M I T H" is Smith. Other words
 * that are not understood give a question, as does a spelling that contradicts the name.
 */
import { type NamePart, TITLES, withoutNotes } from './around-name.ts'
import { MONTHS, repeatDoubled } from './numbers.ts'
import { isLetter, natoLetter, plainText, soundAlike, withDoubleU, withoutExamples } from './spelling.ts'
import { hasSecondThoughts, isNoValue, type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'
import { isYesOrNo } from './spoken-consent.ts'

const SMALL_PARTICLE = /^(?:de|del|della|da|di|du|la|le|van|von|der|den|ter|el|al|bin|ben|abu)$/i
const PARTICLE = /^(?:de|del|della|da|di|du|la|le|van|von|der|den|ter|el|al|bin|ben|abu|st\.?|san|mac) /i

/** Words of sentences, which never belong to a name. */
const OF_SENTENCES =
  /(?<![\p{L}'-])(?:with(?:out)?|is|was|are|my|your|name|named|first|last|middle|spell(?:ed|ing)?|spelt|don't|know|can|will you|it|it's|that|that's|this|as in|comma|dash|hyphen|apostrophe|double|capital|uppercase|lowercase|born|calling|for|to|from|and|wife|husband|mother|father|the|uh|uhm|um|umm|er|erm|hmm|yes|yeah|yep|ok|bye|goodbye|correct|exactly|right|period|moment|second|minute|also|aka|known as|formerly|née|nee|maiden|initial|they|call me|call|hold on|hang on|same as|like|under|me|myself|hello)(?![\p{L}'-])/iu

/** Splits into letters and words, with "," for a pause; hyphens and apostrophes join the words of a name. */
function wordsIn(text: string): readonly string[] {
  const said = withDoubleU(text)
    .replace(/(?<!\p{L}{2} )\b(?:capital|upper ?case) (?=\p{L})/giu, '')
    .replace(/(?<=\p{L}{2}) (?:hyphen|dash) (?=\p{L}{2})/giu, '-')
    .replace(/\b(?:oh|(d)ee)(?= apostrophe )/giu, (_all, d?: string) => d ?? 'o')
    .replace(/(?<=\p{L}) apostrophe (?=\p{L}{2})/giu, "'")
    .replace(/(?<=\p{L}{2}) space (?=\p{L}{2})/giu, ' ')
    .replace(ANNOUNCEMENT, ' = ')
    .replace(/[;,]|(?<=\p{L}{3})\. /gu, ' , ')
    .replace(/[\s,]+$/, '')
    .trim()
  return said.split(/\s+/).flatMap((word) => {
    const bare = word.replace(/(?<=\p{L}{2})\.$/u, (dot) => (/^(?:jr|sr|st)$/i.test(word.slice(0, -1)) ? dot : ''))
    if (/^\p{L}(?:-\p{L})+\.?$/u.test(bare)) return bare.replace('.', '').split('-')
    if (/^(?:\p{L}\.){3,}$/u.test(bare)) return bare.split('.').filter((letter) => letter !== '')
    return [bare]
  })
}

const ANNOUNCEMENT =
  /(?<=\p{L})[,.]? (?:(?:and )?(?:it's |that's |that is |it is )?(?:spelled|spelt|spelling is)|that's|that is|as in)[,:]?(?= \p{L}(?:[ .,-]|$)| (?:alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliet|kilo|lima|mike|november|oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whiskey|xray|yankee|zulu) )/giu

interface Spelled {
  readonly before: readonly string[]
  readonly isAnnounced: boolean
  /** True if a pause precedes the letters. */
  readonly isApart: boolean
  readonly letters: string
  readonly after: readonly string[]
}

/** Returns undefined if nothing is spelled. */
function spelledWords(words: readonly string[]): Spelled | undefined {
  const all = lettersOf(words)
  const from = all.findIndex((word, at) => isLetter(word) && isLetter(next(all, at)))
  if (from < 0) return all.length < words.length || all.includes('=') ? NOTHING_CLEAR : undefined
  const to = endOfLetters(all, from)
  const run = all.slice(from, to)
  const letters = run.filter((word) => word !== ',')
  const pauses = run.length - letters.length
  if (pauses > 0 && !isOneName(groupsOf(run))) return { ...NOTHING_CLEAR, before: groupsOf(run) }
  const before = all.slice(0, from)
  return {
    before: before.filter((word) => word !== ',' && word !== '='),
    isAnnounced: before.slice(-2).includes('='),
    isApart: before.at(-1) === ',',
    letters: letters.map((word) => SIGNS.get(word) ?? word).join(''),
    after: all.slice(to).filter((word) => word !== ','),
  }
}

/**
 * Single letters in lower case, without examples ("as in Sam"); NATO words count if all of the name is spelled in them.
 */
function lettersOf(words: readonly string[]): readonly string[] {
  // An example must begin with its letter: "S as in Sam".
  const hasExamples = words.some((word, at) => isLetter(word) && /^(?:as|for|like)$/i.test(words[at + 1] ?? ''))
  const small = words.map((word) => (hasExamples || SMALL.test(word) ? word.toLowerCase().replace('.', '') : word))
  const all = repeatDoubled(withoutExamples(small))
  const letters = all.map((word) => natoLetter(word.toLowerCase()) ?? word)
  const isSpelled = all.length > 2 && letters.every((word) => isLetter(word) || word === ',')
  if (!isSpelled) return all
  return all.every((word) => NATO_NAMES.has(word.toLowerCase())) ? ['='] : letters
}

const SMALL = /^(?:\p{L}\.?|double|triple|as|in|for|like)$/iu

/** The index after the last letter of a sequence with pauses and signs in it. */
function endOfLetters(words: readonly string[], from: number): number {
  const isBetween = (at: number): boolean =>
    (words[at] === ',' || SIGNS.has(words[at] ?? '')) && isLetter(words[at + 1] ?? '')
  let to = from
  while (isLetter(words[to] ?? '') || isBetween(to)) to++
  return to
}

const next = (words: readonly string[], at: number): string =>
  (words[at + 1] === ',' || SIGNS.has(words[at + 1] ?? '') ? words[at + 2] : words[at + 1]) ?? ''

const NOTHING_CLEAR: Spelled = { before: [], isAnnounced: false, isApart: false, letters: '', after: [] }

const NATO_NAMES = new Set([
  'charlie',
  'juliet',
  'juliett',
  'mike',
  'oscar',
  'romeo',
  'victor',
  'papa',
  'sierra',
  'india',
])

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['apostrophe', "'"],
  ['hyphen', '-'],
  ['dash', '-'],
  ['space', ' '],
])

/** "s , m , i , t , h" is one name; the pause after an example belongs to it. */
const isOneName = ([first = '', ...others]: readonly string[]): boolean =>
  first.length <= 2 && others.every((group) => group.length === 1)

/** The letters between pauses: j o h n , s m i t h. */
const groupsOf = (run: readonly string[]): readonly string[] =>
  run
    .join(' ')
    .split(' , ')
    .map((group) => group.replaceAll(' ', ''))

/** Returns undefined if words and letters disagree, or it is uncertain which words the letters spell. */
function spelledName(spelled: Spelled, part: NamePart): string | undefined {
  const { before, letters, after } = spelled
  const isWhole = part === 'whole'
  if (letters === '')
    return isWhole && before.length === 2 && before.every((group) => group.length > 1)
      ? before.map(capitalized).join(' ')
      : undefined
  const isConfirmed = (word: string): boolean => same(word, letters)
  // "Call, spelled C A L L": letters confirm any word.
  if (!before.every((word) => isNameWord(word) || isConfirmed(word))) return undefined
  if (!after.every(isConfirmed) || after.length > 1) return undefined
  if (before.length === 0) return alone(letters, part)
  if (same(before.at(-1) ?? '', letters) || same(before.join(''), letters)) return writtenName(before, part)
  return corrected(spelled) ?? (isWhole ? withFamily(spelled) : undefined)
}

const isNameWord = (word: string): boolean => !OF_SENTENCES.test(word) && /^[\p{L}\p{M}'.-]+$/u.test(word)

/** The spelling replaces the word before it, if it sounds like that word or is announced. */
function corrected({ before, isAnnounced, isApart, letters }: Spelled): string | undefined {
  const isLike = soundAlike(before.at(-1) ?? '', letters)
  const isSpelling = isLike ? isAnnounced || isApart : isAnnounced && before.length === 1
  return isSpelling ? [...before.slice(0, -1).map(withCapital), capitalized(letters)].join(' ') : undefined
}

/** "John S M I T H" */
function withFamily({ before, isAnnounced, letters }: Spelled): string | undefined {
  const [word = '', ...others] = before
  const isOther = others.length === 0 && !isAnnounced && !soundAlike(word, letters)
  return isOther && letters.length > 2 ? `${withCapital(word)} ${capitalized(letters)}` : undefined
}

/** Two letters may be initials, and a whole name in letters may be divided anywhere. */
const alone = (letters: string, part: NamePart): string | undefined =>
  part === 'whole' || letters.length < (part === 'given' ? 3 : 2)
    ? undefined
    : letters.split(' ').map(capitalized).join(' ')

const same = (one: string, other: string): boolean => plainText(one) === plainText(other)

/** The words as written, capitalized if all are in lower case. Undefined if a pause divides them. */
function writtenName(words: readonly string[], part: NamePart): string | undefined {
  const pause = words.indexOf(',')
  // "Smith, John"
  if (part === 'whole' && pause > 0 && pause === words.length - 2)
    return writtenName([words.at(-1) ?? '', ...words.slice(0, pause)], part)
  if (!words.every((word) => NAME_WORD.test(word))) return undefined
  if (words.filter((word) => !PARTICLE.test(`${word} `)).length > MOST_WORDS[part]) return undefined
  const isSmall = words.every((word) => word === word.toLowerCase())
  const isParticle = (word: string, at: number): boolean => at < words.length - 1 && SMALL_PARTICLE.test(word)
  return words.map((word, at) => (isSmall && !isParticle(word, at) ? capitalized(word) : word)).join(' ')
}

/** Letters, with signs between them, and digits at the end: O'Brien, Smith-Jones, J.R., Smith2, Doe_2024. */
const NAME_WORD = /^\p{L}[\p{L}\p{M}]*(?:['.-][\p{L}\p{M}]+)*(?:[-_]?\d{1,4})?\.?$/u

/** Names typed with digits in one piece, as in test data: Test123, Doe-2024. May-2024 is a date, ext12 an extension. */
const WITH_DIGITS = new RegExp(
  `(?<![^\\s,])(?!(?:${[...MONTHS.keys(), 'ext'].join('|')})-?\\d)(?:\\p{L}')?\\p{L}{2,}(?:['-]\\p{L}{2,})*[-_]?\\d{1,4}(?![^\\s,])`,
  'giu',
)

/** More words are hardly a name, but a private spelling alphabet: "Sam Mary Ida Tom Harry". */
const MOST_WORDS: Readonly<Record<NamePart, number>> = { given: 3, family: 3, whole: 6 }

const withCapital = (word: string): string => (word === word.toLowerCase() ? capitalized(word) : word)

/** O'Brien, Smith-Jones */
const capitalized = (word: string): string =>
  word.toLowerCase().replace(/^\p{L}|(?<=-)\p{L}|(?<=^[od]')\p{L}/gu, (letter) => letter.toUpperCase())

/** Most characters of a name; the sentence around it may be longer. */
const MAX_LENGTH = 100

export function spokenName(text: string, part: NamePart): ParsedValue {
  const given = plain(text.replace(/[\p{Cc}\s]+/gu, ' '))
  if (given === '') return unclear('The value is missing')
  if (tooLong(given) || (given.length > MAX_LENGTH && !given.includes(' '))) return tooLongName(given)
  const { said: bare, introduction } = withoutIntroduction(given, part)
  const [said = '', ...others] = withoutNotes(bare, part)
  const isName = isAlsoWord(said, part) || /^\p{Lu}\.$/u.test(said)
  const name = others.length > 0 || (hasNoName(said) && !isName) ? undefined : nameIn(said, part)
  if (name === undefined) return unclear(`The name is not certain; give ${EXPECTED[part]} alone, or spell it`)
  // "my name is Mary Ann" contains one name or two.
  if (part !== 'whole' && introduction === 'any' && /\s/.test(name) && !PARTICLE.test(name))
    return unclear(`It is not certain which of the names it is; give ${EXPECTED[part]} alone`)
  return name.length > MAX_LENGTH ? tooLongName(name) : understood(name)
}

const tooLongName = (name: string): ParsedValue =>
  unclear(`The value has ${name.length} characters; it may have ${MAX_LENGTH}`)

const EXPECTED: Readonly<Record<NamePart, string>> = {
  given: 'the first name',
  family: 'the last name',
  whole: 'the first name and the last name',
}

/** A lone yes or no replies to something else; a person whose name is "No" or "Sure" can spell it. */
const hasNoName = (said: string): boolean =>
  said === '' || isNoValue(said) || isYesOrNo(said) || (/\s/.test(said) && hasSecondThoughts(said))

/** Names that are also words of callers or programs. Typed with a capital letter, and alone, they are names. */
const NAMES_THAT_ARE_WORDS = {
  given: ['First', 'True'],
  family: 'Self Call Last Null True False Born Dash Double First Husband Moment Next Second To'.split(' '),
} as const

const isAlsoWord = (said: string, part: NamePart): boolean =>
  part !== 'whole' && NAMES_THAT_ARE_WORDS[part].some((name) => name === said)

/** "Call", or "Jane Call" as a whole name. */
const endsInSuchName = (words: readonly string[], part: NamePart): boolean =>
  words.length === (part === 'whole' ? 2 : 1) && isAlsoWord(words.at(-1) ?? '', part === 'whole' ? 'family' : part)

const FILLERS =
  /^(?:uh|uhm|um|umm|er|erm|yes|yeah|yep|okay|hi|hello|hey|please|thanks|sure(?=[,.] )|well(?=[,.] )|so(?=[,.] )|ok(?=[,.] )|oh(?=[,.] )|no(?=[,.]? (?:it's|it is|that's|my)))(?:[,.!;]*\s+)/i
const ENDING =
  /(?:[\s,.;!?]+(?:please|thanks|thank you|okay|speaking|here|sir|ma'am|(?:and )?that's (?:it|all|me)|is my (?:first |last |family |given |full )?name))+[.!?]*$/i
const IS = "(?:'s| is| was| would be|:)"
/** Introductions, with the part of the name that they announce. */
const INTRODUCTIONS: readonly (readonly [NamePart | 'any', RegExp])[] = [
  ['given', new RegExp(`^(?:and )?(?:(?:my|the|his|her) )?(?:first|given|christian|fore) ?name${IS}?[,:]? `, 'i')],
  ['family', new RegExp(`^(?:and )?(?:(?:my|the|his|her) )?(?:last|family|sur) ?name${IS}?[,:]? `, 'i')],
  ['whole', new RegExp(`^(?:and )?(?:(?:my|the|his|her) )?(?:full|whole|complete) name${IS}?[,:]? `, 'i')],
  ['any', new RegExp(`^(?:(?:my|the|his|her|subscriber|subscriber's) )?name${IS}[,:]? `, 'i')],
  [
    'any',
    /^(?:it's|it is|its|that's|that is|that would be|it would be|this is|i'm|i am|i'm called|call me|i go by)[,:]? /i,
  ],
]

interface Introduced {
  readonly said: string
  /** Undefined if nothing introduces it. */
  readonly introduction: NamePart | 'any' | undefined
}

/** `said` is '' if another part of the name is introduced. */
function withoutIntroduction(text: string, part: NamePart): Introduced {
  const rest = text.replace(FILLERS, '').replace(ENDING, '')
  const [names, pattern] = INTRODUCTIONS.find(([, one]) => one.test(rest)) ?? []
  if (names === undefined || pattern === undefined) {
    if (rest !== text) return withoutIntroduction(rest, part)
    return { said: rest.replace(TITLE, ''), introduction: undefined }
  }
  if (![part, 'any', 'whole'].includes(names) && part !== 'whole') return { said: '', introduction: names }
  const inner = withoutIntroduction(rest.replace(pattern, ''), part)
  return inner.introduction === part ? inner : { ...inner, introduction: names === 'whole' ? 'any' : names }
}

const TITLE = new RegExp(`^(?:(?:${TITLES.join('|')})\\.? )+(?=\\p{L})`, 'iu')

const CONSONANT = '[b-df-hj-np-tv-xz]'

/** Two initials that spell no name, as Jo and Al do: "J. P.", "A J". Alone, J R is also Junior, and N G is Ng. */
const INITIALS = new RegExp(
  `^(?!(?:[js] r|n g)$)(?:${CONSONANT}\\.? ${CONSONANT}|\\p{L}\\.? j)\\.?(?=$| \\p{L}{2})`,
  'iu',
)

/** The initials as a first name, or before a family name. */
function withInitials(said: string, part: NamePart): string | undefined {
  const initials = INITIALS.exec(said)?.[0]
  if (initials === undefined || part === 'family') return undefined
  const rest = said.slice(initials.length).trim()
  if (rest === '') return part === 'given' ? initials.toUpperCase() : undefined
  const family = part === 'whole' ? nameIn(rest, 'family') : undefined
  return family && `${initials.toUpperCase()} ${family}`
}

const nameIn = (said: string, part: NamePart): string | undefined => withInitials(said, part) ?? nameInWords(said, part)

function nameInWords(said: string, part: NamePart): string | undefined {
  const { text, isConfirmed } = withoutHint(suffixed(said))
  if (!isConfirmed) return undefined
  const words = wordsIn(text)
  const spelled = spelledWords(words)
  if (spelled !== undefined) return spelledName(spelled, part)
  const others = endsInSuchName(words, part) ? words.slice(0, -1) : words
  const isSentence = OF_SENTENCES.test(others.join(' ')) || /[\d@_?!]/.test(text.replaceAll(WITH_DIGITS, ''))
  return isSentence ? undefined : writtenName(words, part)
}

/** "Sarah with an h" confirms the name if it contains the letter. */
function withoutHint(text: string): { readonly text: string; readonly isConfirmed: boolean } {
  const [whole, name = '', letter = ''] = /^([\p{L}'-]+),? (?:spelled )?with an? (\p{L})[.!]?$/iu.exec(text) ?? []
  if (whole === undefined) return { text, isConfirmed: true }
  return { text: name, isConfirmed: name.toLowerCase().includes(letter.toLowerCase()) }
}

const SUFFIXES: Readonly<Record<string, string>> = {
  jr: 'Jr.',
  junior: 'Jr.',
  sr: 'Sr.',
  senior: 'Sr.',
  'the second': 'II',
  'the third': 'III',
  'the fourth': 'IV',
}

/** Turns "Smith the third" into Smith III. */
const suffixed = (text: string): string =>
  text.replace(
    /(?<=\p{L},?) (jr|junior|sr|senior|the (?:second|third|fourth))[.!]?$/iu,
    (_all, suffix: string) => ` ${SUFFIXES[suffix.toLowerCase()]}`,
  )
