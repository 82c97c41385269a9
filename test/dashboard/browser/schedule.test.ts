/** The schedule: booking, moving, cancelling, working hours, and the times of a clinic that is far from the browser. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Appointment, Schedule, Slot } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { addDays, clockText, dayText } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'
import { freeDays, OKAFOR, slotAmong, visitIn, ZONE } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'

let dashboard: Dashboard
/** A day of the clinic that is all free, and so is the one after it. */
let day: string
let slots: readonly Slot[]

beforeAll(async () => {
  // With weekends and holidays in it, there are two such days.
  dashboard = await startDashboard({}, { slotDays: 10 })
  const days = await freeDays(fhir)
  day = [...days.keys()].find((one) => days.has(addDays(one, 1))) ?? ''
  slots = days.get(day) ?? []
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  dashboard.server.fhir(method, path, body, headers)

const slotAt = (time: string): Slot => slotAmong(slots, time)
const booked = (id: string, patient: string, time: string) => put(fhir, visitIn(slotAt(time), patient, { id }))
const appointment = async (id: string): Promise<Appointment> => (await fhir('GET', `/Appointment/${id}`)).body
const slotOf = async (id: string) => (await appointment(id)).slot?.[0]?.reference
const openDay = (view = 'day', who = '') => dashboard.signedIn(`/schedule?day=${day}&view=${view}&who=${who}`)
const cell = (page: Page, time: string) =>
  page.getByRole('button', { name: new RegExp(`^${clockText(slotAt(time).start, ZONE)} free.*Dr. Amara Okafor`) })
const visit = (page: Page, text: string) => page.getByRole('button', { name: text })

/** A free slot of the same practitioner on the next day, which is in that week. */
async function freeNextDay(): Promise<Slot> {
  const { body } = await fhir('GET', `/Slot?schedule=${OKAFOR}&status=free&start=gt${day}&_sort=start&_count=1`)
  return body.entry[0].resource
}

/** Presses Tab until an element of the kind whose text begins so has the focus. */
async function tabTo(page: Page, text: string, kind = ''): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab')
    const isThere = await page.evaluate(
      ([start = '', type = '']) => {
        const focused = document.activeElement
        const isOfKind = type === '' || focused?.getAttribute('type') === type
        return isOfKind && (focused?.textContent ?? '').startsWith(start)
      },
      [text, kind],
    )
    if (isThere) return
  }
  throw new Error(`Tab does not lead to ${text} ${kind}`)
}

