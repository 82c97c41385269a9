/** A server that searches by other values than the one before: its responses and its log during reindexing. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { extraction } from '../../src/search/index/versions.ts'
import { openAs } from '../storage/people.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'

/** An older server, to which a birth date meant something else. */
const OLDER = {
  ...extraction('http://here'),
  parametersOf: (type: string) => new Map([...extraction('').parametersOf(type), ['birthdate', 'older']]),
}

let server: TestServer
const log: string[] = []
beforeAll(async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const older = await startServer({}, { store: await openAs(DATABASE_URL, { extraction: OLDER }) })
  const patient = { resourceType: 'Patient', name: [{ family: 'Unmistakable' }], birthDate: '1901-02-03' }
  expect((await older.fhir('POST', '/Patient', patient)).status).toBe(201)
  await older.close()
  const logger = pino({ level: 'info' }, { write: (line: string) => void log.push(line) })
  server = await startServer({ DATABASE_URL }, { logger })
})
afterAll(() => server.close())

test('a search by them is 503 and says by what and why, others are answered, until all is indexed', async () => {
  const byDate = () => server.fhir('GET', '/Patient?birthdate=1901-02-03')
  const early = await byDate()
  expect(early.status).toBe(503)
  expect(early.headers.get('retry-after')).toBe('30')
  expect(early.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'transient' }] })
  expect(early.body.issue[0].diagnostics).toContain('Patient?birthdate')
  expect((await server.fhir('GET', '/Patient?family=Unmistakable')).body.total).toBe(1)
  expect((await server.fhir('GET', '/Patient?_has:Patient:link:birthdate=1901-02-03')).status).toBe(503)

  for (const deadline = Date.now() + 40_000; (await byDate()).status === 503 && Date.now() < deadline; )
    await sleep(100)
  expect((await byDate()).body.total).toBe(1)
})

test('the log says how far it is, and holds no patient data', () => {
  const lines = log.map((line): Record<string, unknown> => JSON.parse(line)).filter(({ type }) => type === 'Patient')
  expect(lines.map(({ msg, state }) => [msg, state])).toEqual([
    ['search index', 'begins'],
    ['search index', 'is complete'],
  ])
  expect(lines[1]).toMatchObject({ left: 0, failed: 0 })
  expect(log.join()).not.toContain('Unmistakable')
})
