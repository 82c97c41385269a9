/** Words about a time as tokens, with numbers, dates and times in figures recognized. */
import { DIGITS, ORDINALS, ohForO, TEENS, TENS } from '../numbers.ts'
import { plainNumber } from '../spoken.ts'

export type Token =
  | { readonly kind: 'word'; readonly text: string }
  /** `led`: with a leading zero ("oh five", 05). */
  | { readonly kind: 'number'; readonly text: string; readonly value: number; readonly led: boolean }
  | { readonly kind: 'ordinal'; readonly text: string; readonly value: number }
  /** 9:30, 09:30; with a leading zero a 24-hour time. */
  | {
      readonly kind: 'clock'
      readonly text: string
      readonly hour: number
      readonly minute: number
      readonly led: boolean
    }
  /** 3/4, 3/4/2027: the region decides which part is the month. */
  | { readonly kind: 'figures'; readonly text: string; readonly parts: readonly [number, number, number | undefined] }
  | {
      readonly kind: 'date'
      readonly text: string
      readonly year: number
      readonly month: number
      readonly day: number
    }
  /** An ISO instant with its offset. */
  | { readonly kind: 'instant'; readonly text: string; readonly iso: string }

/** Words that carry no meaning for a time, in any position. */
const EMPTY = new Set(
  `the on of uh um er erm hmm so well yes yeah ok okay please thanks thank sometime maybe perhaps possibly preferably
  ideally just also either kind`.split(/\s+/),
)

const HOUR = ['\\d{1,2}', ...DIGITS.keys(), ...TEENS.keys()].join('|')
const AFTER_DAY = '(?<=\\b(?:tomorrow|[a-z]+day|mon|tues?|wed|thu|thurs?|fri|sat|sun)),?'

/** Unifies spellings, before the words are split. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/@/g, ' at '],
  // An interval of ISO 8601 has both days in it.
  [/\b(\d{4}-\d\d-\d\d)\/(?=\d{4}-\d\d-\d\d\b(?!t))/g, '$1 to '],
  [/\b(20\d\d)(0[1-9]|1[0-2])([0-3]\d)\b/g, '$1-$2-$3'],
  [/\b(?:tmrw?|tmw|2mo?r+o?w?|tom+or+ow)\b/g, 'tomorrow'],
  // Beside "at" it may be the season.
  [/(?<=\b(?:before|after|by|until) )christmas\b(?! (?:day|eve))/g, 'christmas day'],
  [/\bquarter of (?=\w)/g, 'quarter to '],
  [
    new RegExp(`\\b(five|ten|twenty(?:[ -]five)?|5|10|20|25)(?: minutes)? of (?=(?:${HOUR})\\b)`, 'g'),
    '$1 minutes to ',
  ],
  // "14h", "14h30", "2.15 pm" and, after an "at", "14.30".
  [/(?<!\bin )\b(\d{1,2})h(\d\d)\b/g, '$1:$2'],
  [/(?<!\bin )\b(\d{1,2})h\b/g, '$1:00'],
  [/\b(\d{1,2})\.(?=\d\d ?[ap]\.? ?m\b)|(?<=\bat )(\d{1,2})\.(?=\d\d(?![.\d]))/g, '$1$2:'],
  [/(?<=\d)([ap])(?=$|[\s,;.!?])/g, '$1m'],
  [new RegExp(`${AFTER_DAY} a\\.? ?m\\b\\.?`, 'g'), ' in morning'],
  [new RegExp(`${AFTER_DAY} p\\.? ?m\\b\\.?`, 'g'), ' in afternoon'],
  [/(?<=\b(?:mon|tues?|wed|thu|thurs?|fri|sat|sun|[a-z]+day))\/(?=(?:mon|tue|wed|thu|fri|sat|sun))/g, ' or '],
  [/\bo'? ?clock\b/g, 'oclock'],
  [/(?<=[\d\s])([ap])\.? ?m\b\.?/g, ' $1m '],
  [/(?<=\d)(?=(?:ish|hrs?|hours)\b)|-(?=ish\b)/g, ' '],
  // 10:00-12:00 and 2-4 pm are ranges; 9-11 alone may be a date.
  [/(?<![\d-])(\d{1,2}(?::\d\d)?(?: {0,2}[ap]m)?) {0,2}- ?(?=\d{1,2}(?::\d\d| {0,2}[ap]m)\b)/g, '$1 to '],
  [/(?<=day|\b(?:mon|tues?|wed|thu|thurs?|fri|sat|sun))-(?=(?:mon|tue|wed|thu|fri|sat|sun))/g, ' to '],
  [/(?<=[a-z])-(?=[a-z])/g, ' '],
  [/\bi am\b/g, 'i'],
  // "no, Monday" replies to something else; "no Monday" may exclude Monday.
  [/^no(?:pe)?[,.;!]\s*/g, ''],
  // "just" and "right" carry no meaning elsewhere.
  [/\b(?:just|right|soon) (?=before\b|after\b)/g, 'shortly '],
  [/\bor so\b/g, 'ish'],
  // "beginning December 1st" means from then on.
  [/\b(?:beginning|start) of\b/g, 'early'],
  [/\bcan not\b/g, 'cannot'],
]

