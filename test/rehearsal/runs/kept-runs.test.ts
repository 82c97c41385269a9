/** Runs that a clinic keeps. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import type { RunRecord } from '../../../src/rehearsal/runs/run.ts'
import { recordKind } from '../../../src/repository/record-kinds.ts'
import type { ResourceStore } from '../../../src/storage/port.ts'
import { openTestStore } from '../../support/database.ts'
import { type Rehearsed, startRehearsed } from '../rehearsed.ts'

const RUN = recordKind<RunRecord>('run')

const AT_ONCE = 10

/** Lists of runs that are held until there are as many as runs are started at once. */
let held: (() => void)[] | undefined
const store = await openTestStore()

let clinic: Rehearsed
beforeAll(async () => {
  const records: ResourceStore['records'] = async (query) => {
    const found = await store.records(query)
    if (query.kind === 'run') await heldTogether()
    return found
  }
  clinic = await startRehearsed({}, { store: { ...store, records } })
})
afterAll(() => clinic.server.close())

async function heldTogether(): Promise<void> {
  const together = held
  if (together === undefined) return
  await new Promise<void>((resolve) => {
    together.push(resolve)
    if (together.length < AT_ONCE) return
    held = undefined
    for (const goOn of together) goOn()
  })
}

test('are 200 at most, also where several start at once: the oldest that are over make room', async () => {
  const { repository } = clinic.server.app
  await clinic.ask('PUT', '/plans/tried', {
    ...{ plan: 'tried', title: 'Tried', version: '1.0.0', description: 'A plan of a test' },
    steps: [{ id: 'look', title: 'Looks', source: 'https://hl7.org/fhir/R4/http.html', attest: 'It looked' }],
  })
  const start = () => clinic.ask('POST', '/runs', { plan: 'tried' })
  const kept = () => repository.records(RUN, { clinic: DEMO_CLINIC, limit: 300 })
  await start()
  const [first] = await kept()
  await repository.change(DEMO_CLINIC, async ({ records }) => {
    for (let index = 0; index < 198; index++) {
      const run = {
        ...(first?.value as RunRecord),
        id: `run-old-${index}`,
        status: 'finished',
        startedAt: index,
      } as const
      records.put(RUN, run.id, run)
    }
  })
  held = []
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, start))
  expect(answers.map(({ status }) => status)).toEqual(Array(AT_ONCE).fill(201))
  const ids = (await kept()).map(({ key }) => key)
  expect(ids.length).toBeLessThanOrEqual(200)
  expect(ids).toEqual(expect.arrayContaining([first?.key, ...answers.map(({ body }) => body.run), 'run-old-197']))
  expect(ids).not.toContain('run-old-0')
})
