/** The same rules and the same requests give the same statuses, labels and bodies, ids aside: nothing is left to chance. */
import { expect, test } from '@jest/globals'
import { visitsOn } from '../../support/appointment-operations.ts'
import { visit } from '../../support/booking.ts'
import { attempt, FAULTS } from '../../support/faults.ts'
import { startServer } from '../../support/server.ts'
import { withToken } from '../../support/two-clinics.ts'

const RULES: Readonly<Record<string, object>> = {
  busy: { fault: 'throttled', every: 4, when: { interaction: 'search-type' } },
  gone: { fault: 'slot-gone', on: [2, 5] },
  extended: { fault: 'unknown-extension', every: 3, when: { type: 'Patient' } },
  lost: { fault: 'lost-answer', times: 1, when: { type: 'Appointment', interaction: 'create' } },
  outcome: { fault: 'outcome-in-bundle', on: [1, 3], when: { query: '_count=2' } },
}

/** Ids and times of the machine differ from one server to the next. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/calendar-[0-9a-f]{8}/g, 'CALENDAR')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/_cursor=[\w-]+/g, 'CURSOR')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')

async function rehearsed(): Promise<readonly string[]> {
  const server = await startServer()
  try {
    const admin = withToken(server, await server.login('admin', 'admin'))
    const visits = visitsOn(server)
    await visits.open()
    for (const [name, rule] of Object.entries(RULES)) await admin.fhir('PUT', `${FAULTS}/${name}`, rule)
    const told: string[] = []
    for (let round = 0; round < 6; round += 1) {
      const slots = await visits.slots()
      for (const [method, path, body] of [
        ['GET', '/Patient?_count=2&_sort=_id'],
        ['GET', '/Patient/abernathy-ruth'],
        ['POST', '/Appointment', visit(slots)],
        ['GET', `/Slot/${slots[0]}`],
      ] as const) {
        const { status, label, text } = await attempt(server, method, path, body)
        told.push(withoutIds(`${method} ${path}: ${status} ${label} ${text}`))
      }
    }
    const { body } = await server.fhir('GET', FAULTS)
    return [...told, withoutIds(JSON.stringify(body))]
  } finally {
    await server.close()
  }
}

test('a rehearsal that is repeated goes as it went', async () => {
  const [first, second] = [await rehearsed(), await rehearsed()]
  expect(first).toEqual(second)
  const labels = first.flatMap((line) => /: \d+ (\S+#\d+(?:, \S+#\d+)*)/.exec(line)?.[1] ?? [])
  expect(new Set(labels.flatMap((label) => label.replaceAll(/#\d+/g, '').split(', ')))).toEqual(
    new Set(['throttled', 'slot-gone', 'unknown-extension', 'outcome-in-bundle']),
  )
})
