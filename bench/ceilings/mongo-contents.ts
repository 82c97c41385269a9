/**
 * A ceiling: node:http alone and MongoDB's driver, with nothing but the bytes. POST: the body, in pieces of 255 KiB, each an
 * insertOne that a majority has acknowledged before the next one. GET of a resource: findOne by (clinic, type, id) in the
 * server's collection, sending the stored text.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { MongoClient } from 'mongodb'
import { inPieces } from '../../src/storage/content-port.ts'
import { FHIR_JSON, serve } from './ceiling.ts'

const PIECE = 255 * 1024

const url = process.env['BENCH_DATABASE_URL'] ?? ''
const writeConcern = { w: 'majority', journal: true } as const
const client = new MongoClient(url, { writeConcern })
const resources = client.db().collection('resources')
/** By a client of its own, as in the server. */
const writing = new MongoClient(url, { writeConcern, maxPoolSize: 16 })
const pieces = writing.db('ceilings').collection('pieces')

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = randomUUID()
  let n = 0
  for await (const bytes of inPieces(request, PIECE))
    await pieces.insertOne({ clinic: 'bench', name: id, n: n++, bytes })
  send(response, 201, JSON.stringify({ id }))
}

async function read(path: string, response: ServerResponse): Promise<void> {
  const [, type, id] = path.split('/')
  const found = await resources.findOne({ clinic: 'demo-clinic', type, id }, { projection: { _id: 0, text: 1 } })
  send(response, found === null ? 404 : 200, found?.['text'] ?? '')
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': FHIR_JSON })
  response.end(text)
}

await pieces.drop()
await pieces.createIndex({ clinic: 1, name: 1, n: 1 }, { unique: true })
serve((request, response) => {
  const answered = request.method === 'POST' ? create(request, response) : read(request.url ?? '', response)
  answered.catch((error: unknown) => send(response, 500, String(error)))
})
