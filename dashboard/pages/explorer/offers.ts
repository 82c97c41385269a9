/** The CapabilityStatement as requests that can be tried. */
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4'

export interface Offer {
  readonly code: string
  readonly method: string
  /** `Patient/{id}`: what stands in braces is to be filled in. */
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

const resourcesOf = (statement: CapabilityStatement): readonly CapabilityStatementRestResource[] =>
  statement.rest?.[0]?.resource ?? []

export const offersOf = ({ type, interaction = [] }: CapabilityStatementRestResource): readonly Offer[] =>
  interaction.flatMap(({ code }) => {
    const offer = INTERACTIONS[code]?.(type)
    return offer === undefined ? [] : [{ code, ...offer }]
  })

/** Whether an interaction is declared: what is not, has no button. */
export const isOffered = (statement: CapabilityStatement, type: string, code: string): boolean =>
  resourcesOf(statement).some((one) => one.type === type && one.interaction?.some((each) => each.code === code))

/** The types in whose name, search parameters or operations the text occurs. */
export function typesWith(statement: CapabilityStatement, text: string): readonly CapabilityStatementRestResource[] {
  const wanted = text.trim().toLowerCase()
  const all = resourcesOf(statement)
  const has = (name: string) => name.toLowerCase().includes(wanted)
  const byName = all.filter(({ type }) => has(type))
  const byPart = all.filter(
    ({ type, searchParam = [], operation = [] }) =>
      !has(type) &&
      (searchParam.some(({ name }) => has(name)) || operation.some(({ name }) => has(name.replace(/^\$/, '')))),
  )
  return [...byName, ...byPart]
}
