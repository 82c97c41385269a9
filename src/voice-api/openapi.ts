/**
 * OpenAPI documents (https://spec.openapis.org/oas/v3.1.1): of the tools, in plain mode (the body is the arguments, the
 * response the result object), and of all routes that are not FHIR's. The routes that no definition of a tool describes are
 * data in resources/openapi/.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema, Place, ToolDescription } from './tool-descriptions.ts'

type Members = Readonly<Record<string, object>>

/** An OpenAPI document, or the part of one that a file of resources/openapi/ holds. */
interface Described {
  readonly tags: readonly object[]
  readonly paths: Members
  /** By kind (`schemas`, `responses`, …), then by name. */
  readonly components: Readonly<Record<string, Members>>
}

/** The tools, and the other routes beside them. */
export function openApiOfServer(tools: readonly ToolDescription[], place: Place): object {
  const { info, ...ofTools } = openApiOf(tools, place)
  return { ...ofTools, info: { ...info, ...WHOLE }, ...joined([ofTools, ...otherRoutes()]) }
}

const WHOLE = {
  title: 'Sandbox EMR',
  description:
    'The routes of live calls, sessions, accounts, clinics, the journal and health. FHIR interactions are described by the CapabilityStatement at /metadata.',
}

const FOLDER = join(import.meta.dirname, '../../resources/openapi')

let read: readonly Described[] | undefined

/** The files of resources/openapi/, read when first needed: most servers are never asked. */
function otherRoutes(): readonly Described[] {
  read ??= readdirSync(FOLDER)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')))
  return read
}

function joined(parts: readonly Described[]): Described {
  const kinds = new Set(parts.flatMap(({ components }) => Object.keys(components)))
  const ofKind = (kind: string): Members => Object.assign({}, ...parts.map(({ components }) => components[kind]))
  return {
    tags: parts.flatMap(({ tags }) => tags),
    paths: Object.assign({}, ...parts.map(({ paths }) => paths)),
    components: Object.fromEntries([...kinds].map((kind) => [kind, ofKind(kind)])),
  }
}

/** The tools alone. */
export const openApiOf = (tools: readonly ToolDescription[], { base }: Place) => ({
  openapi: '3.1.1',
  info: {
    title: 'Sandbox EMR: tools of live calls',
    version: '1.0.0',
    description: 'What a voice agent calls while a patient is on the phone. FHIR interactions are in /metadata.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: base }],
  security: [{ voiceSecret: [] }],
  tags: [...new Set(tools.map(({ family }) => family))].map((name) => ({ name })),
  paths: Object.fromEntries(tools.map((tool) => [tool.path, pathOf(tool)])),
  components: {
    securitySchemes: { voiceSecret: { type: 'apiKey', in: 'header', name: 'x-voice-secret' } },
    parameters: Object.fromEntries(CALL_HEADERS.map(([key, name, description]) => [key, header(name, description)])),
    responses: {
      Unauthorized: { description: 'The header x-voice-secret is missing or wrong.' },
      TooLarge: { description: 'The body is larger than this server takes.' },
      Failed: {
        description:
          'The body cannot be read, or, with `Prefer: status`, the tool call failed: its result, as with the status 200.',
        content: { 'application/json': { schema: { type: 'object' } } },
      },
    },
  },
})

const CALL_HEADERS = [
  ['CallId', 'x-call-id', 'The call; the same in each of its requests.'],
  ['CallTo', 'x-call-to', 'The dialled number, which decides the clinic.'],
  ['CallFrom', 'x-call-from', 'The number of the caller.'],
  ['ToolCallId', 'x-tool-call-id', 'The tool call: repeated with the same id, it gets the result of the first.'],
  ['Prefer', 'prefer', '`status`: a tool call that failed has a status of 400 to 599. Without it the status is 200.'],
] as const

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
})

const callHeaders = CALL_HEADERS.map(([key]) => ({ $ref: `#/components/parameters/${key}` }))

function pathOf(tool: ToolDescription): object {
  const { name, parameters, example } = tool
  const json = { schema: parameters, ...(example && { example: example.arguments }) }
  const body = { required: true, content: { 'application/json': json } }
  const post = { ...operationOf(tool, name), requestBody: body }
  if (!tool.isReadOnly) return { post }
  const get = operationOf(tool, `get_${name}`)
  return { post, get: { ...get, parameters: [...callHeaders, ...queryOf(parameters)] } }
}

const operationOf = ({ title, family, description, result }: ToolDescription, operationId: string) => ({
  operationId,
  summary: title,
  description,
  tags: [family],
  parameters: callHeaders,
  responses: {
    200: { description: 'The result.', content: { 'application/json': { schema: result } } },
    401: { $ref: '#/components/responses/Unauthorized' },
    413: { $ref: '#/components/responses/TooLarge' },
    default: { $ref: '#/components/responses/Failed' },
  },
})

const queryOf = ({ properties = {}, required = [] }: JsonSchema) =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }))
