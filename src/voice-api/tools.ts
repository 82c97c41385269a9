/**
 * The live-call routes (spec 4.1): `POST /{family}/:toolName`, `POST /tools` for all of them, `POST /calls` and the ends of
 * calls, behind the shared secret (spec 5).
 * Platforms ignore any status but 200, so with a valid secret and a readable body every problem is reported in the
 * results.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Logger } from 'pino'
import {
  bodyMetadata,
  type Envelope,
  isReadable,
  readEnvelope,
  resultIn,
  type ToolResult,
  withHint,
  writeEnvelope,
} from '../calls/envelope.ts'
import { endCall, type ReportedEnd, readCallEnd, readEndReport } from '../calls/session/call-end.ts'
import { type CallMetadata, METADATA_FIELDS, type MetadataField } from '../calls/session/call-metadata.ts'
import { CallSessions, DEFAULT_CALL_HINT, readRegistration } from '../calls/session/call-sessions.ts'
import { requireClinicCheck } from '../calls/session/signed-request.ts'
import { type RegisteredFamilies, registerTools, type ToolFamilies } from '../calls/tool.ts'
import {
  type EndedCall,
  type RunResult,
  type ToolAddress,
  ToolRunner,
  type ToolServices,
} from '../calls/tool-runner.ts'
import type { Config } from '../config.ts'
import type { Provider } from '../core/provider.ts'
import { DEMO_CLINIC } from '../demo/demo-clinic.ts'
import type { FairShares } from '../http/admission/fair-shares.ts'
import { failureOf } from '../http/errors.ts'
import { type ExchangeAccess, exchangeOf } from '../http/exchange.ts'
import { requestIdOf } from '../http/headers.ts'
import { MCP } from '../http/mcp.ts'
import { readBody, readJsonBody } from '../http/message/body.ts'
import { preferences } from '../http/message/format.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import type { ToolExchange } from '../record/journal/exchange.ts'
import { addMcp, type CallTools } from './mcp.ts'
import {
  accessByCall,
  accessToCall,
  accessToEnd,
  joinRunOfCall,
  receivedRequest,
  requestKeyOf,
  requireSecret,
} from './platform-request.ts'
import { describeTools } from './tool-descriptions.ts'
import { NO_TOOL_FAULTS, toolFaults, toolsOf } from './tool-faults.ts'
import { addOpenApi, addToolList, OPENAPI } from './tool-formats.ts'

export interface ToolDependencies extends Omit<ToolServices, 'failureOf' | 'callIdle'> {
  readonly logger: Logger
  readonly config: Pick<
    Config,
    | 'webhookSecret'
    | 'previousWebhookSecret'
    | 'callIdleMinutes'
    | 'corsOrigins'
    | 'demo'
    | 'trustBodyCallMetadata'
    | 'limits'
    | 'rehearsal'
  >
  readonly families: ToolFamilies
  readonly shares: FairShares | undefined
  /** They declare the operations behind the tools. */
  readonly providers: ReadonlyMap<string, Provider>
  /** The address of this server as the client sees it. */
  readonly baseOf: (koa: KoaContext) => string
  /** First path segments that other routes answer for; no family may have such a name. */
  readonly reserved: ReadonlySet<string>
}

/** The path segment of the registration of calls, beside the tool families. */
export const CALLS = 'calls'

/** The path segment of the list of tools, and of the one address for all of them. */
export const TOOLS = 'tools'

/** Most bytes of a request for tools; those of platforms hold the transcript of the call besides the arguments. */
const MAX_REQUEST_BYTES = 1_000_000

/** @throws Error naming a family or a tool that is defined wrongly; it stops the start. */
export function toolRoutes(dependencies: ToolDependencies): SideRouter {
  const { config, providers, reserved, repository } = dependencies
  const families = registerTools(dependencies.families, providers, reserved)
  const router = new Router()
  const sessions = new CallSessions(repository, {
    demoClinic: config.demo ? DEMO_CLINIC : undefined,
    idle: config.callIdleMinutes * 60_000,
  })
  const parts = { ...dependencies, router, sessions, secret: requireSecret(config) }
  addTools(parts, families)
  addCalls(parts)
  return sideRouter([CALLS, TOOLS, MCP, OPENAPI, ...families.keys()], router)
}

