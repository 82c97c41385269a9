/**
 * The response of an operation, built according to its OperationDefinition:
 * https://hl7.org/fhir/R4/operations.html#response.
 */
import type { OperationDefinition } from 'fhir/r4'
import { type OperationAnswer, type OperationParameter, parametersOf } from '../core/operation.ts'
import { type AnyResource, isObject, listOf } from '../fhir/resource.ts'

type Entry = Readonly<Record<string, unknown>>

/**
 * A resource is returned as it is; out parameters by name become a Parameters resource, in the definition's order.
 * @throws Error naming an out parameter that the definition lacks: a defect of the handler
 */
export function writeOutput(
  definition: Pick<OperationDefinition, 'code' | 'parameter'>,
  output: OperationAnswer,
): AnyResource {
  if (isResource(output)) return output
  const parameters = parametersOf(definition, 'out')
  return {
    resourceType: 'Parameters',
    ...withEntries('parameter', entriesOf(parameters, output, definition.code ?? '')),
  }
}

const isResource = (output: OperationAnswer): output is AnyResource =>
  'resourceType' in output && typeof output.resourceType === 'string'

const withEntries = (name: 'parameter' | 'part', entries: readonly Entry[]): Entry =>
  entries.length === 0 ? {} : { [name]: entries }

function entriesOf(parameters: readonly OperationParameter[], values: Entry, code: string): readonly Entry[] {
  const unknown = Object.keys(values).find((name) => !parameters.some((parameter) => parameter.name === name))
  if (unknown !== undefined)
    throw new Error(`$${code} answers with '${unknown}', which its OperationDefinition does not have`)
  return parameters.flatMap((parameter) =>
    listOf(values[parameter.name]).map((value) => ({ name: parameter.name, ...contentOf(parameter, value, code) })),
  )
}

function contentOf({ name, type, part }: OperationParameter, value: unknown, code: string): Entry {
  if (part !== undefined) return withEntries('part', entriesOf(part, isObject(value) ? value : {}, code))
  if (isObject(value) && typeof value.resourceType === 'string') return { resource: value }
  // The handler chooses the type of the value, as value[x].
  if (type === 'Element' && isObject(value)) return value
  if (type === undefined) throw new Error(`$${code}: the OperationDefinition gives '${name}' neither a type nor parts`)
  return { [`value${type.charAt(0).toUpperCase()}${type.slice(1)}`]: value }
}
