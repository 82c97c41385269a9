/** The conditions of a `_filter`, one for each of its tests. https://hl7.org/fhir/R4/search_filter.html#ops */
import { parseDateRange } from '../../fhir/dates.ts'
import { badRequest, FhirError, type Issue } from '../../fhir/outcome.ts'
import { fold } from '../../fhir/text-folding.ts'
import type { SearchParameter } from '../parameters.ts'
import type { Condition } from '../plan.ts'
import { dateCondition } from '../types/date.ts'
import { isText, parseTokenPart } from '../types/token.ts'
import { any, malformed, type ValueContext } from '../value.ts'
import { type Follow, parseChain, parseReverseChain } from './chain.ts'
import { type Filter, type Operator, type Path, parseFilterSyntax, type Test } from './filter-syntax.ts'
import { type Allowance, parameterFor, type SearchScope, spent } from './scope.ts'

/** Parses one `parameter=value` without a chain, as in a query. */
export type ReadParameter = (
  code: string,
  modifier: string | undefined,
  value: string,
  scope: SearchScope,
  context: ValueContext,
) => Condition

interface Reader {
  readonly read: ReadParameter
  readonly context: ValueContext
}

/** @throws FhirError 400, even for lenient requests: a filter without one of its tests would have another meaning */
export function parseFilterParameter(
  text: string,
  scope: SearchScope,
  context: ValueContext,
  allowance: Allowance,
  read: ReadParameter,
): Condition {
  const filter = parseFilterSyntax(text)
  try {
    return conditionOf(filter, scope, { read, context }, allowance)
  } catch (error) {
    throw error instanceof FhirError ? new FhirError(error.status, error.issues.map(inFilter)) : error
  }
}

const inFilter = ({ reason: _reason, ...issue }: Issue): Issue => ({
  ...issue,
  diagnostics: issue.diagnostics.startsWith('_filter') ? issue.diagnostics : `_filter: ${issue.diagnostics}`,
})

function conditionOf(filter: Filter, scope: SearchScope, reader: Reader, allowance: Allowance): Condition {
  switch (filter.kind) {
    case 'and':
      return { kind: 'all', of: filter.of.map((part) => conditionOf(part, scope, reader, allowance)) }
    case 'or':
      return any(filter.of.map((part) => conditionOf(part, scope, reader, allowance)))
    case 'not':
      return { kind: 'not', of: conditionOf(filter.of, scope, reader, allowance) }
    case 'test':
      return follow(filter, filter.path, scope, reader, allowance)
  }
}

/** Follows the path to the resource that is tested. */
function follow(test: Test, path: Path, scope: SearchScope, reader: Reader, allowance: Allowance): Condition {
  const [step, ...rest] = path
  if (step === undefined) return { kind: 'all', of: [] }
  const context = { ...reader.context, name: `_filter at character ${test.at + 1}: ${step.name}` }
  const onwards =
    (steps: (named: string) => Path): Follow =>
    (named, types) => {
      const there = { ...scope, types }
      const reading = { ...reader, context: { ...context, types } }
      const next = spent(allowance, context)
      const condition = follow(test, steps(named), there, reading, next)
      if (step.where === undefined) return condition
      return { kind: 'all', of: [conditionOf(step.where, there, reading, next), condition] }
    }
  if (step.name.startsWith('_has:')) {
    return parseReverseChain(
      step.name,
      scope,
      context,
      onwards((named) => [{ name: named }, ...rest]),
    )
  }
  const [code = '', type, ...more] = step.name.split(':')
  if (more.length > 0 || (rest.length === 0 && type !== undefined)) {
    throw badRequest(`${context.name}: in a filter the operator says what a modifier would; leave ':${type}' out`)
  }
  if (rest.length === 0) return leaf(test, parameterFor(code, scope), scope, { ...reader, context })
  const named = rest.map(({ name }) => name).join('.')
  return parseChain(
    code,
    type,
    named,
    scope,
    context,
    onwards(() => rest),
  )
}

const ORDERED: readonly Operator[] = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap', 'pr']

/** The operators offered for each type of parameter. */
const OPERATORS_OF: Readonly<Record<string, readonly Operator[]>> = {
  string: ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'lt', 'ge', 'le', 'pr'],
  number: ORDERED,
  quantity: ORDERED,
  date: [...ORDERED, 'co', 'po'],
  token: ['eq', 'ne', 'pr', 'ss', 'sb', 'in', 'ni'],
  reference: ['eq', 'ne', 're', 'pr', 'ss', 'sb'],
  uri: ['eq', 'ne', 'pr', 'ss', 'sb'],
  composite: ['eq', 'pr'],
  special: ['eq', 'pr'],
}

/** The operators for phonetic parameters, whose values have no order and no parts. */
const OPERATORS_OF_SOUND: readonly Operator[] = ['eq', 'ne', 'pr']

/** Beside those of a token, for identifiers and contacts. */
const OPERATORS_OF_TEXT: readonly Operator[] = ['sw', 'ew']

