/** `npm run backup` and `npm run restore` on a store that nobody writes meanwhile: test/process/backup.test.ts has the others. */
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { CONTENT, type StoredContent } from '../../src/repository/used-content.ts'
import { addBinaries, backUp, backupFolders, receive, runScript, withRepository } from '../support/backups.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { newFolder } from '../support/run.ts'
import { until } from '../support/server-process.ts'

const CLINIC = 'north'

let url = ''
let root = ''
beforeEach(async () => {
  url = await newLastingDatabaseUrl()
  root = join(newFolder(), 'backups')
})

const add = (...contents: readonly Uint8Array[]) => addBinaries(url, CLINIC, contents)
const restoreTo = (to: string, ...args: readonly string[]) =>
  runScript('restore', ['--from', root, '--to', to, ...args])
const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder).sort() : [])
const contentsIn = () => namesIn(join(root, 'contents'))

/** The path of a content in the store. */
const pathOf = (sha256: string): Promise<string> =>
  withRepository(url, async (_repository, store) => {
    const found = await store.readRecord(CLINIC, CONTENT.name, sha256)
    const folder = join(dirname(url.slice('sqlite:'.length)), 'emr.content', `clinic-${CLINIC}`)
    if (found === undefined) throw new Error(`There is no content ${sha256}`)
    return join(folder, (found.value as StoredContent).name)
  })

/** Removes a content from the store, as a reset does. */
const forget = (sha256: string): Promise<void> =>
  withRepository(url, (_repository, store) =>
    store.write({
      ...{ clinic: CLINIC, resources: [], guards: [] },
      records: [{ clinic: CLINIC, kind: CONTENT.name, key: sha256, expect: 'any', value: undefined }],
    }),
  )

function flipByte(path: string): void {
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

/** Everything in the files of a store, but for the numbers of its pages. */
const rowsOf = (path: string, table: string) => {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return database.prepare(`SELECT * FROM ${table} ORDER BY 1`).all()
  } finally {
    database.close()
  }
}

describe('npm run backup', () => {
  test('copies the store and the contents that it names, each once, so the next backup copies only new ones', async () => {
    const [first = ''] = await add(randomBytes(300_000))
    expect(await backUp(url, root)).toMatchObject({ code: 0, output: expect.stringContaining('1 of them copied now') })
    const [second = ''] = await add(randomBytes(10))
    await addBinaries(url, 'south', [readFileSync(await pathOf(first))])
    const { mtimeMs } = statSync(join(root, 'contents', first))
    expect(await backUp(url, root)).toMatchObject({ code: 0, output: expect.stringContaining('3 contents of 600010') })
    expect(contentsIn()).toEqual([first, second].sort())
    expect(statSync(join(root, 'contents', first)).mtimeMs).toBe(mtimeMs)
    expect(backupFolders(root)).toHaveLength(2)
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
  })

  test('leaves out contents to which nothing refers, as they are about to go', async () => {
    const [used = ''] = await add(randomBytes(20))
    await withRepository(url, (repository) => receive(url, repository, CLINIC, randomBytes(30)))
    expect(await backUp(url, root)).toMatchObject({
      code: 0,
      output: expect.stringContaining('1 contents of 20 bytes'),
    })
    expect(contentsIn()).toEqual([used])
  })

  test('keeps its files from other users', async () => {
    await add(randomBytes(20))
    await backUp(url, root)
    const entries = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name))
    expect(entries.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
  })

  test('names a content that is missing in the store, ends with 1, and has all others', async () => {
    const [missing = '', kept = ''] = await add(randomBytes(20), randomBytes(30))
    rmSync(await pathOf(missing))
    const { code, output } = await backUp(url, root)
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(missing) })
    expect(contentsIn()).toEqual([kept])
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 1, output: expect.stringContaining(missing) })
    const to = join(newFolder(), 'restored')
    expect(await restoreTo(to)).toMatchObject({ code: 0, output: expect.stringContaining('1 contents were missing') })
  })

  test('copies the store again where a reset removes a content meanwhile', async () => {
    const [gone = '', kept = ''] = await add(randomBytes(20), randomBytes(30))
    const path = await pathOf(gone)
    // Holds the backup up after it has copied the store.
    const audit = new DatabaseSync(path.replace(/\.content.*/, '.audit.db'))
    audit.exec('CREATE TABLE block (one); BEGIN EXCLUSIVE')
    const backup = backUp(url, root)
    await until(() => existsSync(join(root, 'unfinished', 'emr.audit.db')))
    await forget(gone)
    await unlink(path)
    audit.close()
    expect(await backup).toMatchObject({ code: 0, output: expect.stringContaining('1 contents of 30 bytes') })
    expect(contentsIn()).toEqual([kept])
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
  })

  test('removes older backups on demand, with the contents that only they name', async () => {
    const [removed = '', kept = ''] = await add(randomBytes(20), randomBytes(30))
    await backUp(url, root)
    await forget(removed)
    await backUp(url, root)
    expect(contentsIn()).toEqual([removed, kept].sort())
    const [, second = ''] = backupFolders(root)
    expect(await backUp(url, root, '--keep', '2')).toMatchObject({ code: 0 })
    expect(backupFolders(root)[0]).toBe(second)
    expect(backupFolders(root)).toHaveLength(2)
    expect(contentsIn()).toEqual([kept])
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
  })

  test('waits for no other one: two at a time in a folder are refused', async () => {
    await add(randomBytes(20))
    await backUp(url, root)
    const lock = new DatabaseSync(join(root, 'lock'))
    lock.exec('BEGIN EXCLUSIVE')
    const refused = await backUp(url, root)
    lock.close()
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Another process makes a backup') })
    expect(backupFolders(root)).toHaveLength(1)
  })

  test.each([
    ['a file that is not there', () => 'sqlite:/nowhere/emr.db', 'There is no file /nowhere/emr.db'],
    ['a store in memory', () => 'sqlite::memory:', 'the memory of one process'],
    ['a file of another program', otherFile, 'is no store of this server'],
    ['MongoDB', () => 'mongodb://user:secret@127.0.0.1/emr', 'mongodump --oplog'],
  ])('refuses %s with a sentence', async (_what, urlOf, said) => {
    const { code, output } = await backUp(urlOf(), root)
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(said) })
    expect(output).not.toMatch(/secret|\n {4}at /)
    expect(existsSync(root)).toBe(false)
  })

  test('refuses a store that is damaged, and keeps the earlier backups', async () => {
    await add(...Array.from({ length: 50 }, () => randomBytes(20)))
    await backUp(url, root)
    truncateSync(url.slice('sqlite:'.length), 8_192)
    expect(await backUp(url, root)).toMatchObject({ code: 1, output: expect.stringMatching(/damaged|malformed/) })
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
    expect(namesIn(root)).not.toContain('unfinished')
  })
})

