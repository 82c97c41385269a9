/** A load of writes by 16 clients over HTTP, with a ledger of what the server acknowledged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type FhirResponse, request } from '../support/server.ts'

export const SYSTEM = 'https://example.org/faults'
const CLIENTS = 16
/** Milliseconds that a client waits after a "not now". */
const PAUSE = 100
/** Milliseconds: an election, a time-out of the driver and its next attempt are over by then. */
const PATIENCE = 40_000

/** A server, and a token of its demo clinic's staff. */
export interface Target {
  readonly url: string
  readonly token: string
}

/**
 * create: sent once, so that it may be there once or not at all where its response was lost.
 * conditional, tool: sent until there is a response, so it must be there once.
 * update: each of its versions says which request made it.
 * transaction: two resources, both or none.
 */
export const KINDS = ['create', 'conditional', 'update', 'transaction', 'tool'] as const
export type Kind = (typeof KINDS)[number]

/** A request, whose name marks everything it writes. */
export interface Write {
  readonly kind: Kind
  readonly client: string
  readonly name: string
}

/** The outcome of a request. */
type Answer = 'acknowledged' | 'refused' | 'unanswered'

export class Load {
  readonly acknowledged: Write[] = []
  /** Responses that are neither a success nor a well-formed "not now". */
  readonly wrong: string[] = []
  refused = 0
  unanswered = 0
  /** Milliseconds. */
  slowest = 0
  readonly clients: readonly string[]
  #targets: readonly Target[]
  #over = false
  readonly #running: Promise<unknown>

  /** @param run begins the names of everything it writes */
  constructor(run: string, targets: readonly Target[], kinds: readonly Kind[] = KINDS) {
    this.#targets = targets
    this.clients = Array.from({ length: CLIENTS }, (_, index) => `${run}-${index}`)
    this.#running = Promise.all(this.clients.map((client, index) => this.#write(client, index, kinds)))
  }

  /** Continues with other servers. */
  move(targets: readonly Target[]): void {
    this.#targets = targets
  }

  /** Milliseconds until `count` more writes are acknowledged. */
  progress(count: number): Promise<number> {
    const before = this.acknowledged.length
    return this.#until(`${count} writes`, () => this.acknowledged.length >= before + count)
  }

  /** Milliseconds until every client has one more acknowledged write of a kind. */
  progressOfAll(kind: Kind): Promise<number> {
    const before = this.acknowledged.length
    const after = () => this.acknowledged.slice(before).filter((write) => write.kind === kind)
    return this.#until(`${kind} of all`, () => new Set(after().map(({ client }) => client)).size === CLIENTS)
  }

  async #until(what: string, isTrue: () => boolean): Promise<number> {
    const start = Date.now()
    while (!isTrue()) {
      if (Date.now() - start > PATIENCE) throw new Error(`${what} did not come within ${PATIENCE / 1000} s`)
      await sleep(20)
    }
    return Date.now() - start
  }

  /** Resolves when the requests under way have their responses. */
  async stop(): Promise<void> {
    this.#over = true
    await this.#running
  }

  async #write(client: string, index: number, kinds: readonly Kind[]): Promise<void> {
    for (let count = 0; !this.#over; count += 1) {
      const kind = kinds[count % kinds.length] ?? 'create'
      const write = { kind, client, name: `${client}-${count}` }
      const isRepeatable = kind === 'conditional' || kind === 'tool'
      while ((await this.#send(write, index)) !== 'acknowledged') {
        await sleep(PAUSE)
        if (this.#over || !isRepeatable) break
      }
    }
  }

  async #send(write: Write, index: number): Promise<Answer> {
    const target = this.#targets[index % this.#targets.length]
    if (target === undefined) return 'unanswered'
    const start = Date.now()
    const answer = await this.#answerTo(write, target)
    this.slowest = Math.max(this.slowest, Date.now() - start)
    if (answer === 'acknowledged') this.acknowledged.push(write)
    else this[answer] += 1
    return answer
  }

  async #answerTo(write: Write, target: Target): Promise<Answer> {
    const response = await REQUESTS[write.kind](write, target).catch(() => undefined)
    if (response === undefined) return 'unanswered'
    if (isSuccess(write, response)) return 'acknowledged'
    if (!saysNotNow(write, response)) this.wrong.push(`${write.kind}: ${response.status} ${response.text}`)
    return 'refused'
  }
}

const REQUESTS: Readonly<Record<Kind, (write: Write, target: Target) => Promise<FhirResponse>>> = {
  create: ({ name }, target) => fhir(target, 'POST', '/Basic', basic(name)),
  conditional: ({ name }, target) =>
    fhir(target, 'POST', '/Basic', basic(name), { 'if-none-exist': `identifier=${SYSTEM}|${name}` }),
  update: ({ name, client }, target) => fhir(target, 'PUT', `/Basic/${client}`, { ...basic(name), id: client }),
  transaction: ({ name }, target) =>
    fhir(target, 'POST', '/', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [
        {
          fullUrl: 'urn:uuid:0b6d9e9e-7a4f-4c0e-9d1a-0f2f6d1f3a11',
          resource: { resourceType: 'Patient', identifier: [{ system: SYSTEM, value: name }] },
          request: { method: 'POST', url: 'Patient' },
        },
        {
          resource: { ...basic(name), subject: { reference: 'urn:uuid:0b6d9e9e-7a4f-4c0e-9d1a-0f2f6d1f3a11' } },
          request: { method: 'POST', url: 'Basic' },
        },
      ],
    }),
  tool: ({ name }, { url }) =>
    request(
      url,
      'POST',
      '/patient-journey/update_registration_field',
      { message: { toolCalls: [{ id: name, function: { arguments: { email: emailOf(name) } } }] } },
      { 'x-voice-secret': 'demo-secret', 'x-call-id': name, 'content-type': 'application/json' },
    ),
}

export const emailOf = (name: string): string => `${name}@example.org`

const basic = (name: string): object => ({
  resourceType: 'Basic',
  identifier: [{ system: SYSTEM, value: name }],
  code: { text: name },
})

export const fhir = (
  { url, token }: Target,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<FhirResponse> => request(url, method, path, body, { authorization: `Bearer ${token}`, ...headers })

const toolResult = ({ body }: FhirResponse): Record<string, unknown> => JSON.parse(body.results[0].result)

function isSuccess({ kind }: Write, response: FhirResponse): boolean {
  if (kind === 'tool') return response.status === 200 && toolResult(response)['success'] === true
  return response.status === 200 || response.status === 201
}

/** Whether the response is a 503 or 507 that a program can act on; a tool's response is always 200. */
function saysNotNow({ kind }: Write, response: FhirResponse): boolean {
  if (kind === 'tool') {
    return (
      response.status === 200 && ['transient', 'timeout', 'no-store'].includes(String(toolResult(response)['code']))
    )
  }
  return isUnavailable(response)
}

export function isUnavailable({ status, headers, body }: FhirResponse): boolean {
  const isOutcome = body?.resourceType === 'OperationOutcome' && body.issue[0].diagnostics !== ''
  return (status === 503 || status === 507) && isOutcome && Number(headers.get('retry-after')) > 0
}
