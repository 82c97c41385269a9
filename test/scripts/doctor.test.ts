/** `npm run doctor` as a process, on stores that are well and on stores that are not. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, test } from '@jest/globals'
import { createClinic } from '../../src/clinics/clinics.ts'
import { parseSettings } from '../../src/clinics/settings.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { openStore } from '../../src/main/open-store.ts'
import { SUBSCRIBED, SUBSCRIBED_KEY } from '../../src/repository/event-feed.ts'
import { Repository } from '../../src/repository/repository.ts'
import { addBinaries, runScript, withRepository } from '../support/backups.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { withDatabase } from '../support/mongo.ts'
import { startServer } from '../support/server.ts'

const CLINIC = 'north'
/** Begins everything that no output may have: data of patients, and secrets. */
const MARK = 'marked'
const SECRETS_KEY = `${MARK}-key-of-forty-letters-that-nobody-knows`
const WELL = {
  NODE_ENV: 'production',
  JWT_SECRET: `${MARK}-secret-of-forty-letters-for-the-tokens`,
  WEBHOOK_SECRET: `${MARK}-secret-of-the-platforms`,
  SECRETS_KEY,
  BASE_URL: 'https://emr.example',
  PORT: '9',
}

let url = ''
let sha256 = ''
beforeEach(async () => {
  url = await newLastingDatabaseUrl()
  const store = await openStore(url)
  const repository = new Repository(store, { baseUrl: 'http://here', secretsKeys: [SECRETS_KEY] })
  const parsed = parseSettings({
    ...{ name: 'North', timeZone: 'America/Chicago', defaultRegion: 'US', dialedNumbers: [] },
    callSecurity: { method: 'header', secrets: [`${MARK}-secret-of-the-calls-of-one-clinic`] },
  })
  if ('problems' in parsed) throw new Error(parsed.problems.join())
  await createClinic(repository, CLINIC, parsed.settings)
  const patient = { resourceType: 'Patient', id: `${MARK}-id`, name: [{ family: `${MARK}family` }] } as AnyResource
  await repository.change(CLINIC, async (unit) => void (await unit.put(patient, 'PUT')))
  await store.close()
  ;[sha256 = ''] = await addBinaries(url, CLINIC, [Buffer.from(`${MARK} bytes`.repeat(5_000))])
})

interface Seen {
  readonly code: number | null
  /** The lines that say what to do, or note something. */
  readonly said: readonly string[]
  readonly output: string
}

async function see(env: Readonly<Record<string, string>> = {}): Promise<Seen> {
  const { code, output } = await runScript('doctor', [], { env: { ...WELL, DATABASE_URL: url, ...env } })
  expect(output).not.toContain(MARK)
  expect(output).not.toMatch(/\n {4}at /)
  const said = output.split('\n').filter((line) => line !== '' && !line.startsWith('ok '))
  return { code, said: said.map((line) => line.replaceAll(/ +/g, ' ')), output }
}

/** The lines beside those of a service that is well but for its server, which does not run. */
const others = ({ said }: Seen): readonly string[] =>
  said.filter((line) => !/^note (server none runs|audit trail nothing|journal it is off)/.test(line))

describe('a service that is well', () => {
  test('has a line for each part, nothing to do, and ends with 0', async () => {
    const seen = await see()
    expect(others(seen)).toEqual([])
    expect(seen.code).toBe(0)
    for (const part of [
      'demo',
      'secrets',
      'network',
      'store',
      'search index',
      'settings',
      'contents',
      'clocks',
      'subscriptions',
      'disk',
    ])
      expect(seen.output).toMatch(new RegExp(`^ok +${part} `, 'm'))
  })

  test('has a note at Subscriptions in error, with their clinics and what to do', async () => {
    await withRepository(url, async (repository) => {
      const subscribed = { types: { Patient: 2 }, running: 2, statuses: { active: 1, error: 1 } }
      await repository.change(CLINIC, async ({ records }) => records.put(SUBSCRIBED, SUBSCRIBED_KEY, subscribed))
    })
    const { code, said } = await see()
    expect(said).toContainEqual(
      expect.stringMatching(/^note subscriptions in error at north \(1\): .* requested, or to off$/),
    )
    expect(code).toBe(0)
  })

  test('has a note where the first start has not made the store yet', async () => {
    const { code, said } = await see({ DATABASE_URL: await newLastingDatabaseUrl() })
    expect({ code, said }).toEqual({
      code: 0,
      said: expect.arrayContaining([expect.stringContaining('the first start makes it')]),
    })
  })

  test('has a server that says that it is ready', async () => {
    const server = await startServer()
    const { output } = await see({ PORT: new URL(server.url).port })
    await server.close()
    expect(output).toMatch(/^(ok|note) +server +(it is ready|.* it is behind)/m)
  })
})

