/** Number words of English as callers say them, and how they become digits. */

/** The letter o is not among them: in an e-mail address it is a letter, elsewhere callers mean "oh" (see `ohForO`). */
export const DIGITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    zero: 0,
    oh: 0,
    nought: 0,
    naught: 0,
    nil: 0,
    one: 1,
    two: 2,
    three: 3,
    four: 4,
    five: 5,
    six: 6,
    seven: 7,
    eight: 8,
    nine: 9,
    niner: 9,
  }),
)

/** Where no letters can be meant, a lone o is a zero. */
export const ohForO = (word: string): string => (word === 'o' ? 'oh' : word)

export const TEENS: ReadonlyMap<string, number> = new Map(
  ['ten', 'eleven', 'twelve', 'thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'].map(
    (word, index) => [word, 10 + index],
  ),
)

export const TENS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    twenty: 20,
    thirty: 30,
    forty: 40,
    fourty: 40,
    fifty: 50,
    sixty: 60,
    seventy: 70,
    eighty: 80,
    ninety: 90,
  }),
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
 * Number words to the digits they stand for, in the order said: five twenty one nineteen -> 5 21 19. Other words stay.
 * "hundred" and "thousand" count in `sum` style (two thousand one: 2001, as in a year); in `row` style they stand for
 * zeros (one eight hundred five five five: 1 800 555), and stay words where that reading is not certain.
 */
export function wordsToDigits(words: readonly string[], style: 'sum' | 'row'): string[] {
  const out: string[] = []
  for (let i = 0; i < words.length; ) {
    const heard = style === 'sum' ? (sumAt(words, i) ?? smallAt(words, i)) : (rowAt(words, i) ?? smallAt(words, i))
    out.push(heard?.digits ?? words[i] ?? '')
    i += heard?.words ?? 1
  }
  return out
}

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

/** "eight hundred" before a single digit or the end, "five thousand" at the end: elsewhere it may be a sum. */
function rowAt(words: readonly string[], at: number): Heard | undefined {
  const head = smallAt(words, at)
  const word = head && words[at + head.words]
  if (head === undefined || (word !== 'hundred' && word !== 'thousand')) return undefined
  const next = words[at + head.words + 1]
  const certain = next === undefined || (word === 'hundred' && (DIGITS.has(next) || /^\d/.test(next)))
  return certain ? { digits: head.digits + (word === 'hundred' ? '00' : '000'), words: head.words + 1 } : undefined
}
