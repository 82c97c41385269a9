/**
 * Fills a SQLite file with the calendars, in a process of its own: `node fill-store.ts FILE SCALE`. Resources are validated,
 * indexed and written as by the server, but without HTTP.
 */
import { openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import { calendars } from './calendars.ts'

const PER_CHANGE = 1_000
/** The demo clinic, whose users send the requests. */
const CLINIC = 'demo-clinic'

const [path = '', scale = '1'] = process.argv.slice(2)
const store = await openStore(`sqlite:${path}`)
try {
  const repository = new Repository(store, { baseUrl: 'http://127.0.0.1' })
  for (const { count, make } of calendars(Number(scale))) {
    for (let start = 0; start < count; start += PER_CHANGE) {
      const end = Math.min(count, start + PER_CHANGE)
      await repository.change(CLINIC, async (unit) => {
        for (let n = start; n < end; n += 1) await unit.put({ ...make(n) }, 'POST')
      })
    }
  }
} finally {
  await store.close()
}
