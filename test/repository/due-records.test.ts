/** The loop over records that are due, on a real store; several loops stand for several processes. */
import { describe, expect, test } from '@jest/globals'
import pino from 'pino'
import type { BackgroundLoop, LeasedJob } from '../../src/isolation/background-loop.ts'
import { type DueServices, type DueWork, dueRecordLoop } from '../../src/repository/due-records.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import type { Repository } from '../../src/repository/repository.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestStore } from '../support/database.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const KIND = recordKind<string>('freed-slot')
const NOW = Date.parse('2026-03-02T09:00:00Z')
const LEASE = 15_000
const PACE = { look: 1, pause: 0 }

interface Opened extends TestRepository {
  readonly put: (clinic: string, key: string, due?: number) => Promise<void>
  /** Ends the work on a record. False: it is gone, or is not the version that is said. */
  readonly remove: (clinic: string, key: string, version?: number) => Promise<boolean>
  readonly left: () => Promise<readonly string[]>
}

async function opened(shared?: ResourceStore): Promise<Opened> {
  const store = await openTestRepository(NOW, shared)
  const { repository } = store
  return {
    ...store,
    put: (clinic, key, due = NOW) =>
      repository.change(clinic, async ({ records }) => records.put(KIND, key, key, { due })),
    remove: (clinic, key, version) =>
      repository.change(clinic, async ({ records }) => {
        const record = await records.read(KIND, key)
        if (record === undefined || (version !== undefined && record.version !== version)) return false
        records.delete(KIND, key)
        return true
      }),
    left: async () =>
      [
        ...(await repository.records(KIND, { clinic: 'a', limit: 1_000 })),
        ...(await repository.records(KIND, { clinic: 'b', limit: 1_000 })),
      ]
        .map(({ key }) => key)
        .toSorted(),
  }
}

/** `dueRecords` replaces that of the repository, for a process with another clock. */
type Work = Partial<Pick<DueServices, 'logger'>> &
  Partial<Pick<Repository, 'dueRecords'>> &
  Partial<typeof PACE> & { readonly atOnce?: number }

const DUE = { kind: KIND, lease: LEASE, failure: 'no luck' }

function started(
  { repository }: Opened,
  work: DueWork<string>,
  { dueRecords, logger, ...pace }: Work = {},
): BackgroundLoop {
  const parts: DueServices['repository'] = {
    dueRecords: dueRecords ?? ((...query) => repository.dueRecords(...query)),
    clinics: () => repository.clinics(),
    change: (...all) => repository.change(...all),
  }
  const services = { repository: parts, logger: logger ?? pino({ level: 'silent' }) }
  const loop = dueRecordLoop(services, work, { ...PACE, ...pace })
  loop.start()
  return loop
}

const wait = () => new Promise((resolve) => setTimeout(resolve, 2))

/** Until it holds; how long that takes does not matter. */
async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await wait()
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `k${String(index).padStart(3, '0')}`)

/** A job of one batch. */
const oneBatch = (batch: () => Promise<unknown>): LeasedJob => ({
  batch: async () => {
    await batch()
    return false
  },
  end: async () => {},
})

