/** `npm run call`: plays a phone call, a JSON file of tool calls in order, against a running server. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { filledIn, type PlayedCall, playCall, type Result, type Send } from '../dashboard/api/play-call.ts'

const USAGE = `npm run call -- FILE [--url URL] [--family FAMILY] [--secret SECRET] [--number +1…] [--from +1…]

FILE is a call such as examples/scheduling-call.json. By default it is played against the demo clinic of http://127.0.0.1:3000.
--number is the dialled number, --from that of the caller.`

interface Options {
  readonly url: string
  readonly family: string
  readonly headers: Readonly<Record<string, string>>
}

async function post({ url, headers }: Options, path: string, body: object): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path}: HTTP ${response.status} ${text}`)
  return text
}

/** Over HTTP, in one call. */
function sender(options: Options): Send {
  let count = 0
  return async (tool, args, family = options.family) => {
    count += 1
    const toolCalls = [{ id: String(count), function: { arguments: args } }]
    const text = await post(options, `/${family}/${tool}`, { message: { toolCalls } })
    const [{ result = '{}' } = {}] = (JSON.parse(text) as { results: readonly { result?: string }[] }).results
    return JSON.parse(result)
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:3000' },
      family: { type: 'string', default: 'emr-scheduling' },
      secret: { type: 'string', default: 'demo-secret' },
      number: { type: 'string' },
      from: { type: 'string' },
    },
  })
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new Error(USAGE)
  const { url, family, secret, number, from } = values
  const call = JSON.parse(readFileSync(file, 'utf8')) as PlayedCall
  const callId = randomUUID()
  const headers = {
    ...call.headers,
    'x-voice-secret': secret,
    'x-call-id': callId,
    ...(number === undefined ? {} : { 'x-call-to': number }),
    ...(from === undefined ? {} : { 'x-call-from': from }),
  }
  const options = { url, family, headers }
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  tell(call.description)
  const before = new Map<string, Result>()
  if (call.abandonment !== undefined) {
    before.set('abandonment', JSON.parse(await post(options, '/abandonments', call.abandonment)))
    tell(`abandonment ${before.get('abandonment')?.id} is stored`)
  }
  if (call.register !== undefined) {
    const register = filledIn(call.register, before, 'register') as object
    await post(options, '/calls', { callId, ...register })
    tell(`call ${callId} is registered`)
  }
  await playCall(call, sender(options), tell)
  if (call.end === undefined) return
  await post(options, `/calls/${callId}/end`, call.end)
  tell(`call ${callId} has ended`)
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
