/** The pages of Subscriptions: made from a form, delivered to a receiver, watched, sent again, tried and switched off. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { eventually, subscribe, wanted } from '../../events/support.ts'
import {
  type Dashboard,
  filtersIn,
  findingsInBothSchemes,
  fitsItsWidth,
  inNotice,
  isAsked,
  startDashboard,
} from '../../support/dashboard.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

/** The folder of the pictures, for people to look at. */
const PICTURES = join(import.meta.dirname, '../../../coverage/dashboard')

let dashboard: Dashboard
let receiver: Receiver

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  dashboard = await startDashboard({ ALLOW_PRIVATE_ADDRESSES: 'on' })
})
afterAll(() => dashboard?.close())
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const opened = (path = '', width = 1280): Promise<Page> =>
  dashboard.signedIn(`/events${path}`, { viewport: { width, height: 800 } })

const patient = async (family: string): Promise<string> =>
  (await dashboard.server.fhir('POST', '/Patient', { resourceType: 'Patient', name: [{ family }] })).body.id

/** A Subscription that is active. @returns its id */
const active = (family: string, reason = 'a test') =>
  subscribe(dashboard.server, wanted(`Patient?family=${family}`, { endpoint: receiver.url }, { reason }))

/** By the beginning of its label, as that of a required one ends in a star. */
const field = (page: Page, label: string) => page.getByRole('dialog').getByLabel(new RegExp(`^${label}`))

test('a Subscription by criteria is made from the form, becomes active, and its events and attempts show as they happen', async () => {
  const page = await opened()
  await page.getByText('There are no Subscriptions').waitFor()
  await page.getByRole('button', { name: 'New Subscription…' }).click()
  await page.getByRole('radio', { name: 'By search criteria' }).check()
  await field(page, 'Criteria').fill('Patient?family=Formed')
  await field(page, 'Endpoint').fill(receiver.url)
  await field(page, 'Content').selectOption({ label: 'The resource, as JSON' })
  await field(page, 'Headers').fill('Authorization: Bearer of-the-receiver')
  await field(page, 'Reason').fill('<b>results</b>')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('heading', { level: 1, name: 'Patient?family=Formed' }).waitFor()
  await page.getByText('active', { exact: true }).waitFor()
  await page.getByText('<b>results</b>').waitFor()
  await page.getByText('Authorization: set').waitFor()
  await page.getByText('Nothing has happened yet').waitFor()
  const id = await patient('Formed')
  await page.getByRole('table', { name: 'Events' }).getByText('delivered', { exact: true }).waitFor()
  await page.getByText('1, of which 0 wait').waitFor()
  expect(receiver.received[0]).toMatchObject({ path: `/hook/Patient/${id}`, method: 'PUT' })
  expect(await findingsInBothSchemes(page)).toEqual([])
  // Each attempt leads to its request and response.
  await page.getByRole('list', { name: 'Attempts' }).getByRole('link', { name: 'Request' }).click()
  await page.getByRole('heading', { level: 1, name: new RegExp(`PUT .*/hook/Patient/${id}`) }).waitFor()
  await page.getByText('204', { exact: true }).first().waitFor()
  expect(await page.content()).not.toContain('of-the-receiver')
})

test('a Subscription to a topic is made with a filter, and each of its notifications is one that was asked for', async () => {
  const { fhir } = dashboard.server
  const mine = { reference: 'Patient/abernathy-ruth' }
  const page = await opened('?new=yes')
  await field(page, 'Topic').selectOption({ label: 'Task raised' })
  await field(page, 'Filters').fill('Task?patient=Patient/abernathy-ruth')
  await field(page, 'Endpoint').fill(receiver.url)
  await field(page, 'Content').selectOption({ label: 'The resources' })
  await field(page, 'Reason').fill('front desk')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('heading', { level: 1, name: 'Task raised' }).waitFor()
  await page.getByText('active', { exact: true }).waitFor()
  await page.getByText('Task?patient=Patient/abernathy-ruth').waitFor()
  const task = { resourceType: 'Task', status: 'requested', intent: 'order' }
  await fhir('POST', '/Task', { ...task, for: { reference: 'Patient/goldberg-samuel' } })
  const raised = (await fhir('POST', '/Task', { ...task, for: mine })).body.id
  await page.getByRole('table', { name: 'Events' }).getByText(`Task/${raised}`).waitFor()
  await page.getByText('1, of which 0 wait').waitFor()
  const bodies = receiver.received.map(({ body }) => JSON.parse(body))
  expect(JSON.stringify(bodies.at(-1))).toContain(raised)
  // A test event of a topic is about the newest resource of its type.
  await page.getByRole('button', { name: 'Send a test event…' }).click()
  await page.waitForFunction(() =>
    /^Task\//.test(document.querySelector<HTMLInputElement>('[role=dialog] input')?.value ?? ''),
  )
  await page.keyboard.press('Enter')
  await page.getByText('2, of which 0 wait').waitFor()
  const list = await opened()
  await list.getByRole('link', { name: 'Task raised' }).waitFor()
})

