/** `npm run call`: plays a phone call, a JSON file of tool calls in order, against a running server. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type PlayedCall, playCall, type Requests, type Result } from '../dashboard/api/play-call.ts'

const USAGE = `npm run call -- FILE [--url URL] [--family FAMILY] [--secret SECRET] [--number +1…] [--from +1…] [--user USER] [--password PASSWORD]

FILE is a call such as examples/scheduling-call.json. By default it is played against the demo clinic of http://127.0.0.1:3000.
--number is the dialled number, --from that of the caller. USER and PASSWORD are of the staff who search what was written.`

interface Options {
  readonly url: string
  readonly family: string
  readonly user: string
  readonly password: string
  /** Headers of every request of a call, besides its id. */
  readonly headers: Readonly<Record<string, string>>
}

async function exchange(url: string, path: string, init: RequestInit): Promise<Result> {
  const response = await fetch(`${url}/${path}`, init)
  const text = await response.text()
  if (!response.ok) throw new Error(`/${path}: HTTP ${response.status} ${text}`)
  return JSON.parse(text)
}

/** Over HTTP; staff log in for the first search. */
function requestsTo({ url, family, user, password, headers }: Options): Requests {
  let count = 0
  let token: string | undefined
  const post = (path: string, body: object, more: Readonly<Record<string, string>> = {}) =>
    exchange(url, path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...more },
      body: JSON.stringify(body),
    })
  const postInCall = (callId: string, path: string, body: object) =>
    post(path, body, { ...headers, ...(callId === '' ? {} : { 'x-call-id': callId }) })
  return {
    post: postInCall,
    callTool: async (callId, step) => {
      count += 1
      const toolCalls = [{ id: String(count), function: { arguments: step.arguments } }]
      const body = await postInCall(callId, `${step.family ?? family}/${step.tool}`, { message: { toolCalls } })
      const [{ result = '{}' } = {}] = body.results as readonly { result?: string }[]
      return JSON.parse(result)
    },
    search: async (query) => {
      token ??= String((await post('session', { username: user, password })).token)
      return await exchange(url, query, { headers: { authorization: `Bearer ${token}` } })
    },
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:3000' },
      family: { type: 'string', default: 'emr-scheduling' },
      secret: { type: 'string', default: 'demo-secret' },
      user: { type: 'string', default: 'demo' },
      password: { type: 'string', default: 'demo' },
      number: { type: 'string' },
      from: { type: 'string' },
    },
  })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new Error(USAGE)
  const { secret, number, from, ...options } = values
  const call = JSON.parse(readFileSync(file, 'utf8')) as PlayedCall
  const headers = {
    ...call.headers,
    'x-voice-secret': secret,
    ...(number === undefined ? {} : { 'x-call-to': number }),
    ...(from === undefined ? {} : { 'x-call-from': from }),
  }
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  tell(call.description)
  await playCall(call, randomUUID(), requestsTo({ ...options, headers }), tell)
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
