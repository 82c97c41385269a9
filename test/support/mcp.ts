/** Requests as clients of the Model Context Protocol send them, of each revision that is served. */
import { expect } from '@jest/globals'
import { type FhirResponse, request } from './request.ts'

const MODERN = '2026-07-28'

export const REVISIONS: readonly string[] = ['2025-06-18', '2025-11-25', MODERN]

interface McpAddress {
  readonly url: string
  readonly path: string
  /** The headers of the client's connection. */
  readonly headers: Record<string, string>
}

/** A message, or several. */
export const sendMcp = ({ url, path, headers }: McpAddress, message: object): Promise<FhirResponse> =>
  request(url, 'POST', path, Array.isArray(message) ? message : { jsonrpc: '2.0', id: 1, ...message }, {
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  })

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

/** Where a client with the token finds FHIR. */
export const fhirMcp = (url: string, token: string): McpAddress => ({
  url,
  path: '/mcp/fhir',
  headers: { authorization: `Bearer ${token}` },
})

export const callMcpTool = (address: McpAddress, name: string, args: object, revision = '2025-11-25') =>
  askMcp(address, revision, 'tools/call', { name, arguments: args })

/** The result of a tool, whose text and object say the same. */
// biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
export function resultOf({ status, body }: FhirResponse): { readonly isError: boolean; readonly resource: any } {
  expect([status, body.error]).toEqual([200, undefined])
  const { isError, structuredContent, content } = body.result
  expect(JSON.parse(content[0].text)).toEqual(structuredContent)
  return { isError, resource: structuredContent }
}

/** The sentences of the OperationOutcome of a refused call. */
export function refusalOf(answer: FhirResponse): string {
  const { isError, resource } = resultOf(answer)
  expect([isError, resource.resourceType]).toEqual([true, 'OperationOutcome'])
  return resource.issue.map(({ diagnostics }: { diagnostics: string }) => diagnostics).join('; ')
}

interface Entry {
  readonly resource: { readonly id: string }
  readonly search?: { readonly mode: string }
}

/** The ids of the resources in a searchset. */
export const idsOf = ({ entry = [] }: { readonly entry?: readonly Entry[] }): string[] =>
  entry.filter(({ search }) => search?.mode !== 'outcome').map(({ resource: { id } }) => id)
