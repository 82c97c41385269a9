/**
 * Backups as they are made of a server at work: under the writes of 16 clients and uploads, killed (-9) at many moments, and on
 * a disk that is full.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { openStore } from '../../src/main/open-store.ts'
import { unfinishedRestoreOf } from '../../src/storage/sqlite/restored.ts'
import { expectKept } from '../faults/audit.ts'
import { Load, type Target } from '../faults/load.ts'
import { tmpfs } from '../faults/small-disk.ts'
import { addBinaries, backUp, backupFolders, runScript } from '../support/backups.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { newFolder } from '../support/run.ts'
import { endProcessesAfterEach, launch, login, start, stop } from '../support/server-process.ts'

endProcessesAfterEach()
const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).toReversed()) await end()
})

const BACKUPS = 3
const JWT_SECRET = 'one secret for all the servers of a test'
const SECRETS_KEY = 'the key that is kept apart from backups'

interface Uploaded {
  readonly id: string
  readonly sha256: string
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Uploads one file after the other until `end` is called. */
function uploading({ url, token }: Target): { readonly uploaded: Uploaded[]; readonly end: () => Promise<void> } {
  const uploaded: Uploaded[] = []
  let isOver = false
  const running = (async () => {
    while (!isOver) {
      const body = randomBytes(50_000)
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' }
      const response = await fetch(`${url}/Binary`, { method: 'POST', headers, body })
      const id = response.headers.get('location')?.split('/Binary/')[1]?.split('/')[0]
      if (response.status === 201 && id !== undefined) uploaded.push({ id, sha256: hashOf(body) })
    }
  })()
  const end = () => {
    isOver = true
    return running
  }
  endings.push(end)
  return { uploaded, end }
}

async function expectUploads({ url, token }: Target, uploaded: readonly Uploaded[]): Promise<void> {
  for (const { id, sha256 } of uploaded) {
    const response = await fetch(`${url}/Binary/${id}`, { headers: { authorization: `Bearer ${token}` } })
    const found = hashOf(Buffer.from(await response.arrayBuffer()))
    expect({ id, status: response.status, found }).toEqual({ id, status: 200, found: sha256 })
  }
}

/** Everything acknowledged when a backup began. */
interface Moment {
  readonly load: Load
  readonly uploaded: readonly Uploaded[]
}

describe('a backup under the writes of 16 clients', () => {
  test('has everything that was acknowledged before it began, and is served by a server with the same SECRETS_KEY only', async () => {
    const env = { DATABASE_URL: await newLastingDatabaseUrl(), JWT_SECRET, SECRETS_KEY }
    const root = join(newFolder(), 'backups')
    const server = await start(env)
    const target = { url: server.url, token: await login(server.url) }
    const load = new Load('backup', [target])
    endings.push(() => load.stop())
    const uploads = uploading(target)
    const moments: Moment[] = []
    for (let count = 0; count < BACKUPS; count += 1) {
      await load.progress(150)
      // The same load, with what was acknowledged until now.
      const until = Object.assign(Object.create(load), { acknowledged: [...load.acknowledged] }) as Load
      moments.push({ load: until, uploaded: [...uploads.uploaded] })
      const during = load.acknowledged.length
      expect(await backUp(env.DATABASE_URL, root)).toMatchObject({ code: 0 })
      expect(load.acknowledged.length).toBeGreaterThan(during)
    }
    await load.stop()
    await uploads.end()
    await stop(server, 'SIGKILL')
    expect(await backUp(env.DATABASE_URL, root, '--check')).toMatchObject({ code: 0 })
    expect(textOf(root)).not.toContain(SECRETS_KEY)

    for (const [index, folder] of backupFolders(root).entries()) {
      const { instant, files } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
      expect(files['emr.audit.db'].rows.block).toBeGreaterThan(0)
      const to = join(newFolder(), 'restored')
      expect(await runScript('restore', ['--from', root, '--to', to, '--at', instant])).toMatchObject({ code: 0 })
      const DATABASE_URL = `sqlite:${to}/emr.db`
      if (index === 0) await expectRefused({ DATABASE_URL, JWT_SECRET })
      const restored = await start({ ...env, DATABASE_URL })
      const there = { url: restored.url, token: target.token }
      const moment = moments[index]
      if (moment === undefined) throw new Error('There are more backups than were made')
      expect(moment.uploaded.length).toBeGreaterThan(0)
      await expectKept(moment.load, there, { fault: `backup ${index + 1}` })
      await expectUploads(there, moment.uploaded)
      await stop(restored, 'SIGTERM')
    }
  })
})

/** Everything in a folder. */
const textOf = (folder: string): string =>
  filesIn(folder)
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n')

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

async function expectRefused(env: Readonly<Record<string, string>>): Promise<void> {
  const refused = launch(env)
  expect(await refused.exited).toBe(1)
  expect(refused.output()).toContain('encrypted with another key')
}

const KILLS = 20
/** Contents that are restored: enough for some to be missing when the process is killed. */
const CONTENTS = 150
const CLINIC = 'north'

/** Kills a process when a condition holds, or never where it ends before. */
const when = (isTrue: () => boolean) => async (kill: () => void) => {
  // A look at each turn of the event loop, as a backup of a small store takes a tenth of a second.
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await turn()) if (isTrue()) return kill()
}

