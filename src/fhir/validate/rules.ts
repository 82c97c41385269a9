/** Invariants: https://hl7.org/fhir/R4/conformance-rules.html#constraints. */
import type { Constraint } from '../definitions.ts'
import { compileFhirPath, type Expression, isSatisfied, UnsupportedExpression } from '../fhirpath/fhirpath.ts'
import { hasVisibleContent, isAllowedMarkup } from '../fhirpath/narrative.ts'
import { isObject, itemsOf } from '../resource.ts'

/** %resource and %rootResource, which differ in a contained resource. */
export interface ResourceScope {
  readonly resource: Record<string, unknown>
  readonly rootResource: Record<string, unknown>
  /** Strings in rootResource that begin with #. */
  readonly localReferences: () => ReadonlySet<string>
  /** Ids of the resources contained in rootResource. */
  readonly containedIds: () => ReadonlySet<unknown>
}

export interface Rule extends Constraint {
  readonly isSatisfied: (focus: unknown, scope: ResourceScope) => boolean
}

/** Checked by the validator itself: empty elements and the constraints of contained resources. */
const CHECKED_ELSEWHERE: ReadonlySet<string> = new Set(['ele-1', 'dom-2', 'dom-3', 'dom-4', 'dom-5'])

export const rulesOf = (constraints: readonly Constraint[]): readonly Rule[] =>
  constraints
    .filter(({ key }) => !CHECKED_ELSEWHERE.has(key))
    .map((constraint) => ({ ...constraint, isSatisfied: ruleOf(constraint) }))

/** A fast check; undefined when the expression must be evaluated. */
type Shortcut = (focus: unknown, scope: ResourceScope) => boolean | undefined

const has = (focus: unknown, name: string): boolean =>
  isObject(focus) && (focus[name] !== undefined || focus[`_${name}`] !== undefined)

const needs =
  (one: string, other: string): Shortcut =>
  (focus) =>
    !has(focus, one) || has(focus, other)

/** Constraints that apply to nearly every resource, and those that FHIRPath cannot express. */
const SHORTCUTS: ReadonlyMap<string, Shortcut> = new Map<string, Shortcut>([
  ['ext-1', (focus) => has(focus, 'extension') !== hasValue(focus)],
  ['ref-1', isResolvable],
  // Their expressions are the same, but they ask for different things.
  ['txt-1', (focus) => isAllowedMarkup(String(focus))],
  ['txt-2', (focus) => hasVisibleContent(String(focus))],
  ['cpt-2', needs('value', 'system')],
  ['qty-3', needs('code', 'system')],
  ['obs-7', hasNoValueOfComponent],
  ['att-1', needs('data', 'contentType')],
  ['per-1', beginsBeforeEnd],
])

/**
 * "The high value includes any matching date/time. i.e. 2012-02-03T10:00:00 is in a period that has an end value of
 * 2012-02-03", wherever on earth: a date has no time zone, so its text is compared with that of a time.
 */
function beginsBeforeEnd(focus: unknown): boolean | undefined {
  const { start, end } = isObject(focus) ? focus : {}
  if (typeof start !== 'string' || typeof end !== 'string') return true
  if (start.includes('T') && end.includes('T')) return undefined
  const length = Math.min(start.length, end.length)
  return start.slice(0, length) <= end.slice(0, length) || undefined
}

/** When the Observation has a value, no component may have one of its codings. FHIRPath would compare all pairs. */
function hasNoValueOfComponent(focus: unknown): boolean {
  if (!isObject(focus) || !Array.isArray(focus['component']) || !hasValue(focus)) return true
  const own = new Set(codingKeys(focus))
  return own.size === 0 || !focus['component'].flatMap(codingKeys).some((key) => own.has(key))
}

function codingKeys(holder: unknown): readonly string[] {
  const concept = isObject(holder) ? holder['code'] : undefined
  const codings = isObject(concept) ? itemsOf(concept['coding']).filter(isObject) : []
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

/** `#id` must be a contained resource; `#` alone refers to the container. */
function isResolvable(focus: unknown, { containedIds }: ResourceScope): boolean {
  const reference = isObject(focus) ? focus['reference'] : undefined
  if (typeof reference !== 'string' || !reference.startsWith('#') || reference === '#') return true
  return containedIds().has(reference.slice(1))
}

function ruleOf({ key, expression }: Constraint): Rule['isSatisfied'] {
  const shortcut = SHORTCUTS.get(key)
  const evaluate = byExpression(expression)
  return shortcut === undefined ? evaluate : (focus, scope) => shortcut(focus, scope) ?? evaluate(focus, scope)
}

/** Compiled on first use. A constraint that cannot be evaluated from the resource alone counts as satisfied. */
function byExpression(text: string): Rule['isSatisfied'] {
  let compiled: { readonly expression: Expression | undefined } | undefined
  return (focus, scope) => {
    compiled ??= { expression: supported(text) }
    return compiled.expression === undefined || isSatisfied(compiled.expression, focus, scope)
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
