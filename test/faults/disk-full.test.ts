/** The disk of the embedded engine is full for a while, under the writes of 16 clients. */
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, describe, expect, test } from '@jest/globals'
import { newFolder } from '../support/run.ts'
import { request } from '../support/server.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'
import { expectKept } from './audit.ts'
import { fhir, isUnavailable, Load, type Target } from './load.ts'
import { limited, type SmallDisk, tmpfs } from './small-disk.ts'

const FILE = 'emr.db'
/** More than is left, so that it is refused for sure. */
const LARGE = {
  resourceType: 'Patient',
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml">${'x'.repeat(4_000_000)}</div>` },
}

const endings: (() => unknown)[] = []
endProcessesAfterEach()
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

interface Expected {
  readonly fault: string
  readonly status: number
  readonly said: string
}

async function expectToSurvive(disk: SmallDisk, { fault, status, said }: Expected): Promise<void> {
  endings.push(disk.end)
  const env = { DATABASE_URL: `sqlite:${join(disk.folder, FILE)}`, JWT_SECRET: 'one secret for both servers of a test' }
  const server = await start(env, disk.within)
  const token = await login(server.url)
  const target = { url: server.url, token }
  const { body: kept } = await fhir(target, 'POST', '/Patient', { resourceType: 'Patient', active: true })
  const load = new Load(fault.replaceAll(' ', '-'), [target])
  endings.push(() => load.stop())
  await load.progress(200)

  disk.fill(server.pid, `${FILE}-wal`)
  await until(() => load.refused > 100)
  await expectReadOnly(target, kept.id, { fault, status, said })
  disk.free(server.pid)
  const back = await load.progress(100)
  await load.progress(100)
  await load.stop()

  await stop(server, 'SIGKILL')
  const again = await start(env, disk.within)
  await expectKept(load, { url: again.url, token }, { fault, back })
  await stop(again, 'SIGTERM')
  expect(integrityOf(disk.path)).toBe('ok')
}

async function expectReadOnly(target: Target, id: string, { status, said }: Expected): Promise<void> {
  const refusal = await fhir(target, 'POST', '/Patient', LARGE)
  expect([refusal.status, isUnavailable(refusal)]).toEqual([status, true])
  expect(refusal.body.issue[0].diagnostics).toContain(said)
  const reads = [`/Patient/${id}`, `/Patient?_id=${id}`, `/Patient/${id}/_history`, '/metadata', '/health/ready']
  const answers = await Promise.all(reads.map((path) => fhir(target, 'GET', path)))
  expect(answers.map((answer) => answer.status)).toEqual(reads.map(() => 200))
  const batch = {
    resourceType: 'Bundle',
    type: 'batch',
    entry: [{ resource: LARGE, request: { method: 'POST', url: 'Patient' } }],
  }
  const { body } = await fhir(target, 'POST', '/', batch)
  expect(body.entry[0].response.status).toMatch(new RegExp(`^${status} `))
  expect((await request(target.url, 'GET', '/health/live')).status).toBe(200)
}

/** The result of SQLite's own integrity check, on a copy of the file. */
function integrityOf(folder: string): unknown {
  const copy = newFolder()
  for (const name of [FILE, `${FILE}-wal`]) {
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(copy, name))
  }
  const database = new DatabaseSync(join(copy, FILE))
  try {
    return database.prepare('PRAGMA integrity_check').get()?.['integrity_check']
  } finally {
    database.close()
  }
}

const onLinux = process.platform === 'linux' ? describe : describe.skip

onLinux('the embedded engine', () => {
  test('on a disk that is full answers 507 with what to do and goes on reading; with space freed it goes on, and every acknowledged write is there once', async () => {
    const disk = await tmpfs()
    // The next test shows the same with other means.
    if (disk === undefined)
      return void process.stderr.write('No tmpfs can be mounted here: no test with a disk that is full\n')
    await expectToSurvive(disk, { fault: 'disk full', status: 507, said: 'free space' })
  })

  test('whose file may not grow answers 503 and goes on reading; when it may again it goes on, and every acknowledged write is there once', async () => {
    await expectToSurvive(limited(), { fault: 'file size limited', status: 503, said: 'nothing was changed' })
  })
})
