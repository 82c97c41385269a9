/** The pages of the journal: requests by time, their filters, an exchange and those beside it, files, and failed authentications. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import type { Page } from 'playwright-core'
import { secondsText } from '../../../dashboard/fhir/time.ts'
import {
  type Dashboard,
  exported,
  filtersIn,
  findingsOf,
  fitsItsWidth,
  leftoversOf,
  startDashboard,
} from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

let dashboard: Dashboard
/** An exchange of the run `seen`: the oldest, one that was refused, and the newest, whose body has markup and a reference. */
const seen = { first: '', refused: '', created: '' }

const MARKUP = '<img src=x onerror="document.title=1"> & "quoted"'

beforeAll(async () => {
  dashboard = await startDashboard()
  const { fhir } = dashboard.server
  const headers = { 'x-run-id': 'seen' }
  const idOf = (answer: { readonly headers: Headers }) => answer.headers.get('x-request-id') ?? ''
  seen.first = idOf(await fhir('GET', '/Slot?_count=1', undefined, headers))
  seen.refused = idOf(await fhir('GET', '/Patient?birthdate=yesterday', undefined, headers))
  const basic = { resourceType: 'Basic', code: { text: MARKUP }, subject: { reference: 'Patient/abernathy-ruth' } }
  seen.created = idOf(await fhir('POST', '/Basic', basic, headers))
})
afterAll(() => dashboard?.close())

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const rows = (page: Page) => page.getByRole('list', { name: 'Exchanges' }).getByRole('listitem')
const toolbar = (page: Page) => page.getByRole('toolbar', { name: 'Zoom into a period' })

describe('requests by time', () => {
  test('are counted with errors and p95, for those who see bars and those who do not', async () => {
    const page = await dashboard.signedIn('/journal?run=seen')
    await page.getByRole('status').getByText('3 requests').waitFor()
    await page.getByRole('status').getByText('1 error').waitFor()
    await page
      .getByRole('status')
      .getByText(/p95 \d/)
      .waitFor()
    const cells = await page.getByRole('table', { name: 'Requests by time' }).getByRole('cell').allTextContents()
    const requests = cells.filter((_, index) => index % 3 === 0).map(Number)
    expect(requests.reduce((sum, one) => sum + one, 0)).toBe(3)
  })

  test('a period is zoomed into by a click, and the list has its requests', async () => {
    const page = await dashboard.signedIn('/journal?run=seen&range=3600')
    await toolbar(page)
      .getByRole('button', { name: /: [1-9]\d* requests?, / })
      .last()
      .click()
    await page.waitForURL(/since=.*until=/)
    await page.getByLabel('From', { exact: true }).waitFor()
    expect(filtersIn(page)).toMatchObject({ run: 'seen', since: expect.stringMatching(/Z$/) })
    await rows(page).first().waitFor()
  })

  test('a period is zoomed into by keys alone', async () => {
    const page = await dashboard.signedIn('/journal?run=seen&range=3600')
    await toolbar(page).getByRole('button').first().focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(/since=.*until=/)
  })

  test('a time is from one wall time of the clinic to another, whatever the zone of the browser', async () => {
    const page = await dashboard.signedIn('/journal?since=2026-03-01T15:00:00.000Z&until=2026-03-01T16:00:00.000Z')
    const { timeZone } = (await dashboard.server.fhir('GET', '/clinics/demo-clinic/settings')).body
    const from = page.getByLabel('From', { exact: true })
    expect((await from.inputValue()).slice(11, 16)).toBe(secondsText('2026-03-01T15:00:00.000Z', timeZone).slice(0, 5))
    await page.getByText('Nothing of this kind').waitFor()
    await page.getByLabel('Time', { exact: true }).selectOption('Any time')
    await rows(page).first().waitFor()
    expect(filtersIn(page)).toEqual({})
  })
})

describe('filters', () => {
  test('by words, method, user and operation are in the address, which offers the values that there are', async () => {
    const page = await dashboard.signedIn('/journal?run=seen')
    await page.getByLabel('Words').fill('YESTERDAY')
    await page.waitForURL(/text=YESTERDAY/)
    await page.getByRole('link', { name: 'birthdate=yesterday' }).waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    const offered = await page
      .getByLabel('Operation')
      .evaluate((input: HTMLInputElement) => [...(input.list?.options ?? [])].map(({ value }) => value))
    expect(offered).toContain('search-type')
    await page.getByLabel('Operation').fill('create')
    await page.getByLabel('Method').selectOption('POST')
    await page.getByLabel('User').fill('demo')
    await page.waitForURL(/user=demo/)
    await page.getByRole('link', { name: '/Basic' }).first().waitFor()
    expect(filtersIn(page)).toEqual({ operation: 'create', method: 'POST', user: 'demo' })
  })

  test('hold for what comes in meanwhile too', async () => {
    const page = await dashboard.signedIn('/journal?text=näf&method=GET')
    await page.getByText('Nothing of this kind').waitFor()
    await dashboard.server.fhir('GET', '/Slot?_count=7')
    await dashboard.server.fhir('GET', '/Patient?family=Naf&_count=7')
    await page.getByRole('link', { name: '/Patient?family=Naf' }).waitFor()
    expect(await rows(page).count()).toBe(1)
  })
})