interface RouteParts extends ToolDependencies {
  readonly router: Router
  readonly sessions: CallSessions
  /** Checks the shared secret. */
  readonly secret: Middleware
}

/** The clinic's own check of a request. */
const allowerOf =
  ({ repository, config }: RouteParts, koa: KoaContext, facts: Parameters<typeof receivedRequest>[2]) =>
  (clinic: string) =>
    requireClinicCheck(repository, clinic, receivedRequest(koa, config.limits.bodyBytes, facts))

/** Each tool at its path, those that only read by GET too; all of them at `/tools` and by MCP; and their descriptions. */
function addTools(parts: RouteParts, families: RegisteredFamilies): void {
  const { router, secret, config, baseOf } = parts
  const limits = { ...config.limits, bodyBytes: Math.min(config.limits.bodyBytes, MAX_REQUEST_BYTES) }
  const callTools = toolCaller(parts, families)
  const respond = async (koa: KoaContext, address: ToolAddress, body: unknown): Promise<void> => {
    const envelope = readEnvelope(body, requestKeyOf(koa))
    const results = await callTools(koa, address, envelope, body)
    koa.type = 'application/json'
    koa.body = writeEnvelope(envelope, results)
    if (envelope.style === 'plain') koa.status = statusFor(koa, results)
  }
  for (const family of families.keys())
    router.post(`/${family}/:toolName`, secret, async (koa) =>
      respond(koa, { family, toolName: koa.params.toolName ?? '' }, await readJsonBody(koa, limits)),
    )
  const described = describeTools(parts.families)
  for (const { family, name: toolName, path } of described.filter(({ isReadOnly }) => isReadOnly))
    router.get(path, secret, (koa) => respond(koa, { family, toolName }, { ...koa.query }))
  router.post(`/${TOOLS}`, secret, async (koa) => respond(koa, {}, await readJsonBody(koa, limits)))
  addToolList(router, `/${TOOLS}`, described, baseOf)
  addOpenApi(router, described, baseOf)
  addMcp(router, { secret, tools: described, callTools, limits, baseOf, corsOrigins: config.corsOrigins })
}

/** Runs tool calls, and tells the journal and the audit trail of them. */
function toolCaller(parts: RouteParts, families: RegisteredFamilies): CallTools {
  const { config, logger, shares, sessions, ...services } = parts
  const faults = config.rehearsal ? toolFaults(services.repository) : NO_TOOL_FAULTS
  const runner = new ToolRunner(families, {
    ...services,
    beforeTool: faults.beforeTool,
    callIdle: config.callIdleMinutes * 60_000,
    failureOf: (error, tool) => failureOf(error, logger, { method: 'POST', route: tool }),
  })
  return async (koa, address, envelope, body) => {
    const isRepeatable = envelope.calls.every(({ id }) => id !== null)
    const metadata = metadataOf(koa, config.trustBodyCallMetadata ? body : undefined)
    const called = toolsOf(address, envelope)
    faults.check(koa)
    let repeated: Promise<unknown> | undefined
    let isDefaultCall = false
    const identify = async () => {
      const session = await sessions.identify(metadata, allowerOf(parts, koa, { isRepeatable }))
      shares?.countFor(koa, session.clinic)
      isDefaultCall = metadata.callId === undefined
      await faults.meet(koa, session, called)
      repeated = faults.repeat(() => runner.run(address, envelope, async () => session))
      return session
    }
    const onEnd = (ended: EndedCall) => addAccess(koa, accessByCall(ended))
    const found = await runner.run(address, envelope, identify, onEnd)
    await repeated
    if (isDefaultCall) logger.info({ requestId: requestIdOf(koa) }, 'no x-call-id: default call of the demo clinic')
    const results = faults.broken(isDefaultCall ? withHint(found, DEFAULT_CALL_HINT) : found, called)
    exchangeOf(koa).tools = toolExchangesOf(address, envelope, results)
    return results
  }
}

