/** Help: what a page is for, its keys, and the documentation, which is read and searched within the dashboard. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

test('the key ? opens the help of the page, Esc closes it, and in a field it is a letter', async () => {
  const page = await dashboard.signedIn('/schedule')
  await page.getByRole('heading', { level: 1, name: 'Schedule' }).waitFor()
  await page.keyboard.press('Shift+?')
  const help = page.getByRole('dialog', { name: 'Help: Schedule' })
  await help.getByText('walk through the grid').waitFor()
  expect(await findingsOf(page)).toEqual([])
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Patients', exact: true }).click()
  const search = page.getByLabel('Name, birth date, phone or record number')
  await search.focus()
  await page.keyboard.type('who?')
  expect(await search.inputValue()).toBe('who?')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('the documentation of a page opens at its place, and its links lead on within the dashboard', async () => {
  const page = await dashboard.signedIn('/settings', { colorScheme: 'dark' })
  // The help closes when the address changes, as it does while the page opens.
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
  await page.getByRole('tabpanel').first().waitFor()
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  const help = page.getByRole('dialog', { name: 'Help: Settings' })
  await help.getByRole('link', { name: 'Documentation of this page' }).click()
  await help.waitFor({ state: 'detached' })
  await page.getByRole('heading', { level: 1, name: 'The dashboard' }).waitFor()
  await page.locator('h2#settings:focus').waitFor()
  expect(await findingsOf(page)).toEqual([])
  await page.getByRole('link', { name: 'accounts', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Accounts and roles' }).waitFor()
  expect(page.url()).toContain('doc=accounts.md')
  expect(await page.locator('script:not([nonce]):not([src])').count()).toBe(0)
  expect(dashboard.complaints).toEqual([])
})

test('the palette finds headings of the documentation, by the keyboard alone', async () => {
  const page = await dashboard.signedIn('/')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Page, patient, or Patient/123').fill('tokens for prog')
  const found = page.getByRole('button', { name: /Tokens for programs Documentation/ })
  await found.waitFor()
  expect(await findingsOf(page)).toEqual([])
  await found.press('Enter')
  await page.locator('h3#tokens-for-programs:focus').waitFor()
})

test('on a phone the help and the documentation fit', async () => {
  const page = await dashboard.signedIn('/help?doc=journal.md', { viewport: { width: 390, height: 844 } })
  await page.getByRole('heading', { level: 2 }).first().waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  await page.getByRole('button', { name: 'Help', exact: true }).click()
  await page.getByRole('dialog').getByText('Keys of all pages').waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  expect(await findingsOf(page)).toEqual([])
})

test('a page of the documentation that does not exist is told, and so is a server that is away', async () => {
  const page = await dashboard.signedIn('/help?doc=nothing.md')
  await page.getByText('The documentation has no such page').waitFor()
  await page.route('**/docs/**', (route) => route.abort())
  await page.goto(`${dashboard.server.url}/dashboard/help?doc=faults.md`)
  await page.getByText('The server is not responding').waitFor()
  await page.unroute('**/docs/**')
  await page.getByRole('heading', { level: 1, name: /faults/i }).waitFor()
})
