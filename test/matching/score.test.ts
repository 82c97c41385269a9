/** Scores and grades: each row of the table in docs/operations/patient-match.md, and what speaks against. */
import { describe, expect, test } from '@jest/globals'
import type { Evidence } from '../../src/matching/compare.ts'
import { LEVELS, type Level, scoreOf } from '../../src/matching/score.ts'

const NOTHING: Evidence = {
  identifier: 'missing',
  family: 'missing',
  given: 'missing',
  birthDate: 'missing',
  phone: 'missing',
  email: 'missing',
  address: 'missing',
  gender: 'missing',
}
const NAME = { family: 'agree', given: 'agree' } as const
const BORN = { birthDate: 'agree' } as const
const PHONE = { phone: 'agree' } as const
const EMAIL = { email: 'agree' } as const
const ADDRESS = { address: 'agree' } as const
const IDENTIFIER = { identifier: 'agree' } as const

const scored = (evidence: Partial<Evidence>) => scoreOf({ ...NOTHING, ...evidence })

describe('the table of the documentation', () => {
  test.each<[string, Partial<Evidence>, number, string]>([
    ['an identifier with the name', { ...IDENTIFIER, ...NAME }, 0.99, 'certain'],
    ['an identifier with the birth date', { ...IDENTIFIER, ...BORN }, 0.99, 'certain'],
    ['name, birth date, phone and e-mail', { ...NAME, ...BORN, ...PHONE, ...EMAIL }, 0.95, 'certain'],
    ['name, birth date, phone and address', { ...NAME, ...BORN, ...PHONE, ...ADDRESS }, 0.95, 'certain'],
    ['name, birth date and e-mail', { ...NAME, ...BORN, ...EMAIL }, 0.8, 'certain'],
    ['name, birth date and address', { ...NAME, ...BORN, ...ADDRESS }, 0.8, 'certain'],
    ['name, birth date and phone', { ...NAME, ...BORN, ...PHONE }, 0.7, 'probable'],
    ['name and birth date', { ...NAME, ...BORN }, 0.6, 'probable'],
    ['an identifier alone', IDENTIFIER, 0.55, 'probable'],
    ['name and phone', { ...NAME, ...PHONE }, 0.55, 'probable'],
    ['name, phone and e-mail', { ...NAME, ...PHONE, ...EMAIL }, 0.65, 'probable'],
    ['name, phone, e-mail and address', { ...NAME, ...PHONE, ...EMAIL, ...ADDRESS }, 0.75, 'probable'],
    ['family name, birth date and phone', { family: 'agree', ...BORN, ...PHONE }, 0.5, 'possible'],
    ['given name, birth date and address', { given: 'agree', ...BORN, ...ADDRESS }, 0.5, 'possible'],
    ['name alone', NAME, 0.35, 'possible'],
    ['family name and birth date', { family: 'agree', ...BORN }, 0.35, 'possible'],
    ['phone alone', PHONE, 0.3, 'possible'],
    ['birth date and address', { ...BORN, ...ADDRESS }, 0.3, 'possible'],
    ['phone and e-mail', { ...PHONE, ...EMAIL }, 0.35, 'possible'],
    ['phone, e-mail and address', { ...PHONE, ...EMAIL, ...ADDRESS }, 0.4, 'possible'],
    ['family name and phone', { family: 'agree', ...PHONE }, 0.35, 'possible'],
    ['family name, phone and e-mail', { family: 'agree', ...PHONE, ...EMAIL }, 0.4, 'possible'],
    ['family name, phone, e-mail, address', { family: 'agree', ...PHONE, ...EMAIL, ...ADDRESS }, 0.45, 'possible'],
  ])('%s', (_what, evidence, score, grade) => {
    expect(scored(evidence)).toEqual({ score, grade })
  })

  test.each<[string, Partial<Evidence>]>([
    ['nothing', {}],
    ['a birth date alone', BORN],
    ['a family name alone', { family: 'agree' }],
    ['a given name and a birth date', { given: 'agree', ...BORN }],
    ['a gender', { gender: 'agree' }],
  ])('%s is no match', (_what, evidence) => {
    expect(scored(evidence)).toBeUndefined()
  })

  test('no row stands behind one that asks for less, so each can be reached', () => {
    const asksLess = (one: Level, other: Level) =>
      one.needs.every((clue) => other.needs.includes(clue)) && (one.contacts ?? 0) <= (other.contacts ?? 0)
    LEVELS.forEach((row, index) => {
      expect(LEVELS.slice(0, index).filter((earlier) => asksLess(earlier, row))).toEqual([])
    })
  })
})

describe('what speaks against', () => {
  const SURE = { ...NAME, ...BORN, ...EMAIL, ...PHONE }
  test.each<[string, Partial<Evidence>, number, string]>([
    ['a mistake in the family name', { family: 'close' }, 0.91, 'certain'],
    ['a mistake in the given name, as of twins', { given: 'close' }, 0.91, 'probable'],
    ['a mistake in the birth date', { birthDate: 'close' }, 0.91, 'probable'],
    ['another gender', { gender: 'differ' }, 0.87, 'probable'],
    ['another identifier', { identifier: 'differ' }, 0.87, 'probable'],
    ['another birth date', { birthDate: 'differ' }, 0.45, 'possible'],
    ['another given name', { given: 'differ' }, 0.35, 'possible'],
  ])('%s', (_what, evidence, score, grade) => {
    expect(scored({ ...SURE, ...evidence })).toEqual({ score, grade })
  })
})
