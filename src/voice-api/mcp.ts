/** The tools of live calls by the Model Context Protocol: `/mcp` has all of them, `/mcp/{family}` those of one family. */
import type { Router } from '@koa/router'
import type { Tool } from '@modelcontextprotocol/server'
import type { Context as KoaContext, Middleware } from 'koa'
import { type Envelope, resultIn } from '../calls/envelope.ts'
import type { RunResult, ToolAddress } from '../calls/tool-runner.ts'
import { notFound } from '../fhir/outcome.ts'
import { present } from '../fhir/resource.ts'
import { answerMcp, MCP, type McpEndpoint } from '../http/mcp.ts'
import { requestKeyOf } from './platform-request.ts'
import type { ToolDescription } from './tool-descriptions.ts'

/** Runs the tool calls of a request. @param body the request's, in which trusted metadata of the call may be */
export type CallTools = (
  koa: KoaContext,
  address: ToolAddress,
  envelope: Envelope,
  body: unknown,
) => Promise<readonly RunResult[]>

interface McpParts extends Pick<McpEndpoint, 'limits' | 'baseOf' | 'corsOrigins'> {
  readonly secret: Middleware
  readonly tools: readonly ToolDescription[]
  readonly callTools: CallTools
}

export function addMcp(router: Router, { secret, tools, callTools, ...served }: McpParts): void {
  const all = tools.map(mcpTool)
  const families = Map.groupBy(all, (_tool, index) => tools[index]?.family)
  const answer = answerMcp({
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    ...served,
    addHandlers: (server, koa, passing) => {
      const family: string | undefined = koa.params.family
      server.setRequestHandler('tools/list', () => ({ tools: families.get(family) ?? all }))
      server.setRequestHandler('tools/call', ({ params }) =>
        passing(() => resultOf(koa, { family }, params, callTools)),
      )
    },
  })
  router.post([`/${MCP}`, `/${MCP}/:family`], secret, (koa) => {
    const { family } = koa.params
    if (family !== undefined && !families.has(family))
      throw notFound(`There is no family '${family}'; there are ${[...families.keys()].join(', ')}`)
    return answer(koa)
  })
}

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
  koa: KoaContext,
  address: ToolAddress,
  params: { readonly name: string; readonly arguments?: Readonly<Record<string, unknown>> | undefined },
  callTools: CallTools,
) {
  const call = { id: requestKeyOf(koa), name: params.name, arguments: params.arguments ?? {} }
  const [ran] = await callTools(koa, address, { style: 'plain', calls: [call] }, undefined)
  const text = ran?.result ?? '{}'
  const structuredContent = ran === undefined ? {} : resultIn(ran)
  return {
    content: [{ type: 'text' as const, text }],
    ...present({ structuredContent }),
    isError: ran?.status !== 200 || structuredContent === undefined || structuredContent.success === false,
  }
}