describe('the loop over due records', () => {
  test('works on those of all clinics that are due, beyond one query, with the value and version of the lease', async () => {
    const store = await opened()
    const keys = names(45)
    for (const key of keys) await store.put('a', key)
    await store.put('b', 'k')
    await store.put('b', 'tomorrow', NOW + 86_400_000)
    const done: string[] = []
    const loop = started(store, {
      ...DUE,
      begin: ({ clinic, key, value, version }) =>
        oneBatch(async () => {
          if (await store.remove(clinic, key, version)) done.push(`${clinic}/${value}`)
        }),
    })
    await until(() => done.length === 46)
    await loop.close()
    expect(done.toSorted()).toEqual([...keys.map((key) => `a/${key}`), 'b/k'])
    expect(await store.left()).toEqual(['tomorrow'])
  })

  test.each([1, 4])('of several processes works on each record once, %d at a time', async (atOnce) => {
    const store = await opened()
    const keys = names(30)
    for (const key of keys) await store.put('a', key)
    const done: string[] = []
    const begin = ({ clinic, key, version }: { clinic: string; key: string; version: number }) =>
      oneBatch(async () => {
        done.push(key)
        await wait()
        await store.remove(clinic, key, version)
      })
    const loops = names(3).map(() => started(store, { ...DUE, begin }, { atOnce }))
    await until(async () => (await store.left()).length === 0)
    await Promise.all(loops.map((loop) => loop.close()))
    expect(done.toSorted()).toEqual(keys)
  })

  test('of several processes makes the one change of a record once', async () => {
    const store = await opened()
    const keys = names(30)
    for (const key of keys) await store.put('a', key)
    const done: string[] = []
    const finish = async (clinic: string, key: string) => {
      const isMine = await store.remove(clinic, key)
      if (isMine) done.push(key)
      return isMine
    }
    const loops = names(3).map(() => started(store, { ...DUE, finish }))
    await until(async () => (await store.left()).length === 0)
    await Promise.all(loops.map((loop) => loop.close()))
    expect(done.toSorted()).toEqual(keys)
  })

  test('takes turns between clinics where the work on a record does others of its clinic too', async () => {
    const store = await opened()
    for (const key of names(9)) await store.put('a', key, NOW - 1)
    await store.put('b', 'k')
    const turns: string[] = []
    const finish = async (clinic: string) => {
      turns.push(clinic)
      const own = await store.repository.dueRecords(KIND, { clinic, limit: 3 })
      for (const { key } of own) await store.remove(clinic, key)
      return own.length === 3
    }
    const loop = started(store, { ...DUE, finish, together: 3 })
    await until(async () => (await store.left()).length === 0)
    await loop.close()
    expect(turns).toEqual(['a', 'b', 'a', 'a'])
  })

  test('takes over the record of a process that died when its lease ends, and not before', async () => {
    const store = await opened()
    await store.put('a', 'k')
    const begun: number[] = []
    const begin = ({ version }: { version: number }) =>
      oneBatch(async () => {
        begun.push(version)
      })
    const dying = started(store, { ...DUE, begin })
    await until(() => begun.length === 1)
    await dying.close()
    let looks = 0
    const dueRecords: Repository['dueRecords'] = (...query) => {
      looks += 1
      return store.repository.dueRecords(...query)
    }
    store.setTime(NOW + LEASE - 1)
    const other = started(store, { ...DUE, begin }, { dueRecords })
    await until(() => looks > 3)
    expect(begun).toEqual([2])
    store.setTime(NOW + LEASE)
    await until(() => begun.length > 1)
    await other.close()
    expect(begun).toEqual([2, 3])
  })

  test.each(['begin', 'finish'])(
    'logs the fault of a record without its data, and goes on with others beyond it: %s',
    async (way) => {
      const store = await opened()
      const faulty = names(45)
      for (const key of faulty) await store.put('a', key, NOW - 1)
      await store.put('b', 'good')
      const lines: string[] = []
      const logger = pino({}, { write: (line: string) => void lines.push(line) })
      const work = async (clinic: string, key: string) => {
        if (clinic === 'a') throw new RangeError(`${key} of Mrs Smith`)
        return await store.remove(clinic, key)
      }
      const loop = started(
        store,
        way === 'begin'
          ? { ...DUE, begin: ({ clinic, key }) => oneBatch(() => work(clinic, key)) }
          : { ...DUE, finish: work },
        { logger },
      )
      await until(async () => !(await store.left()).includes('good'))
      await loop.close()
      expect(await store.left()).toEqual(faulty)
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        faulty.map(() => expect.objectContaining({ fault: 'RangeError', msg: 'no luck' })),
      )
      expect(lines.join('')).not.toContain('Smith')
    },
  )

  test.each(['begin', 'finish'])(
    'where the clock of the store has gone back looks again only after a pause: %s',
    async (way) => {
      const shared = await openTestStore()
      const store = await opened(shared)
      for (const key of names(20)) await store.put('a', key)
      store.setTime(NOW - 60_000)
      const ahead = (await openTestRepository(NOW, shared)).repository
      let queries = 0
      const dueRecords: Repository['dueRecords'] = (...query) => {
        queries += 1
        return ahead.dueRecords(...query)
      }
      const done: string[] = []
      const work: DueWork<string> =
        way === 'begin'
          ? { ...DUE, begin: ({ key }) => oneBatch(async () => done.push(key)) }
          : { ...DUE, finish: async () => false }
      // A loop that asks again at once does so many times in between.
      const loop = started(store, work, { dueRecords, look: 500 })
      await until(() => queries > 0)
      for (let turns = 0; turns < 50; turns++) await wait()
      await loop.close()
      expect(queries).toBeLessThan(4)
      expect(done).toEqual([])
      expect(await store.left()).toHaveLength(20)
    },
  )

  test('that is closed waits for the batch under way, records its end, and begins no other record', async () => {
    const store = await opened()
    for (const key of names(3)) await store.put('a', key)
    const steps: string[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const begin = ({ key }: { key: string }): LeasedJob => ({
      batch: async () => {
        steps.push(`${key} begins`)
        await promise
        steps.push(`${key} is done`)
        return true
      },
      end: async () => {
        steps.push(`${key} ends`)
      },
    })
    const loop = started(store, { ...DUE, begin })
    await until(() => steps.length === 1)
    const closed = loop.close().then(() => steps.push('closed'))
    await wait()
    resolve()
    await closed
    const [key] = (steps[0] ?? '').split(' ')
    expect(steps).toEqual([`${key} begins`, `${key} is done`, `${key} ends`, 'closed'])
  })
})
