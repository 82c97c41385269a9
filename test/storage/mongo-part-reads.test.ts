/** Reads of the parts of the store that have connections of their own: the journal, the audit trail, contents. */
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { Budget, withBudget } from '../../src/isolation/budget.ts'
import { openMongoAuditStore } from '../../src/storage/mongo/audit-store.ts'
import { openMongoContentStore } from '../../src/storage/mongo/content-store.ts'
import { openMongoJournalStore } from '../../src/storage/mongo/journal-store.ts'
import { PartConnection } from '../../src/storage/mongo/part-connection.ts'
import { newMongoUrl } from '../support/mongo.ts'
import { commandsDuring } from '../support/mongo-commands.ts'
import { closeLater } from '../support/opened-stores.ts'

/** An open part with so many connections for reads. */
async function partOf(reading: number): Promise<PartConnection<string>> {
  const url = await newMongoUrl()
  const part = closeLater(new PartConnection({ url, what: 'the journal', reading, writing: 1, prepare: () => 'part' }))
  await part.write(async () => {})
  return part
}

describe('reads of a part', () => {
  test('of one clinic take all connections but one, so that those of another one begin at once', async () => {
    const reads = await partOf(3)
    const end = Promise.withResolvers<void>()
    let underWay = 0
    const held = async () => {
      underWay += 1
      await end.promise
    }
    const all = Array.from({ length: 10 }, () => reads.read('one', held))
    await sleep(1)
    expect(underWay).toBe(2)
    expect(await reads.read('two', async () => 'at once')).toBe('at once')
    end.resolve()
    await Promise.all(all)
    expect(underWay).toBe(10)
  })

  test('that wait end when their client has left', async () => {
    const reads = await partOf(2)
    const end = Promise.withResolvers<void>()
    const first = reads.read('one', () => end.promise)
    let hasLeft = false
    const budget = new Budget({ canMove: false, isAbandoned: () => hasLeft })
    const waiting = withBudget(budget, () => reads.read('one', async () => 'read'))
    hasLeft = true
    await expect(waiting).rejects.toMatchObject({ reason: 'left', what: 'the journal' })
    end.resolve()
    await first
  })
})

test('every command that reads a part has what is left of the time of its request', async () => {
  const url = await newMongoUrl()
  const journal = closeLater(openMongoJournalStore(url))
  const audit = closeLater(openMongoAuditStore(url, { days: 90 }))
  const contents = closeLater(openMongoContentStore(url))
  const read = async () => {
    await journal.scan({ clinic: 'one', order: 'oldest first', filter: {}, limit: 9 })
    await journal.read('one', ['a'])
    await journal.bounds('one')
    await audit.scan({ clinic: 'one', order: 'newest first', from: 0, to: 1, limit: 9 })
    await audit.read('one', 'a')
    await expect(Array.fromAsync(contents.read('one', 'a'))).rejects.toThrow()
  }
  const budget = new Budget({ canMove: false, readingMs: 20_000 })
  const commands = await commandsDuring(() => withBudget(budget, read))
  const times = commands.filter(({ name }) => name === 'find').map(({ command }) => command['maxTimeMS'])
  expect(times).toHaveLength(7)
  expect(times.filter((time) => !(time > 10_000 && time <= 20_000))).toEqual([])
})
