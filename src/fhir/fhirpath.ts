/**
 * FHIRPath for R4 search parameters and invariants: https://hl7.org/fhirpath/N1/ and https://hl7.org/fhir/R4/fhirpath.html.
 * An expression becomes closures over plain FHIR JSON once; the few things that are not compiled here are left to the
 * fhirpath package, which also judges this compiler in the tests.
 */
import { compile, NeedsLibrary } from './fhirpath/compile.ts'
import { ERRATA } from './fhirpath/errata.ts'
import { compileWithLibrary } from './fhirpath/library.ts'
import { Moment } from './fhirpath/moment.ts'
import { type Item, Node, rawValue } from './fhirpath/node.ts'
import { type Ast, parse } from './fhirpath/parser.ts'
import { compilePath } from './fhirpath/paths.ts'
import { type Environment, type Evaluate, EvaluationError, UnsupportedExpression } from './fhirpath/scope.ts'
import { remembering } from './memoize.ts'

export { EvaluationError, UnsupportedExpression }

export interface Expression {
  /**
   * The values the expression selects in `focus`, as raw FHIR JSON: a primitive's own value (a decimal may be a
   * FhirDecimal), an object as it stands in the resource. `environment` gives %resource, %rootResource and %context
   * where they are not the focus.
   * @throws EvaluationError when the data is not what the expression can be applied to
   */
  evaluate(focus: unknown, environment?: Environment): readonly unknown[]
  /** True when compiled here, false when it is evaluated by the fhirpath package. */
  readonly compiled: boolean
}

const NO_ENVIRONMENT: Environment = {}
const EXPRESSIONS_KEPT = 10_000

/**
 * Compiled once and kept.
 * @throws SyntaxError naming the expression and position
 * @throws UnsupportedExpression when it asks for a terminology or a profile, e.g. by memberOf()
 */
export const compileFhirPath: (expression: string) => Expression = remembering(EXPRESSIONS_KEPT, (expression) =>
  compileText(ERRATA.get(expression) ?? expression),
)

/**
 * The same for what a user wrote. It is not kept, and never left to the package, whose work cannot be counted: evaluate
 * it with `limits` in its environment.
 */
export function compileForeign(expression: string): Expression {
  try {
    return general(compile(parse(expression), expression), expression)
  } catch (error) {
    if (!(error instanceof NeedsLibrary)) throw error
    throw new UnsupportedExpression(expression, 'it uses a function whose work has no bound')
  }
}

/** Whether an invariant holds: only when its result is true. Neither false nor empty will do, nor data it fails on. */
export function holds(expression: Expression, focus: unknown, environment: Environment = NO_ENVIRONMENT): boolean {
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
    return general(compile(tree, expression), expression)
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
      return rawValues(evaluate({ self, index: 0, session: { root, environment, now: new Date() } }))
    } catch (error) {
      throw new EvaluationError(expression, error instanceof Error ? error.message : String(error))
    }
  },
})

function byLibrary(expression: string): Expression {
  const evaluate = compileWithLibrary(expression)
  return {
    compiled: false,
    evaluate(focus, environment = NO_ENVIRONMENT) {
      try {
        return evaluate(focus, variablesFor(focus, environment))
      } catch {
        // What the package says quotes the data, which may be a patient's.
        throw new EvaluationError(expression, 'it cannot be applied to this data')
      }
    },
  }
}

/** The package knows no %resource of its own. */
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
