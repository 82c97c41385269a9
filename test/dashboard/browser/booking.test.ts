/** Booking: kinds of visit, holds, repeats, whom a visit may be for, and what a visit says of itself. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Appointment, Bundle, Slot } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { clockText } from '../../../dashboard/fhir/time.ts'
import {
  type Dashboard,
  findingsOf,
  fitsItsWidth,
  inNotice,
  leftoversOf,
  startDashboard,
} from '../../support/dashboard.ts'
import { freeDay, OKAFOR, slotAmong, visitIn, ZONE } from '../../support/demo-schedule.ts'
import { until } from '../../support/server-process.ts'

let dashboard: Dashboard
/** A day of the clinic that is all free. */
let day: string
let slots: readonly Slot[]

beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 24 })
  ;({ day, slots } = await freeDay(fhir))
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  dashboard.server.fhir(method, path, body, headers)

const slotAt = (time: string): Slot => slotAmong(slots, time)

/** The time as the page shows it. */
const shown = (time: string): string => clockText(slotAt(time).start, ZONE)
const visit = (page: Page, time: string, text: string) =>
  page.getByRole('button', { name: new RegExp(`^${shown(time)}.*${text}`) })

const statusAt = async (time: string) => (await fhir('GET', `/Slot/${slotAt(time).id}`)).body.status
const visitsAt = async (time: string, status = 'booked'): Promise<readonly Appointment[]> => {
  const { body } = await fhir('GET', `/Appointment?slot=Slot/${slotAt(time).id}&status=${status}`)
  return (body as Bundle<Appointment>).entry?.flatMap(({ resource }) => resource ?? []) ?? []
}
async function taken(slot: Slot): Promise<void> {
  const { status, text } = await fhir('POST', '/Appointment', visitIn(slot, 'ito-kenji'))
  if (status !== 201) throw new Error(text)
}

const openList = (options = {}) => dashboard.signedIn(`/schedule?day=${day}&view=list&who=${OKAFOR}`, options)
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Book a visit' })

async function openBooking(page: Page, time: string) {
  await page.getByRole('button', { name: `Book ${shown(time)}` }).click()
  await dialogOf(page).getByText('The time is kept for you').waitFor()
  return dialogOf(page)
}

async function choosePatient(page: Page, typed: string, name: string): Promise<void> {
  await dialogOf(page).getByRole('combobox', { name: 'Patient' }).fill(typed)
  await page.getByRole('option', { name }).click()
}

const chooseKind = (page: Page, label: string) => dialogOf(page).getByLabel('Kind of visit').selectOption({ label })

const book = (page: Page) => dialogOf(page).getByRole('button', { name: 'Book', exact: true }).click()

test('the time is held while the dialog is open, others see it held, and it is free once the dialog is closed', async () => {
  const [page, other] = await Promise.all([openList(), openList()])
  const dialog = await openBooking(page, '08:30')
  expect(await statusAt('08:30')).toBe('busy-tentative')
  await visit(other, '08:30', 'Being booked.*Held').waitFor()
  await dialog.getByText('The time is kept for you for 5 minutes.').waitFor()
  await dialog.getByLabel('Reason').focus()
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await other.getByRole('button', { name: `Book ${shown('08:30')}` }).waitFor()
  expect(await statusAt('08:30')).toBe('free')
  // The focus is where it came from, although that button was gone meanwhile.
  await page
    .locator(':focus')
    .getByText(`Book ${shown('08:30')}`)
    .waitFor()
})

test('a hold that somebody else ends is said to be over, is taken again by a button, and books in the end', async () => {
  const page = await openList()
  const dialog = await openBooking(page, '09:00')
  const [held] = await visitsAt('09:00', 'pending')
  await fhir('POST', `/Appointment/${held?.id}/$cancel`, { resourceType: 'Parameters' })
  await dialog.getByText('The time is not kept any more').waitFor()
  await dialog.getByRole('button', { name: 'Keep it again' }).click()
  await dialog.getByText('The time is kept for you').waitFor()
  await choosePatient(page, 'aber ru', 'Ruth Abernathy')
  await book(page)
  await visit(page, '09:00', 'Ruth Abernathy').waitFor()
  expect(await visitsAt('09:00')).toHaveLength(1)
})

