/** The month with its counts, the day on paper, and the slip of an appointment. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Schedule, Slot } from 'fhir/r4'
import { addDays, clockText, dateText, dayText, startOfDay } from '../../../dashboard/fhir/time.ts'
import {
  type Dashboard,
  findingsInBothSchemes,
  findingsOf,
  fitsItsWidth,
  startDashboard,
} from '../../support/dashboard.ts'
import { freeDay, nextHoliday, OKAFOR, visitIn, ZONE } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'

let dashboard: Dashboard
/** A working day with one visit, and its free slots. */
let day: string
let slots: readonly Slot[]

beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 10 })
  ;({ day, slots } = await freeDay(fhir))
  const visit = visitIn(slots[0] as Slot, 'abernathy-ruth', {
    ...{ id: 'printed', description: 'Cough <b>and</b> fever', appointmentType: { text: 'CHECKUP' } },
  })
  visit.participant.push({ status: 'accepted', actor: { reference: 'Practitioner/practitioner-okafor' } })
  await put(fhir, visit)
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)
const countOf = async (path: string): Promise<number> => (await fhir('GET', `${path}&_summary=count`)).body.total
const within = (name: string) => `${name}=ge${startOfDay(day, ZONE)}&${name}=lt${startOfDay(addDays(day, 1), ZONE)}`

test('a month counts visits and free times of each day in one request, and a click opens the day', async () => {
  const page = await dashboard.signedIn()
  const requests: string[] = []
  page.on('request', (request) => {
    if (/\/(Slot|Appointment)\?/.test(request.url())) requests.push(request.url())
  })
  await page.goto(`${dashboard.server.url}/dashboard/schedule?day=${day}&view=month&who=${OKAFOR}`)
  const free = await countOf(`/Slot?status=free&schedule=${OKAFOR}&${within('start')}`)
  const visits = await countOf(`/Appointment?status=booked&actor=practitioner-okafor&${within('date')}`)
  const cell = page.getByRole('link').filter({ has: page.getByTitle(dayText(startOfDay(day, ZONE), ZONE)) })
  await cell.getByText(`${free} free`).waitFor()
  await cell.getByText(`${visits} visit`).waitFor()
  expect(requests).toEqual([])
  expect(await findingsInBothSchemes(page)).toEqual([])
  await cell.focus()
  await page.keyboard.press('Enter')
  await page
    .getByRole('group', { name: /^Dr. Amara Okafor/ })
    .getByText('Ruth Abernathy')
    .waitFor()
  expect(new URL(page.url()).searchParams.get('who')).toBe(OKAFOR)
})

test('a month names its holidays, fits a telephone, and leads to the next one', async () => {
  const schedule: Schedule = (await fhir('GET', `/Schedule/${OKAFOR}`)).body
  const holiday = nextHoliday(schedule)
  const month = addDays(`${holiday?.start.slice(0, 7)}-01`, -1)
  const page = await dashboard.signedIn(`/schedule?day=${month}&view=month`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Next month' }).click()
  const named = page
    .getByRole('link')
    .filter({ has: page.getByTitle(dayText(startOfDay(holiday?.start ?? '', ZONE), ZONE)) })
  await named.getByText(holiday?.description ?? 'a holiday').waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
})

test('a day is printed as a list for each practitioner, without what is around the page', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=day`)
  await page.getByRole('link', { name: 'Print…' }).click()
  const list = page.getByRole('region', { name: /^Dr. Amara Okafor/ })
  const row = list.getByRole('row', { name: /Ruth Abernathy/ })
  await row.waitFor()
  const text = await row.innerText()
  const patient = (await fhir('GET', '/Patient/abernathy-ruth')).body
  for (const part of [
    clockText(slots[0]?.start ?? '', ZONE),
    dateText(patient.birthDate),
    'CHECKUP',
    'Cough <b>and</b> fever',
  ])
    expect(text).toContain(part)
  expect(text.replace(/\D/g, '')).toContain(patient.telecom[0].value.slice(-4))
  expect(await findingsOf(page)).toEqual([])
  await page.emulateMedia({ media: 'print' })
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Print' }).waitFor({ state: 'hidden' })
  expect(await row.isVisible()).toBe(true)
})

test('the slip of an appointment says when, with whom and where, and one that is not there says so', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=day`)
  await page.getByRole('button', { name: /Ruth Abernathy/ }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Print…' }).click()
  await page.getByRole('heading', { name: 'Appointment of Ruth Abernathy' }).waitFor()
  for (const text of [dayText(slots[0]?.start ?? '', ZONE), 'Dr. Amara Okafor MD', 'CHECKUP'])
    await page.getByText(text).first().waitFor()
  expect(await page.getByText('Cough').count()).toBe(0)
  expect(await findingsOf(page)).toEqual([])
  await page.goto(`${dashboard.server.url}/dashboard/schedule/slip/none`)
  await page.getByText('There is no such appointment').waitFor()
})

test('nothing of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
