/** Unusual data in the narrow windows of a desk and of a phone: nothing is cut off, hidden, or pushed out of its place. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Slot } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsInBothSchemes, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'
import { OKAFOR, visitIn } from '../../support/demo-schedule.ts'
import { put } from '../../support/put.ts'

/** One word of 200 characters. */
const LONG = 'Wolfeschlegelsteinhausen'.repeat(9).slice(0, 200)
const WIDTHS = [1024, 390]

let dashboard: Dashboard
/** The day of the visit of the patient with the long name, who is on no other. */
let day: string
beforeAll(async () => {
  dashboard = await startDashboard()
  const { fhir } = dashboard.server
  for (const id of ['long', 'long-twice']) {
    const name = [{ family: LONG, given: ['Maximiliana'] }]
    await fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, name, birthDate: '1966-06-06' })
  }
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  const found = await fhir('GET', `/Slot?schedule=${OKAFOR}&status=free&start=gt${tomorrow}&_count=2&_sort=start`)
  const [first, second] = found.body.entry.map(({ resource }: { resource: Slot }) => resource)
  day = first.start.slice(0, 10)
  await put(fhir, visitIn(first, 'long', { id: 'looks-long', description: LONG }))
  await put(fhir, visitIn(second, 'abernathy-ruth', { id: 'looks-ruth', description: LONG }))
  const task = { status: 'requested', intent: 'order', description: LONG, for: { reference: 'Patient/long' } }
  const restriction = { period: { end: '2020-01-01T12:00:00Z' } }
  await fhir('PUT', '/Task/long', { resourceType: 'Task', id: 'long', priority: 'stat', ...task, restriction })
})
afterAll(() => dashboard?.close())

async function opened(path: string, width = 1024): Promise<Page> {
  const page = await dashboard.signedIn(path.replace('DAY', day), { as: 'admin', viewport: { width, height: 800 } })
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  return page
}

/** Texts that stand out of the window, also those of a box that does not scroll. */
const outside = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((one) => [...one.childNodes].some(({ nodeType, textContent }) => nodeType === 3 && textContent?.trim()))
      .filter((one) => !one.matches('.skip-link, .skip-link *'))
      .filter((one) => {
        for (let above = one.parentElement; above !== null; above = above.parentElement)
          if (/auto|scroll|hidden/.test(getComputedStyle(above).overflowX)) return false
        const { right, left, width } = one.getBoundingClientRect()
        return width > 0 && (right > document.documentElement.clientWidth + 1 || left < -1)
      })
      .map((one) => one.textContent ?? ''),
  )

test.each([
  ...['/', '/patients', '/patients/long', '/patients/long?tab=duplicates', '/patients/long?tab=appointments'],
  ...['/schedule?day=DAY&view=list', '/schedule/slip/looks-long', '/work-list'],
])('a name of 200 characters is within the window at 1024 and 390 pixels: %s', async (path) => {
  const page = await opened(path)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    expect([width, await fitsItsWidth(page), await outside(page)]).toEqual([width, true, []])
  }
})

test('the dialog of a visit with a name of 200 characters has its whole title, and can be closed', async () => {
  const page = await opened('/schedule?day=DAY&view=list', 390)
  await page.getByRole('button', { name: 'Maximiliana' }).first().click()
  const dialog = page.getByRole('dialog')
  const title = dialog.getByRole('heading').first()
  await title.getByText(LONG).waitFor()
  expect(await title.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  expect(await findingsInBothSchemes(page)).toEqual([])
  const close = await dialog.getByRole('button', { name: 'Close' }).boundingBox()
  expect(close?.x).toBeLessThan(390 - 20)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })
})

test('a list of a day that is printed keeps all of its columns within the page, whatever a name or reason says', async () => {
  const page = await opened('/schedule/print?day=DAY')
  const table = page.getByRole('group').filter({ hasText: 'Maximiliana' })
  const fits = () => table.evaluate((box) => box.scrollWidth <= box.clientWidth)
  expect(await fits()).toBe(true)
  await page.emulateMedia({ media: 'print' })
  // The width of A4 within its margins.
  await page.setViewportSize({ width: 718, height: 1000 })
  expect(await fits()).toBe(true)
})

test('each visit of a week shows whom it is with, where a day has little room', async () => {
  const page = await opened(`/schedule?day=DAY&view=week&who=${OKAFOR}`)
  const entry = page.getByRole('button', { name: 'Ruth Abernathy' }).first()
  const [around, name] = [await entry.boundingBox(), await entry.getByText('Ruth Abernathy').boundingBox()]
  expect(around?.width).toBeLessThan(130)
  expect(name?.y).toBeGreaterThanOrEqual(around?.y ?? 0)
  expect((name?.y ?? 0) + (name?.height ?? 0)).toBeLessThanOrEqual((around?.y ?? 0) + (around?.height ?? 0))
  // Its time is still what screen readers hear first.
  expect(await entry.textContent()).toMatch(/^\d+:\d\d [AP]M Ruth Abernathy/)
})

