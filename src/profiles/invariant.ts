/** Invariants of profiles, which users write: https://hl7.org/fhir/R4/conformance-rules.html#constraints. */
import type { ElementDefinitionConstraint } from 'fhir/r4'
import { type Constraint, structureNames, structureOf } from '../fhir/definitions.ts'
import type { EvaluationLimits } from '../fhir/fhirpath/scope.ts'
import { compileUserExpression, EvaluationError, type Expression } from '../fhir/fhirpath.ts'
import { patternOf } from '../terminology/pattern.ts'
import { coreType, type Item } from './item.ts'

/** Characters. The longest of R4 and of US Core have a third of that. */
const MAX_EXPRESSION_LENGTH = 5_000
/** Characters of a text that matches() looks at. */
const MAX_TEXT_LENGTH = 2_000

export type Verdict = { readonly is: 'kept' | 'broken' } | { readonly is: 'unknown'; readonly why: string }

export class Invariant {
  readonly key: string
  readonly severity: 'error' | 'warning'
  readonly human: string
  readonly expression: string
  #compiled: Expression | { readonly why: string } | undefined

  constructor({ key, severity, human, expression = '' }: ElementDefinitionConstraint) {
    this.key = key
    this.severity = severity
    this.human = human
    this.expression = expression
  }

  /** Whether it holds for the item: only when its result is true. */
  verdict({ value, sibling, type, resource, rootResource }: Item, limits: EvaluationLimits): Verdict {
    this.#compiled ??= compiled(this.expression)
    if ('why' in this.#compiled) return { is: 'unknown', why: this.#compiled.why }
    try {
      const own = value === resource ? {} : { type }
      const result = this.#compiled.evaluate(value, { resource, rootResource, sibling, limits, ...own })
      return { is: result.length === 1 && result[0] === true ? 'kept' : 'broken' }
    } catch (error) {
      if (error instanceof EvaluationError) return { is: 'unknown', why: error.message }
      throw error
    }
  }
}

/** Whatever a user wrote, it must not fail here: too many parentheses fill the stack, for one. */
function compiled(expression: string): Expression | { readonly why: string } {
  if (expression.trim() === '') return { why: 'it has no FHIRPath expression' }
  if (expression.length > MAX_EXPRESSION_LENGTH)
    return { why: `its expression has ${expression.length} characters; ${MAX_EXPRESSION_LENGTH} are the most` }
  try {
    return compileUserExpression(expression)
  } catch (error) {
    return { why: error instanceof RangeError ? 'its expression is nested too deeply' : messageOf(error) }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'it cannot be read')

export function newLimits(work: number): EvaluationLimits {
  const patterns = new Map<string, (text: string) => boolean>()
  return {
    left: work,
    matches: (text, source) => {
      if (text.length > MAX_TEXT_LENGTH) throw new Error(`matches() looks at ${MAX_TEXT_LENGTH} characters at most`)
      const pattern = patterns.get(source) ?? patternOf(somewhere(source))
      patterns.set(source, pattern)
      return pattern(text)
    },
  }
}

/** `matches` asks for a part, `patternOf` for the whole; and to FHIRPath a dot is any character, line breaks too. */
const somewhere = (source: string): string =>
  `[\\s\\S]*(?:${source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === '.' ? '[\\s\\S]' : part))})[\\s\\S]*`

/** Key -> expressions of R4 itself, for which every resource is checked before; snapshots repeat them at every element. */
let ofCore: ReadonlyMap<string, ReadonlySet<string>> | undefined

export function isOfCore({ key, source, expression = '' }: ElementDefinitionConstraint): boolean {
  ofCore ??= expressionsByKey()
  const expressions = ofCore.get(key)
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
