/** Time of a practitioner that is blocked with a reason: the visits in it, the schedule, and how it is taken back. */
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Appointment, Schedule, Slot } from 'fhir/r4'
import type { Locator, Page } from 'playwright-core'
import { availabilityOf } from '../../../dashboard/fhir/availability.ts'
import { clockText, wallTime } from '../../../dashboard/fhir/time.ts'
import {
  type Dashboard,
  findingsInBothSchemes,
  findingsOf,
  fitsItsWidth,
  startDashboard,
} from '../../support/dashboard.ts'
import { freeDay, OKAFOR, visitIn, ZONE } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'

/** The ids of the visits of a test, which differ from one to another. */
let visits: readonly string[] = []
let tests = 0

let dashboard: Dashboard
/** A working day that is all free. */
let day: string
let afternoon: readonly Slot[]
let hours: Schedule

beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 10 })
  const free = await freeDay(fhir)
  day = free.day
  const afterLunch = Date.parse(wallTime(`${day}T13:00:00`, ZONE))
  afternoon = free.slots.filter(({ start }) => Date.parse(start) >= afterLunch)
  hours = (await fhir('GET', `/Schedule/${OKAFOR}`)).body
})
afterAll(() => dashboard?.close())

/** Three visits of the afternoon, whatever the test before has left. */
beforeEach(async () => {
  await put(fhir, hours)
  await fhir('POST', `/Schedule/${OKAFOR}/$generate-slots`)
  const booked = await search<Appointment>(`/Appointment?date=ge${day}&status=booked&_count=200`)
  for (const { id } of booked.filter(({ description }) => description === OURS))
    await fhir('DELETE', `/Appointment/${id}`)
  tests += 1
  visits = ['one', 'two', 'three'].map((name) => `${name}-${tests}`)
  for (const [index, id] of visits.entries()) {
    await put(fhir, visitIn(afternoon[index] as Slot, `${PATIENTS[index]}`, { id, description: OURS }))
  }
})

const OURS = 'Visits of this test'
const PATIENTS = ['abernathy-ruth', 'goldberg-samuel', 'haddad-layla']

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)
const search = async <T>(path: string): Promise<readonly T[]> =>
  ((await fhir('GET', path)).body.entry ?? []).map(({ resource }: { resource: T }) => resource)

const visit = async (id: string): Promise<Appointment> => (await fhir('GET', `/Appointment/${id}`)).body
const slotOf = async (index: number) => (await visit(visits[index] ?? '')).slot?.[0]?.reference
const absences = async () => availabilityOf((await fhir('GET', `/Schedule/${OKAFOR}`)).body)?.absences ?? []
const freeInAfternoon = async (): Promise<number> =>
  (
    await search<Slot>(
      `/Slot?schedule=${OKAFOR}&status=free&start=ge${afternoon[0]?.start}&start=lt${afternoon.at(-1)?.end}`,
    )
  ).length
const openDay = () => dashboard.signedIn(`/schedule?day=${day}&view=day&who=${OKAFOR}`)
const column = (page: Page): Locator => page.getByRole('group', { name: /^Dr. Amara Okafor/ })

/** The dialog, with the visits of the afternoon in it. */
async function blocking(page: Page, reason: string): Promise<Locator> {
  await page.getByRole('button', { name: 'Block time…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Block time' })
  await dialog.getByLabel('Reason').fill(reason)
  await dialog.getByText('3 visits are in this time:').waitFor()
  return dialog
}

const choiceOf = (dialog: Locator, patient: string): Locator => dialog.getByRole('combobox', { name: patient })

