/** Records that hold secrets are encrypted in the store where there is a key. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { Repository } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'

const SETTINGS = recordKind<{ readonly secret: string }>('settings')
const OUTBOX = recordKind<string>('outbox')
const KEY = 'settings'
const OLD = 'a'.repeat(32)
const NEW = 'b'.repeat(32)

let store: ResourceStore
beforeEach(async () => {
  store = await openTestStore()
})

const withKeys = (...secretsKeys: readonly string[]) => new Repository(store, { baseUrl: '', secretsKeys })

const write = (repository: Repository, secret: string, clinic = 'c') =>
  repository.change(clinic, async ({ records }) => {
    await records.read(SETTINGS, KEY)
    records.put(SETTINGS, KEY, { secret })
  })

const storedText = async (clinic = 'c') => JSON.stringify(await store.readRecord(clinic, 'settings', KEY))

/** The secret by every way that reads a record. */
const readings = async (repository: Repository): Promise<ReadonlySet<string | undefined>> => {
  const { records } = await repository.reader('c')
  const found = [
    await repository.readRecord('c', SETTINGS, KEY),
    await repository.readRecent('c', SETTINGS, KEY),
    ...(await repository.records(SETTINGS, { clinic: 'c', limit: 9 })),
    await (await repository.reader('c')).records.readRecent(SETTINGS, KEY),
    ...(await records.list(SETTINGS, { after: '', limit: 9 })),
    await records.read(SETTINGS, KEY),
    records.known(SETTINGS, KEY),
  ]
  return new Set(found.map((record) => record?.value.secret))
}

describe('with a key', () => {
  test('a record that holds secrets is stored without them, and read with them by every way', async () => {
    await write(withKeys(NEW), 'hush')
    expect(await storedText()).not.toContain('hush')
    expect(await readings(withKeys(NEW))).toEqual(new Set(['hush']))
  })

  test('a unit of work reads what it has staged', async () => {
    await withKeys(NEW).change('c', async ({ records }) => {
      records.put(SETTINGS, KEY, { secret: 'staged' })
      expect((await records.read(SETTINGS, KEY))?.value).toEqual({ secret: 'staged' })
    })
  })

  test('the same record is the same object while the store remembers it', async () => {
    const repository = withKeys(NEW)
    await write(repository, 'hush')
    await repository.readRecent('c', SETTINGS, KEY)
    const [first, second] = [1, 2].map(() => repository.readRecent('c', SETTINGS, KEY))
    expect(await first).toBe(await second)
  })

  test('records of other kinds are stored as they are', async () => {
    await withKeys(NEW).change('c', async ({ records }) => records.put(OUTBOX, 'k', 'plain'))
    expect((await store.readRecord('c', 'outbox', 'k'))?.value).toBe('plain')
  })

  test('each write has another form, so that equal settings are not seen to be equal', async () => {
    await write(withKeys(NEW), 'hush')
    const first = await storedText()
    await write(withKeys(NEW), 'hush')
    expect(JSON.parse(await storedText()).value).not.toEqual(JSON.parse(first).value)
  })

  test('a record that is deleted is deleted', async () => {
    const repository = withKeys(NEW)
    await write(repository, 'hush')
    await repository.change('c', async ({ records }) => {
      await records.read(SETTINGS, KEY)
      records.delete(SETTINGS, KEY)
    })
    expect(await repository.readRecord('c', SETTINGS, KEY)).toBeUndefined()
  })
})

describe('a change of keys', () => {
  test('leaves what is stored in clear, or with the previous key, readable', async () => {
    await write(withKeys(), 'in clear')
    expect(await readings(withKeys(NEW))).toEqual(new Set(['in clear']))
    await write(withKeys(OLD), 'old')
    expect(await readings(withKeys(NEW, OLD))).toEqual(new Set(['old']))
  })

  test.each([
    { before: [], after: [NEW], encrypted: true },
    { before: [OLD], after: [NEW, OLD], encrypted: true },
    { before: [NEW], after: [NEW, OLD], encrypted: false },
    { before: [NEW], after: [NEW], encrypted: false },
    { before: [], after: [], encrypted: false },
  ])('from $before to $after encrypts a record again: $encrypted', async ({ before, after, encrypted }) => {
    await write(withKeys(...before), 'hush')
    expect(await withKeys(...after).encryptRecord('c', SETTINGS, KEY)).toBe(encrypted)
    expect(await readings(withKeys(...after.slice(0, 1)))).toEqual(new Set(['hush']))
  })

  test('encrypts nothing where there is no record', async () => {
    expect(await withKeys(NEW).encryptRecord('c', SETTINGS, KEY)).toBe(false)
  })

  test.each([
    { what: 'without a key', keys: [] },
    { what: 'with another key', keys: [OLD] },
  ])(
    'that leaves out the key of a record is an error that names the clinic, never the value: $what',
    async ({ keys }) => {
      await write(withKeys(NEW), 'hush')
      const sentence =
        "The settings of clinic 'c' are encrypted with another key; set SECRETS_KEY, or SECRETS_KEY_PREVIOUS"
      await expect(withKeys(...keys).readRecord('c', SETTINGS, KEY)).rejects.toThrow(sentence)
      await expect(withKeys(...keys).encryptRecord('c', SETTINGS, KEY)).rejects.toThrow(sentence)
    },
  )
})

describe('an encrypted value', () => {
  test('is good in its own clinic only', async () => {
    await write(withKeys(NEW), 'hush', 'rich')
    await write(withKeys(NEW), 'mine', 'poor')
    const stolen = (await store.readRecord('rich', 'settings', KEY))?.value
    const records = [{ clinic: 'poor', kind: 'settings', key: KEY, expect: 'any' as const, value: stolen }]
    await store.write({ clinic: 'poor', resources: [], records, guards: [] })
    await expect(withKeys(NEW).readRecord('poor', SETTINGS, KEY)).rejects.toThrow('were altered in the store')
  })

  test.each(['', 'AAAA', 'A'.repeat(60)])('that was replaced by "%s" is an error', async (value) => {
    await write(withKeys(NEW), 'hush')
    const stored = (await store.readRecord('c', 'settings', KEY))?.value as { encrypted: { key: string } }
    const altered = { encrypted: { ...stored.encrypted, value } }
    const records = [{ clinic: 'c', kind: 'settings', key: KEY, expect: 'any' as const, value: altered }]
    await store.write({ clinic: 'c', resources: [], records, guards: [] })
    await expect(withKeys(NEW).readRecord('c', SETTINGS, KEY)).rejects.toThrow('were altered in the store')
  })
})