describe('an exchange', () => {
  test('leads by J and K to those beside it in the list that it was opened from', async () => {
    const page = await dashboard.signedIn('/journal?run=seen')
    await page.getByRole('link', { name: 'birthdate=yesterday' }).click()
    await heading(page, 'GET /Patient?birthdate=yesterday').waitFor()
    await page.getByRole('link', { name: 'Older' }).waitFor()
    await page.keyboard.press('j')
    await heading(page, 'GET /Slot?_count=1').waitFor()
    expect(await page.getByRole('button', { name: 'Older' }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'Newer' }).waitFor()
    await page.keyboard.press('k')
    await heading(page, 'GET /Patient?birthdate=yesterday').waitFor()
    await page.getByRole('link', { name: 'Newer' }).click()
    await heading(page, 'POST /Basic').waitFor()
    expect(new URL(page.url()).searchParams.get('run')).toBe('seen')
    await page.getByRole('link', { name: 'Requests', exact: true }).last().click()
    await page.getByRole('link', { name: 'birthdate=yesterday' }).waitFor()
    expect(await rows(page).count()).toBe(3)
  })

  test('has its body as a tree whose references lead to the resource, and whose markup is text', async () => {
    const page = await dashboard.signedIn(`/journal/${seen.created}`)
    await page.getByText(MARKUP).first().waitFor()
    await page.getByRole('radiogroup', { name: 'Request as' }).getByText('Text').click()
    await page.getByText('"reference": "Patient/abernathy-ruth"').waitFor()
    await page.getByRole('radiogroup', { name: 'Request as' }).getByText('Tree').click()
    await page.getByRole('button', { name: 'Patient/abernathy-ruth' }).first().click()
    await page.waitForURL(/explorer\?path=Patient/)
  })

  test('has the parts of the time that it took', async () => {
    const page = await dashboard.signedIn(`/journal/${seen.created}`)
    await page.getByText(/ms waiting for its turn$/).waitFor()
    await page.getByText(/ms waiting for the store$/).waitFor()
    await page.getByText(/ms other work until the response was ready$/).waitFor()
    await page.getByText(/ms sending it$/).waitFor()
  })

  test('leads to all exchanges of its trace, which a filter finds too, and a malformed header names none', async () => {
    const { fhir } = dashboard.server
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    for (const traceparent of [`00-${trace}-00f067aa0ba902b7-01`, `00-${trace}-00f067aa0ba902b8-01`, `00-${trace}-1`])
      await fhir('GET', '/Patient/abernathy-ruth', undefined, { traceparent })
    const page = await dashboard.signedIn('/journal')
    await page.getByRole('button', { name: 'More filters' }).click()
    await page.getByLabel('Trace', { exact: true }).fill(trace.toUpperCase())
    await page.waitForURL(/trace=/)
    await rows(page).nth(1).waitFor()
    await page.getByRole('status').getByText('2 requests').waitFor()
    await rows(page).first().getByRole('link').first().click()
    const link = page.getByRole('link', { name: `trace ${trace}` })
    await link.waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.setViewportSize({ width: 390, height: 800 })
    expect(await fitsItsWidth(page)).toBe(true)
    await link.click()
    await page.waitForURL(new RegExp(`/journal\\?.*trace=${trace}`))
    await page.getByRole('status').getByText('2 requests').waitFor()
  })

  test('is copied as a program, without the token, and as a link', async () => {
    const page = await dashboard.signedIn(`/journal/${seen.created}?run=seen`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async (name: string): Promise<string> => {
      await page.getByRole('button', { name: 'Copy as…' }).click()
      await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
      await page.getByText(`The ${name} is copied`, { exact: false }).first().waitFor()
      return await page.evaluate(() => navigator.clipboard.readText())
    }
    const python = await copied('Python')
    expect(python).toContain('"authorization": "Bearer $TOKEN"')
    expect(python).toContain('Patient/abernathy-ruth')
    expect(await copied('fetch')).toContain(`await fetch("${dashboard.server.url}/Basic"`)
    expect(await copied('curl')).toMatch(/^curl /)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText('The link is copied', { exact: false }).waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
  })
})

describe('a file of what is filtered', () => {
  test.each([
    ['HAR', /"version":"1.2"/],
    ['CSV', /^time,direction,method,/],
    ['NDJSON', /^\{"number":/],
  ])('is saved as %s', async (name, begin) => {
    const page = await dashboard.signedIn('/journal?run=seen')
    const { fileName, text } = await exported(page, name)
    expect(fileName).toBe(`requests-demo-clinic.${name.toLowerCase()}`)
    expect(text).toMatch(begin)
    expect(text.match(/birthdate=yesterday/g)?.length).toBeGreaterThan(0)
    expect(text).not.toContain(dashboard.server.token)
  })

  test('is chosen by keys alone, which come back to where they were', async () => {
    const page = await dashboard.signedIn('/journal?run=seen')
    const button = page.getByRole('button', { name: 'Export' })
    const isFocused = (locator: typeof button) => locator.evaluate((one) => one === document.activeElement)
    await button.focus()
    await page.keyboard.press('Enter')
    const first = page.getByRole('dialog').getByRole('button').first()
    await first.waitFor()
    await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') !== null)
    await page.keyboard.press('Escape')
    await first.waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent?.includes('Export'))
    expect(await isFocused(button)).toBe(true)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.closest('[role=dialog]') !== null)
    const saved = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    expect((await saved).suggestedFilename()).toBe('requests-demo-clinic.har')
  })

  test('that cannot be read is told where it was asked for', async () => {
    const page = await dashboard.signedIn('/journal?run=seen')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.route('**/exchanges/export?**', (route) => route.abort())
    await page.getByRole('dialog').getByRole('button', { name: /^CSV/ }).click()
    await page.getByRole('alert').first().waitFor()
  })
})

