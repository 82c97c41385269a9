/** The threads of the embedded engine: one writes, others share its store; what happens when one ends. */
import { once } from 'node:events'
import { join } from 'node:path'
import { type Transferable, Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from '@jest/globals'
import { BudgetError } from '../../src/budget/budget.ts'
import {
  EntriesOutdated,
  IndexIncomplete,
  InvalidCursor,
  type ResourceStore,
  StoreConflict,
  StoreUnavailable,
} from '../../src/storage/port.ts'
import { openSqliteStore, type SqliteOptions } from '../../src/storage/sqlite/sqlite-store.ts'
import { toSent, toThrown } from '../../src/storage/sqlite/thread-errors.ts'
import { newFolder } from '../support/run.ts'
import { REMEMBERED } from './contract/sharing.ts'
import { Clinic, COMBINED, token } from './fixtures.ts'
import type { Counting } from './sqlite-share-thread.ts'

const stores: ResourceStore[] = []
afterEach(async () => {
  for (const store of stores.splice(0).toReversed()) await store.close()
})

async function open(options: Partial<SqliteOptions> = {}): Promise<ResourceStore> {
  const path = options.path ?? join(newFolder(), 'emr.db')
  const store = await openSqliteStore({ path, combined: COMBINED, recentKinds: [REMEMBERED], ...options })
  stores.push(store)
  return store
}

/** A store, the threads that it starts, and one that shares it. */
async function openWithThreads() {
  const path = join(newFolder(), 'emr.db')
  const threads: Worker[] = []
  const faults: unknown[] = []
  const listener = {
    onThread: (thread: Worker) => threads.push(thread),
    onFault: (error: unknown) => faults.push(error),
  }
  const store = await open({ path, ...listener })
  const shared = await open({ path, shared: store.share?.()?.value })
  return { path, store, shared, threads, faults }
}

const counting = (value: Counting, transferList: readonly Transferable[]): Promise<unknown> => {
  const entry = join(import.meta.dirname, 'sqlite-share-thread.ts')
  return once(new Worker(entry, { workerData: value, transferList: [...transferList] }), 'exit')
}

describe('threads that share a store', () => {
  test('write one after the other, and none overwrites what another one wrote', async () => {
    const { path, store } = await openWithThreads()
    const ends = [1, 2].map(async () => {
      const { value, transferList } = store.share?.() ?? { value: {}, transferList: [] }
      return await counting({ path, shared: value, times: 40 }, transferList)
    })
    expect(await Promise.all(ends)).toEqual([[0], [0]])
    expect(await store.readRecord('c', 'count', 'x')).toMatchObject({ version: 80, value: 80 })
  })

  test('see at once what the others wrote, of records from memory too', async () => {
    const { store, shared } = await openWithThreads()
    const [one, other] = [new Clinic(store, 'c'), new Clinic(shared, 'c')]
    const both = () => Promise.all([one, other].map(async (clinic) => (await recent(clinic))?.value))
    for (const [turn, clinic] of [one, other, one].entries()) {
      await clinic.record(REMEMBERED, 'x', turn)
      expect(await both()).toEqual([turn, turn])
      await clinic.put(`Patient/${turn}`, [token('identifier', 'a')])
      const where = [{ kind: 'token', param: 'identifier', code: 'a' }] as const
      expect([await one.find('Patient', where), await other.find('Patient', where)]).toEqual([
        ['Patient/0', 'Patient/1', 'Patient/2'].slice(0, turn + 1),
        ['Patient/0', 'Patient/1', 'Patient/2'].slice(0, turn + 1),
      ])
    }
  })

  test('can only read once the store is closed', async () => {
    const { store, shared } = await openWithThreads()
    const clinic = new Clinic(shared, 'c')
    await clinic.put('Patient/1')
    await store.close()
    await expect(clinic.put('Patient/2')).rejects.toBeInstanceOf(StoreUnavailable)
    expect((await clinic.read('Patient/1'))?.version).toBe(1)
  })

  test('cannot share a store in memory', async () => {
    expect((await open({ path: ':memory:' })).share?.()).toBeUndefined()
  })
})

const recent = ({ store, name }: Clinic) => store.readRecent(name, REMEMBERED, 'x')

describe('a writer that ends by a fault', () => {
  test('is replaced: what it was given is answered, what comes later is written, in every thread', async () => {
    const { store, shared, threads } = await openWithThreads()
    const clinics = [new Clinic(store, 'c'), new Clinic(shared, 'd')]
    for (const clinic of clinics) await clinic.put('Patient/0')
    for (let round = 1; round <= 3; round += 1) {
      const writes = clinics.map((clinic) => clinic.put(`Patient/${round}`))
      await threads.at(-1)?.terminate()
      for (const [index, outcome] of (await Promise.allSettled(writes)).entries()) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ mayBeWritten: true })
        else expect((await clinics[index]?.read(`Patient/${round}`))?.version).toBe(1)
      }
      for (const clinic of clinics) {
        await clinic.put(`Basic/${round}`)
        expect((await clinic.read(`Basic/${round}`))?.version).toBe(1)
      }
      expect(threads).toHaveLength(round + 1)
    }
  })

  test('is reported', async () => {
    const { store, threads, faults } = await openWithThreads()
    const clinic = new Clinic(store, 'c')
    await clinic.put('Patient/1')
    threads[0]?.postMessage({ kind: 'connect' })
    while (faults.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(faults[0]).toMatchObject({ name: 'TypeError' })
  })
})

describe('the load of a store', () => {
  test('counts what the writer has not acknowledged', async () => {
    const store = await open()
    const clinic = new Clinic(store, 'c')
    const writer = () => store.load?.().parts.find(({ name }) => name === 'writer')
    expect(writer()).toEqual({ name: 'writer', state: 'ok', waiting: 0, oldestMs: 0 })
    const writes = ['1', '2', '3'].map((id) => clinic.write(clinic.change(`Patient/${id}`)))
    expect(writer()?.waiting).toBe(3)
    await Promise.all(writes)
    expect(writer()?.waiting).toBe(0)
  })
})

test.each([
  new StoreConflict('guard', 'Patient'),
  new IndexIncomplete(['Patient?name']),
  new EntriesOutdated(['Patient?name']),
  new StoreUnavailable('full', { reason: 'full', mayBeWritten: true }),
  new InvalidCursor('not a page'),
  new BudgetError('too late', 'a search'),
  new RangeError('a fault of the program'),
])('%s is the same in another thread', (error) => {
  const received = toThrown(structuredClone(toSent(error)))
  expect({ ...received, name: received.name, message: received.message }).toEqual({
    ...error,
    name: error.name,
    message: error.message,
  })
  if (!(error instanceof RangeError)) expect(received.constructor).toBe(error.constructor)
})
