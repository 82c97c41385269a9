/** The CapabilityStatement as requests that can be tried. */
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4'

export interface Offer {
  readonly code: string
  readonly method: string
  /** `Patient/{id}`: the text in braces is to be replaced. */
  readonly path: string
  readonly label: string
}

/** By the code of an interaction: https://hl7.org/fhir/R4/valueset-type-restful-interaction.html. */
const INTERACTIONS: Readonly<Record<string, (type: string) => Omit<Offer, 'code'>>> = {
  read: (type) => ({ method: 'GET', path: `${type}/{id}`, label: 'Read' }),
  vread: (type) => ({ method: 'GET', path: `${type}/{id}/_history/{version}`, label: 'Read a version' }),
  'search-type': (type) => ({ method: 'GET', path: `${type}?_count=20`, label: 'Search' }),
  create: (type) => ({ method: 'POST', path: type, label: 'Create' }),
  update: (type) => ({ method: 'PUT', path: `${type}/{id}`, label: 'Update' }),
  patch: (type) => ({ method: 'PATCH', path: `${type}/{id}`, label: 'Patch' }),
  delete: (type) => ({ method: 'DELETE', path: `${type}/{id}`, label: 'Delete' }),
  'history-instance': (type) => ({ method: 'GET', path: `${type}/{id}/_history`, label: 'History' }),
  'history-type': (type) => ({ method: 'GET', path: `${type}/_history`, label: 'History of the type' }),
}

/** A declared resource that names its type, without which there are no requests for it. */
export interface DeclaredType extends CapabilityStatementRestResource {
  readonly type: NonNullable<CapabilityStatementRestResource['type']>
}

const isNamed = (resource: CapabilityStatementRestResource): resource is DeclaredType => resource.type !== undefined

const resourcesOf = (statement: CapabilityStatement): readonly DeclaredType[] =>
  (statement.rest?.[0]?.resource ?? []).filter(isNamed)

export const offersOf = ({ type, interaction = [] }: DeclaredType): readonly Offer[] =>
  interaction.flatMap(({ code = '' }) => {
    const offer = INTERACTIONS[code]?.(type)
    return offer === undefined ? [] : [{ code, ...offer }]
  })

export const operationOffers = ({ type, operation = [] }: DeclaredType): readonly Offer[] =>
  operation.flatMap(({ name }) => {
    if (name === undefined) return []
    const code = name.replace(/^\$/, '')
    return [{ code, method: 'POST', path: `${type}/$${code}`, label: `$${code}` }]
  })

/** The parameters of searches of a type. */
export const parametersOf = (statement: CapabilityStatement, type: string) =>
  resourceOf(statement, type)?.searchParam ?? []

export const resourceOf = (statement: CapabilityStatement, type: string): DeclaredType | undefined =>
  resourcesOf(statement).find((one) => one.type === type)

/** Whether an interaction is declared; others have no button. */
export const isOffered = (statement: CapabilityStatement, type: string, code: string): boolean =>
  resourceOf(statement, type)?.interaction?.some((each) => each.code === code) === true

/** The types in whose name, search parameters or operations the text occurs. */
export function typesWith(statement: CapabilityStatement, text: string): readonly DeclaredType[] {
  const wanted = text.trim().toLowerCase()
  const all = resourcesOf(statement)
  const has = (name = '') => name.toLowerCase().includes(wanted)
  const byName = all.filter(({ type }) => has(type))
  const byPart = all.filter(
    (one) =>
      !has(one.type) &&
      ((one.searchParam ?? []).some(({ name }) => has(name)) || operationOffers(one).some(({ code }) => has(code))),
  )
  return [...byName, ...byPart]
}

export const typesIn = (statement: CapabilityStatement): readonly string[] =>
  resourcesOf(statement).map(({ type }) => type)

/** The canonical of the operation that an address calls: `Patient/$match`, `$meta`. */
export function operationAt(statement: CapabilityStatement, address: string): string | undefined {
  const [, type = '', code] = /^\/*(?:([A-Z]\w+)\/)?(?:[^/]+\/)*\$([\w-]+)$/.exec(address) ?? []
  if (code === undefined) return undefined
  const operations = [...(resourceOf(statement, type)?.operation ?? []), ...(statement.rest?.[0]?.operation ?? [])]
  return operations.find(({ name }) => name?.replace(/^\$/, '') === code)?.definition
}

/** The types that can be searched. */
export const typesWithSearch = (statement: CapabilityStatement): readonly string[] =>
  typesIn(statement).filter((type) => isOffered(statement, type, 'search-type'))
