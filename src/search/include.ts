/** `_include` and `_revinclude`: https://hl7.org/fhir/R4/search.html#revinclude. */
import { isResourceType, resourceTypes } from '../fhir/definitions.ts'
import { badRequest } from '../fhir/outcome.ts'
import { typeNames, UNKNOWN_MODIFIER } from './parameters.ts'
import type { Include } from './plan.ts'
import { targetTypesOf } from './reference.ts'
import { parameterFor, type SearchScope, unknownType } from './scope.ts'

/**
 * `Type:parameter`, `Type:parameter:Target`, `Type:*` for every reference of a type, `*` for every reference there is.
 * @param name `_include` or `_revinclude` with their modifier
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
  const searched = scope.types
  if (value === '*') return sourcesOfAll(kind.reverse, scope).map((source) => ({ source, param: '*', ...kind }))
  const [source = '', param = '', target, ...rest] = value.split(':')
  if (param === '' || target === '' || rest.length > 0) {
    throw badRequest(`${name}=${value}: write Type:parameter, Type:parameter:Target, Type:* or *`)
  }
  if (!isResourceType(source)) throw unknownType(`${name}=${value}`, source)
  if (!kind.reverse && !kind.iterate && !searched.includes(source)) {
    throw badRequest(
      `${name}=${value}: ${source} is not what is searched for; write ${typeNames(searched)}:…, or _include:iterate for what included resources refer to`,
    )
  }
  checkTarget(`${name}=${value}`, source, param, target, scope, kind)
  return [{ source, param, ...(target === undefined ? {} : { target }), ...kind }]
}

function checkTarget(
  what: string,
  source: string,
  param: string,
  target: string | undefined,
  scope: SearchScope,
  { reverse, iterate }: { readonly reverse: boolean; readonly iterate: boolean },
): void {
  if (target !== undefined && !isResourceType(target)) throw unknownType(what, target)
  if (param === '*') return
  const parameter = parameterFor(param, { ...scope, types: [source] })
  if (parameter.type !== 'reference') {
    throw badRequest(
      `${what}: '${param}' of ${source} is a ${parameter.type} parameter; only a reference can be included. References are: ${referencesOf(source, scope).join(', ')}`,
    )
  }
  const targets = targetTypesOf(parameter)
  if (targets === undefined) return
  if (target !== undefined && !targets.includes(target)) {
    throw badRequest(`${what}: '${param}' of ${source} refers to ${targets.join(', ')}, not to ${target}`)
  }
  if (reverse && !iterate && !scope.types.some((type) => targets.includes(type))) {
    throw badRequest(
      `${what}: '${param}' of ${source} refers to ${targets.join(', ')}, never to ${typeNames(scope.types)}`,
    )
  }
}

const referencesOf = (type: string, { parametersOf }: SearchScope): readonly string[] =>
  [...parametersOf(type).values()].filter((parameter) => parameter.type === 'reference').map(({ code }) => code)

/** For `_include=*` the searched types; for `_revinclude=*` every type that can refer to one of them. */
function sourcesOfAll(reverse: boolean, { types, parametersOf }: SearchScope): readonly string[] {
  if (!reverse) return types
  return resourceTypes.filter((source) =>
    [...parametersOf(source).values()].some((parameter) => {
      const targets = parameter.type === 'reference' ? targetTypesOf(parameter) : []
      return targets === undefined || types.some((type) => targets.includes(type))
    }),
  )
}
