/** Steps of jobs, and requests of jobs, in work threads: errors arrive as they are, and the feed of events is noticed. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually, subscribe, wanted } from '../events/support.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { ASYNC, ended, startedJob } from '../support/jobs.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer

beforeAll(async () => {
  server = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 1 })
})
afterAll(() => server.close())

test('the error of a step is the failure of its job: an export of a Group that is deleted meanwhile fails with 410', async () => {
  const group = { resourceType: 'Group', id: 'short', type: 'person', actual: true }
  expect((await server.fhir('PUT', '/Group/short', group)).status).toBe(201)
  const path = startedJob(await server.fhir('GET', '/Group/short/$export', undefined, ASYNC))
  expect((await server.fhir('DELETE', '/Group/short')).status).toBe(204)
  const { status, body } = await ended(server.fhir, path)
  expect([status, body.issue[0]]).toEqual([410, expect.objectContaining({ code: 'deleted' })])
})

test('a change in a work thread is noticed where events are dispatched', async () => {
  await subscribe(server, wanted('Patient?family=Threaded', { type: 'websocket' }))
  let noticed = 0
  server.app.repository.tellEvents(() => {
    noticed += 1
  })
  const resource = { resourceType: 'Patient', name: [{ family: 'Threaded' }] }
  const entry = [{ resource, request: { method: 'POST', url: 'Patient' } }]
  const accepted = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }, ASYNC)
  expect((await ended(server.fhir, startedJob(accepted))).status).toBe(200)
  await eventually(() => noticed > 0 || undefined, 'the notice')
})
