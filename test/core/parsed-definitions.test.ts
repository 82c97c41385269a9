/** The definitions that one question draws on are bounded together. */
import { expect, test } from '@jest/globals'
import { limitedDefinitions } from '../../src/core/parsed-definitions.ts'
import { BudgetError } from '../../src/isolation/budget.ts'

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
