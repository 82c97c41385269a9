/**
 * FHIR by the Model Context Protocol, at `/mcp/fhir`: for integrators, with the token of a user. Each tool makes a FHIR request
 * of that user, so that all rules of the FHIR routes hold for it.
 */
import { Router } from '@koa/router'
import type { CallToolResult, ResourceTemplateType, Tool } from '@modelcontextprotocol/server'
import type { CapabilityStatement } from 'fhir/r4'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import { closestName } from '../../fhir/closest-name.ts'
import { parseJson } from '../../fhir/json.ts'
import { FhirError, notFound, toOutcome } from '../../fhir/outcome.ts'
import { forbidden } from '../../http/authenticate.ts'
import { failureOf, reasonOf } from '../../http/errors.ts'
import { exchangeOf, stateOf } from '../../http/exchange.ts'
import { answerMcp, MCP, type McpEndpoint } from '../../http/mcp.ts'
import { type SideRouter, sideRouter } from '../../http/side-router.ts'
import { NO_SUBJECT } from '../../record/audit/event.ts'
import { type InnerRequest, innerAnswer } from './inner-request.ts'
import {
  checkArguments,
  FHIR_TOOLS,
  type FhirTool,
  MOST_CHARACTERS,
  readOf,
  schemaOf,
  type ToolServices,
} from './tools.ts'

interface FhirMcpServices extends Pick<McpEndpoint, 'limits' | 'baseOf' | 'corsOrigins'> {
  readonly statement: CapabilityStatement
  /** The FHIR routes. */
  readonly fhir: Middleware
  readonly logger: Logger
}

const PATH = `${MCP}/fhir`

/** Run after `authenticate`. */
export function fhirMcpRoutes(services: FhirMcpServices): SideRouter {
  const { limits, baseOf, corsOrigins } = services
  const answer = answerMcp({
    capabilities: { tools: {}, resources: {} },
    instructions: INSTRUCTIONS,
    limits,
    baseOf,
    corsOrigins,
    addHandlers: handlersOf(services),
  })
  const router = new Router()
  router.post(`/${PATH}`, (koa) => answer(koa))
  return sideRouter([PATH], router)
}

const handlersOf =
  ({ statement, fhir, logger }: FhirMcpServices): McpEndpoint['addHandlers'] =>
  (server, koa, passing) => {
    const services: ToolServices = { statement, ask: (request) => innerAnswer(koa, fhir, request) }
    const outcome = (work: () => Promise<string>) => outcomeOf(koa, logger, work)
    server.setRequestHandler('tools/list', () => ({
      tools: mayWrite(koa) ? ALL : READING,
    }))
    server.setRequestHandler('tools/call', ({ params: { name, arguments: given = {} } }) =>
      passing(async () => resultOf(await outcome(() => runTool(koa, name, given, services)))),
    )
    server.setRequestHandler('resources/list', () => ({ resources: [] }))
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [TEMPLATE] }))
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const { isError, text } = await passing(() => outcome(() => services.ask(requestAt(uri))))
      if (isError) throw await resourceError(uri, text)
      return { contents: [{ uri, mimeType: TEMPLATE.mimeType, text }] }
    })
  }

const INSTRUCTIONS =
  'FHIR R4 resources of one clinic. Begin with fhir_capabilities, which names types and search parameters. A result with isError is an OperationOutcome that says what was wrong, and what would be right.'

/** https://modelcontextprotocol.io/specification/2025-11-25/server/resources#resource-templates */
const TEMPLATE = {
  uriTemplate: 'fhir://{type}/{id}',
  name: 'resource',
  title: 'FHIR resource',
  description: 'A resource by its type and id, such as fhir://Patient/123',
  mimeType: 'application/fhir+json',
} as const satisfies ResourceTemplateType

const mayWrite = (koa: KoaContext): boolean => stateOf(koa).clinic?.settings.mcpWrites === true

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool */
const mcpTool = (name: string, tool: FhirTool): Tool => ({
  name,
  title: tool.title,
  description: tool.description,
  inputSchema: schemaOf(tool) as Tool['inputSchema'],
  annotations: {
    title: tool.title,
    readOnlyHint: !tool.writes,
    destructiveHint: name === 'fhir_update',
    // A repeated update is refused, as its version is no longer the current one.
    idempotentHint: name !== 'fhir_create',
    openWorldHint: false,
  },
})

