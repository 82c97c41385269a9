import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { ASYNC, ended, startedJob } from '../support/jobs.ts'
import type { TestServer } from '../support/server.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

let clinics: TwoClinics
let admin: TestServer
let colleague: TestServer

beforeAll(async () => {
  clinics = await startTwoClinics()
  const { server } = clinics
  admin = withToken(server, await logInAs(server, { username: 'boss', clinic: DEMO_CLINIC, role: 'admin' }))
  colleague = withToken(server, await logInAs(server, { username: 'colleague', clinic: DEMO_CLINIC, role: 'staff' }))
})

afterAll(() => clinics.server.close())

test('a search becomes a job, whose result is a batch-response with the searchset', async () => {
  const { ours } = clinics
  const now = await ours('GET', '/Patient?_count=3')
  const accepted = await ours('GET', '/Patient?_count=3', undefined, ASYNC)
  expect(accepted.status).toBe(202)
  const job = await ended(ours, startedJob(accepted))
  expect(job.status).toBe(200)
  expect(job.headers.get('expires')).not.toBeNull()
  expect(job.body).toMatchObject({ resourceType: 'Bundle', type: 'batch-response' })
  const [entry, ...others] = job.body.entry
  expect(others).toEqual([])
  expect(entry.response.status).toBe('200 OK')
  expect(entry.resource).toEqual(now.body)
})

test('an operation and a transaction are done in the background', async () => {
  const { ours } = clinics
  const [patient] = (await ours('GET', '/Patient?_count=1')).body.entry
  const everything = await ours('GET', `/Patient/${patient.resource.id}/$everything`, undefined, ASYNC)
  const all = await ended(ours, startedJob(everything))
  expect(all.body.entry[0].resource).toMatchObject({ resourceType: 'Bundle', type: 'searchset' })
  const bundle = {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [
      {
        resource: { resourceType: 'Patient', name: [{ family: 'Later' }] },
        request: { method: 'POST', url: 'Patient' },
      },
    ],
  }
  const job = await ended(ours, startedJob(await ours('POST', '/', bundle, ASYNC)))
  expect(job.body.entry[0].resource.entry[0].response.status).toMatch(/^201/)
  expect((await ours('GET', '/Patient?family=Later')).body.total).toBe(1)
})

test('a request that fails later is a batch-response with its OperationOutcome', async () => {
  const { ours } = clinics
  const job = await ended(ours, startedJob(await ours('GET', '/Patient?birthdate=never', undefined, ASYNC)))
  expect(job.status).toBe(200)
  expect(job.body.entry[0].response).toMatchObject({
    status: '400 Bad Request',
    outcome: { resourceType: 'OperationOutcome' },
  })
})

test.each([
  ['GET', '/Patient/$nothing', 404],
  ['DELETE', '/Patient/$match', 405],
  ['GET', '/Nothing?name=x', 404],
])('%s %s is refused at once, with %i', async (method, path, status) => {
  expect((await clinics.ours(method, path, undefined, ASYNC)).status).toBe(status)
})

test('a job is seen by its owner and by admins of its clinic alone', async () => {
  const { ours, theirs } = clinics
  const path = startedJob(await ours('GET', '/Patient', undefined, ASYNC))
  await ended(ours, path)
  expect((await admin.fhir('GET', path)).status).toBe(200)
  for (const stranger of [theirs, colleague.fhir]) {
    for (const method of ['GET', 'DELETE']) expect((await stranger(method, path)).status).toBe(404)
    expect((await stranger('GET', `${path}/files/1`)).status).toBe(404)
    expect((await stranger('GET', '/jobs')).body.jobs).toEqual([])
  }
  expect((await ours('GET', '/jobs')).body.jobs.map(({ url }: { url: string }) => new URL(url).pathname)).toContain(
    path,
  )
})

test('a deleted job is gone, with its result', async () => {
  const { ours } = clinics
  const path = startedJob(await ours('GET', '/Patient', undefined, ASYNC))
  await ended(ours, path)
  expect((await ours('DELETE', path)).status).toBe(202)
  for (const method of ['GET', 'DELETE']) expect((await ours(method, path)).status).toBe(404)
})

test('other interactions ignore the preference, and heed those beside it', async () => {
  const both = { prefer: 'respond-async, return=minimal' }
  const { status, text, headers } = await clinics.ours('POST', '/Patient', { resourceType: 'Patient' }, both)
  expect([status, text, headers.get('content-location')]).toEqual([201, '', null])
})
