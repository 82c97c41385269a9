/** The JavaScript that each page loads, in bytes as they are sent: the brotli files of the built dashboard. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const FIRST_VIEW = 190_000
const ANY_PAGE = 250_000

/** A page in a new browser, with what is loaded when it is shown, such as a chart. */
async function opened(path: string): Promise<Page> {
  const page = await dashboard.signedIn(path, { as: 'admin' })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  return page
}

const scriptBytes = (page: Page): Promise<number> =>
  page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.js'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  )

test('the first view loads less than 190 kB of JavaScript, and every page, the console with its editor too, less than 250 kB', async () => {
  const first = await opened('')
  const sizes = new Map([['', await scriptBytes(first)]])
  expect(sizes.get('')).toBeGreaterThan(50_000)
  expect(sizes.get('')).toBeLessThan(FIRST_VIEW)
  const links = await first.getByRole('navigation', { name: 'Pages' }).getByRole('link').all()
  for (const link of links) {
    const address = await link.evaluate(({ href }: HTMLAnchorElement) => href)
    const path = address.replace(`${dashboard.server.url}/dashboard`, '')
    const page = await opened(path)
    sizes.set(path, await scriptBytes(page))
    await page.context().close()
  }
  expect(sizes.size).toBeGreaterThan(12)
  // The forms of a page that load more than its first view.
  for (const path of [
    '/explorer?method=POST&path=Observation&fill=yes',
    '/explorer?view=resources&type=Patient&new=yes',
  ]) {
    const page = await opened(path)
    await page
      .getByRole('textbox', { name: 'Body' })
      .or(page.getByRole('form', { name: 'New Patient' }))
      .waitFor()
    sizes.set(path, await scriptBytes(page))
    await page.context().close()
  }
  expect([...sizes].filter(([, bytes]) => bytes >= ANY_PAGE)).toEqual([])
})
