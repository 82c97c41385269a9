/** A file of many exchanges leaves the event loop to others while it is made. */
import { expect, test } from '@jest/globals'
import { exportOf } from '../../src/admin-api/exchange-export.ts'
import { openJournalStore } from '../../src/main/open-store.ts'
import { JournalReader } from '../../src/record/journal/journal-reader.ts'
import type { JournalEntry } from '../../src/storage/journal-port.ts'
import { SILENT } from '../support/audit.ts'

const BEGIN = Date.parse('2026-03-03T14:00:00Z')
const ALL = 3_000

const entry = (number: number): JournalEntry => ({
  ...{ clinic: 'one', id: `e${number}`, at: BEGIN + number, isGap: false, audience: 'staff', run: '', call: '' },
  ...{ status: 200, path: '/Patient', type: '', fault: '', method: 'GET', direction: 'in', user: 'ann' },
  ...{ operation: 'read', duration: 1, words: '', detail: '', trace: '' },
  summary: JSON.stringify({ id: `e${number}`, time: new Date(BEGIN + number).toISOString() }),
})

test('others have a turn of the event loop at least after each hundred exchanges', async () => {
  const store = await openJournalStore('sqlite::memory:', SILENT)
  const entries = Array.from({ length: ALL }, (_, number) => entry(number))
  await store.write(entries, new Map([['one', { days: 3_650, entries: 10_000 }]]))
  let [turns, isOver] = [0, false]
  const takeTurns = (): void => {
    turns += 1
    if (!isOver) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  await exportOf(new JournalReader(store, 'one', 'staff'), {}, 'csv')
  isOver = true
  await store.close()
  expect(turns).toBeGreaterThanOrEqual(ALL / 100)
})
