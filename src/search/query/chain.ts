/** Conditions on other resources: https://hl7.org/fhir/R4/search.html#chaining and #has. */
import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { badRequest, FhirError } from '../../fhir/outcome.ts'
import { definitionsAmong, isDefinition } from '../canonical.ts'
import { type SearchParameter, typeNames, unknownParameter } from '../parameters.ts'
import type { Condition } from '../plan.ts'
import { targetTypesOf } from '../types/reference.ts'
import { any, type ValueContext } from '../value.ts'
import { referenceFor, type SearchScope, TOO_WIDE, unknownType } from './scope.ts'

/** Parses the rest of a chain for the types to which it leads. */
export type Follow = (rest: string, types: readonly string[]) => Condition

/**
 * Parses `subject:Patient.name`, or `subject.name` for all possible target types that have such a parameter.
 * @throws FhirError 400
 */
export function parseChain(
  code: string,
  type: string | undefined,
  rest: string,
  scope: SearchScope,
  context: ValueContext,
  follow: Follow,
): Condition {
  const parameter = referenceFor(code, scope, context)
  const possible = targetTypesOf(parameter) ?? resourceTypes
  if (type !== undefined && !isResourceType(type)) throw unknownType(context.name, type)
  if (type !== undefined && !possible.includes(type)) {
    throw badRequest(`${context.name}: '${code}' refers to ${possible.join(', ')}, not to ${type}`)
  }
  const links = type === undefined ? linksTo(possible, rest, scope, follow) : [{ type, where: follow(rest, [type]) }]
  return any(grouped(links).flatMap(([types, where]) => chainsTo(parameter, types, where)))
}

/** Chains by the address of the resource, and by its url where the parameter holds canonicals. */
function chainsTo(
  { code: param, canonical }: SearchParameter,
  types: readonly string[],
  where: Condition,
): readonly Condition[] {
  const chain: Condition = { kind: 'chain', param, types, where }
  const definitions = canonical === true ? definitionsAmong(types) : []
  return definitions.length === 0 ? [chain] : [chain, { ...chain, types: definitions, canonical: true }]
}

interface Link {
  readonly type: string
  readonly where: Condition
}

/**
 * The types that have the rest of the chain.
 * @throws FhirError 400 when none has
 */
function linksTo(
  possible: readonly string[],
  rest: string,
  { parametersOf }: SearchScope,
  follow: Follow,
): readonly Link[] {
  const code = rest.split(/[.:]/, 1)[0] ?? ''
  const types = code.startsWith('_') ? possible : possible.filter((type) => parametersOf(type).has(code))
  if (types.length === 0) {
    throw unknownParameter(code, possible, new Set(possible.flatMap((type) => [...parametersOf(type).keys()])))
  }
  const tried = types.map((type) => ({ type, where: attempt(() => follow(rest, [type])) }))
  const links = tried.flatMap(({ type, where }) => (where instanceof FhirError ? [] : [{ type, where }]))
  const [failed] = tried.flatMap(({ where }) => (where instanceof FhirError ? [where] : []))
  if (links.length === 0 && failed !== undefined) throw failed
  return links
}

/** Returns the error, as a value or a further link may be valid for some types and not for others. */
function attempt(follow: () => Condition): Condition | FhirError {
  try {
    return follow()
  } catch (error) {
    if (error instanceof FhirError && error.code !== TOO_WIDE) return error
    throw error
  }
}

/** Groups types with the same condition: most parameters mean the same for each. */
function grouped(links: readonly Link[]): readonly (readonly [readonly string[], Condition])[] {
  const groups = Map.groupBy(links, ({ where }) => JSON.stringify(where))
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [[group.map(({ type }) => type), first.where] as const]
  })
}

/**
 * Parses `_has:Observation:patient:code=x`: the resources to which an Observation with that code refers as its patient.
 * @throws FhirError 400
 */
export function parseReverseChain(name: string, scope: SearchScope, context: ValueContext, follow: Follow): Condition {
  const [, type = '', param = '', ...rest] = name.split(':')
  if (rest.length === 0 || rest[0] === '') {
    throw badRequest(`${context.name}: write _has:Type:reference:parameter, e.g. _has:Observation:patient:code`)
  }
  if (!isResourceType(type)) throw unknownType(context.name, type)
  const parameter = referenceFor(param, { ...scope, types: [type] }, context)
  const targets = targetTypesOf(parameter)
  if (targets !== undefined && !scope.types.some((searched) => targets.includes(searched))) {
    throw badRequest(
      `${context.name}: ${param} of ${type} refers to ${targets.join(', ')}, never to ${typeNames(scope.types)}`,
    )
  }
  const has: Condition = { kind: 'has', type, param, where: follow(rest.join(':'), [type]) }
  const isCanonical = parameter.canonical === true && scope.types.some(isDefinition)
  return isCanonical ? any([has, { ...has, canonical: true }]) : has
}
