/**
 * Reduces the official R4 search parameters to what src/search/parameters.ts needs:
 * https://hl7.org/fhir/R4/searchparameter-registry.html.
 *
 * Corrections of published definitions that are wrong or too wide:
 * - InsurancePlan-name has `name | alias`, paths without their type, which is added.
 * - Targets: a parameter shared by many types lists the targets of all of them (`patient` of Condition: Patient and
 *   Group). They are reduced to what the element may reference, or the type in `where(resolve() is Type)`.
 * - Observation-code-value-date has `ofType(DateTime)`, which is not a type, instead of dateTime.
 * - DocumentReference-relationship has the definitions of its two components swapped.
 * - DomainResource-text, Resource-content and Resource-query have no expression and are left out.
 */
import type { ElementDefinition, SearchParameter, ValueSet } from 'fhir/r4'
import { expressionFor, splitOutside } from '../../src/search/expression.ts'
import type { SearchParameterRecord } from '../../src/search/parameters.ts'
import { dataElements, resourcesOf, structureDefinitions, terminology } from './published.ts'

/** The selection of a path: its possible elements, and whether it may select several values. */
interface Selection {
  readonly elements: readonly Element[]
  readonly repeats: boolean
}
interface Element {
  readonly path: string
  readonly types: readonly { readonly code: string; readonly targets: readonly string[] }[]
  readonly valueSet?: string | undefined
}

const CORRECTED: Readonly<Record<string, string>> = { 'InsurancePlan-name': 'InsurancePlan.name | InsurancePlan.alias' }

/** @returns rows by base type: `{ Patient: [{ code: 'active', … }] }`; Resource and DomainResource are bases too. */
export function searchParameters(): unknown {
  const elements = elementsByPath()
  const systems = systemsByValueSet()
  const rows: Record<string, SearchParameterRecord[]> = {}
  for (const parameter of resourcesOf('search-parameters.json')) {
    if (parameter.resourceType !== 'SearchParameter') continue
    const expression = CORRECTED[parameter.id ?? ''] ?? parameter.expression
    if (expression === undefined) continue
    for (const base of parameter.base) {
      rows[base] ??= []
      rows[base].push(row(parameter, expressionFor(base, expression), elements, systems))
    }
  }
  return Object.fromEntries(
    Object.entries(rows)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([base, list]) => [base, list.sort((one, other) => (one.code < other.code ? -1 : 1))]),
  )
}

function row(
  parameter: SearchParameter,
  expression: string,
  elements: ReadonlyMap<string, ElementDefinition>,
  systems: ReadonlyMap<string, string>,
): SearchParameterRecord {
  const branches = splitOutside(expression, '|')
  const found = branches.map((branch) => follow(branch, elements))
  const types = found.flatMap(({ elements }) => elements).flatMap((element) => element.types)
  const every = (...codes: readonly string[]) => types.length > 0 && types.every(({ code }) => codes.includes(code))
  const date = parameter.type === 'date'
  return {
    code: parameter.code,
    type: parameter.type,
    url: parameter.url,
    expression,
    ...(parameter.type === 'reference' ? { target: targetTypesOf(parameter, branches, types) } : {}),
    ...(parameter.type === 'reference' && types.some(isCanonical) ? { canonical: true } : {}),
    ...(date && every('instant')
      ? { span: 'instant' }
      : date && every('date', 'dateTime', 'instant')
        ? { span: 'date' }
        : {}),
    ...(date && isSingle(found) ? { single: true } : {}),
    ...(parameter.type === 'token' ? tokenOf(found, systems) : {}),
    ...(parameter.type === 'string' ? stringOf(found) : {}),
    ...(parameter.xpathUsage === 'phonetic' ? { phonetic: true } : {}),
    ...(parameter.component === undefined ? {} : { component: componentsOf(parameter) }),
  }
}

/** Whether an element may be a canonical; some elements have the type uri though they name definitions. */
const isCanonical = ({ code }: Element['types'][number]): boolean => code === 'canonical' || code === 'uri'

function componentsOf({ id, component = [] }: SearchParameter): NonNullable<SearchParameterRecord['component']> {
  const definitions = component.map(({ definition }) => definition)
  if (id === 'DocumentReference-relationship') definitions.reverse()
  return component.map(({ expression }, index) => ({
    definition: definitions[index] ?? '',
    expression: expression.replace('ofType(DateTime)', 'ofType(dateTime)'),
  }))
}

/** At most one value: no element on the path repeats, and branches are types of the same choice element. */
function isSingle(found: readonly Selection[]): boolean {
  const paths = new Set(found.flatMap(({ elements }) => elements.map(({ path }) => path)))
  return found.every(({ repeats }) => !repeats) && paths.size === 1
}

