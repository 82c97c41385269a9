/**
 * Turns a clinic's SearchParameter resource into a search parameter, or refuses it:
 * https://hl7.org/fhir/R4/searchparameter.html.
 */
import type { SearchParameterComponent, SearchParameter as SearchParameterResource } from 'fhir/r4'
import { noResourceType } from '../../fhir/closest-name.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { compileUserExpression } from '../../fhir/fhirpath/fhirpath.ts'
import { type Ast, parse } from '../../fhir/fhirpath/parser.ts'
import { unprocessable } from '../../fhir/outcome.ts'
import { valuesIn } from '../../fhir/resource.ts'
import { rethrowBudgetError } from '../../isolation/budget.ts'
import { type ComponentParameter, definedParameter, partsOf, SERVED_TYPES } from '../parameters.ts'
import { ABSTRACT, type CustomDeclaration, type CustomParameter, expressionOf, typesOf } from './custom-declaration.ts'

/** Most active parameters of one clinic. */
const MAX_CUSTOM_PARAMETERS = 100
/** Characters. */
const MAX_EXPRESSION_LENGTH = 2_000

const CODE = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

/** Functions whose result changes with time, or whose run time is unbounded. */
const REFUSED_FUNCTIONS: ReadonlySet<string> = new Set(['now', 'today', 'timeOfDay', 'matches', 'replaceMatches'])

type Definition = Omit<CustomParameter, 'since'>

/** A SearchParameter with the values that R4 requires, any of which may be replaced by extensions. */
type Whole = Omit<SearchParameterResource, 'base' | 'target'> & {
  readonly id: string
  readonly url: string
  readonly code: string
  readonly base: readonly string[]
  readonly target: readonly string[]
}

/**
 * The parameter for the searches of the clinic; undefined where it adds none: it is not active, or describes one that
 * the server already has.
 * @throws FhirError 422 naming the element that is wrong
 */
export function customParameter(
  resource: SearchParameterResource & { readonly id: string },
  { parameters }: CustomDeclaration,
): Definition | undefined {
  if (resource.status !== 'active') return undefined
  const whole = wholeOf(resource)
  checkBase(whole)
  if (describesServed(whole)) return undefined
  checkCode(whole)
  const others = parameters.filter(({ id }) => id !== resource.id)
  const definition = definitionOf(whole, others)
  checkUnique(definition, others)
  if (others.length < MAX_CUSTOM_PARAMETERS) return definition
  throw refused('status', `the clinic has ${others.length} active search parameters already, which is the most`)
}

const refused = (element: string, problem: string) =>
  unprocessable(`SearchParameter.${element}: ${problem}`, { expression: `SearchParameter.${element}` })

function wholeOf({ url, code, base, target, ...rest }: SearchParameterResource & { readonly id: string }): Whole {
  if (url === undefined) throw refused('url', 'it has no value; a parameter is known by its url')
  if (code === undefined) throw refused('code', 'it has no value; a search names the parameter by its code')
  const bases = valuesIn(base)
  if (bases.length === 0) throw refused('base', 'it has no value; name the resource types that are searched')
  return { ...rest, url, code, base: bases, target: valuesIn(target) }
}

function checkBase({ base }: Whole): void {
  for (const [index, one] of base.entries()) {
    if (isResourceType(one) || ABSTRACT.includes(one)) continue
    throw refused(`base[${index}]`, noResourceType(one))
  }
}

/**
 * True when it describes a parameter of the server, or one derived from such a parameter, as published by
 * implementation guides.
 */
function describesServed({ code, url, derivedFrom, base }: Whole): boolean {
  const defined = typesOf(base).map((type) => definedParameter(type, code)?.url)
  return defined.every((one) => one !== undefined && (one === url || one === derivedFrom))
}

function checkCode({ code, base }: Whole): void {
  if (!CODE.test(code)) {
    throw refused(
      'code',
      `'${code}' cannot be the name of a search parameter here; write 1 to 64 letters, digits, '-' and '_', a letter first`,
    )
  }
  const hidden = typesOf(base).find((type) => definedParameter(type, code) !== undefined)
  if (hidden === undefined) return
  throw refused(
    'code',
    `'${code}' is a search parameter of ${hidden} already (${definedParameter(hidden, code)?.url}), which cannot be replaced; choose another code`,
  )
}

/** The types that can be added; a special parameter has its own rules, which an expression cannot state. */
const OFFERED_TYPES = SERVED_TYPES.filter((type) => type !== 'special')

