/** The offer of a server, as its CapabilityStatement has it: https://hl7.org/fhir/R4/capabilitystatement.html */
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4'

/** A thing that a step needs of the server. */
export interface Need {
  readonly type: string
  readonly interaction?: string
  /** Search parameters. */
  readonly parameters?: readonly string[]
  /** Without `$`. */
  readonly operation?: string
}

/** The things that are missing, in words; undefined where all is offered. */
export function missingIn(statement: CapabilityStatement, needs: readonly Need[]): string | undefined {
  const missing = needs.flatMap((need) => lackOf(statement, need))
  return missing.length === 0 ? undefined : missing.join(', ')
}

function lackOf(statement: CapabilityStatement, { type, interaction, parameters = [], operation }: Need) {
  const resource = resourceIn(statement, type)
  if (resource === undefined) return [`the type ${type}`]
  const { interaction: interactions = [], searchParam = [] } = resource
  const names = searchParam.map(({ name }) => name)
  return [
    ...(interaction === undefined || interactions.some(({ code }) => code === interaction)
      ? []
      : [`the interaction ${interaction} of ${type}`]),
    ...parameters.filter((name) => !names.includes(name)).map((name) => `the search parameter ${name} of ${type}`),
    ...(operation === undefined || hasOperation(statement, resource, operation)
      ? []
      : [`the operation $${operation} of ${type}`]),
  ]
}

const restOf = ({ rest = [] }: CapabilityStatement) => rest.find(({ mode }) => mode === 'server')

const resourceIn = (statement: CapabilityStatement, type: string): CapabilityStatementRestResource | undefined =>
  restOf(statement)?.resource?.find((one) => one.type === type)

/** Some statements write `$match`, and many list here at the system what they offer for types. */
const hasOperation = (
  statement: CapabilityStatement,
  { operation = [] }: CapabilityStatementRestResource,
  wanted: string,
): boolean =>
  [...operation, ...(restOf(statement)?.operation ?? [])].some(({ name = '' }) => {
    const bare = name.replace(/^\$/, '').toLowerCase()
    return bare === wanted
  })

/** Whether updates can name the version that they are of. */
export const isVersioned = (statement: CapabilityStatement, type: string): boolean =>
  ['versioned', 'versioned-update'].includes(resourceIn(statement, type)?.versioning ?? '')
