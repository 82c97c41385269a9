/** The audit trail of the clinic and of a patient. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import {
  type Dashboard,
  exported,
  filtersIn,
  findingsOf,
  fitsItsWidth,
  leftoversOf,
  startDashboard,
} from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await dashboard.server.fhir('GET', '/Patient?family=Abernathy')
  await dashboard.server.fhir('GET', '/Patient/abernathy-ruth')
  await dashboard.server.fhir('GET', '/Patient/there-is-none')
})
afterAll(() => dashboard?.close())

const rows = (page: Page) => page.getByRole('list', { name: 'Audit events' }).getByRole('listitem')

describe('the page of a patient', () => {
  test('says who looked, what they did and from where, also by a search that found the patient', async () => {
    const page = await dashboard.signedIn('/patients/abernathy-ruth?tab=who-looked', { as: 'admin' })
    const search = rows(page).filter({ hasText: 'searched /Patient?family=Abernathy' })
    await search.first().waitFor()
    const text = await search.first().innerText()
    expect(text).toContain('demo')
    expect(text).toContain('127.0.0.1')
    await rows(page).filter({ hasText: 'read Patient/abernathy-ruth' }).first().waitFor()
    await page.getByRole('link', { name: 'Filter and export' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    expect(filtersIn(page)).toEqual({ patient: 'abernathy-ruth' })
  })

  test('tells staff that this is for admins', async () => {
    const page = await dashboard.signedIn('/patients/abernathy-ruth?tab=who-looked')
    await page.getByText('The audit trail is for admins').waitFor()
  })
})

describe('the events of the clinic', () => {
  test('are filtered by user, action, type, patient and outcome, which are in the address', async () => {
    const page = await dashboard.signedIn('/audit', { as: 'admin' })
    await rows(page).first().waitFor()
    await page.getByLabel('Outcome').selectOption('Refused')
    await page.getByLabel('User').fill('demo')
    await page.waitForURL(/user=demo/)
    await rows(page).filter({ hasText: 'read Patient/there-is-none' }).first().waitFor()
    expect(await rows(page).filter({ hasText: 'searched' }).count()).toBe(0)
    await page.getByLabel('Action').selectOption('Deleted')
    await page.getByText('No events').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByLabel('Type').selectOption('Sign-ins and sign-outs')
    await rows(page).filter({ hasText: 'signed in' }).first().waitFor()
    await page.getByLabel('Patient id').fill('abernathy-ruth')
    await page.getByText('No events').waitFor()
    expect(filtersIn(page)).toEqual({ kind: 'type=110114', patient: 'abernathy-ruth' })
  })

  test('of a time are those of the wall times of the clinic', async () => {
    const page = await dashboard.signedIn('/audit?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z', {
      as: 'admin',
    })
    await page.getByText('No events').waitFor()
    await page.getByLabel('Time', { exact: true }).selectOption('Last hour')
    await rows(page).first().waitFor()
  })

  test.each([
    ['CSV', /^time,user,role,action,what,patient,from,outcome,status,id\r\n/],
    ['NDJSON', /^\{"resourceType":"AuditEvent"/],
  ])('are saved as %s', async (name, begin) => {
    const page = await dashboard.signedIn('/audit?patient=abernathy-ruth', { as: 'admin' })
    await rows(page).first().waitFor()
    const { fileName, text } = await exported(page, name)
    expect(fileName).toBe(`audit-demo-clinic.${name.toLowerCase()}`)
    expect(text).toMatch(begin)
    expect(text).toContain('abernathy-ruth')
  })

  test('open as AuditEvents, by keys alone', async () => {
    const page = await dashboard.signedIn('/audit?user=demo', { as: 'admin' })
    await rows(page).first().getByRole('link').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/explorer\?path=AuditEvent/)
  })

  test('name the user in full at 1024 px', async () => {
    const page = await dashboard.signedIn('/audit', { as: 'admin', viewport: { width: 1024, height: 740 } })
    await rows(page).first().waitFor()
    const users = rows(page).locator('time + span')
    const cut = await users.evaluateAll((all) =>
      all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent),
    )
    expect([await users.count(), cut]).toEqual([expect.any(Number), []])
    expect(await users.count()).toBeGreaterThan(0)
  })

  test('are not offered to staff', async () => {
    const page = await dashboard.signedIn('/audit')
    await page.getByText('The audit trail is for admins').waitFor()
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).count()).toBe(0)
  })

  test('are told where the server does not respond, and read by themselves once it does', async () => {
    const page = await dashboard.signedIn('/', { as: 'admin' })
    await page.route('**/AuditEvent?**', (route) => route.abort())
    await page.goto(`${dashboard.server.url}/dashboard/audit`)
    await page.getByText('The server is not responding', { exact: false }).waitFor()
    await page.unroute('**/AuditEvent?**')
    await rows(page).first().waitFor()
  })
})

test.each([
  ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1024, height: 740 } }],
  ['phone', { colorScheme: 'light', viewport: { width: 390, height: 740 } }],
] as const)('the pages have no finding of axe, fit, and show no leftovers: %s', async (_name, look) => {
  const page = await dashboard.signedIn('/audit', { as: 'admin', ...look })
  await rows(page).first().waitFor()
  await page.getByLabel('Time', { exact: true }).selectOption('From … to …')
  await rows(page).first().waitFor()
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('dialog').getByRole('button').first().waitFor()
  expect([await findingsOf(page), await fitsItsWidth(page), await leftoversOf(page)]).toEqual([[], true, []])
  await page.goto(`${dashboard.server.url}/dashboard/patients/abernathy-ruth?tab=who-looked`)
  await rows(page).first().waitFor()
  expect([await findingsOf(page), await fitsItsWidth(page), await leftoversOf(page)]).toEqual([[], true, []])
})

test('no script fails, and nothing is stopped by the Content-Security-Policy', () => {
  expect(dashboard.complaints).toEqual([])
})
