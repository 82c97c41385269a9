/** Patients are found as people type, alike in the list, the palette and the booking, and each match says why. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsOf, fitsItsWidth, leftoversOf, startDashboard } from '../../support/dashboard.ts'

/** An extension in place of a value. */
const ABSENT = {
  _value: { extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }] },
}

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  await put('sought', {
    name: [
      { use: 'official', family: "O'Brien-Müller", given: ['Sinead'] },
      { use: 'old', family: 'Vanderbilt' },
    ],
    birthDate: '1966-07-06',
    telecom: [
      { system: 'phone', value: '+12125550142' },
      { system: 'email', value: 'sinead@clinic.example' },
    ],
    identifier: [{ value: 'MRN-7731' }],
  })
  await put('odd-markup', { name: [{ family: '<b>Zz</b>', given: ['<img src=x>'] }] })
  await put('odd-rtl', { name: [{ family: 'Zzכהן', given: ['\u202Eאברהם'] }], birthDate: '1950' })
  await put('odd-long', { name: [{ family: `Zz${'x'.repeat(198)}`, given: ['Y'.repeat(200)] }] })
  await put('odd-bare', {
    name: [{ family: 'Zzbare' }],
    telecom: [{ system: 'phone', ...ABSENT }],
    identifier: [ABSENT],
  })
})
afterAll(() => dashboard?.close())

async function put(id: string, patient: object): Promise<void> {
  const { status, text } = await dashboard.server.fhir('PUT', `/Patient/${id}`, {
    resourceType: 'Patient',
    id,
    ...patient,
  })
  if (status !== 201) throw new Error(text)
}

const NAME = "Sinead O'Brien-Müller"
const searchOf = (page: Page) => page.getByRole('textbox', { name: 'Name, birth date, phone or record number' })

/** The clinic of the demo is in the United States, where the month comes first. */
const TYPED: readonly (readonly [typed: string, reason: string])[] = [
  ['(212) 555-0142', 'phone'],
  ['555 0142', 'phone'],
  ['212.555.0142', 'phone'],
  ['+1 212 555 01', 'phone'],
  ['5550142', 'phone'],
  ['7/6/1966', 'birth date'],
  ['07.06.66', 'birth date'],
  ['6 July 66', 'birth date'],
  ['1966-07', 'birth date'],
  ['mrn-7731', 'record number'],
  ['MRN7731', 'record number'],
  ['7731', 'record number'],
  ['sinead@cli', 'e-mail'],
  ['vanderb', 'previous name'],
  ['Sinead 7/6/1966', 'birth date'],
  ['obrien', ''],
  ['sin o’brien', ''],
]

test('the list finds by phone, birth date, record number, e-mail and former names, and says so', async () => {
  const page = await dashboard.signedIn('/patients')
  const rows = page.getByRole('link', { name: NAME })
  for (const [typed, reason] of TYPED) {
    // Another response is in between, so that no row is one of the search before.
    await searchOf(page).fill('nobody of this name')
    await page.getByText('No patients found').waitFor()
    await searchOf(page).fill(typed)
    await rows.first().waitFor()
    expect([typed, await rows.count()]).toEqual([typed, 1])
    expect(await rows.innerText()).toContain(reason)
    if (reason === '') expect(await rows.innerText()).not.toMatch(/phone|birth date|record number|name/)
  }
  expect(decodeURIComponent(new URL(page.url()).search).replaceAll('+', ' ')).toContain('o’brien')
})

test('the booking finds and explains alike', async () => {
  const page = await dashboard.signedIn('/schedule?book=Practitioner/practitioner-okafor')
  const field = page.getByRole('dialog', { name: 'Book a visit' }).getByLabel('Patient')
  for (const [typed, reason] of TYPED) {
    await field.fill('nobody of this name')
    await page.getByRole('option', { name: 'No patients found. New patient …' }).waitFor()
    await field.fill(typed)
    const option = page.getByRole('option', { name: NAME })
    await option.waitFor()
    expect(await option.innerText()).toContain(reason)
  }
})

