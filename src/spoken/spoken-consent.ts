/** Yes or no in reply to a question for consent. A hedge, a condition, or both at once gives a question. */
import { isNumber } from '../fhir/json.ts'
import { type ParsedValue, plain, unclear } from './spoken.ts'

const phrases = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split(',')
      .map((phrase) => phrase.trim().replace(/\s+/g, ' '))
      .filter((phrase) => phrase !== ''),
  )

const YES = phrases(`yes, yeah, yep, yup, yea, y, true, sure, sure thing, okay, ok, of course, absolutely, certainly,
  definitely, by all means, i do, i agree, i consent, i accept, i give my consent, i am okay with that,
  i'm okay with that, i'm fine with that, i am fine with that, that's fine, that is fine, that's fine with me,
  that's fine by me, fine by me, fine with me, go ahead, please do, you can, you may, you have my consent,
  sounds good, yes please, you bet, i'd like that, i would like that, agreed, accepted, consented, opt in,
  opted in, opt me in, i opt in, i opted in, i have agreed, i agreed, agree, accept, consent, granted, allowed,
  permitted, approved, affirmative, consent given, consent granted, gave consent`)

const NO = phrases(`no, nope, nah, n, false, no way, i don't, i do not, i don't agree, i do not agree, i don't consent,
  i do not consent, i don't want that, i do not want that, i don't want to, i do not want to,
  i don't want to be contacted, i do not want to be contacted, i'd rather not, i would rather not, i'd prefer not to,
  i would prefer not to, please don't, please do not, don't, do not, absolutely not, certainly not, definitely not,
  of course not, i refuse, i decline, i disagree, no thanks, no thank you, not at all thanks, declined, refused,
  not agreed, opt out, opted out, opt me out, i opt out, i opted out, i have declined, i declined, i refused, decline,
  refuse, disagree, denied, not allowed, not permitted, not granted, withdrawn, revoked, negative, no consent,
  consent denied, consent refused, consent declined, consent withdrawn, consent not given, do not contact me,
  don't contact me, do not call me, don't call me`)

/** The plain answers, which need no knowledge of the question. */
const PLAIN = phrases('yes, yeah, yep, yup, y, true, no, nope, nah, n, false')

/** Words of an opt-out, and of its contrary. */
const OPT_OUT = phrases(`opt out, opted out, opt me out, i opt out, i opted out, stop, unsubscribe, unsubscribed,
  do not contact, don't contact me, do not contact me, do not call, don't call me, do not call me`)
const OPT_IN = phrases('opt in, opted in, opt me in, i opt in, i opted in')

/** Politeness and hesitation, which mean neither. */
const AROUND = new Set(['please', 'thanks', 'uh', 'um', 'er', 'well', 'oh', 'so', 'sir', "ma'am"])

/** Number of words in the longest phrase. */
const MAX_PHRASE = 7
/** Most characters; a reply is shorter. */
const MAX_LENGTH = 200

export function spokenConsent(value: unknown): ParsedValue<boolean> {
  const text = flagOrText(value)
  if (typeof text === 'boolean') return { ok: true, value: text }
  const answer = answerIn(text)
  return answer === undefined ? UNCLEAR : { ok: true, value: answer }
}

/** Whether the words are a yes or a no, and nothing else. */
export const isYesOrNo = (text: string): boolean => text.length <= MAX_LENGTH && answerIn(text) !== undefined

/** Undefined for both at once, and for other words. */
function answerIn(text: string): boolean | undefined {
  const [answer, ...others] = new Set(answersIn(wordsOf(text)))
  return others.length === 0 ? answer : undefined
}

/**
 * True for an opt-out. Of words that name no opt-out only a plain yes or no is taken: "declined" may be about the contact
 * or about the opt-out.
 */
export function spokenOptOut(value: unknown): ParsedValue<boolean> {
  const text = flagOrText(value)
  if (typeof text === 'boolean') return { ok: true, value: text }
  const said = wordsOf(text.replaceAll('_', ' ')).join(' ')
  if (OPT_OUT.has(said) || OPT_IN.has(said)) return { ok: true, value: OPT_OUT.has(said) }
  return PLAIN.has(said) ? { ok: true, value: YES.has(said) } : unclear(OPT_OUT_EXPECTED)
}

const OPT_OUT_EXPECTED = 'it must be true or false, "yes" or "no", or "opted out" or "opted in"'

/** The boolean itself, or the text to read; '' for anything else. */
function flagOrText(value: unknown): boolean | string {
  if (typeof value === 'boolean') return value
  const text = isNumber(value) ? String(Number(value)) : value
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return ''
  return FLAGS.get(plain(text).toLowerCase()) ?? text
}

/** Forms in which programs write a boolean. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['0', false],
  ['on', true],
  ['off', false],
])

const UNCLEAR: ParsedValue<boolean> = {
  ok: false,
  error: 'The value must be true or false; ask for a clear yes or no',
}

const wordsOf = (text: string): readonly string[] =>
  plain(text)
    .toLowerCase()
    .replace(/\bthank you(?: (?:very|so) much)?\b/g, 'thanks')
    .split(/[\s,.;!-]+/)
    .filter((word) => word !== '')

/** One value for each phrase; undefined for a word outside all phrases. */
function answersIn(words: readonly string[]): readonly (boolean | undefined)[] {
  const found: (boolean | undefined)[] = []
  for (let at = 0; at < words.length; ) {
    const length = phraseAt(words, at)
    const phrase = words.slice(at, at + length).join(' ')
    if (length > 0) found.push(YES.has(phrase))
    else if (!AROUND.has(words[at] ?? '')) found.push(undefined)
    at += Math.max(length, 1)
  }
  return found
}

/** Number of words in the longest phrase at `at`; 0 if there is none. */
function phraseAt(words: readonly string[], at: number): number {
  for (let length = MAX_PHRASE; length > 0; length--) {
    const phrase = words.slice(at, at + length)
    if (phrase.length === length && (YES.has(phrase.join(' ')) || NO.has(phrase.join(' ')))) return length
  }
  return 0
}
