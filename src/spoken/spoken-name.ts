/**
 * Extracts a name from the sentence in which it was said: "my name is Jane" is Jane, "S M I T H" is Smith. Other words
 * that are not understood give a question, as does a spelling that contradicts the name.
 */
import { hasSecondThoughts, isNoValue } from './around-value.ts'
import { type NamePart, TITLES, withoutNotes } from './name-notes.ts'
import { OF_SENTENCES, PARTICLE, spelledName, spelledWords, wordsIn, writtenName } from './name-words.ts'
import { type ParsedValue, plain, tooLong, unclear, understood } from './spoken.ts'
import { spokenConsent } from './spoken-consent.ts'

/** Most characters of a name; the sentence around it may be longer. */
const MAX_LENGTH = 100

export function spokenName(text: string, part: NamePart): ParsedValue {
  const given = plain(text.replace(/[\p{Cc}\s]+/gu, ' '))
  if (given === '') return unclear('The value is missing')
  if (tooLong(given) || (given.length > MAX_LENGTH && !given.includes(' '))) return tooLongName(given)
  const { said: bare, introduction } = withoutIntroduction(given, part)
  const [said = '', ...others] = withoutNotes(bare, part)
  const name = others.length > 0 || hasNoName(said) ? undefined : nameIn(said, part)
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
  said === '' || isNoValue(said) || spokenConsent(said).ok || (/\s/.test(said) && hasSecondThoughts(said))

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

function nameIn(said: string, part: NamePart): string | undefined {
  const { text, isConfirmed } = withoutHint(suffixed(said))
  if (!isConfirmed) return undefined
  const words = wordsIn(text)
  const spelled = spelledWords(words)
  if (spelled === undefined)
    return OF_SENTENCES.test(words.join(' ')) || /[\d@_?!]/.test(text) ? undefined : writtenName(words, part)
  return spelledName(spelled, part)
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
