/**
 * Documents: the memory of the server while a large one is written and read, and the rate of writing small ones
 * compared with small Patients.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { patient, patientId } from '../data-set.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { type HttpRequest, type Measurement, measure } from '../load.ts'
import type { ServerProcess } from '../server-process.ts'

export const DOCUMENTS = 'documents'

const CONNECTIONS = 16
/** Measured in turns, so that other load on the machine affects both. */
const ROUNDS = 3
/** More than a run sends. */
const NUMBERS = 10_000_000

/** Bytes of a large document: nearly the most that fits into a body. */
const LARGE = 20 * 1024 * 1024
/** Large ones that are written and read one after the other, before the memory counts. */
const WARM_UP = 3
const MEASURED = 5
/** Milliseconds between two looks at the memory. */
const LOOK = 2

/** Bytes of the resident set beyond that of the server between requests. */
export interface ExtraMemory {
  readonly written: number
  readonly read: number
}

export interface DocumentsResults {
  /** Absent where there is no /proc. */
  readonly memory: ExtraMemory | undefined
  readonly rounds: readonly { readonly notes: Measurement; readonly patients: Measurement }[]
}

interface Client {
  readonly server: ServerProcess
  readonly headers: Readonly<Record<string, string>>
}

export async function benchDocuments(folder: string, seconds: number): Promise<DocumentsResults> {
  const server = await startServer(`sqlite:${join(folder, 'emr.db')}`)
  try {
    const authorization = await logIn(server.url)
    const client = { server, headers: { authorization, 'content-type': 'application/fhir+json' } }
    await put(client, patientId(0), patient(0))
    const memory = await extraMemory(client)
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) rounds.push(await smallOnes(client, seconds, round % 2 === 1))
    return { memory, rounds }
  } finally {
    await server.stop()
  }
}

async function put({ server, headers }: Client, id: string, resource: object): Promise<void> {
  const body = JSON.stringify({ ...resource, id })
  const response = await fetch(`${server.url}/Patient/${id}`, { method: 'PUT', headers, body })
  if (!response.ok) throw new Error(`The patient was answered ${response.status}`)
}

/** The most of several documents, each on a server that has had a moment of rest. */
async function extraMemory(client: Client): Promise<ExtraMemory | undefined> {
  if (client.server.memory() === undefined) return undefined
  const most = { written: 0, read: 0 }
  for (let count = 0; count < WARM_UP + MEASURED; count++) {
    let id = ''
    const written = await during(client.server, async () => {
      id = await write(client, pdf())
    })
    const read = await during(client.server, () => readBack(client, id))
    progress(`${DOCUMENTS}: ${mebibytes(written)} MiB to write one of 20 MiB, ${mebibytes(read)} MiB to read it`)
    if (count < WARM_UP) continue
    most.written = Math.max(most.written, written)
    most.read = Math.max(most.read, read)
  }
  return most
}

/** Random bytes that begin like a PDF. */
function pdf(): Buffer {
  const bytes = randomBytes(LARGE)
  bytes.write('%PDF-1.7\n')
  return bytes
}

export const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)

/** @returns the peak of memory above that before, in bytes */
async function during(server: ServerProcess, work: () => Promise<void>): Promise<number> {
  await pause(SETTLE)
  const resident = () => server.memory()?.resident ?? 0
  const before = resident()
  let most = before
  const look = setInterval(() => {
    most = Math.max(most, resident())
  }, LOOK)
  await work()
  clearInterval(look)
  return Math.max(most, resident()) - before
}

/** @returns the id */
async function write({ server, headers }: Client, content: Buffer): Promise<string> {
  const response = await fetch(`${server.url}/DocumentReference`, {
    method: 'POST',
    headers: { ...headers, prefer: 'return=minimal' },
    body: JSON.stringify(note(content, 'application/pdf')),
  })
  const [, id] = /\/DocumentReference\/([^/]+)/.exec(response.headers.get('location') ?? '') ?? []
  if (response.status !== 201 || id === undefined) throw new Error(`The document was answered ${response.status}`)
  return id
}

async function readBack({ server, headers }: Client, id: string): Promise<void> {
  const response = await fetch(`${server.url}/DocumentReference/${id}`, { headers })
  let length = 0
  for await (const piece of response.body ?? []) length += piece.length
  if (length < (LARGE * 4) / 3) throw new Error(`The document was read with ${length} bytes`)
}

const note = (content: Buffer, contentType: string) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  type: { coding: [{ system: 'http://loinc.org', code: '34109-9' }] },
  subject: { reference: `Patient/${patientId(0)}` },
  content: [{ attachment: { contentType, data: content.toString('base64') } }],
})

/** @param isTurned Patients first */
async function smallOnes({ server, headers }: Client, seconds: number, isTurned: boolean) {
  const load = { connections: CONNECTIONS, seconds }
  const creates = async (type: string, made: (n: number) => object) => {
    const next = (connection: number, n: number): HttpRequest => ({
      ...{ method: 'POST', path: `/${type}`, headers },
      body: JSON.stringify(made(connection * NUMBERS + n)),
    })
    return await measure(server, { kind: 'fresh', next }, load)
  }
  const writeNotes = () =>
    creates('DocumentReference', (n) => note(Buffer.from(`Note ${n}. ${WORDS}`), 'text/plain;charset=utf-8'))
  const writePatients = () => creates('Patient', (n) => patient(n))
  const first = await (isTurned ? writePatients : writeNotes)()
  const second = await (isTurned ? writeNotes : writePatients)()
  const [notes, patients] = isTurned ? [second, first] : [first, second]
  progress(
    `${DOCUMENTS}: ${notes.requestsPerSecond.toFixed(0)} notes/s, ${patients.requestsPerSecond.toFixed(0)} Patients/s`,
  )
  return { notes, patients }
}

/** Half a kilobyte, as a Patient of the data set has. */
const WORDS = 'Seen today, all well. '.repeat(20)
