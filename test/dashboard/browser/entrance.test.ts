/** Signing in and out, the end of a session, and the frame of every page. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, signIn, startDashboard } from '../../support/dashboard.ts'
import { logInAs } from '../../support/two-clinics.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

/** As another window of the same browser would, so that this one does not know. */
async function endSessionOf(page: Page): Promise<void> {
  const response = await page.context().request.delete(`${dashboard.server.url}/session`)
  expect(response.status()).toBe(204)
}

test('a wrong password is told at the form; the right one opens the page that was asked for', async () => {
  const page = await dashboard.open('/patients')
  await page.getByLabel('User name').fill('demo')
  await page.getByLabel('Password').first().fill('wrong')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('alert').getByText('User name or password is wrong').waitFor()
  await signIn(page, 'demo', 'demo')
  await heading(page, 'Patients').waitFor()
  expect(page.url()).toBe(`${dashboard.server.url}/dashboard/patients`)
})

test('the session outlives the page, in a cookie that no script can read; signing out ends it in all windows', async () => {
  const page = await dashboard.signedIn('/patients')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await heading(other, 'Patients').waitFor()
  expect(await page.evaluate(() => [document.cookie, JSON.stringify({ ...localStorage, ...sessionStorage })])).toEqual([
    '',
    expect.not.stringContaining('eyJ'),
  ])
  await page.getByRole('button', { name: 'Account and look' }).click()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('User name').waitFor()
  await other.getByLabel('User name').waitFor()
  await page.reload()
  await page.getByLabel('User name').waitFor()
})

test('where a session ends, the password is asked for over the page, which goes on where it was', async () => {
  const page = await dashboard.signedIn('/patients')
  await heading(page, 'Patients').waitFor()
  await endSessionOf(page)
  const search = page.getByLabel('Name, birth date, phone or record number')
  await search.fill('abernathy')
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Password of demo').fill('wrong')
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByRole('alert').getByText('User name or password is wrong').waitFor()
  await dialog.getByLabel('Password of demo').fill('demo')
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('1 patient', { exact: true }).waitFor()
  expect(await search.inputValue()).toBe('abernathy')
})

test('the palette opens by Ctrl K and finds pages, patients, and a resource by its id', async () => {
  const page = await dashboard.signedIn()
  await heading(page, 'Overview').waitFor()
  await page.keyboard.press('Control+k')
  const search = page.getByRole('dialog').getByPlaceholder('Page, patient, or Patient/123')
  await search.fill('patie')
  await page.keyboard.press('Enter')
  await heading(page, 'Patients').waitFor()
  await page.keyboard.press('Control+k')
  await search.fill('ruth aber')
  await page.getByRole('dialog').getByText('Ruth Abernathy').waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'Ruth Abernathy').waitFor()
  await page.keyboard.press('Control+k')
  await search.fill('Patient/goldberg-samuel')
  await page.keyboard.press('Enter')
  await heading(page, 'Samuel Goldberg').waitFor()
})

test('a token of another issuer is pasted, is kept in memory only, and gives the navigation of its role', async () => {
  const token = await logInAs(dashboard.server, { username: 'operator', clinic: '', role: 'operator' })
  const page = await dashboard.open()
  await page.getByRole('button', { name: 'Use a token of another issuer' }).click()
  await page.getByLabel('Token').fill('this is none')
  await page.getByRole('button', { name: 'Use this token' }).click()
  await page.getByRole('alert').getByText('This is no JSON Web Token').waitFor()
  await page.getByLabel('Token').fill(`Bearer ${token}`)
  await page.getByRole('button', { name: 'Use this token' }).click()
  await page.getByText('This account belongs to no clinic').waitFor()
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  await navigation.getByRole('link', { name: 'FHIR explorer' }).waitFor()
  expect(await navigation.getByRole('link', { name: 'Patients' }).count()).toBe(0)
  await page.reload()
  await page.getByLabel('User name').waitFor()
})

test('nothing that a page does is stopped by its Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
