/** Runs the tool calls of a request one after another; a failed one does not stop the rest. */
import { isSandboxEnabled } from '../clinics/clinics.ts'
import { CALL, type CallSession, callKey } from '../core/call-session.ts'
import type { Agent, ClinicAccess, Context } from '../core/context.ts'
import type { IgnoredArgument } from '../core/operation.ts'
import type { Integrations } from '../core/ports.ts'
import { closestName } from '../fhir/closest-name.ts'
import { conflict, FhirError } from '../fhir/outcome.ts'
import { inSpan, requireWorkThread, rethrowBudgetError } from '../isolation/budget.ts'
import { ignoredArguments, knownArguments, readArguments } from '../operations/parameters.ts'
import type { Repository } from '../repository/repository.ts'
import {
  type Envelope,
  isReadable,
  resultIn,
  type ToolCall,
  type ToolResult,
  type UnreadableCall,
  withMembers,
} from './envelope.ts'
import { seeCall } from './session/call-sessions.ts'
import {
  type LoggedToolCall,
  logToolCall,
  Replay,
  storedResult,
  type ToolCallIdentity,
  toolCallKey,
} from './session/replay.ts'
import { VERIFICATION } from './session/verification.ts'
import { failure, type RegisteredFamilies, type RegisteredTool } from './tool.ts'

/**
 * Once the first call of a request has committed, the others cannot move to a work thread; a request with more calls than
 * this begins there.
 */
const MAX_CALLS_ON_EVENT_LOOP = 3

/** Most characters of the name of an unknown tool that are compared and shown. */
const MAX_NAME = 100

/** Milliseconds between two tool calls of a request that begin in the same one, so that the log has their order. */
const TICK = 0.002

/** Milliseconds for all calls of a request; platforms wait about twenty seconds. */
const DEADLINE = 10_000

export interface ToolServices {
  readonly repository: Repository
  readonly access: (clinic: string, agent: Agent) => ClinicAccess
  readonly integrations: Integrations
  /** Milliseconds without a tool call after which a call counts as ended. */
  readonly callIdle: number
  /** The error as a client sees it; an unexpected one is logged and becomes 500. */
  readonly failureOf: (error: unknown, tool: string) => FhirError
  /** Called before a tool runs. @throws FhirError with which it fails */
  readonly beforeTool?: (tool: string) => void
  /** Milliseconds for all calls of a request; absent: DEADLINE. */
  readonly deadline?: number
}

/**
 * Where a request was sent: to the tool named by the path, which may not exist; or to all tools, or all of a family, each
 * call naming its own.
 */
export interface ToolAddress {
  readonly family?: string | undefined
  readonly toolName?: string
}

/** The reason why no call of a request is run. */
interface Refusal {
  readonly refused: { readonly code: string; readonly error: string; readonly say: string | undefined }
  readonly status: number
  /** The clinic of the call, if known. */
  readonly clinic?: string
}

export interface RunResult extends ToolResult {
  /** The HTTP status that fits the result. */
  readonly status: number
}

/** A tool call's request. */
interface RunningRequest {
  readonly session: CallSession | Refusal
  /**
   * The start of a tool call by the clock of its clinic, later than that of the one before it; milliseconds since 1970 UTC.
   * @throws StoreUnavailable
   */
  readonly begin: (clinic: string) => Promise<number>
  /** Milliseconds since 1970 UTC. */
  readonly endsAt: number
  /** Patient.id of everyone the call is about; a tool may add one. */
  readonly patients: Set<string>
}

type Log = (ctx: Context, answer: string) => Promise<void>

interface Started {
  /** Milliseconds since 1970 UTC, by the clock of the clinic. */
  readonly startedAt: number
}

interface Ignored {
  readonly ignored: readonly IgnoredArgument[]
}

/** The outcome of a tool call, for the audit trail. */
export interface EndedCall {
  readonly tool: string
  /** Undefined if the call was refused. */
  readonly session: CallSession | undefined
  /** Undefined if it is unknown. */
  readonly clinic: string | undefined
  /** HTTP status. */
  readonly status: number
  /** Patient.id of the patients of the call before and after the tool, which may have found or created one. */
  readonly patients: readonly string[]
}

