/** Clinics for operators: listed, made, configured; and an account whose clinic is gone. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { type Dashboard, findingsOf, fitsItsWidth, signIn, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'
import { logInAs, PASSWORD } from '../../support/two-clinics.ts'

const SETTINGS = { timeZone: 'Europe/Vienna', dialedNumbers: [], defaultRegion: 'AT' }
const POLICIES = { policies: { overbooking: false, slotTakenStatus: 409 } } as const
const NAME = `مستشفى <b>${'long '.repeat(30)}`

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { app } = dashboard.server
  await createClinic(app.repository, 'north', { ...SETTINGS, ...POLICIES, name: NAME })
  await logInAs(dashboard.server, { username: 'otto', clinic: '', role: 'operator' })
  await logInAs(dashboard.server, { username: 'nora', clinic: 'north', role: 'admin' })
})
afterAll(() => dashboard?.close())

test('an operator lists the clinics, makes one by the keyboard, and configures another one, which the address names', async () => {
  const page = await dashboard.open('/clinics')
  await signIn(page, 'otto', PASSWORD)
  await page.getByRole('row', { name: /north/ }).waitFor()
  await page.getByRole('button', { name: 'New clinic…' }).press('Enter')
  const form = page.getByRole('form', { name: 'New clinic' })
  await form.getByLabel('Name').fill('South Side')
  await form.getByLabel('Id').fill('not an id')
  expect(await findingsOf(page)).toEqual([])
  await form.getByLabel('Id').press('Enter')
  await form.getByRole('alert').getByText('1 to 64 letters').waitFor()
  await form.getByLabel('Id').fill('south')
  await form.getByLabel('Id').press('Enter')
  await page.waitForURL(/clinic=south/)
  await page.locator('input[value="South Side"]').waitFor()
  await page.getByRole('combobox', { name: 'Clinic', exact: true }).selectOption('north')
  await page.locator(`input[value^="مستشفى"]`).waitFor()
  await page.getByRole('tab', { name: 'Accounts' }).click()
  await page.getByRole('row', { name: /nora/ }).waitFor()
  expect(await page.getByRole('row', { name: /otto/ }).count()).toBe(0)
  expect(await findingsOf(page)).toEqual([])
})

test('an operator sees and revokes the tokens of another clinic, and makes none there', async () => {
  const admin = await dashboard.server.login('nora', PASSWORD)
  const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
  const { body } = await request(dashboard.server.url, 'POST', '/tokens', { name: 'Bot', role: 'staff' }, headers)
  const page = await dashboard.open('/settings?tab=tokens&clinic=north')
  await signIn(page, 'otto', PASSWORD)
  await page.getByRole('row', { name: /Bot/ }).getByRole('button', { name: 'Revoke…' }).click()
  expect(await page.getByRole('button', { name: 'New token…' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Revoke it' }).click()
  await page.getByText('There are no tokens for programs').waitFor()
  const refused = await request(dashboard.server.url, 'GET', '/Patient', undefined, {
    authorization: `Bearer ${body.token}`,
  })
  expect(refused.status).toBe(401)
})

test('on a phone, in the dark, the clinics fit', async () => {
  const page = await dashboard.open('/clinics', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await signIn(page, 'otto', PASSWORD)
  await page.getByRole('row', { name: /north/ }).waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  expect(await findingsOf(page)).toEqual([])
})

test('an admin has no list of clinics', async () => {
  const page = await dashboard.open('/settings')
  await signIn(page, 'nora', PASSWORD)
  await page.getByRole('tab', { name: 'Clinic' }).waitFor()
  expect(await page.getByRole('combobox', { name: 'Clinic', exact: true }).count()).toBe(0)
  expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Clinics' }).count()).toBe(0)
})

test('an account whose clinic was deleted is told so, and signs out', async () => {
  const page = await dashboard.open('')
  await signIn(page, 'nora', PASSWORD)
  const body = { error: "The claim 'clinic' of the token names no clinic of this service" }
  await page.route('**/clinics/north/settings', (route) => route.fulfill({ status: 403, json: body }))
  await page.reload()
  await page.getByText('names no clinic of this service').waitFor()
  expect(await findingsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('User name').waitFor()
})
