/** The day and the week as a calendar: all hours in sight, reasons for closed time, keys, and the mark of a drag. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Schedule, Slot } from 'fhir/r4'
import type { Locator, Page } from 'playwright-core'
import { noHours, withAvailability } from '../../../dashboard/fhir/availability.ts'
import { addDays, clockText, dayOf, dayText, startOfDay, wallTime } from '../../../dashboard/fhir/time.ts'
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
/** A working day, and its free slots of one practitioner. */
let day: string
let slots: readonly Slot[]

beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 10 })
  ;({ day, slots } = await freeDay(fhir))
  const [first, second] = slots as [Slot, Slot]
  await put(fhir, visitIn(first, 'abernathy-ruth', { id: 'ruth', appointmentType: { text: 'CHECKUP' } }))
  await put(fhir, visitIn(second, 'goldberg-samuel', { id: 'samuel', appointmentType: { text: 'FOLLOWUP' } }))
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)

const timeOf = (index: number): string => clockText(slots[index]?.start ?? '', ZONE)
/** A time of the clock of that day, as it is written. */
const at = (time: string): string => clockText(wallTime(`${day}T${time}:00`, ZONE), ZONE)
const column = (page: Page, name: string | RegExp): Locator => page.getByRole('group', { name })
const okafor = (page: Page): Locator => column(page, /^Dr. Amara Okafor/)
const freeAt = (page: Page, index: number): Locator =>
  okafor(page).getByRole('button', { name: new RegExp(`^${timeOf(index)} free`) })

describe('all hours of a day are in sight', () => {
  test.each([
    [1024, 768, 'day'],
    [1440, 900, 'day'],
    [1024, 768, 'week'],
  ])('at %i by %i pixels, in the %3$s', async (width, height, view) => {
    const who = view === 'week' ? OKAFOR : ''
    const options = { viewport: { width, height } }
    const page = await dashboard.signedIn(`/schedule?day=${day}&view=${view}&who=${who}`, options)
    await freeAtEnd(page, view).waitFor()
    for (const time of [page.getByRole('button', { name: /Ruth Abernathy/ }), freeAtEnd(page, view)]) {
      const box = await time.boundingBox()
      expect(box?.y).toBeGreaterThan(0)
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(height)
    }
    const frame = column(page, view === 'week' ? /^Week of/ : /^Day$/)
    expect(await frame.evaluate((inner) => inner.scrollWidth <= (inner.parentElement?.clientWidth ?? 0))).toBe(true)
    expect(await fitsItsWidth(page)).toBe(true)
  })

  const freeAtEnd = (page: Page, view: string): Locator =>
    column(page, view === 'week' ? dayText(startOfDay(day, ZONE), ZONE) : /^Dr. Amara Okafor/)
      .getByRole('button', { name: / free/ })
      .last()
})

test('free and taken times are told apart in words, with the kind of visit', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=day`)
  await okafor(page)
    .getByRole('button', {
      name: new RegExp(`^${timeOf(0)} Ruth Abernathy · CHECKUP to ${timeOf(1)}, Booked, Dr. Amara`),
    })
    .waitFor()
  await freeAt(page, 2).waitFor()
  const legend = page.getByText('free: click to book').locator('..')
  expect(await legend.innerText()).toMatch(/CHECKUP[\s\S]*FOLLOWUP/)
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('the arrow keys walk through the times of a day and to the next practitioner, and Enter opens one', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=day`)
  await freeAt(page, 2).focus()
  await page.keyboard.press('ArrowUp')
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  expect(await focused()).toMatch(/Samuel Goldberg/)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toMatch(new RegExp(`^${timeOf(3)} free`))
  await page.keyboard.press('ArrowRight')
  expect(await focused()).toMatch(/Lindqvist/)
  await page.keyboard.press('ArrowLeft')
  expect(await focused()).toMatch(/Okafor/)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
})

