/** A request below /as/{profile} that moves to a work thread is judged there, and its links stay below the address. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { exchangeOf } from '../../support/journal.ts'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 1 })
})
afterAll(() => server.close())

/** So many that a Bundle of them leaves the event loop: MAX_ENTRIES in src/fhir-api/bundle/bundle.ts. */
const MANY = 25

test('entries of a large batch', async () => {
  const urls = Array.from({ length: MANY }, (_, index) => (index % 2 === 0 ? 'Patient?family=a' : 'Patient?familiy=a'))
  const entry = urls.map((url) => ({ request: { method: 'GET', url } }))
  const answer = await server.fhir('POST', '/as/strict-r4', { resourceType: 'Bundle', type: 'batch', entry })
  expect([answer.status, answer.body.entry.length]).toEqual([200, MANY])
  const [found, refused] = answer.body.entry
  expect(found.resource.link[0].url).toContain(`${server.url}/as/strict-r4/Patient?`)
  expect(refused.response.status).toMatch(/^400/)
  expect(refused.response.outcome.issue[0].details.coding[0].code).toBe('unknown-parameter')
  expect(await exchangeOf(server, answer)).toMatchObject({ address: '/as/strict-r4', status: 200 })
})
