/**
 * Fills a store with patients, in a process of its own: `node fill-store.ts URL PATIENTS`. They are validated, indexed and
 * written as by the server, but without HTTP.
 */
import { openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import { progress } from '../emr.ts'
import { syntheticPatient } from './synthetic-patients.ts'

const PER_CHANGE = 1_000
const PER_NOTE = 50_000
/** The demo clinic, whose users send the requests. */
const CLINIC = 'demo-clinic'

const [url = '', patients = ''] = process.argv.slice(2)
const store = await openStore(url)
try {
  const repository = new Repository(store, { baseUrl: 'http://127.0.0.1' })
  const started = performance.now()
  for (let start = 0; start < Number(patients); start += PER_CHANGE) {
    const end = Math.min(Number(patients), start + PER_CHANGE)
    await repository.change(CLINIC, async (unit) => {
      for (let n = start; n < end; n += 1) await unit.put(syntheticPatient(n), 'POST')
    })
    if (end % PER_NOTE === 0) {
      const seconds = (performance.now() - started) / 1000
      progress(`${end} patients, ${Math.round(end / seconds)} a second`)
    }
  }
} finally {
  await store.close()
}
