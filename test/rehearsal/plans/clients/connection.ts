/** The way of a reference client to the server: FHIR with the token of its run, and tools in calls of its run. */
import { randomUUID } from 'node:crypto'

/** The answer to a run that is started, as far as a client needs it. */
export interface OpenedRun {
  /** Address of the server. */
  readonly base: string
  readonly token: string
  readonly callPrefix: string
  readonly dialedNumber: string
}

export interface Answer {
  /** 0: none came, or not all of it. */
  readonly status: number
  readonly headers: Headers
  /** The JSON; undefined where it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: clients look into bodies of every shape
  readonly body: any
}

export interface ToolAnswer {
  readonly status: number
  /** Undefined where none can be read. */
  // biome-ignore lint/suspicious/noExplicitAny: the members depend on the tool
  readonly result: any
}

export interface ToolCall {
  readonly tool: string
  readonly args?: object
  /** The name of the call; each begins with the prefix of the run. */
  readonly call?: string
  /** The id of the tool call: the same when it is repeated. */
  readonly id?: string
  /** Milliseconds after which the client waits no longer. */
  readonly patience?: number
}

/** The longest that a platform waits for a tool: docs/live-calls.md. */
const PATIENCE = 10_000

export class Connection {
  readonly #run: OpenedRun

  constructor(run: OpenedRun) {
    this.#run = run
  }

  /** @param path below the base, or the whole address of a link */
  fhir(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    patience = PATIENCE,
  ): Promise<Answer> {
    const authorization = `Bearer ${this.#run.token}`
    return this.#send(method, path, body, { authorization, accept: 'application/fhir+json', ...headers }, patience)
  }

  async tool({
    tool,
    args = {},
    call = 'call',
    id = randomUUID(),
    patience = PATIENCE,
  }: ToolCall): Promise<ToolAnswer> {
    const toolCalls = [{ id, function: { name: tool, arguments: args } }]
    const { status, body } = await this.voice('/tools', { message: { toolCalls } }, this.headersOf(call), patience)
    return { status, result: parsed(body?.results?.[0]?.result) }
  }

  /** A request of the voice platform. */
  voice(path: string, body: unknown, headers: Record<string, string> = {}, patience = PATIENCE): Promise<Answer> {
    return this.#send('POST', path, body, { 'x-voice-secret': 'demo-secret', ...headers }, patience)
  }

  callId(call: string): string {
    return `${this.#run.callPrefix}${call}`
  }

  get dialedNumber(): string {
    return this.#run.dialedNumber
  }

  headersOf(call: string): Record<string, string> {
    return { 'x-call-id': this.callId(call), 'x-call-to': this.dialedNumber }
  }

  async #send(
    method: string,
    path: string,
    body: unknown,
    headers: Record<string, string>,
    patience: number,
  ): Promise<Answer> {
    const type = path.startsWith('/tools') ? 'application/json' : 'application/fhir+json'
    try {
      const response = await fetch(path.startsWith('/') ? `${this.#run.base}${path}` : path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(patience),
      })
      return { status: response.status, headers: response.headers, body: parsed(await response.text()) }
    } catch {
      return { status: 0, headers: new Headers(), body: undefined }
    }
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
