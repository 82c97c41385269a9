/** Tokens for programs: made, shown once, used, and revoked while they are in use. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const NAME = `عيادة <b>Bot</b> ${'long '.repeat(16)}`.trim()
const permissions = ['clipboard-read', 'clipboard-write']
const PHONE = { width: 390, height: 844 }

const read = (token: string) =>
  request(dashboard.server.url, 'GET', '/Patient?_count=1', undefined, { authorization: `Bearer ${token}` })

test('an admin makes a token with the keyboard alone, copies it, and revokes it while it is in use', async () => {
  const page = await dashboard.signedIn('/settings?tab=tokens', { as: 'admin', permissions })
  await page.getByText('There are no tokens for programs').waitFor()
  await page.getByRole('button', { name: 'New token…' }).focus()
  await page.keyboard.press('Enter')
  const form = page.getByRole('form', { name: 'New token' })
  await form.getByLabel('Name of the program').focus()
  await page.keyboard.type(NAME)
  expect(await form.getByLabel('Role').locator('option').allInnerTexts()).toEqual(['staff', 'admin'])
  expect(await findingsOf(page)).toEqual([])
  await page.keyboard.press('Enter')
  await page.getByText('The token is shown here once').waitFor()
  expect(await findingsOf(page)).toEqual([])
  await page.getByRole('button', { name: 'Copy the token' }).click()
  await page.getByText('The token is copied.').waitFor()
  const token = await page.evaluate(() => navigator.clipboard.readText())
  expect((await read(token)).status).toBe(200)

  await page.reload()
  const row = page.getByRole('row').filter({ hasText: '<b>Bot</b>' })
  await row.getByText('active').waitFor()
  expect(await row.getByText('never').count()).toBe(0)
  expect(await page.content()).not.toContain(token)
  await row.getByRole('button', { name: 'Revoke…' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Revoke the token' })
  await dialog.waitFor()
  expect(await findingsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  expect((await read(token)).status).toBe(200)
  await page.waitForFunction(() => document.activeElement?.textContent === 'Revoke…')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Revoke it' }).focus()
  await page.keyboard.press('Enter')
  await row.waitFor({ state: 'detached' })
  const refused = await read(token)
  expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([401, expect.stringContaining('revoked')])
})

test('where the server is away the dialog says so, and the token is made when it is back', async () => {
  const page = await dashboard.signedIn('/settings?tab=tokens', { as: 'admin', viewport: PHONE, colorScheme: 'dark' })
  await page.getByRole('button', { name: 'New token…' }).click()
  const form = page.getByRole('form', { name: 'New token' })
  await form.getByLabel('Name of the program').fill('Nightly export')
  await page.route('**/tokens', (route) => route.abort())
  await form.getByRole('button', { name: 'Make the token' }).click()
  await form.getByRole('alert').waitFor()
  await page.unroute('**/tokens')
  await form.getByRole('button', { name: 'Make the token' }).click()
  await page.getByRole('heading', { name: 'Token of Nightly export' }).waitFor()
  expect(await findingsOf(page)).toEqual([])
  expect(await fitsItsWidth(page)).toBe(true)
})

test('staff have no tab for tokens, and Copy token says when the token expires', async () => {
  const page = await dashboard.signedIn('/settings?tab=tokens', { permissions })
  await page.getByRole('tab', { name: 'Clinic' }).waitFor()
  expect(await page.getByRole('tab', { name: 'Tokens' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Account and look' }).click()
  await page
    .getByRole('button', { name: 'Copy token' })
    .getByText(/^expires in \d+ minutes?$/)
    .waitFor()
  await page.getByRole('button', { name: 'Copy token' }).click()
  await page.getByText(/^The token is copied; it expires in \d+ minutes?\.$/).waitFor()
})
