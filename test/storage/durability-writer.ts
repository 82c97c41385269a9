/** A process that writes change sets until it is killed, and says on stdout which were acknowledged. */
import { writeSync } from 'node:fs'
import { openNamedStore } from './durability-store.ts'
import { Clinic, reference, token } from './fixtures.ts'

const [url = '', first = '0'] = process.argv.slice(2)
const CONCURRENT = 8

const clinic = new Clinic(await openNamedStore(url), 'c')
let next = Number(first)

/** Two resources that refer to each other and a record: one change set, recognised by its number. */
async function writeOne(set: number): Promise<void> {
  await clinic.writeSet({
    resources: [
      clinic.change(`Patient/${set}`, [token('identifier', `${set}`), token('run', first)]),
      clinic.change(`Appointment/${set}`, [reference('patient', `Patient/${set}`)]),
    ],
    records: [{ clinic: 'c', kind: 'set', key: `${set}`, expect: 0, value: set }],
  })
  writeSync(1, `${set}\n`)
}

async function writeForever(): Promise<never> {
  for (;;) {
    next += 1
    await writeOne(next)
  }
}

await Promise.all(Array.from({ length: CONCURRENT }, writeForever))
