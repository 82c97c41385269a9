/** A run of 100,000 exchanges: all are judged, others are served meanwhile, and its report stays short. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { openJournalStore } from '../../../src/main/open-store.ts'
import type { JournalEntry, JournalStore } from '../../../src/storage/journal-port.ts'
import { SILENT } from '../../support/audit.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { exchangeOf } from '../../support/journal.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'

const ALL = 100_000
const BATCH = 2_000

let url: string
let clinic: Rehearsed
let journal: JournalStore
beforeAll(async () => {
  url = await newLastingDatabaseUrl()
  clinic = await startRehearsed({ DATABASE_URL: url })
  journal = await openJournalStore(url, SILENT)
})
afterAll(async () => {
  await journal.close()
  await clinic.server.close()
})

const source = 'https://hl7.org/fhir/R4/http.html'
const CREATES = { interaction: 'create', type: 'Patient' }
const PLAN = {
  ...{ plan: 'many', title: 'Many', version: '1.0.0', description: 'A plan of a test' },
  steps: [
    { id: 'creates', title: 'Creates', source, expect: { ...CREATES, request: "name.family = 'Many'" }, times: ALL },
    { id: 'fewer', title: 'Creates less', source, expect: CREATES, times: { most: ALL - 1 } },
    { id: 'reads', title: 'Reads', source, expect: { interaction: 'read', type: 'Patient' } },
    { id: 'deletes', title: 'Deletes nothing', source, never: { interaction: 'delete', type: 'Patient' } },
  ],
}

/** The exchange of a create, as the journal has kept it. */
async function created(run: string): Promise<JournalEntry> {
  const headers = { 'x-run-id': run }
  const patient = { resourceType: 'Patient', name: [{ family: 'Many' }] }
  const { id } = await exchangeOf(clinic.server, await clinic.server.fhir('POST', '/Patient', patient, headers))
  const { summary = '', detail = '', audience = '' } = (await journal.read(DEMO_CLINIC, [id]))[0] ?? {}
  return {
    ...{ clinic: DEMO_CLINIC, id, at: Date.now(), isGap: false, audience, run, call: '', trace: '', status: 201 },
    ...{ path: '/Patient', type: 'Patient', fault: '', method: 'POST', direction: 'in', user: 'admin' },
    ...{ operation: 'create', duration: 1, words: '', summary, detail },
  }
}

/** Writes the same exchange so often that there are `ALL` of it. */
async function repeat(entry: JournalEntry): Promise<void> {
  const kept = new Map([[DEMO_CLINIC, { days: 7, entries: 2 * ALL }]])
  for (let from = 1; from < ALL; from += BATCH) {
    const ids = Array.from({ length: Math.min(BATCH, ALL - from) }, (_, index) => `copy-${from + index}`)
    await journal.write(
      ids.map((id) => ({ ...entry, id, summary: JSON.stringify({ ...JSON.parse(entry.summary), id }) })),
      kept,
    )
  }
}

test('a run of 100,000 exchanges is judged by all of them while others are served', async () => {
  expect((await clinic.ask('PUT', '/plans/many', PLAN)).status).toBe(201)
  const { run } = (await clinic.ask('POST', '/runs', { plan: 'many' })).body
  await repeat(await created(run))
  let isJudged = false
  const judged = clinic.ask('POST', `/runs/${run}/finish`).finally(() => {
    isJudged = true
  })
  let served = 0
  for (; !isJudged; served += 1)
    expect((await clinic.server.fhir('GET', '/metadata?_elements=status')).status).toBe(200)
  const { status, body, text } = await judged
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  const results = body.steps.map(({ id, result }: { id: string; result: string }) => [id, result])
  expect([body.traffic.exchanges, body.notes, text.length < 20_000]).toEqual([ALL, [], true])
  expect(results).toEqual([
    ['creates', 'pass'],
    ['fewer', 'fail'],
    ['reads', 'fail'],
    ['deletes', 'pass'],
  ])
  expect(served).toBeGreaterThan(20)
})