describe('failed authentications', () => {
  const failed = (path: string) =>
    request(dashboard.server.url, 'GET', path, undefined, {
      authorization: `Bearer ${jsonwebtoken.sign({ sub: 'mallory', clinic: 'demo-clinic' }, 'another secret')}`,
    })

  test('are shown to admins with their reason, and lead to the request without its token', async () => {
    await failed('/Patient?_id=stolen')
    const page = await dashboard.signedIn('/journal', { as: 'admin' })
    await page.getByRole('switch', { name: 'Failed authentications' }).click()
    await page.getByRole('link', { name: '/Patient?_id=stolen' }).click()
    await heading(page, 'GET /Patient?_id=stolen').waitFor()
    await page.getByText('[removed]').first().waitFor({ state: 'attached' })
    expect(await page.locator('main').innerText()).not.toContain('mallory')
  })

  test('are not offered to staff, who are told why where a link leads there', async () => {
    const page = await dashboard.signedIn('/journal?authentication=failed')
    await page.getByText('Failed authentications are for admins of the clinic', { exact: false }).first().waitFor()
    expect(await page.getByRole('switch', { name: 'Failed authentications' }).count()).toBe(0)
  })
})

describe('opened states', () => {
  test.each([
    ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
    ['dark', { colorScheme: 'dark', viewport: { width: 1024, height: 740 } }],
    ['phone', { colorScheme: 'light', viewport: { width: 390, height: 740 } }],
  ] as const)('of the pages have no finding of axe and fit: %s', async (_name, look) => {
    const page = await dashboard.signedIn('/journal?run=seen', { as: 'admin', ...look })
    await rows(page).first().waitFor()
    await page.getByLabel('Time', { exact: true }).selectOption('From … to …')
    await toolbar(page).getByRole('button').last().focus()
    expect([await findingsOf(page), await fitsItsWidth(page), await leftoversOf(page)]).toEqual([[], true, []])
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('dialog').getByRole('button').first().waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.goto(`${dashboard.server.url}/dashboard/journal/${seen.created}?run=seen`)
    await page.getByText(MARKUP).first().waitFor()
    await page.getByRole('button', { name: 'Copy as…' }).click()
    await page.getByRole('dialog').getByRole('button').first().waitFor()
    expect([await findingsOf(page), await fitsItsWidth(page)]).toEqual([[], true])
  })
})

test('where the counts cannot be read the list is shown all the same', async () => {
  const page = await dashboard.signedIn()
  await page.route('**/exchanges/counts?**', (route) => route.fulfill({ status: 500, body: '{}' }))
  await page.goto(`${dashboard.server.url}/dashboard/journal?run=seen`)
  await rows(page).first().waitFor()
})

test('where the journal is off the page says so, with what was recorded before', async () => {
  const { fhir } = dashboard.server
  const path = '/clinics/demo-clinic/settings'
  const put = async (journal: string) => {
    const { body } = await fhir('GET', path)
    return await fhir('PUT', path, { ...body, journal }, { 'content-type': 'application/json' })
  }
  expect((await put('off')).status).toBe(200)
  const page = await dashboard.signedIn('/journal?run=seen')
  await page.getByText('The journal of this clinic is off', { exact: false }).waitFor()
  await rows(page).first().waitFor()
  expect((await put('full')).status).toBe(200)
})

test('no script fails, and nothing is stopped by the Content-Security-Policy', () => {
  expect(dashboard.complaints).toEqual([])
})
