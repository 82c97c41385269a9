/**
 * Ceilings: node:http alone, one call of MongoDB's driver per request. GET of a resource: findOne by (clinic, type, id)
 * in the server's collection, sending the stored text. GET of a search: find by two fields of one index. POST:
 * insertOne. PUT: replaceOne. Both are acknowledged by a majority before the response, in a collection without any
 * index but `_id`.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Document, MongoClient } from 'mongodb'
import { birthDateOf, familyOf, patientId } from '../data-set.ts'
import { FHIR_JSON, patientText, serve } from './ceiling.ts'

const CLINIC = 'demo-clinic'
const ROWS = 2_000

const url = process.env['BENCH_DATABASE_URL'] ?? ''
const client = new MongoClient(url, { writeConcern: { w: 'majority', journal: true } })
const resources = client.db().collection('resources')
const ceilings = client.db('ceilings')
const searched = ceilings.collection('searched')
const written = ceilings.collection<Document & { readonly _id: string }>('written')
const textOnly = { projection: { _id: 0, text: 1 } }

async function prepare(): Promise<void> {
  await ceilings.dropDatabase()
  await searched.createIndex({ clinic: 1, type: 1, family: 1, birthDate: 1 })
  const rows = Array.from({ length: ROWS }, (_, n) => n)
  const fields = (n: number) => ({ clinic: CLINIC, type: 'Patient', family: familyOf(n), birthDate: birthDateOf(n) })
  await searched.insertMany(rows.map((n) => ({ ...fields(n), text: patientText(n) })))
  await written.insertMany(rows.map((n) => ({ ...JSON.parse(patientText(n)), _id: patientId(n) })))
}

async function readOne(id: string, response: ServerResponse): Promise<void> {
  const found = await resources.findOne({ clinic: CLINIC, type: 'Patient', id }, textOnly)
  send(response, found === null ? 404 : 200, found?.['text'] ?? '')
}

async function search(parameters: URLSearchParams, response: ServerResponse): Promise<void> {
  const [family, birthDate] = [parameters.get('family'), parameters.get('birthdate')]
  const found = await searched.find({ clinic: CLINIC, type: 'Patient', family, birthDate }, textOnly).toArray()
  const entries = found.map(({ text }) => `{"resource":${text}}`)
  send(response, found.length === 0 ? 404 : 200, `{"resourceType":"Bundle","entry":[${entries.join()}]}`)
}

async function create(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(request)
  await written.insertOne({ ...JSON.parse(text), _id: randomUUID() })
  send(response, 201, text)
}

async function replace(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(request)
  const { matchedCount } = await written.replaceOne({ _id: id }, JSON.parse(text))
  send(response, matchedCount === 1 ? 200 : 404, text)
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': FHIR_JSON })
  response.end(text)
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url: path = '' } = request
  const id = path.slice('/Patient/'.length)
  if (method === 'POST') return await create(request, response)
  if (method === 'PUT') return await replace(id, request, response)
  const query = path.indexOf('?')
  return await (query === -1 ? readOne(id, response) : search(new URLSearchParams(path.slice(query)), response))
}

await prepare()
serve((request, response) => {
  answer(request, response).catch((error: unknown) => send(response, 500, String(error)))
})
