/** The queue of the journal: bounded for each clinic, never waited for, and dropped exchanges are reported. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { openJournalStore } from '../../../src/main/open-store.ts'
import type { GapSummary, SeenExchange } from '../../../src/record/journal/exchange.ts'
import { Journal } from '../../../src/record/journal/journal.ts'
import { JournalReader } from '../../../src/record/journal/journal-reader.ts'
import { Repository } from '../../../src/repository/repository.ts'
import type { JournalStore } from '../../../src/storage/journal-port.ts'
import { StoreUnavailable } from '../../../src/storage/store-errors.ts'
import { SILENT } from '../../support/audit.ts'
import { openTestStore } from '../../support/database.ts'

const SETTINGS = {
  timeZone: 'UTC',
  dialedNumbers: [],
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
} as const

let repository: Repository
let store: JournalStore
let journal: Journal
/** Thrown by writes while it is set. */
let fault: Error | undefined

beforeEach(async () => {
  repository = new Repository(await openTestStore(), { baseUrl: 'http://127.0.0.1' })
  for (const name of ['one', 'two']) await createClinic(repository, name, { name, ...SETTINGS })
  store = await openJournalStore('sqlite::memory:', SILENT)
  fault = undefined
  const faulty: JournalStore = {
    ...store,
    write: async (...written) => {
      if (fault !== undefined) throw fault
      await store.write(...written)
    },
  }
  const defaults = { mode: 'full', days: 7, entries: 100_000 } as const
  journal = new Journal({ store: faulty, repository, logger: SILENT, defaults, secrets: [] })
})
afterEach(() => journal.close())

let number = 0
const seenIn = (clinic: string, more: Partial<SeenExchange> = {}): SeenExchange => ({
  id: `e${++number}`,
  direction: 'in',
  at: Date.now(),
  duration: 1,
  clinic,
  method: 'GET',
  address: '/Patient',
  status: 200,
  outcome: 'ok',
  requestHeaders: {},
  responseHeaders: {},
  ...more,
})

/** One whose thread has no processor while it is recorded. */
const lateIn = (clinic: string): SeenExchange => ({
  ...seenIn(clinic),
  get requestHeaders() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    return {}
  },
})

/** @returns how many of them were taken */
async function record(clinic: string, count: number, bytes = 0): Promise<number> {
  const policy = await journal.policies.load(clinic)
  const now = Date.now()
  let taken = 0
  for (let n = 0; n < count; n += 1) {
    if (!journal.takes(policy, bytes, now)) continue
    taken += 1
    journal.record(seenIn(clinic), policy, bytes)
  }
  return taken
}

async function found(clinic: string) {
  const reader = new JournalReader(store, clinic, 'staff')
  const all = (await reader.since({}, 0)).exchanges.map(({ exchange }) => exchange)
  return { gaps: all.filter((one): one is GapSummary => 'gap' in one).map(({ gap }) => gap), all }
}

describe('what comes to the journal', () => {
  test('beyond the allowance of a clinic is a gap in its journal, and takes nothing from another clinic', async () => {
    const taken = await record('one', 5_200)
    expect(taken).toBeLessThanOrEqual(5_000)
    expect(await record('two', 10)).toBe(10)
    await journal.flush()
    const last = (await new JournalReader(store, 'one', 'staff').page({}, 1)).exchanges[0]?.exchange
    expect(last).toEqual({
      gap: {
        count: 5_200 - taken,
        from: expect.any(String),
        to: expect.any(String),
        why: 'more came than is recorded of one clinic in a second',
      },
    })
    expect(await found('two')).toMatchObject({ gaps: [], all: { length: 10 } })
    expect(journal.load.missing).toBe(5_200 - taken)
  })

  test('counts for more with long bodies', async () => {
    expect(await record('one', 5_200, 64 * 1024)).toBeLessThan(400)
  })

  test('does not count for more because the server had to wait for its processor', async () => {
    const policy = await journal.policies.load('one')
    expect(journal.takes(policy, 0, Date.now())).toBe(true)
    journal.record(lateIn('one'), policy, 0)
    await journal.flush()
    expect(await record('one', 100)).toBe(100)
  })

  test('while the store is away waits and is written later, in its order', async () => {
    fault = new StoreUnavailable('away')
    await record('one', 3)
    await journal.flush()
    expect(journal.load).toMatchObject({ name: 'journal', state: 'degraded', waiting: 3 })
    fault = undefined
    await record('one', 2)
    await journal.flush()
    await journal.flush()
    expect((await found('one')).all).toHaveLength(5)
    expect(journal.load).toMatchObject({ state: 'ok', waiting: 0 })
  })

  test('that the store can never take is a gap, and what comes after it is written', async () => {
    fault = new TypeError('something that nobody has thought of')
    await record('one', 3)
    await journal.flush()
    fault = undefined
    await record('one', 1)
    await journal.flush()
    const { gaps, all } = await found('one')
    expect([gaps[0]?.count, all.length]).toEqual([3, 2])
  })

  test('of a clinic that there is not belongs to none', async () => {
    expect((await journal.policies.load('there-is-none')).clinic).toBe('')
  })
})
