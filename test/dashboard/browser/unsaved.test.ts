/** Forms with changes ask before they are left: by another page, by closing their dialog, or with the window. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsInBothSchemes, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(async () => {
  await dashboard?.close()
})

const question = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })
const button = (page: Page, name: string) => question(page).getByRole('button', { name })
const toPatients = (page: Page) =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Patients' })

test('settings ask before another page, not before another tab, and keep what was typed', async () => {
  const page = await dashboard.signedIn('/settings', { as: 'admin' })
  const name = page.getByLabel('Name', { exact: false }).first()
  await name.fill('Another Clinic')
  await page.getByRole('tab', { name: 'Booking' }).click()
  await page.getByRole('tab', { name: 'Clinic' }).click()
  await toPatients(page).click()
  await question(page).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await question(page).waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Another Clinic')
  await toPatients(page).click()
  await button(page, 'Leave').click()
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
})

test('the demographics of a patient ask when their dialog is closed, and the focus goes back to Edit', async () => {
  const page = await dashboard.signedIn('/patients/abernathy-ruth?tab=details')
  const edit = page.getByRole('button', { name: 'Edit', exact: true })
  await edit.focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit demographics' })
  await dialog.getByLabel('E-mail').fill('other@example.com')
  await page.keyboard.press('Escape')
  await button(page, 'Stay').click()
  expect(await dialog.getByLabel('E-mail').inputValue()).toBe('other@example.com')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await button(page, 'Leave').click()
  await dialog.waitFor({ state: 'detached' })
  await page.waitForFunction(() => document.activeElement?.textContent === 'Edit')
})

test('a comment that is not sent asks before its task is closed, and the window asks before it is closed', async () => {
  await dashboard.server.fhir('PUT', '/Task/asks', {
    resourceType: 'Task',
    id: 'asks',
    status: 'requested',
    intent: 'order',
    description: 'Asks',
  })
  const page = await dashboard.signedIn('/work-list')
  await page.getByRole('button', { name: 'Asks' }).click()
  const drawer = page.getByRole('dialog', { name: 'Asks' })
  await drawer.getByRole('textbox', { name: 'Comment' }).fill('Half a sentence')
  await page.keyboard.press('Escape')
  await button(page, 'Stay').click()
  expect(await drawer.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('Half a sentence')
  const asked = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.accept()
})

test('a body that was not sent asks before another view of the explorer, and no more once it is sent', async () => {
  const page = await dashboard.signedIn('/explorer?path=Basic&method=POST')
  const views = page.getByRole('radiogroup', { name: 'View' })
  await page.getByRole('button', { name: 'Template' }).click()
  const editor = page.getByRole('textbox', { name: 'Body' })
  await page.locator('.json-string', { hasText: '"Text"' }).waitFor()
  await views.getByText('Capabilities').click()
  await views.getByText('Console').click()
  await page.getByLabel('Method').selectOption('POST')
  await page.getByLabel('Address').fill('Basic')
  await editor.click()
  await page.keyboard.type('{"resourceType": "Basic", "code": {"text": "typed"}}')
  await views.getByText('Capabilities').click()
  await button(page, 'Stay').click()
  expect(await editor.inputValue()).toContain('"typed"')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Response' }).waitFor()
  await views.getByText('Capabilities').click()
  await page.getByRole('navigation', { name: 'Types' }).waitFor()
})

test('a new patient asks before its dialog is closed, and not where nothing was typed', async () => {
  const page = await dashboard.signedIn('/patients')
  const dialog = page.getByRole('dialog', { name: 'New patient' })
  await page.getByRole('button', { name: 'New patient' }).click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New patient' }).click()
  await dialog.getByLabel('E-mail').fill('someone@example.com')
  await page.keyboard.press('Escape')
  await button(page, 'Stay').click()
  expect(await dialog.getByLabel('E-mail').inputValue()).toBe('someone@example.com')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await button(page, 'Leave').click()
  await dialog.waitFor({ state: 'detached' })
})

test('a booking and a blocked time that are half filled in ask before their dialog is closed', async () => {
  const page = await dashboard.signedIn('/schedule?book=Patient/abernathy-ruth', { as: 'admin' })
  const book = page.getByRole('dialog', { name: 'Book a visit' })
  await book.getByLabel('Reason').fill('Half a reason')
  await book.getByRole('button', { name: 'Not now' }).click()
  await button(page, 'Leave').click()
  await book.waitFor({ state: 'detached' })
  const block = page.getByRole('dialog', { name: 'Block time' })
  await page.getByRole('button', { name: 'Block time…' }).click()
  await block.getByLabel('Reason').fill('Half a reason')
  await page.keyboard.press('Escape')
  await button(page, 'Leave').click()
  await block.waitFor({ state: 'detached' })
})

test('a new token asks before another page', async () => {
  const page = await dashboard.signedIn('/settings?tab=tokens', { as: 'admin' })
  await page.getByRole('button', { name: 'New token…' }).click()
  await page.getByLabel('Name of the program').fill('A program')
  await toPatients(page).click()
  await button(page, 'Leave').click()
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
})

test('a new password asks before its dialog is closed', async () => {
  const page = await dashboard.signedIn('/patients', { as: 'admin' })
  await page.getByRole('button', { name: 'Account and look' }).click()
  await page.getByRole('button', { name: 'Change password…' }).click()
  const dialog = page.getByRole('dialog', { name: 'New password of admin' })
  await dialog.getByLabel('New password').fill('half a password')
  await page.keyboard.press('Escape')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await button(page, 'Stay').click()
  expect(await dialog.getByLabel('New password').inputValue()).toBe('half a password')
  await page.keyboard.press('Escape')
  await button(page, 'Leave').click()
  await dialog.waitFor({ state: 'detached' })
})

test('a run that is not started asks before another page, and no more once it is started; so does a note on its step', async () => {
  const steps = [
    { id: 'told', title: 'The caller hears it', source: 'A colleague', attest: 'The caller heard it' },
    {
      id: 'look',
      title: 'Searches slots',
      source: 'A colleague',
      expect: { interaction: 'search-type', type: 'Slot' },
    },
  ]
  const plan = {
    plan: 'asks',
    names: {},
    title: 'Asks',
    version: '1.0.0',
    description: 'Asks before it is left.',
    steps,
  }
  const headers = { authorization: `Bearer ${await dashboard.server.login('admin', 'admin')}` }
  const stored = await dashboard.server.fhir('PUT', '/clinics/demo-clinic/plans/asks', plan, {
    'content-type': 'application/json',
    ...headers,
  })
  expect(stored.status).toBeLessThan(300)
  const page = await dashboard.signedIn('/runs?plan=asks', { as: 'admin' })
  const form = page.getByRole('form', { name: 'New run' })
  await form.getByLabel('Name of the client').fill('A client')
  await toPatients(page).click()
  await button(page, 'Stay').click()
  await form.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('heading', { level: 1, name: 'Asks' }).waitFor()
  const note = page.getByRole('group', { name: 'Attest: The caller hears it' }).getByLabel('Note')
  await note.fill('Half a note')
  await page.getByRole('tab', { name: 'Traffic' }).click()
  await button(page, 'Stay').click()
  expect(await note.inputValue()).toBe('Half a note')
  await toPatients(page).click()
  await button(page, 'Leave').click()
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
})

test.each([
  ['snapshot', 'snapshots', 'Name of the snapshot', 'Save the clinic as it is'],
  ['clone', 'clones', 'Name', 'Make a clone'],
])(
  'the name of a %s asks before another tab and another page, and no more once it is made',
  async (...[, tab, label, make]) => {
    const page = await dashboard.signedIn(`/sandbox?tab=${tab}`, { as: 'admin' })
    const name = page.getByLabel(label)
    await name.fill('half-a-name')
    await page.getByRole('tab', { name: 'Clock' }).click()
    await button(page, 'Stay').click()
    await toPatients(page).click()
    await button(page, 'Stay').click()
    expect(await name.inputValue()).toBe('half-a-name')
    await page.getByRole('button', { name: make }).click()
    await page.waitForFunction(
      () =>
        document.querySelector<HTMLInputElement>('main form input[type=text], main form input:not([type])')?.value ===
        '',
    )
    await toPatients(page).click()
    await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
  },
)

test('the working hours ask before another page', async () => {
  const page = await dashboard.signedIn('/schedule/hours/schedule-okafor', { as: 'admin' })
  await page.getByLabel('Minutes per slot').fill('20')
  await toPatients(page).click()
  await button(page, 'Leave').click()
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
  expect(dashboard.complaints).toEqual([])
})