test('time is blocked with its reason; the visits in it are moved and cancelled, and all of it is undone', async () => {
  const page = await openDay()
  const dialog = await blocking(page, 'Training in Albany')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await choiceOf(dialog, 'Ruth Abernathy').selectOption('same')
  await choiceOf(dialog, 'Samuel Goldberg').selectOption('other')
  await choiceOf(dialog, 'Layla Haddad').selectOption('cancel')
  await dialog.getByRole('button', { name: 'Block the time' }).click()
  await page.getByText('The time is blocked. 3 visits are changed.').waitFor()
  await column(page)
    .getByRole('button', { name: `Training in Albany, ${clockText(wallTime(`${day}T12:00:00`, ZONE), ZONE)}–` })
    .waitFor()
  expect(await absences()).toContainEqual({
    start: wallTime(`${day}T12:00:00`, ZONE),
    end: afternoon.at(-1)?.end,
    description: 'Training in Albany',
  })
  const [one, two, three] = await Promise.all(visits.map(visit))
  expect(Date.parse(one?.start ?? '')).toBeGreaterThanOrEqual(Date.parse(afternoon.at(-1)?.end ?? ''))
  expect(two?.slot?.[0]?.reference).not.toContain('okafor')
  expect(three).toMatchObject({ status: 'cancelled', cancelationReason: { coding: [{ code: 'prov-pers' }] } })
  expect(JSON.stringify(three)).not.toContain('Training')
  expect(await freeInAfternoon()).toBe(0)

  await page.getByRole('button', { name: 'Undo' }).click()
  await column(page)
    .getByRole('button', { name: /Layla Haddad/ })
    .waitFor()
  expect(await absences()).toEqual(availabilityOf(hours)?.absences)
  expect(await slotOf(0)).toBe(`Slot/${afternoon[0]?.id}`)
  expect(await slotOf(1)).toBe(`Slot/${afternoon[1]?.id}`)
  expect(await freeInAfternoon()).toBe(afternoon.length - 3)
})

test('blocked time is taken back later by the keys alone, and that is undone', async () => {
  const page = await openDay()
  const dialog = await blocking(page, 'School play')
  for (const patient of ['Ruth Abernathy', 'Samuel Goldberg', 'Layla Haddad'])
    await choiceOf(dialog, patient).selectOption('leave')
  await dialog.getByRole('button', { name: 'Block the time' }).click()
  const shade = column(page).getByRole('button', { name: /^School play, / })
  await shade.waitFor()
  await column(page)
    .getByRole('button', { name: /Ruth Abernathy/ })
    .waitFor()
  await column(page).getByRole('button', { name: / free/ }).last().focus()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^School play/)
  await page.keyboard.press('Enter')
  const away = page.getByRole('dialog', { name: 'School play' })
  await away.getByText('Dr. Amara Okafor').waitFor()
  expect(await findingsOf(page)).toEqual([])
  await away.getByRole('button', { name: 'Take it back' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('is taken back; its time is free again.').waitFor()
  await shade.waitFor({ state: 'detached' })
  expect(await freeInAfternoon()).toBe(afternoon.length - 3)
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await shade.waitFor()
  expect(await freeInAfternoon()).toBe(0)
})

test('a visit that could not be moved is told at its place, and tried again; the server may be away in between', async () => {
  const page = await openDay()
  const dialog = await blocking(page, 'Sick')
  await page.route(/Appointment\/two-\d+\/\$(reschedule|cancel)/, (route) => route.abort())
  await dialog.getByRole('button', { name: 'Block the time' }).click()
  await dialog.getByRole('alert').getByText('1 of the visits in it could not be changed').waitFor()
  await choiceOf(dialog, 'Samuel Goldberg').waitFor()
  expect(await slotOf(1)).toBe(`Slot/${afternoon[1]?.id}`)
  expect((await absences()).map(({ description }) => description)).toContain('Sick')
  await page.unroute(/Appointment\/two-\d+\/\$(reschedule|cancel)/)
  await dialog.getByText('1 visit is in this time:').waitFor()
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('The time is blocked. 3 visits are changed.').waitFor()
  expect(await slotOf(1)).not.toBe(`Slot/${afternoon[1]?.id}`)
  expect((await absences()).filter(({ description }) => description === 'Sick')).toHaveLength(1)
})

test('a span that ends before it begins is refused, and on a telephone nothing is cut off', async () => {
  const page = await dashboard.signedIn(`/schedule?day=${day}&view=list&block=${OKAFOR}`, {
    viewport: { width: 390, height: 844 },
  })
  const dialog = page.getByRole('dialog', { name: 'Block time' })
  await dialog.getByLabel('Reason').fill('<b>מסיבה</b>')
  await dialog.getByLabel('Until').fill(`${day}T08:00`)
  await dialog.getByRole('button', { name: 'Block the time' }).click()
  await dialog.getByText('It ends before it begins.').waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  expect(await findingsOf(page)).toEqual([])
  await dialog.getByLabel('Until').fill(`${day}T13:00`)
  await dialog.getByText('No visits are booked in this time.').waitFor()
  await dialog.getByRole('button', { name: 'Block the time' }).click()
  await page.getByText('<b>מסיבה</b>').first().waitFor()
  await page
    .getByText(`${clockText(wallTime(`${day}T12:00:00`, ZONE), ZONE)}–`)
    .first()
    .waitFor()
})

test('nothing of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
