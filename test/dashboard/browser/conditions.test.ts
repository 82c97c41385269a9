/** Properties of every page, also in unusual conditions: zones, clocks, many patients, an unreachable server. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard({ DISABLED_INTERACTIONS: 'Basic.delete' })
})
afterAll(() => dashboard?.close())

const MANY = 10_000
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const SEARCH = 'Name, birth date, phone or record number'

test('the first page is less than 200 kB of compressed JavaScript, and what it shows does not jump', async () => {
  const page = await dashboard.signedIn()
  // Requests still under way for the previous page must not be counted.
  await page.goto('about:blank')
  await page.clock.install()
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  await network.send('Network.setCacheDisabled', { cacheDisabled: true })
  const sizes: Promise<number>[] = []
  page.on('requestfinished', (request) => {
    if (new URL(request.url()).pathname.endsWith('.js'))
      sizes.push(request.sizes().then((size) => size.responseBodySize))
  })
  await page.goto(`${dashboard.server.url}/dashboard`)
  await page.getByRole('img', { name: /^Calls in 14 days/ }).waitFor()
  // Nor does it load more by itself later on.
  await page.clock.runFor(10_000)
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(50_000)
  expect(bytes).toBeLessThan(200_000)
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { readonly value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 300)
      }),
  )
  expect(shift).toBeLessThan(0.01)
})

test('a curl that is copied runs as it is, and gives what the page shows', async () => {
  const page = await dashboard.signedIn('/explorer?path=Patient/abernathy-ruth')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByText('GET Patient/abernathy-ruth').waitFor()
  await page.getByRole('button', { name: 'Copy as curl' }).click()
  await page.getByText('The curl is copied, with your token in it.').waitFor()
  const curl = await page.evaluate(() => navigator.clipboard.readText())
  const { stdout } = await promisify(execFile)('bash', ['-c', curl])
  const { body } = await dashboard.server.fhir('GET', '/Patient/abernathy-ruth')
  expect(JSON.parse(stdout)).toEqual(body)
})

test('rows are 40 pixels high, and 15 patients are seen at 1280 by 800', async () => {
  const page = await dashboard.signedIn('/patients')
  await page.getByRole('listitem').first().waitFor()
  const boxes = await Promise.all((await page.getByRole('listitem').all()).map((row) => row.boundingBox()))
  expect(new Set(boxes.map((box) => box?.height))).toEqual(new Set([40]))
  expect(boxes.filter((box) => box !== null && box.y + box.height <= 800).length).toBeGreaterThanOrEqual(15)
})

test('up and down go from patient to patient, and Enter opens one', async () => {
  const page = await dashboard.signedIn('/patients')
  await page.getByRole('listitem').first().getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  const name = await page.evaluate(() => document.activeElement?.querySelector('bdi')?.textContent ?? '')
  expect(name).toBe(await page.getByRole('listitem').nth(2).locator('bdi').textContent())
  await page.keyboard.press('Enter')
  await heading(page, name).waitFor()
})

test('times are the same text in whatever zone and language the browser is, and say which zone they are of', async () => {
  const texts: string[] = []
  for (const [timezoneId, locale] of [
    ['Asia/Tokyo', 'ja-JP'],
    ['America/Los_Angeles', 'en-US'],
    ['Europe/Berlin', 'de-DE'],
  ] as const) {
    const page = await dashboard.signedIn('/patients/goldberg-samuel?tab=appointments', { timezoneId, locale })
    await page.getByText('Times of New York, UTC-').waitFor()
    texts.push(await page.locator('main time').first().innerText())
    await page.context().close()
  }
  expect(new Set(texts).size).toBe(1)
  expect(texts[0]).toMatch(/^\w{3}, \w{3} \d{1,2}, \d{4}, \d{1,2}:\d\d [AP]M$/)
})

test('a browser whose clock is a day ahead has the day of the server, and renews its session as others do', async () => {
  const page = await dashboard.open('')
  await page.addInitScript(() => {
    const real = Date.now.bind(Date)
    Date.now = () => real() + 26 * 3_600_000
  })
  let renewals = 0
  page.on('request', (request) => {
    if (request.url().endsWith('/session/renewal')) renewals += 1
  })
  await page.goto(`${dashboard.server.url}/dashboard`)
  await page.getByLabel('User name').fill('demo')
  await page.getByLabel('Password').first().fill('demo')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  const chart = page.getByRole('table', { name: /^Calls in 14 days/, includeHidden: true })
  await chart.waitFor({ state: 'attached' })
  const last = await chart.getByRole('rowheader', { includeHidden: true }).last().textContent()
  const today = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', dateStyle: 'medium' })
  expect(last).toBe(today.format(Date.now()))
  expect(renewals).toBe(1)
})

test('while the server is away the page says so and keeps what it shows; when it is back it shows what is new', async () => {
  const page = await dashboard.signedIn('/patients/mbeki-thandi')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.context().setOffline(true)
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.getByText('The server is not responding. The data shown may be out of date').waitFor()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.context().setOffline(false)
  await page.getByText('The server is not responding. The data shown may be out of date').waitFor({ state: 'detached' })
  await page.getByRole('tab', { name: 'Appointments' }).click()
  await page.getByText('Times of New York').or(page.getByText('No appointments')).first().waitFor()
})

test('where somebody else turns the sandbox off every page says so by itself, and a form that is half filled in is saved when it is on', async () => {
  const turn = async (enabled: boolean) => {
    const json = { 'content-type': 'application/json' }
    expect((await dashboard.server.fhir('PUT', '/clinics/demo-clinic/sandbox', { enabled }, json)).status).toBe(200)
  }
  const page = await dashboard.signedIn('/patients/fitzgerald-maeve')
  const other = await dashboard.signedIn('/schedule')
  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog', { name: 'Edit demographics' })
  await form.getByLabel('City').fill('Utica')
  await other.getByRole('button', { name: 'All practitioners' }).waitFor()
  await turn(false)
  for (const window of [page, other]) {
    await window.getByText('Sandbox off', { exact: true }).waitFor()
    await window.getByText('The sandbox is turned off').first().waitFor()
  }
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await form.getByRole('alert').waitFor()
  await turn(true)
  await other.getByRole('button', { name: 'All practitioners' }).waitFor()
  expect(await form.getByLabel('City').inputValue()).toBe('Utica')
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await form.waitFor({ state: 'detached' })
  expect((await dashboard.server.fhir('GET', '/Patient/fitzgerald-maeve')).body.address[0].city).toBe('Utica')
})

test('what is not declared in /metadata has no button', async () => {
  const { server } = dashboard
  for (const type of ['Basic', 'Flag']) {
    const code = { text: 'x' }
    const resource =
      type === 'Basic' ? { code } : { code, status: 'active', subject: { reference: 'Patient/abernathy-ruth' } }
    expect(
      (await server.fhir('PUT', `/${type}/offered`, { resourceType: type, id: 'offered', ...resource })).status,
    ).toBe(201)
  }
  const page = await dashboard.signedIn('/explorer?path=Flag/offered')
  await page.getByText('GET Flag/offered').waitFor()
  await page.getByRole('button', { name: 'Delete' }).waitFor()
  await page.goto(`${server.url}/dashboard/explorer?path=Basic/offered`)
  await page.getByText('GET Basic/offered').waitFor()
  await page.getByRole('button', { name: 'Edit' }).waitFor()
  expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
})

test('what is deleted in the explorer comes back by one click', async () => {
  const { server } = dashboard
  await server.fhir('PUT', '/Flag/undone', {
    resourceType: 'Flag',
    id: 'undone',
    status: 'active',
    code: { text: 'kept' },
    subject: { reference: 'Patient/abernathy-ruth' },
  })
  const page = await dashboard.signedIn('/explorer?path=Flag/undone')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Flag/undone is deleted.').waitFor()
  expect((await server.fhir('GET', '/Flag/undone')).status).toBe(410)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('GET Flag/undone ·').waitFor()
  expect((await server.fhir('GET', '/Flag/undone')).body.code.text).toBe('kept')
})

test(`with ${MANY} patients one is found as one types, and only what is seen is in the page`, async () => {
  for (let begin = 0; begin < MANY; begin += 1000) {
    const entry = Array.from({ length: 1000 }, (_, index) => ({
      request: { method: 'POST', url: 'Patient' },
      resource: { resourceType: 'Patient', name: [{ family: `Family${begin + index}`, given: ['Many'] }] },
    }))
    const { status } = await dashboard.server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(status).toBe(200)
  }
  const page = await dashboard.signedIn('/patients')
  await page.getByText(/^10,0\d\d patients$/).waitFor()
  expect(await page.getByRole('listitem').count()).toBeLessThan(60)
  const list = page.getByRole('list', { name: 'Patients' })
  await list.evaluate((box) => box.scrollTo(0, 100 * 40))
  await page.locator('[aria-posinset="105"]').waitFor()
  expect(await page.getByRole('listitem').count()).toBeLessThan(60)
  await page.getByLabel(SEARCH).pressSequentially('family7777')
  await page.getByText('1 patient', { exact: true }).waitFor()
  await page.getByRole('listitem').getByText('Many Family7777').waitFor()
})

test('none of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
