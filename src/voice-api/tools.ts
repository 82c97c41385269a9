/**
 * The live-call routes (spec 4.1): `POST /{family}/:toolName`, `POST /calls` and the ends of calls, behind the shared
 * secret (spec 5); and `GET /tools`, the list of tools.
 * Platforms ignore any status but 200, so with a valid secret and a readable body every problem is reported in the
 * results.
 */
import { Router } from '@koa/router'
import type { Context as KoaContext } from 'koa'
import type { Logger } from 'pino'
import {
  bodyMetadata,
  type Envelope,
  isReadable,
  readEnvelope,
  type ToolResult,
  withHint,
  writeEnvelope,
} from '../calls/envelope.ts'
import { endCall, type ReportedEnd, readCallEnd, readEndReport } from '../calls/session/call-end.ts'
import { type CallMetadata, METADATA_FIELDS, type MetadataField } from '../calls/session/call-metadata.ts'
import { CallSessions, DEFAULT_CALL_HINT, readRegistration } from '../calls/session/call-sessions.ts'
import { requireClinicCheck } from '../calls/session/signed-request.ts'
import { registerTools, type Tool, type ToolFamilies } from '../calls/tool.ts'
import { type EndedCall, ToolRunner, type ToolServices } from '../calls/tool-runner.ts'
import type { Config } from '../config.ts'
import { type OperationParameter, parametersOf } from '../core/operation.ts'
import type { Provider } from '../core/provider.ts'
import { DEMO_CLINIC } from '../demo/demo-clinic.ts'
import type { FairShares } from '../http/admission/fair-shares.ts'
import { failureOf } from '../http/errors.ts'
import { type ExchangeAccess, exchangeOf } from '../http/exchange.ts'
import { requestIdOf } from '../http/headers.ts'
import { readBody, readJsonBody } from '../http/message/body.ts'
import { type SideRouter, sideRouter } from '../http/side-router.ts'
import type { ToolExchange } from '../record/journal/exchange.ts'
import { accessByCall, accessToCall, accessToEnd, receivedRequest, requireSecret } from './platform-request.ts'

export interface ToolDependencies extends Omit<ToolServices, 'failureOf' | 'callIdle'> {
  readonly logger: Logger
  readonly config: Pick<
    Config,
    'webhookSecret' | 'previousWebhookSecret' | 'callIdleMinutes' | 'demo' | 'trustBodyCallMetadata' | 'limits'
  >
  readonly families: ToolFamilies
  readonly shares: FairShares | undefined
  /** They declare the operations behind the tools. */
  readonly providers: ReadonlyMap<string, Provider>
  /** First path segments that other routes answer for; no family may have such a name. */
  readonly reserved: ReadonlySet<string>
}

/** The path segment of the registration of calls, beside the tool families. */
export const CALLS = 'calls'

