/** The disk of the embedded engine is full in the middle of an export, or of an import. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { ASYNC, ended, exported, startedJob } from '../support/jobs.ts'
import { request, type TestServer } from '../support/server.ts'
import { endProcessesAfterEach, login, start, until } from '../support/server-process.ts'
import { type SmallDisk, tmpfs } from './small-disk.ts'

const FILE = 'emr.db'
const PATIENTS = 300

const endings: (() => unknown)[] = []
endProcessesAfterEach()
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

async function expectExportToWait(disk: SmallDisk): Promise<void> {
  endings.push(disk.end)
  const server = await start({ DATABASE_URL: `sqlite:${join(disk.folder, FILE)}`, DEMO: 'on' }, disk.within)
  const authorization = `Bearer ${await login(server.url)}`
  const fhir: TestServer['fhir'] = (method, path, body, headers) =>
    request(server.url, method, path, body, { authorization, ...headers })
  const entry = Array.from({ length: PATIENTS }, (_, n) => ({
    resource: { resourceType: 'Patient', id: `disk-${n}`, text: { status: 'generated', div: FILLER } },
    request: { method: 'PUT', url: `Patient/disk-${n}` },
  }))
  expect((await fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(200)
  const path = startedJob(await fhir('GET', '/$export', undefined, ASYNC))
  disk.fill(server.pid, `${FILE}-wal`)
  await until(async () => (await fhir('PUT', '/Patient/refused', LARGE)).status >= 500)
  // Some tries are in vain.
  await sleep(5_000)
  expect((await fhir('GET', path)).status).toBe(202)
  disk.free(server.pid)
  const { addresses } = await exported(fhir, path)
  expect(addresses.filter((one) => one.startsWith('Patient/disk-'))).toHaveLength(PATIENTS)
  expect(new Set(addresses).size).toBe(addresses.length)
}

const FILLER = `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(2_000)}</div>`
const LARGE = {
  resourceType: 'Patient',
  id: 'refused',
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(4_000_000)}</div>` },
}

const LINES = 4_000
const NDJSON = { 'content-type': 'application/fhir+ndjson' }

async function expectImportToWait(disk: SmallDisk): Promise<void> {
  endings.push(disk.end)
  const server = await start({ DATABASE_URL: `sqlite:${join(disk.folder, FILE)}`, DEMO: 'on' }, disk.within)
  const authorization = `Bearer ${await login(server.url, 'admin')}`
  const admin: TestServer['fhir'] = (method, path, body, headers) =>
    request(server.url, method, path, body, { authorization, ...headers })
  const text = { status: 'generated', div: FILLER }
  const lines = Array.from({ length: LINES }, (_, n) =>
    JSON.stringify({ resourceType: 'Basic', id: `disk-${n}`, text, code: { text: 'x' } }),
  )
  const { body: file } = await admin('POST', '/Binary', lines.join('\n'), NDJSON)
  const parameter = [
    { name: 'inputFormat', valueString: 'application/fhir+ndjson' },
    { name: 'input', part: [{ name: 'url', valueUri: `Binary/${file.id}` }] },
  ]
  const count = async () => (await admin('GET', '/Basic?_summary=count')).body.total
  const before = await count()
  const path = startedJob(await admin('POST', '/$import', { resourceType: 'Parameters', parameter }, ASYNC))
  await until(async () => (await count()) > before)
  disk.fill(server.pid, `${FILE}-wal`)
  // Whatever is left is written, and then nothing more, of the import neither.
  await until(async () => (await admin('PUT', '/Patient/refused', SMALL)).status === 507)
  const during = await count()
  expect((await admin('GET', path)).status).toBe(202)
  expect(during - before).toBeLessThan(LINES)
  disk.free(server.pid)
  const { status, body: manifest } = await ended(admin, path)
  expect([status, manifest.error]).toEqual([200, []])
  expect(manifest.output).toMatchObject([{ count: LINES, created: LINES, updated: 0 }])
  expect((await count()) - before).toBe(LINES)
  const { body: history } = await admin('GET', '/Basic/_history?_summary=count')
  expect(history.total).toBe(await count())
}

const SMALL = { resourceType: 'Patient', id: 'refused' }

const onLinux = process.platform === 'linux' ? describe : describe.skip

onLinux('on a disk that is full', () => {
  test.each([
    ['an export', expectExportToWait],
    ['an import', expectImportToWait],
  ])('%s waits, and is complete when space is freed', async (_what, expectToWait) => {
    const disk = await tmpfs()
    if (disk === undefined) return void process.stderr.write('No tmpfs can be mounted here\n')
    await expectToWait(disk)
  })
})
