/** E-mail addresses as callers say and spell them. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { spokenEmail } from '../../src/spoken/spoken-email.ts'
import { ENDLESS, heardValue } from './support.ts'

const value = (text: string) => heardValue(spokenEmail(text))

describe('an e-mail address that is understood', () => {
  test.each([
    ['john.doe@gmail.com', 'john.doe@gmail.com'],
    ['John.Doe@Gmail.COM', 'John.Doe@gmail.com'],
    ['mailto:john.doe@gmail.com', 'john.doe@gmail.com'],
    ['<john.doe@gmail.com>', 'john.doe@gmail.com'],
    ['john.doe@gmail.com.', 'john.doe@gmail.com'],
    ['john dot doe at gmail dot com', 'john.doe@gmail.com'],
    ['John dot Doe at Gmail dot com.', 'john.doe@gmail.com'],
    ['john.doe at gmail.com', 'john.doe@gmail.com'],
    ['john dot doe @ gmail dot com', 'john.doe@gmail.com'],
    ['john.doe @gmail .com', 'john.doe@gmail.com'],
    ['my email is john dot doe at gmail dot com, thank you', 'john.doe@gmail.com'],
    ["um, it's john at sign example dot org", 'john@example.org'],
    ['email address: john at example dotcom', 'john@example.com'],
    ['j o h n underscore doe at example dot co dot uk', 'john_doe@example.co.uk'],
    ['j o h n under score d o e at example dot co uk', 'john_doe@example.co.uk'],
    ['J-O-H-N at example dot com', 'john@example.com'],
    ['J. O. H. N. at example dot com', 'john@example.com'],
    ['mary hyphen ann at my dash mail dot com', 'mary-ann@my-mail.com'],
    ['a as in apple n for november n like nancy a at example dot com', 'anna@example.com'],
    ['A as in apple, B for bravo, at example dot com', 'ab@example.com'],
    ['juliett oscar hotel november at example dot com', 'john@example.com'],
    ['mike dot smith at example dot com', 'mike.smith@example.com'],
    ['john one two three at example dot com', 'john123@example.com'],
    ['john double two at example dot com', 'john22@example.com'],
    ['john nineteen eighty at example dot com', 'john1980@example.com'],
    ['john ninety-nine at example dot com', 'john99@example.com'],
    ['john two thousand and one at example dot com', 'john2001@example.com'],
    ['agent oh oh seven at example dot com', 'agent007@example.com'],
    ['b oh b at example dot com', 'bob@example.com'],
    ['b o b at example dot com', 'bob@example.com'],
    ['john plus clinic at example dot com', 'john+clinic@example.com'],
    ['double u two at example dot com', 'w2@example.com'],
    ['all lowercase john at example dot com', 'john@example.com'],
  ])('%s', (text, expected) => expect(value(text)).toBe(expected))
})

describe('an e-mail address that is refused says what would be right', () => {
  test.each([
    ['', /missing/],
    ['john dot doe', /has no "at"/],
    ['john at doe at gmail dot com', /more than one "at"/],
    ['john@doe@gmail.com', /more than one "at"/],
    ['john at gmail', /not a valid e-mail/],
    ['at gmail dot com', /not a valid e-mail/],
    ['john..doe@gmail.com', /not a valid e-mail/],
    ['john dot dot doe at gmail dot com', /not a valid e-mail/],
    ['john@-gmail.com', /not a valid e-mail/],
    ['not-an-email', /has no "at"/],
    [`${'a'.repeat(65)}@example.com`, /not a valid e-mail/],
  ])('%s', (text, message) => {
    expect(value(text)).toMatch(/^error: .*for example/)
    expect(value(text)).toMatch(message)
  })
})

const DIGIT_WORDS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const NATO =
  'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu'.split(
    ' ',
  )
const SIGNS: Record<string, string> = { '.': 'dot', _: 'underscore', '-': 'dash', '+': 'plus' }

/** One stretch between signs: spelled by letters, with "as in", in NATO letters, or as the word it is. */
function sayStretch(text: string, style: readonly number[]): string {
  const [how = 0] = style
  if (how % 4 === 0 && /^[a-z]{3,}$/.test(text))
    return [...text].map((letter) => NATO[letter.charCodeAt(0) - 97]).join(' ')
  return [...text]
    .map((character, index) => {
      if (/\d/.test(character)) return (style[index] ?? 0) % 2 === 0 ? DIGIT_WORDS[Number(character)] : character
      const word = NATO[character.charCodeAt(0) - 97]
      return [character, character.toUpperCase(), `${character} as in ${word}`, `${character} for ${word},`][
        (style[index] ?? 0) % 4
      ]
    })
    .join(' ')
}

test('an address said in random style comes back, or is asked back where it is not certain', () => {
  let asked = 0
  const stretch = fc.stringMatching(/^[a-z][a-z\d]{0,7}$/)
  const sign = fc.constantFrom(...Object.keys(SIGNS))
  const styles = fc.array(fc.nat(11), { minLength: 8, maxLength: 8 })
  fc.assert(
    fc.property(
      stretch,
      sign,
      stretch,
      stretch,
      fc.constantFrom('com', 'org', 'co.uk'),
      styles,
      (one, mark, two, host, zone, style) => {
        const said = `${sayStretch(one, style)} ${SIGNS[mark]} ${sayStretch(two, style)} at ${sayStretch(host, style)} dot ${zone.replace('.', ' dot ')}`
        const heard = spokenEmail(said)
        asked += heard.ok ? 0 : 1
        if (heard.ok) expect(heard.value).toBe(`${one}${mark}${two}@${host}.${zone}`)
      },
    ),
    { numRuns: 500 },
  )
  expect(asked).toBeLessThan(100)
})

test('an address typed plainly comes back with its domain in lower case', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Za-z][A-Za-z\d_+-]{0,10}$/),
      fc.stringMatching(/^[A-Za-z]{2,8}\.(com|ORG)$/),
      (local, domain) => {
        expect(spokenEmail(`${local}@${domain}`)).toEqual({ ok: true, value: `${local}@${domain.toLowerCase()}` })
      },
    ),
  )
})

test.each(ENDLESS)('a text that is no value of this kind, however long, is refused', (text) =>
  expect(spokenEmail(text).ok).toBe(false),
)
