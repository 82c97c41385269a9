/** Searches and other reads of a database that many clinics share (src/storage/mongo/read-limits.ts). */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { MongoServerError } from 'mongodb'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { FairReads, readLimits } from '../../src/storage/mongo/read-limits.ts'

/** How MongoDB ends a command whose maxTimeMS is over. */
const timeIsUp = () => new MongoServerError({ message: 'operation exceeded time limit', code: 50 })

const WHAT = () => 'the search Patient?name'

interface Request {
  readonly clinic?: string
  readonly endsAt?: number
  readonly isAbandoned?: () => boolean
}

const newReads = () => new FairReads({ slots: 32, slotsPerClinic: 8 })

/** A read, as a request of its own asks for it. */
const asked = <T>(reads: FairReads, read: () => Promise<T>, { clinic = 'one', ...request }: Request = {}): Promise<T> =>
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

describe('reads of a database that many clinics share', () => {
  test('a few of one clinic are under way at a time, and those of another one begin at once', async () => {
    const reads = newReads()
    const held = new Held()
    const all = Array.from({ length: 20 }, () => asked(reads, held.read))
    await sleep(5)
    expect([held.underWay, reads.load.waiting]).toEqual([8, 12])
    expect(await asked(reads, async () => 'found at once', { clinic: 'two' })).toBe('found at once')
    held.end()
    expect(await Promise.all(all)).toEqual(Array(20).fill('found'))
    expect([held.begun, held.most, reads.load.waiting]).toEqual([20, 8, 0])
  })

  test('one that has waited for half of its time is refused, and one whose client leaves waits no longer', async () => {
    const reads = newReads()
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
    const reads = newReads()
    const limits: number[] = []
    const read = async () => {
      limits.push(readLimits().maxTimeMS)
      // Timers may fire a millisecond early.
      await sleep(120)
    }
    await withBudget(new Budget({ canMove: false, endsAt: Date.now() + 60_000 }), async () => {
      await reads.read('one', WHAT, read)
      await reads.read('one', WHAT, read)
    })
    const [first = 0, second = 0] = limits
    expect(first).toBeLessThanOrEqual(8_000)
    expect(second).toBeLessThanOrEqual(first - 110)
    expect(second).toBeGreaterThan(7_000)
  })

  test('one that fails gives back its place', async () => {
    const reads = newReads()
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
    const reads = newReads()
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
    const read = asked(newReads(), async () => {
      throw timeIsUp()
    })
    await expect(read).rejects.toMatchObject({ reason: 'too late', what: WHAT() })
  })
})