test('free times to choose from stand in rows and columns', async () => {
  const page = await opened('/schedule?day=DAY&view=list', 1024)
  await page.getByRole('button', { name: 'Ruth Abernathy' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move…' }).click()
  const times = page.getByRole('group', { name: 'Free times' }).locator('label')
  await times.first().waitFor()
  const boxes = await Promise.all((await times.all()).map((time) => time.boundingBox()))
  const lefts = new Set(boxes.map((box) => Math.round(box?.x ?? 0)))
  const widths = new Set(boxes.map((box) => Math.round(box?.width ?? 0)))
  expect(lefts.size).toBeLessThan(8)
  expect([...widths].length).toBeLessThanOrEqual(2)
})

test('the words of a table are whole: a badge, and a table of the documentation on a phone', async () => {
  const page = await opened('/plans')
  const labels = page.getByRole('table').locator('.mantine-Badge-label')
  for (const label of await labels.all())
    expect(await label.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  const help = await opened('/help?doc=faults.md', 390)
  const cell = help.getByRole('cell', { name: 'both', exact: true }).first()
  await cell.waitFor()
  expect((await cell.boundingBox())?.width).toBeGreaterThan(40)
  expect(await fitsItsWidth(help)).toBe(true)
  expect(await findingsInBothSchemes(help)).toEqual([])
})

test('tabs are in one row on a phone, and the one that is open is seen', async () => {
  for (const path of ['/settings?tab=tokens', '/sandbox?tab=people', '/patients/long?tab=history']) {
    const page = await opened(path, 390)
    const tabs = page.getByRole('tab')
    const tops = await Promise.all((await tabs.all()).map(async (tab) => (await tab.boundingBox())?.y))
    expect(new Set(tops).size).toBe(1)
    const open = await page.getByRole('tab', { selected: true }).boundingBox()
    expect((open?.x ?? 0) + (open?.width ?? 0)).toBeLessThanOrEqual(390)
    await page.context().close()
  }
})

/** Whether the text of each is whole, in the elements that are shown. */
const areWhole = (page: Page, selector: string): Promise<boolean> =>
  page.evaluate(
    (selector) =>
      [...document.querySelectorAll(selector)].every(
        (one) => one.clientWidth > 0 && one.scrollWidth <= one.clientWidth,
      ),
    selector,
  )

test('the work list of a phone and of a narrow desk shows whole choices, one line with the count, and what is urgent', async () => {
  const page = await opened('/work-list', 390)
  const choices = page.locator('main select')
  for (const choice of await choices.all()) {
    const cut = await choice.evaluate((select: HTMLSelectElement) => {
      const { font, paddingLeft, paddingRight } = getComputedStyle(select)
      const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
      const context = document.createElement('canvas').getContext('2d')
      if (context === null) return ['no canvas']
      context.font = font
      // As with a clinic of two thousand tasks.
      const texts = [...select.options].map(({ text }) => text.replace(/\(\d+\)/, '(2000)'))
      return texts.filter((text) => context.measureText(text).width > room)
    })
    expect(cut).toEqual([])
  }
  const all = await page.getByText('Select all').boundingBox()
  const count = await page.getByText(/^\d+ tasks?$/).boundingBox()
  expect(Math.abs((all?.y ?? 0) - (count?.y ?? 0))).toBeLessThan(12)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    await page.getByRole('list', { name: 'Tasks' }).getByText('stat', { exact: true }).waitFor()
    expect(await areWhole(page, 'main .mantine-Badge-label')).toBe(true)
  }
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('a request of a narrow window shows the whole name of its user, beside a column for the reasons', async () => {
  const page = await opened('/journal')
  const names = page.getByRole('list').locator('bdi', { hasText: 'Demo Admin' })
  await names.first().waitFor()
  const around = names.first().locator('..')
  expect(await around.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
})

test('the names of eight practitioners are whole above their day in a narrow window', async () => {
  const { fhir } = dashboard.server
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    const name = [{ family: 'Abercrombie', given: ['Theodora'], prefix: ['Dr.'] }]
    await fhir('PUT', `/Practitioner/more-${number}`, { resourceType: 'Practitioner', id: `more-${number}`, name })
    const actor = [{ reference: `Practitioner/more-${number}`, display: 'Dr. Theodora Abercrombie' }]
    await fhir('PUT', `/Schedule/more-${number}`, {
      resourceType: 'Schedule',
      id: `more-${number}`,
      actor,
      active: true,
    })
  }
  const page = await opened('/schedule?day=DAY&view=day')
  const heads = page.getByRole('group', { name: 'Day', exact: true }).getByText('Dr. Theodora Abercrombie')
  await heads.first().waitFor()
  for (const head of await heads.all()) {
    // Less than half a line is left over.
    expect(await head.locator('..').evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThan(8)
  }
  expect(await page.getByLabel('Date', { exact: true }).inputValue()).toBe(day)
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await fhir('DELETE', `/Schedule/more-${number}`)
})

test('records that are hardly the same person are shown where one asks for them', async () => {
  const { fhir } = dashboard.server
  // Each of four who have nothing but the same name is one in four.
  const name = [{ family: 'Quillfeather', given: ['Ottoline'] }]
  for (const number of [1, 2, 3, 4]) {
    const id = `quill-${number}`
    await fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, name })
  }
  const page = await opened('/patients/quill-1?tab=duplicates')
  await page.getByText('No other record is likely to be of this person').waitFor()
  await page.getByRole('button', { name: 'Show unlikely ones (3)' }).click()
  await page.getByText('possible').first().waitFor()
  await page.getByRole('button', { name: 'Compare and merge' }).first().waitFor()
  expect(new URL(page.url()).searchParams.get('unlikely')).toBe('shown')
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Show unlikely ones (3)' }).click()
  await page.getByText('No other record is likely to be of this person').waitFor()
})

test('an address that names no tab of a patient shows the first one', async () => {
  const page = await opened('/patients/long?tab=nonsense')
  await page.getByRole('tab', { name: 'Details', selected: true }).waitFor()
  await page.getByRole('heading', { name: 'Demographics' }).waitFor()
})

test('a patient of whom nothing is known is said to be so', async () => {
  await dashboard.server.fhir('PUT', '/Patient/unknown', { resourceType: 'Patient', id: 'unknown' })
  const page = await opened('/patients/unknown')
  await page.getByText('Nothing is known yet.').waitFor()
})

test('nothing of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