test('a Subscription to a topic has an end and limits, and each field says what it does not take', async () => {
  const page = await opened('?new=yes')
  await field(page, 'Topic').selectOption({ label: 'Task raised' })
  await field(page, 'Endpoint').fill(receiver.url)
  await field(page, 'Reason').fill('night watch')
  await field(page, 'Heartbeat after seconds').fill('5')
  await page.getByText('A whole number from 10 to 2,678,400').waitFor()
  await field(page, 'Most events at once').fill('101')
  await page.getByText('A whole number from 1 to 100').waitFor()
  await field(page, 'Until').fill('2020-01-01T08:00')
  await page.getByText('This time has passed').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  // The form stays where a field is not right, and leads to it.
  await page.getByRole('button', { name: 'Subscribe' }).click()
  expect(await field(page, 'Until').evaluate((input) => document.activeElement === input)).toBe(true)
  for (const width of [390, 1024, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: join(PICTURES, `new-subscription-${width}.png`), fullPage: true })
    expect(await fitsItsWidth(page)).toBe(true)
  }
  await field(page, 'Until').fill('2099-01-01T08:00')
  await field(page, 'Heartbeat after seconds').fill('60')
  await field(page, 'Seconds to respond').fill('2')
  await field(page, 'Most events at once').fill('10')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Task raised' }).waitFor()
  await page.getByText('Heartbeat after seconds').waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1)
  const { body } = await dashboard.server.fhir('GET', `/Subscription/${id}`)
  expect(Date.parse(body.end)).toBeGreaterThan(Date.UTC(2098, 11, 31))
  expect(body.channel.extension.map((one: object) => Object.values(one)[1])).toEqual([60, 2, 10])
  const again = await opened('?new=yes')
  await field(again, 'Channel').selectOption({ label: 'E-mail' })
  expect(await field(again, 'Heartbeat').count()).toBe(0)
  await again.getByRole('radio', { name: 'By search criteria' }).check()
  expect(await field(again, 'Most events').count()).toBe(0)
  await field(again, 'Until').waitFor()
})

test('a receiver that fails is shown with the reason, and gets the event when it is sent again', async () => {
  receiver.answer(503)
  const id = await active('Failing')
  const page = await opened(`/${id}`)
  await patient('Failing')
  const attempts = page.getByRole('list', { name: 'Attempts' })
  await attempts.getByText('failed', { exact: true }).waitFor()
  await attempts.getByText(/503/).waitFor()
  await page.getByText('Next attempt:').waitFor()
  const list = await opened()
  const row = list.getByRole('row', { name: /family=Failing/ })
  await row.getByText(/503/).waitFor()
  const messages = await dashboard.signedIn('/messages?state=waiting')
  await messages.getByRole('link', { name: 'Events of a Subscription' }).click()
  await messages.getByRole('heading', { level: 1, name: 'Patient?family=Failing' }).waitFor()
  receiver.answer(204)
  await page.getByRole('button', { name: 'Send again from here' }).click()
  await attempts.getByText('delivered', { exact: true }).waitFor()
  await page.getByText('Nothing waits to be delivered.').waitFor()
  expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual([`${id}.1`, `${id}.1`])
})

