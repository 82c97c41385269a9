/** How much one query may ask: each alone may be little, all together are what an engine works through. */
import { badRequest } from '../../fhir/outcome.ts'
import { MOST_VALUES_OF_ONE, splitUnescaped } from '../value.ts'
import { type Filter, parseFilterSyntax } from './filter-syntax.ts'
import { isRepeatable, isResultParameter } from './result-parameters.ts'

/** Parameters in one query. */
const MOST_PARAMETERS = 60
/** `_include` and `_revinclude` in one query, each `*` counted once. */
const MOST_INCLUDES = 20
/** Values of all parameters of a query, and tests of its filters. Engines take longer for each the more there are. */
const MOST_VALUES = 500

type Pairs = readonly (readonly [string, string])[]

/** @throws FhirError 400 that says what there is too much of */
export function checkExtent(pairs: Pairs): void {
  atMost(pairs.length, MOST_PARAMETERS, 'parameters')
  atMost(pairs.filter(([name]) => isRepeatable(name)).length, MOST_INCLUDES, 'includes')
  const values = pairs.map(([name, value]) => (isResultParameter(name) ? 0 : valuesIn(name, value)))
  atMost(sum(values), MOST_VALUES, 'values, tests of _filter counted')
}

function atMost(number: number, most: number, what: string): void {
  if (number > most) throw badRequest(`The query has ${number} ${what}; ${most} are the most`)
}

/** `_filter` stands alone or at the end of a chain. Who has too many values alone is told so by name. */
const valuesIn = (name: string, value: string): number =>
  /(^|[.:])_filter$/.test(name) && value !== ''
    ? testsIn(parseFilterSyntax(value))
    : Math.min(splitUnescaped(value, ',').length, MOST_VALUES_OF_ONE)

function testsIn(filter: Filter): number {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return sum(filter.of.map(testsIn))
    case 'not':
      return testsIn(filter.of)
    case 'test':
      return 1 + sum(filter.path.map(({ where }) => (where === undefined ? 0 : testsIn(where))))
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)