test('a kind of visit takes as long as it does, also where the time was clicked for less; what is booked names it', async () => {
  const page = await openList()
  const dialog = await openBooking(page, '10:00')
  await chooseKind(page, 'Routine check-up, 60 minutes')
  await dialog.getByText(new RegExp(`${shown('10:00')} to ${shown('10:30').replace('10:30', '11:00')}`)).waitFor()
  await dialog.getByText('The time is kept for you').waitFor()
  await until(async () => (await statusAt('10:30')) === 'busy-tentative')
  await choosePatient(page, 'goldberg', 'Samuel Goldberg')
  await book(page)
  await visit(page, '10:00', 'Samuel Goldberg').waitFor()
  const [booked] = await visitsAt('10:30')
  expect(booked?.appointmentType?.coding?.[0]?.code).toBe('CHECKUP')
  expect(booked?.slot).toHaveLength(2)
})

test('a kind that is longer than the free time says so, and offers the times that are long enough', async () => {
  const page = await openList()
  const dialog = await openBooking(page, '09:30')
  await chooseKind(page, 'Routine check-up, 60 minutes')
  await dialog
    .getByRole('alert')
    .getByText(`Routine check-up takes 60 minutes, which are not free from ${shown('09:30')}.`)
    .waitFor()
  expect(await dialog.getByRole('button', { name: 'Book', exact: true }).isDisabled()).toBe(true)
  const times = dialog.getByRole('group', { name: 'Free times' })
  await times
    .getByRole('radio', { name: shown('13:00') })
    .first()
    .waitFor({ state: 'attached' })
})

test('of two people who book one time one gets the sentence of the server and the other free times', async () => {
  const page = await openList()
  const dialog = await openBooking(page, '15:00')
  await choosePatient(page, 'aber ru', 'Ruth Abernathy')
  const [held] = await visitsAt('15:00', 'pending')
  // The page does not hear that the hold is over and the time is taken.
  await page.route(/\/(Slot|Appointment)(\?|\/[^$]*$)/, (route) =>
    route.request().method() === 'GET' ? undefined : route.continue(),
  )
  await fhir('POST', `/Appointment/${held?.id}/$cancel`, { resourceType: 'Parameters' })
  await taken(slotAt('15:00'))
  const answered = page.waitForResponse(/\$book/)
  await book(page)
  const answer = await answered
  expect(answer.status()).toBe(409)
  await dialog.getByText((await answer.json()).issue[0].diagnostics).waitFor()
  await page.unrouteAll()
  await dialog.getByRole('combobox', { name: 'Practitioner' }).waitFor()
})

test('a server that is away while the dialog is open loses nothing of it', async () => {
  const page = await openList()
  const dialog = await openBooking(page, '14:00')
  await choosePatient(page, 'aber ru', 'Ruth Abernathy')
  await dialog.getByLabel('Reason').fill('Cough')
  await page.route(/\$book/, (route) => route.abort())
  await book(page)
  await dialog.getByText('The server is not responding.').waitFor()
  await page.unrouteAll()
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('Cough')
  await book(page)
  await visit(page, '14:00', 'Ruth Abernathy').waitFor()
})

test('nobody is booked who has died, and a record that was merged leads to the one that took its place', async () => {
  await fhir('PUT', '/Patient/gone', {
    resourceType: 'Patient',
    id: 'gone',
    name: [{ family: 'Gonewell', given: ['Ada'] }],
    deceasedDateTime: '2026-02-03',
  })
  await fhir('PUT', '/Patient/merged', {
    resourceType: 'Patient',
    id: 'merged',
    active: false,
    name: [{ family: 'Twicewell', given: ['Bo'] }],
    link: [{ type: 'replaced-by', other: { reference: 'Patient/ito-kenji' } }],
  })
  const page = await openList()
  const dialog = await openBooking(page, '11:30')
  await choosePatient(page, 'gonewell', 'Ada Gonewell')
  await dialog.getByRole('status').getByText('The patient died on').waitFor()
  await book(page)
  await dialog.getByRole('alert').getByText('The patient died on').waitFor()
  await choosePatient(page, 'twicewell', 'Bo Twicewell')
  await dialog.getByRole('button', { name: 'Book for Kenji Ito' }).click()
  await book(page)
  await visit(page, '11:30', 'Kenji Ito').waitFor()
})

