/** New patients: registered from the list, the palette and the booking, beside those who may be the same person. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import type { Locator, Page } from 'playwright-core'
import { dateText } from '../../../dashboard/fhir/time.ts'
import { type Dashboard, findingsOf, fitsItsWidth, leftoversOf, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)

async function called(family: string): Promise<readonly Patient[]> {
  const { body } = await fhir('GET', `/Patient?family:exact=${encodeURIComponent(family)}`)
  return (body.entry ?? []).map(({ resource }: { readonly resource: Patient }) => resource)
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'New patient' })
const create = (dialog: Locator) => dialog.getByRole('button', { name: 'Create', exact: true })

/** The dialog over the list of patients. */
async function opened(path = '/patients?dialog=new', look: Parameters<Dashboard['signedIn']>[1] = {}) {
  const page = await dashboard.signedIn(path, look)
  const dialog = dialogOf(page)
  await dialog.getByLabel('Given names').waitFor()
  const fill = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, text] of Object.entries(fields)) await dialog.getByLabel(label, { exact: true }).fill(text)
  }
  return { page, dialog, fill }
}

test('a walk-in is registered by keys alone: values in their normal form, the record opened, and undone', async () => {
  const page = await dashboard.signedIn('/patients')
  await page.getByRole('button', { name: 'New patient' }).focus()
  await page.keyboard.press('Enter')
  const dialog = dialogOf(page)
  await dialog.getByLabel('Given names').waitFor()
  await page.keyboard.type('Walter James')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Inning')
  await page.keyboard.press('Tab')
  await page.keyboard.type('6 june 66')
  await dialog.getByText(dateText('1966-06-06'), { exact: true }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.type('male')
  await page.keyboard.press('Tab')
  await page.keyboard.type('(212) 555-0177')
  await page.keyboard.press('Tab')
  await page.keyboard.type('walter dot inning at example dot com')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Walter James Inning' }).waitFor()
  const [stored, ...others] = await called('Inning')
  expect(others).toEqual([])
  expect(stored).toMatchObject({
    name: [{ use: 'official', family: 'Inning', given: ['Walter', 'James'] }],
    birthDate: '1966-06-06',
    gender: 'male',
    telecom: [
      { system: 'phone', value: '+12125550177' },
      { system: 'email', value: 'walter.inning@example.com' },
    ],
  })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
  expect(await called('Inning')).toEqual([])
})

test.each([
  ['Nora Newcomb', { 'Given names': 'Nora', 'Family name': 'Newcomb' }],
  ['Newcomb, Nora Ann', { 'Given names': 'Nora Ann', 'Family name': 'Newcomb' }],
  ['(212) 555-0188', { Phone: '(212) 555-0188', 'Family name': '' }],
  ['Newcomb 6/6/1966', { 'Family name': 'Newcomb', 'Date of birth': '6/6/1966' }],
  ['nora@example.com', { 'E-mail': 'nora@example.com' }],
])('the palette opens the dialog with %j filled in', async (typed, fields) => {
  const page = await dashboard.signedIn()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Page, patient, or Patient/123').fill(typed)
  await page.getByRole('button', { name: `New patient “${typed}” …` }).click()
  const dialog = dialogOf(page)
  await dialog.getByLabel('Given names').waitFor()
  for (const [label, text] of Object.entries(fields))
    expect(await dialog.getByLabel(label, { exact: true }).inputValue()).toBe(text)
})

test('a patient who is not found is registered within the booking, which goes on with them', async () => {
  const page = await dashboard.signedIn('/schedule?book=Practitioner/practitioner-okafor')
  const booking = page.getByRole('dialog', { name: 'Book a visit' })
  await booking.getByLabel('Patient').fill('Bo Bookman')
  await page.getByRole('option', { name: 'No patients found. New patient …' }).click()
  const dialog = dialogOf(page)
  await dialog.getByLabel('Given names').waitFor()
  // Escape closes the upper dialog alone.
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await booking.getByLabel('Patient').click()
  await page.getByRole('option', { name: 'No patients found. New patient …' }).click()
  await create(dialog).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await booking.getByLabel('Patient').inputValue()).toBe('Bo Bookman')
  expect(await called('Bookman')).toHaveLength(1)
})

