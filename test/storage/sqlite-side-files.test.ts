/** The files of the audit trail and the journal: set aside where they cannot be read, and closed to other users. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from '@jest/globals'
import { openAuditStore, openContentStore, openJournalStore, openStore } from '../../src/main/open-store.ts'
import { type AuditBlock, keyAt } from '../../src/storage/audit-port.ts'
import type { JournalEntry } from '../../src/storage/journal-port.ts'
import { Database } from '../../src/storage/sqlite/connection.ts'
import { JOURNAL_FILE } from '../../src/storage/sqlite/journal-store.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { newFolder } from '../support/run.ts'

const NOW = Date.now()
const BLOCK: AuditBlock = { clinic: 'one', key: `${keyAt(NOW)}k1`, first: NOW, patients: [], events: '[]' }
const ENTRY: JournalEntry = {
  ...{ clinic: 'one', id: 'a', at: Date.now(), isGap: false, audience: 'staff', run: '', call: '', status: 200 },
  ...{ method: 'GET', direction: 'in', user: '', operation: '', duration: 1, words: '', trace: '' },
  ...{ path: '/Patient', type: '', fault: '', summary: 'the summary', detail: 'the detail' },
}

interface Side {
  readonly write: () => Promise<void>
  readonly read: () => Promise<number>
  readonly setAsideAt: () => number | undefined
  readonly close: () => Promise<void>
}

type Warn = (notice: string) => void

async function audit(url: string, warn: Warn): Promise<Side> {
  const store = await openAuditStore(url, { days: 36_500 }, { warn } as never)
  const scan = { clinic: 'one', order: 'oldest first', from: NOW, to: NOW, limit: 10 } as const
  return {
    write: () => store.write([BLOCK]),
    read: async () => (await store.scan(scan)).blocks.length,
    setAsideAt: () => store.setAsideAt?.(),
    close: () => store.close(),
  }
}

async function journal(url: string, warn: Warn): Promise<Side> {
  const store = await openJournalStore(url, { warn } as never)
  const scan = { clinic: 'one', order: 'oldest first', filter: {}, limit: 10 } as const
  return {
    write: () => store.write([ENTRY], new Map([['one', { days: 7, entries: 1_000 }]])),
    read: async () => (await store.scan(scan)).entries.length,
    setAsideAt: () => store.setAsideAt?.(),
    close: () => store.close(),
  }
}

const pathOf = (url: string, part: string): string => url.slice('sqlite:'.length).replace(/\.db$/, `${part}.db`)

/** A file of SQLite with these statements carried out in it. */
const database = (script: string) => (path: string) => {
  const db = new DatabaseSync(path)
  db.exec(script)
  db.close()
}

/** Files that this version cannot use, and how each comes about. */
const FILES: Readonly<Record<string, (path: string) => void>> = {
  'is no database': (path) => writeFileSync(path, 'this is no database, '.repeat(1_000)),
  'is of zeros': (path) => writeFileSync(path, Buffer.alloc(8_192)),
  'is cut off': (path) => {
    database('CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(100000)); PRAGMA user_version = 1')(path)
    writeFileSync(path, readFileSync(path).subarray(0, 5_000))
  },
  'is of a newer version': database('CREATE TABLE block (clinic); PRAGMA user_version = 99'),
  'is of this version, with other tables': database('CREATE TABLE something (x); PRAGMA user_version = 1'),
  'is of this version, with other columns': database(
    'CREATE TABLE block (clinic, key); CREATE TABLE exchange (clinic, number); PRAGMA user_version = 1',
  ),
  'is of the newest version, without tables': database('PRAGMA user_version = 2'),
  'is that of another program': database('CREATE TABLE address_book (name); INSERT INTO address_book VALUES (1)'),
}

describe('a file beside that of the resources', () => {
  describe.each([
    ['of the audit trail', '.audit', audit],
    ['of the journal', '.journal', journal],
  ] as const)('%s', (_what, part, open) => {
    test.each(Object.entries(FILES))('that %s is set aside, said so, and a new one begins', async (_kind, make) => {
      const url = await newLastingDatabaseUrl()
      const path = pathOf(url, part)
      make(path)
      const before = readFileSync(path)
      const said: string[] = []
      const store = await open(url, (notice) => said.push(notice))
      try {
        expect([await store.read(), store.setAsideAt()]).toEqual([0, undefined])
        await store.write()
        expect(said).toEqual([expect.stringMatching(/ could not be read; it was set aside as .* a new one has begun$/)])
        expect(store.setAsideAt()).toEqual(expect.any(Number))
      } finally {
        await store.close()
      }
      const again = await open(url, (notice) => said.push(notice))
      expect([await again.read(), said.length]).toEqual([1, 1])
      await again.close()
      const aside = readdirSync(dirname(path)).find((name) => name.startsWith(`${basename(path)}.unreadable-`)) ?? ''
      expect(readFileSync(join(dirname(path), aside)).equals(before)).toBe(true)
    })
  })

  test('of the journal of version 1 is kept, and operators alone read what it holds', async () => {
    const url = await newLastingDatabaseUrl()
    database(`${JOURNAL_1}; PRAGMA user_version = 1`)(pathOf(url, '.journal'))
    const said: string[] = []
    const store = await openJournalStore(url, { warn: (notice: string) => said.push(notice) } as never)
    await store.write([ENTRY], new Map([['one', { days: 36_500, entries: 1_000 }]]))
    const scan = { clinic: 'one', order: 'oldest first', limit: 10 } as const
    const ids = async (filter: object) => (await store.scan({ ...scan, filter })).entries.map(({ summary }) => summary)
    expect(await ids({})).toEqual(['from version 1', 'the summary'])
    expect(await ids({ audiences: ['staff', 'admin'] })).toEqual(['the summary'])
    expect(await store.read('one', ['old'])).toMatchObject([{ audience: 'operator' }])
    expect(said).toEqual([])
    await store.close()
  })
})

