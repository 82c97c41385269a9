/** The CapabilityStatement as requests that can be tried. */
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4'
import { EXAMPLE_ID } from '../../fhir/operation-example.ts'

export interface Offer {
  readonly code: string
  readonly method: string
  readonly path: string
  readonly label: string
  /** The kind of the body that it is filled in with; absent: that of the address. */
  readonly fill?: string
}

/** A stored resource to which requests can be made. */
export interface Example {
  readonly id: string
  readonly version: string
}

/** Where no resource is stored. What is written or deleted is this one, and not somebody's. */
export const NO_EXAMPLE: Example = { id: EXAMPLE_ID, version: '1' }

/** By the code of an interaction: https://hl7.org/fhir/R4/valueset-type-restful-interaction.html. */
const INTERACTIONS: Readonly<Record<string, (type: string, example: Example) => Omit<Offer, 'code'>>> = {
  read: (type, { id }) => ({ method: 'GET', path: `${type}/${id}`, label: 'Read' }),
  vread: (type, { id, version }) => ({
    method: 'GET',
    path: `${type}/${id}/_history/${version}`,
    label: 'Read a version',
  }),
  'search-type': (type) => ({ method: 'GET', path: `${type}?_count=20`, label: 'Search' }),
  create: (type) => ({ method: 'POST', path: type, label: 'Create' }),
  update: (type) => ({ method: 'PUT', path: `${type}/${NO_EXAMPLE.id}`, label: 'Update' }),
  patch: (type, { id }) => ({ method: 'PATCH', path: `${type}/${id}`, label: 'Patch' }),
  delete: (type) => ({ method: 'DELETE', path: `${type}/${NO_EXAMPLE.id}`, label: 'Delete' }),
  'history-instance': (type, { id }) => ({ method: 'GET', path: `${type}/${id}/_history`, label: 'History' }),
  'history-type': (type) => ({ method: 'GET', path: `${type}/_history?_count=20`, label: 'History of the type' }),
}

/** The same of the whole system. */
const OF_SYSTEM: Readonly<Record<string, Omit<Offer, 'code'>>> = {
  transaction: { method: 'POST', path: '/', label: 'Transaction', fill: 'transaction' },
  batch: { method: 'POST', path: '/', label: 'Batch', fill: 'batch' },
  'search-system': { method: 'GET', path: '?_type=Patient,Practitioner&_count=20', label: 'Search all types' },
  'history-system': { method: 'GET', path: '_history?_count=20', label: 'History of all types' },
}

/** A declared resource that names its type, without which there are no requests for it. */
export interface DeclaredType extends CapabilityStatementRestResource {
  readonly type: NonNullable<CapabilityStatementRestResource['type']>
}

const isNamed = (resource: CapabilityStatementRestResource): resource is DeclaredType => resource.type !== undefined

const resourcesOf = (statement: CapabilityStatement): readonly DeclaredType[] =>
  (statement.rest?.[0]?.resource ?? []).filter(isNamed)

export const offersOf = ({ type, interaction = [] }: DeclaredType, example: Example): readonly Offer[] =>
  interaction.flatMap(({ code = '' }) => {
    const offer = INTERACTIONS[code]?.(type, example)
    return offer === undefined ? [] : [{ code, ...offer }]
  })

export const systemOffers = (statement: CapabilityStatement): readonly Offer[] => [
  { code: 'capabilities', method: 'GET', path: 'metadata', label: 'Capabilities' },
  ...(statement.rest?.[0]?.interaction ?? []).flatMap(({ code = '' }) => {
    const offer = OF_SYSTEM[code]
    return offer === undefined ? [] : [{ code, ...offer }]
  }),
]

export interface DeclaredOperation {
  /** Without `$`. */
  readonly code: string
  /** The canonical of its OperationDefinition. */
  readonly definition: string
}

/** @param holder of operations: a resource, or the system */
export const operationsOf = (
  holder: Pick<CapabilityStatementRestResource, 'operation'> | undefined,
): readonly DeclaredOperation[] =>
  (holder?.operation ?? []).flatMap(({ name, definition }) =>
    name === undefined || definition === undefined ? [] : [{ code: name.replace(/^\$/, ''), definition }],
  )

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
      ((one.searchParam ?? []).some(({ name }) => has(name)) || operationsOf(one).some(({ code }) => has(code))),
  )
  return [...byName, ...byPart]
}

export const typesIn = (statement: CapabilityStatement): readonly string[] =>
  resourcesOf(statement).map(({ type }) => type)

/** The canonical of the operation that an address calls: `Patient/$match`, `$meta`. */
export function operationAt(statement: CapabilityStatement, address: string): string | undefined {
  const [, type = '', code] = /^\/*(?:([A-Z]\w+)\/)?(?:[^/]+\/)*\$([\w-]+)$/.exec(address) ?? []
  if (code === undefined) return undefined
  const operations = [...operationsOf(resourceOf(statement, type)), ...operationsOf(statement.rest?.[0])]
  return operations.find((one) => one.code === code)?.definition
}

/** The types that can be searched. */
export const typesWithSearch = (statement: CapabilityStatement): readonly string[] =>
  typesIn(statement).filter((type) => isOffered(statement, type, 'search-type'))
