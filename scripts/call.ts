/** `npm run call`: plays a phone call, a JSON file of tool calls in order, against a running server; or saves a recorded one. */
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { Bundle, Communication, Encounter, FhirResource } from 'fhir/r4'
import { readScript } from '../dashboard/api/call-script.ts'
import { naturalPace, playCall, type Requests, type Result } from '../dashboard/api/play-call.ts'
import { familiesOf, type KeptCall, recordingOf, scriptOf, type ToolList } from '../dashboard/api/save-call.ts'
import { matchesIn, nextOf } from '../dashboard/fhir/bundles.ts'
import { ofCall } from '../dashboard/fhir/calls.ts'

const USAGE = `npm run call -- FILE [--url URL] [--family FAMILY] [--secret SECRET] [--number +1…] [--from +1…] [--user USER] [--password PASSWORD]
              [--pace natural] [--go-on]
npm run call -- --save CALL FILE [--url URL] [--user USER] [--password PASSWORD]

FILE is a call such as examples/scheduling-call.json. By default it is played against the demo clinic of http://127.0.0.1:3000.
--number is the dialled number, --from that of the caller. USER and PASSWORD are of the staff who search what was written.
With --pace natural there are pauses as people make them; with --go-on a step that fails does not stop the play.
--save writes the recorded call with the id CALL to FILE.`

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
export function requestsTo({ url, family, user, password, headers }: Options): Requests {
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

type Place = Pick<Options, 'url' | 'user' | 'password'>

/** Writes the recorded call to the file. @throws Error where the clinic of the user has no log of it */
async function save(callId: string, file: string, { url, user, password }: Place): Promise<void> {
  const credentials = { method: 'POST', body: JSON.stringify({ username: user, password }) }
  const session = await exchange(url, 'session', { ...credentials, headers: { 'content-type': 'application/json' } })
  const headers = { authorization: `Bearer ${session.token}` }
  const found = <R extends FhirResource>(type: string) =>
    searched<R>(url, `${type}?${new URLSearchParams(ofCall(callId).map((pair) => [...pair]))}`, headers)
  const communications = await found<Communication>('Communication')
  if (communications.length === 0) throw new Error(`The clinic ${session.clinic} has no log of a call ${callId}`)
  const [encounter] = await found<Encounter>('Encounter')
  const kept = await keptCall(`${url}/clinics/${session.clinic}/calls/${encodeURIComponent(callId)}`, headers)
  const tools = (await exchange(url, 'tools', {})) as unknown as ToolList
  const script = scriptOf(recordingOf({ callId, kept, encounter, communications }), familiesOf(tools))
  writeFileSync(file, `${JSON.stringify(script, undefined, 2)}\n`)
}

async function searched<R extends FhirResource>(
  url: string,
  query: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly R[]> {
  const found: R[] = []
  for (let next: string | undefined = `${query}&_count=200`; next !== undefined; ) {
    const bundle = (await exchange(url, next, { headers })) as unknown as Bundle
    found.push(...matchesIn<R>(bundle))
    next = nextOf(bundle)?.replace(`${url}/`, '')
  }
  return found
}

/** Undefined where it is not kept any more. */
async function keptCall(address: string, headers: Readonly<Record<string, string>>): Promise<KeptCall | undefined> {
  const response = await fetch(address, { headers })
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${address}: HTTP ${response.status} ${await response.text()}`)
  return (await response.json()) as KeptCall
}

interface Played {
  readonly pace: string
  readonly goesOn: boolean
  readonly number: string | undefined
  readonly from: string | undefined
  readonly secret: string
}

async function play(file: string, options: Omit<Options, 'headers'>, { pace, goesOn, number, from, secret }: Played) {
  const call = readScript(readFileSync(file, 'utf8'))
  const headers = {
    ...call.headers,
    'x-voice-secret': secret,
    ...(number === undefined ? {} : { 'x-call-to': number }),
    ...(from === undefined ? {} : { 'x-call-from': from }),
  }
  const tell = (line: string) => process.stdout.write(`${line}\n`)
  tell(call.description)
  const manner = { goesOn, ...(pace === 'natural' ? { pace: naturalPace() } : {}) }
  const failures = await playCall(call, randomUUID(), requestsTo({ ...options, headers }), tell, manner)
  if (failures > 0) throw new Error(`${failures} of ${call.steps.length} steps failed`)
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
      pace: { type: 'string', default: 'at-once' },
      'go-on': { type: 'boolean', default: false },
      save: { type: 'string' },
    },
  })
  const [file, ...more] = positionals
  const { pace, save: callId, 'go-on': goesOn, number, from, secret, ...options } = values
  if (file === undefined || more.length > 0 || !['natural', 'at-once'].includes(pace)) throw new Error(USAGE)
  if (callId === undefined) await play(file, options, { pace, goesOn, number, from, secret })
  else await save(callId, file, options)
}

if (import.meta.main) {
  main().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
  })
}
