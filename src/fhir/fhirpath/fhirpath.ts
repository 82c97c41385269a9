/**
 * FHIRPath for R4 search parameters and invariants: https://hl7.org/fhirpath/N1/ and
 * https://hl7.org/fhir/R4/fhirpath.html. An expression is compiled once into closures over plain FHIR JSON. The few
 * features that this compiler lacks are left to the fhirpath package, which is also the reference for this compiler in
 * the tests.
 */

import { requireWorkThread, rethrowBudgetError, spend } from '../../isolation/budget.ts'
import { memoize } from '../memoize.ts'
import { compileAst, NeedsLibrary } from './compile.ts'
import { compileWithLibrary } from './library.ts'
import { Moment } from './moment.ts'
import { type Item, Node, rawValue } from './node.ts'
import { type Ast, parse } from './parser.ts'
import { compilePath } from './paths.ts'
import { type Environment, type Evaluate, EvaluationError, UnsupportedExpression } from './scope.ts'

export { EvaluationError, UnsupportedExpression }

export interface Expression {
  /**
   * The values the expression selects in `focus`, as raw FHIR JSON: the value of a primitive (a decimal may be a
   * FhirDecimal), or the object in the resource. `environment` gives %resource, %rootResource and %context where they
   * differ from the focus.
   * @throws EvaluationError when the expression cannot be applied to this data
   * @throws BudgetError
   */
  evaluate(focus: unknown, environment?: Environment): readonly unknown[]
  /** True when compiled by this module, false when evaluated by the fhirpath package. */
  readonly compiled: boolean
}

const NO_ENVIRONMENT: Environment = {}
const MAX_CACHED_EXPRESSIONS = 10_000
/** Characters of an expression that are compiled in a microsecond. */
const CHARACTERS_PER_STEP = 2.5

/**
 * Compiles an expression, with a cache.
 * @throws SyntaxError naming the expression and position
 * @throws UnsupportedExpression when it needs terminology or profiles, e.g. memberOf()
 */
export const compileFhirPath: (expression: string) => Expression = memoize(MAX_CACHED_EXPRESSIONS, (expression) =>
  compileText(ERRATA.get(expression) ?? expression),
)

/**
 * Compiles an expression written by a user. It is not cached, and never left to the package, whose work cannot be
 * limited. Evaluate it with `limits` in the environment.
 * @throws SyntaxError naming the expression and position
 * @throws UnsupportedExpression when it needs terminology, profiles or a function of the package
 * @throws BudgetError
 */
export function compileUserExpression(expression: string): Expression {
  spend(expression.length / CHARACTERS_PER_STEP, 'compiling the expressions of its profiles')
  try {
    return general(compileAst(parse(expression), expression), expression)
  } catch (error) {
    if (!(error instanceof NeedsLibrary)) throw error
    throw new UnsupportedExpression(expression, 'it uses a function whose work cannot be limited')
  }
}

/** Whether an invariant is satisfied: only the result `true` counts, not false, empty or an EvaluationError. */
export function isSatisfied(
  expression: Expression,
  focus: unknown,
  environment: Environment = NO_ENVIRONMENT,
): boolean {
  try {
    const result = expression.evaluate(focus, environment)
    return result.length === 1 && result[0] === true
  } catch (error) {
    if (error instanceof EvaluationError) return false
    throw error
  }
}

function compileText(expression: string): Expression {
  const tree = parse(expression)
  const path = compilePath(tree)
  if (path !== undefined) {
    return { compiled: true, evaluate: (focus, environment = NO_ENVIRONMENT) => path(focus, environment) }
  }
  return compileTree(tree, expression)
}

function compileTree(tree: Ast, expression: string): Expression {
  try {
    return general(compileAst(tree, expression), expression)
  } catch (error) {
    if (error instanceof NeedsLibrary) return byLibrary(expression)
    throw error
  }
}

const general = (evaluate: Evaluate, expression: string): Expression => ({
  compiled: true,
  evaluate(focus, environment = NO_ENVIRONMENT) {
    const { sibling, type } = environment
    const root = new Node(focus, sibling, undefined, '', type)
    const self = focus == null && sibling == null ? [] : [root]
    try {
      return rawValues(evaluate({ self, index: 0, evaluation: { root, environment } }))
    } catch (error) {
      rethrowBudgetError(error)
      throw new EvaluationError(expression, error instanceof Error ? error.message : String(error))
    }
  },
})

/** The package neither counts its work nor can be ended. */
const BY_LIBRARY = 'an expression that is left to a library'
const STEPS_PER_MILLISECOND = 1_000

function byLibrary(expression: string): Expression {
  const evaluate = compileWithLibrary(expression)
  return {
    compiled: false,
    evaluate(focus, environment = NO_ENVIRONMENT) {
      requireWorkThread(BY_LIBRARY)
      const start = performance.now()
      try {
        return evaluate(focus, variablesFor(focus, environment))
      } catch {
        // The package's own message quotes the data, which may be a patient's.
        throw new EvaluationError(expression, 'it cannot be applied to this data')
      } finally {
        spend((performance.now() - start) * STEPS_PER_MILLISECOND, BY_LIBRARY)
      }
    },
  }
}

/** The package does not define %resource by itself. */
const variablesFor = (focus: unknown, { resource = focus, rootResource = resource, context = focus }: Environment) => ({
  resource,
  rootResource,
  context,
})

const rawValues = (items: readonly Item[]): readonly unknown[] =>
  items.map(toRaw).filter((value) => value !== undefined && value !== null)

function toRaw(item: Item): unknown {
  const value = rawValue(item)
  return value instanceof Moment ? value.text : value
}

/**
 * Official R4 invariants that reject what the specification allows, with corrected expressions. A comparison that is
 * undecided yields "empty" in FHIRPath, and an invariant that is not true counts as violated.
 */
export const ERRATA: ReadonlyMap<string, string> = new Map([
  // per-1, inv-1 of Task, mdd-1, rng-2: 2024-01 is not known to be before 2024-01-15, nor 1 {score} below 2 {points}.
  [
    'start.hasValue().not() or end.hasValue().not() or (start <= end)',
    'start.hasValue().not() or end.hasValue().not() or iif(start > end, false, true)',
  ],
  [
    'lastModified.exists().not() or authoredOn.exists().not() or lastModified >= authoredOn',
    'lastModified.exists().not() or authoredOn.exists().not() or iif(lastModified < authoredOn, false, true)',
  ],
  [
    'whenHandedOver.empty() or whenPrepared.empty() or whenHandedOver >= whenPrepared',
    'whenHandedOver.empty() or whenPrepared.empty() or iif(whenHandedOver < whenPrepared, false, true)',
  ],
  ['low.empty() or high.empty() or (low <= high)', 'low.empty() or high.empty() or iif(low > high, false, true)'],
  // ref-1: a Reference may have no `reference`, only an identifier or a display.
  [
    "reference.startsWith('#').not() or (reference.substring(1).trace('url') in %rootResource.contained.id.trace('ids'))",
    "reference.hasValue().not() or reference.startsWith('#').not() or reference = '#' or (reference.substring(1) in %rootResource.contained.id)",
  ],
])