export function tokensOf(text: string): readonly Token[] {
  let spelled = plainNumber(text).toLowerCase()
  for (const [spelling, usual] of SPELLINGS) spelled = spelled.replace(spelling, usual)
  const chunks = spelled.split(/[\s,;!?()"]+/).filter((chunk) => chunk !== '')
  return joinNumbers(chunks.flatMap(tokensOfChunk)).filter((token) => !EMPTY.has(token.text))
}

const ISO = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:t(\d{2}):(\d{2})(?::\d{2}(?:\.\d{1,9})?)?(z|[+-]\d{2}:?\d{2})?)?$/
const CLOCK = /^(\d{1,2}):(\d{2})(?::\d{2})?$/
const FIGURES = /^(\d{1,2})(?:\/(\d{1,2})(?:\/(\d{4}|\d{2}))?|\.(\d{1,2})\.(\d{4}|\d{2})?|-(\d{1,2})-(\d{4}|\d{2}))$/

function tokensOfChunk(chunk: string): readonly Token[] {
  const figures = FIGURES.exec(chunk)
  if (figures !== null) return [figuresToken(chunk, figures)]
  const text = chunk.replace(/[.:']+$/, '')
  const iso = ISO.exec(text)
  if (iso !== null) return isoTokens(text, iso)
  const [, hour = '', minute = ''] = CLOCK.exec(text) ?? /^(0\d)(\d\d)$/.exec(text) ?? []
  if (hour !== '') {
    return [{ kind: 'clock', text, hour: Number(hour), minute: Number(minute), led: hour.startsWith('0') }]
  }
  const [, nth] = /^(\d{1,2})(?:st|nd|rd|th)$/.exec(text) ?? []
  if (nth !== undefined) return [{ kind: 'ordinal', text, value: Number(nth) }]
  return text === '' ? [] : [wordToken(text)]
}

function figuresToken(text: string, figures: RegExpExecArray): Token {
  const [one = 0, two = 0, year] = figures
    .slice(1)
    .filter((part) => part !== undefined)
    .map(Number)
  return { kind: 'figures', text, parts: [one, two, year !== undefined && year < 100 ? 2000 + year : year] }
}

function isoTokens(text: string, iso: RegExpExecArray): readonly Token[] {
  const [, year, month, day, hour, minute, offset] = iso
  if (offset !== undefined) return [{ kind: 'instant', text, iso: text.toUpperCase() }]
  const date = { kind: 'date', text, year: Number(year), month: Number(month), day: Number(day) } as const
  if (hour === undefined) return [date]
  return [date, { kind: 'clock', text, hour: Number(hour), minute: Number(minute), led: true }]
}

function wordToken(text: string): Token {
  const word = ohForO(text)
  if (/^\d{1,4}$/.test(word)) return numberToken(text, Number(word), word.startsWith('0') && word.length === 2)
  const value = DIGITS.get(word) ?? TEENS.get(word) ?? TENS.get(word)
  if (value !== undefined) return numberToken(text, value, false)
  const ordinal = ORDINALS.get(word)
  return ordinal === undefined ? { kind: 'word', text } : { kind: 'ordinal', text, value: ordinal }
}

const numberToken = (text: string, value: number, led: boolean): Token => ({ kind: 'number', text, value, led })

/** "twenty" and "one" become 21, "twenty" and "first" 21st, "oh" and "five" 05. */
function joinNumbers(tokens: readonly Token[]): readonly Token[] {
  const out: Token[] = []
  for (const token of tokens) {
    const before = out.at(-1)
    const joined = before && join(before, token)
    if (joined !== undefined) out.pop()
    out.push(joined ?? token)
  }
  return out
}

function join(before: Token, token: Token): Token | undefined {
  if (before.kind !== 'number' || (token.kind !== 'number' && token.kind !== 'ordinal')) return undefined
  if (token.value < 1 || token.value > 9 || /\d/.test(before.text + token.text)) return undefined
  const text = `${before.text} ${token.text}`
  if (TENS.has(before.text)) return { ...token, text, value: before.value + token.value }
  return before.value === 0 && token.kind === 'number' ? { ...token, text, led: true } : undefined
}
