/** Invariants of profiles, written by users: https://hl7.org/fhir/R4/conformance-rules.html#constraints. */
import type { ElementDefinitionConstraint } from 'fhir/r4'
import { type Constraint, structureNames, structureOf } from '../fhir/definitions.ts'
import { compileUserExpression, EvaluationError, type Expression } from '../fhir/fhirpath/fhirpath.ts'
import type { EvaluationLimits } from '../fhir/fhirpath/scope.ts'
import { rethrowBudgetError } from '../isolation/budget.ts'
import { patternOf } from '../terminology/pattern.ts'
import { coreType, type TypedElement } from './typed-element.ts'

/** In characters; the longest of R4 and US Core have a third of that. */
const MAX_EXPRESSION_LENGTH = 5_000
/** In characters, of a text given to matches(). */
const MAX_TEXT_LENGTH = 2_000

export type InvariantResult =
  | { readonly kind: 'satisfied' | 'violated' }
  | { readonly kind: 'unknown'; readonly why: string }

export interface InvariantScope {
  readonly limits: EvaluationLimits
  /** The time of now() and today(): milliseconds since 1970 UTC, by the clock of the clinic. */
  readonly now: number
}

export class Invariant {
  readonly key: string
  readonly severity: 'error' | 'warning'
  readonly human: string
  readonly expression: string
  #compiled: Expression | { readonly why: string } | undefined

  constructor({ key = '', severity = 'error', human = '', expression = '' }: ElementDefinitionConstraint) {
    this.key = key
    this.severity = severity
    this.human = human
    this.expression = expression
  }

  /** Satisfied only when the result is true. */
  evaluate(
    { value, sibling, type, resource, rootResource }: TypedElement,
    { limits, now }: InvariantScope,
  ): InvariantResult {
    this.#compiled ??= tryCompile(this.expression)
    if ('why' in this.#compiled) return { kind: 'unknown', why: this.#compiled.why }
    try {
      const own = value === resource ? {} : { type }
      const result = this.#compiled.evaluate(value, { resource, rootResource, sibling, limits, now, ...own })
      return { kind: result.length === 1 && result[0] === true ? 'satisfied' : 'violated' }
    } catch (error) {
      if (error instanceof EvaluationError) return { kind: 'unknown', why: error.message }
      throw error
    }
  }
}

/** Compiles any expression; throws a BudgetError at most. Deeply nested parentheses overflow the stack, for example. */
function tryCompile(expression: string): Expression | { readonly why: string } {
  if (expression.trim() === '') return { why: 'it has no FHIRPath expression' }
  if (expression.length > MAX_EXPRESSION_LENGTH)
    return { why: `its expression has ${expression.length} characters; the maximum is ${MAX_EXPRESSION_LENGTH}` }
  try {
    return compileUserExpression(expression)
  } catch (error) {
    rethrowBudgetError(error)
    return { why: error instanceof RangeError ? 'its expression is nested too deeply' : messageOf(error) }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'it cannot be read')

/** Limits for the evaluation of user-written expressions; matches() runs in bounded time. */
export function newLimits(work: number): EvaluationLimits {
  const patterns = new Map<string, (text: string) => boolean>()
  return {
    left: work,
    matches: (text, source) => {
      if (text.length > MAX_TEXT_LENGTH)
        throw new Error(`matches() takes texts of at most ${MAX_TEXT_LENGTH} characters`)
      const pattern = patterns.get(source) ?? patternOf(unanchored(source))
      patterns.set(source, pattern)
      return pattern(text)
    },
  }
}

/**
 * `patternOf` matches whole texts and its dot no line breaks, while FHIRPath's matches() finds a part and its dot is
 * any character.
 */
const unanchored = (source: string): string =>
  `[\\s\\S]*(?:${source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === '.' ? '[\\s\\S]' : part))})[\\s\\S]*`

/** Key -> expressions of R4's own constraints, which are checked before and repeated in snapshots at every element. */
let coreExpressions: ReadonlyMap<string, ReadonlySet<string>> | undefined

/** Whether the constraint is one of R4 itself. */
export function isCoreConstraint({ key = '', source, expression = '' }: ElementDefinitionConstraint): boolean {
  coreExpressions ??= expressionsByKey()
  const expressions = coreExpressions.get(key)
  return expressions !== undefined && (expressions.has(expression) || (source !== undefined && isCore(source)))
}

const isCore = (source: string): boolean => coreType(source) !== undefined || structureOf(source) !== undefined

function expressionsByKey(): ReadonlyMap<string, ReadonlySet<string>> {
  const byKey = new Map<string, Set<string>>()
  for (const { key, expression } of structureNames.flatMap(constraintsOf)) {
    byKey.set(key, (byKey.get(key) ?? new Set()).add(expression))
  }
  return byKey
}

function constraintsOf(name: string): readonly Constraint[] {
  const { constraints = [], elements = [] } = structureOf(name) ?? {}
  return [...constraints, ...elements.flatMap((element) => element.constraints)]
}
