/** The work list of the staff: Tasks by owner, priority, status and the like, and by when they are due. docs/work-list.md */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import { Caller } from '../../calls/caller.ts'
import { startServer, type TestServer } from '../../support/server.ts'

const START = Date.now()
let ahead = 0
let server: TestServer
beforeAll(async () => {
  server = await startServer({}, { clock: () => START + ahead })
  await put(WHOLE)
  await put({ resourceType: 'Task', id: 'other', status: 'draft', intent: 'plan', priority: 'routine' })
})
afterAll(() => server.close())

const put = async (task: Task) => {
  const { status, text } = await server.fhir('PUT', `/Task/${task.id}`, task)
  if (status >= 300) throw new Error(text)
}
const idsOf = async (query: string): Promise<readonly string[]> => {
  const { status, body } = await server.fhir('GET', `/Task?${query}`)
  expect([query, status]).toEqual([query, 200])
  return (body.entry ?? []).map(({ resource }: { resource: Task }) => resource.id)
}

const WHOLE: Task = {
  resourceType: 'Task',
  id: 'whole',
  identifier: [{ system: 'urn:tasks', value: '1' }],
  basedOn: [{ reference: 'ServiceRequest/based' }],
  groupIdentifier: { system: 'urn:groups', value: 'g' },
  partOf: [{ reference: 'Task/other' }],
  status: 'in-progress',
  businessStatus: { coding: [{ system: 'urn:business', code: 'called' }] },
  intent: 'order',
  priority: 'urgent',
  code: { coding: [{ system: 'urn:codes', code: 'call' }] },
  focus: { reference: 'Appointment/focus' },
  for: { reference: 'Patient/abernathy-ruth' },
  encounter: { reference: 'Encounter/call' },
  executionPeriod: { start: '2026-11-20T09:00:00Z' },
  authoredOn: '2026-11-19T09:00:00Z',
  lastModified: '2026-11-20T10:00:00Z',
  requester: { reference: 'Device/agent' },
  performerType: [{ coding: [{ system: 'urn:roles', code: 'billing' }] }],
  owner: { reference: 'Practitioner/practitioner-okafor' },
  restriction: { period: { end: '2026-11-21T09:00:00Z' } },
}

describe('every search parameter of R4 for Task, and the one of this server, finds it', () => {
  test.each([
    'authored-on=2026-11-19',
    'based-on=ServiceRequest/based',
    'business-status=urn:business|called',
    'code=urn:codes|call',
    'due=eb2026-11-21T09:00:01Z',
    'encounter=Encounter/call',
    'focus=Appointment/focus',
    'group-identifier=urn:groups|g',
    'identifier=urn:tasks|1',
    'intent=order',
    'modified=2026-11-20',
    'owner=Practitioner/practitioner-okafor',
    'part-of=Task/other',
    'patient=abernathy-ruth',
    'performer=urn:roles|billing',
    'period=ge2026-11-20',
    'priority=urgent',
    'requester=Device/agent',
    'status=in-progress',
    'subject=Patient/abernathy-ruth',
  ])('%s', async (query) => {
    const found = await idsOf(`${query}&_count=200`)
    expect(found).toContain('whole')
    expect(found).not.toContain('other')
  })

  test('those that /metadata declares are these', async () => {
    const { body } = await server.fhir('GET', '/metadata')
    const { searchParam } = body.rest[0].resource.find(({ type }: { type: string }) => type === 'Task')
    expect(
      searchParam.map(({ name }: { name: string }) => name).filter((name: string) => !name.startsWith('_')),
    ).toHaveLength(20)
  })
})

test('those that nobody owns are a search for each priority, as codes are sorted by their letters', async () => {
  const priorities = ['stat', 'asap', 'urgent', 'routine'] as const
  const task = { resourceType: 'Task', status: 'requested', intent: 'order' } as const
  for (const priority of priorities) await put({ ...task, id: `p-${priority}`, priority })
  await put({ ...task, id: 'p-none' })
  const ours = async (query: string) =>
    (await idsOf(`owner:missing=true&_count=200&${query}`)).filter((id) => id.startsWith('p-'))
  const byLetters = ['p-urgent', 'p-stat', 'p-routine', 'p-asap', 'p-none']
  expect(await ours('_sort=-priority')).toEqual(byLetters)
  for (const priority of priorities) expect(await ours(`priority=${priority}`)).toEqual([`p-${priority}`])
  expect((await ours('priority:not=stat,asap,urgent')).toSorted()).toEqual(['p-none', 'p-routine'])
})

describe('due times', () => {
  test('tell what is overdue from what is due later, is put off, or has none', async () => {
    const period = (id: string, more: { readonly start?: string; readonly end?: string }) =>
      put({
        ...{ resourceType: 'Task', id, status: 'requested', intent: 'order' },
        restriction: { period: more },
      } as Task)
    const [early, late] = ['2031-01-01T09:00:00Z', '2031-01-03T09:00:00Z']
    await period('due-early', { end: early })
    await period('due-late', { end: late })
    await period('put-off', { start: late, end: late })
    const ours = async (query: string) =>
      (await idsOf(query)).filter((id) => ['due-early', 'due-late', 'put-off', 'other'].includes(id)).toSorted()
    const status = 'status=requested,draft&_count=200'
    expect(await ours(`${status}&due=eb2031-01-02T09:00:00Z`)).toEqual(['due-early'])
    expect(await ours(`${status}&due=sa2031-01-02T09:00:00Z`)).toEqual(['put-off'])
    expect(await ours(`${status}&due=le2031-01-02T09:00:00Z`)).toEqual(['due-early', 'due-late'])
    expect(await ours(`${status}&due:missing=true`)).toEqual(['other'])
  })

  test('what calls raise is due by its priority: urgent within a day', async () => {
    const caller = new Caller(server)
    await caller.use('escalate_billing', {})
    const [task] = await caller.tasks()
    const due = Date.parse(task?.restriction?.period?.end ?? '')
    expect(due - Date.parse(task?.authoredOn ?? '')).toBe(24 * 3_600_000)
  })

  test('and routine within three', async () => {
    const caller = new Caller(server)
    await caller.use('resolve_patient_identity', { statedName: 'Nobody Known' })
    const [task] = await caller.tasks()
    expect(Date.parse(task?.restriction?.period?.end ?? '') - Date.parse(task?.authoredOn ?? '')).toBe(72 * 3_600_000)
  })

  test('what is added to an open Task does not put it off, and one that is opened again is due anew', async () => {
    const caller = new Caller(server)
    await caller.use('escalate_billing', { reason: 'one' })
    const [first] = await caller.tasks()
    ahead = 3_600_000
    await caller.use('escalate_billing', { reason: 'two' })
    const [second] = await caller.tasks()
    expect(second?.restriction).toEqual(first?.restriction)
    await put({ ...second, status: 'completed' } as Task)
    await caller.use('escalate_billing', { reason: 'three' })
    const [third] = await caller.tasks()
    expect(Date.parse(third?.restriction?.period?.end ?? '') - Date.parse(first?.restriction?.period?.end ?? '')).toBe(
      3_600_000,
    )
  })
})
