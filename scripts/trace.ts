/**
 * `npm run trace`: the files and functions of src that one warm request runs through, by the coverage that V8 keeps.
 * The server runs in this process, on a store in memory that holds the demo clinic and one more Patient.
 */
import { readFileSync } from 'node:fs'
import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { readConfig } from '../src/config.ts'
import { seedDemo, topUpSlots } from '../src/demo/demo-clinic.ts'
import { createApp } from '../src/main/app.ts'

const USAGE = `npm run trace                               totals of a read, a search, a create, a tool call and a $match
npm run trace -- METHOD PATH [body.json]    every function of one request, as GET '/Patient?family=Smith'
npm run trace -- tool [FAMILY/]NAME [arguments.json]`

interface TracedRequest {
  readonly method: string
  readonly path: string
  /** Sent as JSON. */
  readonly body?: unknown
  /** The body is the arguments of a tool. */
  readonly isTool?: boolean
}

/** One function that ran. */
interface Call {
  /** Below src. */
  readonly file: string
  /** For a function without a name, its line. */
  readonly name: string
}

const SRC = join(import.meta.dirname, '../src')
/** Requests before the measured ones, so that everything compiled or cached on first use is so by then. */
const WARM_UP = 10
/** Measured requests; only functions that run in each of them count, as timers fire in some of them at most. */
const MEASURED = 10
/** Milliseconds before each measured request. */
const QUIET_MS = 20

const PATIENT = {
  resourceType: 'Patient',
  id: 'traced',
  name: [{ family: 'Smith', given: ['Ann'] }],
  birthDate: '1980-01-02',
}
const MATCH = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: PATIENT }] }
const STATED = { statedName: 'Ann Smith', statedPhone: '+12125550123' }

const toolCall = (tool: string, body: unknown): TracedRequest => {
  const path = tool.includes('/') ? `/${tool}` : `/patient-journey/${tool}`
  return { method: 'POST', path, body, isTool: true }
}

const USUAL: Readonly<Record<string, TracedRequest>> = {
  read: { method: 'GET', path: `/Patient/${PATIENT.id}` },
  search: { method: 'GET', path: '/Patient?family=Smith' },
  create: { method: 'POST', path: '/Patient', body: PATIENT },
  'tool call': toolCall('resolve_patient_identity', STATED),
  $match: { method: 'POST', path: '/Patient/$match', body: MATCH },
}

type Send = (request: TracedRequest) => Promise<string>

/** The functions that a request runs, on a server of its own. @throws Error when the response is an error */
async function traced(session: Session, request: TracedRequest): Promise<readonly Call[]> {
  const config = readConfig({ PORT: '0', LOG_LEVEL: 'silent', DEMO: 'on', DATABASE_URL: 'sqlite::memory:' })
  const app = await createApp({ config, logger: pino({ level: config.logLevel }) })
  try {
    await new Promise<void>((resolve) => app.server.listen(0, '127.0.0.1', resolve))
    await seedDemo(app)
    await topUpSlots(app)
    const { port } = app.server.address() as AddressInfo
    return await measured(session, await loggedIn(`http://127.0.0.1:${port}`), request)
  } finally {
    await app.close()
  }
}

/** Sends requests as staff of the demo clinic, or as its voice platform. */
async function loggedIn(url: string): Promise<Send> {
  let sent = 0
  const post = async (headers: Record<string, string>, { method, path, body, isTool }: TracedRequest) => {
    sent += 1
    const call = { message: { toolCalls: [{ id: `call-${sent}`, function: { arguments: body } }] } }
    const text = body === undefined ? {} : { body: JSON.stringify(isTool ? call : body) }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...text,
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} is answered with ${response.status}: ${answer}`)
    return answer
  }
  const login = { method: 'POST', path: '/session', body: { username: 'demo', password: 'demo' } }
  const { token } = JSON.parse(await post({}, login)) as { token: string }
  const [staff, platform] = [{ authorization: `Bearer ${token}` }, { 'x-voice-secret': 'demo-secret' }]
  return (request) => post(request.isTool ? platform : staff, request)
}

async function measured(session: Session, send: Send, request: TracedRequest): Promise<readonly Call[]> {
  await send({ method: 'PUT', path: `/Patient/${PATIENT.id}`, body: PATIENT })
  for (let time = 0; time < WARM_UP; time += 1) await send(request)
  const runs: ReadonlyMap<string, Call>[] = []
  for (let time = 0; time < MEASURED; time += 1) {
    // Invalidates responses that are cached until something changes.
    await send({ method: 'PUT', path: `/Patient/${PATIENT.id}`, body: { ...PATIENT, multipleBirthInteger: time + 1 } })
    // Work that the change has left behind is none of the request's.
    await setTimeout(QUIET_MS)
    // Taking the counts sets them back to 0.
    await session.post('Profiler.takePreciseCoverage')
    await send(request)
    const { result } = await session.post('Profiler.takePreciseCoverage')
    runs.push(new Map(result.flatMap(callsIn)))
  }
  const [first = new Map<string, Call>(), ...others] = runs
  return [...first].filter(([place]) => others.every((run) => run.has(place))).map(([, call]) => call)
}

/** The functions of one script that ran, by their place in it. */
function callsIn({ url, functions }: Profiler.ScriptCoverage): readonly (readonly [string, Call])[] {
  const path = url.startsWith('file:') ? fileURLToPath(url) : ''
  const file = relative(SRC, path)
  const ran = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0))
  if (file.startsWith('..') || ran.length === 0) return []
  const text = readFileSync(path, 'utf8')
  return ran.map(({ functionName, ranges: [range] }) => {
    const start = range?.startOffset ?? 0
    const line = text.slice(0, start).split('\n').length
    return [`${file} ${start}`, { file, name: functionName || `line ${line}` }]
  })
}

function totals(calls: readonly Call[]): string {
  const files = new Set(calls.map(({ file }) => file))
  const folders = new Set([...files].map((file) => dirname(file)))
  return `${calls.length} functions in ${files.size} files in ${folders.size} folders`
}

function printCalls(calls: readonly Call[]): void {
  const byFolder = Map.groupBy(calls, ({ file }) => dirname(file))
  for (const [folder, inFolder] of [...byFolder].sort(([one], [other]) => one.localeCompare(other))) {
    console.log(join('src', folder))
    for (const [file, inFile] of Map.groupBy(inFolder, ({ file }) => file)) {
      console.log(`  ${relative(folder, file)}: ${inFile.map(({ name }) => name).join(', ')}`)
    }
  }
  console.log(totals(calls))
}

/** @throws Error with the usage */
function requestOf([method = '', path, file]: readonly string[]): TracedRequest {
  if (path === undefined) throw new Error(USAGE)
  const body = file === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as unknown)
  return method === 'tool' ? toolCall(path, body ?? STATED) : { method, path, body }
}

const args = process.argv.slice(2)
try {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  if (args.length > 0) printCalls(await traced(session, requestOf(args)))
  else {
    for (const [name, request] of Object.entries(USUAL)) {
      console.log(`${name.padEnd(10)}${totals(await traced(session, request))}`)
    }
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
