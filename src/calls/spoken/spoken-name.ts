/**
 * A name as it is stored, out of the sentence in which it was said: "my name is Jane" is Jane, "S M I T H" is Smith.
 * What was said beside it and is not understood is asked back, as is a spelling that contradicts the name.
 */
import { doubleMetaphone } from 'double-metaphone'
import { hasSecondThoughts } from './around-value.ts'
import { repeatDoubled } from './numbers.ts'
import { isLetter, natoLetter, withDoubleU, withoutExamples } from './spelling.ts'
import { type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'

/** `whole`: given and family name. */
export type NamePart = 'given' | 'family' | 'whole'

/** Characters of a name; the sentence around it may be longer. */
const MAX_LENGTH = 100

export function spokenName(text: string, part: NamePart): ParsedValue {
  const given = plain(text.replace(/[\p{Cc}\s]+/gu, ' '))
  if (given === '') return unclear('The value is missing')
  if (tooLong(given) || (given.length > MAX_LENGTH && !given.includes(' '))) return tooLongName(given)
  const { said, introduction } = withoutIntroduction(given, part)
  const name = said === '' || NO_NAME.test(said) || hasSecondThoughts(said) ? undefined : nameIn(said, part)
  if (name === undefined) return unclear(`The name is not certain; give ${EXPECTED[part]} alone, or spell it`)
  // "my name is Mary Ann" holds one name or two.
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

const NO_NAME = /^(?:none|nothing|unknown|n\/a|null|undefined|i don't know)[.!]?$/i

const FILLERS =
  /^(?:uh|uhm|um|umm|er|erm|yes|yeah|yep|okay|hi|hello|hey|please|thanks|sure(?=[,.] )|well(?=[,.] )|so(?=[,.] )|ok(?=[,.] )|oh(?=[,.] )|no(?=[,.]? (?:it's|it is|that's|my)))(?:[,.!;]*\s+)/i
const ENDING =
  /(?:[\s,.;!?]+(?:please|thanks|thank you|okay|speaking|here|sir|ma'am|(?:and )?that's (?:it|all|me)|is my (?:first |last |family |given |full )?name))+[.!?]*$/i
const IS = "(?:'s| is| was| would be|:)"
/** The part of the name that the introduction names, or any. */
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
  /** Undefined where nothing introduces it. */
  readonly introduction: NamePart | 'any' | undefined
}

/** `said` is '' where another part of the name is introduced. */
function withoutIntroduction(text: string, part: NamePart): Introduced {
  let rest = text
  let introduction: Introduced['introduction']
  for (;;) {
    const before = rest
    rest = rest.replace(FILLERS, '').replace(ENDING, '')
    for (const [names, pattern] of INTRODUCTIONS) {
      if (!pattern.test(rest)) continue
      if (names !== 'any' && names !== part && part !== 'whole') return { said: '', introduction: names }
      rest = rest.replace(pattern, '')
      introduction = introduction === undefined || introduction === 'any' ? names : introduction
    }
    if (rest === before)
      return { said: rest.replace(/^(?:mr|mrs|ms|mister|missus|dr|doctor)\.? (?=\p{L})/iu, ''), introduction }
  }
}

const PARTICLE = /^(?:de|del|della|da|di|du|la|le|van|von|der|den|ter|el|al|bin|ben|abu|st\.?|san|mac) /i

/** Words of a sentence, which are part of no name. */
const OF_SENTENCES =
  /(?<![\p{L}'-])(?:with(?:out)?|is|was|are|my|your|name|named|first|last|middle|spell(?:ed|ing)?|spelt|don't|know|can|will you|it|it's|that|that's|this|as in|comma|dash|hyphen|apostrophe|double|capital|uppercase|lowercase|born|calling|for|to|from|and|wife|husband|mother|father|the)(?![\p{L}'-])/iu

function nameIn(said: string, part: NamePart): string | undefined {
  const { text, isConfirmed } = withoutHint(suffixed(said))
  if (!isConfirmed) return undefined
  const words = wordsIn(text)
  const spelled = spelledWords(words)
  if (spelled === undefined) return OF_SENTENCES.test(text) || /[\d@_?!]/.test(text) ? undefined : written(words, part)
  return withSpelled(spelled, part)
}

/** "Sarah with an h" agrees with what was heard, where there is the letter. */
function withoutHint(text: string): { readonly text: string; readonly isConfirmed: boolean } {
  const [whole, name = '', letter = ''] = /^([\p{L}'-]+),? (?:spelled )?with an? (\p{L})[.!]?$/iu.exec(text) ?? []
  if (whole === undefined) return { text, isConfirmed: true }
  return { text: name, isConfirmed: name.toLowerCase().includes(letter.toLowerCase()) }
}

const SUFFIXES: Readonly<Record<string, string>> = {
  junior: 'Jr.',
  senior: 'Sr.',
  'the second': 'II',
  'the third': 'III',
  'the fourth': 'IV',
}

/** "Smith the third" is Smith III. */
const suffixed = (text: string): string =>
  text.replace(
    /(?<=\p{L},?) (junior|senior|the (?:second|third|fourth))[.!]?$/iu,
    (_all, suffix: string) => ` ${SUFFIXES[suffix.toLowerCase()]}`,
  )

/** Letters and words, pauses as ",", with the signs of names in the words that they join. */
function wordsIn(text: string): readonly string[] {
  const said = withDoubleU(text)
    .replace(/\b(?:capital|upper ?case) (?=\p{L})/giu, '')
    .replace(/(?<=\p{L}{2}) (?:hyphen|dash) (?=\p{L}{2})/giu, '-')
    .replace(/(?<=\p{L}) apostrophe (?=\p{L}{2})/giu, "'")
    .replace(/(?<=\p{L}{2}) space (?=\p{L}{2})/giu, ' ')
    .replace(ANNOUNCEMENT, ' = ')
    .replace(/[;,]/g, ' , ')
    .trim()
    .replace(/(?:,\s*)+$/, '')
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
  /** A pause is before the letters. */
  readonly isApart: boolean
  readonly letters: string
  readonly after: readonly string[]
}

/** Undefined where nothing is spelled. */
function spelledWords(words: readonly string[]): Spelled | undefined {
  const lower = repeatDoubled(
    withoutExamples(
      words.map((word) =>
        (word.length > 1 ? word : word.toLowerCase()).replace(/^\p{L}\.$/u, (letter) => letter.charAt(0)),
      ),
    ).map((word) => (/^(?:double|triple)$/i.test(word) ? word.toLowerCase() : word)),
  )
  const isNato =
    lower.length > 2 &&
    lower.every((word) => natoLetter(word.toLowerCase()) !== undefined || isLetter(word) || word === ',')
  const all =
    isNato && !lower.every((word) => NATO_NAMES.has(word.toLowerCase()))
      ? lower.map((word) => natoLetter(word.toLowerCase()) ?? word)
      : lower
  const from = all.findIndex((word, at) => isLetter(word) && isLetter(next(all, at)))
  if (from < 0) return all.length < words.length || all.includes('=') ? NOTHING_CLEAR : undefined
  let to = from
  while (
    to < all.length &&
    (isLetter(all[to] ?? '') ||
      (all[to] === ',' && isLetter(all[to + 1] ?? '')) ||
      (SIGNS.has(all[to] ?? '') && isLetter(all[to + 1] ?? '')))
  )
    to++
  const run = all.slice(from, to)
  const pauses = run.filter((word) => word === ',').length
  const letters = run.filter((word) => word !== ',')
  if (pauses > 0 && pauses < letters.length - 1) return { ...NOTHING_CLEAR, before: groupsOf(run) }
  const before = all.slice(0, from)
  return {
    before: before.filter((word) => word !== ',' && word !== '='),
    isAnnounced: before.at(-1) === '=' || before.at(-2) === '=',
    isApart: before.at(-1) === ',',
    letters: letters.map((word) => SIGNS.get(word) ?? word).join(''),
    after: all.slice(to).filter((word) => word !== ','),
  }
}

const next = (words: readonly string[], at: number): string =>
  (words[at + 1] === ',' ? words[at + 2] : words[at + 1]) ?? ''

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

/** The letters between pauses: j o h n , s m i t h. */
const groupsOf = (run: readonly string[]): readonly string[] =>
  run
    .join(' ')
    .split(' , ')
    .map((group) => group.replaceAll(' ', ''))

function withSpelled({ before, isAnnounced, isApart, letters, after }: Spelled, part: NamePart): string | undefined {
  if (letters === '')
    return part === 'whole' && before.length === 2 && before.every((group) => group.length > 1)
      ? before.map(capitalized).join(' ')
      : undefined
  const word = before.at(-1)
  if (before.some((one) => OF_SENTENCES.test(one) || !/^[\p{L}\p{M}'.-]+$/u.test(one))) return undefined
  if (after.length > 0 && !(after.length === 1 && same(after[0] ?? '', letters))) return undefined
  if (word === undefined) return alone(letters, part)
  if (same(word, letters)) return written(before, part)
  if (same(before.join(''), letters)) return written(before, part)
  const isLike = soundsLike(word, letters)
  if (isLike ? isAnnounced || isApart : isAnnounced && before.length === 1)
    return [...before.slice(0, -1), capitalized(letters)].join(' ')
  return part === 'whole' && before.length === 1 && !isLike && !isAnnounced && letters.length > 2
    ? `${capitalized(word)} ${capitalized(letters)}`
    : undefined
}

/** Two letters may be initials, and a whole name in letters may be divided anywhere. */
const alone = (letters: string, part: NamePart): string | undefined =>
  part === 'whole' || letters.length < (part === 'given' ? 3 : 2)
    ? undefined
    : letters.split(' ').map(capitalized).join(' ')

const plainText = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/[^\p{L}]/gu, '')
    .toLowerCase()

const same = (one: string, other: string): boolean => plainText(one) === plainText(other)

const soundsLike = (one: string, other: string): boolean => {
  const sounds = doubleMetaphone(plainText(one)).filter((sound) => sound !== '')
  return doubleMetaphone(plainText(other)).some((sound) => sounds.includes(sound))
}

/** Words as they were written; where all is in small letters, with capitals. Undefined where a pause divides them. */
function written(words: readonly string[], part: NamePart): string | undefined {
  if (words.some((word) => !/^[\p{L}\p{M}][\p{L}\p{M}'.-]*$/u.test(word))) {
    const at = words.indexOf(',')
    return part === 'whole' && at === words.length - 2 && at > 0
      ? written([words.at(-1) ?? '', ...words.slice(0, at)], part)
      : undefined
  }
  const text = words.join(' ')
  return text === text.toLowerCase()
    ? words.map((word, at) => (PARTICLE.test(`${word} `) && at < words.length - 1 ? word : capitalized(word))).join(' ')
    : text
}

/** O'Brien, Smith-Jones */
const capitalized = (word: string): string =>
  word.toLowerCase().replace(/^\p{L}|(?<=-)\p{L}|(?<=^[od]')\p{L}/giu, (letter) => letter.toUpperCase())
