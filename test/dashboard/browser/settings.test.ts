/** The settings of a clinic: errors are shown at their field, secrets are not read, and no change of others is lost. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dashboard, signIn, startDashboard } from '../../support/dashboard.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { logInAs, PASSWORD } from '../../support/two-clinics.ts'

const PATH = '/clinics/demo-clinic/settings'
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

let dashboard: Dashboard
let service: Receiver
beforeAll(async () => {
  dashboard = await startDashboard()
  service = await startReceiver()
})
afterAll(async () => {
  await dashboard?.close()
  await service?.close()
})

const json = { 'content-type': 'application/json' }
const settings = async () => (await dashboard.server.fhir('GET', PATH)).body

test('an admin changes the settings; what is wrong stands at its field, and secrets are written and not read', async () => {
  const page = await dashboard.signedIn('/settings', { as: 'admin' })
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await page.getByLabel('Time zone').fill('New York')
  await page.getByRole('textbox', { name: 'Name' }).fill('Maple <b>Street</b>')
  await save.click()
  await page.getByRole('alert').getByText('timeZone must be an IANA time zone').waitFor()
  expect(await page.getByLabel('Time zone').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Time zone').fill('America/New_York')
  await page.getByRole('tab', { name: 'Connectors' }).click()
  const messages = page.locator('section', { hasText: 'Messages to patients' })
  // The demo clinic has the simulator, which has no secret.
  expect(await messages.getByLabel('Address').inputValue()).toBe('simulator')
  expect(await messages.getByLabel('Secret').count()).toBe(0)
  await messages.getByRole('button', { name: 'Remove' }).click()
  await messages.getByRole('button', { name: 'Set up' }).click()
  await messages.getByLabel('Address').fill('https://messages.example/hook')
  await messages.getByLabel('Secret').first().fill(SECRET)
  await save.click()
  await page.getByText('The settings are saved.').waitFor()
  expect(await settings()).toMatchObject({
    name: 'Maple <b>Street</b>',
    messages: { enabled: true, url: 'https://messages.example/hook', secret: 'set' },
  })
  expect(await messages.getByLabel('Secret').first().inputValue()).toBe('')
  await page.getByRole('banner').getByText('Maple <b>Street</b>').waitFor()
  expect(await page.content()).not.toContain(SECRET)
})

test('where somebody else has saved meanwhile both versions are shown, and each keeps what it has changed', async () => {
  const page = await dashboard.signedIn('/settings?tab=booking', { as: 'admin' })
  await page.getByLabel('Days ahead').fill('90')
  await page.getByLabel('Minutes of a hold').fill('12')
  const { policies, ...rest } = await settings()
  const theirs = { ...rest, policies: { ...policies, holdMinutes: 9, maxOpenAppointments: 4 } }
  expect((await dashboard.server.fhir('PUT', PATH, theirs, json)).status).toBe(200)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Somebody else has saved meanwhile' })
  const held = dialog.getByRole('row', { name: /^Minutes of a hold/ })
  await held.getByText('both have changed it').waitFor()
  await held.getByLabel('9').check()
  await dialog.getByRole('button', { name: 'Save what is chosen' }).click()
  await page.getByText('The settings are saved.').waitFor()
  expect((await settings()).policies).toMatchObject({ bookingHorizonDays: 90, holdMinutes: 9, maxOpenAppointments: 4 })
})

test('staff change the settings too, as the server lets them; there are no accounts for them', async () => {
  const page = await dashboard.signedIn('/settings?tab=booking')
  await page.getByLabel('Minutes of a hold').fill('11')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The settings are saved.').waitFor()
  expect((await settings()).policies.holdMinutes).toBe(11)
  expect(await page.getByRole('tab', { name: 'Accounts' }).count()).toBe(0)
})

test('an admin sees the accounts of the clinic, and disables one, which can be undone', async () => {
  const page = await dashboard.signedIn('/settings?tab=accounts', { as: 'admin' })
  const row = page.getByRole('row', { name: /^demo / })
  await row.getByRole('button', { name: 'Change…' }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await row.getByText('disabled').waitFor()
  await page.getByText('demo is disabled.').waitFor()
})

test('an admin makes an account, with which somebody signs in, and removes it, unless that is undone', async () => {
  const page = await dashboard.signedIn('/settings?tab=accounts', { as: 'admin' })
  await page.getByRole('button', { name: 'New account…' }).click()
  const form = page.getByRole('form', { name: 'New account' })
  await form.getByLabel('User name').fill('nora')
  await form.getByLabel('Name of the person').fill('Nora <North>')
  await form.getByLabel('Password').first().fill('short')
  await form.getByRole('button', { name: 'Make the account' }).click()
  await form.getByRole('alert').getByText('10').waitFor()
  await form.getByLabel('Password').first().fill('a long password')
  await form.getByRole('button', { name: 'Make the account' }).click()
  const row = page.getByRole('row', { name: /^nora Nora <North> staff/ })
  await row.waitFor()
  expect(await dashboard.server.login('nora', 'a long password')).toMatch(/^ey/)

  await row.getByRole('button', { name: 'Change…' }).click()
  await page.getByRole('button', { name: 'Rename…' }).click()
  await page.getByRole('dialog', { name: 'Name of nora' }).getByLabel('Name of the person').fill('Nora South')
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByRole('row', { name: /^nora Nora South staff/ }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()

  const remove = async () => {
    await row.getByRole('button', { name: 'Change…' }).click()
    await page.getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
  }
  await remove()
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()
  expect(await dashboard.server.login('nora', 'a long password')).toMatch(/^ey/)
  const removed = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  await remove()
  expect((await removed).status()).toBe(204)
  expect(await dashboard.server.login('nora', 'a long password')).toBeUndefined()
})

test('everybody changes the own password, and goes on with the new one where the page was', async () => {
  await logInAs(dashboard.server, { username: 'changes', clinic: 'demo-clinic', role: 'staff' })
  const page = await dashboard.open('/patients')
  await signIn(page, 'changes', PASSWORD)
  await page.getByRole('button', { name: 'Account and look' }).click()
  await page.getByRole('button', { name: 'Change password…' }).click()
  const form = page.getByRole('dialog', { name: 'New password of changes' })
  await form.getByLabel('Current password').fill('not this one')
  await form.getByLabel('New password').fill('another password')
  await form.getByRole('button', { name: 'Set it' }).click()
  await form.getByRole('alert').waitFor()
  await form.getByLabel('Current password').fill(PASSWORD)
  await form.getByRole('button', { name: 'Set it' }).click()
  await form.waitFor({ state: 'detached' })
  await page.getByLabel('Name, birth date, phone or record number').fill('abernathy')
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByLabel('Password of changes').fill('another password')
  await again.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('1 patient', { exact: true }).waitFor()
})

test('a connector is tried as it is saved, and tells what came of it', async () => {
  const page = await dashboard.signedIn('/settings?tab=connectors', { as: 'admin' })
  const messages = page.locator('section', { hasText: 'Messages to patients' })
  await messages.getByLabel('Address').fill(service.url)
  await messages.getByText('Save first: what is saved is tried.').waitFor()
  expect(await messages.getByRole('button', { name: 'Try it' }).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('The settings are saved.').waitFor()
  const outcomes: string[] = []
  for (const status of [204, 401]) {
    service.answer(status)
    const answered = page.waitForResponse(/\$try/)
    await messages.getByRole('button', { name: 'Try it' }).click()
    const { outcome, reason } = await (await answered).json()
    await messages.getByRole('status').getByText(reason).waitFor()
    outcomes.push(outcome)
    // It is tried once a second.
    await new Promise((resolve) => setTimeout(resolve, 1100))
  }
  expect(service.received).toHaveLength(2)
  expect(new Set(outcomes).size).toBe(2)
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
