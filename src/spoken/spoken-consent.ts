/** Yes or no in reply to a question for consent. A hedge, a condition, or both at once gives a question. */
import { isNumber } from '../fhir/json.ts'
import { type ParsedValue, plain } from './spoken.ts'

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
  opted in, opt me in, i opt in, i opted in, i have agreed, i agreed`)

const NO = phrases(`no, nope, nah, n, false, no way, i don't, i do not, i don't agree, i do not agree, i don't consent,
  i do not consent, i don't want that, i do not want that, i don't want to, i do not want to,
  i don't want to be contacted, i do not want to be contacted, i'd rather not, i would rather not, i'd prefer not to,
  i would prefer not to, please don't, please do not, don't, do not, absolutely not, certainly not, definitely not,
  of course not, i refuse, i decline, i disagree, no thanks, no thank you, not at all thanks, declined, refused,
  not agreed, opt out, opted out, opt me out, i opt out, i opted out, i have declined, i declined, i refused`)

/** Politeness and hesitation, which mean neither. */
const AROUND = new Set(['please', 'thanks', 'uh', 'um', 'er', 'well', 'oh', 'so', 'sir', "ma'am"])

/** Number of words in the longest phrase. */
const MAX_PHRASE = 7
/** Most characters; a reply is shorter. */
const MAX_LENGTH = 200

export function spokenConsent(value: unknown): ParsedValue<boolean> {
  if (typeof value === 'boolean') return { ok: true, value }
  const text = isNumber(value) ? String(Number(value)) : value
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return UNCLEAR
  const flag = FLAGS.get(plain(text))
  if (flag !== undefined) return { ok: true, value: flag }
  const answers = new Set(answersIn(wordsOf(text)))
  const [answer] = answers
  return answers.size === 1 && typeof answer === 'boolean' ? { ok: true, value: answer } : UNCLEAR
}

/** Programs also send a boolean as a figure. */
const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['0', false],
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
