/** Exports and imports while their clinic is cloned, reset and removed. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { JOB } from '../../src/jobs/job.ts'
import { GRACE } from '../../src/rehearsal/generations/removal.ts'
import { CONTENT } from '../../src/repository/used-content.ts'
import { type FileServer, ndjson, startFileServer, startImport, uploaded } from '../support/imports.ts'
import { ASYNC, ended, exported, startedJob } from '../support/jobs.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { logInAs, withToken } from '../support/two-clinics.ts'

/** Milliseconds that the clock of the server is ahead. */
let ahead = 0
let fileServer: FileServer
let server: TestServer
let admin: TestServer['fhir']

beforeAll(async () => {
  fileServer = await startFileServer()
  server = await startServer({ IMPORT_SOURCES: fileServer.url }, { clock: () => Date.now() + ahead })
  admin = withToken(server, await logInAs(server, { username: 'boss', clinic: DEMO_CLINIC, role: 'admin' })).fhir
})
afterAll(async () => {
  await server.close()
  fileServer.close()
})

const JSON_BODY = { 'content-type': 'application/json' }

async function cloned(from: object) {
  const { status, body } = await admin('POST', '/clinics', { from, ttl: 'P1D' }, JSON_BODY)
  expect(status).toBe(201)
  return { id: body.id as string, fhir: withToken(server, body.token).fhir }
}

const patient = (id: string, family: string) => ({ resourceType: 'Patient', id, name: [{ family }] })
const patients = (family: string, count: number) =>
  ndjson(...Array.from({ length: count }, (_, n) => patient(`${family.toLowerCase()}-${n}`, family)))
const countOf = async (fhir: TestServer['fhir'], family: string): Promise<number> =>
  (await fhir('GET', `/Patient?family=${family}&_summary=count`)).body.total
const jobsOf = async (fhir: TestServer['fhir']) => (await fhir('GET', '/jobs')).body.jobs

/** A file that is sent when the test says so: until then its import is under way. */
function heldFile(path: string, text: string) {
  const held = Promise.withResolvers<void>()
  fileServer.files.set(path, (_asked, response) => void held.promise.then(() => response.end(text)))
  return { url: `${fileServer.url}${path}`, send: held.resolve }
}

/** An import whose first file is written, while the second one is waited for. */
async function heldImport(fhir: TestServer['fhir'], family: string) {
  const { url, send } = heldFile(`/${family}`, patients(`${family}Late`, 10))
  const first = await uploaded(fhir, patients(family, 50))
  const job = startedJob(await startImport(fhir, [{ url: first }, { url }]))
  await until(async () => (await countOf(fhir, family)) === 50)
  return { job, send }
}

test('a clone that is made during an export has no job, may be exported at the same time, and changes nothing of the export', async () => {
  for (let n = 0; n < 20; n += 1) await admin('PUT', `/Patient/cloned-${n}`, patient(`cloned-${n}`, 'Before'))
  const path = startedJob(await admin('GET', '/$export', undefined, ASYNC))
  const { id, fhir } = await cloned({})
  expect(await jobsOf(fhir)).toEqual([])
  const own = startedJob(await fhir('GET', '/$export?_type=Patient', undefined, ASYNC))
  await fhir('PUT', '/Patient/cloned-0', patient('cloned-0', 'InClone'))
  await admin('PUT', '/Patient/cloned-1', patient('cloned-1', 'After'))
  const [ours, theirs] = [await exported(admin, path), await exported(fhir, own)]
  const inClone = theirs.addresses
  expect(ours.addresses.filter((one) => one.startsWith('Patient/'))).toEqual(inClone)
  const familyIn = ({ resources }: typeof ours, one: string) =>
    resources.find((found) => found.id === one).name[0].family
  expect(familyIn(ours, 'cloned-0')).toBe('Before')
  expect((await fhir('GET', path)).status).toBe(404)
  expect((await admin('DELETE', `/clinics/${id}`)).status).toBeLessThan(300)
  expect((await exported(admin, path)).addresses).toEqual(ours.addresses)
})

test('a clinic that is removed during its export leaves no job, and exports of others go on', async () => {
  const { id, fhir } = await cloned({})
  const path = startedJob(await fhir('GET', '/$export', undefined, ASYNC))
  expect((await admin('DELETE', `/clinics/${id}`)).status).toBeLessThan(300)
  expect([401, 403, 404]).toContain((await fhir('GET', path)).status)
  const other = startedJob(await admin('GET', '/$export?_type=Organization', undefined, ASYNC))
  expect((await ended(admin, other)).status).toBe(200)
  ahead += GRACE
  await until(async () => (await server.app.repository.records(JOB, { clinic: id, limit: 10 })).length === 0)
})

test('a clone that is made during an import has what was written until then, and the import goes on without it', async () => {
  const { job, send } = await heldImport(admin, 'Imported')
  const { fhir } = await cloned({})
  send()
  const { status, body } = await ended(admin, job)
  expect([status, body.output.map(({ count }: { count: number }) => count)]).toEqual([200, [50, 10]])
  expect([await countOf(admin, 'ImportedLate'), await countOf(fhir, 'ImportedLate')]).toEqual([10, 0])
  expect([await countOf(fhir, 'Imported'), await jobsOf(fhir)]).toEqual([50, []])
})

test('a reset during an import ends it with a sentence, nothing of it is in the new data, and its files are given back', async () => {
  const { id, fhir } = await cloned({ scenario: 'empty' })
  const { job, send } = await heldImport(fhir, 'Gone')
  expect((await fhir('POST', `/clinics/${id}/reset`, { scenario: 'empty' }, JSON_BODY)).status).toBe(200)
  send()
  const { status, body } = await ended(fhir, job)
  expect([status, body.issue[0].diagnostics]).toEqual([409, expect.stringContaining('was reset')])
  expect([await countOf(fhir, 'Gone'), await countOf(fhir, 'GoneLate')]).toEqual([0, 0])
  const key = job.slice('/jobs/'.length)
  const used = async () =>
    (await server.app.repository.records(CONTENT, { clinic: id, limit: 100 })).filter(
      ({ value, due }) => due === null && value.usedBy?.includes(key),
    )
  while ((await used()).length > 0) await sleep(50)
  const again = startedJob(await startImport(fhir, [{ url: await uploaded(fhir, patients('New', 5)) }]))
  expect((await ended(fhir, again)).body.output).toMatchObject([{ count: 5 }])
  expect(await countOf(fhir, 'New')).toBe(5)
})
