/** Runs the tool calls of a request one after the other; one that fails does not stop the rest. */
import { isSandboxEnabled } from '../clinics/sandbox.ts'
import type { CallSession } from '../core/call-session.ts'
import type { Agent, ClinicAccess } from '../core/context.ts'
import type { Integrations } from '../core/ports.ts'
import { FhirError } from '../fhir/outcome.ts'
import { knownArguments, readArguments } from '../operations/input.ts'
import type { Repository } from '../repository/repository.ts'
import { type Envelope, isReadable, type ToolCall, type ToolResult, type UnreadableCall } from './envelope.ts'
import { Replay } from './session/replay.ts'
import { failure } from './tool-failure.ts'
import type { RegisteredFamilies, RegisteredTool } from './tool-registry.ts'

/** Milliseconds for all calls of a request: platforms wait about twenty seconds. */
const TOOL_DEADLINE = 10_000

export interface ToolServices {
  readonly repository: Repository
  readonly access: (clinic: string, agent: Agent) => ClinicAccess
  readonly integrations: Integrations
  /** What a client is told of whatever was thrown; the unexpected is logged and becomes 500. */
  readonly failureOf: (error: unknown, tool: string) => FhirError
  /** Milliseconds; TOOL_DEADLINE unless given. */
  readonly deadline?: number
}

/** Which tool of which family the path names. */
export interface Addressed {
  readonly family: string
  readonly toolName: string
}

export class ToolRunner {
  readonly #families: RegisteredFamilies
  readonly #services: ToolServices
  readonly #replay = new Replay()

  constructor(families: RegisteredFamilies, services: ToolServices) {
    this.#families = families
    this.#services = services
  }

  /** One result for each call, in their order; what is wrong with a call, or all of them, is in the results. */
  async run(
    { family, toolName }: Addressed,
    { calls }: Envelope,
    identify: () => Promise<CallSession>,
  ): Promise<readonly ToolResult[]> {
    const ends = Date.now() + (this.#services.deadline ?? TOOL_DEADLINE)
    const tool = this.#families.get(family)?.get(toolName)
    if (tool === undefined)
      return calls.map((call) => resultOf(call, failure(undefined, 'unknown-tool', this.#offered(family))))
    const session = await this.#session(tool, identify)
    const results: ToolResult[] = []
    for (const call of calls) results.push(await this.#runCall(tool, call, session, ends))
    return results
  }

  #offered(family: string): string {
    const tools = [...(this.#families.get(family)?.keys() ?? [])]
    return `/${family} has no such tool; it has ${tools.join(', ')}`
  }

  /** The call of the request and its clinic, or why nothing can be done for it. */
  async #session(
    tool: RegisteredTool,
    identify: () => Promise<CallSession>,
  ): Promise<CallSession | { readonly refused: object }> {
    try {
      const session = await identify()
      if (await isSandboxEnabled(this.#services.repository, session.clinic)) return session
      return { refused: failure(tool, 'sandbox-off', 'The sandbox of this clinic is turned off; its data are kept') }
    } catch (error) {
      return { refused: this.#failed(tool, error) }
    }
  }

  async #runCall(
    tool: RegisteredTool,
    call: ToolCall | UnreadableCall,
    session: CallSession | { readonly refused: object },
    ends: number,
  ): Promise<ToolResult> {
    if (!isReadable(call)) return resultOf(call, failure(tool, call.code, call.error))
    if (call.name !== undefined && call.name !== tool.name)
      return resultOf(call, failure(tool, 'wrong-tool', WRONG_TOOL(tool)))
    if ('refused' in session) return resultOf(call, session.refused)
    try {
      return { toolCallId: call.id, result: await before(ends, () => this.#answer(tool, call, session)) }
    } catch (error) {
      return resultOf(call, this.#failed(tool, error))
    }
  }

  async #answer(
    { name, operation, argumentsCheckedBy }: RegisteredTool,
    call: ToolCall,
    session: CallSession,
  ): Promise<string> {
    const { definition, handler } = operation
    const { integrations } = this.#services
    const read = argumentsCheckedBy === 'handler' ? knownArguments : readArguments
    const input = read(definition, call.arguments)
    const run = (access: ClinicAccess) => handler({ access, input, call: session, integrations })
    const access = this.#services.access(session.clinic, { kind: 'call', id: session.callId })
    // Without an id a repeat can't be told from a new call, and what changes nothing may as well run again.
    if (call.id === null || definition.affectsState !== true) return JSON.stringify(await run(access))
    const { clinic, callId } = session
    return await this.#replay.once(
      access,
      { clinic, callId, toolCallId: call.id, tool: name, arguments: call.arguments },
      run,
    )
  }

  #failed(tool: RegisteredTool, error: unknown): object {
    const { status, code, message } = this.#services.failureOf(error, tool.name)
    return failure(tool, status === 500 ? 'internal' : code, message)
  }
}

const WRONG_TOOL = (tool: RegisteredTool): string =>
  `The call names another tool in function.name than the route, which is ${tool.name}; call each tool by its own route`

const resultOf = ({ id }: { readonly id: unknown }, result: object): ToolResult => ({
  toolCallId: id,
  result: JSON.stringify(result),
})

/**
 * `work`, when it is done at `ends` (milliseconds since 1970). It goes on after that: a repeat of the call joins it, or
 * has its stored answer. Once the time is up nothing is begun.
 */
async function before<T>(ends: number, work: () => Promise<T>): Promise<T> {
  const left = ends - Date.now()
  if (left <= 0) throw tooLate()
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

const tooLate = (): FhirError =>
  new FhirError(504, {
    code: 'timeout',
    diagnostics:
      'The tool takes longer than a request may; send the same call with the same id again to get its result',
  })