function definitionOf(
  { id, url, code, type, base, target, component = [], ...rest }: Whole,
  others: readonly CustomParameter[],
): Definition {
  const offered = OFFERED_TYPES.find((one) => one === type)
  if (offered === undefined) {
    throw refused('type', `search parameters of type ${type} cannot be added; these can: ${OFFERED_TYPES.join(', ')}`)
  }
  const expression = rest.expression?.trim() ?? ''
  checkExpressions(base, expression)
  return {
    ...{ id, url, code, type: offered, base, expression },
    ...(target.length === 0 ? {} : { target: targetsOf(target) }),
    ...(offered === 'composite' ? { parts: partsFrom(component, base, others) } : {}),
  }
}

const MAX_COMPONENTS = 8

function partsFrom(
  component: readonly SearchParameterComponent[],
  base: readonly string[],
  others: readonly CustomParameter[],
): readonly ComponentParameter[] {
  if (component.length === 0 || component.length > MAX_COMPONENTS) {
    throw refused('component', `a composite search parameter needs components, ${MAX_COMPONENTS} at most`)
  }
  const [type = ''] = typesOf(base)
  return component.map((one, index) => {
    const { definition = '', expression = '' } = one
    checkExpression(expression, `component[${index}].expression`)
    return partFrom({ definition, expression }, index, type, others)
  })
}

/** A component of a composite, which is a parameter that R4 defines, or another one of the clinic. */
function partFrom(
  component: { readonly definition: string; readonly expression: string },
  index: number,
  resourceType: string,
  others: readonly CustomParameter[],
): ComponentParameter {
  const { definition, expression } = component
  const own = others.find(
    ({ url, base }) => url === definition.split('|', 1)[0] && typesOf(base).includes(resourceType),
  )
  try {
    if (own === undefined) return partsOf(resourceType, [component])[0] ?? noPart(definition, index)
    const { code, type, url, target } = own
    if (type === 'composite' || type === 'special') return noPart(definition, index)
    return { ...{ code, type, url, expression }, ...(target === undefined ? {} : { target }) }
  } catch {
    return noPart(definition, index)
  }
}

function noPart(definition: string, index: number): never {
  throw refused(
    `component[${index}].definition`,
    `'${definition}' is not a search parameter of that type, of R4 or of this clinic, that can be a part of another one`,
  )
}

const targetsOf = (target: readonly string[]): readonly string[] =>
  target.some((one) => ABSTRACT.includes(one)) ? ['*'] : target

function checkExpressions(base: readonly string[], expression: string): void {
  if (expression === '') throw refused('expression', 'an active search parameter needs a FHIRPath expression')
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    throw refused('expression', `it has ${expression.length} characters; ${MAX_EXPRESSION_LENGTH} are the most`)
  }
  const expressions = typesOf(base).map((type) => {
    const found = expressionOf(type, expression)
    if (found !== undefined) return found
    throw refused('expression', `'${expression}' says nothing about ${type}, which is a base`)
  })
  for (const one of new Set([expression, ...expressions])) checkExpression(one)
}

function checkExpression(expression: string, element = 'expression'): void {
  try {
    const call = callsIn(parse(expression)).find((name) => REFUSED_FUNCTIONS.has(name))
    if (call !== undefined) throw refused(element, `${call}() cannot be used in a search parameter`)
    compileUserExpression(expression)
  } catch (error) {
    rethrowBudgetError(error)
    if (error instanceof RangeError) throw refused(element, 'it is nested too deeply')
    if (error instanceof Error && !('issues' in error)) throw refused(element, error.message)
    throw error
  }
}

/** The names of all functions called in the tree. */
function callsIn(tree: Ast): readonly string[] {
  const calls: string[] = []
  const open: unknown[] = [tree]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null) continue
    if ('kind' in next && next.kind === 'call' && 'name' in next) calls.push(String(next.name))
    open.push(...Object.values(next))
  }
  return calls
}

function checkUnique({ code, base }: Definition, others: readonly CustomParameter[]): void {
  const types = new Set(typesOf(base))
  for (const other of others.filter((one) => one.code === code)) {
    const shared = typesOf(other.base).find((type) => types.has(type))
    if (shared === undefined) continue
    throw refused('code', `SearchParameter/${other.id} defines '${code}' for ${shared} already; choose another code`)
  }
}
