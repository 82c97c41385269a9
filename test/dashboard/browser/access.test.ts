/** Accessibility of every page: with screen readers, by keyboard, in light and dark, on a phone. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { INTAKE } from '../../calls/caller.ts'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard, WINDOW } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'
import { until } from '../../support/server-process.ts'

/** The paths of the pages, by their name in the pictures. */
const PAGES: Readonly<Record<string, string>> = {
  overview: '/',
  patients: '/patients',
  placeholders: '/patients?tab=placeholders',
  pairs: '/patients?tab=duplicates',
  patient: '/patients/abernathy-ruth',
  timeline: '/patients/goldberg-samuel?tab=timeline',
  appointments: '/patients/goldberg-samuel?tab=appointments',
  coverage: '/patients/abernathy-ruth?tab=coverage',
  documents: '/patients/goldberg-samuel?tab=documents',
  duplicates: '/patients/abernathy-ruth?tab=duplicates',
  history: '/patients/abernathy-ruth?tab=history',
  schedule: '/schedule',
  week: '/schedule?view=week',
  times: '/schedule?view=list',
  hours: '/schedule/hours/schedule-okafor',
  'work-list': '/work-list',
  deliveries: '/work-list?tab=deliveries',
  messages: '/messages',
  events: '/events',
  subscription: '/events/looked-at',
  exports: '/exports',
  sandbox: '/sandbox',
  snapshots: '/sandbox?tab=snapshots',
  clones: '/sandbox?tab=clones',
  clock: '/sandbox?tab=clock',
  faults: '/sandbox?tab=faults',
  people: '/sandbox?tab=people',
  runs: '/runs',
  run: '/runs/RUN',
  'run-coverage': '/runs/RUN?tab=coverage',
  plans: '/plans',
  plan: '/plans/access',
  'plan-text': '/plans/access?tab=edit',
  'dry-run': '/plans/access?tab=try',
  settings: '/settings',
  booking: '/settings?tab=booking',
  'data-settings': '/settings?tab=data',
  connectors: '/settings?tab=connectors',
  calls: '/calls',
  journal: '/journal',
  explorer: '/explorer',
  console: '/explorer?view=console',
  capabilities: '/explorer?view=capabilities',
  request: '/explorer?method=PUT&path=Patient/x',
}

/** A step that is seen, one that was nearly seen, and one that a person attests. */
const PLAN = {
  ...{ plan: 'access', title: 'Looks for free times', version: '1.0.0', description: 'A plan that is looked at' },
  steps: [
    { id: 'look', title: 'Searches Slots', expect: { interaction: 'search-type', type: 'Slot' } },
    { id: 'range', title: 'Names a range', expect: { interaction: 'search-type', type: 'Slot', query: { start: '' } } },
    {
      ...{ id: 'lost', title: 'Looks again', after: { type: 'Slot' } },
      do: { fault: 'lost-answer', when: { type: 'Appointment', interaction: 'create' } },
    },
    { id: 'told', title: 'Tells the truth', attest: 'The caller heard the true time' },
  ].map((step) => ({ ...step, source: 'https://hl7.org/fhir/R4/slot.html' })),
}

interface Look {
  readonly colorScheme: 'light' | 'dark'
  readonly viewport?: { readonly width: number; readonly height: number }
}

const LOOKS: Readonly<Record<string, Look>> = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 375, height: 740 } },
}

/** The folder of the pictures, for people to look at, as no check sees overlaps. */
const PICTURES = join(import.meta.dirname, '../../../coverage/dashboard')

let dashboard: Dashboard
/** The id of an exchange that was refused. */
let refused: string | null
/** A day on which something is free. */
let slotDay: string
/** A day on which somebody is booked. */
let visitDay: string
/** The id of an open run. */
let run: string
beforeAll(async () => {
  dashboard = await startDashboard()
  mkdirSync(PICTURES, { recursive: true })
  const { fhir, tool } = dashboard.server
  refused = (await fhir('POST', '/Patient', { resourceType: 'Patient', gender: 'f' })).headers.get('x-request-id')
  for (const id of ['twice-1', 'twice-2']) {
    const twice = { name: [{ family: 'Twofold', given: ['Nora'] }], birthDate: '1966-06-06' }
    await fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, ...twice })
  }
  const search = await fhir('GET', '/Patient/$find-duplicates', undefined, { prefer: 'respond-async' })
  const state = new URL(search.headers.get('content-location') ?? '')
  await until(async () => (await fhir('GET', state.pathname + state.search)).status === 200)
  const free = await fhir(
    'GET',
    `/Slot?status=free&start=gt${new Date(Date.now() + 86_400_000).toISOString()}&_count=1`,
  )
  slotDay = free.body.entry[0].resource.start.slice(0, 10)
  const booked = await fhir('GET', '/Appointment?status=booked&_sort=date&_count=1')
  visitDay = booked.body.entry[0].resource.start.slice(0, 10)
  const task = { resourceType: 'Task', id: 'looked-at', status: 'requested', intent: 'order', description: 'Look' }
  await fhir('PUT', '/Task/looked-at', task)
  const channel = { type: 'rest-hook', endpoint: 'https://example.org/events', header: ['Authorization: Bearer x'] }
  await fhir('PUT', '/Subscription/looked-at', {
    ...{ resourceType: 'Subscription', id: 'looked-at', status: 'off', reason: 'To be looked at' },
    ...{ criteria: 'Task?status=requested', channel },
  })
  await fhir('GET', '/Organization', undefined, { prefer: 'respond-async' })
  const headers = { 'x-call-id': 'access-1' }
  await tool('/patient-journey/update_registration_field', { firstName: 'Nadia', lastName: 'Okonkwo' }, headers)
  await tool('/patient-intake/submit_intake', { ...INTAKE, email: 'bounce@example.com' }, { 'x-call-id': 'access-2' })
  await tool('/patient-intake/submit_intake', INTAKE, { 'x-call-id': 'access-3' })
  await tool('/patient-intake/validate_intake_field', { fieldName: 'phone', value: 'twelve' }, headers)
  await rehearse()
})
afterAll(() => dashboard?.close())

