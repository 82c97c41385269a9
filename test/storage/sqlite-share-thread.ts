/** A thread that opens the store of another one, and counts a record up, beside others that do the same. */
import { parentPort, workerData } from 'node:worker_threads'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { StoreConflict } from '../../src/storage/store-errors.ts'

export interface Counting {
  readonly path: string
  readonly shared: object
  /** How often it counts. */
  readonly times: number
}

const { path, shared, times } = workerData as Counting
const store = await openSqliteStore({ path, shared, combined: [] })
for (let counted = 0; counted < times; ) {
  const found = await store.readRecord('c', 'count', 'x')
  const record = { clinic: 'c', kind: 'count', key: 'x', expect: found?.version ?? 0, value: (found?.version ?? 0) + 1 }
  try {
    await store.write({ clinic: 'c', resources: [], records: [record], guards: [] })
    counted += 1
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
  }
}
await store.close()
parentPort?.close()
