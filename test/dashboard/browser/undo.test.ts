/**
 * Undo: it waits for the server, gives way to a newer change of the same resource, and never overwrites later changes.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Appointment, Slot } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { clockText } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, inNotice, startDashboard } from '../../support/dashboard.ts'
import { freeDay, OKAFOR, setClock, ZONE } from '../../support/demo-schedule.ts'
import { until } from '../../support/server-process.ts'
import { logInAs, withToken } from '../../support/two-clinics.ts'

const CHANGED_SINCE = 'It has been changed since, so nothing is undone.'

let dashboard: Dashboard
/** Free, on one day of the clinic. */
let slots: readonly Slot[]
let day: string

beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 10 })
  ;({ day, slots } = await freeDay(fhir))
})
afterAll(() => dashboard?.close())

let taken = 0
/** Slots that no other test has, where it books the first. */
let first: Slot
let second: Slot
let third: Slot
beforeEach(() => {
  ;[first, second, third] = slots.slice(taken, taken + 3) as [Slot, Slot, Slot]
})

const fhir = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  dashboard.server.fhir(method, path, body, headers)
const clock = ({ start }: Slot): string => clockText(start, ZONE)

async function fetched<R>(address: string): Promise<R> {
  const { status, body, text } = await fhir('GET', `/${address}`)
  if (status !== 200) throw new Error(text)
  return body
}

const slotOf = async (id: string) => (await fetched<Appointment>(`Appointment/${id}`)).slot?.[0]?.reference
const undoButtons = (page: Page) => page.getByRole('button', { name: 'Undo', exact: true })
const openDay = () => dashboard.signedIn(`/schedule?day=${day}&view=list&who=${OKAFOR}`)
const visit = (page: Page, slot: Slot, name: string) =>
  page.getByRole('button', { name: new RegExp(`^${clock(slot)}.*${name}`) })

const reschedule = (id: string, slot: Slot) =>
  fhir('POST', `/Appointment/${id}/$reschedule`, {
    resourceType: 'Parameters',
    parameter: [{ name: 'slot', valueReference: { reference: `Slot/${slot.id}` } }],
  })

