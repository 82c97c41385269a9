/** The definitions that one question draws on are bounded together. */
import { describe, expect, test } from '@jest/globals'
import { limitedDefinitions, parsedOnce } from '../../src/core/terminology.ts'
import { BudgetError } from '../../src/isolation/budget.ts'
import { Versioned } from '../../src/repository/repository.ts'

const MEBI = 1024 * 1024
const definition = { text: 'x'.repeat(16 * MEBI) }

test('64 Mi characters of definitions are taken together, whatever the number of searches; one more is refused', () => {
  const limited = limitedDefinitions()
  expect(limited([definition, definition])).toHaveLength(2)
  expect(limited([definition, definition])).toHaveLength(2)
  expect(() => limited([{ text: 'x' }])).toThrow(BudgetError)
})

test('each question has its own limit', () => {
  for (let question = 1; question <= 5; question++) expect(limitedDefinitions()([definition])).toHaveLength(1)
})

describe('a definition that a clinic has stored', () => {
  const stored = (id: string, length = 100) => {
    const text = JSON.stringify({ resourceType: 'ValueSet', id }).padEnd(length)
    return new Versioned({ type: 'ValueSet', id, version: 1, lastUpdated: 0, method: 'PUT', text })
  }

  test('is the same object for the same text, but not in another clinic', () => {
    const parsed = parsedOnce(200)
    const first = parsed('a', stored('1'))
    expect(parsed('a', stored('1'))).toBe(first)
    expect(parsed('b', stored('1'))).not.toBe(first)
    expect(parsed('a', stored('1', 101))).not.toBe(first)
  })

  test('stays parsed while those that were read last have no more characters than are kept', () => {
    const parsed = parsedOnce(200)
    const [a, b] = [parsed('a', stored('a')), parsed('a', stored('b'))]
    expect(parsed('a', stored('a'))).toBe(a)
    parsed('a', stored('c', 80))
    expect(parsed('a', stored('a'))).toBe(a)
    expect(parsed('a', stored('b'))).not.toBe(b)
  })

  test('is not kept when it alone has more characters, nor is its earlier text', () => {
    const parsed = parsedOnce(200)
    const before = parsed('a', stored('a'))
    const heavier = parsed('a', stored('a', 201))
    expect(parsed('a', stored('a', 201))).not.toBe(heavier)
    expect(parsed('a', stored('a'))).not.toBe(before)
  })
})
