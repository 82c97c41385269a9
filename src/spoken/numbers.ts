/** English words for numbers, months and weekdays as callers say them, and their conversion to digits. */

/** Numbers by their words, from `first` on; words for the same number are joined by a slash. */
const counted = (words: string, first: number, step = 1): ReadonlyMap<string, number> =>
  new Map(
    words.split(/\s+/).flatMap((same, index) => same.split('/').map((word) => [word, first + index * step] as const)),
  )

/** The letter o is not included: in an e-mail address it is a letter, elsewhere callers mean "oh" (see `ohForO`). */
export const DIGITS = counted('zero/oh/nought/naught/nil one two three four five six seven eight nine/niner', 0)

/** If no letters are possible, a lone o is a zero. */
export const ohForO = (word: string): string => (word === 'o' ? 'oh' : word)

export const TEENS = counted('ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', 10)

export const TENS = counted('twenty thirty forty/fourty fifty sixty seventy eighty ninety', 20, 10)

export const ORDINALS: ReadonlyMap<string, number> = new Map([
  ...counted(
    `first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth
    sixteenth seventeenth eighteenth nineteenth twentieth`,
    1,
  ),
  ['thirtieth', 30],
])

export const MONTHS = counted(
  `january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep october/oct november/nov
  december/dec`,
  1,
)

/** As in ISO: 1 is Monday, 7 Sunday. */
export const WEEKDAYS = counted(
  'monday/mon tuesday/tues/tue wednesday/weds/wed thursday/thurs/thur/thu friday/fri saturday/sat sunday/sun',
  1,
)

const TIMES: ReadonlyMap<string, number> = new Map(Object.entries({ double: 2, triple: 3, treble: 3, quadruple: 4 }))

/** Writes out "double two" as "two two"; the word after the multiplier must be a single digit or letter. */
export function repeatDoubled(words: readonly string[]): string[] {
  const out: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const times = TIMES.get(word)
    const next = words[i + 1] ?? ''
    if (times === undefined || !(next.length === 1 || DIGITS.has(next))) {
      out.push(word)
      continue
    }
    for (let n = 0; n < times; n++) out.push(next)
    i++
  }
  return out
}

interface Heard {
  readonly digits: string
  readonly words: number
}

/**
 * Converts number words to digits, in the order spoken: five twenty one nineteen -> 5 21 19. Other words stay.
 * "hundred" and "thousand" are scales: two thousand one is 2001, as in a year.
 */
export function wordsToDigits(words: readonly string[]): string[] {
  const out: string[] = []
  for (let i = 0; i < words.length; ) {
    const heard = sumAt(words, i) ?? smallAt(words, i)
    out.push(heard?.digits ?? words[i] ?? '')
    i += heard?.words ?? 1
  }
  return out
}

/** Most words "hundred" and "thousand" in a text; with more, it has too many readings. */
const MAX_SCALES = 3

/**
 * All readings of number words as a sequence of digits: "eight hundred five" is 8005 or 805. Empty if there are too
 * many.
 */
export function rowReadings(words: readonly string[]): readonly (readonly string[])[] {
  return words.filter((word) => SCALE.has(word)).length > MAX_SCALES ? [] : readingsFrom(words, 0)
}

function readingsFrom(words: readonly string[], from: number): readonly (readonly string[])[] {
  const out: string[] = []
  for (let i = from; i < words.length; ) {
    const small = smallAt(words, i)
    const sum = sumAt(words, i)
    if (small !== undefined && sum !== undefined) {
      const zeros = String(SCALE.get(words[i + small.words] ?? '')).slice(1)
      const row = { digits: small.digits + zeros, words: small.words + 1 }
      const heads = sum.words === row.words ? [row] : [sum, row]
      return heads.flatMap((head) => readingsFrom(words, i + head.words).map((rest) => [...out, head.digits, ...rest]))
    }
    out.push(small?.digits ?? words[i] ?? '')
    i += small?.words ?? 1
  }
  return [out]
}

/** Most tens and digits in a text; more have more digits than any phone number. */
const MAX_TENS = 7

/** Index of each word for tens that is followed by a digit from 1 to 9. */
const tensBeforeDigits = (words: readonly string[]): readonly number[] =>
  words.flatMap((word, at) => (TENS.has(word) && (DIGITS.get(words[at + 1] ?? '') ?? 0) > 0 ? [at] : []))

/**
 * Readings in which a digit does not belong to the tens before it: "forty four" as 40 and 4. All except the usual one;
 * empty if there are too many.
 */
export function otherGroupings(words: readonly string[]): readonly (readonly string[])[] {
  const places = tensBeforeDigits(words)
  return places.length > MAX_TENS ? [] : groupings(words, places).slice(1)
}

/** Begins with the usual grouping. */
function groupings(words: readonly string[], [place, ...others]: readonly number[]): readonly (readonly string[])[] {
  if (place === undefined) return [words]
  const all = groupings(words, others)
  return [...all, ...all.map((one) => one.with(place, String(TENS.get(one[place] ?? ''))))]
}

/** "twenty seven one" is 27 and 1, or 20 and 71. */
export const mayGroupOtherwise = (words: readonly string[]): boolean =>
  tensBeforeDigits(words).some((at) => DIGITS.has(words[at + 2] ?? ''))

/** 0 to 99 at `at`: a digit, a teen, or tens with or without a digit. */
function smallAt(words: readonly string[], at: number): Heard | undefined {
  const word = words[at] ?? ''
  const tens = TENS.get(word)
  const digit = DIGITS.get(words[at + 1] ?? '') ?? 0
  if (tens !== undefined) return digit > 0 ? heard(tens + digit, 2) : heard(tens, 1)
  const value = DIGITS.get(word) ?? TEENS.get(word)
  return value === undefined ? undefined : heard(value, 1)
}

const heard = (value: number, words: number): Heard => ({ digits: String(value), words })

/** "two thousand", "two thousand and one", "nineteen hundred", "nineteen hundred five". */
function sumAt(words: readonly string[], at: number): Heard | undefined {
  const head = smallAt(words, at)
  const scale = head && SCALE.get(words[at + head.words] ?? '')
  if (head === undefined || scale === undefined) return undefined
  const used = head.words + 1
  const and = words[at + used] === 'and' ? 1 : 0
  const rest = smallAt(words, at + used + and)
  const value = Number(head.digits) * scale
  return rest === undefined ? heard(value, used) : heard(value + Number(rest.digits), used + and + rest.words)
}

const SCALE: ReadonlyMap<string, number> = new Map(Object.entries({ hundred: 100, thousand: 1000 }))