/** Books the first slot on the page. @returns the id of the Appointment */
async function book(page: Page, search: string, name: string): Promise<string> {
  taken += 3
  await page.getByRole('button', { name: `Book ${clock(first)}` }).click()
  await page.getByRole('dialog').getByLabel('Patient').fill(search)
  await page.getByRole('option', { name }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Book', exact: true }).click()
  await visit(page, first, name).waitFor()
  const { body } = await fhir('GET', `/Appointment?slot=Slot/${first.id}&status=booked`)
  return body.entry[0].resource.id
}

/** Sets the clinic's clock to an hour before a visit, from when on its patient may have arrived. */
const shortlyBefore = ({ start }: Slot) => setClock(dashboard.server, Date.parse(start) - 3_600_000)

/** By the dialog, to a time of the same practitioner. */
async function move(page: Page, from: Slot, to: Slot, name: string): Promise<void> {
  await visit(page, from, name).click()
  await page.getByRole('button', { name: 'Move…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('group', { name: 'Free times' }).getByText(clock(to), { exact: true }).first().click()
  await dialog.getByRole('button', { name: /^Move to / }).click()
  await visit(page, to, name).waitFor()
}

describe('a newer change of the same thing takes the older Undo away', () => {
  test('a visit that is booked and then moved is moved back, and stays booked', async () => {
    const page = await openDay()
    const id = await book(page, 'aber ru', 'Ruth Abernathy')
    await page.getByText('Ruth Abernathy is booked on').waitFor()
    await move(page, first, second, 'Ruth Abernathy')
    await page.getByText('Ruth Abernathy is moved to').waitFor()
    await page.getByText('Ruth Abernathy is booked on').waitFor({ state: 'detached' })
    expect(await undoButtons(page).count()).toBe(1)
    await undoButtons(page).click()
    await visit(page, first, 'Ruth Abernathy').waitFor()
    expect(await fetched(`Appointment/${id}`)).toMatchObject({
      status: 'booked',
      slot: [{ reference: `Slot/${first.id}` }],
    })
  })

  test('a comment on a Task takes the Undo of its claim away', async () => {
    await fhir('PUT', '/Task/commented', newTask('commented'))
    const page = await dashboard.signedIn('/work-list?task=commented')
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await page.getByText('The task is yours.').waitFor()
    await page.getByRole('textbox', { name: 'Comment' }).fill('Has called back')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.getByText('The task is yours.').waitFor({ state: 'detached' })
    expect(await fetched('Task/commented')).toMatchObject({
      status: 'in-progress',
      note: [{ text: 'Has called back' }],
    })
  })

  test('a change of another thing leaves it', async () => {
    for (const id of ['one', 'other']) await fhir('PUT', `/Task/${id}`, newTask(id))
    const page = await dashboard.signedIn('/work-list?task=one')
    await page.getByRole('button', { name: 'Claim', exact: true }).click()
    await page.getByText('The task is yours.').waitFor()
    await fhir('PUT', '/Task/other', { ...newTask('other'), description: 'Changed' })
    await undoButtons(page).click()
    await page.getByRole('button', { name: 'Claim', exact: true }).waitFor()
    expect((await fetched<{ status: string }>('Task/one')).status).toBe('requested')
  })
})

const newTask = (id: string) => ({
  resourceType: 'Task',
  id,
  status: 'requested',
  intent: 'order',
  description: `Call back ${id}`,
})

describe('what others have changed since is not undone', () => {
  /** An action on a page, a change by somebody else after it, and the expectation after Undo. */
  interface Case {
    readonly act: (page: Page) => Promise<void>
    readonly path: string
    readonly meanwhile: () => Promise<unknown>
    readonly stays: () => Promise<unknown>
    readonly as?: string
  }
  let bookedId = ''
  const bookedSlot = async () => [
    (await fetched<Appointment>(`Appointment/${bookedId}`)).status,
    await slotOf(bookedId),
  ]
  const put = (path: string, body: object) =>
    dashboard.server.fhir('PUT', path, body, { 'content-type': 'application/json' })
  const operator = async () =>
    withToken(
      dashboard.server,
      await logInAs(dashboard.server, { username: `otto-${Math.random()}`, clinic: 'demo-clinic', role: 'operator' }),
    )

  const CASES: readonly [string, Case][] = [
    [
      'a booking',
      {
        path: 'day',
        act: async (page) => {
          bookedId = await book(page, 'haddad', 'Layla Haddad')
        },
        meanwhile: () => reschedule(bookedId, third),
        stays: async () => expect(await bookedSlot()).toEqual(['booked', `Slot/${third.id}`]),
      },
    ],
    [
      'a move',
      {
        path: 'day',
        act: async (page) => {
          bookedId = await book(page, 'ito', 'Kenji Ito')
          await move(page, first, second, 'Kenji Ito')
        },
        meanwhile: () => reschedule(bookedId, third),
        stays: async () => expect(await bookedSlot()).toEqual(['booked', `Slot/${third.id}`]),
      },
    ],
    [
      'a claim',
      {
        path: '/work-list?task=claimed',
        act: async (page) => {
          await page.getByRole('button', { name: 'Claim', exact: true }).click()
        },
        meanwhile: async () => {
          const task = await fetched<object>('Task/claimed')
          await fhir('PUT', '/Task/claimed', { ...task, description: 'More of it' })
        },
        stays: async () =>
          expect(await fetched('Task/claimed')).toMatchObject({ status: 'in-progress', description: 'More of it' }),
      },
    ],
    [
      'the deletion of a resource',
      {
        path: '/explorer?path=Basic/deleted',
        act: async (page) => {
          await page.getByRole('button', { name: 'Delete', exact: true }).click()
        },
        meanwhile: () => fhir('PUT', '/Basic/deleted', { ...basic, code: { text: 'made anew' } }),
        stays: async () => expect(await fetched('Basic/deleted')).toMatchObject({ code: { text: 'made anew' } }),
      },
    ],
    [
      'the sandbox switch',
      {
        path: '/settings',
        act: async (page) => {
          await page.getByRole('switch', { name: 'Sandbox is on' }).click({ force: true })
          await page.getByRole('switch', { name: 'Sandbox is off' }).waitFor()
        },
        meanwhile: async () => {
          await put('/clinics/demo-clinic/sandbox', { enabled: true })
          await put('/clinics/demo-clinic/sandbox', { enabled: false })
        },
        stays: async () => {
          expect((await fhir('GET', '/clinics/demo-clinic/sandbox')).body.enabled).toBe(false)
          await put('/clinics/demo-clinic/sandbox', { enabled: true })
        },
      },
    ],
    [
      'the name of an account',
      {
        path: '/settings?tab=accounts',
        as: 'admin',
        act: async (page) => {
          const row = page.getByRole('row').filter({ hasText: 'renamed' })
          await row.getByRole('button', { name: 'Change…' }).click()
          await page.getByRole('button', { name: 'Rename…' }).click()
          await page.getByLabel('Name of the person').fill('Second Name')
          await page.getByRole('button', { name: 'Rename', exact: true }).click()
        },
        meanwhile: async () => (await operator()).fhir('PUT', '/accounts/renamed/name', { name: 'Third Name' }, json),
        stays: async () =>
          expect((await (await operator()).fhir('GET', '/accounts/renamed')).body.name).toBe('Third Name'),
      },
    ],
    [
      'the login of an account',
      {
        path: '/settings?tab=accounts',
        as: 'admin',
        act: async (page) => {
          const row = page.getByRole('row').filter({ hasText: 'renamed' })
          await row.getByRole('button', { name: 'Change…' }).click()
          await page.getByRole('button', { name: 'Disable' }).click()
        },
        meanwhile: async () => {
          const { fhir: call } = await operator()
          for (const enabled of [true, false]) await call('PUT', '/accounts/renamed/login', { enabled }, json)
        },
        stays: async () => expect((await (await operator()).fhir('GET', '/accounts/renamed')).body.enabled).toBe(false),
      },
    ],
  ]
  const basic = { resourceType: 'Basic', id: 'deleted', code: { text: 'first' } }
  const json = { 'content-type': 'application/json' }

  beforeAll(async () => {
    await fhir('PUT', '/Task/claimed', newTask('claimed'))
    await fhir('PUT', '/Basic/deleted', basic)
    const account = { username: 'renamed', name: 'First Name', clinic: 'demo-clinic', role: 'staff' }
    const { fhir: call } = await operator()
    await call('POST', '/accounts', { ...account, password: 'a long password' }, json)
  })

  test.each(CASES)('%s', async (_what, { path, act, meanwhile, stays, as }) => {
    const page = path === 'day' ? await openDay() : await dashboard.signedIn(path, as === undefined ? {} : { as })
    await act(page)
    await undoButtons(page).waitFor()
    await meanwhile()
    await undoButtons(page).click()
    await page.getByText(CHANGED_SINCE).waitFor()
    await stays()
  })
})

test('what somebody has changed just before, unseen, stays when the change after it is undone', async () => {
  await fhir('PUT', '/Task/unseen', newTask('unseen'))
  const page = await dashboard.signedIn('/work-list?task=unseen')
  const claim = page.getByRole('button', { name: 'Claim', exact: true })
  await claim.waitFor()
  // The page is shown the Task as it was.
  const json = await fetched('Task/unseen')
  await page.route('**/Task/unseen', (route) => route.fulfill({ json, contentType: 'application/fhir+json' }))
  await fhir('PUT', '/Task/unseen', { ...newTask('unseen'), note: [{ text: 'Moved to Troy' }] })
  await claim.click()
  await undoButtons(page).waitFor()
  await page.unroute('**/Task/unseen')
  await undoButtons(page).click()
  await undoButtons(page).waitFor({ state: 'detached' })
  expect(await fetched('Task/unseen')).toMatchObject({ status: 'requested', note: [{ text: 'Moved to Troy' }] })
})

test('a visit that somebody else has moved, unseen, is not moved on', async () => {
  const page = await openDay()
  const id = await book(page, 'haddad', 'Layla Haddad')
  await page.route(/\/Appointment\?/, (route) => route.abort())
  await reschedule(id, third)
  await visit(page, first, 'Layla Haddad').click()
  await page.getByRole('button', { name: 'Move…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('group', { name: 'Free times' }).getByText(clock(second), { exact: true }).first().click()
  await dialog.getByRole('button', { name: /^Move to / }).click()
  await page.getByText('The visit of Layla Haddad has been changed since, so it is not moved.').waitFor()
  expect(await slotOf(id)).toBe(`Slot/${third.id}`)
})

test('what is deleted is brought back as it was, though a summary of it was shown', async () => {
  await fhir('PUT', '/Basic/whole', {
    resourceType: 'Basic',
    id: 'whole',
    code: { text: 'x' },
    text: { status: 'empty', div: '<div xmlns="http://www.w3.org/1999/xhtml">All</div>' },
  })
  const page = await dashboard.signedIn('/explorer?path=Basic/whole?_elements=code')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await undoButtons(page).click()
  await until(async () => (await fhir('GET', '/Basic/whole')).status === 200)
  const { text, meta } = await fetched<{ text?: object; meta: object }>('Basic/whole')
  expect(text).toBeDefined()
  expect(meta).not.toHaveProperty('tag')
})

test('a visit that was moved since is not marked as arrived', async () => {
  await shortlyBefore(first)
  const page = await openDay()
  const id = await book(page, 'goldberg', 'Samuel Goldberg')
  await visit(page, first, 'Samuel Goldberg').click()
  await page.getByRole('button', { name: 'Has arrived' }).click()
  await reschedule(id, second)
  await page.getByText('has been changed since').waitFor()
  expect(await fetched(`Appointment/${id}`)).toMatchObject({
    status: 'booked',
    slot: [{ reference: `Slot/${second.id}` }],
  })
})

test('a visit that has arrived is cancelled after its arrival is written', async () => {
  await shortlyBefore(first)
  const page = await openDay()
  const id = await book(page, 'ito', 'Kenji Ito')
  await visit(page, first, 'Kenji Ito').click()
  await page.getByRole('button', { name: 'Has arrived' }).click()
  await visit(page, first, 'Kenji Ito').click()
  await page.getByRole('button', { name: 'Cancel the visit…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the visit', exact: true }).click()
  await visit(page, first, 'Kenji Ito').waitFor({ state: 'detached' })
  const { body } = await fhir('GET', `/Appointment/${id}/_history`)
  const statuses = body.entry.map(({ resource }: { resource: Appointment }) => resource.status)
  expect(statuses).toEqual(['cancelled', 'arrived', 'booked'])
})

test('Undo stays until the server can be reached, and is then done', async () => {
  await fhir('PUT', '/Task/away', newTask('away'))
  const page = await dashboard.signedIn('/work-list?task=away')
  await page.getByRole('button', { name: 'Claim', exact: true }).click()
  await undoButtons(page).waitFor()
  await page.route('**/Task/away', (route) => (route.request().method() === 'PUT' ? route.abort() : route.continue()))
  await undoButtons(page).click()
  const again = inNotice(page, 'Try again')
  await again.waitFor()
  expect((await fetched<{ status: string }>('Task/away')).status).toBe('in-progress')
  await page.unroute('**/Task/away')
  await again.click()
  await page.getByRole('button', { name: 'Claim', exact: true }).waitFor()
  expect((await fetched<{ status: string }>('Task/away')).status).toBe('requested')
})