export class ToolRunner {
  readonly #families: RegisteredFamilies
  readonly #services: ToolServices
  readonly #replay = new Replay()

  constructor(families: RegisteredFamilies, services: ToolServices) {
    this.#families = families
    this.#services = services
  }

  /**
   * Returns one result for each call, in order. Errors of one call, or of all, are in the results.
   * @throws OffloadRequired on the event loop, before anything has had an effect
   */
  async run(
    address: ToolAddress,
    { calls }: Pick<Envelope, 'calls'>,
    identify: () => Promise<CallSession>,
    onEnd: (call: EndedCall) => void = () => {},
  ): Promise<readonly RunResult[]> {
    const endsAt = Date.now() + (this.#services.deadline ?? DEADLINE)
    const tools = calls.map((call) => this.#toolOf(address, call))
    // Before the call is identified, as that registers the call and uses up a signature, for a request that has no effect.
    if (tools.every((tool) => tool === undefined)) return calls.map((call) => this.#unknownTool(address, call))
    if (calls.length > MAX_CALLS_ON_EVENT_LOOP) requireWorkThread('its tool calls')
    const found = await this.#session(identify)
    const session = 'refused' in found ? undefined : found
    const patients = new Set(session?.patient === undefined ? [] : [session.patient])
    const results: RunResult[] = []
    let last = 0
    const begin = async (clinic: string): Promise<number> => {
      last = Math.max(await this.#services.repository.now(clinic), last + TICK)
      return last
    }
    for (const [index, call] of calls.entries()) {
      const tool = tools[index]
      const result =
        tool === undefined
          ? this.#unknownTool(address, call)
          : await inToolSpan(tool, () => this.#runCall(tool, { session: found, endsAt, patients, begin }, call))
      results.push(result)
      const { status } = result
      if (tool !== undefined) onEnd({ tool: tool.name, clinic: found.clinic, session, status, patients: [...patients] })
    }
    return results
  }

  #toolOf({ family, toolName }: ToolAddress, call: ToolCall | UnreadableCall): RegisteredTool | undefined {
    const name = toolName ?? (isReadable(call) && typeof call.name === 'string' ? call.name : '')
    for (const tools of this.#among(family)) if (tools.has(name)) return tools.get(name)
    return undefined
  }

  /** The tools of a family, or of all, by name. */
  #among(family: string | undefined): Iterable<ReadonlyMap<string, RegisteredTool>> {
    return family === undefined ? this.#families.values() : [this.#families.get(family) ?? new Map()]
  }

  #unknownTool({ family, toolName }: ToolAddress, call: ToolCall | UnreadableCall): RunResult {
    if (!isReadable(call)) return resultOf(call, failure(undefined, call.code, call.error), 400)
    const names = [...this.#among(family)].flatMap((tools) => [...tools.keys()])
    const asked = String(toolName ?? call.name ?? '').slice(0, MAX_NAME)
    const place = family === undefined ? 'here' : `at /${family}`
    const nearest = closestName(asked, names)
    const hint = nearest === undefined ? 'there are' : `the nearest is ${nearest}, of`
    const problem = asked === '' ? 'The call names no tool' : `There is no tool '${asked}' ${place}`
    return resultOf(call, failure(undefined, 'unknown-tool', `${problem}; ${hint} ${names.join(', ')}`), 404)
  }

  async #session(identify: () => Promise<CallSession>): Promise<CallSession | Refusal> {
    try {
      const session = await identify()
      if (await isSandboxEnabled(this.#services.repository, session.clinic)) return session
      const error = 'The sandbox of this clinic is turned off; its data are kept'
      return { refused: { code: 'sandbox-off', error, say: undefined }, status: 403, clinic: session.clinic }
    } catch (error) {
      return this.#failureOf(error, 'session')
    }
  }

  async #runCall(
    tool: RegisteredTool,
    { session, endsAt, patients, begin }: RunningRequest,
    call: ToolCall | UnreadableCall,
  ): Promise<RunResult> {
    if (!isReadable(call)) return resultOf(call, failure(tool, call.code, call.error), 400)
    if (call.name !== undefined && call.name !== tool.name)
      return resultOf(call, failure(tool, 'wrong-tool', wrongTool(tool)), 400)
    if ('refused' in session) return refusedBy(session, tool, call)
    const ignored = ignoredArguments(tool.operation.definition, call.arguments)
    // Without its start the store is away, so that the call can't be logged either.
    const startedAt = await begin(session.clinic).catch((error) => this.#failureOf(error, tool.name))
    if (typeof startedAt === 'object') return naming(ignored, refusedBy(startedAt, tool, call))
    try {
      this.#services.beforeTool?.(tool.name)
      const result = await completeBy(endsAt, () =>
        this.#execute(tool, call, session, { patients, ignored, startedAt }),
      )
      return naming(ignored, { toolCallId: call.id, result, status: 200 })
    } catch (error) {
      const refused = refusedBy(this.#failureOf(error, tool.name), tool, call)
      await this.#logRefusal(tool.name, { call, startedAt, ignored }, session, refused).catch(rethrowBudgetError)
      return naming(ignored, refused)
    }
  }

  /** The result as JSON text. @throws FhirError for invalid arguments, and anything that the handler throws */
  async #execute(
    { name, operation, argumentsCheckedBy }: RegisteredTool,
    call: ToolCall,
    session: CallSession,
    { patients, ignored, startedAt }: Pick<RunningRequest, 'patients'> & Started & Ignored,
  ): Promise<string> {
    const { definition, handler } = operation
    const { integrations } = this.#services
    const read = argumentsCheckedBy === 'handler' ? knownArguments : readArguments
    const input = read(definition, call.arguments)
    const ofCall = this.#services.access(session.clinic, { kind: 'call', id: session.callId })
    const access = recordPatientsSeen(ofCall, session, (patient) => patients.add(patient))
    const identity = identityOf(name, call, session)
    const key = keyOf(identity)
    const more = { ...(key === undefined ? {} : { repeatKey: key }), ...(ignored.length === 0 ? {} : { ignored }) }
    const tellPatient = (patient: string) => patients.add(patient)
    const run = (access: ClinicAccess) => handler({ access, input, call: session, integrations, tellPatient, ...more })
    if (session.endedAt !== undefined) return await resultBefore(session.endedAt, access, identity)
    const log = this.#logOf(session, { key, tool: name, arguments: call.arguments, startedAt, ignored })
    if (key !== undefined) return await this.#replay.once(access, identity, run, log)
    // Without an id a repeat cannot be distinguished from a new call.
    const answer = JSON.stringify(await run(access))
    await access.change((ctx) => log(ctx, answer))
    return answer
  }

  /**
   * Logs a refused tool call, which has no change of its own. A call that takes too long is still running and is logged
   * when it ends.
   */
  async #logRefusal(
    tool: string,
    { call, startedAt, ignored }: Started & Ignored & { readonly call: ToolCall },
    session: CallSession,
    { result, status }: RunResult,
  ): Promise<void> {
    if (session.endedAt !== undefined || status >= 500) return
    const key = keyOf(identityOf(tool, call, session))
    const log = this.#logOf(session, { key, tool, arguments: call.arguments, startedAt, ignored })
    const access = this.#services.access(session.clinic, { kind: 'call', id: session.callId })
    await access.change((ctx) => log(ctx, result))
  }

  /** Writes the log of the tool call, and extends the call. */
  #logOf(session: CallSession, { ignored, ...entry }: LoggedToolCall & Ignored): Log {
    return async (ctx, answer) => {
      await seeCall(ctx.unit, session, this.#services.callIdle)
      await logToolCall(ctx, session, entry, naming(ignored, { toolCallId: null, result: answer }).result)
    }
  }

  /** @param tool its name, for the log */
  #failureOf(error: unknown, tool: string): Refusal {
    const { status, code, message, issues } = this.#services.failureOf(error, tool)
    return { refused: { code: status === 500 ? 'internal' : code, error: message, say: issues[0]?.text }, status }
  }
}

/** https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span */
const inToolSpan = ({ name }: RegisteredTool, work: () => Promise<RunResult>): Promise<RunResult> =>
  inSpan(`execute_tool ${name}`, work, (result) => ({
    ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': name },
    ...refusedAs(result),
  }))

function refusedAs(result: RunResult | undefined): { readonly 'error.type'?: string } {
  const { success, valid, code } = (result && resultIn(result)) ?? {}
  if (success !== false && valid !== false) return {}
  return { 'error.type': typeof code === 'string' ? code : 'failed' }
}

/** A misspelt argument would otherwise pass for one that was used. */
const naming = <R extends ToolResult>(ignored: readonly IgnoredArgument[], result: R): R =>
  ignored.length === 0 ? result : withMembers(result, { ignored })

const refusedBy = ({ refused, status }: Refusal, tool: RegisteredTool, call: ToolCall): RunResult =>
  resultOf(call, failure(tool, refused.code, refused.error, refused.say), status)

const wrongTool = (tool: RegisteredTool): string =>
  `The call names another tool in function.name than the route, which is ${tool.name}; call each tool by its own route`

const resultOf = ({ id }: { readonly id: unknown }, result: object, status: number): RunResult => ({
  toolCallId: id,
  result: JSON.stringify(result),
  status,
})

const identityOf = (tool: string, call: ToolCall, { clinic, callId }: CallSession): ToolCallIdentity => ({
  clinic,
  callId,
  toolCallId: call.id,
  tool,
  arguments: call.arguments,
})

/** Returns undefined for a call without an id, which is never a repeat. */
const keyOf = (identity: ToolCallIdentity): string | undefined =>
  identity.toolCallId === null ? undefined : toolCallKey(identity)

/** The stored result of a tool call that ran before the call ended. @throws FhirError `call-ended` if there is none */
async function resultBefore(endedAt: string, access: ClinicAccess, identity: ToolCallIdentity): Promise<string> {
  const key = keyOf(identity)
  const stored = key === undefined ? undefined : await storedResult(access, key)
  if (stored !== undefined) return stored
  throw conflict(`The call has ended at ${endedAt}; tools can be called only while the call is in progress`, {
    reason: 'call-ended',
  })
}

/**
 * The value of `work`, if it resolves by `endsAt` (milliseconds since 1970). Work is not stopped after that: a repeat
 * of the call joins it, or gets its stored result. Past `endsAt`, no work is started.
 * @throws FhirError 504 when the time is up
 */
async function completeBy<T>(endsAt: number, work: () => Promise<T>): Promise<T> {
  const left = endsAt - Date.now()
  if (left < SHORTEST) throw tooLate()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(tooLate()), left)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

/** Least milliseconds left for starting a tool call: timers may end a little early, and nothing completes in less. */
const SHORTEST = 10

const tooLate = (): FhirError =>
  new FhirError(504, {
    code: 'timeout',
    diagnostics:
      'The tool takes longer than a request may; send the same call with the same id again to get its result',
  })

/** Wraps `access`, so that each committed change reports the patients it has touched. */
const recordPatientsSeen = (
  access: ClinicAccess,
  call: CallSession,
  tell: (patient: string) => void,
): ClinicAccess => ({
  ...access,
  async change(work) {
    const { returned, patients } = await access.change(async (ctx) => {
      const returned = await work(ctx)
      return { returned, patients: patientsIn(ctx, call) }
    })
    for (const patient of patients) tell(patient)
    return returned
  },
})

/** A tool that does not read the verification of the caller does not concern the verified patient. */
function patientsIn({ unit: { records }, now }: Context, { callId }: CallSession): readonly string[] {
  const key = callKey(callId)
  const verification = records.known(VERIFICATION, key)
  const isCurrent = verification?.due != null && verification.due > now
  return [records.known(CALL, key)?.value.patient, isCurrent ? verification.value.patient : undefined].filter(
    (patient) => patient !== undefined,
  )
}
