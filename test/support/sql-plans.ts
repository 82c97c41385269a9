/** How SQLite carries out the statements of some work, as EXPLAIN QUERY PLAN tells it. */
import { jest } from '@jest/globals'
import { Database } from '../../src/storage/sqlite/connection.ts'
import type { SqlValue } from '../../src/storage/sqlite/sql.ts'

/** @returns the steps of all statements that have read rows */
export async function plansOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const spies = [jest.spyOn(Database.prototype, 'all'), jest.spyOn(Database.prototype, 'get')]
  try {
    await work()
    const calls = spies.flatMap(({ mock }) =>
      mock.calls.map((call, index) => ({ call, db: mock.contexts[index] as Database })),
    )
    for (const spy of spies) spy.mockRestore()
    return calls.flatMap(({ call: [statement, ...values], db }) =>
      db.all(`EXPLAIN QUERY PLAN ${statement}`, ...(values as SqlValue[])).map((row) => String(row.at(-1))),
    )
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
