/** Common parts of the ceilings: a stored Patient, a table to read it from, and listening on a free port. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { patient, patientId } from '../data-set.ts'

export const FHIR_JSON = 'application/fhir+json; charset=utf-8'
const ROWS = 2_000

export const patientText = (n: number): string =>
  JSON.stringify({
    ...patient(n),
    id: patientId(n),
    meta: { versionId: '1', lastUpdated: '2032-01-05T09:00:00.000Z' },
  })

/** The file given by the benchmark, so that ceilings and server write to the same disk. */
export function openDatabase(): DatabaseSync {
  const file = process.env.BENCH_DATABASE
  if (file === undefined) throw new Error('BENCH_DATABASE must name the database file')
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  return database
}

/** 2,000 Patients by (type, id), and the statement that reads one. */
export function pointRead(): StatementSync {
  const database = openDatabase()
  database.exec('CREATE TABLE resource (type TEXT, id TEXT, text TEXT, PRIMARY KEY (type, id)) WITHOUT ROWID')
  const insert = database.prepare('INSERT INTO resource VALUES (?, ?, ?)')
  database.exec('BEGIN')
  for (let n = 0; n < ROWS; n++) insert.run('Patient', patientId(n), patientText(n))
  database.exec('COMMIT')
  return database.prepare('SELECT text FROM resource WHERE type = ? AND id = ?')
}

/** Listens and prints the URL, as the benchmark expects from every server that it starts. */
export function serve(listener: RequestListener): void {
  const server: Server = createServer(listener)
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  process.once('SIGTERM', () => process.exit(0))
}
