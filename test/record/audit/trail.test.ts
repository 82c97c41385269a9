/** The audit trail: waiting and missing events, and how both are reported. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { type AuditedEvent, NO_SUBJECT } from '../../../src/record/audit/event.ts'
import { AuditTrail } from '../../../src/record/audit/trail.ts'
import {
  type FoundEvent,
  type FoundEvents,
  TrailReader,
  type TrailSearch,
} from '../../../src/record/audit/trail-reader.ts'
import type { AuditBlock, AuditStore } from '../../../src/storage/audit-port.ts'
import { openSqliteAuditStore } from '../../../src/storage/sqlite/audit-store.ts'
import { StoreUnavailable } from '../../../src/storage/store-errors.ts'
import { SILENT } from '../../support/audit.ts'
import { until } from '../../support/server-process.ts'

const opened: AuditTrail[] = []
afterEach(async () => {
  for (const trail of opened.splice(0)) await trail.close()
})

/** A store in memory whose disk is full at times. */
class FailingStore implements AuditStore {
  readonly #store = openSqliteAuditStore(':memory:', { days: 36_500 }, () => {})
  #closed: Promise<void> | undefined
  isFull = false
  /** Blocks of events about this patient are refused for their content. */
  refused = ''
  writes = 0
  readonly scan: AuditStore['scan'] = (scan) => this.#store.scan(scan)
  readonly read: AuditStore['read'] = (clinic, key) => this.#store.read(clinic, key)

  async write(blocks: readonly AuditBlock[]): Promise<void> {
    this.writes += 1
    if (this.isFull) throw new StoreUnavailable('The disk is full', { reason: 'full' })
    if (blocks.some(({ patients }) => patients.includes(this.refused))) throw new RangeError('A block is too long')
    await this.#store.write(blocks)
  }

  /** Several trails may have it. */
  async close(): Promise<void> {
    this.#closed ??= this.#store.close()
    await this.#closed
  }
}

function trailOn(store: AuditStore, logger = SILENT): AuditTrail {
  const trail = new AuditTrail({ store, logger })
  opened.push(trail)
  return trail
}

const read = (at: number, patient: string, clinic = 'one'): AuditedEvent => ({
  ...NO_SUBJECT,
  ...{ clinic, at, agent: { kind: 'user', id: 'u', name: 'U', role: 'staff' }, address: '::1' },
  ...{ interaction: 'read', type: 'Patient', id: patient, status: 200, patients: [patient] },
})

const found = (trail: AuditTrail, clinic = 'one') =>
  resourcesOf(new TrailReader(trail, clinic, 'http://server'), 'oldest first', 10_000)

/** All pages. */
// biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
async function resourcesOf(reader: TrailReader, order: TrailSearch['order'], count: number): Promise<any[]> {
  const all: FoundEvent[] = []
  let next: FoundEvents['next']
  do {
    const page = await reader.search({ where: [], order, count, after: next })
    all.push(...page.events)
    next = page.next
  } while (next !== undefined)
  return all.map(({ resource }) => resource.resource)
}

/** Enough for some blocks, in the order of time. */
const many = (count: number, from = Date.now()) =>
  Array.from({ length: count }, (_, index) => read(from + Math.floor(index / 10), `p${index}`))

describe('an event', () => {
  test('is written within a quarter of a second, with what came meanwhile, and nobody waits for it', async () => {
    const store = new FailingStore()
    const trail = trailOn(store)
    for (const event of many(100)) trail.record(event)
    expect([store.writes, trail.load.waiting]).toEqual([0, 100])
    await until(() => trail.load.waiting === 0)
    expect(store.writes).toBe(1)
    expect(await found(trail)).toHaveLength(100)
  })

  test('of one clinic is not found in another', async () => {
    const trail = trailOn(new FailingStore())
    trail.record(read(Date.now(), 'p', 'one'))
    trail.record(read(Date.now(), 'q', 'two'))
    expect(await found(trail, 'one')).toHaveLength(1)
    expect(await found(trail, 'two')).toHaveLength(1)
    expect(await found(trail, '')).toEqual([])
  })
})

