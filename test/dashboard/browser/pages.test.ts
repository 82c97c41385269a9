/** The main task of each page, with and without errors. Large pages have a file of their own. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsInBothSchemes, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const fhir = (method: string, path: string, body?: unknown) => dashboard.server.fhir(method, path, body)

test('the overview counts the day of the clinic, and its switch turns the sandbox off and on for everybody', async () => {
  const page = await dashboard.signedIn()
  const other = await dashboard.signedIn('/patients')
  const { body } = await fhir('GET', '/Task?_summary=count&status=requested,in-progress')
  await page.getByRole('definition').nth(2).getByText(String(body.total), { exact: true }).waitFor()
  await page.getByText('Times of New York, UTC-').waitFor()
  await page.getByRole('img', { name: /^Bookings in 14 days: \d+$/ }).waitFor()
  await page.getByRole('switch', { name: 'Sandbox is on' }).click({ force: true })
  await page.getByRole('switch', { name: 'Sandbox is off' }).waitFor()
  await page.getByText('Sandbox off').waitFor()
  // Another user is informed, and can turn it on.
  await other.getByLabel('Name, birth date, phone or record number').fill('abernathy')
  await other.getByText('The sandbox is turned off').waitFor()
  await other.getByRole('button', { name: 'Turn the sandbox on' }).click()
  await other.getByText('Ruth Abernathy').waitFor()
  expect((await fhir('GET', '/Patient?_count=1')).status).toBe(200)
})

test('patients are found as one types, by the beginnings of their names, birth date, phone and record number; the address keeps it', async () => {
  const page = await dashboard.signedIn('/patients')
  const search = page.getByLabel('Name, birth date, phone or record number')
  const only = page.getByText('1 patient', { exact: true })
  for (const typed of ['aber ru', '1941-02-17', '+15185550111', 'ms-10001']) {
    await search.fill(typed)
    await only.waitFor()
    await page.getByRole('listitem').getByText('Ruth Abernathy').waitFor()
    await search.fill('')
    await page.getByText('25 patients').waitFor()
  }
  await search.fill('zoe')
  await only.waitFor()
  await page.reload()
  await only.waitFor()
  expect(await search.inputValue()).toBe('zoe')
  await search.press('Tab')
  await search.fill('nobody is called so')
  await page.getByText('No patients found').waitFor()
})

test('records that stand for callers have a tab of their own, and are not among the patients', async () => {
  await dashboard.server.tool(
    '/patient-journey/update_registration_field',
    { lastName: 'Halfway' },
    { 'x-call-id': 'half' },
  )
  const page = await dashboard.signedIn('/patients?q=halfway')
  await page.getByText('No patients found').waitFor()
  await page.getByText('Unknown callers', { exact: true }).click()
  await page.getByRole('listitem').getByText('Halfway').click()
  await heading(page, 'Halfway').waitFor()
  await page.getByText('under way by phone').waitFor()
})

test('names with markup, and names that run from right to left, are text like any other', async () => {
  const family = '<img src=x onerror=alert(1)>'
  await fhir('PUT', '/Patient/markup', { resourceType: 'Patient', id: 'markup', name: [{ family }] })
  await fhir('PUT', '/Patient/rtl', {
    resourceType: 'Patient',
    id: 'rtl',
    name: [{ text: 'مرحبا بك' }],
    birthDate: '1980-01-02',
  })
  const page = await dashboard.signedIn('/patients/markup')
  await heading(page, family).waitFor()
  await page.goto(`${dashboard.server.url}/dashboard/patients/rtl`)
  await heading(page, 'مرحبا بك').waitFor()
  await page.getByText('born Jan 2, 1980').waitFor()
})

test('an edit changes what was changed; where somebody else was faster both are shown and nothing is lost', async () => {
  await fhir('PUT', '/Patient/edited', {
    resourceType: 'Patient',
    id: 'edited',
    name: [{ use: 'official', family: 'Before', given: ['Ann'] }],
    extension: [{ url: 'https://example.org/weight', valueDecimal: 1 }],
  })
  const page = await dashboard.signedIn('/patients/edited')
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit demographics' })
  await dialog.getByLabel('Family name').fill('Mine')
  await fhir('PUT', '/Patient/edited', {
    resourceType: 'Patient',
    id: 'edited',
    name: [{ use: 'official', family: 'Theirs', given: ['Ann'] }],
    telecom: [{ system: 'phone', value: '+12125550100' }],
  })
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  const conflict = page.getByRole('dialog', { name: 'Somebody else has saved meanwhile' })
  const family = conflict.getByRole('row', { name: /^Family name both have changed it/ })
  await family.getByLabel('Theirs').waitFor()
  expect(await family.getByLabel('Mine').isChecked()).toBe(true)
  expect(
    await conflict
      .getByRole('row', { name: /^Phone/ })
      .getByLabel('+12125550100')
      .isChecked(),
  ).toBe(true)
  await conflict.getByRole('button', { name: 'Back to the form' }).click()
  expect(await dialog.getByLabel('Family name').inputValue()).toBe('Mine')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await conflict.getByRole('button', { name: 'Save what is chosen' }).click()
  await heading(page, 'Ann Mine').waitFor()
  const { body } = await fhir('GET', '/Patient/edited')
  expect(body).toMatchObject({ name: [{ family: 'Mine', given: ['Ann'] }], telecom: [{ value: '+12125550100' }] })
})

test('what the server finds wrong stands at the field', async () => {
  const page = await dashboard.signedIn('/patients/abernathy-ruth')
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit demographics' })
  await dialog.getByLabel('Date of birth').fill('17 February')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.locator('.mantine-InputWrapper-error').waitFor()
  expect(await dialog.getByLabel('Date of birth').getAttribute('aria-invalid')).toBe('true')
})

test('a session that ends while a form is filled in asks for the password, and sends it then as it was written', async () => {
  const page = await dashboard.signedIn('/patients/haddad-layla')
  await page.getByRole('button', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit demographics' })
  await dialog.getByLabel('City').fill('Troy')
  await page.context().request.delete(`${dashboard.server.url}/session`)
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  const asked = page.getByRole('dialog', { name: 'Your session has ended' })
  await asked.getByLabel('Password of demo').fill('demo')
  await asked.getByRole('button', { name: 'Go on' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await fhir('GET', '/Patient/haddad-layla')
  expect(body.address[0].city).toBe('Troy')
})

test('the page of a patient shows documents, coverage and what each version changed', async () => {
  const page = await dashboard.signedIn('/patients/goldberg-samuel?tab=documents')
  await page.getByText('Reason for visit: blood pressure check.').waitFor()
  await page.getByRole('tab', { name: 'Timeline' }).click()
  await page.getByText('Visit note, blood pressure').waitFor()
  expect(page.url()).toContain('tab=timeline')
  const { body } = await fhir('GET', '/Patient/ito-kenji')
  await fhir('PUT', '/Patient/ito-kenji', { ...body, birthDate: '1972-04-05' })
  await page.goto(`${dashboard.server.url}/dashboard/patients/ito-kenji?tab=history`)
  await page.getByRole('heading', { name: 'Version 2' }).waitFor()
  await page.getByRole('row', { name: 'birthDate' }).getByText('1972-04-05').waitFor()
})

test('two records of one person are merged side by side, and the merge is undone by one click', async () => {
  const person = { resourceType: 'Patient', birthDate: '1975-05-05', name: [{ family: 'Doubled', given: ['Dana'] }] }
  await fhir('PUT', '/Patient/double-1', { ...person, id: 'double-1' })
  await fhir('PUT', '/Patient/double-2', { ...person, id: 'double-2', gender: 'female' })
  const page = await dashboard.signedIn('/patients/double-1?tab=duplicates')
  await page.getByRole('button', { name: 'Compare and merge' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Merge two records' })
  await dialog.getByRole('row', { name: 'Gender' }).getByText('female').waitFor()
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await fhir('GET', '/Patient/double-1')).body.gender).toBe('female')
  expect((await fhir('GET', '/Patient/double-2')).body.active).toBe(false)
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByRole('button', { name: 'Compare and merge' }).first().waitFor()
  const { body } = await fhir('GET', '/Patient/double-1')
  expect(body.gender).toBeUndefined()
})

test('the whole clinic is searched for duplicates, which shows how far it is; a pair is merged, or kept apart', async () => {
  for (const [given, birthDate] of [
    ['Nora', '1966-06-06'],
    ['Olga', '1977-07-17'],
  ] as const) {
    const twice = { resourceType: 'Patient', birthDate, name: [{ family: `Twofold${given}`, given: [given] }] }
    for (const id of [`${given}-1`, `${given}-2`]) await fhir('PUT', `/Patient/${id}`, { ...twice, id })
  }
  const page = await dashboard.signedIn('/patients')
  await page.getByText('Duplicates', { exact: true }).click()
  await page.getByText('This clinic has not been searched for duplicate patients yet').waitFor()
  const watched = page.waitForResponse((answer) => answer.url().includes('run=') && answer.status() === 202)
  await page.getByRole('button', { name: 'Search the clinic' }).click()
  const progress = (await watched).headers()['x-progress'] ?? 'none'
  await page.getByText(progress).or(page.getByText('pairs found')).first().waitFor()
  const pairs = page.getByRole('list', { name: 'Pairs' }).getByRole('listitem')
  const nora = pairs.filter({ hasText: 'Nora TwofoldNora' })
  const olga = pairs.filter({ hasText: 'Olga TwofoldOlga' })
  await nora.waitFor({ timeout: 60_000 })

  await olga.getByRole('button', { name: 'These are two people' }).click()
  await olga.waitFor({ state: 'detached' })
  await page.getByRole('alert').filter({ hasText: 'are two people' }).getByRole('button', { name: 'Undo' }).click()
  await olga.waitFor()

  await nora.getByRole('button', { name: 'Compare and merge' }).click()
  const dialog = page.getByRole('dialog', { name: 'Merge two records' })
  await dialog.getByRole('row', { name: 'Name' }).getByText('Nora TwofoldNora').first().waitFor()
  await dialog.getByRole('button', { name: 'Keep the other one' }).click()
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
  await nora.waitFor({ state: 'detached' })
  const states = await Promise.all(
    ['Nora-1', 'Nora-2'].map(async (id) => (await fhir('GET', `/Patient/${id}`)).body.link?.[0]?.type),
  )
  expect(states.sort()).toEqual(['replaced-by', 'replaces'])
})

test('the explorer follows links, keeps numbers as they were written, and shows findings at their element', async () => {
  const text =
    '{"resourceType":"Observation","id":"exact","status":"final","code":{"text":"Weight"},"subject":{"reference":"Patient/abernathy-ruth"},"valueQuantity":{"value":1.00}}'
  await fetch(`${dashboard.server.url}/Observation/exact`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${dashboard.server.token}`, 'content-type': 'application/fhir+json' },
    body: text,
  })
  const page = await dashboard.signedIn('/explorer?path=Observation/exact')
  await page.getByText('1.00', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Patient/abernathy-ruth' }).click()
  await page.getByText('GET Patient/abernathy-ruth').waitFor()
  expect(page.url()).toContain('path=Patient%2Fabernathy-ruth')
  await page.goBack()
  await page.getByText('GET Observation/exact').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('textbox', { name: 'Body' })
  expect(await editor.inputValue()).toContain('1.00')
  await editor.fill(text.replace('"final"', '"finished"'))
  await page.getByRole('button', { name: 'Validate' }).click()
  const findings = page.getByRole('list', { name: 'Findings in the body' })
  await findings.getByText(/^Observation.status: /).waitFor()
  await findings.getByRole('button', { name: 'Show it' }).first().click()
  const chosen = await editor.evaluate((field: HTMLTextAreaElement) =>
    field.value.slice(field.selectionStart, field.selectionEnd),
  )
  expect(chosen).toBe('"status":"finished"')
  expect(await findingsInBothSchemes(page)).toEqual([])
})

test('nothing that these pages do is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
