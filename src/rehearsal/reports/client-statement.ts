/**
 * The client as it was seen, as a CapabilityStatement with rest.mode client: https://hl7.org/fhir/R4/capabilitystatement.html. Its
 * kind is `instance`, as it tells what one client has done; `requirements` would be for others to fulfil.
 */
import type {
  CapabilityStatement,
  CapabilityStatementRest,
  CapabilityStatementRestInteraction,
  CapabilityStatementRestResource,
  CapabilityStatementRestResourceInteraction,
  CapabilityStatementRestResourceOperation,
  CapabilityStatementRestResourceSearchParam,
} from 'fhir/r4'
import { operationDefinitionUrl } from '../../core/shipped.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { nonEmpty, present } from '../../fhir/resource.ts'
import { definedParameter } from '../../search/parameters.ts'
import { fhirText } from '../plans/fhir-text.ts'
import type { Observed, ObservedType, RunReport } from '../runs/run.ts'
import { serverOf } from './addresses.ts'
import { planOf } from './words.ts'

type Described = Pick<
  RunReport,
  'run' | 'clinic' | 'client' | 'base' | 'as' | 'plan' | 'version' | 'startedAt' | 'endedAt'
>

export function clientStatementOf(observed: Observed, report: Described): CapabilityStatement {
  const { run, clinic, client, startedAt, endedAt } = report
  const name = fhirText(client) ?? 'A client without a name'
  return {
    resourceType: 'CapabilityStatement',
    id: run,
    url: `${serverOf(report)}/clinics/${encodeURIComponent(clinic)}/runs/${run}/capability`,
    name: 'ObservedClient',
    title: `${name} as it was seen`,
    status: 'active',
    experimental: true,
    date: endedAt ?? startedAt,
    description: `What a client was seen to use during the run ${run} of the plan ${planOf(report)}; it may be able to do more.`,
    kind: 'instance',
    implementation: { description: name },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json'],
    rest: [restOf(observed)],
  }
}

/** Codes of https://hl7.org/fhir/R4/valueset-type-restful-interaction.html. */
const OF_TYPE: ReadonlySet<string> = new Set([
  ...['read', 'vread', 'update', 'patch', 'delete', 'history-instance', 'history-type', 'create', 'search-type'],
])
/** Codes of https://hl7.org/fhir/R4/valueset-system-restful-interaction.html. */
const OF_SYSTEM: ReadonlySet<string> = new Set(['transaction', 'batch', 'search-system', 'history-system'])

function restOf({ types, interactions, operations, tools }: Observed): CapabilityStatementRest {
  const resources = Object.entries(types).flatMap(([type, used]) =>
    isResourceType(type) ? [resourceOf(type, used)] : [],
  )
  const codes = interactions.filter((code) => OF_SYSTEM.has(code))
  return {
    mode: 'client',
    ...present({
      documentation: tools.length === 0 ? undefined : fhirText(`Tools of live calls: ${tools.join(', ')}`),
    }),
    ...nonEmpty({
      resource: resources,
      interaction: codes.map((code) => ({ code: code as CapabilityStatementRestInteraction['code'] })),
      operation: operations.filter(isWritable).map((name) => operationOf(undefined, name)),
    }),
  }
}

const resourceOf = (type: string, used: ObservedType): CapabilityStatementRestResource => ({
  type: type as CapabilityStatementRestResource['type'],
  ...nonEmpty({
    interaction: used.interactions
      .filter((code) => OF_TYPE.has(code))
      .map((code) => ({ code: code as CapabilityStatementRestResourceInteraction['code'] })),
    searchParam: used.searchParameters.filter(isWritable).map((name) => searchParamOf(type, name)),
    operation: used.operations.filter(isWritable).map((name) => operationOf(type, name)),
  }),
})

function searchParamOf(type: string, name: string): CapabilityStatementRestResourceSearchParam {
  const { url, type: kind = 'special' } = definedParameter(type, name) ?? {}
  return { name, ...present({ definition: url }), type: kind }
}

function operationOf(type: string | undefined, name: string): CapabilityStatementRestResourceOperation {
  const unknown = `http://hl7.org/fhir/OperationDefinition/${type ?? 'Resource'}-${encodeURIComponent(name)}`
  return { name, definition: operationDefinitionUrl(type, name) ?? unknown }
}

/** Clients may send any name, also one that no string of FHIR can be. */
const isWritable = (name: string): boolean => fhirText(name) === name
