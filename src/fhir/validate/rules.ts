/** Invariants: https://hl7.org/fhir/R4/conformance-rules.html#constraints. */
import type { Constraint } from '../definitions.ts'
import { isNarrative } from '../fhirpath/narrative.ts'
import { compileFhirPath, type Expression, holds, UnsupportedExpression } from '../fhirpath.ts'
import { isObject } from '../resource.ts'

/** %resource and, where that is contained in another one, the one around it. */
export interface ResourceScope {
  readonly resource: Record<string, unknown>
  readonly rootResource: Record<string, unknown>
  /** Texts in rootResource that begin with #. */
  readonly localReferences: () => ReadonlySet<string>
  /** Ids of what rootResource contains. */
  readonly containedIds: () => ReadonlySet<unknown>
}

export interface Rule extends Constraint {
  readonly holds: (focus: unknown, scope: ResourceScope) => boolean
}

/** The walk itself sees to these: an element without content, and what a contained resource may be. */
const CHECKED_ELSEWHERE: ReadonlySet<string> = new Set(['ele-1', 'dom-2', 'dom-3', 'dom-4', 'dom-5'])

export const rulesOf = (constraints: readonly Constraint[]): readonly Rule[] =>
  constraints
    .filter(({ key }) => !CHECKED_ELSEWHERE.has(key))
    .map((constraint) => ({ ...constraint, holds: ruleOf(constraint) }))

/** A quick answer where there is one; undefined: ask the expression. */
type Shortcut = (focus: unknown, scope: ResourceScope) => boolean | undefined

const has = (focus: unknown, name: string): boolean =>
  isObject(focus) && (focus[name] !== undefined || focus[`_${name}`] !== undefined)

const needs =
  (one: string, other: string): Shortcut =>
  (focus) =>
    !has(focus, one) || has(focus, other)

/** Rules that nearly every resource meets, and those that FHIRPath cannot express. */
const SHORTCUTS: ReadonlyMap<string, Shortcut> = new Map<string, Shortcut>([
  ['ext-1', (focus) => has(focus, 'extension') !== hasValue(focus)],
  ['ref-1', isResolvable],
  ['txt-1', (focus) => isNarrative(String(focus))],
  // One look at the text tells both rules, and txt-1 reports them.
  ['txt-2', () => true],
  ['cpt-2', needs('value', 'system')],
  ['qty-3', needs('code', 'system')],
  ['obs-7', hasNoValueOfComponent],
  ['att-1', needs('data', 'contentType')],
  [
    'per-1',
    (focus) => (isObject(focus) && focus['start'] !== undefined && focus['end'] !== undefined ? undefined : true),
  ],
])

/** A coding of a component must not be one of the Observation that has a value of its own. FHIRPath compares all pairs. */
function hasNoValueOfComponent(focus: unknown): boolean {
  if (!isObject(focus) || !Array.isArray(focus['component']) || !hasValue(focus)) return true
  const own = new Set(codingKeys(focus))
  return own.size === 0 || !focus['component'].flatMap(codingKeys).some((key) => own.has(key))
}

function codingKeys(holder: unknown): readonly string[] {
  const concept = isObject(holder) ? holder['code'] : undefined
  const codings = isObject(concept) && Array.isArray(concept['coding']) ? concept['coding'].filter(isObject) : []
  return codings.map((coding) =>
    JSON.stringify(Object.entries(coding).sort(([left], [right]) => (left < right ? -1 : 1))),
  )
}

/** `value[x]`. */
function hasValue(holder: unknown): boolean {
  if (!isObject(holder)) return false
  for (const key in holder) if (VALUE.test(key) && holder[key] !== undefined) return true
  return false
}

const VALUE = /^_?value/

/** `#id` must be contained in the resource around it; `#` alone is that resource. */
function isResolvable(focus: unknown, { containedIds }: ResourceScope): boolean {
  const reference = isObject(focus) ? focus['reference'] : undefined
  if (typeof reference !== 'string' || !reference.startsWith('#') || reference === '#') return true
  return containedIds().has(reference.slice(1))
}

function ruleOf({ key, expression }: Constraint): Rule['holds'] {
  const shortcut = SHORTCUTS.get(key)
  const evaluate = byExpression(expression)
  return shortcut === undefined ? evaluate : (focus, scope) => shortcut(focus, scope) ?? evaluate(focus, scope)
}

/** Compiled when first asked; a rule that no server can evaluate from the resource alone counts as kept. */
function byExpression(text: string): Rule['holds'] {
  let compiled: { readonly expression: Expression | undefined } | undefined
  return (focus, scope) => {
    compiled ??= { expression: supported(text) }
    return compiled.expression === undefined || holds(compiled.expression, focus, scope)
  }
}

function supported(text: string): Expression | undefined {
  try {
    return compileFhirPath(text)
  } catch (error) {
    if (error instanceof UnsupportedExpression) return undefined
    throw error
  }
}