describe('a configuration', () => {
  const { JWT_SECRET } = WELL
  test.each([
    ['without SECRETS_KEY', { SECRETS_KEY: '' }, 'TO DO secrets SECRETS_KEY is not set'],
    [
      'with one secret for two uses',
      { SECRETS_KEY: JWT_SECRET },
      'TO DO secrets JWT_SECRET and SECRETS_KEY have one value',
    ],
    ['that trusts every proxy', { TRUST_PROXY: '0.0.0.0/0' }, 'TO DO network TRUST_PROXY trusts every address'],
    ['without an address behind a proxy', { BASE_URL: '' }, 'TO DO network neither BASE_URL nor TRUST_PROXY is set'],
    ['with an address in clear', { BASE_URL: 'http://emr.example' }, 'TO DO network BASE_URL begins with http:'],
    ['that is wrong', { WORKERS: 'many' }, 'TO DO configuration The configuration has problems:'],
  ])('%s is to be changed, and the doctor ends with 1', async (_what, env, said) => {
    const seen = await see(env)
    expect(seen.said).toContainEqual(expect.stringContaining(said))
    expect(seen.code).toBe(1)
  })

  test('with metrics for other machines is noted', async () => {
    const seen = await see({ METRICS_PORT: '9464', METRICS_HOST: '0.0.0.0' })
    expect(others(seen)).toEqual([expect.stringContaining('note network METRICS_HOST')])
    expect(seen.code).toBe(0)
  })

  test('with the demo is noted', async () => {
    const { NODE_ENV: _production, ...env } = WELL
    const { code, output } = await runScript('doctor', [], { env: { ...env, DATABASE_URL: url } })
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/^note +demo +it is on/m) })
  })

  test('with another SECRETS_KEY than that of the settings says for which clinic', async () => {
    const seen = await see({ SECRETS_KEY: 'another key, of more than 32 characters' })
    expect(others(seen)).toEqual([expect.stringContaining(`TO DO settings those of ${CLINIC} cannot be read`)])
    expect(seen.code).toBe(1)
  })
})

test('a version from the future shows that the clock is behind', async () => {
  await withRepository(url, (_repository, store) => {
    const text = '{"resourceType":"Basic","id":"1","code":{"text":"x"}}'
    const version = { type: 'Basic', id: '1', version: 1, lastUpdated: Date.now() + 3_600_000, method: 'POST' } as const
    const resources = [{ ...version, text, expect: 0, entries: [] }]
    return store.write({ clinic: CLINIC, records: [], guards: [], resources })
  })
  const seen = await see()
  expect(others(seen)).toEqual([expect.stringMatching(/^TO DO clocks the store has versions from \d+ s in the future/)])
  expect(seen.code).toBe(1)
})

