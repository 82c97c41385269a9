/** The way to a first request: its snippets run as they stand on the page, and the page shows the request as it comes in. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsOf, fitsItsWidth, signIn, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'
import { logInAs, PASSWORD } from '../../support/two-clinics.ts'

const NEW_CLINIC = 'new-clinic'

let dashboard: Dashboard
let operator: string
beforeAll(async () => {
  dashboard = await startDashboard()
  operator = await logInAs(dashboard.server, { username: 'otto', clinic: '', role: 'operator' })
})
afterAll(() => dashboard?.close())

const permissions = ['clipboard-read', 'clipboard-write']
const run = promisify(execFile)

/** Makes a clinic without anything, and an account in it. */
async function newClinic(id: string, username: string): Promise<void> {
  const headers = { authorization: `Bearer ${operator}`, 'content-type': 'application/json' }
  const settings = { id, name: 'A clinic without patients', timeZone: 'Europe/Vienna', defaultRegion: 'US' }
  const { status } = await request(dashboard.server.url, 'POST', '/clinics', settings, headers)
  expect(status).toBe(201)
  await logInAs(dashboard.server, { username, clinic: id, role: 'admin' })
}

async function copied(page: Page, tab: string): Promise<string> {
  await page.getByRole('tab', { name: tab }).click()
  await page.getByRole('button', { name: 'Copy the snippet' }).click()
  const text = await page.evaluate(() => navigator.clipboard.readText())
  expect(await page.locator('pre').innerText()).toBe(text)
  return text
}

const hasPython = (): Promise<boolean> =>
  run('python3', ['--version']).then(
    () => true,
    () => false,
  )

test('the snippets for fetch, Python and a voice platform run as they stand on the page', async () => {
  const page = await dashboard.signedIn('/explorer', { permissions })
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', await copied(page, 'fetch')])
  expect(stdout).toBe('200 Bundle\n')
  const python = await copied(page, 'Python')
  if (await hasPython()) expect((await run('python3', ['-c', python])).stdout).toBe('200 Bundle\n')
  expect(await copied(page, 'HAPI (Java)')).toContain(`newRestfulGenericClient("${dashboard.server.url}")`)
  const tool = await copied(page, 'Tool of a voice platform')
  expect(new URL(page.url()).searchParams.get('snippet')).toBe('tool')
  const called = await run('bash', ['-c', tool.replace('YOUR_VOICE_SECRET', 'demo-secret')])
  expect(JSON.parse(called.stdout)).toMatchObject({ code: 'valid', value: 'john.doe@example.com' })
})

test('each description is saved as it is served', async () => {
  const page = await dashboard.signedIn('/explorer')
  await page.getByLabel('Tool definitions for').selectOption('Vapi, function tools')
  const links = page.locator('a[download]')
  const addresses = await links.evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))
  expect(addresses).toContain(`${dashboard.server.url}/tools?format=vapi`)
  expect(addresses.length).toBe(6)
  for (const address of addresses) {
    const { pathname, search } = new URL(address)
    expect((await request(dashboard.server.url, 'GET', pathname + search)).status).toBe(200)
  }
})

test('on a phone, in the dark, nothing is cut off; staff are told who makes tokens that last', async () => {
  const page = await dashboard.signedIn('/explorer', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await page.getByText('An admin makes tokens for programs').waitFor()
  await page.getByText(/it expires in \d+ minutes?/).waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
  expect(await findingsOf(page)).toEqual([])
})

test('an operator of no clinic has address, token and snippets, and waits for no request', async () => {
  const page = await dashboard.open('/explorer')
  await signIn(page, 'otto', PASSWORD)
  await page.getByRole('button', { name: 'Copy the base URL' }).waitFor()
  expect(await page.getByText('Waiting for your first request').count()).toBe(0)
})

test('the sign-in page of a demo has its accounts, and one click signs in', async () => {
  const page = await dashboard.open('/patients')
  const accounts = page.getByRole('region', { name: 'Accounts of the demo' })
  await accounts.getByRole('button', { name: 'admin / admin (admin)' }).waitFor()
  expect(await findingsOf(page)).toEqual([])
  await accounts.getByRole('button', { name: 'demo / demo (staff)' }).click()
  await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
})

// Last, as the accounts of the demo end where another clinic is made.
test('a clinic without anything begins with how a client connects, and its first request shows as it comes in', async () => {
  await newClinic(NEW_CLINIC, 'nina')
  const page = await dashboard.open('', { permissions })
  await signIn(page, 'nina', PASSWORD)
  await page.getByText('Waiting for your first request').waitFor()
  // Requests of the dashboard itself are none of a client.
  await page.getByRole('link', { name: 'FHIR explorer' }).click()
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Console').click()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('200').first().waitFor()
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Connect').click()
  await page.getByText('Waiting for your first request').waitFor()
  expect(await findingsOf(page)).toEqual([])
  const { stdout } = await run('bash', ['-c', await copied(page, 'curl')])
  expect(JSON.parse(stdout).resourceType).toBe('Bundle')
  const alert = page.getByRole('alert').filter({ hasText: 'A client has sent a request' })
  await alert.waitFor()
  expect(await findingsOf(page)).toEqual([])
  await alert.getByRole('link', { name: 'GET /Patient?_count=1' }).click()
  await page.getByRole('heading', { level: 1, name: /Patient/ }).waitFor()
})
