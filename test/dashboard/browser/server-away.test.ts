/**
 * The server goes away in the middle of each dialog and form: it says so itself, keeps what was typed, and is sent when the
 * server is back.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Schedule, Slot } from 'fhir/r4'
import type { Locator, Page, Route } from 'playwright-core'
import { availabilityOf, withAvailability } from '../../../dashboard/fhir/availability.ts'
import { clockText, wallTime } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, isAsked, signIn, startDashboard } from '../../support/dashboard.ts'
import { freeDays, OKAFOR, visitIn, ZONE } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'
import { request } from '../../support/request.ts'
import { logInAs, PASSWORD } from '../../support/two-clinics.ts'

let dashboard: Dashboard
let day = ''
let otherDay = ''
let slots: readonly Slot[] = []
/** The address of a run that is open. */
let run = ''

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)

beforeAll(async () => {
  dashboard = await startDashboard({}, { slotDays: 10 })
  await logInAs(dashboard.server, { username: 'otto', clinic: '', role: 'operator' })
  const days = [...(await freeDays(fhir))]
  ;[[day, slots] = ['', []], [otherDay] = ['']] = days
  await storeRecords()
  await storeByAdmin()
})
afterAll(() => dashboard?.close())

async function storeRecords(): Promise<void> {
  for (const [index, id] of ['moved', 'cancelled'].entries())
    await put(fhir, visitIn(slotAt(index + 2), 'goldberg-samuel', { id }))
  const person = { resourceType: 'Patient', birthDate: '1961-05-05', name: [{ family: 'Awaymann', given: ['Dana'] }] }
  await put(fhir, { ...person, id: 'kept', gender: 'female' })
  await put(fhir, { ...person, id: 'replaced', gender: 'other' })
  for (const id of ['commented', 'completed', 'snoozed', 'assigned', 'claimed'])
    await put(fhir, { resourceType: 'Task', id, status: 'requested', intent: 'order', description: `Task ${id}` })
  await put(fhir, { resourceType: 'Basic', id: 'formed', code: { text: 'first' }, created: '2026-01-02' })
  const schedule: Schedule = (await fhir('GET', `/Schedule/${OKAFOR}`)).body
  const hours = availabilityOf(schedule)
  if (hours === undefined) throw new Error('The practitioner of the demo has no hours')
  const [start, end] = [wallTime(`${otherDay}T08:00:00`, ZONE), wallTime(`${otherDay}T10:00:00`, ZONE)]
  const absences = [...hours.absences, { start, end, description: 'At the dentist' }]
  await put(fhir, withAvailability(schedule, { ...hours, absences }).schedule)
}

const STEPS = [{ id: 'looks', title: 'Looks for a patient', source: 'docs/plans.md', expect: { type: 'Patient' } }]

async function storeByAdmin(): Promise<void> {
  const token = await dashboard.server.login('admin', 'admin')
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const send = async (method: string, path: string, body: object) => {
    const { status, text, body: sent } = await request(dashboard.server.url, method, path, body, headers)
    expect(status < 300 ? 'stored' : text).toBe('stored')
    return sent
  }
  for (const username of ['renamed', 'with-password'])
    await send('POST', '/accounts', { username, role: 'staff', password: PASSWORD })
  await send('POST', '/tokens', { name: 'Revoked bot', role: 'staff' })
  const plan = { plan: 'away', names: {}, title: 'Away', version: '1.0.0', description: 'Short', steps: STEPS }
  await send('PUT', '/clinics/demo-clinic/plans/away', plan)
  ;({ run } = await send('POST', '/clinics/demo-clinic/runs', { plan: 'away', clientName: 'a client' }))
}

function slotAt(index: number): Slot {
  const slot = slots[index]
  if (slot === undefined) throw new Error(`There is no slot ${index}`)
  return slot
}

interface Case {
  readonly as?: string
  readonly path: () => string
  /** The dialog, or the form of a page, once it is there. */
  readonly open: (page: Page) => Promise<Locator>
  readonly fill: (dialog: Locator, page: Page) => Promise<unknown>
  readonly press: string | RegExp | ((dialog: Locator, page: Page) => Promise<unknown>)
  /** A text that says that it is done; absent: the dialog closes. */
  readonly done?: string | RegExp
}