describeOnSqlite('a store on SQLite', () => {
  const path = () => url.slice('sqlite:'.length)
  const folder = () => join(dirname(path()), 'emr.content', `clinic-${CLINIC}`)

  test('is not changed by a look at it', async () => {
    const stored = () =>
      readdirSync(dirname(path()), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/-(wal|shm)$/.test(entry.name))
        .map(({ name, parentPath }) => [
          name,
          createHash('sha256')
            .update(readFileSync(join(parentPath, name)))
            .digest('hex'),
        ])
    const before = stored()
    await see()
    expect(stored()).toEqual(before)
  })

  test('that lacks a content is to be given it from a backup', async () => {
    rmSync(join(folder(), readdirSync(folder())[0] ?? ''))
    const seen = await see()
    expect(others(seen)).toEqual([
      `TO DO contents 1 are missing: ${sha256}; restore them from a backup (docs/backup.md)`,
    ])
    expect(seen.code).toBe(1)
  })

  test('with a file that nothing names has a note of it, after two hours', async () => {
    mkdirSync(folder(), { recursive: true })
    const [young, old] = [join(folder(), randomUUID()), join(folder(), randomUUID())]
    for (const file of [young, old]) writeFileSync(file, randomBytes(20), { mode: 0o600 })
    utimesSync(old, 0, 0)
    const seen = await see()
    expect(others(seen)).toEqual([
      expect.stringContaining(
        `nothing names 1 files of 0 MB: clinic-${CLINIC}`.replace('clinic', 'emr.content/clinic'),
      ),
    ])
    expect(others(seen)[0]).toContain(basename(old))
    expect(seen.code).toBe(0)
  })

  test('whose files others can read is to be closed', async () => {
    chmodSync(path(), 0o644)
    const seen = await see()
    expect(others(seen)).toEqual([`TO DO files other users can read ${path()}; chmod go= them, or start the server`])
    expect(seen.code).toBe(1)
  })

  test.each([
    ['is damaged', () => truncateSync(path(), 8_192), /TO DO store .*(damaged|cannot be read).*restore a backup/],
    [
      'is no database',
      () => writeFileSync(path(), 'text'.repeat(5_000)),
      /TO DO store .*cannot be read.*restore a backup/,
    ],
    ['was written by a newer version', () => setVersion(99), /TO DO store it was written by a newer version/],
    [
      'was written by an older version',
      () => setVersion(1),
      /note store it is sound, of store version 1, and a start brings it to \d+\. Servers of earlier versions refuse/,
    ],
    [
      'has an audit trail that was set aside',
      () => writeFileSync(`${path()}.unreadable-1`, ''),
      /TO DO files .*set aside/,
    ],
    [
      'has a damaged audit trail',
      () => writeFileSync(path().replace('.db', '.audit.db'), 'text'.repeat(5_000), { mode: 0o600 }),
      /TO DO audit trail/,
    ],
  ])('that %s is told so', async (_what, change, said) => {
    change()
    const seen = await see()
    expect(others(seen)).toContainEqual(expect.stringMatching(said))
    expect(seen.code).toBe(others(seen).some((line) => line.startsWith('TO DO')) ? 1 : 0)
  })

  function setVersion(version: number): void {
    const database = new DatabaseSync(path())
    database.exec(`PRAGMA user_version = ${version}`)
    database.close()
  }
})

describeOnMongo('a store on MongoDB', () => {
  test.each([
    ['lacks an index', 'resources', { index: 'by_entry' }, 'TO DO store resources has no index by_entry'],
    ['lacks a content', 'content', {}, 'TO DO contents 1 are missing'],
    ['has a content that nothing names', 'records', { kind: 'content' }, 'note contents nothing names 1 files'],
  ])(
    'that %s is told so',
    async (_what, collection, { index = '', ...filter }: { index?: string; kind?: string }, said) => {
      await withDatabase(url, async (db) => {
        if (index === '') await db.collection(collection).deleteMany(filter)
        else await db.collection(collection).dropIndex(index)
      })
      const seen = await see()
      expect(others(seen)).toContainEqual(expect.stringContaining(said))
      expect(seen.code).toBe(said.startsWith('TO DO') ? 1 : 0)
    },
  )

  test('that cannot be reached is told so, without the password', async () => {
    const seen = await see({ DATABASE_URL: `mongodb://user:${MARK}@127.0.0.1:9/emr?serverSelectionTimeoutMS=500` })
    expect(others(seen)).toEqual([expect.stringContaining('TO DO store No MongoDB can be used at the address')])
    expect(seen.code).toBe(1)
  })
})
