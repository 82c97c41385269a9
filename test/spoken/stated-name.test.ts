/** Names as callers state them, beside the names on a record. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { spokenName } from '../../src/spoken/spoken-name.ts'
import { hasStatedName, statedName } from '../../src/spoken/stated-name.ts'

const same = (stated: string, family: string, ...given: string[]): boolean =>
  hasStatedName(statedName(stated), { name: [{ family, given }] })

describe('a stated name is the name on the record', () => {
  test.each([
    ['John Smith', 'Smith', ['John']],
    ['Smith John', 'Smith', ['John']],
    ['Smith, John', 'Smith', ['John']],
    ['JOHN SMITH', 'Smith', ['John']],
    ['Mr. John Smith', 'Smith', ['John']],
    ['my name is John Smith', 'Smith', ['John']],
    ["It's John Smith", 'Smith', ['John']],
    ['John Michael Smith', 'Smith', ['John']],
    ['John M. Smith', 'Smith', ['John', 'Michael']],
    ['John Smith', 'Smith', ['John', 'Michael']],
    ['Jose Garcia', 'García', ['José']],
    ["Mary O'Brien", 'OBrien', ['Mary']],
    ['Mary Ann Jones', 'Jones', ['Mary Ann']],
    ['Maria de la Cruz', 'de la Cruz', ['Maria']],
    ['de la Cruz, Maria', 'de la Cruz', ['Maria']],
    ['Anna Meyer-Schmidt', 'Meyer Schmidt', ['Anna']],
    ['Smith', 'Smith', ['John']],
    ['It is John', 'Smith', ['John', 'Michael']],
  ])('%s is %s, %s', (stated, family, given) => {
    expect(same(stated, family, ...given)).toBe(true)
  })
})

describe('a generation suffix', () => {
  test.each([
    ['James Whitaker Junior', 'Jr.', true],
    ['James Whitaker Jr.', 'Sr.', false],
    ['James Whitaker', 'Sr.', true],
    ['Whitaker, James III', 'III', true],
  ])('%s beside a record with the suffix %s: %s', (stated, suffix, expected) => {
    expect(
      hasStatedName(statedName(stated), { name: [{ family: 'Whitaker', given: ['James'], suffix: [suffix] }] }),
    ).toBe(expected)
  })
})

describe('a stated name is not the name on the record', () => {
  test.each([
    ['Michael', 'Smith', ['John', 'Michael']],
    ['Smit', 'Smith', ['John']],
    ['Jane Smith', 'Smith', ['John']],
    ['John Smithson', 'Smith', ['John']],
    ['John Paul Smith', 'Smith', ['John', 'Michael']],
    ['J Smith', 'Smith', ['John']],
    ['', 'Smith', ['John']],
    ['!?', 'Smith', ['John']],
  ])('%s is not %s, %s', (stated, family, given) => {
    expect(same(stated, family, ...given)).toBe(false)
  })

  test('of a record without family or without given name', () => {
    const names = [{ family: 'Smith' }, { given: ['John'] }]
    expect(hasStatedName(statedName('John Smith'), { name: names })).toBe(false)
  })
})

test.each(['John Smith', 'Smith, John', 'john m smith'])(
  '%s is the name that a record holds as a text only',
  (stated) => {
    expect(hasStatedName(statedName(stated), { name: [{ text: 'John Smith' }] })).toBe(true)
    expect(hasStatedName(statedName(stated), { name: [{ text: 'Jane Smith' }] })).toBe(false)
  },
)

/** Every reading: given names, a bar and the family name. */
const readings = (stated: string): readonly string[] =>
  statedName(stated).map(({ given, family, suffixes }) =>
    [`${given.join(' ')}|${family}`, ...suffixes].join(' ').replace(/^\|/, ''),
  )

