/** Exports while the clinic goes on: writes, resets, accounts, time, and changes that are committed late. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { JOB } from '../../src/jobs/job.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { ASYNC, ended, exported, startedJob } from '../support/jobs.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

/** Milliseconds that the clock of the server is ahead. */
let ahead = 0
let server: TestServer
let admin: TestServer['fhir']

beforeAll(async () => {
  server = await startServer({}, { clock: () => Date.now() + ahead })
  admin = withToken(server, await logInAs(server, { username: 'boss', clinic: DEMO_CLINIC, role: 'admin' })).fhir
})

afterAll(() => server.close())

const start = async (path: string, fhir = server.fhir) => startedJob(await fhir('GET', path, undefined, ASYNC))
const jobIn = async (path: string) =>
  (await server.app.repository.readRecord(DEMO_CLINIC, JOB, path.slice('/jobs/'.length)))?.value

async function untilJob(path: string, isTrue: (job: Awaited<ReturnType<typeof jobIn>>) => boolean): Promise<void> {
  while (!isTrue(await jobIn(path))) await sleep(5)
}

const patient = (id: string, family: string) => ({ resourceType: 'Patient', id, name: [{ family }] })

test('writes meanwhile are in no export: each resource is as it was at its time', async () => {
  const ids = Array.from({ length: 30 }, (_, n) => `meanwhile-${n}`)
  for (const id of ids) await server.fhir('PUT', `/Patient/${id}`, patient(id, 'Before'))
  const path = await start('/$export')
  let goesOn = true
  const writing = (async () => {
    for (let n = 0; goesOn; n += 1) {
      const id = ids[n % ids.length] ?? ''
      if (n % 7 === 6) await server.fhir('DELETE', `/Patient/${id}`)
      else await server.fhir('PUT', `/Patient/${id}`, patient(id, `Version ${n}`))
      await server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family: 'New' }] })
    }
  })()
  const { manifest, resources } = await exported(server.fhir, path)
  goesOn = false
  await writing
  const at = Date.parse(manifest.transactionTime)
  const found = resources.filter(({ id }) => ids.includes(id))
  expect(resources.filter(({ meta }) => Date.parse(meta.lastUpdated) > at)).toEqual([])
  for (const id of ids) {
    const { entry } = (await server.fhir('GET', `/Patient/${id}/_history?_count=1000`)).body
    // biome-ignore lint/suspicious/noExplicitAny: an entry of a history
    const then = entry.find((one: any) => Date.parse(one.response.lastModified) <= at)
    expect(found.filter((one) => one.id === id)).toEqual(then.resource === undefined ? [] : [then.resource])
  }
})

test('a change that began before the time of the export, and is committed while it is made, is in it as a whole', async () => {
  const { repository } = server.app
  const held = Promise.withResolvers<void>()
  const change = repository.change(DEMO_CLINIC, async (unit) => {
    // The first and one of the last types of a scan.
    await unit.put({ resourceType: 'Account', id: 'late', status: 'active' } as never, 'PUT')
    await unit.put(
      {
        resourceType: 'Slot',
        id: 'late',
        schedule: { reference: 'Schedule/x' },
        status: 'free',
        start: '2030-01-01T09:00:00Z',
        end: '2030-01-01T09:30:00Z',
      } as never,
      'PUT',
    )
    await held.promise
  })
  const path = await start('/$export')
  await untilJob(path, (job) => ((job?.work as { readonly at: number } | undefined)?.at ?? 0) > 0)
  held.resolve()
  await change
  const { addresses } = await exported(server.fhir, path)
  expect(addresses.filter((one) => one.endsWith('/late'))).toEqual(['Account/late', 'Slot/late'])
  expect(new Set(addresses).size).toBe(addresses.length)
})

test('an export is cancelled while it waits, while it is made, and when it is done, and leaves no file', async () => {
  const states = ['waiting', 'running', 'done']
  for (const state of states) {
    const path = await start('/$export')
    if (state !== 'waiting') {
      await untilJob(path, (job) => (state === 'done' ? job?.state === state : (job?.files.length ?? 0) > 1))
    }
    expect((await server.fhir('DELETE', path)).status).toBe(202)
    expect((await server.fhir('GET', path)).status).toBe(404)
  }
  // The steps that were under way end by themselves.
  const used = async () => {
    const contents = await server.app.repository.records(CONTENT, { clinic: DEMO_CLINIC, limit: 1_000 })
    const jobs = (await server.app.repository.records(JOB, { clinic: DEMO_CLINIC, limit: 100 })).map(({ key }) => key)
    const by = contents.flatMap(({ value, due }) => (due === null ? (value.usedBy ?? []) : []))
    return by.filter((one) => typeof one === 'string' && !jobs.includes(one))
  }
  while ((await used()).length > 0) await sleep(50)
})

