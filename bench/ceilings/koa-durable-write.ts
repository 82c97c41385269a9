/**
 * Ceiling: Koa and its router, one SQLite transaction of 7 rows per request, durable before the response: the text and
 * six index rows, as written by a create of a small Patient.
 */
import { randomUUID } from 'node:crypto'
import { Router } from '@koa/router'
import Koa from 'koa'
import { FHIR_JSON, openDatabase, serve } from './ceiling.ts'

const INDEX_ROWS = 6

const database = openDatabase()
database.exec(`
  CREATE TABLE resource (row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, text TEXT NOT NULL);
  CREATE TABLE entry (param INTEGER, value TEXT, row INTEGER, PRIMARY KEY (param, value, row)) WITHOUT ROWID;
`)
const insertResource = database.prepare('INSERT INTO resource (id, text) VALUES (?, ?)')
const insertEntry = database.prepare('INSERT INTO entry VALUES (?, ?, ?)')

function write(id: string, text: string): void {
  database.exec('BEGIN IMMEDIATE')
  const { lastInsertRowid } = insertResource.run(id, text)
  for (let param = 0; param < INDEX_ROWS; param++) insertEntry.run(param, `${id.slice(0, 8)}${param}`, lastInsertRowid)
  database.exec('COMMIT')
}

const router = new Router()
router.post('/Patient', async (koa) => {
  const chunks: Buffer[] = []
  for await (const chunk of koa.req) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const id = randomUUID()
  write(id, text)
  koa.status = 201
  koa.set('location', `/Patient/${id}`)
  koa.type = FHIR_JSON
  koa.body = text
})
serve(new Koa().use(router.routes()).callback())