describe('what a caller says is read as a name, the likeliest reading first', () => {
  test.each([
    // Said before and after it.
    ['Jane Doe', 'jane|doe'],
    ['my name is Jane Doe', 'jane|doe'],
    ['yes it is Jane Doe', 'jane|doe'],
    ['this is Jane Doe speaking', 'jane|doe'],
    ["Yeah, it's Jane Doe.", 'jane|doe'],
    ['Yep, Jane Doe', 'jane|doe'],
    ['Sure. Jane Doe', 'jane|doe'],
    ['Um, Jane Doe', 'jane|doe'],
    ['uh Jane Doe here', 'jane|doe'],
    ["Well, my name's Jane Doe", 'jane|doe'],
    ['my names Jane Doe', 'jane|doe'],
    ['Hello, this is Jane Doe calling', 'jane|doe'],
    ["Hi, I'm Jane Doe, please", 'jane|doe'],
    ["Hey it's Jane Doe", 'jane|doe'],
    ['its Jane Doe', 'jane|doe'],
    ['Good morning, my full name is Jane Doe, thank you', 'jane|doe'],
    ["the name's Doe, Jane Doe", 'jane|doe'],
    ["that's Jane Doe", 'jane|doe'],
    ['Jane Doe is my name', 'jane|doe'],
    ['Yes speaking, this is she, Jane Doe', 'jane|doe'],
    ["No, it's Jane Doe", 'jane|doe'],
    ['uh my name is uh Jane uh Doe', 'jane|doe'],
    ['You can call me Jane', 'jane'],
    ['first and last name is Jane Doe', 'jane|doe'],
    ["I am Jane Doe and I'd like to book an appointment", 'jane|doe'],
    ['I want to book a visit, my name is Jane Doe', 'jane|doe'],
    ['Jane Doe, my date of birth is March third', 'jane|doe'],
    ['Jane Doe from Springfield', 'jane|doe'],
    ['this is the patient, Jane Doe', 'jane|doe'],
    // Spelled.
    ['S M I T H', 'smith'],
    ['s m i t h', 'smith'],
    ['S-M-I-T-H', 'smith'],
    ['S.M.I.T.H.', 'smith'],
    ['S, M, I, T, H', 'smith'],
    ["it's spelled S M I T H", 'smith'],
    ['capital S M I T H', 'smith'],
    ['John S M I T H', 'john|smith'],
    ['J-O-H-N S-M-I-T-H', 'john|smith'],
    ['John Smith, S M I T H', 'john|smith'],
    ['Jon, J O N, Smith, S M I T H', 'smith|jon'],
    ['Smith spelled S M I T H', 'smith'],
    ['Smith as in S M I T H', 'smith'],
    ["John Smith, that's S M Y T H E", 'john|smythe'],
    ['John Smit spelled S C H M I D T', 'john|schmidt'],
    ['John Smith S M Y T H', 'john|smyth'],
    ['John Smith, J O N S M Y T H', 'jon|smyth'],
    ['S M I T H, Smith', 'smith'],
    ['S as in Sam, M as in Mary, I as in ice, T as in Tom, H as in Harry', 'smith'],
    ['John Smith, S as in Sam, M as in Mary, I, T, H', 'john|smith'],
    ['T for Tango, O for Oscar, M for Mike', 'tom'],
    ['Kelly, K E double L Y', 'kelly'],
    ['Sierra Mike India Tango Hotel', 'smith'],
    ['Schmit, Sierra Mike India Tango Hotel', 'smith'],
    ["O'Brien, O apostrophe B R I E N", 'o brien'],
    ['Anna Müller, M U E L L E R', 'anna|mueller'],
    ['de la Cruz, D E L A C R U Z', 'de|la cruz'],
    ['Catherine with a C Smith', 'catherine|smith'],
    ['Amy Ng, N G', 'amy|ng'],
    // Parts by their names.
    ['last name Smith first name John', 'john|smith'],
    ['my first name is John and my last name is Smith', 'john|smith'],
    ['John, last name Smith', 'john|smith'],
    ['Smith, first name John', 'john|smith'],
    ['John is my first name and Smith is my last name', 'john|smith'],
    ['first name J O H N last name S M I T H', 'john|smith'],
    ['John Smith, last name spelled S M Y T H', 'john|smyth'],
    ['given name Anna Maria, family name Lopez Garcia', 'anna maria|lopez garcia'],
    ['first name Mary, middle name Ann, last name Smith', 'mary ann|smith'],
    ['last name Smith', 'smith'],
    ['Jane Doe, last name', 'jane|doe'],
    ['surname de la Cruz', 'de la cruz'],
    // Order, particles, initials, titles and suffixes.
    ['Smith, John', 'john|smith'],
    ['Smith comma John', 'john|smith'],
    ['de la Cruz, Maria', 'maria|de la cruz'],
    ['Maria de la Cruz', 'maria|de la cruz'],
    ['Mary O\u2019Brien', 'mary|o brien'],
    ['Jean-Luc Picard', 'jean luc|picard'],
    ['Smith-Jones, Anna', 'anna|smith jones'],
    ['Smith hyphen Jones, Anna', 'anna|smith jones'],
    ['J Smith', 'j|smith'],
    ['J. Smith', 'j|smith'],
    ['José Núñez', 'jose|nunez'],
    ['Mr. John Smith Jr.', 'john|smith jr'],
    ['Smith Jr., John', 'john|smith jr'],
    ['John Smith the third', 'john|smith iii'],
    ['Dr. Jane Doe, PhD', 'jane|doe'],
    ['Mister Smith', 'smith'],
    ['Bond, James Bond', 'james|bond'],
  ])('%s: %s', (stated, expected) => {
    expect(readings(stated)[0]).toBe(expected)
  })
})