/** '*' is any type. */
function targetTypesOf(
  parameter: SearchParameter,
  branches: readonly string[],
  types: Element['types'],
): readonly string[] {
  const resolved = branches.map((branch) => /resolve\(\) is (\w+)/.exec(branch)?.[1])
  if (resolved.every((type) => type !== undefined)) return [...new Set(resolved)]
  const targets = new Set(types.flatMap((type) => type.targets))
  const declared: readonly string[] = parameter.target ?? []
  if (targets.has('Resource') || targets.size === 0)
    return declared.length === 0 || declared.length > 140 ? ['*'] : declared
  return [...targets].sort()
}

/**
 * The element type of a token, and the code system that the required bindings of its `code` elements use, if there is
 * only one.
 */
function tokenOf(
  found: readonly Selection[],
  systems: ReadonlyMap<string, string>,
): Pick<SearchParameterRecord, 'system' | 'element'> {
  const elements = found.flatMap(({ elements }) => elements)
  const kinds = new Set(elements.flatMap(({ types }) => types.map(({ code }) => code)))
  const bound = elements.filter(({ types }) => types.some(({ code }) => code === 'code'))
  const [system, ...others] = new Set(bound.map(({ valueSet }) => systems.get(valueSet ?? '')))
  const known = system !== undefined && others.length === 0
  const element = TOKEN_ELEMENTS.find((kind) => kinds.size === 1 && kinds.has(kind))
  return {
    ...(known ? { system } : {}),
    // A code whose system is unknown is handled as a string.
    ...(element === undefined ? {} : { element: element === 'code' && !known ? 'string' : element }),
  }
}

const TOKEN_ELEMENTS = ['ContactPoint', 'Identifier', 'boolean', 'code', 'string'] as const

/** Whether it is about names or addresses, whole ones or parts of them. */
function stringOf(found: readonly Selection[]): Pick<SearchParameterRecord, 'element'> {
  const elements = found.flatMap((selection) => selection.elements)
  const element = (['HumanName', 'Address'] as const).find((type) =>
    elements.every(({ path, types }) => path.startsWith(`${type}.`) || types.every(({ code }) => code === type)),
  )
  return element === undefined ? {} : { element }
}

/** @throws Error when a path does not exist, so that the definitions need a correction above */
function follow(branch: string, definitions: ReadonlyMap<string, ElementDefinition>): Selection {
  const [base = '', ...steps] = splitOutside(branch.replace(/^\((.*?\))\)/, '$1'), '.')
  let elements: readonly Element[] = [{ path: base, types: [] }]
  let repeats = false
  for (const step of steps) {
    const type = /^ofType\((\w+)\)$/.exec(step)?.[1]
    if (type !== undefined)
      elements = elements.map((one) => ({ ...one, types: one.types.filter(({ code }) => code === type) }))
    else if (/^exists\(/.test(step))
      return { elements: [{ path: branch, types: [{ code: 'boolean', targets: [] }] }], repeats: false }
    else if (!/^where\(/.test(step)) {
      const children = elements.flatMap((element) => childOf(element, step.replace('[0]', ''), definitions))
      repeats ||= !step.endsWith('[0]') && children.some(({ max }) => max !== '1')
      elements = children
    }
    if (elements.length === 0) throw new Error(`${branch}: there is no ${step}`)
  }
  return { elements, repeats }
}

function childOf(element: Element, name: string, definitions: ReadonlyMap<string, ElementDefinition>) {
  for (const base of [element.path, ...element.types.map(({ code }) => code)]) {
    const child = definitions.get(`${base}.${name}`) ?? definitions.get(`${base}.${name}[x]`)
    if (child === undefined) continue
    const types = (child.type ?? []).map(({ code, targetProfile = [] }) => ({
      code: code === 'http://hl7.org/fhirpath/System.String' ? 'string' : code,
      targets: targetProfile.map((profile) => profile.slice(profile.lastIndexOf('/') + 1)),
    }))
    const valueSet = child.binding?.strength === 'required' ? child.binding.valueSet?.split('|')[0] : undefined
    return [{ path: child.contentReference?.slice(1) ?? child.path, types, valueSet, max: child.max }]
  }
  return []
}

/** Value set -> its code system, for those that use a single one. */
function systemsByValueSet(): ReadonlyMap<string, string> {
  const systemsOf = ({ compose }: ValueSet) => new Set(compose?.include.map(({ system }) => system))
  return new Map(
    [...terminology().valueSets].flatMap(([url, valueSet]) => {
      const [system, ...others] = systemsOf(valueSet)
      return system === undefined || others.length > 0 ? [] : [[url, system] as const]
    }),
  )
}

/** The data elements take precedence, as they are unmodified; but they lack some elements. */
function elementsByPath(): ReadonlyMap<string, ElementDefinition> {
  const own = structureDefinitions().filter(({ derivation }) => derivation !== 'constraint')
  const elements = own.flatMap(({ snapshot }) => snapshot?.element ?? [])
  return new Map([...elements.map((element) => [element.path, element] as const), ...dataElements()])
}
