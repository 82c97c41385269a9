/** Sends the requests of an attack and records the response to each. */
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import type { Answer, Attack, HostileRequest, Target } from './hostile-case.ts'

export interface Outcome {
  /**
   * The status; or `broken`: the connection ended without a response, `unanswered`: there was none within PATIENCE,
   * `cut off`: there was none yet when the attack ended.
   */
  readonly result: number | 'broken' | 'unanswered' | 'cut off'
  readonly milliseconds: number
  /** The beginning of an error response. */
  readonly error?: string
}

/** Milliseconds after which a client leaves: more than a request may take. */
const PATIENCE = 12_000
/** Characters of a response that are kept. */
const KEPT_TEXT = 100_000
const SHOWN_ERROR = 600

/** Runs the attack until all its requests have responses, or `signal` ends it. */
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

/** Runs a program until it ends or the time is up; then it is abandoned. */
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
  for (let n = 0; performance.now() < end; n++) {
    const request = requests[n % requests.length]
    if (request !== undefined) yield request
  }
}

const authorized = (request: HostileRequest, authorization: string): HostileRequest =>
  request.anonymous ? request : { ...request, headers: { authorization, ...request.headers } }

function sendOne(
  agent: Agent,
  url: string,
  { method, path, headers = {}, body }: HostileRequest,
  end: AbortSignal,
): Promise<{ readonly outcome: Outcome; readonly answer?: Answer }> {
  const signal = AbortSignal.any([end, AbortSignal.timeout(PATIENCE)])
  const started = performance.now()
  const milliseconds = (): number => performance.now() - started
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve) => {
    const failed = (): void => resolve({ outcome: { result: failureOf(signal, end), milliseconds: milliseconds() } })
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

function failureOf(signal: AbortSignal, end: AbortSignal): Outcome['result'] {
  if (!signal.aborted) return 'broken'
  return end.aborted ? 'cut off' : 'unanswered'
}

/** Reads everything and keeps the beginning. @throws Error when the connection breaks off */
async function readText(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response as AsyncIterable<Buffer>) {
    if (text.length < KEPT_TEXT) text += chunk.toString('latin1')
  }
  return text
}
