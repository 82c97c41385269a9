/**
 * The live-call tools as a client sees them: name, address, arguments and result as JSON Schema
 * (https://json-schema.org/draft/2020-12/schema), made once from the OperationDefinitions.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool, ToolFamilies } from '../calls/tool.ts'
import { type OperationParameter, parametersOf } from '../core/operation.ts'

export interface JsonSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly examples?: readonly unknown[]
}

/** The server, as the client of a request addresses it. */
export interface Place {
  /** Without a slash at the end. */
  readonly base: string
  /** Whether the tools are those of one family, or one of them. */
  readonly isChosen?: boolean
}

export interface ToolDescription {
  readonly name: string
  readonly family: string
  readonly title: string
  readonly description: string
  /** As in `POST /{family}/{name}`. */
  readonly path: string
  /** The reference to its OperationDefinition. */
  readonly operation: string
  /** Whether it changes nothing (`OperationDefinition.affectsState`). */
  readonly isReadOnly: boolean
  readonly parameters: JsonSchema
  /**
   * Every result has `say`, and `success` or `valid`; a failed one has `code` and `error` besides. Any may have `hint` and
   * `ignored` (docs/live-calls.md).
   */
  readonly result: JsonSchema
  /** Absent for a tool of an extension. */
  readonly example?: ToolExample
}

/** A tool call as the demo clinic answers it; keys and times differ from call to call. */
export interface ToolExample {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly result: Readonly<Record<string, unknown>>
}

const EXAMPLES = join(import.meta.dirname, '../../resources/tool-examples.json')

/** By tool, those of a family in the order of a call. */
export const toolExamples: ReadonlyMap<string, ToolExample> = new Map(
  Object.entries(JSON.parse(readFileSync(EXAMPLES, 'utf8'))),
)

export const describeTools = (families: ToolFamilies): readonly ToolDescription[] =>
  Object.entries(families).flatMap(([family, tools]) =>
    Object.entries(tools).map(([name, tool]) => describeTool(family, name, tool)),
  )

function describeTool(family: string, name: string, { operation: { definition }, values = {} }: Tool): ToolDescription {
  const { id, title = name, description = title, affectsState = true } = definition
  const taken = parametersOf(definition, 'in')
  const given = parametersOf(definition, 'out')
  const example = toolExamples.get(name)
  return {
    name,
    family,
    title,
    description,
    path: `/${family}/${name}`,
    operation: `OperationDefinition/${id}`,
    isReadOnly: !affectsState,
    parameters: {
      ...objectOf(taken, values),
      required: taken.filter(({ min }) => min > 0).map((one) => one.name),
      additionalProperties: false,
    },
    result: {
      ...objectOf(given, {}),
      required: given.filter((one) => IN_EVERY_RESULT.includes(one.name)).map((one) => one.name),
      ...(example && { examples: [example.result] }),
    },
    ...(example && { example }),
  }
}

const IN_EVERY_RESULT = ['success', 'valid', 'say']

type Values = Readonly<Record<string, readonly string[]>>

const objectOf = (members: readonly OperationParameter[], values: Values) => ({
  type: 'object',
  properties: Object.fromEntries(members.map((one) => [one.name, schemaOf(one, values[one.name])])),
})

function schemaOf({ type, max, part, documentation }: OperationParameter, values?: readonly string[]): JsonSchema {
  const description = documentation === undefined ? {} : { description: documentation }
  if (part !== undefined && isMap(part)) return { type: 'object', additionalProperties: true, ...description }
  const one =
    part === undefined
      ? { type: JSON_TYPES[type ?? ''] ?? 'string', ...(values && { enum: values }) }
      : { ...objectOf(part, {}), required: part.filter(({ min }) => min > 0).map(({ name }) => name) }
  return { ...(max === '1' ? one : { type: 'array', items: one }), ...description }
}

/** Parts `name` and `value`: in the result of a tool an object whose members have these names and values. */
const isMap = (parts: readonly OperationParameter[]): boolean =>
  parts.length === 2 && parts.every(({ name }, index) => name === ['name', 'value'][index])

/** JSON types of FHIR types that are not strings in JSON. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  decimal: 'number',
  integer: 'integer',
  positiveInt: 'integer',
  unsignedInt: 'integer',
}
