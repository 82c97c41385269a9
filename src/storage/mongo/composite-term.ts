/**
 * Conditions on composites: one item holds all parts of one repetition, and is found by its first values in one range.
 */

import { MaxKey } from 'mongodb'
import { type CompositeTests, compositeTests, type ValueTest } from '../composite-key.ts'
import type { Of } from '../conditions.ts'
import { successor } from '../conditions.ts'
import type { Filter } from './collections.ts'
import { startsWith } from './entry-terms.ts'
import { keyOf } from './index-entries.ts'
import { anyOf, indexedTerm, type Term } from './term.ts'

export const compositeTerm = (condition: Of<'composite'>): Term =>
  anyOf(compositeTests(condition).map((tests) => testsTerm(keyOf('composite', condition.param), tests)))

function testsTerm(k: string, tests: CompositeTests): Term {
  const { shape, text, more, low, rest } = tests
  return indexedTerm({
    k,
    v: { $gte: { shape, ...edge(tests, 'least') }, $lte: { shape, ...edge(tests, 'greatest') } },
    ...testOf('v.text', text),
    ...testOf('v.more', more),
    ...testOf('v.low', low),
    ...Object.assign({}, ...[...rest].map(([place, test]) => testOf(`rest.${place}`, test))),
  })
}

const END = new MaxKey()

/** An end of the index range: each equality narrows it, up to the first part without one. */
function edge({ text, more, low }: CompositeTests, end: 'least' | 'greatest'): Filter {
  const fields: Filter = {}
  for (const [name, test] of Object.entries({ text, more, low })) {
    if (test !== undefined && 'equals' in test) fields[name] = test.equals
    else return { ...fields, ...lastField(name, test, end) }
  }
  return fields
}

function lastField(
  name: string,
  test: Exclude<ValueTest, { equals: string }> | undefined,
  end: 'least' | 'greatest',
): Filter {
  const value = test === undefined ? undefined : end === 'least' ? leastOf(test) : greatestOf(test)
  if (end === 'least') return value === undefined ? {} : { [name]: value }
  return { [name]: value ?? END }
}

const leastOf = (test: Exclude<ValueTest, { equals: string }>): string | number | undefined =>
  'startsWith' in test ? test.startsWith : test.min
const greatestOf = (test: Exclude<ValueTest, { equals: string }>): string | number | undefined =>
  'startsWith' in test ? successor(test.startsWith) : test.max

function testOf(field: string, test: ValueTest | undefined): Filter {
  if (test === undefined) return {}
  if ('equals' in test) return { [field]: test.equals }
  if ('startsWith' in test) return { [field]: startsWith(test.startsWith) }
  return {
    [field]: {
      ...(test.min === undefined ? {} : { $gte: test.min }),
      ...(test.max === undefined ? {} : { $lte: test.max }),
    },
  }
}
