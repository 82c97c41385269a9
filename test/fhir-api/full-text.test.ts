/** FULL_TEXT switched off and on again: `_text` and `_content` are refused, then indexed in the background, then found. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { startServer, type TestServer } from '../support/server.ts'

let DATABASE_URL: string
beforeAll(async () => {
  DATABASE_URL = await newLastingDatabaseUrl()
})

let running: TestServer | undefined
async function start(FULL_TEXT: string): Promise<TestServer> {
  await running?.close()
  running = await startServer({ DATABASE_URL, FULL_TEXT })
  return running
}
afterAll(() => running?.close())

const patient = (family: string) => ({
  resourceType: 'Patient',
  name: [{ family }],
  contact: [{ name: { text: 'Unmistakable' } }],
})
const SEARCH = '/Patient?_content=unmistakable'

async function declared({ fhir }: TestServer): Promise<readonly string[]> {
  const { body } = await fhir('GET', '/metadata')
  return body.rest[0].searchParam.map(({ name }: { name: string }) => name)
}

/** The total of the search, once the resources stored before are indexed. */
async function total({ fhir }: TestServer): Promise<number> {
  const deadline = Date.now() + 40_000
  let answer = await fhir('GET', SEARCH)
  for (; answer.status === 503 && Date.now() < deadline; answer = await fhir('GET', SEARCH)) await sleep(100)
  return answer.body.total
}

test('words are searched for where FULL_TEXT is on, also those that were stored while it was off', async () => {
  const off = await start('off')
  expect((await off.fhir('POST', '/Patient', patient('Early'))).status).toBe(201)
  const refused = await off.fhir('GET', SEARCH)
  expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
    400,
    expect.stringContaining('FULL_TEXT is off'),
  ])
  expect(await declared(off)).not.toContain('_content')
  expect((await off.fhir('GET', '/Patient?family=early')).body.total).toBe(1)

  const on = await start('on')
  expect(await declared(on)).toEqual(expect.arrayContaining(['_content', '_text']))
  expect((await on.fhir('POST', '/Patient', patient('Late'))).status).toBe(201)
  expect(await total(on)).toBe(2)

  const again = await start('off')
  const { body } = await again.fhir('GET', '/Patient?family=early')
  const early = { ...body.entry[0].resource, contact: [] }
  delete early.contact
  expect((await again.fhir('PUT', `/Patient/${early.id}`, early)).status).toBe(200)
  expect(await total(await start('on'))).toBe(1)
})