/** The hashes of the file of a store and of its contents, by path. */
function hashesOf(url: string): Readonly<Record<string, string>> {
  const path = url.slice('sqlite:'.length)
  const contents = filesIn(path.replace(/\.db$/, '.content'))
  return Object.fromEntries([path, ...contents].map((one) => [one, hashOf(readFileSync(one))]))
}

/** The number of files and folders; 0 where one of them goes at this moment. */
function countIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length
  } catch {
    return 0
  }
}

describe(`a process that is killed (-9), at ${KILLS} moments,`, () => {
  test('in a backup leaves the store and the earlier backups as they were, is not taken for one, and the next backup is', async () => {
    const url = await newLastingDatabaseUrl()
    const root = join(newFolder(), 'backups')
    await addBinaries(url, CLINIC, [randomBytes(100_000)])
    expect(await backUp(url, root)).toMatchObject({ code: 0 })
    let killed = 0
    for (let moment = 0; moment < KILLS; moment += 1) {
      await addBinaries(
        url,
        CLINIC,
        Array.from({ length: KILLS }, () => randomBytes(50_000)),
      )
      const [before, whole, stored] = [countIn(root), backupFolders(root), hashesOf(url)]
      const during = when(() => countIn(root) > before + moment)
      const { code } = await runScript('backup', ['--to', root], { env: { DATABASE_URL: url }, during })
      if (code === null) killed += 1
      // It may have got its name before it was killed; then it is whole.
      if (existsSync(join(root, 'unfinished'))) expect(backupFolders(root)).toEqual(whole)
      expect(hashesOf(url)).toEqual(stored)
      expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
    }
    expect(killed).toBeGreaterThan(KILLS - 3)
    expect(await backUp(url, root)).toMatchObject({ code: 0 })
    expect(existsSync(join(root, 'unfinished'))).toBe(false)
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
  })

  test('in a restore leaves no store on which a server starts, and the same command restores all of it', async () => {
    const url = await newLastingDatabaseUrl()
    const [root, to] = [join(newFolder(), 'backups'), join(newFolder(), 'restored')]
    await addBinaries(
      url,
      CLINIC,
      Array.from({ length: CONTENTS }, () => randomBytes(50_000)),
    )
    expect(await backUp(url, root)).toMatchObject({ code: 0 })
    const half = unfinishedRestoreOf(to)
    const stored = hashesOf(url)
    const restore = (during?: (kill: () => void) => Promise<void>) =>
      runScript('restore', ['--from', root, '--to', to], during === undefined ? {} : { during })
    let killed = 0
    for (let moment = 0; moment < KILLS; moment += 1) {
      // The files that the one before has left are removed before any is written.
      const leftOver = join(half, 'left over')
      if (existsSync(half)) writeFileSync(leftOver, '')
      const during = when(() => !existsSync(leftOver) && countIn(half) >= 1 + (moment * CONTENTS) / KILLS)
      if ((await restore(during)).code === null) killed += 1
      await (existsSync(to) ? expectWhole(to) : expectNoStart(to, half))
      rmSync(to, { recursive: true, force: true })
    }
    expect(killed).toBeGreaterThan(KILLS - 3)
    const refused = launch({ DATABASE_URL: `sqlite:${to}/emr.db` })
    expect(await refused.exited).toBe(1)
    expect(refused.output()).toContain('run the same npm run restore again')
    expect(await restore()).toMatchObject({ code: 0 })
    await expectWhole(to)
    expect(existsSync(half)).toBe(false)
    expect(hashesOf(url)).toEqual(stored)
  })
})

async function expectNoStart(...folders: readonly string[]): Promise<void> {
  for (const folder of folders)
    await expect(openStore(`sqlite:${folder}/emr.db`)).rejects.toThrow('A restore into this folder has not ended')
}

/** A folder has all that was backed up. */
async function expectWhole(to: string): Promise<void> {
  expect(readdirSync(join(to, 'emr.content', `clinic-${CLINIC}`))).toHaveLength(CONTENTS)
  await (await openStore(`sqlite:${to}/emr.db`)).close()
}

test('a backup to a disk that is full says so, leaves the earlier backups whole, and is made when there is space', async () => {
  const disk = process.platform === 'linux' ? await tmpfs() : undefined
  if (disk === undefined) return void process.stderr.write('No tmpfs can be mounted here: no test with a full disk\n')
  endings.push(disk.end)
  const url = await newLastingDatabaseUrl()
  await addBinaries(url, CLINIC, [randomBytes(1_000)])
  const here = { env: { DATABASE_URL: url }, within: disk.within }
  const backup = (...args: readonly string[]) => runScript('backup', ['--to', disk.folder, ...args], here)
  expect(await backup()).toMatchObject({ code: 0 })
  disk.fill(0, '')
  await addBinaries(
    url,
    CLINIC,
    Array.from({ length: 4 }, () => randomBytes(1_000_000)),
  )
  expect(await backup()).toEqual({
    code: 1,
    output: expect.stringMatching(/^The disk of the backup is full\. .*free space/),
  })
  expect(await backup('--check')).toMatchObject({ code: 0 })
  disk.free(0)
  expect(await backup()).toMatchObject({ code: 0 })
  expect(await backup('--check')).toMatchObject({ code: 0 })
  expect(backupFolders(disk.path)).toHaveLength(2)
})