describe('a word that may be a name stays one', () => {
  test.each([
    ['Will May', ['will|may']],
    ['May', ['may']],
    ['Sure', ['sure']],
    ['Hi', ['hi']],
    ['Hy Gardner', ['hy|gardner']],
    ['Miss', ['miss']],
    ['Max Born', ['max|born']],
    ['Kevin So', ['kevin|so']],
    ['Sandra Oh', ['sandra|oh']],
    ['Victor Mike', ['victor|mike']],
    ['John Senior', ['john sr', 'john|senior']],
  ])('%s: %j', (stated, expected) => {
    expect(readings(stated)).toEqual(expected)
  })

  test.each([
    ['So Young Kim', ['young|kim', 'so|young kim', 'so young|kim']],
    ['um Smith', ['smith', 'um|smith']],
    ['Well So', ['so', 'well|so']],
    ['um So Young Kim', ['young|kim', 'so|young kim']],
    ['Victor Mike Oscar', ['vmo', 'victor|mike oscar', 'victor mike|oscar']],
    ['Dana D E A N', ['dean', 'dana|dean']],
    ['Lee Anne L I U', ['liu|anne', 'lee anne|liu']],
    ['John Win N G U Y E N', ['john win|nguyen', 'john|nguyen']],
    ['Amy N G', ['amy|ng', 'amy|n g']],
    ['J. R. Smith', ['j r|smith']],
    ['J A N E D O E', ['janedoe', 'jane|doe']],
    ['Mary Ann Smith', ['mary|ann smith', 'mary ann|smith']],
    ['de la Cruz Maria', ['maria|de la cruz']],
  ])('where it is not certain, each reading is one: %s', (stated, expected) => {
    expect(readings(stated)).toEqual(expect.arrayContaining(expected))
  })
})

describe('a remark about a name', () => {
  test.each([
    ['Maria Reyes Ortiz hyphenated', 'maria|reyes ortiz'],
    ['last name Reyes Ortiz hyphenated, first name Maria', 'maria|reyes ortiz'],
    ['Jane Lee only', 'jane|lee'],
    ['Jane Only', 'jane|only'],
    ['Jane Smith, one word', 'jane|smith'],
    ['Jane Vandyke all one word', 'jane|vandyke'],
    ['Jane Van Dyke one word', 'jane|van dyke'],
    ['Jane Van Dyke two words', 'jane|van dyke'],
    ['Jane Smith MD', 'jane|smith'],
    ['Dr. Jane Smith, RN', 'jane|smith'],
    ['Captain Jane Smith', 'jane|smith'],
    ['Jane Smith, no middle name', 'jane|smith'],
    ['Jane Smith spelled the usual way', 'jane|smith'],
    ["Jane O'Brien with an apostrophe", 'jane|o brien'],
    ['my last name is Now and my first name is Jane', 'jane|now'],
    ['Jane N O W', 'jane|now'],
    ['John Major', 'john|major'],
    ['Dean Martin', 'dean|martin'],
  ])('is no part of it: %s', (stated, expected) => expect(readings(stated)).toContain(expected))

  test.each([
    'Jane Smith now Jones',
    'Jane Smith formerly Jones',
    'Jane Smith née Jones',
    'Jane Smith aka Jones',
    'Jane Smith goes by Janie',
    'Jane Smith but everyone calls me Janie',
    'Jane Smith, Janie for short',
    'Jane Rivers like the river',
    'Jane Smith lowercase',
    'Jane Smith by marriage',
    'last name Smith now Jones, first name Jane',
  ])('that leaves more than one name is asked back: %s', (stated) => expect(statedName(stated)).toEqual([]))

  test('is read by the same rule in a part of a name and in a whole one', () => {
    const NOTES = ['', ' MD', ', M.D.', ', RN', ' one word', ', just that', ' the usual way', ', no middle initial']
    const REMARKS = [' now Jones', ', formerly Jones', ' like the river', ' lowercase', ' silent h', ' question mark']
    for (const family of ['Smith', 'Vandyke', 'Ng', "O'Brien", 'Major', 'Short']) {
      const whole = `jane|${family.toLowerCase().replace("'", ' ')}`
      for (const note of NOTES) {
        expect(spokenName(`${family}${note}`, 'family')).toEqual({ ok: true, value: family })
        expect(readings(`Jane ${family}${note}`)).toContain(whole)
      }
      for (const remark of REMARKS) {
        expect(spokenName(`${family}${remark}`, 'family').ok).toBe(false)
        expect(statedName(`Jane ${family}${remark}`)).toEqual([])
      }
    }
  })
})

test.each(['', ' ', '!?', '...', 'my name is', "Hi, it's", 'this is, uh'])('%j holds no name', (stated) => {
  expect(statedName(stated)).toEqual([])
})