test('the palette finds and explains alike', async () => {
  const page = await dashboard.signedIn()
  await page.keyboard.press('Control+k')
  const field = page.getByLabel('Page, patient, or Patient/123')
  const entry = page.getByRole('dialog', { name: 'Search' }).getByRole('button', { name: NAME })
  for (const [typed, reason] of TYPED) {
    await field.fill('nobody of this name')
    await entry.waitFor({ state: 'detached' })
    await field.fill(typed)
    await entry.waitFor()
    expect(await entry.innerText()).toContain(reason)
  }
  // Enter takes the patient, not the new patient that is offered below.
  await page.getByRole('button', { name: /^New patient/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor()
})

describe('while the palette is read again, as somebody has changed a patient', () => {
  /** The palette with this text over a page that follows changes. */
  const searched = async (typed: string): Promise<Page> => {
    const page = await dashboard.signedIn('/patients')
    await page.getByRole('link', { name: NAME }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Page, patient, or Patient/123').fill(typed)
    return page
  }
  const marked = (page: Page, name: string | RegExp) =>
    page.getByRole('dialog', { name: 'Search' }).locator('[data-selected]').filter({ hasText: name })
  /** Searches of the palette. */
  const isSearch = (url: URL): boolean => url.pathname === '/Patient' && url.searchParams.get('_count') === '6'
  const isRead = (page: Page) => page.waitForResponse((one) => isSearch(new URL(one.url())))

  test('New patient stays, and Enter takes it', async () => {
    const page = await searched('Per Lagerwall')
    await marked(page, 'New patient “Per Lagerwall” …').waitFor()
    let asked = () => {}
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve
    })
    // This search is never responded to.
    await page.route(isSearch, () => asked())
    await put('somebody', { name: [{ family: 'Somebody' }] })
    await isAsked
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New patient' }).getByLabel('Given names').waitFor()
  })

  test('the patient who is marked stays so, also where another one comes above', async () => {
    const page = await searched('yyb')
    await put('yyb-one', { name: [{ family: 'Yybb', given: ['Mid'] }] })
    await page.getByRole('dialog', { name: 'Search' }).getByRole('button', { name: 'Mid Yybb' }).waitFor()
    while ((await marked(page, 'Mid Yybb').count()) === 0) await page.keyboard.press('ArrowDown')
    const read = isRead(page)
    await put('yyb-two', { name: [{ family: 'Yyba', given: ['New'] }] })
    await read
    await page.getByRole('dialog', { name: 'Search' }).getByRole('button', { name: 'New Yyba' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Mid Yybb' }).waitFor()
  })
})

test.each(['light', 'dark'] as const)('odd names and reasons fit, and axe finds nothing (%s)', async (colorScheme) => {
  const look = { colorScheme, viewport: { width: 390, height: 800 } } as const
  const page = await dashboard.signedIn('/patients?q=zz', look)
  await page.getByRole('link', { name: 'Zzbare' }).waitFor()
  expect(await page.getByRole('list', { name: 'Patients' }).getByRole('link').count()).toBe(4)
  expect(await fitsItsWidth(page)).toBe(true)
  await page.keyboard.press('Control+k')
  await page.getByLabel('Page, patient, or Patient/123').fill('zz')
  await page.getByRole('dialog', { name: 'Search' }).getByText('Zzbare').waitFor()
  expect([await findingsOf(page), await leftoversOf(page), await fitsItsWidth(page)]).toEqual([[], [], true])
  expect(dashboard.complaints).toEqual([])
})

describe('while the server is away', () => {
  test('the text stays, and finds as soon as the server is back', async () => {
    const page = await dashboard.signedIn('/patients')
    await page.getByRole('link', { name: 'Ruth Abernathy' }).waitFor()
    await page.route(/\/Patient\?/, (route) => route.abort())
    await searchOf(page).fill('555 0142')
    await page.getByText('The server is not responding.').first().waitFor()
    await page.unroute(/\/Patient\?/)
    await page.getByRole('link', { name: NAME }).waitFor()
    expect(await searchOf(page).inputValue()).toBe('555 0142')
  })
})
