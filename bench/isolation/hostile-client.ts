/** Sends the requests of an attack and records how each was answered. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Answer, Attack, HostileRequest, Target } from './hostile-case.ts'

export interface Outcome {
  /** `broken`: the connection ended without an answer. `unanswered`: there was none when the client left. */
  readonly result: number | 'broken' | 'unanswered'
  readonly milliseconds: number
  /** The beginning of an answer that is an error. */
  readonly error?: string
}

/** Characters of an answer that are kept. */
const KEPT_TEXT = 100_000
const SHOWN_ERROR = 600

/**
 * Runs the attack until it ends, or `signal` does.
 * @param isRunning whether the server still runs; an attack on one that does not ends
 */
export async function run(
  attack: Attack,
  {
    url,
    authorization,
    signal,
  }: { readonly url: string; readonly authorization: string; readonly signal: AbortSignal },
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const send = async (request: HostileRequest): Promise<Answer | undefined> => {
    const { outcome, answer } = await sendOne(agent, url, authorized(request, authorization), signal)
    outcomes.push(outcome)
    return answer
  }
  try {
    await (attack.kind === 'program'
      ? runProgram(attack.run, { url, authorization, send, signal })
      : sendAll(attack, send, signal))
  } finally {
    agent.destroy()
  }
  return outcomes
}

/** A program waits for what it likes; when the time is up it is left alone. */
async function runProgram(program: (target: Target) => Promise<void>, target: Target): Promise<void> {
  const timeUp = new Promise<void>((resolve) => {
    target.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await Promise.race([program(target), timeUp])
}

async function sendAll(
  { requests, parallel, seconds }: Extract<Attack, { kind: 'requests' }>,
  send: (request: HostileRequest) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const end = seconds === undefined ? undefined : performance.now() + seconds * 1000
  const queue = end === undefined ? requests.values() : repeated(requests, end)
  const sendNext = async (): Promise<void> => {
    for (const request of queue) {
      if (signal.aborted) return
      await send(request)
    }
  }
  await Promise.all(Array.from({ length: parallel }, sendNext))
}

function* repeated(requests: readonly HostileRequest[], end: number): Generator<HostileRequest> {
  while (performance.now() < end) yield* requests
}

const authorized = (request: HostileRequest, authorization: string): HostileRequest =>
  request.anonymous ? request : { ...request, headers: { authorization, ...request.headers } }

function sendOne(
  agent: Agent,
  url: string,
  { method, path, headers = {}, body }: HostileRequest,
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly answer?: Answer }> {
  const started = performance.now()
  const milliseconds = (): number => performance.now() - started
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve) => {
    const failed = (): void =>
      resolve({ outcome: { result: signal.aborted ? 'unanswered' : 'broken', milliseconds: milliseconds() } })
    const request = httpRequest(`${url}${path}`, { agent, method, headers: { ...length, ...headers }, signal })
    request.once('error', failed)
    request.once('response', (response) => {
      const { statusCode: status = 0 } = response
      readText(response).then((text) => {
        const error = status < 400 ? {} : { error: text.slice(0, SHOWN_ERROR) }
        resolve({ outcome: { result: status, milliseconds: milliseconds(), ...error }, answer: { status, text } })
      }, failed)
    })
    request.end(body)
  })
}

/** Reads everything and keeps the beginning. @throws Error when the connection breaks off */
async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (text.length < KEPT_TEXT) text += chunk.toString('latin1')
  }
  return text
}