test('while a visit is dragged, the time at which it would be is marked and said, and so is where nothing is free', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=day`)
  const visit = page.getByRole('button', { name: /Samuel Goldberg/ })
  const goal = await freeAt(page, 6).boundingBox()
  const from = await visit.boundingBox()
  if (goal === null || from === null) throw new Error('Nothing is there to drag')
  const said = (text: string) =>
    page
      .getByRole('status')
      .filter({ hasText: `Samuel Goldberg: ${text}` })
      .waitFor()
  await page.mouse.move(from.x + 20, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(goal.x + 20, goal.y + goal.height / 2, { steps: 4 })
  await said(`to ${timeOf(6)}, Dr. Amara Okafor`)
  const rest = await page
    .getByText(/^Break, /)
    .first()
    .boundingBox()
  await page.mouse.move((rest?.x ?? 0) + 20, (rest?.y ?? 0) + (rest?.height ?? 0) / 2, { steps: 4 })
  await said('nothing is free there')
  await page.mouse.up()
  await page.getByText('No 30 minutes are free there.').waitFor()
  expect((await fhir('GET', '/Appointment/samuel')).body.slot[0].reference).toBe(`Slot/${slots[1]?.id}`)
})

describe('reasons for which nobody works are drawn', () => {
  test('a break, in the day and in the list', async () => {
    const page = await dashboard.signedIn(`/schedule?day=${day}&view=day&who=${OKAFOR}`)
    await okafor(page)
      .getByText(`Break, ${at('12:00')}–${at('13:00')}`)
      .waitFor()
    await page.getByText('List', { exact: true }).click()
    await page.getByText('Break', { exact: true }).waitFor()
  })

  test('a public holiday, at the top of the day and in the week', async () => {
    const schedule: Schedule = (await fhir('GET', `/Schedule/${OKAFOR}`)).body
    const holiday = nextHoliday(schedule)
    const reason = holiday?.description ?? 'a holiday'
    const page = await dashboard.signedIn(`/schedule?day=${holiday?.start}&view=day`)
    await page.getByRole('status').getByText(`is closed: ${reason}.`).waitFor()
    await okafor(page).getByText(`${reason}, all day`).waitFor()
    await page.getByText('Week', { exact: true }).click()
    await page.getByText(`${reason}, all day`).waitFor()
  })

  test('a holiday of today says so at the top, in a high contrast, too', async () => {
    const today = dayOf(Date.now(), ZONE)
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
    const absences = [{ start: today, end: today, description: 'Day of <i>the</i> Republic' }]
    const hours = { ...noHours, weekly: [{ days, from: '09:00', until: '17:00', type: '' }], absences }
    const bare: Schedule = { resourceType: 'Schedule', id: 'today', actor: [{ display: 'Closed Today' }] }
    await put(fhir, withAvailability(bare, hours).schedule)
    const page = await dashboard.signedIn('/schedule?view=day&who=today', { forcedColors: 'active' })
    await page.getByRole('status').getByText('Today is closed: Day of <i>the</i> Republic.').waitFor()
    await column(page, 'Closed Today').getByText('Day of <i>the</i> Republic, all day').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await fhir('DELETE', '/Schedule/today')
  })
})

test('a practitioner without hours has a column that says so, and a line shows the time of the clinic, not of the browser', async () => {
  const actor = (id: string, display: string) => [{ reference: `Practitioner/${id}`, display }]
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
  const always = { ...noHours, horizonDays: '1', weekly: [{ days, from: '00:00', until: '00:00', type: '' }] }
  const bare: Schedule = { resourceType: 'Schedule', id: 'bare', actor: actor('practitioner-okafor', 'Without Hours') }
  const night: Schedule = { resourceType: 'Schedule', id: 'night', actor: actor('practitioner-okafor', 'At Night') }
  await put(fhir, bare)
  await put(fhir, withAvailability(night, always).schedule)
  const page = await dashboard.signedIn('/schedule?view=day&who=bare,night')
  await page.getByText('No working hours').waitFor()
  const shown = page.locator('[class*=clock]')
  await shown.waitFor()
  const minutes = [0, 1].map((ago) => clockText(Date.now() - ago * 60_000, ZONE))
  expect(minutes).toContain(await shown.innerText())
  for (const id of ['bare', 'night']) await fhir('DELETE', `/Schedule/${id}`)
})

test('thirty practitioners with long names and names from right to left stand side by side, and the page keeps its width', async () => {
  const long = 'Wolfeschlegelsteinhausenbergerdorff '.repeat(6)
  const ids = Array.from({ length: 27 }, (_, index) => `crowd-${index}`)
  for (const [index, id] of ids.entries()) {
    const display = index % 2 === 0 ? `${long}${index}` : `ד״ר יעל כהן <b>${index}</b>`
    await put(fhir, { resourceType: 'Schedule', id, actor: [{ display, identifier: { value: id } }] })
  }
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=day`, {
    viewport: { width: 1024, height: 768 },
  })
  await column(page, 'ד״ר יעל כהן <b>25</b>').waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  expect(await findingsOf(page)).toEqual([])
  for (const id of ids) await fhir('DELETE', `/Schedule/${id}`)
})

test('five hundred visits of a week are shown, each in its place, and the arrow keys still walk through them', async () => {
  const monday = addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))
  const schedule: Schedule = { resourceType: 'Schedule', id: 'full', actor: [{ display: 'Full' }] }
  await put(fhir, schedule)
  const entry = Array.from({ length: 500 }, (_, index) => {
    const on = addDays(monday, Math.floor(index / 100))
    const minutes = 8 * 60 + (index % 100) * 5
    const start = new Date(Date.parse(startOfDay(on, ZONE)) + minutes * 60_000).toISOString()
    const end = new Date(Date.parse(start) + 300_000).toISOString()
    const slot = { ...{ resourceType: 'Slot', id: `full-${index}`, status: 'busy' }, ...{ start, end } }
    const visit = {
      ...{ resourceType: 'Appointment', id: `full-${index}`, status: 'fulfilled', start, end },
      slot: [{ reference: `Slot/full-${index}` }],
      participant: [{ status: 'accepted', actor: { display: `Patient ${index}` } }],
    }
    return [{ ...slot, schedule: { reference: 'Schedule/full' } }, visit].map((resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }))
  }).flat()
  for (let from = 0; from < entry.length; from += 250) {
    const bundle = { resourceType: 'Bundle', type: 'batch', entry: entry.slice(from, from + 250) }
    const { body } = await fhir('POST', '/', bundle)
    const wrong = body.entry?.find(({ response }: { response: { status: string } }) => !response.status.startsWith('2'))
    if (wrong !== undefined || body.entry === undefined) throw new Error(JSON.stringify(wrong ?? body))
  }
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=week&who=full`)
  const visits = page.getByRole('group', { name: 'Week of Full' }).getByRole('button', { name: / to .*Done, Full/ })
  await visits.nth(499).waitFor()
  await visits.first().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('ArrowRight')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/Nobody is named|Patient/)
  for (const { resource } of entry.toReversed()) await fhir('DELETE', `/${resource.resourceType}/${resource.id}`)
  await fhir('DELETE', '/Schedule/full')
})

test('nothing that the calendar does is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
