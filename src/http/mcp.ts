/**
 * Endpoints of the Model Context Protocol (https://modelcontextprotocol.io/specification), over streamable HTTP: stateless,
 * answered in JSON, in the revision of 2026-07-28 and those of 2025.
 */
import type { Server, ServerCapabilities } from '@modelcontextprotocol/server'
import type { Context as KoaContext } from 'koa'
import type { Limits } from '../config.ts'
import { badRequest } from '../fhir/outcome.ts'
import { requireKnownOrigin } from './cors.ts'
import { readJsonBody } from './message/body.ts'

/** The first path segment of all endpoints. */
export const MCP = 'mcp'

/**
 * Runs the work of a handler. An error in it ends the HTTP request as an error anywhere else does, a move to a work thread
 * included; the library would make it a response of the protocol.
 */
type Passing = <T>(work: () => Promise<T>) => Promise<T>

export interface McpEndpoint {
  readonly capabilities: ServerCapabilities
  readonly instructions: string
  readonly limits: Pick<Limits, 'bodyBytes' | 'jsonDepth'>
  /** Origins of web pages that may use it from a browser, besides those of the server's own machine. */
  readonly corsOrigins: readonly string[]
  /** The address of this server as the client sees it. */
  readonly baseOf: (koa: KoaContext) => string
  /** Sets the handlers of the server that is made for one request. */
  readonly addHandlers: (server: Server, koa: KoaContext, passing: Passing) => void
}

/** The exchange that a server of the protocol is made for; the library passes it on. */
interface Exchange {
  readonly koa: KoaContext
  /** An error for the rest of this server: see `Passing`. */
  thrown?: unknown
}

/** @throws FhirError as `readJsonBody` and `requireKnownOrigin`, 400 for a batch, and what `Passing` passes on */
export function answerMcp(endpoint: McpEndpoint): (koa: KoaContext) => Promise<void> {
  // Loaded when first needed: most servers never are.
  let loaded: Promise<McpDoor> | undefined
  return async (koa) => {
    requireKnownOrigin(koa, endpoint.corsOrigins)
    const body = await readJsonBody(koa, endpoint.limits)
    // One of several messages may have had an effect when another has to move to a work thread, where both would run.
    if (Array.isArray(body)) throw badRequest('The body is a list of messages; send one message in each request')
    loaded ??= openDoor(endpoint)
    const exchange: Exchange = { koa }
    const response = await (await loaded)(exchange, requestOf(koa, endpoint.baseOf(koa)), body)
    if (exchange.thrown !== undefined) throw exchange.thrown
    koa.status = response.status
    const type = response.headers.get('content-type')
    if (type !== null) koa.type = type
    koa.body = Buffer.from(await response.arrayBuffer())
  }
}

/** The request as the library reads it, with the headers that it looks at; the body has been read. */
const requestOf = (koa: KoaContext, base: string): Request =>
  new Request(`${base}${koa.path}`, {
    method: 'POST',
    headers: Object.entries(koa.headers).filter(
      (header): header is [string, string] => OF_PROTOCOL.test(header[0]) && typeof header[1] === 'string',
    ),
  })

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http */
const OF_PROTOCOL = /^(accept|content-type|last-event-id|mcp-.+)$/

type McpDoor = (exchange: Exchange, request: Request, body: unknown) => Promise<Response>

async function openDoor({ capabilities, instructions, addHandlers }: McpEndpoint): Promise<McpDoor> {
  const { createMcpHandler, isLegacyRequest, Server, WebStandardStreamableHTTPServerTransport } = await import(
    '@modelcontextprotocol/server'
  )
  const serverFor = (exchange: Exchange) => {
    const server = new Server(SERVER, { capabilities, instructions })
    addHandlers(server, exchange.koa, passingTo(exchange))
    return server
  }
  const modern = createMcpHandler((context) => serverFor(context.authInfo?.extra?.exchange as Exchange), {
    legacy: 'reject',
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

const passingTo =
  (exchange: Exchange): Passing =>
  async (work) => {
    try {
      return await work()
    } catch (error) {
      exchange.thrown = error
      throw error
    }
  }

/** As clients show it. */
const SERVER = { name: 'sandbox-emr', title: 'Sandbox EMR', version: '1.0.0' }
