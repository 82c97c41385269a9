/** Deferred requests that meet a fault which breaks their connection: their jobs end, and say what is known. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { FAULTS } from '../support/faults.ts'
import { ASYNC, ended, startedJob } from '../support/jobs.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let admin: Record<string, string>
beforeAll(async () => {
  server = await startServer()
  admin = { authorization: `Bearer ${await server.login('admin', 'admin')}`, 'content-type': 'application/json' }
})
afterAll(() => server.close())

/** The later request of the next job meets the fault; the request that starts it is the first that matches. */
async function meetLater(fault: string, when: object): Promise<void> {
  const rule = { fault, when, on: [2], ...(fault === 'hang' ? { with: { seconds: 1 } } : {}) }
  expect((await server.fhir('PUT', `${FAULTS}/later`, rule, admin)).status).toBeLessThan(300)
}

test.each([
  ['lost-answer', 1],
  ['half-answer', 1],
  ['reset', 0],
])('a transaction that meets %s fails with what is not known, and is not made again', async (fault, stored) => {
  await meetLater(fault, { interaction: 'transaction' })
  const resource = { resourceType: 'Patient', name: [{ family: `Fault${fault}` }] }
  const entry = [{ resource, request: { method: 'POST', url: 'Patient' } }]
  const path = startedJob(await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }, ASYNC))
  const { status, body } = await ended(server.fhir, path)
  expect([status, body.issue[0].code]).toEqual([500, 'incomplete'])
  expect((await server.fhir('GET', `/Patient?family=Fault${fault}`)).body.total).toBe(stored)
})

test('a search that meets hang is made again', async () => {
  await meetLater('hang', { interaction: 'search-type', type: 'Patient' })
  const { status, body } = await ended(server.fhir, startedJob(await server.fhir('GET', '/Patient', undefined, ASYNC)))
  expect([status, body.entry[0].response.status]).toEqual([200, '200 OK'])
})