const clicked =
  (button: string | RegExp, dialog: string | RegExp) =>
  async (page: Page): Promise<Locator> => {
    await page.getByRole('button', { name: button }).first().click()
    return page.getByRole('dialog', { name: dialog })
  }
const formNamed =
  (name: string, button?: string) =>
  async (page: Page): Promise<Locator> => {
    if (button !== undefined) await page.getByRole('button', { name: button }).click()
    return page.getByRole('form', { name })
  }
const there = (dialog: string | RegExp) => async (page: Page) => page.getByRole('dialog', { name: dialog })
const filled =
  (fields: Readonly<Record<string, string>>) =>
  async (dialog: Locator): Promise<void> => {
    for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label).first().fill(text)
  }

const visitAt = (index: number) => new RegExp(`^${clockText(slotAt(index).start, ZONE)}.*Samuel Goldberg`)
const listOfDay = () => `/schedule?day=${day}&view=list&who=${OKAFOR}`
const admin = (path: string) => ({ as: 'admin', path: () => path })
const accountDialog = (username: string, action: string, dialog: RegExp) => async (page: Page) => {
  const row = page.getByRole('row').filter({ hasText: username })
  await row.getByRole('button', { name: 'Change…' }).click()
  return clicked(action, dialog)(page)
}

const CASES: Readonly<Record<string, Case>> = {
  'a booking': {
    path: listOfDay,
    open: (page) => clicked(`Book ${clockText(slotAt(0).start, ZONE)}`, 'Book a visit')(page),
    fill: async (dialog, page) => {
      await dialog.getByLabel('Patient').fill('aber ru')
      await page.getByRole('option', { name: 'Ruth Abernathy' }).click()
      await dialog.getByLabel('Reason').fill('Cough')
    },
    press: 'Book',
    done: 'Ruth Abernathy is booked on',
  },
  'a move': {
    path: listOfDay,
    open: async (page) => {
      await page.getByRole('button', { name: visitAt(2) }).click()
      return clicked('Move…', /^Move the visit/)(page)
    },
    fill: (dialog) =>
      dialog
        .getByRole('group', { name: 'Free times' })
        .getByText(clockText(slotAt(6).start, ZONE), { exact: true })
        .first()
        .click(),
    press: /^Move to /,
    done: 'Samuel Goldberg is moved to',
  },
  'a cancellation': {
    path: listOfDay,
    open: async (page) => {
      await page.getByRole('button', { name: visitAt(3) }).click()
      return clicked('Cancel the visit…', /^Cancel the visit of/)(page)
    },
    fill: async (dialog) => {
      await dialog.getByLabel('The patient feels better').check()
      await dialog.getByLabel('Comment').fill('Called at nine')
    },
    press: 'Cancel the visit',
    done: 'The visit of Samuel Goldberg is cancelled.',
  },
  'blocked time': {
    path: () => `/schedule?day=${day}&view=day&who=${OKAFOR}`,
    open: clicked('Block time…', 'Block time'),
    fill: filled({ Reason: 'Training' }),
    press: 'Block the time',
    done: 'The time is blocked.',
  },
  'an absence that is taken back': {
    path: () => `/schedule?day=${otherDay}&view=day&who=${OKAFOR}`,
    open: clicked(/^At the dentist/, 'At the dentist'),
    fill: async () => undefined,
    press: 'Take it back',
    done: '“At the dentist” is taken back',
  },
  'working hours': {
    path: () => `/schedule/hours/${OKAFOR}`,
    open: async (page) => page.locator('main form'),
    fill: filled({ 'Days ahead': '11' }),
    press: 'Save',
    done: 'The working hours are saved.',
  },
  'a new patient': {
    path: () => '/patients?dialog=new',
    open: there('New patient'),
    fill: filled({ 'Given names': 'Ada', 'Family name': 'Awayton', Phone: '(212) 555-0181' }),
    press: 'Create',
    done: 'Ada Awayton is registered.',
  },
  'the demographics of a patient': {
    path: () => '/patients/haddad-layla?tab=details',
    open: clicked(/^Edit$/, 'Edit demographics'),
    fill: filled({ City: 'Troy' }),
    press: 'Save',
    done: 'The changes are saved.',
  },
  'a merge': {
    path: () => '/patients/kept?tab=duplicates',
    open: clicked('Compare and merge', 'Merge two records'),
    fill: (dialog) => dialog.getByRole('radio', { name: 'other' }).check(),
    press: 'Merge',
    done: 'The records are merged.',
  },
  'a comment on a task': {
    path: () => '/work-list?task=commented',
    open: there('Task commented'),
    fill: (dialog) => dialog.getByRole('textbox', { name: 'Comment' }).fill('Was called back'),
    press: 'Comment',
    done: 'Demo Staff',
  },
  'the completion of a task': {
    path: () => '/work-list?task=completed',
    open: async (page) => {
      await page.getByRole('button', { name: 'Complete…' }).click()
      return page.getByRole('form', { name: 'Complete the task' })
    },
    fill: async (dialog) => {
      await dialog.getByLabel('The patient was not reached').check()
      await dialog.getByLabel('Note').fill('Twice')
    },
    press: 'Complete',
    done: 'The task is completed.',
  },
  'the claim of a task': {
    path: () => '/work-list?task=claimed',
    open: there('Task claimed'),
    fill: (dialog) => dialog.getByRole('textbox', { name: 'Comment' }).fill('Half a comment'),
    press: 'Claim',
    done: 'The task is yours.',
  },
  'the assignment of a task': {
    path: () => '/work-list?task=assigned',
    open: there('Task assigned'),
    fill: (dialog) => dialog.getByRole('textbox', { name: 'Comment' }).fill('Half a comment'),
    press: async (dialog, page) => {
      await dialog.getByRole('button', { name: 'Assign to…' }).click()
      await page.getByRole('button', { name: 'Demo Admin', exact: true }).click()
    },
    done: 'The task is assigned to Demo Admin.',
  },
  'a task that is snoozed': {
    path: () => '/work-list?task=snoozed',
    open: async (page) => {
      await page.getByRole('button', { name: 'Snooze…' }).click()
      return clicked('Until a time…', 'Snooze until')(page)
    },
    fill: filled({ 'Time of the clinic': '2031-02-03T10:00' }),
    press: 'Snooze',
    done: 'The task is snoozed until',
  },
  'a token for a program': {
    ...admin('/settings?tab=tokens'),
    open: formNamed('New token', 'New token…'),
    fill: filled({ 'Name of the program': 'Bot' }),
    press: 'Make the token',
    done: 'The token is shown here once',
  },
  'the end of a token': {
    ...admin('/settings?tab=tokens'),
    open: async (page) => {
      const row = page.getByRole('row').filter({ hasText: 'Revoked bot' })
      await row.getByRole('button', { name: 'Revoke…' }).click()
      return page.getByRole('dialog', { name: 'Revoke the token' })
    },
    fill: async () => undefined,
    press: 'Revoke it',
  },
  'a new account': {
    ...admin('/settings?tab=accounts'),
    open: formNamed('New account', 'New account…'),
    fill: filled({ 'User name': 'newcomer', 'Name of the person': 'New Comer', Password: PASSWORD }),
    press: 'Make the account',
    done: 'newcomer can sign in now.',
  },
  'the name of an account': {
    ...admin('/settings?tab=accounts'),
    open: accountDialog('renamed', 'Rename…', /^Name of/),
    fill: filled({ 'Name of the person': 'Re Named' }),
    press: 'Rename',
    done: 'renamed is called Re Named now.',
  },
  'the password of an account': {
    ...admin('/settings?tab=accounts'),
    open: accountDialog('with-password', 'New password…', /^New password of/),
    fill: filled({ 'New password': 'another long password' }),
    press: 'Set it',
    done: 'with-password has a new password',
  },
  'the settings': {
    ...admin('/settings'),
    open: async (page) => page.locator('main form'),
    fill: filled({ Name: 'Clinic of the Shore' }),
    press: 'Save',
    done: 'The settings are saved.',
  },
  'the form of a resource': {
    path: () => '/explorer?view=resources&type=Basic&id=formed',
    open: formNamed('Basic/formed'),
    fill: (form) => form.getByLabel('created').fill('2026-01-03'),
    press: 'Save',
    done: 'Basic/formed is saved.',
  },
  'the start of a run': {
    ...admin('/runs'),
    open: formNamed('New run'),
    fill: filled({ 'Name of the client': 'A patient client' }),
    press: 'Start',
    done: 'A patient client',
  },
  'the link to a report': {
    as: 'admin',
    path: () => `/runs/${run}`,
    open: clicked('Share…', 'Share the report'),
    fill: (dialog) => dialog.getByLabel('Lasts').selectOption('P1D'),
    press: 'Make a link',
    done: /^Until/,
  },
  'the end of a run': {
    as: 'admin',
    path: () => `/runs/${run}`,
    open: clicked('Finish…', 'Finish the run'),
    fill: async () => undefined,
    press: 'Finish it',
    done: 'finished',
  },
  'a plan': {
    ...admin('/plans/away?tab=edit'),
    open: formNamed('Plan'),
    fill: filled({ 'Save under the name': 'further-away' }),
    press: 'Save',
    done: 'The plan further-away is saved.',
  },
  'a dry run': {
    ...admin('/plans/away?tab=try'),
    open: formNamed('Dry run'),
    fill: (form) => form.getByLabel('Recorded requests').selectOption('last day'),
    press: 'Try the plan',
    done: /steps pass by/,
  },
  'a snapshot': {
    ...admin('/sandbox?tab=snapshots'),
    open: async (page) => page.locator('main form'),
    fill: filled({ 'Name of the snapshot': 'as-it-was' }),
    press: 'Save the clinic as it is',
    done: 'as-it-was is saved:',
  },
  'a fault': {
    ...admin('/sandbox?tab=faults&fault=throttled'),
    open: async (page) => page.getByRole('dialog'),
    fill: filled({ Path: '/nothing/is/here' }),
    press: 'Turn it on',
    done: 'Faults are on: throttled',
  },
  'a reset': {
    ...admin('/sandbox?reset=empty'),
    open: there('Reset to empty'),
    fill: async () => undefined,
    press: 'Reset the clinic',
    done: /^The clinic is empty:/,
  },
}

