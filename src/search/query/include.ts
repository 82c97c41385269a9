/** `_include` and `_revinclude`: https://hl7.org/fhir/R4/search.html#revinclude. */
import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { definitionsAmong } from '../canonical.ts'
import { typeNames, UNKNOWN_MODIFIER } from '../parameters.ts'
import type { Include } from '../plan.ts'
import { targetTypesOf } from '../types/reference.ts'
import { parameterFor, type SearchScope, unknownType } from './scope.ts'

/** An include as the client wrote it, and its text for messages. */
interface Asked extends Pick<Include, 'source' | 'param' | 'reverse' | 'iterate'> {
  readonly target: string | undefined
  readonly text: string
}

/**
 * Parses `Type:parameter`, `Type:parameter:Target`, `Type:*` for every reference of a type, or `*` for every reference
 * there is.
 * @param name `_include` or `_revinclude`, with its modifier
 * @throws FhirError 400
 */
export function parseInclude(
  name: string,
  modifier: string | undefined,
  value: string,
  scope: SearchScope,
): readonly Include[] {
  if (modifier !== undefined && modifier !== 'iterate') {
    throw badRequest(`${name}: the only modifier is ':iterate', not ':${modifier}'`, { reason: UNKNOWN_MODIFIER })
  }
  const kind = { reverse: name.startsWith('_revinclude'), iterate: modifier === 'iterate' }
  if (value === '*') {
    const all = sourcesOfAll(kind.reverse, scope).map((source) => ({ source, param: '*', ...kind }))
    return all.flatMap((include) => withCanonicals(include, scope))
  }
  const [source = '', param = '', target, ...rest] = value.split(':')
  if (param === '' || target === '' || rest.length > 0) {
    throw badRequest(`${name}=${value}: write Type:parameter, Type:parameter:Target, Type:* or *`)
  }
  const asked = { source, param, target, ...kind, text: `${name}=${value}` }
  checkTypes(asked, scope)
  if (param !== '*') checkReference(asked, scope)
  return withCanonicals({ source, param, ...(target === undefined ? {} : { target }), ...kind }, scope)
}

/** Adds includes by canonical url for parameters that hold canonicals, which are also followed by address. */
function withCanonicals(include: Include, { types, parametersOf }: SearchScope): readonly Include[] {
  const { source, param, target, reverse, iterate } = include
  const parameters = param === '*' ? [...parametersOf(source).values()] : [parametersOf(source).get(param)]
  const holding = parameters.flatMap((one) => (one?.type === 'reference' && one.canonical === true ? [one] : []))
  // A reverse include leads back from the matches.
  const ends = reverse && !iterate ? types : target === undefined ? undefined : [target]
  const canonicals = holding.flatMap((parameter) => {
    const possible = targetTypesOf(parameter)
    const definitions = definitionsAmong(ends).filter((type) => possible?.includes(type) ?? true)
    return definitions.length === 0 ? [] : [{ ...include, param: parameter.code, canonical: definitions }]
  })
  return [include, ...canonicals]
}

function checkTypes({ source, target, reverse, iterate, text }: Asked, { types }: SearchScope): void {
  for (const type of [source, target]) {
    if (type !== undefined && !isResourceType(type)) throw unknownType(text, type)
  }
  if (reverse || iterate || types.includes(source)) return
  throw badRequest(
    `${text}: ${source} is not what is searched for; write ${typeNames(types)}:…, or _include:iterate for what included resources refer to`,
  )
}

/** Checks that the parameter is a reference that can lead from the source to the target. */
function checkReference({ source, param, target, reverse, iterate, text }: Asked, scope: SearchScope): void {
  const parameter = parameterFor(param, { ...scope, types: [source] })
  if (parameter.type !== 'reference') {
    throw badRequest(
      `${text}: '${param}' of ${source} is a ${parameter.type} parameter; only a reference can be included. References are: ${referencesOf(source, scope).join(', ')}`,
    )
  }
  const possible = targetTypesOf(parameter)
  if (possible === undefined) return
  const refers = `${text}: '${param}' of ${source} refers to ${possible.join(', ')}`
  if (target !== undefined && !possible.includes(target)) throw badRequest(`${refers}, not to ${target}`)
  if (reverse && !iterate && !scope.types.some((type) => possible.includes(type))) {
    throw badRequest(`${refers}, never to ${typeNames(scope.types)}`)
  }
}

const referencesOf = (type: string, { parametersOf }: SearchScope): readonly string[] =>
  [...parametersOf(type).values()].filter((parameter) => parameter.type === 'reference').map(({ code }) => code)

/** The searched types for `_include=*`; every type that can refer to one of them for `_revinclude=*`. */
function sourcesOfAll(reverse: boolean, { types, parametersOf }: SearchScope): readonly string[] {
  if (!reverse) return types
  return resourceTypes.filter((source) =>
    [...parametersOf(source).values()].some((parameter) => {
      const targets = parameter.type === 'reference' ? targetTypesOf(parameter) : []
      return targets === undefined || types.some((type) => targets.includes(type))
    }),
  )
}