/** The registration of calls, and their ends. */
function addCalls(parts: RouteParts): void {
  const { router, secret, config, sessions, repository, access } = parts
  router.post(`/${CALLS}`, secret, async (koa) => {
    const { session, created } = await sessions.register(
      readRegistration(await readJsonBody(koa, config.limits)),
      allowerOf(parts, koa, { isRepeatable: true }),
    )
    addAccess(koa, accessToCall(session))
    await joinRunOfCall(koa, parts, session)
    koa.status = created ? 201 : 200
    const { registeredAhead: _internal, ...registered } = session
    koa.body = registered
  })

  // The response is the same whether the call is known, has ended before, or belongs to a clinic whose check fails.
  const end = async (koa: KoaContext, { isNamedInBody: namesCall, ...callEnd }: ReportedEnd): Promise<void> => {
    const accessOf = (clinic: string) => access(clinic, { kind: 'call', id: callEnd.callId })
    const allow = allowerOf(parts, koa, { isRepeatable: true, namesCall })
    const handled = await endCall(repository, accessOf, callEnd, allow)
    if (handled !== undefined) {
      addAccess(koa, accessToEnd(handled))
      if ('ended' in handled) await joinRunOfCall(koa, parts, handled.ended)
    }
    koa.body = { callId: callEnd.callId }
  }

  router.post(`/${CALLS}/:callId/end`, secret, async (koa) => {
    const isEmpty = (await readBody(koa, config.limits.bodyBytes)).trim() === ''
    const body = isEmpty ? undefined : await readJsonBody(koa, config.limits)
    await end(koa, readCallEnd(koa.params.callId ?? '', body))
  })

  router.post(`/${CALLS}/events`, secret, async (koa) => {
    const report = readEndReport(await readJsonBody(koa, config.limits), koa.get('x-call-id').trim())
    if (report === undefined) koa.body = { ignored: true }
    else await end(koa, report)
  })
}

/** The tool calls as the journal shows them. */
const toolExchangesOf = (
  { toolName }: ToolAddress,
  { calls }: Envelope,
  results: readonly ToolResult[],
): readonly ToolExchange[] =>
  results.map(({ toolCallId: id, result }, index) => {
    const call = calls[index]
    const read = call !== undefined && isReadable(call) ? call : undefined
    const tool = toolName ?? String(read?.name ?? '').slice(0, MAX_TOOL_NAME)
    return { tool, id, result, ...(read && { arguments: read.arguments }) }
  })

/** Characters of the name of a tool that are recorded. */
const MAX_TOOL_NAME = 100

/** `Prefer: status` asks for the status of the tool call, which is 200 otherwise. */
function statusFor(koa: KoaContext, [first]: readonly RunResult[]): number {
  if (first === undefined || !preferences(koa.get('prefer')).wantsStatus) return 200
  if (first.status !== 200) return first.status
  return resultIn(first)?.success === false ? 422 : 200
}

function addAccess(koa: KoaContext, access: ExchangeAccess): void {
  const exchange = exchangeOf(koa)
  exchange.accesses = [...exchange.accesses, access]
}

/** Metadata from the headers, and from `body` where it is given; headers win. A blank call id is kept, to be refused. */
function metadataOf(koa: KoaContext, body: unknown): CallMetadata {
  const [callId, dialedNumber, callerNumber] = ['x-call-id', 'x-call-to', 'x-call-from'].map((name) => koa.get(name))
  const inHeaders = textsOf({ callId, dialedNumber, callerNumber })
  const ofBody = bodyMetadata(body)
  const inBody = textsOf(ofBody)
  const hasId = koa.req.headers['x-call-id'] !== undefined || typeof ofBody.callId === 'string'
  return {
    ...(hasId ? { callId: '' } : {}),
    ...inBody,
    ...inHeaders,
    inBody: METADATA_FIELDS.filter((name) => inBody[name] !== undefined && inHeaders[name] === undefined),
  }
}

/** Values that are texts and not blank. */
const textsOf = (metadata: Readonly<Record<MetadataField, unknown>>): Partial<Record<MetadataField, string>> =>
  Object.fromEntries(
    METADATA_FIELDS.flatMap((name) => {
      const value = metadata[name]
      return typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()]] : []
    }),
  )
