/** The store that a test and the process it kills both open. */
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { COMBINED } from './fixtures.ts'

/** @param url sqlite:<file> or mongodb://… */
export const openNamedStore = (url: string): Promise<ResourceStore> =>
  url.startsWith('mongodb')
    ? openMongoStore({ url, combined: COMBINED })
    : openSqliteStore({ path: url.slice('sqlite:'.length), combined: COMBINED })
