/** The doors through which tools are called: the envelope of voice platforms, plain requests, the Model Context Protocol. */
import type { HttpRequest } from './load.ts'

export type Arguments = Readonly<Record<string, unknown>>

export interface Result {
  readonly success?: boolean
  readonly valid?: boolean
}

export type Door = 'envelope' | 'plain requests' | 'MCP'

interface Requests {
  readonly requestOf: (
    tool: { readonly name: string; readonly family: string },
    args: Arguments,
    toolCallId: string,
  ) => HttpRequest
  /** The result in the body of a response. */
  // biome-ignore lint/suspicious/noExplicitAny: each door has a body of its own
  readonly resultIn: (body: any) => Result
}

const message = (method: string, params: object, headers: Readonly<Record<string, string>> = {}): HttpRequest => ({
  method: 'POST',
  path: '/mcp',
  headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25', ...headers },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
})

export const LIST_TOOLS = message('tools/list', {})

export const DOORS: Readonly<Record<Door, Requests>> = {
  envelope: {
    requestOf: ({ name, family }, args, id) => ({
      method: 'POST',
      path: `/${family}/${name}`,
      body: JSON.stringify({ message: { toolCalls: [{ id, function: { arguments: args } }] } }),
    }),
    resultIn: ({ results }) => JSON.parse(results[0]?.result ?? '{}'),
  },
  'plain requests': {
    requestOf: ({ name, family }, args, id) => ({
      method: 'POST',
      path: `/${family}/${name}`,
      headers: { 'x-tool-call-id': id },
      body: JSON.stringify(args),
    }),
    resultIn: (body) => body,
  },
  MCP: {
    requestOf: ({ name }, args, id) => message('tools/call', { name, arguments: args }, { 'x-tool-call-id': id }),
    resultIn: ({ result }) => result.structuredContent,
  },
}

/** The doors that are compared with the envelope. */
export const COMPARED_DOORS = ['plain requests', 'MCP'] as const satisfies readonly Door[]

export const doorScenario = (door: Door): string => `a tool call by ${door}`
