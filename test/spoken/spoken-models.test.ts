/** Phrases made by a simple rule are understood as meant, or asked back: never as another value. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { ParsedValue } from '../../src/spoken/spoken.ts'
import { spokenConsent } from '../../src/spoken/spoken-consent.ts'
import { spokenIdentifier } from '../../src/spoken/spoken-identifier.ts'
import { spokenCents } from '../../src/spoken/spoken-money.ts'
import { spokenName } from '../../src/spoken/spoken-name.ts'

const DIGITS = 'zero one two three four five six seven eight nine'.split(' ')
const TEENS = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ')
const TENS = ['', '', ...'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')]

/** The share of phrases that must be understood rather than asked back, so that refusing everything does not pass. */
const MOSTLY = 0.9

/** @returns the share of phrases that are understood; each of these must be understood as meant */
function shareUnderstood<T>(
  said: fc.Arbitrary<readonly [text: string, meant: T]>,
  hear: (text: string) => ParsedValue<T>,
): number {
  let understood = 0
  let all = 0
  fc.assert(
    fc.property(said, ([text, meant]) => {
      const heard = hear(text)
      all += 1
      if (!heard.ok) return
      understood += 1
      expect([text, heard.value]).toEqual([text, meant])
    }),
    { numRuns: 1_000 },
  )
  return understood / all
}

function wordsOf(number: number): string {
  if (number < 10) return DIGITS[number] ?? ''
  if (number < 20) return TEENS[number - 10] ?? ''
  if (number < 100) return [TENS[Math.floor(number / 10)], number % 10 > 0 ? DIGITS[number % 10] : ''].join(' ').trim()
  if (number < 1_000) {
    const rest = number % 100
    return `${DIGITS[Math.floor(number / 100)]} hundred${rest > 0 ? ` ${wordsOf(rest)}` : ''}`
  }
  const rest = number % 1_000
  return `${wordsOf(Math.floor(number / 1_000))} thousand${rest > 0 ? ` ${wordsOf(rest)}` : ''}`
}

describe('an amount of money', () => {
  const cents = fc.integer({ min: 0, max: 99_999_999 })
  const inWords = (amount: number): string => {
    const rest = amount % 100
    return `${wordsOf(Math.floor(amount / 100))} dollars${rest > 0 ? ` and ${wordsOf(rest)} cents` : ''}`
  }
  const inFigures = (amount: number): string =>
    `$${Math.floor(amount / 100).toLocaleString('en')}.${String(amount % 100).padStart(2, '0')}`

  test.each([
    ['in words with its units', inWords],
    ['in figures', inFigures],
    ['in cents alone', String],
  ])('%s', (_, say) => {
    const said = cents.map((amount) => [say(amount), amount] as const)
    expect(shareUnderstood(said, spokenCents)).toBeGreaterThan(MOSTLY)
  })

  test('without a unit is no other amount than its own', () => {
    const said = cents.map((amount) => [wordsOf(Math.floor(amount / 100)), Number.NaN] as const)
    expect(shareUnderstood(said, spokenCents)).toBe(0)
  })
})

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const NATO =
  `alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo
  sierra tango uniform victor whiskey xray yankee zulu`.split(/\s+/)
const EXAMPLES =
  `apple boy cat dog easy frank george henry ida john king larry mary nancy orange peter queen robert sam tom
  umbrella victor william xylophone yellow zebra`.split(/\s+/)

/** A character of an id as a caller may say it. */
const saidCharacter = fc.oneof(
  fc.nat({ max: 9 }).map((digit) => [DIGITS[digit] ?? '', String(digit)] as const),
  fc
    .tuple(fc.nat({ max: 25 }), fc.constantFrom('letter', 'nato', 'example'))
    .map(([index, how]): readonly [string, string] => {
      const letter = LETTERS[index] ?? ''
      // A lone "o" beside figures is a zero.
      const said = {
        letter: letter === 'o' ? 'oscar' : letter,
        nato: NATO[index] ?? '',
        example: `${letter} as in ${EXAMPLES[index]}`,
      }[how]
      return [said ?? '', letter.toUpperCase()]
    }),
)

test('a member id that is spelled', () => {
  const said = fc
    .array(saidCharacter, { minLength: 4, maxLength: 14 })
    .map(
      (characters) => [characters.map(([word]) => word).join(' '), characters.map(([, one]) => one).join('')] as const,
    )
  expect(shareUnderstood(said, spokenIdentifier)).toBeGreaterThan(0.8)
})

test('a last name that is spelled letter by letter', () => {
  const said = fc.array(fc.constantFrom(...LETTERS), { minLength: 3, maxLength: 12 }).map((letters) => {
    const [first = '', ...rest] = letters
    return [letters.join(' ').toUpperCase(), `${first.toUpperCase()}${rest.join('')}`] as const
  })
  expect(shareUnderstood(said, (text) => spokenName(text, 'family'))).toBeGreaterThan(MOSTLY)
})

describe('consent', () => {
  const yes = fc.constantFrom(
    'yes',
    'yeah',
    'sure',
    'okay',
    'of course',
    'absolutely',
    'i do',
    'go ahead',
    'sounds good',
  )
  const no = fc.constantFrom('no', 'nope', 'no thanks', 'please do not', "i'd rather not", 'not at all thanks')
  const polite = fc.constantFrom('', ' please', ' thanks', ', sir')
  const withEnding = (answer: fc.Arbitrary<string>, meant: boolean) =>
    fc.tuple(answer, polite).map(([words, ending]) => [`${words}${ending}`, meant] as const)

  test('a plain answer is that answer', () => {
    expect(shareUnderstood(withEnding(yes, true), spokenConsent)).toBeGreaterThan(MOSTLY)
    expect(shareUnderstood(withEnding(no, false), spokenConsent)).toBeGreaterThan(MOSTLY)
  })

  test('both answers, a condition or a hedge are never a yes', () => {
    const doubtful = fc.oneof(
      fc.tuple(yes, no).map(([one, other]) => `${one} but ${other}`),
      fc.tuple(no, yes).map(([one, other]) => `${one}, well ${other} to my sister`),
      fc
        .tuple(yes, fc.constantFrom('if it is free', 'only by letter', 'maybe', 'unless it is sales', 'i guess not'))
        .map(([one, more]) => `${one} ${more}`),
    )
    fc.assert(
      fc.property(doubtful, (text) =>
        expect([text, spokenConsent(text)]).not.toEqual([text, { ok: true, value: true }]),
      ),
    )
  })
})