const JOURNAL_1 = `
  CREATE TABLE clinic (clinic TEXT PRIMARY KEY, last INTEGER NOT NULL, days INTEGER NOT NULL,
    entries INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE exchange (clinic TEXT NOT NULL, number INTEGER NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
    gap INTEGER NOT NULL, run TEXT NOT NULL, call TEXT NOT NULL, status INTEGER NOT NULL, path TEXT NOT NULL,
    type TEXT NOT NULL, summary TEXT NOT NULL, PRIMARY KEY (clinic, number)) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX exchange_by_id ON exchange (clinic, id);
  CREATE TABLE detail (clinic TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
    UNIQUE (clinic, number)) STRICT;
  INSERT INTO clinic VALUES ('one', 1, 36500, 1000);
  INSERT INTO exchange VALUES ('one', 1, 'old', ${Date.now()}, 0, '', '', 200, '/', '', 'from version 1')`

describe('files of the store', () => {
  /** The file modes of a folder and of everything in it. */
  const modesIn = (folder: string): readonly (readonly [string, string])[] =>
    [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))].map((path) => {
      const { mode } = statSync(path)
      return [path.slice(folder.length), (mode & 0o777).toString(8)]
    })

  async function fill(url: string): Promise<void> {
    const store = await openStore(url)
    const [trail, exchanges] = [await audit(url, () => {}), await journal(url, () => {})]
    const contents = await openContentStore(url)
    await Promise.all([trail.write(), exchanges.write(), contents.write('one', 'bytes', pieces())])
    await Promise.all([trail.read(), exchanges.read()])
    await Promise.all([store.close(), trail.close(), exchanges.close(), contents.close()])
  }

  async function* pieces() {
    yield Buffer.from('some bytes')
  }

  test('are for its user alone, whatever the umask', async () => {
    const folder = join(dirname((await newLastingDatabaseUrl()).slice('sqlite:'.length)), `modes-${process.pid}`)
    const before = process.umask(0)
    try {
      await fill(`sqlite:${join(folder, 'emr.db')}`)
    } finally {
      process.umask(before)
    }
    const modes = modesIn(folder)
    expect(modes.length).toBeGreaterThanOrEqual(6)
    const folders = modes.filter(([name]) => statSync(join(folder, name)).isDirectory())
    expect(folders.map(([, mode]) => mode)).toEqual(folders.map(() => '700'))
    const files = modes.filter(([name]) => statSync(join(folder, name)).isFile())
    expect(files.map(([name, mode]) => [name, mode])).toEqual(files.map(([name]) => [name, '600']))
  })

  test('of an older version are closed to other users when they are opened', async () => {
    const folder = join(dirname((await newLastingDatabaseUrl()).slice('sqlite:'.length)), `old-modes-${process.pid}`)
    mkdirSync(join(folder, 'emr.content'), { recursive: true, mode: 0o755 })
    for (const name of ['emr.db', 'emr.audit.db', 'emr.journal.db'])
      writeFileSync(join(folder, name), '', { mode: 0o644 })
    await fill(`sqlite:${join(folder, 'emr.db')}`)
    const modes = new Map(modesIn(folder))
    expect(['/emr.db', '/emr.audit.db', '/emr.journal.db'].map((name) => modes.get(name))).toEqual([
      '600',
      '600',
      '600',
    ])
    expect(modes.get('/emr.content')).toBe('700')
  })
})

test('a file whose tables another process creates at this moment is not taken for one of another form', () => {
  const made = newPath()
  JOURNAL_FILE.open({ path: made, use: 'write' }).close()
  const model = new DatabaseSync(made)
  const version = model.prepare('PRAGMA user_version').get()?.['user_version']
  const tables = model.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all()
  model.close()

  const path = newPath()
  const create = () => {
    const other = new DatabaseSync(path, { timeout: 0 })
    try {
      other.exec(`BEGIN; ${tables.map(({ sql }) => sql).join(';')}; PRAGMA user_version = ${version}; COMMIT`)
    } catch (error) {
      expect(String(error)).toContain('locked')
    }
    other.close()
  }
  const { get } = Database.prototype
  let isCreated = false
  Database.prototype.get = function (this: Database, ...query: Parameters<typeof get>) {
    const row = get.apply(this, query)
    if (!isCreated && query[0] === 'PRAGMA user_version') {
      isCreated = true
      create()
    }
    return row
  } as typeof get
  try {
    const file = JOURNAL_FILE.open({ path, use: 'write' })
    expect(file.hasTables).toBe(true)
    file.close()
  } finally {
    Database.prototype.get = get
  }
  expect(isCreated).toBe(true)
})

const newPath = (): string => join(newFolder(), 'emr.journal.db')