describe('any name within any words around it', () => {
  const FAMILIES = [
    ...[
      "O'Brien",
      'Smith',
      'Smith-Jones',
      'García',
      'de la Cruz',
      'van der Berg',
      'Nguyen',
      'Ng',
      'Li',
      'Young',
      'Good',
    ],
    ...['May', 'Oh', 'So', 'Sure', 'Senior', 'Nameth', 'Isherwood', 'Hiatt', 'Callingham', 'Hereford', 'Spelling'],
  ]
  const GIVEN = ['Jane', 'John', 'Jean-Luc', 'José', 'Will', 'May', 'Mary Ann', 'Hy', 'Ian', 'Ayesha', 'Yesenia']
  const BEFORE = [
    ...[
      '',
      'my name is ',
      "my name's ",
      'My full name is ',
      'the name is ',
      "it's ",
      'it is ',
      'this is ',
      "I'm ",
      'I am ',
    ],
    ...[
      "that's ",
      'yes ',
      'yeah, ',
      'yep ',
      'uh ',
      'um ',
      'um, ',
      'well, ',
      'sure, ',
      'hello ',
      'hi, this is ',
      "hey it's ",
    ],
    ...[
      'good morning, my name is ',
      'yes, uh, it is ',
      "okay so it's ",
      'Mrs. ',
      'this is Dr. ',
      'you are speaking with ',
    ],
  ]
  const AFTER = [
    ...[
      '',
      '.',
      ' speaking',
      ' here',
      ' calling',
      ', please',
      ' please',
      ', thanks',
      ', thank you',
      " and I'd like to book",
    ],
    ...[', yes', ' is my name', ', my number is 555', ' on the line', ', calling about a bill', '!'],
  ]
  const said = (text: string): string => readings(text.replaceAll("'", ' ').replaceAll('-', ' '))[0] ?? ''
  const folded = (name: string): string => said(name).replace('|', ' ')

  test('is among the readings', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...GIVEN),
        fc.constantFrom(...FAMILIES),
        fc.constantFrom(...BEFORE),
        fc.constantFrom(...AFTER),
        (given, family, before, after) => {
          const expected = `${folded(given)}|${folded(family)}`
          const found = readings(`${before}${given} ${family}${after}`).map((name) => name.replaceAll(/ (?:sr)$/g, ''))
          expect(found).toContain(expected)
        },
      ),
      { numRuns: 2000 },
    )
  })

  test('is among them when it is spelled, too', () => {
    const SPELLABLE = FAMILIES.filter((family) => /^[A-Z][a-z]{2,}$/.test(family))
    fc.assert(
      fc.property(
        fc.constantFrom('Jane', 'Ayesha', 'Yesenia'),
        fc.constantFrom(...SPELLABLE),
        fc.constantFrom(...BEFORE.filter((before) => !before.includes('.'))),
        fc.constantFrom(' ', '-', '. ', ', '),
        fc.constantFrom(', ', ' spelled ', ", that's ", ' '),
        (given, family, before, between, announced) => {
          const spelled = [...family.toUpperCase()].join(between)
          const expected = `${given.toLowerCase()}|${family.toLowerCase()}`
          expect(readings(`${before}${given} ${spelled}`)).toContain(expected)
          expect(readings(`${before}${given} ${family}${announced}${spelled}`)).toContain(expected)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('has no letter that was not said, in no other order', () => {
    const SAID = ['my name is', 'this is', 'yes', 'um', ',', 'Jane', "O'Brien", 'S', 'M', 'S M I T H', 'J-O-N', 'Jr.']
    const MORE = [
      'spelled',
      'last name',
      'first name',
      'Sierra',
      'Mike',
      'Golf',
      'S as in Sam',
      'Dr.',
      'speaking',
      'and',
    ]
    const lettersOf = (text: string) =>
      text
        .normalize('NFKD')
        .toLowerCase()
        .replace(/[æœßþ]/g, (letter) => ({ æ: 'ae', œ: 'oe', ß: 'ss', þ: 'th' })[letter] ?? '')
        .replace(/[øłđðı]/g, (letter) => ({ ø: 'o', ł: 'l', đ: 'd', ð: 'd', ı: 'i' })[letter] ?? '')
        .replace(/[^\p{L}\p{N}]/gu, '')
    const isWithin = (name: string, text: string) => {
      let from = 0
      for (const letter of name) from = text.indexOf(letter, from) + 1 || Number.POSITIVE_INFINITY
      return Number.isFinite(from)
    }
    const words = fc.array(fc.oneof(fc.constantFrom(...SAID, ...MORE), fc.string({ maxLength: 8, unit: 'grapheme' })))
    fc.assert(
      fc.property(words, (said) => {
        const text = said.join(' ')
        for (const { given, family } of statedName(text)) {
          for (const name of [...given, family].flatMap((part) => part.split(' ')))
            expect(isWithin(lettersOf(name), lettersOf(text))).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