test('a receiver that wants no more is said to be off and why, and gets what it has missed once it is switched on', async () => {
  receiver.answer(410)
  const id = await active('Gone')
  const page = await opened(`/${id}`)
  await patient('Gone')
  const alert = page.getByRole('alert').filter({ hasText: 'Nothing is sent any more' })
  await alert.getByText(/410/).waitFor()
  await page.getByText('off', { exact: true }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  receiver.answer(204)
  await page.getByRole('button', { name: 'Switch on' }).click()
  await alert.waitFor({ state: 'detached' })
  await page.getByText('1, of which 0 wait').waitFor()
  expect(receiver.received.length).toBe(2)
})

test('a test event is about the newest resource that would be one, or about another one that is named', async () => {
  const newest = await patient('Tested')
  const other = await patient('Untested')
  const id = await active('Tested')
  const page = await opened(`/${id}`)
  await page.getByRole('button', { name: 'Send a test event…' }).click()
  expect(filtersIn(page)).toEqual({ test: 'yes' })
  await expect(
    field(page, 'Resource').evaluate((input: HTMLInputElement) => input === document.activeElement),
  ).resolves.toBe(true)
  await page.waitForFunction(
    (focus) => document.querySelector<HTMLInputElement>('[role=dialog] input')?.value === focus,
    `Patient/${newest}`,
  )
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('The test event is on its way, as number 1.').waitFor()
  await page.getByRole('row', { name: /^1 / }).getByText('test event').waitFor()
  await eventually(() => receiver.received.length === 1 || undefined)
  await page.getByRole('button', { name: 'Send a test event…' }).click()
  await field(page, 'Resource').fill('Slot/1')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('A test event is about a resource of the type Patient').waitFor()
  await field(page, 'Resource').fill(`Patient/${other}`)
  await page.keyboard.press('Enter')
  await eventually(() => receiver.received.length === 2 || undefined)
})

/** Presses Tab until the focus is in the field. */
async function tabTo(page: Page, label: string): Promise<void> {
  for (let count = 0; count < 40; count += 1) {
    const focused = await page.evaluate(() => {
      const active = document.activeElement as HTMLInputElement | null
      return active?.labels?.[0]?.textContent ?? active?.textContent
    })
    if (focused?.startsWith(label)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The focus did not come to ${label}`)
}

test('by keyboard alone a Subscription by e-mail is made, whose event goes out, and one by websocket', async () => {
  const page = await opened()
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const [channel, family] of [
    ['E-mail', 'Mailed'],
    ['WebSocket', 'Socketed'],
  ] as const) {
    await tabTo(page, 'New Subscription…')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await tabTo(page, 'Of a topic')
    await page.keyboard.press('ArrowRight')
    await tabTo(page, 'Criteria')
    await page.keyboard.type(`Patient?family=${family}`)
    await tabTo(page, 'Channel')
    await page.keyboard.type(channel)
    if (channel === 'E-mail') {
      await tabTo(page, 'E-mail address')
      await page.keyboard.type('desk@example.com')
    }
    await tabTo(page, 'Reason')
    await page.keyboard.type('front desk')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: `Patient?family=${family}` }).waitFor()
    await page.getByText('active', { exact: true }).waitFor()
    await patient(family)
    await page.getByRole('table', { name: 'Events' }).getByText('delivered', { exact: true }).waitFor()
    await tabTo(page, 'Events')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  }
})

test('the form keeps what was typed where the server is away, and says what the server refuses', async () => {
  const page = await opened('?new=yes')
  await page.getByRole('radio', { name: 'By search criteria' }).check()
  await field(page, 'Criteria').fill('Patient?general-practitioner.name=x')
  await field(page, 'Endpoint').fill(receiver.url)
  await field(page, 'Reason').fill('kept')
  await page.route(isAsked, (route) => route.abort())
  await page.getByRole('button', { name: 'Subscribe' }).click()
  const alert = page.getByRole('dialog').getByRole('alert')
  await alert.getByText('The server is not responding.').waitFor()
  await page.unroute(isAsked)
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await alert.getByText(/general-practitioner/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Stay' }).click()
  await field(page, 'Criteria').fill('Patient?family=Kept')
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('heading', { level: 1, name: 'Patient?family=Kept' }).waitFor()
})

test('one is switched off and on; a delete can be undone, and is done when its time is over', async () => {
  const id = await active('Switched', 'x'.repeat(200))
  const page = await opened()
  const row = page.getByRole('row', { name: /family=Switched/ })
  await row.getByRole('button', { name: 'Switch off' }).click()
  await row.getByText('off', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Switch on' }).click()
  await row.getByText('active', { exact: true }).waitFor()
  await page.getByText('Off', { exact: true }).click()
  await row.waitFor({ state: 'detached' })
  expect(filtersIn(page)).toEqual({ status: 'off' })
  await page.goto(`${dashboard.server.url}/dashboard/events/${id}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await inNotice(page, 'Undo').click()
  await page.getByRole('heading', { level: 1, name: 'Patient?family=Switched' }).waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  await page.goto(`${dashboard.server.url}/dashboard/`)
  await eventually(async () => (await dashboard.server.fhir('GET', `/Subscription/${id}`)).status === 410 || undefined)
})

test('the pages fit into narrow windows, with an endpoint and a reason of 200 characters, and a right-to-left one', async () => {
  const { fhir } = dashboard.server
  const endpoint = `${receiver.url}/${'long'.repeat(50)}`
  const id = await subscribe(
    dashboard.server,
    wanted('Patient?family=Long', { endpoint }, { reason: 'Wolfe'.repeat(40) }),
  )
  await fhir(
    'POST',
    '/Subscription',
    wanted('Patient?family=Rtl', { endpoint: receiver.url }, { reason: 'תוצאות <i>בדיקה</i>' }),
  )
  await patient('Long')
  for (const path of ['', `/${id}`]) {
    const page = await opened(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const width of [1024, 390]) {
      await page.setViewportSize({ width, height: 800 })
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
      expect([path, width, await fitsItsWidth(page)]).toEqual([path, width, true])
      const picture = `events${path === '' ? '' : '-one'}-${width}.png`
      await page.screenshot({ path: join(PICTURES, picture), fullPage: true })
    }
  }
})

test('nothing of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
