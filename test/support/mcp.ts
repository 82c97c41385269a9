/** Requests as clients of the Model Context Protocol send them, of each revision that is served. */
import { type FhirResponse, request } from './request.ts'

const MODERN = '2026-07-28'

export const REVISIONS: readonly string[] = ['2025-06-18', '2025-11-25', MODERN]

export interface McpAddress {
  readonly url: string
  readonly path: string
  /** The headers of the client's connection. */
  readonly headers: Record<string, string>
}

/** A message, or several. */
export const sendMcp = ({ url, path, headers }: McpAddress, message: object): Promise<FhirResponse> =>
  request(
    url,
    'POST',
    path,
    Array.isArray(message) ? message : { jsonrpc: '2.0', id: 1, ...message },
    { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
  )

const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request as a client of the revision sends it. */
export function askMcp(
  address: McpAddress,
  revision: string,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Promise<FhirResponse> {
  const headers = { 'mcp-protocol-version': revision, ...address.headers }
  if (revision !== MODERN) return sendMcp({ ...address, headers }, { method, params })
  const named = params.name ?? params.uri
  const modern = { ...headers, 'mcp-method': method, ...(typeof named === 'string' ? { 'mcp-name': named } : {}) }
  return sendMcp({ ...address, headers: modern }, { method, params: { ...params, _meta: META } })
}