/** @throws Error naming a family or a tool that is defined wrongly; it stops the start. */
export function toolRoutes(dependencies: ToolDependencies): SideRouter {
  const { config, providers, reserved, logger, shares, ...services } = dependencies
  const families = registerTools(dependencies.families, providers, reserved)
  const callIdle = config.callIdleMinutes * 60_000
  const sessions = new CallSessions(services.repository, {
    demoClinic: config.demo ? DEMO_CLINIC : undefined,
    idle: callIdle,
  })
  const runner = new ToolRunner(families, {
    ...services,
    callIdle,
    failureOf: (error, tool) => failureOf(error, logger, { method: 'POST', route: tool }),
  })
  const router = new Router()
  const secret = requireSecret(config)

  const allowerOf =
    (koa: KoaContext, facts: Parameters<typeof receivedRequest>[2] = { isRepeatable: true }) =>
    (clinic: string) =>
      requireClinicCheck(services.repository, clinic, receivedRequest(koa, config.limits.bodyBytes, facts))

  for (const family of families.keys()) {
    router.post(`/${family}/:toolName`, secret, async (koa) => {
      const body = await readJsonBody(koa, config.limits)
      const envelope = readEnvelope(body)
      const isRepeatable = envelope.calls.every(({ id }) => id !== null)
      const metadata = metadataOf(koa, config.trustBodyCallMetadata ? body : undefined)
      let isDefaultCall = false
      const identify = async () => {
        const session = await sessions.identify(metadata, allowerOf(koa, { isRepeatable }))
        shares?.countFor(koa, session.clinic)
        isDefaultCall = metadata.callId === undefined
        return session
      }
      const onEnd = (ended: EndedCall) => addAccess(koa, accessByCall(ended))
      const toolName = koa.params.toolName ?? ''
      const found = await runner.run({ family, toolName }, envelope, identify, onEnd)
      if (isDefaultCall) logger.info({ requestId: requestIdOf(koa) }, 'no x-call-id: default call of the demo clinic')
      const results = isDefaultCall ? withHint(found, DEFAULT_CALL_HINT) : found
      exchangeOf(koa).tools = toolExchangesOf(toolName, envelope, results)
      koa.body = writeEnvelope(results, envelope.error)
    })
  }

  router.post(`/${CALLS}`, secret, async (koa) => {
    const { session, created } = await sessions.register(
      readRegistration(await readJsonBody(koa, config.limits)),
      allowerOf(koa),
    )
    addAccess(koa, accessToCall(session))
    koa.status = created ? 201 : 200
    const { registeredAhead: _internal, ...registered } = session
    koa.body = registered
  })

  // The response is the same whether the call is known, has ended before, or belongs to a clinic whose check fails.
  const end = async (koa: KoaContext, { isNamedInBody: namesCall, ...callEnd }: ReportedEnd): Promise<void> => {
    const accessOf = (clinic: string) => services.access(clinic, { kind: 'call', id: callEnd.callId })
    const allow = allowerOf(koa, { isRepeatable: true, namesCall })
    const handled = await endCall(services.repository, accessOf, callEnd, allow)
    if (handled !== undefined) addAccess(koa, accessToEnd(handled))
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
  return sideRouter([CALLS, ...families.keys()], router)
}

/** The tool calls as the journal shows them. */
const toolExchangesOf = (tool: string, { calls }: Envelope, results: readonly ToolResult[]): readonly ToolExchange[] =>
  results.map(({ toolCallId: id, result }, index) => {
    const call = calls[index]
    return { tool, id, result, ...(call && isReadable(call) ? { arguments: call.arguments } : {}) }
  })

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

export const TOOLS = 'tools'

/**
 * `GET /tools`: the live-call tools with their arguments as JSON Schema (https://json-schema.org/draft/2020-12/schema), so that
 * a voice platform's agent is set up from it. It says nothing of any clinic, so it needs no credential.
 */
export function toolListRoutes(families: ToolFamilies): SideRouter {
  const router = new Router()
  const list = JSON.stringify({ families: Object.entries(families).map(familyOf) })
  router.get(`/${TOOLS}`, (koa) => {
    koa.type = 'application/json'
    koa.body = list
  })
  return sideRouter([TOOLS], router)
}

const familyOf = ([family, tools]: readonly [string, ToolFamilies[string]]) => ({
  name: family,
  tools: Object.entries(tools).map(([name, tool]) => toolOf(family, name, tool)),
})

function toolOf(family: string, name: string, { operation: { definition } }: Tool) {
  const { id, description } = definition
  const taken = parametersOf(definition, 'in')
  return {
    name,
    description,
    path: `/${family}/${name}`,
    operation: `OperationDefinition/${id}`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(taken.map((one) => [one.name, schemaOf(one)])),
      required: taken.filter(({ min }) => min > 0).map((one) => one.name),
    },
  }
}

function schemaOf({ type, max, documentation }: OperationParameter) {
  const one = JSON_TYPES[type ?? ''] ?? 'string'
  const value = max === '1' ? { type: one } : { type: 'array', items: { type: one } }
  return documentation === undefined ? value : { ...value, description: documentation }
}

/** JSON types of FHIR types that are not strings in JSON. */
const JSON_TYPES: Readonly<Record<string, string>> = {
  boolean: 'boolean',
  decimal: 'number',
  integer: 'integer',
  positiveInt: 'integer',
  unsignedInt: 'integer',
}