test('a free time is booked for a patient without a mouse, by the id of its slot; for a while it can be undone', async () => {
  const page = await openDay('list', OKAFOR)
  const button = page.getByRole('button', { name: 'Book 8:30 AM' })
  await button.focus()
  await page.keyboard.press('Enter')
  const search = page.getByRole('dialog').getByLabel('Patient')
  await search.fill('aber ru')
  await page.getByRole('option', { name: 'Ruth Abernathy' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByLabel('Reason').fill('Cough')
  await page.keyboard.press('Enter')
  await visit(page, '8:30 AM–9:00 AM Ruth Abernathy').waitFor()
  const found = await fhir('GET', `/Appointment?patient=abernathy-ruth&date=${day}`)
  expect(
    found.body.entry.map(({ resource }: { resource: Appointment }) => [resource.slot, resource.description]),
  ).toEqual([[[{ reference: `Slot/${slotAt('08:30').id}` }], 'Cough']])
  await page.getByRole('button', { name: 'Undo' }).click()
  await button.waitFor()
})

test('a visit that is dragged moves at once, and goes back by Undo', async () => {
  await booked('dragged', 'abernathy-ruth', '09:00')
  const page = await openDay()
  await visit(page, '9:00 AM Ruth Abernathy').dragTo(cell(page, '10:00'))
  await visit(page, '10:00 AM Ruth Abernathy').waitFor()
  await page.getByText('Ruth Abernathy is moved to').waitFor()
  expect(await slotOf('dragged')).toBe(`Slot/${slotAt('10:00').id}`)
  await page.getByRole('button', { name: 'Undo' }).click()
  await visit(page, '9:00 AM Ruth Abernathy').waitFor()
  expect(await slotOf('dragged')).toBe(`Slot/${slotAt('09:00').id}`)
})

test('a visit that is dropped on a time that somebody has taken meanwhile goes back, with the sentence of the server and what is free', async () => {
  await booked('refused', 'goldberg-samuel', '10:30')
  const page = await openDay()
  await visit(page, '10:30 AM Samuel Goldberg').waitFor()
  // From now on the page cannot see changes by others.
  await page.route(/\/(Slot|Appointment)\?/, () => undefined)
  await booked('faster', 'abernathy-ruth', '11:30')
  const answered = page.waitForResponse(/reschedule/)
  await visit(page, '10:30 AM Samuel Goldberg').dragTo(cell(page, '11:30'))
  const answer = await answered
  expect(answer.status()).toBe(409)
  await visit(page, '10:30 AM Samuel Goldberg').waitFor()
  const sentence = (await answer.json()).issue[0].diagnostics
  await page.getByText(sentence).waitFor()
  await page.unroute(/\/(Slot|Appointment)\?/)
  await page.getByRole('button', { name: 'Show free times' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move the visit of Samuel Goldberg' })
  await dialog.getByText('3:00 PM', { exact: true }).first().click()
  await dialog.getByRole('button', { name: /^Move to .*3:00 PM$/ }).click()
  await page.getByText('Samuel Goldberg is moved to').waitFor()
  expect(await slotOf('refused')).toBe(`Slot/${slotAt('15:00').id}`)
})

test('a visit is cancelled with its reason, and one that was missed is only marked when nobody has undone it', async () => {
  await booked('off', 'abernathy-ruth', '16:00')
  const page = await openDay('list', OKAFOR)
  await visit(page, '4:00 PM–4:30 PM Ruth Abernathy').click()
  await page.getByRole('dialog').getByRole('button', { name: 'No-show' }).click()
  await visit(page, '4:00 PM–4:30 PM Ruth Abernathy No-show').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await visit(page, '4:00 PM–4:30 PM Ruth Abernathy Booked').click()
  expect((await appointment('off')).status).toBe('booked')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the visit…' }).click()
  await page.getByRole('dialog').getByLabel('The patient feels better').check()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the visit', exact: true }).click()
  await page.getByRole('button', { name: 'Book 4:00 PM' }).waitFor()
  expect(await appointment('off')).toMatchObject({
    status: 'cancelled',
    cancelationReason: { coding: [{ code: 'pat-fb' }] },
  })
})

test('a visit is moved by the keyboard alone', async () => {
  await booked('keys', 'goldberg-samuel', '13:30')
  const page = await openDay('list', OKAFOR)
  await visit(page, '1:30 PM–2:00 PM Samuel Goldberg').waitFor()
  await tabTo(page, '1:30 PM–2:00 PM')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Move…' }).waitFor()
  await tabTo(page, 'Move…')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Move the visit of Samuel Goldberg' })
  await dialog.getByRole('radio', { name: '2:00 PM', exact: true }).first().waitFor({ state: 'attached' })
  const first = await dialog.getByRole('radio').first().getAttribute('value')
  // Into the times, of which the arrow keys choose.
  await tabTo(page, '', 'radio')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  const move = dialog.getByRole('button', { name: /^Move to / })
  await move.waitFor()
  await tabTo(page, 'Move to ')
  await page.keyboard.press('Enter')
  await page.getByText('Samuel Goldberg is moved to').waitFor()
  expect(await slotOf('keys')).not.toBe(`Slot/${slotAt('13:30').id}`)
  expect(await slotOf('keys')).not.toBe(`Slot/${first}`)
})

test('in the week a visit is dragged to another day', async () => {
  await booked('week', 'haddad-layla', '14:00')
  const next = await freeNextDay()
  const page = await openDay('week', OKAFOR)
  const column = page.getByRole('group', { name: dayText(next.start, ZONE) })
  const goal = column.getByRole('button', { name: new RegExp(`^${clockText(next.start, ZONE)} free`) })
  await goal.waitFor()
  await visit(page, '2:00 PM Layla Haddad').dragTo(goal)
  await page.getByText('Layla Haddad is moved to').waitFor()
  expect(await slotOf('week')).toBe(`Slot/${next.id}`)
  await page.getByRole('button', { name: 'Undo' }).click()
  await visit(page, '2:00 PM Layla Haddad').waitFor()
})

test('a hold says until when it is held, and is confirmed', async () => {
  const { start, end } = slotAt('13:00')
  const query = `start=${start}&end=${end}&patient-reference=Patient/abernathy-ruth&practitioner=Practitioner/practitioner-okafor`
  const offered = await fhir('GET', `/Appointment/$find?${query}`)
  const reference = `Appointment/${offered.body.entry[0].resource.id}`
  const held = await fhir('POST', '/Appointment/$hold', {
    resourceType: 'Parameters',
    parameter: [{ name: 'appointment-reference', valueReference: { reference } }],
  })
  const { id }: Appointment = held.body.entry[0].resource
  const page = await openDay('list', OKAFOR)
  await visit(page, '1:00 PM–1:30 PM Ruth Abernathy Held').click()
  await page.getByRole('dialog').getByText('Held until').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm', exact: true }).click()
  await visit(page, '1:00 PM–1:30 PM Ruth Abernathy Booked').waitFor()
  expect((await appointment(id ?? '')).status).toBe('booked')
})

test('who waits is booked at a time that is free, and waits no more', async () => {
  await fhir('PUT', '/Appointment/waits', {
    resourceType: 'Appointment',
    id: 'waits',
    status: 'waitlist',
    created: '2026-11-02T09:00:00Z',
    participant: [
      { status: 'accepted', actor: { reference: 'Patient/ito-kenji' } },
      { status: 'tentative', actor: { reference: 'Practitioner/practitioner-okafor' } },
    ],
  })
  const page = await openDay()
  const waitlist = page.getByRole('region', { name: 'Waitlist' })
  await waitlist.getByText('Kenji Ito').waitFor()
  await waitlist.getByRole('button', { name: 'Book…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Book a visit for' })
  await dialog.getByRole('combobox', { name: 'Practitioner' }).selectOption(OKAFOR)
  await dialog.getByLabel('From').fill(day)
  await dialog.getByText('4:30 PM', { exact: true }).first().click()
  await dialog.getByRole('button', { name: 'Book', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await waitlist.getByText('Nobody waits.').waitFor()
  await visit(page, '4:30 PM Kenji Ito').waitFor()
  expect(await appointment('waits')).toMatchObject({
    status: 'booked',
    start: expect.stringMatching(/T/),
    slot: [{ reference: `Slot/${slotAt('16:30').id}` }],
  })
})

describe('times are those of the clinic in a browser in Tokyo', () => {
  test.each([
    ['2027-03-14', '2027-03-14T06:30:00Z', '1:30 AM–3:00 AM'],
    ['2027-03-14', '2027-03-14T07:30:00Z', '3:30 AM–4:00 AM'],
    ['2027-11-07', '2027-11-07T05:30:00Z', '1:30 AM–1:00 AM'],
    ['2027-11-07', '2027-11-07T06:30:00Z', '1:30 AM–2:00 AM'],
    ['2027-11-07', '2027-11-07T14:00:00Z', '9:00 AM–9:30 AM'],
  ])('on %s what begins at %s is shown at %s, where clocks change', async (on, start, shown) => {
    const end = new Date(Date.parse(start) + 1_800_000).toISOString()
    const id = `clocks-${start.slice(0, 16).replace(':', '-')}`
    const participant = [
      { status: 'accepted', actor: { reference: 'Practitioner/practitioner-okafor' } },
      { status: 'accepted', actor: { reference: 'Patient/abernathy-ruth' } },
    ]
    await fhir('PUT', `/Appointment/${id}`, {
      resourceType: 'Appointment',
      id,
      status: 'arrived',
      start,
      end,
      participant,
    })
    const page = await dashboard.signedIn(`/schedule?day=${on}&view=list&who=${OKAFOR}`)
    await page.getByText('Times of New York, UTC-').waitFor()
    await visit(page, `${shown} Ruth Abernathy`).waitFor()
    await page.getByText('Week', { exact: true }).click()
    await visit(page, `${shown.split('–')[0]} Ruth Abernathy`)
      .first()
      .waitFor()
    await page.context().close()
  })
})

test('working hours are saved; where somebody else has saved meanwhile both versions are shown, and nothing is lost', async () => {
  const path = `/Schedule/${OKAFOR}`
  const page = await dashboard.signedIn(`/schedule/hours/${OKAFOR}`)
  await page.getByRole('heading', { level: 1, name: 'Working hours of Dr. Amara Okafor' }).waitFor()
  await page.getByRole('button', { name: 'Add a break' }).click()
  await page.getByLabel('From, Breaks 2').fill('15:00')
  await page.getByLabel('Until, Breaks 2').fill('15:30')
  const schedule: Schedule = (await fhir('GET', path)).body
  const changed = structuredClone(schedule)
  const horizon = changed.extension?.[0]?.extension?.find(({ url }) => url === 'horizonDays')
  if (horizon !== undefined) horizon.valuePositiveInt = 21
  expect((await fhir('PUT', path, changed)).status).toBe(200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else has saved meanwhile' })
  await dialog
    .getByRole('row', { name: /^Days ahead/ })
    .getByText('21')
    .waitFor()
  await dialog.getByRole('button', { name: 'Save what is chosen' }).click()
  await page.getByText('The working hours are saved.').waitFor()
  const parts = ((await fhir('GET', path)).body as Schedule).extension?.[0]?.extension ?? []
  expect(parts.find(({ url }) => url === 'horizonDays')?.valuePositiveInt).toBe(21)
  expect(parts.filter(({ url }) => url === 'break').map(({ extension }) => extension?.at(-1)?.valueTime)).toEqual([
    '13:00:00',
    '15:30:00',
  ])
  // The error is shown at the field.
  await page.getByLabel('Until, Breaks 2').fill('14:00')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('region', { name: 'Breaks' }).getByRole('alert').waitFor()
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
