/**
 * Fills a SQLite file with the data set at a scale, in a process of its own: `node fill-store.ts FILE SCALE`. Resources
 * are validated, indexed and written as by the server, but without HTTP.
 */
import { openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import { sizesAt } from '../data-set.ts'
import { progress } from '../emr.ts'
import { grownStages } from './grown-data.ts'

const PER_CHANGE = 1_000
/** The demo clinic, whose users send the requests. */
const CLINIC = 'demo-clinic'

const [path = '', scale = ''] = process.argv.slice(2)
const store = await openStore(`sqlite:${path}`)
try {
  const repository = new Repository(store, { baseUrl: 'http://127.0.0.1' })
  const started = performance.now()
  let written = 0
  for (const { count, make } of grownStages(sizesAt(Number(scale)))) {
    for (let start = 0; start < count; start += PER_CHANGE) {
      const end = Math.min(count, start + PER_CHANGE)
      await repository.change(CLINIC, async (unit) => {
        for (let n = start; n < end; n += 1) await unit.put(make(n), 'POST')
      })
    }
    written += count
    const seconds = (performance.now() - started) / 1000
    progress(`${scale} times the data: ${written} resources, ${Math.round(written / seconds)} a second`)
  }
} finally {
  await store.close()
}
