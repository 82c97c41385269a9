/** How long a request waits, in all, for a MongoDB that is lost (src/storage/mongo/outages.ts). */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { Outages } from '../../src/storage/mongo/outages.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'

const READ = { mayBeWritten: false }
const WRITE = { mayBeWritten: true }
const never = () => new Promise<never>(() => {})
const inRequest = <T>(work: () => Promise<T>): Promise<T> => withBudget(new Budget({ canMove: false }), work)

describe('a request that has met the loss of the database', () => {
  test.each([
    ['read', READ],
    ['write', WRITE],
  ])('gives up a %s that is not answered in time, and says whether it may be written', async (_what, wait) => {
    const outages = new Outages(50)
    outages.began()
    const waited = inRequest(() => outages.within(never, wait))
    await expect(waited).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'away', ...wait })
  })

  test('begins nothing more when its time is up, also when the database is back', async () => {
    const outages = new Outages(50)
    let begun = 0
    const work = async () => {
      begun += 1
    }
    await inRequest(async () => {
      outages.began()
      await sleep(60)
      outages.ended()
      const late = outages.within(work, WRITE)
      await expect(late).rejects.toMatchObject({ name: 'StoreUnavailable', mayBeWritten: false })
    })
    expect(begun).toBe(0)
  })

  test('is answered, or told of its own fault, when that comes in time', async () => {
    const outages = new Outages(10_000)
    outages.began()
    expect(await inRequest(() => outages.within(async () => 'found', READ))).toBe('found')
    const fault = new StoreUnavailable('its own')
    const refused = inRequest(() => outages.within(() => Promise.reject(fault), READ))
    await expect(refused).rejects.toBe(fault)
  })
})

describe('as long as it takes may take', () => {
  const slow = async () => {
    await sleep(60)
    return 'found'
  }

  test('a request that comes when the loss is over', async () => {
    const outages = new Outages(20)
    outages.began()
    outages.ended()
    await sleep(5)
    expect(await inRequest(() => outages.within(slow, READ))).toBe('found')
  })

  test('a request that has met no loss', async () => {
    expect(await inRequest(() => new Outages(20).within(slow, READ))).toBe('found')
  })

  test('what no request has begun', async () => {
    const outages = new Outages(20)
    outages.began()
    expect(await outages.within(slow, READ)).toBe('found')
  })
})
