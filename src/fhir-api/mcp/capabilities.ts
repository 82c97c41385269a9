/** A summary of the CapabilityStatement, short enough for a model to read. */
import type { CapabilityStatement, CapabilityStatementRestResource } from 'fhir/r4'
import { noResourceType } from '../../fhir/closest-name.ts'
import { isResourceType } from '../../fhir/definitions.ts'
import { notFound } from '../../fhir/outcome.ts'

/** The types by their interactions, and what holds for all types. */
export function summaryOf({ fhirVersion, software, rest = [] }: CapabilityStatement): object {
  const [{ resource = [], searchParam = [], operation = [] } = {}] = rest
  const types = Map.groupBy(resource, (one) => interactionsOf(one).join(' '))
  return {
    fhirVersion,
    software: software?.name,
    types: [...types].map(([interactions, served]) => ({
      interactions: interactions.split(' '),
      types: served.map(({ type }) => type),
    })),
    searchParametersOfAllTypes: searchParam.map(({ name }) => name),
    operationsOfTheSystem: operation.map(({ name }) => `$${name}`),
  }
}

/** @throws FhirError 404 for a type that is not served */
export function summaryOfType({ rest = [] }: CapabilityStatement, type: string): object {
  const found = rest[0]?.resource?.find((one) => one.type === type)
  if (found === undefined)
    throw notFound(isResourceType(type) ? `${type} is not served` : `In the argument type: ${noResourceType(type)}`)
  return {
    type,
    interactions: interactionsOf(found),
    searchParameters: (found.searchParam ?? []).map((parameter) => ({
      name: parameter.name,
      type: parameter.type,
      documentation: parameter.documentation,
    })),
    includes: found.searchInclude,
    reverseIncludes: found.searchRevInclude,
    operations: (found.operation ?? []).map(({ name }) => `$${name}`),
  }
}

const interactionsOf = ({ interaction = [] }: CapabilityStatementRestResource): readonly string[] =>
  interaction.flatMap(({ code = [] }) => code)
