/** So that the long reads of one clinic leave the database to the others. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { MongoServerError } from 'mongodb'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { QueueFull } from '../../src/isolation/fair-queue.ts'
import { LongReads } from '../../src/storage/mongo/long-reads.ts'
import { readLimits } from '../../src/storage/mongo/read-limits.ts'

/** How MongoDB ends a command whose maxTimeMS is over. */
const timeIsUp = () => new MongoServerError({ message: 'operation exceeded time limit', code: 50 })

const WHAT = () => 'the search Patient?name'

interface Request {
  readonly clinic?: string
  readonly endsAt?: number
  readonly isAbandoned?: () => boolean
}

/** A read, as a request of its own asks for it. */
const asked = <T>(reads: LongReads, read: () => Promise<T>, { clinic = 'one', ...request }: Request = {}): Promise<T> =>
  withBudget(new Budget({ canMove: false, endsAt: Date.now() + 5_000, ...request }), () =>
    reads.read(clinic, WHAT, read),
  )

/** Reads that last until they are stopped. */
class Held {
  readonly #end = Promise.withResolvers<void>()
  underWay = 0
  most = 0
  begun = 0

  readonly read = async (): Promise<string> => {
    this.begun += 1
    this.underWay += 1
    this.most = Math.max(this.most, this.underWay)
    await this.#end.promise
    this.underWay -= 1
    return 'found'
  }

  end(): void {
    this.#end.resolve()
  }
}

/** Longer than its allowance at first. */
const longRead = (held: Held) => async (): Promise<string> => {
  if (readLimits().maxTimeMS <= 50) throw timeIsUp()
  return await held.read()
}

describe('reads of a database that many clinics share', () => {
  test('a few of one clinic are under way at a time, and those of another one begin at once', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    const all = Array.from({ length: 20 }, () => asked(reads, held.read))
    await sleep(5)
    expect([held.underWay, reads.load.waiting]).toEqual([8, 12])
    expect(await asked(reads, async () => 'found at once', { clinic: 'two' })).toBe('found at once')
    held.end()
    expect(await Promise.all(all)).toEqual(Array(20).fill('found'))
    expect([held.begun, held.most, reads.load.waiting]).toEqual([20, 8, 0])
  })

  test('one that exceeds its allowance begins again, as one of two of the clinic, with all the time of its request', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    const all = Array.from({ length: 10 }, () => asked(reads, longRead(held)))
    await sleep(5)
    expect(held.underWay).toBe(2)
    expect(await asked(reads, async () => 'short', { clinic: 'two' })).toBe('short')
    held.end()
    expect(await Promise.all(all)).toEqual(Array(10).fill('found'))
    expect(held.most).toBe(2)
  })

  test('one of which others were long spends no allowance in vain', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    held.end()
    const limits: number[] = []
    const read = async () => {
      limits.push(readLimits().maxTimeMS)
      return await longRead(held)()
    }
    for (let n = 0; n < 4; n += 1) await asked(reads, read)
    expect(limits.map((limit) => limit <= 50)).toEqual([true, false, true, false, true, false, false])
  })

  test('beyond 32 of a clinic that wait they are refused, and those of another clinic wait', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    const all = Array.from({ length: 40 }, () => asked(reads, longRead(held)))
    const outcomes = Promise.allSettled(all)
    await sleep(5)
    const other = asked(reads, longRead(held), { clinic: 'two' })
    held.end()
    const refused = (await outcomes).flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused).toHaveLength(40 - 2 - 32)
    expect(refused.every((error) => error instanceof QueueFull && error.by === 'clinic')).toBe(true)
    expect(await other).toBe('found')
  })

  test('one that has waited for half of its time is refused, and one whose client leaves waits no longer', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    const running = Array.from({ length: 8 }, () => asked(reads, held.read))
    await expect(asked(reads, held.read, { endsAt: Date.now() + 50 })).rejects.toMatchObject({
      name: 'QueueFull',
      by: 'clinic',
    })
    let hasLeft = false
    const abandoned = asked(reads, held.read, { isAbandoned: () => hasLeft })
    hasLeft = true
    await expect(abandoned).rejects.toMatchObject({ reason: 'left' })
    expect(reads.load.waiting).toBe(0)
    held.end()
    await Promise.all(running)
    expect(held.begun).toBe(8)
  })

  test('all long reads of a request have eight seconds together, however long it may take', async () => {
    const reads = new LongReads(8)
    const limits: number[] = []
    const read = async () => {
      limits.push(readLimits().maxTimeMS)
      await sleep(60)
      if (limits.length % 2 === 1) throw timeIsUp()
    }
    await withBudget(new Budget({ canMove: false, endsAt: Date.now() + 60_000 }), async () => {
      await reads.read('one', WHAT, read)
      await reads.read('one', WHAT, read)
    })
    const [, first = 0, , second = 0] = limits
    expect(first).toBeLessThanOrEqual(7_941)
    expect(second).toBeLessThanOrEqual(first - 110)
    expect(second).toBeGreaterThan(7_000)
  })

  test('one that fails gives back its place', async () => {
    const reads = new LongReads(8)
    const failing = () => asked(reads, () => Promise.reject(new Error('the database is away')))
    for (let n = 0; n < 20; n += 1) await expect(failing()).rejects.toThrow('the database is away')
    const held = new Held()
    const all = Array.from({ length: 8 }, () => asked(reads, held.read))
    await sleep(5)
    expect(held.underWay).toBe(8)
    held.end()
    await Promise.all(all)
  })

  test('of the tokens of a clinic none waits for all that another one has sent', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    const order: string[] = []
    const ask = (token: string) =>
      withBudget(new Budget({ canMove: false, endsAt: Date.now() + 5_000, tokenOf: () => token }), () =>
        reads.read('one', WHAT, async () => {
          await held.read()
          order.push(token)
        }),
      )
    const all = [...Array.from({ length: 16 }, () => ask('many')), ask('one')]
    await sleep(5)
    held.end()
    await Promise.all(all)
    expect(order.indexOf('one')).toBeLessThan(10)
  })

  test('one that still exceeds the time of its request is told so', async () => {
    const read = asked(new LongReads(8), async () => {
      throw timeIsUp()
    })
    await expect(read).rejects.toMatchObject({ reason: 'too late', what: WHAT() })
  })

  test('what belongs to no request is not held up', async () => {
    const reads = new LongReads(8)
    const held = new Held()
    const all = Array.from({ length: 20 }, () => reads.read('one', WHAT, held.read))
    await sleep(5)
    expect(held.underWay).toBe(20)
    held.end()
    await Promise.all(all)
  })
})