describe('npm run backup -- --check', () => {
  test.each([
    ['the store', () => join(backupFolders(root)[0] ?? '', 'emr.db')],
    ['a content', () => join(root, 'contents', contentsIn()[0] ?? '')],
    ['the manifest', () => join(backupFolders(root)[0] ?? '', 'manifest.json')],
  ])('finds a flipped byte in %s, and nothing of it is restored', async (_what, pathIn) => {
    await add(randomBytes(20_000))
    await backUp(url, root)
    flipByte(pathIn())
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 1, output: expect.stringContaining(pathIn()) })
    const to = join(newFolder(), 'restored')
    expect(await restoreTo(to)).toMatchObject({ code: 1, output: expect.stringContaining(pathIn()) })
    expect(namesIn(dirname(to))).toEqual([])
  })

  test('finds a content that is missing, which the next backup copies again', async () => {
    await add(randomBytes(20))
    await backUp(url, root)
    rmSync(join(root, 'contents', contentsIn()[0] ?? ''))
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 1, output: expect.stringContaining('is missing') })
    expect(await backUp(url, root)).toMatchObject({ code: 0 })
    expect(await backUp(url, root, '--check')).toMatchObject({ code: 0 })
  })
})

describe('npm run restore', () => {
  test('makes the same store in a new folder, with private files', async () => {
    const bytes = randomBytes(20_000)
    const [sha256 = ''] = await add(bytes)
    await backUp(url, root)
    const to = join(newFolder(), 'restored')
    expect(await restoreTo(to)).toMatchObject({ code: 0, output: expect.stringContaining(`sqlite:${to}/emr.db`) })
    for (const table of ['version', 'resource', 'record', 'token_index'])
      expect(rowsOf(join(to, 'emr.db'), table)).toEqual(rowsOf(url.slice('sqlite:'.length), table))
    const entries = readdirSync(to, { recursive: true, encoding: 'utf8' }).map((name) => join(to, name))
    expect(entries.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([])
    url = `sqlite:${to}/emr.db`
    expect(readFileSync(await pathOf(sha256)).equals(bytes)).toBe(true)
  })

  test('takes the newest backup that is not after an instant', async () => {
    const [first = ''] = await add(randomBytes(20))
    await backUp(url, root)
    const [folder = ''] = backupFolders(root)
    const { instant } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    const [second = ''] = await add(randomBytes(30))
    await backUp(url, root)
    const binariesAfter = async (...args: readonly string[]) => {
      const to = join(newFolder(), 'restored')
      expect(await restoreTo(to, ...args)).toMatchObject({ code: 0 })
      return rowsOf(join(to, 'emr.db'), 'record').map(({ key }) => key)
    }
    expect(await binariesAfter('--at', instant)).not.toContain(second)
    expect(await binariesAfter()).toEqual(expect.arrayContaining([first, second]))
    const tooEarly = await restoreTo(join(newFolder(), 'restored'), '--at', '2020-01-01T00:00Z')
    expect(tooEarly).toMatchObject({
      code: 1,
      output: expect.stringContaining(`the oldest one in ${root} is of ${instant}`),
    })
  })

  test('refuses a folder that has anything in it, and an instant without a zone', async () => {
    await add(randomBytes(20))
    await backUp(url, root)
    const to = newFolder()
    expect(await restoreTo(to)).toMatchObject({ code: 0 })
    const before = readFileSync(join(to, 'emr.db'))
    expect(await restoreTo(to)).toMatchObject({ code: 1, output: expect.stringContaining('never over a store') })
    expect(readFileSync(join(to, 'emr.db')).equals(before)).toBe(true)
    const wrong = await restoreTo(join(newFolder(), 'restored'), '--at', '2026-11-28T06:00')
    expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('its zone') })
  })
})

function otherFile(): string {
  const path = join(newFolder(), 'other.db')
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE other (one TEXT)')
  database.close()
  return `sqlite:${path}`
}
