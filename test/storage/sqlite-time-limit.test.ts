/** The time that a statement of the embedded engine may take really ends it. */
import { expect, test } from '@jest/globals'
import { Database, OutOfTime } from '../../src/storage/sqlite/connection.ts'
import { raw, sql, visited } from '../../src/storage/sqlite/sql.ts'

/** Counts up for ever. */
const endless = sql`WITH RECURSIVE step(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM step WHERE ${visited(raw('x'))})
  SELECT count(*) FROM step`

const open = () => new Database(':memory:')

test('a statement without an end is ended when its time is up', () => {
  const db = open()
  const limit = { endsAt: Date.now() + 20 }
  expect(() => db.limit.during(limit, () => db.number(endless))).toThrow(OutOfTime)
  expect(db.number(raw('SELECT 7'))).toBe(7)
})

test('a statement without an end is ended when nobody waits for it any more', () => {
  const db = open()
  let looks = 0
  const isAbandoned = () => {
    looks += 1
    return looks > 100
  }
  const abandoned = () => db.limit.during({ endsAt: Number.POSITIVE_INFINITY, isAbandoned }, () => db.number(endless))
  expect(abandoned).toThrow(expect.objectContaining({ reason: 'left' }))
})

test('what a transaction has read before its time was up can be read again', () => {
  const db = open()
  const read = () => db.snapshot(() => db.limit.during({ endsAt: Date.now() - 1 }, () => db.number(endless)))
  expect(read).toThrow(OutOfTime)
  expect(db.isTransaction).toBe(false)
  expect(db.snapshot(() => db.number(raw('SELECT 7')))).toBe(7)
})
