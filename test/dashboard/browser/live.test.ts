/**
 * Changes by others appear by themselves: by the journal's stream, which one window reads for all, and without a
 * journal.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Appointment, Slot, Task } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { clockText, dayOf } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

type Gate = PromiseWithResolvers<void>

let dashboard: Dashboard
/** Free slots of one practitioner, tomorrow or later. */
let free: readonly Slot[]
beforeAll(async () => {
  dashboard = await startDashboard()
  const from = new Date(Date.now() + 86_400_000).toISOString()
  const found = await fhir('GET', `/Slot?schedule=schedule-okafor&status=free&start=gt${from}&_sort=start&_count=20`)
  free = found.body.entry.map(({ resource }: { resource: Slot }) => resource)
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)
const ZONE = 'America/New_York'
const clock = ({ start }: Slot): string => clockText(start, ZONE)
const slotAt = (index: number): Slot => free[index] as Slot

async function book(id: string, { id: slot, start, end }: Slot): Promise<void> {
  const visit: Appointment = {
    resourceType: 'Appointment',
    id,
    status: 'booked',
    slot: [{ reference: `Slot/${slot}` }],
    start,
    end,
    participant: [{ status: 'accepted', actor: { reference: 'Patient/abernathy-ruth' } }],
  }
  expect((await fhir('PUT', `/Appointment/${id}`, visit)).status).toBe(201)
}

const putTask = (id: string, more: Partial<Task> = {}) =>
  fhir('PUT', `/Task/${id}`, {
    resourceType: 'Task',
    id,
    status: 'requested',
    intent: 'order',
    description: id,
    ...more,
  })

/** A window that does not poll, so that it shows only changes from the stream. */
async function listening(path: string): Promise<Page> {
  const page = await dashboard.signedIn()
  await page.context().addInitScript(() => {
    const repeat = window.setInterval.bind(window)
    window.setInterval = ((work: () => void, every = 0) => (every < 1000 ? repeat(work, every) : 0)) as typeof repeat
  })
  const streams = page.waitForResponse(/exchanges\/live/)
  await page.goto(`${dashboard.server.url}/dashboard${path}`)
  await streams
  return page
}

const dayOfSlot = ({ start }: Slot): string => dayOf(start, ZONE)
const scheduleOf = (slot: Slot): string => `/schedule?day=${dayOfSlot(slot)}&view=list&who=schedule-okafor`
const visit = (page: Page, slot: Slot) =>
  page.getByRole('button', { name: `${clock(slot)}–` }).getByText('Ruth Abernathy')

test('what a client of FHIR books, moves and cancels shows on the schedule that is open, which is told of it', async () => {
  const [slot, later] = [slotAt(0), slotAt(1)]
  const page = await listening(scheduleOf(slot))
  await page.getByRole('button', { name: `Book ${clock(slot)}` }).waitFor()
  await book('told', slot)
  await visit(page, slot).waitFor()
  const parameter = [{ name: 'slot', valueReference: { reference: `Slot/${later.id}` } }]
  await fhir('POST', '/Appointment/told/$reschedule', { resourceType: 'Parameters', parameter })
  await visit(page, later).waitFor()
  await fhir('POST', '/Appointment/told/$cancel', { resourceType: 'Parameters' })
  await page.getByRole('button', { name: `Book ${clock(later)}` }).waitFor()
})

test('free times that new working hours make show when they are made', async () => {
  const page = await listening(scheduleOf(slotAt(0)))
  await page.getByRole('button', { name: 'Book 4:30 PM' }).waitFor()
  expect(await page.getByRole('button', { name: 'Book 7:00 PM' }).count()).toBe(0)
  const { text } = await fhir('GET', '/Schedule/schedule-okafor')
  const longer = JSON.parse(text.replaceAll('17:30:00', '19:30:00'))
  expect((await fhir('PUT', '/Schedule/schedule-okafor', longer)).status).toBe(200)
  await page.getByRole('button', { name: 'Book 7:00 PM' }).waitFor()
})

test('a task that somebody claims says so; new ones wait behind a button that counts them, unless there are none', async () => {
  const page = await listening('/work-list')
  await page.getByText('Nothing is left to do').waitFor()
  const escalation = await dashboard.server.tool(
    '/patient-journey/escalate_billing',
    { reason: 'does not understand the bill' },
    { 'x-call-id': 'escalates' },
  )
  expect(escalation).toMatchObject({ success: true })
  const row = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
  await row.getByText('Billing escalation').waitFor()
  await page.reload()
  await row.getByText('Waiting').waitFor()
  const { body } = await fhir('GET', '/Task?code=billing-escalation')
  expect((await fhir('POST', `/Task/${body.entry[0].resource.id}/$claim`)).status).toBe(200)
  await row.getByText('Demo Staff').waitFor()
  for (const id of ['second', 'third', 'fourth']) await putTask(id)
  const button = page.getByRole('button', { name: '3 new' })
  await button.waitFor()
  expect(await row.count()).toBe(1)
  await button.click()
  await row.getByText('fourth', { exact: true }).waitFor()
  expect(await row.count()).toBe(4)
  await fhir('POST', '/Task/fourth/$complete', {
    resourceType: 'Parameters',
    parameter: [{ name: 'outcome', valueCodeableConcept: { text: 'done' } }],
  })
  await row.getByText('fourth', { exact: true }).waitFor({ state: 'detached' })
})

test('a patient who is registered shows in the list, and the record that a tool call begins among the unknown callers', async () => {
  const [patients, callers] = [await listening('/patients'), await listening('/patients?tab=placeholders')]
  await patients.getByText('Ruth Abernathy').waitFor()
  await callers.getByText(/^\d+ unknown caller/).waitFor()
  const name = [{ family: 'Aaaronson', given: ['Ada'] }]
  expect((await fhir('PUT', '/Patient/told', { resourceType: 'Patient', id: 'told', name })).status).toBe(201)
  await patients.getByText('Ada Aaaronson').waitFor()
  const path = '/patient-journey/update_registration_field'
  const begun = await dashboard.server.tool(path, { lastName: 'Halfway' }, { 'x-call-id': 'begins' })
  expect(begun).toMatchObject({ success: true })
  await callers.getByRole('listitem').getByText('Halfway').waitFor()
})

test('two windows are told by one stream, and the second goes on when the first is closed', async () => {
  await putTask('both')
  const page = await listening('/work-list')
  let streams = 0
  page.context().on('request', (request) => {
    if (request.url().includes('exchanges/live')) streams += 1
  })
  const other = await page.context().newPage()
  await other.goto(page.url())
  for (const window of [page, other]) await window.getByText('both', { exact: true }).waitFor()
  await putTask('both', { description: 'both see it' })
  for (const window of [page, other]) await window.getByText('both see it').waitFor()
  expect(streams).toBe(0)
  await page.close()
  await putTask('both', { description: 'one is left' })
  await other.getByText('one is left').waitFor()
  expect(streams).toBe(1)
})

test('what happens after the list is read and before the stream begins is missed in no window', async () => {
  const page = await dashboard.signedIn()
  const [stream, list, answered] = [0, 1, 2].map(() => Promise.withResolvers<void>()) as [Gate, Gate, Gate]
  await page.context().route(/exchanges\/live/, async (route) => {
    await stream.promise
    await route.continue()
  })
  await page.route(
    /exchanges\?/,
    async (route) => {
      const response = await route.fetch()
      answered.resolve()
      await list.promise
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  const path = `${dashboard.server.url}/dashboard/journal?path=%2FBasic`
  await page.goto(path)
  await answered.promise
  const other = await page.context().newPage()
  await other.goto(path)
  await other.getByText('Nothing of this kind').waitFor()
  await fhir('GET', '/Basic?_count=77')
  const recorded = async () => (await fhir('GET', '/clinics/demo-clinic/exchanges?path=/Basic')).body.exchanges.length
  while ((await recorded()) === 0) await page.waitForTimeout(50)
  const begun = page.waitForResponse(/exchanges\/live/)
  stream.resolve()
  await begun
  list.resolve()
  for (const window of [page, other]) await window.getByRole('link', { name: '/Basic?_count=77' }).waitFor()
})

test('where the journal is off, what others do is found out by asking', async () => {
  const path = '/clinics/demo-clinic/settings'
  const { body } = await fhir('GET', path)
  const json = { 'content-type': 'application/json' }
  expect((await dashboard.server.fhir('PUT', path, { ...body, journal: 'off' }, json)).status).toBe(200)
  await putTask('asked')
  const page = await dashboard.signedIn('/work-list')
  await page.getByText('asked', { exact: true }).waitFor()
  await putTask('asked', { description: 'found out' })
  await page.getByText('found out').waitFor()
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
