/**
 * The tools by the Model Context Protocol (https://modelcontextprotocol.io/specification), over streamable HTTP: stateless,
 * answered in JSON, in the revision of 2026-07-28 and those of 2025. `/mcp` has all tools, `/mcp/{family}` those of one.
 */
import type { Router } from '@koa/router'
import type { Tool } from '@modelcontextprotocol/server'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Envelope } from '../calls/envelope.ts'
import type { RunResult, ToolAddress } from '../calls/tool-runner.ts'
import type { Limits } from '../config.ts'
import { notFound } from '../fhir/outcome.ts'
import { readJsonBody } from '../http/message/body.ts'
import { requestKeyOf } from './platform-request.ts'
import type { ToolDescription } from './tool-descriptions.ts'

export const MCP = 'mcp'

/** Runs the tool calls of a request. @param body the request's, in which trusted metadata of the call may be */
export type CallTools = (
  koa: KoaContext,
  address: ToolAddress,
  envelope: Envelope,
  body: unknown,
) => Promise<readonly RunResult[]>

interface McpParts {
  readonly secret: Middleware
  readonly tools: readonly ToolDescription[]
  readonly callTools: CallTools
  readonly limits: Limits
  readonly baseOf: (koa: KoaContext) => string
}

/** The exchange that a server of the protocol is made for; the library passes it on. */
interface Exchange {
  readonly koa: KoaContext
  readonly family: string | undefined
  /** An error for the rest of this server, which the library would turn into a response: work for a thread, or 503. */
  thrown?: unknown
}

export function addMcp(router: Router, { secret, tools, callTools, limits, baseOf }: McpParts): void {
  const families = new Set(tools.map(({ family }) => family))
  // Loaded when first needed: most servers never are.
  let loaded: Promise<McpDoor> | undefined
  router.post([`/${MCP}`, `/${MCP}/:family`], secret, async (koa) => {
    const { family } = koa.params
    if (family !== undefined && !families.has(family))
      throw notFound(`There is no family '${family}'; there are ${[...families].join(', ')}`)
    const body = await readJsonBody(koa, limits)
    loaded ??= openDoor(tools, callTools)
    const exchange: Exchange = { koa, family }
    const response = await (await loaded)(exchange, requestOf(koa, baseOf(koa)), body)
    if (exchange.thrown !== undefined) throw exchange.thrown
    koa.status = response.status
    const type = response.headers.get('content-type')
    if (type !== null) koa.type = type
    koa.body = await response.text()
  })
}

/** The request as the library reads it; its body has been read. */
const requestOf = (koa: KoaContext, base: string): Request =>
  new Request(`${base}${koa.path}`, {
    method: 'POST',
    headers: Object.entries(koa.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !HOP_BY_HOP.has(name) ? [[name, value] as [string, string]] : [],
    ),
  })

const HOP_BY_HOP = new Set(['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade'])

type McpDoor = (exchange: Exchange, request: Request, body: unknown) => Promise<Response>

async function openDoor(tools: readonly ToolDescription[], callTools: CallTools): Promise<McpDoor> {
  const { createMcpHandler, isLegacyRequest, Server, WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/server'
  )
  const listed = tools.map((tool) => ({ family: tool.family, entry: mcpTool(tool) }))
  const serverFor = (exchange: Exchange) => {
    const { family } = exchange
    const server = new Server(SERVER, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
    server.setRequestHandler('tools/list', () => ({
      tools: listed.filter((one) => family === undefined || one.family === family).map(({ entry }) => entry),
    }))
    server.setRequestHandler('tools/call', async ({ params }) => {
      try {
        return await resultOf(exchange, params, callTools)
      } catch (error) {
        exchange.thrown = error
        throw error
      }
    })
    return server
  }
  const modern = createMcpHandler((context) => serverFor(context.authInfo?.extra?.exchange as Exchange), {
    legacy: 'reject',
    responseMode: 'json',
  })
  return async (exchange, request, parsedBody) => {
    if (!(await isLegacyRequest(request, parsedBody)))
      return modern.fetch(request, {
        parsedBody,
        authInfo: { token: '', clientId: '', scopes: [], extra: { exchange } },
      })
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await serverFor(exchange).connect(transport)
    return transport.handleRequest(request, { parsedBody })
  }
}

/** As clients show it. */
const SERVER = { name: 'sandbox-emr', title: 'Sandbox EMR', version: '1.0.0' }

const INSTRUCTIONS =
  'Tools for a phone call with a patient of a clinic. Say the sentence in `say` to the caller. When `success` is false, `code` and `error` tell what was wrong.'

/** https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool */
const mcpTool = ({ name, title, description, isReadOnly, parameters, result }: ToolDescription): Tool => ({
  name,
  title,
  description,
  inputSchema: parameters as Tool['inputSchema'],
  outputSchema: result as Tool['inputSchema'],
  annotations: {
    title,
    readOnlyHint: isReadOnly,
    destructiveHint: DESTRUCTIVE.has(name),
    // A repeat with the same arguments under a new id is a tool call of its own.
    idempotentHint: isReadOnly,
    openWorldHint: false,
  },
})

/** Tools that end something which the caller had. */
const DESTRUCTIVE = new Set(['cancel_appointment', 'reschedule_appointment', 'set_contact_preference'])

/** The result of one tool call; a tool that failed is a result too, so that the model can read it. */
async function resultOf(
  { koa, family }: Exchange,
  params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
  callTools: CallTools,
) {
  const call = { id: requestKeyOf(koa), name: params.name, arguments: params.arguments ?? {} }
  const [ran] = await callTools(koa, { family }, { style: 'plain', calls: [call] }, undefined)
  const text = ran?.result ?? '{}'
  const structuredContent = JSON.parse(text) as Record<string, unknown>
  return {
    content: [{ type: 'text' as const, text }],
    structuredContent,
    isError: ran?.status !== 200 || structuredContent.success === false,
  }
}
