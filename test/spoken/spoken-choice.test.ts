/** Which of the names that there are a caller means. */
import { describe, expect, test } from '@jest/globals'
import { chooseSpoken, isNamed } from '../../src/spoken/spoken-choice.ts'

const PEOPLE = ['Dr. Amara Okafor', 'Dr. Daniel Lindqvist', 'Rosa Delgado', 'Dr. Daniel Núñez', "Dr. Mary O'Brien"]
const TYPES = ['Check-up', 'Follow-up visit', 'General Practice', 'Immunization', 'Urgent Care']

const names = (indexes: readonly number[], all: readonly string[]) => indexes.map((index) => all[index])

describe('is certain where all words are in the name', () => {
  test.each([
    ['Okafor', 'Dr. Amara Okafor'],
    ['doctor okafor', 'Dr. Amara Okafor'],
    ['with Amara, please', 'Dr. Amara Okafor'],
    ['OKAFOR AMARA', 'Dr. Amara Okafor'],
    ['nurse Delgado', 'Rosa Delgado'],
    ['nunez', 'Dr. Daniel Núñez'],
    ['Dr. Obrien', "Dr. Mary O'Brien"],
  ])('%s', (said, name) => {
    expect(names(chooseSpoken(said, PEOPLE).certain, PEOPLE)).toEqual([name])
  })

  test.each([
    ['a checkup', 'Check-up'],
    ['check up', 'Check-up'],
    ['a follow up', 'Follow-up visit'],
    ['general', 'General Practice'],
    ['urgent care', 'Urgent Care'],
  ])('%s', (said, name) => {
    expect(names(chooseSpoken(said, TYPES).certain, TYPES)).toEqual([name])
  })

  test('for each of several', () => {
    expect(names(chooseSpoken('doctor Daniel', PEOPLE).certain, PEOPLE)).toEqual([
      'Dr. Daniel Lindqvist',
      'Dr. Daniel Núñez',
    ])
  })

  test('and the very same name alone, where another one holds it', () => {
    const all = ['Riverside', 'Riverside North']
    expect(names(chooseSpoken('the Riverside office', all).certain, all)).toEqual(['Riverside'])
  })
})

describe('a name that may be ruled out, or said with a remark, is never certain', () => {
  test.each([
    ...[
      'no Okafor',
      'no Dr. Okafor please',
      "I don't want Okafor",
      "don't mind Okafor",
      'not Okafor',
      'anyone but Okafor',
    ],
    ...['any doctor except Okafor', 'Okafor only', 'Okafor one word', 'Okafor now Smith', 'somebody other than Okafor'],
  ])('%s', (said) => {
    expect(chooseSpoken(said, PEOPLE)).toEqual({ certain: [], similar: [0] })
  })

  test('where a name has such a word it is that name', () => {
    const all = ['Dr. No Kim', 'Dr. Ann Kim']
    expect(names(chooseSpoken('doctor No Kim', all).certain, all)).toEqual(['Dr. No Kim'])
  })
})

describe('is similar, and nothing is certain', () => {
  test.each([
    ['where it sounds alike', 'Oakafor', ['Dr. Amara Okafor']],
    ['where a letter is another one', 'Lindquist', ['Dr. Daniel Lindqvist']],
    ['where some of the words are in the name', 'Daniel Smith', ['Dr. Daniel Lindqvist', 'Dr. Daniel Núñez']],
  ])('%s', (_why, said, expected) => {
    const { certain, similar } = chooseSpoken(said, PEOPLE)
    expect([certain, names(similar, PEOPLE)]).toEqual([[], expected])
  })
})

test.each(['Smith', 'doctor', '', '!?', 'x'.repeat(10_000)])('is nobody: %j', (said) => {
  expect(chooseSpoken(said, PEOPLE)).toEqual({ certain: [], similar: [] })
})

test.each([
  ['Smith', true],
  ['doctor Smith', true],
  ['any doctor', false],
  ['anybody', false],
  ["I don't mind", false],
  ['', false],
])('%j names somebody: %j', (said, named) => {
  expect(isNamed(said)).toBe(named)
})