test('the result of a client that never fetches it is removed after a day, with its files', async () => {
  const path = await start('/$export?_type=Organization')
  const { manifest } = await exported(server.fhir, path)
  const file = new URL(manifest.output[0]?.url ?? '').pathname
  const [sha256 = ''] = (await jobIn(path))?.files.map((one) => one.sha256) ?? []
  ahead += 23 * 3_600_000
  await sleep(600)
  expect((await server.fhir('GET', file)).status).toBe(200)
  ahead += 2 * 3_600_000
  // Nobody asks.
  while ((await jobIn(path)) !== undefined) await sleep(50)
  // Exports of other tests may have the same file, and are removed a moment later.
  while ((await server.app.repository.readRecord(DEMO_CLINIC, CONTENT, sha256)) !== undefined) await sleep(50)
  for (const address of [path, file]) expect((await server.fhir('GET', address)).status).toBe(404)
})

test('two exports with the same file are each removed without the other', async () => {
  const one = await start('/$export?_type=Organization')
  await ended(server.fhir, one)
  const other = await start('/$export?_type=Organization')
  await ended(server.fhir, other)
  await server.fhir('DELETE', one)
  expect((await exported(server.fhir, other)).addresses).toContain(`Organization/${DEMO_CLINIC}`)
})

test('a job of an account that is disabled meanwhile fails with 403', async () => {
  const gone = withToken(server, await logInAs(server, { username: 'gone', clinic: DEMO_CLINIC, role: 'staff' })).fhir
  const path = await start('/$export', gone)
  const operator = withToken(server, await logInAs(server, { username: 'op', clinic: '', role: 'operator' })).fhir
  await operator('PUT', '/accounts/gone/login', { enabled: false }, { 'content-type': 'application/json' })
  const { status, body } = await ended(admin, path)
  expect([status, body.resourceType]).toEqual([403, 'OperationOutcome'])
})

test('a job of a program whose token is revoked meanwhile fails with 403; one of a session that has ended is done', async () => {
  const json = { 'content-type': 'application/json' }
  const { token, id } = (await admin('POST', '/tokens', { name: 'Exporter', role: 'staff' }, json)).body
  const revoked = await start('/$export', withToken(server, token).fhir)
  expect((await admin('DELETE', `/tokens/${id}`)).status).toBe(204)
  const { status, body } = await ended(admin, revoked)
  expect([status, body.issue[0].diagnostics]).toEqual([
    403,
    expect.stringMatching(/token of the program .* was revoked/),
  ])
  const account = { username: 'brief', clinic: DEMO_CLINIC, role: 'staff' as const }
  const brief = withToken(server, await logInAs(server, account)).fhir
  const path = await start('/$export?_type=Organization', brief)
  expect((await brief('DELETE', '/session')).status).toBe(204)
  expect((await ended(admin, path)).status).toBe(200)
})

test('a patient that nobody may see, and the record of it, are in no export', async () => {
  await server.fhir('PUT', '/Patient/seen-1', patient('seen-1', 'Seen'))
  const security = [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/rehearsal', code: 'restricted' }]
  await server.fhir('PUT', '/Patient/hidden', { ...patient('hidden', 'Hidden'), meta: { security } })
  const about = {
    resourceType: 'Observation',
    status: 'final',
    code: { text: 'x' },
    subject: { reference: 'Patient/hidden' },
  }
  await server.fhir('PUT', '/Observation/about-hidden', { ...about, id: 'about-hidden' })
  for (const path of ['/$export?_type=Patient', '/Patient/$export']) {
    const { addresses } = await exported(server.fhir, await start(path))
    expect(addresses.filter((one) => one.includes('hidden'))).toEqual([])
    expect(addresses).toContain('Patient/seen-1')
  }
})

test('a reset ends an export with a sentence, and the next one has the new data', async () => {
  const path = await start('/$export')
  await untilJob(path, (job) => job?.files !== undefined)
  const reset = await admin(
    'POST',
    `/clinics/${DEMO_CLINIC}/reset`,
    { scenario: 'empty' },
    { 'content-type': 'application/json' },
  )
  expect(reset.status).toBe(200)
  const { status, body } = await ended(admin, path)
  expect([status, body.issue?.[0].diagnostics]).toEqual([409, expect.stringContaining('reset')])
  const { addresses } = await exported(admin, await start('/$export?_type=Patient', admin))
  expect(addresses).toEqual([])
})
