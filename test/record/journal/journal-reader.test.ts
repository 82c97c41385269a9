/** Reading a journal of many exchanges: bounded, however many there are. */
import { expect, test } from '@jest/globals'
import { openJournalStore } from '../../../src/main/open-store.ts'
import { JournalReader } from '../../../src/record/journal/journal-reader.ts'
import type { JournalEntry } from '../../../src/storage/journal-port.ts'
import { SILENT } from '../../support/audit.ts'

const BEGIN = Date.parse('2026-03-03T14:00:00Z')
const ALL = 101_000
const BATCH = 5_000

const entry = (number: number): JournalEntry => ({
  ...{ clinic: 'one', id: `e${number}`, at: BEGIN + number, isGap: false, audience: 'staff', run: '', call: '' },
  ...{ status: 200, path: '/Patient', type: '', fault: '', method: 'GET', direction: 'in', user: 'ann' },
  ...{ operation: 'read', duration: 1, words: '', detail: '', trace: '' },
  summary: JSON.stringify({ id: `e${number}`, time: new Date(BEGIN + number).toISOString() }),
})

test('of more than 100,000 exchanges the newest are counted, and all of those in a shorter time', async () => {
  const store = await openJournalStore('sqlite::memory:', SILENT)
  const kept = new Map([['one', { days: 3_650, entries: 1_000_000 }]])
  for (let from = 0; from < ALL; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, ALL - from) }, (_, index) => entry(from + index))
    await store.write(batch, kept)
  }
  const reader = new JournalReader(store, 'one', 'staff')
  const now = BEGIN + ALL
  const whole = await reader.counts({}, now)
  expect([whole.requests, whole.isWhole]).toEqual([100_000, false])
  const last = await reader.counts({ since: now - 5_000, user: 'ann' }, now)
  expect([last.requests, last.periods.length]).toEqual([5_000, 5])
  expect((await reader.counts({ text: 'there is none' }, now)).requests).toBe(0)
  const page = await reader.page({ user: 'nobody' }, 50)
  expect([page.exchanges, page.next === undefined]).toEqual([[], false])
  await store.close()
})