const ALL = Object.entries(FHIR_TOOLS).map(([name, tool]) => mcpTool(name, tool))
const READING = ALL.filter(({ name }) => !FHIR_TOOLS[name]?.writes)

/** @throws FhirError 404 for an unknown tool, 403 where it writes and the clinic lets no tool write, 400 for its arguments */
function runTool(
  koa: KoaContext,
  name: string,
  given: Readonly<Record<string, unknown>>,
  services: ToolServices,
): Promise<string> {
  const tool = Object.hasOwn(FHIR_TOOLS, name) ? FHIR_TOOLS[name] : undefined
  if (tool === undefined) throw noTool(name)
  if (tool.writes && !mayWrite(koa)) {
    exchangeOf(koa).accesses = [{ ...NO_SUBJECT, interaction: 'refusal', detail: name }]
    throw forbidden(`The clinic does not let ${name} write; PUT /clinics/{id}/settings with "mcpWrites": true lets it`)
  }
  checkArguments(tool, given)
  return tool.run(given, services)
}

function noTool(name: string): FhirError {
  const names = Object.keys(FHIR_TOOLS)
  const nearest = closestName(name, names)
  const hint = nearest === undefined ? `there are ${names.join(', ')}` : `the nearest is ${nearest}`
  return notFound(`There is no tool '${name.slice(0, 100)}'; ${hint}`)
}

interface Outcome {
  readonly isError: boolean
  /** The result, or an OperationOutcome. */
  readonly text: string
}

/**
 * The outcome of a tool: a refusal is one too, so that the model can read it.
 * @throws FhirError 429 or 5xx, which say that the client is to try again, whatever it asked; OffloadRequired
 */
async function outcomeOf(koa: KoaContext, logger: Logger, work: () => Promise<string>): Promise<Outcome> {
  try {
    return { isError: false, text: readable(await work()) }
  } catch (error) {
    const failure = failureOf(error, logger, { method: koa.method, route: `/${PATH}` })
    const { status, issues } = failure
    if (status === 429 || status >= 500) throw failure
    const exchange = exchangeOf(koa)
    exchange.reason = reasonOf(failure)
    // The status of the response, which an access has otherwise, is 200.
    exchange.accesses = exchange.accesses.map((access) => (access.status === 0 ? { ...access, status } : access))
    return { isError: true, text: JSON.stringify(toOutcome(issues)) }
  }
}

/** @throws FhirError 422 for what is longer than a model can read */
function readable(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  throw new FhirError(422, {
    code: 'too-long',
    diagnostics: `The result has ${text.length} characters, and ${MOST_CHARACTERS} are the most; ask for a part of it with fhir_search: _id, and _elements or _summary=true`,
  })
}

function resultOf({ isError, text }: Outcome): CallToolResult {
  return {
    content: [{ type: 'text', text }],
    structuredContent: parseJson(text) as Record<string, unknown>,
    isError,
  }
}

/** @throws FhirError 404 for what is no address of a resource */
function requestAt(uri: string): InnerRequest {
  const [, type, id] = /^fhir:\/\/([A-Za-z]+)\/([A-Za-z0-9.-]+)$/.exec(uri) ?? []
  if (type === undefined || id === undefined)
    throw notFound(`There is nothing at '${uri.slice(0, 200)}'; resources have addresses such as fhir://Patient/123`)
  return readOf(type, id)
}

/** The error of the protocol for a resource that cannot be read, with the OperationOutcome. */
async function resourceError(uri: string, outcome: string): Promise<Error> {
  const { ProtocolError, ProtocolErrorCode } = await import('@modelcontextprotocol/server')
  return new ProtocolError(ProtocolErrorCode.ResourceNotFound, `Cannot read ${uri}`, {
    uri,
    outcome: JSON.parse(outcome),
  })
}
