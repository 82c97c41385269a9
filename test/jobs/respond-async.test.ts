/** `Prefer: respond-async`: docs/async-requests.md */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { JOB, type Job } from '../../src/jobs/job.ts'
import { StoreUnavailable } from '../../src/repository/repository.ts'
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

test('a search by POST becomes a job too, and the result is JSON whatever is accepted', async () => {
  const { ours } = clinics
  const headers = { ...ASYNC, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/fhir+xml' }
  const accepted = await ours('POST', '/Patient/_search', '_count=2&_sort=_id', headers)
  const { body } = await ended(ours, startedJob(accepted))
  expect(body.entry[0].resource.entry).toHaveLength(2)
})

test.each([
  ['in the address', () => clinics.ours('GET', '/Patient?_count=2&_format=xml', undefined, ASYNC)],
  [
    'in a form',
    () =>
      clinics.ours('POST', '/Patient/_search', '_count=2&_format=xml', {
        ...ASYNC,
        'content-type': 'application/x-www-form-urlencoded',
      }),
  ],
])('the result is JSON whatever _format there is %s', async (_where, search) => {
  const { body } = await ended(clinics.ours, startedJob(await search()))
  expect(body.entry[0].resource.entry).toHaveLength(2)
})

test.each(['handling=strict; respond-async', 'respond-async; wait=10', 'respond-async wait=10', 'RESPOND-ASYNC'])(
  'a request with Prefer: %s is made once, and starts no further job',
  async (prefer) => {
    const { ours } = clinics
    const before = (await ours('GET', '/jobs')).body.jobs.length
    const { body } = await ended(ours, startedJob(await ours('GET', '/Patient?_count=1', undefined, { prefer })))
    expect(body.entry[0].resource.type).toBe('searchset')
    expect((await ours('GET', '/jobs')).body.jobs.length).toBe(before + 1)
  },
)

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

describe('a job whose process has died', () => {
  /** As if a process had taken it, and had been killed. */
  async function abandoned(isSafe: boolean): Promise<string> {
    const { ours, server } = clinics
    const path = startedJob(await ours('GET', '/Patient?_count=1', undefined, ASYNC))
    await ended(ours, path)
    const { repository } = server.app
    await repository.change(DEMO_CLINIC, async ({ records, writtenAt }) => {
      const id = path.slice('/jobs/'.length)
      const record = await records.read(JOB, id)
      if (record === undefined) throw new Error('The job is gone')
      const { doneAt: _doneAt, expires: _expires, ...job } = record.value
      const work = { ...(job.work as object), isSafe }
      records.put(JOB, id, { ...job, work, state: 'running', turn: 'of another', files: [] }, { due: writtenAt })
    })
    return path
  }

  test('is done again where it only reads', async () => {
    const { status, body } = await ended(clinics.ours, await abandoned(true))
    expect([status, body.entry[0].response.status]).toEqual([200, '200 OK'])
  })

  test('fails where it may have written, and says so', async () => {
    const { status, body } = await ended(clinics.ours, await abandoned(false))
    expect([status, body.issue[0].code]).toEqual([500, 'incomplete'])
    expect(body.issue[0].diagnostics).toContain('Look before you send it again')
  })
})

test('a transaction whose response could not be stored is not made again: its job says that the outcome is unknown', async () => {
  const { ours, server } = clinics
  const { repository } = server.app
  const { change } = repository
  const written = async () => (await ours('GET', '/Patient?family=Unanswered')).body.total
  // No content is received once the transaction is stored: its response is the next one.
  const failing = async (...sent: Parameters<typeof change>) => {
    const [clinic, , options] = sent
    const isOfContent = clinic === DEMO_CLINIC && options?.isRepeatable === true
    if (isOfContent && (await written()) > 0) throw new StoreUnavailable('No room')
    return await Reflect.apply(change, repository, sent)
  }
  Object.assign(repository, { change: failing })
  try {
    const resource = { resourceType: 'Patient', name: [{ family: 'Unanswered' }] }
    const entry = [{ resource, request: { method: 'POST', url: 'Patient' } }]
    const path = startedJob(await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }, ASYNC))
    const { status, body } = await ended(ours, path)
    expect([status, body.issue[0].code]).toEqual([500, 'incomplete'])
  } finally {
    Object.assign(repository, { change })
  }
  expect(await written()).toBe(1)
})

test('a client that asks for the state without a pause is told to wait, and others are not', async () => {
  const { ours } = clinics
  const path = startedJob(await ours('GET', '/Patient?_count=1', undefined, ASYNC))
  let state = await ended(ours, path)
  while (state.status === 200) state = await ours('GET', path)
  expect([state.status, state.headers.get('retry-after')]).toEqual([429, '5'])
  expect(state.body.issue[0]).toMatchObject({ code: 'throttled' })
  expect((await admin.fhir('GET', path)).status).toBe(200)
  expect((await ended(ours, path)).status).toBe(200)
})

test('a clinic has 20 waiting jobs at most, which take no turn of another clinic', async () => {
  const { ours, theirs, server } = clinics
  const { repository } = server.app
  const model = (await repository.records(JOB, { clinic: DEMO_CLINIC, limit: 1 }))[0]?.value as Job
  const ids = Array.from({ length: 20 }, (_, n) => `waiting-${n}`)
  await repository.change(DEMO_CLINIC, async ({ records, writtenAt }) => {
    for (const id of ids) {
      records.put(JOB, id, { ...model, state: 'waiting', files: [] }, { due: writtenAt + 3_600_000 })
    }
  })
  const refused = await ours('GET', '/Patient', undefined, ASYNC)
  expect([refused.status, refused.body.resourceType]).toEqual([429, 'OperationOutcome'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const other = await ended(theirs, startedJob(await theirs('GET', '/Patient', undefined, ASYNC)))
  expect(other.status).toBe(200)
  for (const id of ids) expect((await admin.fhir('DELETE', `/jobs/${id}`)).status).toBe(202)
  await ended(ours, startedJob(await ours('GET', '/Patient', undefined, ASYNC)))
})

test('a job of one clinic is done while many of another one wait', async () => {
  const { ours, theirs } = clinics
  const many: string[] = []
  for (let n = 0; n < 15; n += 1) many.push(startedJob(await ours('GET', '/Patient', undefined, ASYNC)))
  const one = startedJob(await theirs('GET', '/Patient', undefined, ASYNC))
  expect((await ended(theirs, one)).status).toBe(200)
  const states = await Promise.all(many.map(async (path) => (await ours('GET', path)).status))
  expect(states).toContain(202)
  for (const path of many) expect((await ended(ours, path)).status).toBe(200)
})

test('what a job has read is in the audit trail as a read of its user', async () => {
  const { ours } = clinics
  await ours('PUT', '/Patient/audited', { resourceType: 'Patient', id: 'audited', name: [{ family: 'Audited' }] })
  await ended(ours, startedJob(await ours('GET', '/Patient?_id=audited', undefined, ASYNC)))
  const { body } = await admin.fhir('GET', '/AuditEvent?entity=Patient/audited&_count=10')
  // biome-ignore lint/suspicious/noExplicitAny: an entry of a searchset
  const searches = (body.entry ?? []).filter(({ resource }: any) => resource.subtype?.[0]?.code?.startsWith('search'))
  expect(searches.length).toBeGreaterThan(0)
  expect(JSON.stringify(searches[0])).toContain('"ours"')
})