describe('while the trail cannot be written', () => {
  test('events wait, and are written when it can be; none is there twice', async () => {
    const store = new FailingStore()
    const trail = trailOn(store)
    store.isFull = true
    for (const event of many(5_000)) trail.record(event)
    await trail.flush()
    expect(trail.load).toMatchObject({ name: 'audit trail', state: 'degraded', waiting: 5_000 })
    trail.record(read(Date.now() + 5_000, 'later'))
    store.isFull = false
    await until(() => trail.load.waiting === 0)
    expect(trail.load.state).toBe('ok')
    const ids = (await found(trail)).map(({ id }) => id)
    expect([ids.length, new Set(ids).size]).toEqual([5_001, 5_001])
  })

  test('no more than 20,000 wait: the others are missing, and an event says how many, when and why', async () => {
    const store = new FailingStore()
    const trail = trailOn(store)
    store.isFull = true
    for (const event of many(20_123, Date.parse('2026-01-01T00:00:00Z'))) trail.record(event)
    trail.record(read(Date.parse('2026-01-01T01:00:00Z'), 'p', 'two'))
    await trail.flush()
    // Including an event for the missing ones of each clinic.
    expect(trail.load.waiting).toBe(20_002)
    store.isFull = false
    await until(() => trail.load.waiting === 0)
    await trail.flush()
    const all = await found(trail)
    expect(all).toHaveLength(20_001)
    expect(all.at(-1)).toMatchObject({
      type: { code: '110113' },
      outcome: '8',
      outcomeDesc:
        '123 events are missing from 2026-01-01T00:00:02.000Z to 2026-01-01T00:00:02.012Z: more happened than could be written',
    })
    // Each clinic learns of its own.
    expect((await found(trail, 'two')).map(({ outcomeDesc }) => outcomeDesc)).toEqual([
      expect.stringMatching(/^One event is missing from 2026-01-01T01:00:00.000Z/),
    ])
  })
})

describe('a batch that the store refuses for its content', () => {
  test('is given up and logged: its events are missing, and what comes later is written', async () => {
    const store = new FailingStore()
    const lines: unknown[] = []
    const trail = trailOn(store, pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }))
    store.refused = 'p2'
    const at = Date.parse('2026-01-01T00:00:00Z')
    for (const patient of ['p1', 'p2', 'p3']) trail.record(read(at, patient))
    await trail.flush()
    trail.record(read(at, 'later'))
    await until(() => trail.load.waiting === 0)
    await trail.flush()
    const described = (await found(trail)).map(({ outcomeDesc }) => outcomeDesc)
    expect(described).toContain(
      '3 events are missing from 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z: the store refused them',
    )
    expect(described).toHaveLength(2)
    expect(trail.load.state).toBe('ok')
    expect(lines).toContainEqual(
      expect.objectContaining({ reason: 'an unexpected fault (RangeError)', msg: 'the audit trail cannot be written' }),
    )
  })
})

describe('the end of the server', () => {
  test('writes what waits', async () => {
    const store = new FailingStore()
    const trail = new AuditTrail({ store, logger: SILENT })
    trail.record(read(Date.now(), 'p'))
    await trail.close()
    expect(store.writes).toBe(1)
  })

  test('writes what came while the store was full, behind the batch that had failed', async () => {
    const store = new FailingStore()
    const trail = new AuditTrail({ store, logger: SILENT })
    const written: string[] = []
    const write = store.write.bind(store)
    store.write = async (blocks) => {
      await write(blocks)
      written.push(...blocks.flatMap(({ patients }) => patients))
    }
    store.isFull = true
    trail.record(read(Date.now(), 'first'))
    await trail.flush()
    trail.record(read(Date.now(), 'second'))
    store.isFull = false
    await trail.close()
    expect(written).toEqual(['first', 'second'])
  })
})

describe('pages', () => {
  test('of blocks that several processes have written at the same time are in the order of time', async () => {
    const store = new FailingStore()
    const start = Date.parse('2026-01-01T00:00:00Z')
    const trails = [trailOn(store), trailOn(store), trailOn(store)]
    // Two minutes of blocks that overlap.
    for (let second = 0; second < 120; second += 1) {
      for (const [index, trail] of trails.entries()) {
        for (let n = 0; n < 5; n += 1) trail.record(read(start + second * 1_000 + index * 90 + n * 190, `p${n % 2}`))
        await trail.flush()
      }
    }
    const reader = new TrailReader(trailOn(store), 'one', 'http://server')
    for (const order of ['oldest first', 'newest first'] as const) {
      const resources = await resourcesOf(reader, order, 101)
      const times = resources.map(({ recorded }) => recorded)
      expect(times).toEqual(order === 'oldest first' ? times.toSorted() : times.toSorted().reverse())
      expect([times.length, new Set(resources.map(({ id }) => id)).size]).toEqual([1_800, 1_800])
    }
  })

  test('of a patient whom most blocks do not name pass them over', async () => {
    const store = new FailingStore()
    const trail = trailOn(store)
    const start = Date.parse('2026-01-01T00:00:00Z')
    for (let block = 0; block < 300; block += 1) {
      trail.record(read(start + block * 10_000, block % 100 === 7 ? 'rare' : `p${block}`))
      await trail.flush()
    }
    const reader = new TrailReader(trail, 'one', 'http://server')
    const where = [{ kind: 'reference', param: 'patient', type: 'Patient', id: 'rare' }] as const
    const { events, next } = await reader.search({ where, order: 'newest first', count: 10 })
    expect(events.map(({ position }) => (position.at - start) / 10_000)).toEqual([207, 107, 7])
    expect(next).toBeUndefined()
    expect(await reader.count(where)).toBe(3)
  })
})