/** A fault that has fired, a clock that is ahead and a snapshot, so that the pages have something to show of them. */
async function rehearse(): Promise<void> {
  const { url, login, fhir } = dashboard.server
  const headers = {
    authorization: `Bearer ${await login('admin', 'admin')}`,
    'content-type': 'application/json',
  }
  const own = (method: string, path: string, body: object) =>
    request(url, method, `/clinics/demo-clinic/${path}`, body, headers)
  await own('PUT', 'faults/some', { fault: 'throttled', when: { run: 'access' } })
  await fhir('GET', '/Location', undefined, { 'x-run-id': 'access' })
  await own('PUT', 'snapshots/before', {})
  await own('POST', 'clock/advance', { by: 'PT1H' })
  await own('PUT', 'plans/access', PLAN)
  const { body } = await own('POST', 'runs', { plan: 'access', clientName: 'A scheduler' })
  run = body.run
  await fhir('GET', '/Slot?status=free&_count=1', undefined, { 'x-run-id': run })
}

describe('the pages', () => {
  let page: Page
  beforeAll(async () => {
    page = await dashboard.signedIn('', { as: 'admin' })
  })
  afterAll(() => page?.context().close())

  test.each(Object.entries(PAGES))(
    '%s has no finding of axe and scrolls to no side in any look',
    async (name, path) => {
      await page.goto(`${dashboard.server.url}/dashboard${path.replace('RUN', run)}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectAccess(page, name)
    },
  )
})

/** Dialogs: the page of each, and the buttons that open it. */
const DIALOGS: Readonly<Record<string, readonly [path: string, ...buttons: string[]]>> = {
  'edit a patient': ['/patients/abernathy-ruth', 'Edit'],
  merge: ['/patients?tab=duplicates', 'Compare and merge'],
  book: ['/schedule?view=list&day=SLOT', 'Book ', 'Show free times'],
  task: ['/work-list?task=looked-at', 'Complete…'],
  reset: ['/sandbox', 'Reset to '],
  fault: ['/sandbox?tab=faults', 'Set throttled…'],
  'finish a run': ['/runs/RUN', 'Finish…'],
  'share a run': ['/runs/RUN', 'Share…'],
  palette: ['/', 'Search'],
  'account menu': ['/', 'Account and look'],
  'account of a user': ['/settings?tab=accounts', 'Change…'],
  'report of a run': ['/runs/RUN', 'Report'],
  'new patient': ['/patients', 'New patient'],
  'a visit': ['/schedule?view=list&day=VISIT', 'Booked'],
  'move a visit': ['/schedule?view=list&day=VISIT', 'Booked', 'Move…'],
  'cancel a visit': ['/schedule?view=list&day=VISIT', 'Booked', 'Cancel the visit…'],
  'block time': ['/schedule?view=list&day=SLOT', 'Block time…'],
  'snooze a task': ['/work-list?task=looked-at', 'Snooze…'],
  'export of requests': ['/journal', 'Export'],
  'requests of the browser': ['/explorer?view=console', 'History and saved'],
  'new password': ['/', 'Account and look', 'Change password…'],
  help: ['/patients', 'Help'],
  'new Subscription': ['/events', 'New Subscription…'],
  'new export': ['/exports', 'New export…'],
}

test.each(Object.entries(DIALOGS))(
  'the dialog %s has no finding of axe either, and fits',
  async (name, [path, ...buttons]) => {
    const address = path.replace('SLOT', slotDay).replace('VISIT', visitDay).replace('RUN', run)
    const page = await dashboard.signedIn(address, { as: 'admin' })
    for (const button of buttons) await page.getByRole('button', { name: button }).first().click()
    await page.getByRole('dialog').first().waitFor()
    await expectAccess(page, `dialog-${name.replaceAll(' ', '-')}`)
  },
)

test('the sign-in page has no finding of axe either, and fits', async () => {
  const page = await dashboard.open()
  await page.getByLabel('User name').waitFor()
  await expectAccess(page, 'sign-in')
})

test('an exchange that was refused has no finding of axe either, and scrolls to no side', async () => {
  const page = await dashboard.signedIn(`/journal/${refused}`)
  await page.getByRole('heading', { level: 1, name: 'POST /Patient' }).waitFor()
  await expectAccess(page, 'exchange')
})

/** @param name of the page in its pictures */
async function expectAccess(page: Page, name: string): Promise<void> {
  for (const [look, { colorScheme, viewport = WINDOW }] of Object.entries(LOOKS)) {
    // As when the user turns on the dark theme, and turns the window into a narrow one.
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.setViewportSize(viewport)
    const isShown = (scheme: string) => document.documentElement.dataset.mantineColorScheme === scheme
    await page.waitForFunction(isShown, colorScheme)
    await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
    expect([look, await findingsOf(page)]).toEqual([look, []])
    expect([look, await fitsItsWidth(page)]).toEqual([look, true])
    await page.screenshot({ path: join(PICTURES, `${name}-${look}.png`) })
  }
}