test('a visit shows the phone, the birth date, who booked it and where it was before; an early arrival is not offered', async () => {
  const page = await openList()
  await openBooking(page, '16:00')
  await choosePatient(page, 'aber ru', 'Ruth Abernathy')
  await dialogOf(page).getByLabel('Reason').fill('Cough')
  await book(page)
  await visit(page, '16:00', 'Ruth Abernathy').click()
  const dialog = page.getByRole('dialog', { name: 'Ruth Abernathy' })
  await dialog.getByRole('button', { name: 'Move…' }).click()
  const moving = page.getByRole('dialog', { name: 'Move the visit of' })
  await moving.getByText(shown('16:30'), { exact: true }).first().click()
  await moving.getByRole('button', { name: /^Move to / }).click()
  await visit(page, '16:30', 'Ruth Abernathy').click()
  expect(await dialog.getByRole('link', { name: /^\+1|^\(/ }).getAttribute('href')).toMatch(/^tel:\+\d+$/)
  await dialog.getByText(/1941 \(\d+\)/).waitFor()
  await dialog.getByText('Cough').waitFor()
  const history = dialog.getByRole('region', { name: 'History' })
  await history.getByText(new RegExp(`^Moved from .*${shown('16:00')} to .*${shown('16:30')}`)).waitFor()
  await history
    .getByText(/^by .*, at the desk$/)
    .nth(1)
    .waitFor()
  expect(await dialog.getByRole('button', { name: 'Has arrived' }).isDisabled()).toBe(true)
  await dialog.getByText('can be set from two hours before the visit').waitFor()
  expect(await findingsOf(page)).toEqual([])
})

test('a visit is repeated: what is taken gets the nearest free time, what is refused is listed, and one Undo takes all back', async () => {
  const week = 7 * 86_400_000
  const after = async (time: string, weeks: number): Promise<Slot> => {
    const from = new Date(Date.parse(slotAt(time).start) + weeks * week - 7_200_000).toISOString()
    const until = new Date(Date.parse(slotAt(time).start) + weeks * week + 7_200_000).toISOString()
    const { body } = await fhir('GET', `/Slot?schedule=${OKAFOR}&start=ge${from}&start=le${until}&_count=50`)
    return slotAmong(
      body.entry.map(({ resource }: { resource: Slot }) => resource),
      time,
    )
  }
  await taken(await after('13:00', 1))
  const page = await openList()
  const dialog = await openBooking(page, '13:00')
  await choosePatient(page, 'haddad', 'Layla Haddad')
  await dialog.getByLabel('Repeat this visit').check()
  await dialog.getByLabel('Every').selectOption('1')
  await dialog.getByLabel('Visits in all').selectOption('3')
  const later = dialog.getByRole('group', { name: 'Later visits' })
  await later.getByText(`the nearest free time, as ${shown('13:00')} is not free on its day`).waitFor()
  await later.getByText('free', { exact: true }).waitFor()
  expect(await findingsOf(page)).toEqual([])
  // Somebody else is faster with the last one.
  const last = await after('13:00', 2)
  let bookings = 0
  await page.route(/\$book/, async (route) => {
    bookings += 1
    if (bookings === 3) await taken(last)
    await route.continue()
  })
  await book(page)
  const missed = page.getByRole('dialog', { name: 'Some visits are not booked' })
  await missed.getByRole('listitem').waitFor()
  expect(await missed.getByRole('listitem').count()).toBe(1)
  expect(await findingsOf(page)).toEqual([])
  await missed.getByRole('button', { name: 'Done' }).click()
  const booked = async (): Promise<number> =>
    (await fhir('GET', '/Appointment?patient=haddad-layla&status=booked&_total=accurate')).body.total
  const count = await booked()
  await page.getByText('2 visits of Layla Haddad are booked.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await booked()) === count - 2)
})

test('what an Undo could not take back of a series, as the server was away, is taken back when it is tried again', async () => {
  const page = await openList()
  const dialog = await openBooking(page, '15:30')
  await choosePatient(page, 'goldberg', 'Samuel Goldberg')
  await dialog.getByLabel('Repeat this visit').check()
  await dialog.getByLabel('Visits in all').selectOption('2')
  await dialog.getByRole('group', { name: 'Later visits' }).getByText('free', { exact: true }).waitFor()
  await book(page)
  await page.getByText('2 visits of Samuel Goldberg are booked.').waitFor()
  // Somebody else has changed the first one since.
  const [first] = await visitsAt('15:30')
  await fhir('PUT', `/Appointment/${first?.id}`, { ...first, comment: 'Called' })
  const booked = async (): Promise<number> =>
    (await fhir('GET', '/Appointment?patient=goldberg-samuel&status=booked&_total=accurate')).body.total
  const count = await booked()
  const isOfSecond = (url: URL): boolean => url.pathname.endsWith('/$cancel') && !url.pathname.includes(first?.id ?? '')
  await page.route(isOfSecond, (route) => route.abort())
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  const again = inNotice(page, 'Try again')
  await again.waitFor()
  await page.unroute(isOfSecond)
  await again.click()
  await page.getByText('It has been changed since, so nothing is undone.').waitFor()
  expect(await booked()).toBe(count - 1)
})

test('who waits is booked as the entry wishes, and waits again when that is undone', async () => {
  await fhir('PUT', '/Appointment/wishes', {
    resourceType: 'Appointment',
    id: 'wishes',
    status: 'waitlist',
    minutesDuration: 60,
    requestedPeriod: [{ start: day, end: day }],
    participant: [
      { status: 'accepted', actor: { reference: 'Patient/brooks-denise', display: 'Who Waits' } },
      { status: 'tentative', actor: { reference: 'Practitioner/practitioner-okafor' } },
    ],
  })
  const page = await openList()
  const waitlist = page.getByRole('region', { name: 'Waitlist' })
  await waitlist.getByRole('button', { name: 'Book…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Book a visit for' })
  expect(await dialog.getByLabel('From').inputValue()).toBe(day)
  await dialog.getByRole('group', { name: 'Free times' }).getByText(shown('14:30'), { exact: true }).first().click()
  await dialog.getByText('The time is kept for you').waitFor()
  await dialog.getByRole('button', { name: 'Book', exact: true }).click()
  await waitlist.getByText('Nobody waits.').waitFor()
  const { body } = await fhir('GET', '/Appointment/wishes')
  expect(body.status).toBe('booked')
  expect(Date.parse(body.end) - Date.parse(body.start)).toBe(3_600_000)
  await page.getByRole('button', { name: 'Undo' }).click()
  await waitlist.getByRole('button', { name: 'Book…' }).waitFor()
  expect((await fhir('GET', '/Appointment/wishes')).body.status).toBe('cancelled')
})

test('a patient is booked from their page, and the dialog has them chosen', async () => {
  const page = await dashboard.signedIn('/patients/abernathy-ruth?tab=appointments')
  await page.getByRole('link', { name: 'Book a visit…' }).click()
  const search = dialogOf(page).getByRole('combobox', { name: 'Patient' })
  await search.waitFor()
  expect(await search.inputValue()).toBe('Ruth Abernathy')
})

test.each(['light', 'dark'] as const)('the dialog of a booking is accessible and fits, %s', async (colorScheme) => {
  const page = await openList({ colorScheme, viewport: { width: 390, height: 844 } })
  const dialog = await openBooking(page, '17:00')
  // The list of patients, which opens with the focus, closes.
  await dialog.getByLabel('Reason').focus()
  expect(await findingsOf(page)).toEqual([])
  expect(await leftoversOf(page)).toEqual([])
  expect(await fitsItsWidth(page)).toBe(true)
  await dialog.getByRole('button', { name: 'Show free times' }).click()
  await dialog.getByRole('group', { name: 'Free times' }).waitFor()
  expect(await findingsOf(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Not now' }).click()
  await page.getByRole('button', { name: `Book ${shown('17:00')}` }).waitFor()
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
