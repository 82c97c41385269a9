/** The threads of the embedded engine: one writes, others share its store, and any may end. */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Transferable, Worker } from 'node:worker_threads'
import { afterEach, describe, expect, test } from '@jest/globals'
import { FhirError } from '../../src/fhir/outcome.ts'
import { Budget, BudgetError, withBudget } from '../../src/isolation/budget.ts'
import { InvalidCursor } from '../../src/search/cursor.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openSqliteStore, type SqliteOptions } from '../../src/storage/sqlite/sqlite-store.ts'
import { EntriesOutdated, IndexIncomplete, StoreConflict, StoreUnavailable } from '../../src/storage/store-errors.ts'
import { toSent, toThrown } from '../../src/storage/thread-errors.ts'
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

describe('a read that takes longer than the event loop may be held for', () => {
  /** A store with one Patient, and its threads that read. */
  async function openWithReaders(times: SqliteOptions['times'] = {}) {
    const threads: Worker[] = []
    const onThread = (thread: Worker) => threads.push(thread)
    const store = await open({ times: { allowance: -1, ...times }, onThread })
    const clinic = new Clinic(store, 'c')
    await clinic.put('Patient/1')
    threads.splice(0)
    return { store, clinic, threads }
  }

  test('is answered by another thread; several of one clinic leave one for the others', async () => {
    const { store, clinic, threads } = await openWithReaders()
    await new Clinic(store, 'd').put('Patient/2')
    const reads = [clinic, clinic, clinic, new Clinic(store, 'd')].map((one) => one.find('Patient', []))
    expect(store.load?.().parts.find(({ name }) => name === 'readers')?.waiting).toBe(4)
    expect(await Promise.all(reads)).toEqual([['Patient/1'], ['Patient/1'], ['Patient/1'], ['Patient/2']])
    expect(threads.length).toBeLessThanOrEqual(3)
  })

  test('is followed by a pause, in which its thread gives back the memory that the last ones took', async () => {
    const { clinic, threads } = await openWithReaders()
    for (let n = 0; n < 2_000; n++) await clinic.find('Patient', [])
    const heap = async (): Promise<number> =>
      (await threads[0]?.getHeapStatistics())?.total_physical_size ?? Number.POSITIVE_INFINITY
    const less = (await heap()) - 2_000_000
    while ((await heap()) > less) await pause(50)
    expect(await clinic.find('Patient', [])).toEqual(['Patient/1'])
  })

  test('ends with a sentence that says what was searched when its time is up', async () => {
    const { clinic } = await openWithReaders()
    const budget = new Budget({ canMove: true, readingMs: -1 })
    const search = withBudget(budget, () => clinic.find('Patient', [{ kind: 'token', param: 'gender', code: 'x' }]))
    await expect(search).rejects.toMatchObject({ reason: 'too late', what: 'the search Patient?gender' })
    const history = withBudget(budget, () => clinic.history({ type: 'Patient' }))
    await expect(history).rejects.toMatchObject({ reason: 'too late', what: 'the history of Patient' })
  })

  test('ends when its client leaves', async () => {
    const { clinic } = await openWithReaders()
    const budget = new Budget({ canMove: false, isAbandoned: () => true })
    // Some end before anybody looks whether their client is there.
    const rejections = async (): Promise<readonly unknown[]> => {
      const reads = Array.from({ length: 30 }, () => withBudget(budget, () => clinic.find('Patient', [])))
      const outcomes = await Promise.allSettled(reads)
      return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason : []))
    }
    let rejected = await rejections()
    while (rejected.length === 0) rejected = await rejections()
    for (const reason of rejected) expect(reason).toMatchObject({ reason: 'left' })
  })

  test('is refused while too many of its clinic wait', async () => {
    const { store, clinic } = await openWithReaders()
    const reads = Array.from({ length: 60 }, () => clinic.find('Patient', []))
    const other = new Clinic(store, 'd').find('Patient', [])
    const outcomes = await Promise.allSettled(reads)
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused) expect(reason).toMatchObject({ name: 'QueueFull', by: 'clinic' })
    expect(await other).toEqual([])
  })

  test('is answered with an error when its thread ends by a fault, and the next one has another thread', async () => {
    const { clinic, threads } = await openWithReaders()
    const read = clinic.find('Patient', [])
    const outcome = expect(read).rejects.toMatchObject({ name: 'StoreUnavailable', mayBeWritten: false })
    while (threads.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await threads[0]?.terminate()
    await outcome
    expect(await clinic.find('Patient', [])).toEqual(['Patient/1'])
    expect(threads).toHaveLength(2)
  })
})

describe('a change set whose guards search for too long', () => {
  test('is refused, and those that share the commit with it are written', async () => {
    const clinic = new Clinic(await open({ path: ':memory:', times: { guards: -1 } }), 'c')
    await clinic.put('Patient/1')
    const plan = clinic.plan('Patient', { where: [{ kind: 'id', ids: ['9'] }] })
    const outcomes = await Promise.allSettled([
      clinic.write(clinic.change('Patient/2')),
      clinic.writeSet({ guards: [{ plan, ids: [] }], resources: [clinic.change('Patient/3')] }),
      clinic.write(clinic.change('Patient/4')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).toMatchObject({ reason: { name: 'BudgetError', reason: 'too costly' } })
    expect(await clinic.find('Patient', [])).toEqual(['Patient/1', 'Patient/2', 'Patient/4'])
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

const ERRORS = [
  new StoreConflict('guard', 'Patient'),
  new IndexIncomplete(['Patient?name']),
  new EntriesOutdated(['Patient?name']),
  new StoreUnavailable('full', { reason: 'full', mayBeWritten: true }),
  new InvalidCursor(),
  new BudgetError('too late', 'a search'),
  new FhirError(
    429,
    { code: 'throttled', diagnostics: 'Too many', expression: 'Patient.name' },
    { 'retry-after': '5' },
  ),
]

test.each(ERRORS.map((error) => [error.constructor.name, error] as const))(
  '%s is the same in another thread',
  (_, error) => {
    const received = toThrown(structuredClone(toSent(error)))
    expect(received.constructor).toBe(error.constructor)
    expect({ ...received, message: received.message }).toEqual({ ...error, message: error.message })
  },
)

test('a fault of the program has its name and its place in another thread', () => {
  const fault = new RangeError('a fault of the program')
  expect(toThrown(structuredClone(toSent(fault)))).toMatchObject({
    name: fault.name,
    message: fault.message,
    stack: fault.stack,
  })
})