describe('errors stand at their field, and nothing is created', () => {
  test.each([
    ['Phone', 'abc', 'contains letters'],
    ['E-mail', 'eve@', 'e-mail address'],
    ['Date of birth', '31 June 1966', 'no date in the past'],
    ['Date of birth', '6/6/2999', 'no date in the past'],
  ])('%s “%s”', async (label, typed, words) => {
    const { dialog, fill } = await opened()
    await fill({ 'Given names': 'Eve', 'Family name': 'Faulty', [label]: typed })
    await create(dialog).click()
    await dialog.getByText(words).waitFor()
    expect(await dialog.getByLabel(label, { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(await called('Faulty')).toEqual([])
  })

  test('a patient needs a name', async () => {
    const { dialog, fill } = await opened()
    await fill({ Phone: '(212) 555-0199' })
    await create(dialog).click()
    await dialog.getByText('Write a name').waitFor()
  })

  test('so does an objection of the server', async () => {
    const { page, dialog, fill } = await opened()
    await fill({ 'Family name': 'Refused', 'Postal code': '1' })
    const issue = { severity: 'error', code: 'invalid', diagnostics: 'This town has no such code.' }
    const outcome = { resourceType: 'OperationOutcome', issue: [{ ...issue, expression: ['Patient.address[0]'] }] }
    await page.route(/\/Patient\/[^/$]+$/, (route) => route.fulfill({ status: 422, json: outcome }))
    await create(dialog).click()
    await dialog.getByText('This town has no such code.').waitFor()
    expect(await dialog.getByLabel('Street', { exact: true }).getAttribute('aria-invalid')).toBe('true')
  })
})

describe('somebody who may be the same person', () => {
  test('shows while one types, is compared, and used in place of a new record', async () => {
    const { page, dialog, fill } = await opened()
    await fill({ 'Given names': 'Ruth', 'Family name': 'Abernathy' })
    await dialog.getByText('Ruth Abernathy').waitFor()
    await fill({ 'Date of birth': '2/17/1941' })
    await dialog.getByRole('button', { name: 'Compare' }).first().click()
    const compared = page.getByRole('dialog', { name: 'Compare' })
    await compared.getByText('MS-10001').waitFor()
    expect(await compared.getByRole('row', { name: 'Born' }).innerText()).toMatch(
      new RegExp(`${dateText('1941-02-17')}\\s+${dateText('1941-02-17')}`),
    )
    expect(await compared.getByRole('link').getAttribute('href')).toBe('patients/abernathy-ruth')
    await page.keyboard.press('Escape')
    await compared.waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Family name').inputValue()).toBe('Abernathy')
    await dialog.getByRole('button', { name: 'Compare' }).first().click()
    await compared.getByRole('button', { name: 'Use this record' }).click()
    await page.getByRole('heading', { level: 1, name: 'Ruth Abernathy' }).waitFor()
    expect(await called('Abernathy')).toHaveLength(1)
  })

  test('and is registered by somebody else meanwhile is asked about, and a second record is made only then', async () => {
    const { page, dialog, fill } = await opened()
    const person = { 'Given names': 'Tessa', 'Family name': 'Twofold', 'Date of birth': '3/4/1970' }
    await fill({ ...person, 'E-mail': 'tessa@example.com' })
    await dialog.getByText('No record is like this one.').waitFor()
    await fhir('PUT', '/Patient/twofold', {
      resourceType: 'Patient',
      id: 'twofold',
      name: [{ family: 'Twofold', given: ['Tessa'] }],
      birthDate: '1970-03-04',
      telecom: [{ system: 'email', value: 'tessa@example.com' }],
    })
    await create(dialog).click()
    await dialog.getByRole('alert').getByText('A record of this person is here already.').waitFor()
    expect(await called('Twofold')).toHaveLength(1)
    await dialog.getByRole('button', { name: 'Create a second record' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tessa Twofold' }).waitFor()
    expect(await called('Twofold')).toHaveLength(2)
  })

  test.each(['light', 'dark'] as const)('has any name, also on a phone, and axe finds nothing (%s)', async (scheme) => {
    const id = `odd-${scheme}`
    const given = [`<b>${'Long'.repeat(48)}</b>`, '\u202Eאברהם']
    const telecom = [{ system: 'phone', value: scheme === 'light' ? '+12125550201' : '+12125550202' }]
    await fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id, name: [{ family: 'Odd', given }], telecom })
    const look = { colorScheme: scheme, viewport: { width: 390, height: 800 } }
    const { page, dialog, fill } = await opened('/patients?dialog=new', look)
    await fill({ 'Given names': given.join(' '), 'Family name': 'Odd', Phone: 'abc', 'Date of birth': 'x' })
    await dialog.getByRole('button', { name: 'Compare' }).first().waitFor()
    await create(dialog).click()
    await dialog.getByText('contains letters').waitFor()
    expect([await findingsOf(page), await fitsItsWidth(page), await leftoversOf(page)]).toEqual([[], true, []])
    await dialog.getByRole('button', { name: 'Compare' }).first().click()
    await page.getByRole('dialog', { name: 'Compare' }).waitFor()
    expect([await findingsOf(page), await fitsItsWidth(page), await leftoversOf(page)]).toEqual([[], true, []])
  })
})

describe('where requests go wrong', () => {
  test('the server is away: the form stays, and creates the record afterwards', async () => {
    const { page, dialog, fill } = await opened()
    await fill({ 'Given names': 'Ada', 'Family name': 'Awaited' })
    await page.route(/\/Patient\//, (route) => route.abort())
    await create(dialog).click()
    await dialog.getByText('The server is not responding.').first().waitFor()
    expect(await dialog.getByLabel('Family name').inputValue()).toBe('Awaited')
    await page.unroute(/\/Patient\//)
    await create(dialog).click()
    await page.getByRole('heading', { level: 1, name: 'Ada Awaited' }).waitFor()
    expect(await called('Awaited')).toHaveLength(1)
  })

  test('a response is lost: a repeat makes no second record, and has what was corrected meanwhile', async () => {
    const { page, dialog, fill } = await opened()
    await fill({ 'Given names': 'Lora', 'Family name': 'Lost' })
    await page.route(/\/Patient\/[^/$]+$/, async (route) => {
      await route.fetch()
      await route.abort()
    })
    await create(dialog).click()
    await dialog.getByText('The server is not responding.').first().waitFor()
    await page.unroute(/\/Patient\/[^/$]+$/)
    await fill({ City: 'Troy' })
    await dialog.getByRole('button', { name: /^Create/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Lora Lost' }).waitFor()
    const found = await called('Lost')
    expect(found.map(({ address }) => address?.[0]?.city)).toEqual(['Troy'])
  })

  test('a double click creates one record', async () => {
    const { page, dialog, fill } = await opened()
    await fill({ 'Given names': 'Dora', 'Family name': 'Double' })
    await create(dialog).dblclick()
    await page.getByRole('heading', { level: 1, name: 'Dora Double' }).waitFor()
    expect(await called('Double')).toHaveLength(1)
  })

  test('a record that has been changed or booked since is not deleted by the undo', async () => {
    for (const [family, change, words] of [
      ['Changed', (id: string) => fhir('PUT', `/Patient/${id}`, named('Changed', id)), 'It has been changed since'],
      ['Booked', (id: string) => fhir('POST', '/Appointment', wished(id)), 'the record stays'],
    ] as const) {
      const { page, dialog, fill } = await opened()
      await fill({ 'Given names': 'Una', 'Family name': family })
      await create(dialog).click()
      await page.getByRole('heading', { level: 1, name: `Una ${family}` }).waitFor()
      const [stored] = await called(family)
      expect((await change(stored?.id ?? '')).status).toBeLessThan(300)
      await page.getByRole('button', { name: 'Undo' }).click()
      await page.getByText(words).waitFor()
      expect(await called(family)).toHaveLength(1)
    }
  })
})

const named = (family: string, id: string) => ({ resourceType: 'Patient', id, active: true, name: [{ family }] })
const wished = (id: string) => ({
  resourceType: 'Appointment',
  status: 'proposed',
  participant: [{ status: 'accepted', actor: { reference: `Patient/${id}` } }],
})

test('the dialog is in the address, and its history: back closes it', async () => {
  const page = await dashboard.signedIn('/patients?q=newcomer')
  await page.getByRole('button', { name: 'New patient' }).click()
  await dialogOf(page).waitFor()
  expect(await dialogOf(page).getByLabel('Family name').inputValue()).toBe('newcomer')
  expect(page.url()).toContain('dialog=new')
  await page.goBack()
  await dialogOf(page).waitFor({ state: 'detached' })
})