function operatorsOf(parameter: SearchParameter): readonly Operator[] {
  if (parameter.phonetic === true) return OPERATORS_OF_SOUND
  const offered = OPERATORS_OF[parameter.type] ?? []
  return parameter.type === 'token' && isText(parameter) ? [...offered, ...OPERATORS_OF_TEXT] : offered
}

function leaf(test: Test, parameter: SearchParameter, scope: SearchScope, reader: Reader): Condition {
  const { operator, value } = test
  const { code, type, phonetic = false } = parameter
  const offered = operatorsOf(parameter)
  if (!offered.includes(operator)) throw notOffered(parameter, operator, offered, reader)
  const read = (modifier: string | undefined, prefix = ''): Condition =>
    reader.read(code, modifier, prefix + asValue(test, type), scope, reader.context)
  // Compared with case: where case may be ignored, a value in other letters may be a different one.
  const readWithCase = () =>
    reader.read(code, undefined, asValue(test, type), scope, { ...reader.context, isCaseSensitive: () => true })
  switch (operator) {
    case 'pr':
      return presence(code, value, scope, reader)
    case 'in':
      return read('in')
    case 'ni':
      return read('not-in')
    case 'ss':
      return read('below')
    case 'sb':
      return read('above')
    case 're':
      return read(undefined)
    default:
      break
  }
  if (type === 'string' && !phonetic) return stringTest(code, operator, value, reader)
  if (operator === 'sw') return parseTokenPart(parameter, 'prefix', value, reader.context)
  if (operator === 'ew') return parseTokenPart(parameter, 'suffix', value, reader.context)
  if (operator === 'co' || operator === 'po') return overlap(code, operator, value, reader)
  if (operator === 'eq') return read(undefined)
  if (type === 'token') return unequal(code, readWithCase())
  return ORDERED === offered || type === 'date' ? read(undefined, operator) : unequal(code, read(undefined))
}

function notOffered(
  { code, type }: SearchParameter,
  operator: Operator,
  offered: readonly Operator[],
  { context }: Reader,
): FhirError {
  return badRequest(
    `${context.name}: the ${type} parameter '${code}' is tested with ${offered.join(', ')}, not ${operator}`,
  )
}

/** Short names of code systems that R4 allows in filters. */
const SHORT: Readonly<Record<string, string>> = {
  loinc: 'http://loinc.org',
  snomed: 'http://snomed.info/sct',
  rxnorm: 'http://www.nlm.nih.gov/research/umls/rxnorm',
  ucum: 'http://unitsofmeasure.org',
}

/** The value as in a query string, where a comma that belongs to the value is escaped. */
function asValue({ value, isText }: Test, type: string): string {
  const escaped = isText && type === 'uri' ? value.replaceAll('\\', '\\\\') : value
  const text = escaped.replace(/\\.|,/gs, (found) => (found === ',' ? '\\,' : found))
  return text.replace(/^(\w+)\|/, (found, name: string) => (SHORT[name] === undefined ? found : `${SHORT[name]}|`))
}

function presence(code: string, value: string, scope: SearchScope, { read, context }: Reader): Condition {
  if (value !== 'true' && value !== 'false') throw malformed(context, value, 'is neither true nor false')
  return read(code, 'missing', String(value === 'false'), scope, context)
}

function stringTest(param: string, operator: Operator, text: string, { context }: Reader): Condition {
  const value = fold(text)
  if (value === '') throw malformed(context, text, 'holds no letter or digit to compare')
  const matching = (...matches: readonly Extract<Condition, { kind: 'string' }>['match'][]): Condition =>
    any(matches.map((match) => ({ kind: 'string', param, match, value })))
  switch (operator) {
    case 'ne':
      return matching('less', 'greater')
    case 'co':
      return matching('contains')
    case 'sw':
      return matching('prefix')
    case 'ew':
      return matching('suffix')
    case 'gt':
      return matching('greater')
    case 'ge':
      return matching('greater', 'equal')
    case 'lt':
      return matching('less')
    case 'le':
      return matching('less', 'equal')
    default:
      return matching('equal')
  }
}

/** A condition on overlapping times. po: the times overlap. co: the resource's time contains all of the stated one. */
function overlap(param: string, operator: 'co' | 'po', text: string, { context }: Reader): Condition {
  const stated = parseDateRange(text)
  if (stated === undefined) throw malformed(context, text, 'is not a date; write YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ')
  const { low, high } = stated
  return dateCondition(param, operator === 'po' ? { lowMax: high, highMin: low } : { lowMax: low, highMin: high })
}

/**
 * A condition that some value is different. If the tested value cannot exist, every value is different; an id is a
 * single value.
 */
function unequal(param: string, condition: Condition): Condition {
  const { kind } = condition
  if (kind === 'any' && condition.of.length === 0) return { kind: 'missing', param, missing: false }
  return kind === 'token' || kind === 'reference' || kind === 'uri'
    ? { kind: 'unequal', of: condition }
    : { kind: 'not', of: condition }
}