/** The values of all fields, in order. */
const valuesIn = (dialog: Locator): Promise<readonly unknown[]> =>
  dialog.evaluate((box) =>
    [...box.querySelectorAll<HTMLInputElement>('input, textarea, select')].map((field) =>
      /^(radio|checkbox)$/.test(field.type) ? field.checked : field.value,
    ),
  )

const refuse = (route: Route) => route.abort()

async function sentTwice(page: Page, { open, fill, press, done }: Omit<Case, 'path'>): Promise<void> {
  const dialog = await open(page)
  await dialog.waitFor()
  await fill(dialog, page)
  const typed = await valuesIn(dialog)
  const send = () =>
    typeof press === 'function' ? press(dialog, page) : dialog.getByRole('button', { name: press, exact: true }).click()
  await page.route(isAsked, refuse)
  await send()
  await dialog.getByRole('alert').getByText('The server is not responding.', { exact: true }).waitFor()
  expect(await valuesIn(dialog)).toEqual(typed)
  await page.unroute(isAsked, refuse)
  await send()
  await (done === undefined ? dialog.waitFor({ state: 'detached' }) : page.getByText(done).first().waitFor())
  await page.getByText('The server is not responding.', { exact: true }).waitFor({ state: 'detached' })
}

test.each(Object.entries(CASES))('%s', async (_what, { as, path, ...steps }) => {
  const page = await dashboard.signedIn(path(), as === undefined ? {} : { as })
  await sentTwice(page, steps)
})

test('a new clinic', async () => {
  const page = await dashboard.open('/clinics')
  await signIn(page, 'otto', PASSWORD)
  await sentTwice(page, {
    open: formNamed('New clinic', 'New clinic…'),
    fill: filled({ Name: 'South Side', Id: 'south' }),
    press: 'Make the clinic',
    done: 'South Side is made.',
  })
})

test('no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
