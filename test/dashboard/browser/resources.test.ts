/** Resources of any type in the explorer: lists with their columns, and a form of what the StructureDefinition has. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import {
  type Dashboard,
  findingsInBothSchemes,
  findingsOf,
  fitsItsWidth,
  leftoversOf,
  startDashboard,
} from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const open = (query: string, options = {}) => dashboard.signedIn(`/explorer?view=resources&${query}`, options)
const saved = (page: Page, path: string) => page.getByText(`${path} is saved.`).waitFor()

/** Stores a text as it is: `1.10` stays so. */
const store = async (type: string, id: string, text: string) => {
  const response = await fetch(`${dashboard.server.url}/${type}/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${dashboard.server.token}`, 'content-type': 'application/fhir+json' },
    body: text,
  })
  expect(response.status).toBeLessThan(300)
}
const textOf = async (path: string): Promise<string> => (await dashboard.server.fhir('GET', `/${path}`)).text

describe('the list of a type', () => {
  test.each([
    ['Patient', ['name', 'birthDate']],
    ['Appointment', ['status', 'start']],
    ['Observation', ['status', 'code', 'subject']],
    ['OperationDefinition', ['name', 'status', 'code']],
  ])('has the columns of its StructureDefinition: %s', async (type, columns) => {
    const page = await open(`type=${type}`)
    await page.getByLabel('Type').waitFor()
    await page.getByText(`No ${type} is found`).or(page.getByRole('table')).first().waitFor()
    if ((await page.getByRole('table').count()) > 0)
      for (const name of columns) await page.getByRole('columnheader', { name, exact: true }).waitFor()
    expect(await leftoversOf(page)).toEqual([])
  })

  test('is searched, sorted by a column, and read page by page', async () => {
    const page = await open('type=Patient&q=_count%3D5')
    const rows = page.getByRole('table', { name: 'Patient' }).getByRole('row')
    await rows.nth(5).waitFor()
    await page.getByRole('button', { name: 'birthDate' }).click()
    await page.getByRole('columnheader', { name: 'birthDate' }).and(page.locator('[aria-sort=ascending]')).waitFor()
    expect(new URL(page.url()).searchParams.get('sort')).toBe('birthdate')
    await page.getByRole('button', { name: 'Next page' }).click()
    await rows.nth(10).waitFor()
    await page.getByLabel('Search parameters').fill('name=abernathy')
    await page.getByLabel('Search parameters').press('Enter')
    await page.getByRole('link', { name: 'abernathy-ruth' }).waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'abernathy-ruth' }).click()
    await page.getByRole('form', { name: 'Patient/abernathy-ruth' }).waitFor()
  })

  test('shows whom references mean, read in one request', async () => {
    const { body } = await dashboard.server.fhir('PUT', '/Observation/of-ruth', {
      ...{ resourceType: 'Observation', id: 'of-ruth', status: 'final', code: { text: 'Weight' } },
      subject: { reference: 'Patient/abernathy-ruth' },
    })
    expect(body.id).toBe('of-ruth')
    const page = await open('type=Observation')
    const row = page.getByRole('row', { name: /of-ruth/ })
    await row.getByText('Ruth Abernathy').waitFor()
  })
})

const OBSERVATION = `{"resourceType":"Observation","id":"kept","meta":{"tag":[{"system":"http://example.org/tags","code":"a"}]},
"contained":[{"resourceType":"Device","id":"d","deviceName":[{"name":"Scale","type":"model-name"}]}],
"extension":[{"url":"http://example.org/x","valueDecimal":2.00}],"status":"final",
"code":{"coding":[{"system":"http://loinc.org","code":"1"}],"text":"Weight"},
"effectiveDateTime":"2026-01-01","_effectiveDateTime":{"extension":[{"url":"http://example.org/y","valueBoolean":true}]},
"valueQuantity":{"value":1.10,"unit":"kg"},"device":{"reference":"#d"},
"component":[{"code":{"text":"first"},"valueString":"one"},{"code":{"text":"second"},"valueQuantity":{"value":3.50}}]}`

describe('the form of a resource', () => {
  test('keeps what it has no field for, and numbers as they were written', async () => {
    await store('Observation', 'kept', OBSERVATION)
    const before = JSON.parse(await textOf('Observation/kept'))
    const page = await open('type=Observation&id=kept')
    const form = page.getByRole('form', { name: 'Observation/kept' })
    await form.getByText('Kept as it is: contained, extension, _effectiveDateTime').waitFor()
    await form.getByLabel('status').selectOption('amended')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await saved(page, 'Observation/kept')
    const text = await textOf('Observation/kept')
    expect(text).toMatch(/"value":\s*1\.10\b/)
    expect(text).toMatch(/"value":\s*3\.50\b/)
    expect(text).toMatch(/"valueDecimal":\s*2\.00\b/)
    const { meta, ...after } = JSON.parse(text)
    expect(after).toEqual({ ...before, meta: undefined, status: 'amended' })
    expect(meta.tag).toEqual(before.meta.tag)
  })

  test('adds, repeats and removes elements, chooses a type and a code, and finds a reference', async () => {
    const name = [{ family: 'Quill', given: ['Ada'] }]
    await dashboard.server.fhir('PUT', '/Practitioner/finder', { resourceType: 'Practitioner', id: 'finder', name })
    await dashboard.server.fhir('PUT', '/Patient/grown', { resourceType: 'Patient', id: 'grown' })
    const page = await open('type=Patient&id=grown')
    const form = page.getByRole('form', { name: 'Patient/grown' })
    const add = async (name: string, to = 'Add an element') => form.getByLabel(to, { exact: true }).selectOption(name)
    await add('name')
    await add('family', 'Add an element to name[0]')
    await form.getByLabel('family').fill('<b>Long</b> \u05d0\u05d1'.repeat(12))
    await add('given', 'Add an element to name[0]')
    await form.getByRole('button', { name: 'Add given 2' }).click()
    await form.getByLabel('given 1').fill('Ann')
    await form.getByLabel('given 2').fill('Bo')
    await add('gender')
    await form.getByLabel('gender').selectOption('female')
    await add('multipleBirthInteger')
    await form.getByLabel('multipleBirthInteger').fill('2')
    await add('generalPractitioner')
    await form.getByLabel(/^Refers to Organization/).fill('Quill')
    await page.getByRole('option', { name: 'Practitioner/finder · Ada Quill' }).click()
    await form.getByText('Ada Quill', { exact: true }).waitFor()
    await add('link')
    await form.getByTitle('Remove link 1').click()
    await add('maritalStatus')
    await form.getByLabel('Code, where one fits').fill('Marr')
    await page.getByRole('option', { name: 'Married (M)' }).click()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await saved(page, 'Patient/grown')
    const { body } = await dashboard.server.fhir('GET', '/Patient/grown')
    expect(body).toMatchObject({
      name: [{ family: '<b>Long</b> \u05d0\u05d1'.repeat(12), given: ['Ann', 'Bo'] }],
      gender: 'female',
      multipleBirthInteger: 2,
      maritalStatus: { coding: [{ code: 'M', display: 'Married' }] },
    })
    expect(body.generalPractitioner).toEqual([{ reference: 'Practitioner/finder' }])
    expect(body.link).toBeUndefined()
  })

  test('shows the code that is chosen, also one that only a search of a long list finds', async () => {
    await dashboard.server.fhir('PUT', '/Patient/coded', { resourceType: 'Patient', id: 'coded' })
    const page = await open('type=Patient&id=coded')
    const coding = (code: string, display: string) => ({ system: 'http://example.org/long', code, display })
    const firstOnes = Array.from({ length: 200 }, (_, number) => coding(`c${number}`, `Code ${number}`))
    await page.route(/ValueSet\/\$expand/, (route) => {
      const filter = new URL(route.request().url()).searchParams.get('filter')
      const contains = filter === null ? firstOnes : filter === 'Far' ? [coding('far', 'Far down the list')] : []
      return route.fulfill({ json: { resourceType: 'ValueSet', status: 'active', expansion: { contains } } })
    })
    await page.getByLabel('Add an element', { exact: true }).selectOption('maritalStatus')
    const code = page.getByRole('combobox', { name: 'Code, where one fits' })
    await code.fill('Nowhere')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await code.fill('Far')
    await page.getByRole('option', { name: 'Far down the list (far)' }).click()
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    expect(await code.inputValue()).toBe('Far down the list (far)')
  })

  test('says at the field what the server refuses', async () => {
    await dashboard.server.fhir('PUT', '/Patient/refused', {
      resourceType: 'Patient',
      id: 'refused',
      birthDate: '1970-01-01',
    })
    const page = await open('type=Patient&id=refused')
    await page.getByLabel('birthDate').fill('yesterday')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByRole('alert')
      .getByText(/Patient.birthDate/)
      .waitFor()
    expect(await page.getByLabel('birthDate').getAttribute('aria-invalid')).toBe('true')
  })

  test('shows what somebody else has saved meanwhile, and keeps both changes', async () => {
    const patient = { resourceType: 'Patient', id: 'contested', gender: 'male', birthDate: '1970-01-01' }
    await dashboard.server.fhir('PUT', '/Patient/contested', patient)
    const page = await open('type=Patient&id=contested')
    await page.getByLabel('gender').selectOption('female')
    await dashboard.server.fhir('PUT', '/Patient/contested', { ...patient, birthDate: '1971-01-01' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Somebody else has saved meanwhile' })
    await dialog.getByRole('button', { name: 'Save what is chosen' }).click()
    await saved(page, 'Patient/contested')
    const { body } = await dashboard.server.fhir('GET', '/Patient/contested')
    expect([body.gender, body.birthDate]).toEqual(['female', '1971-01-01'])
  })

  test('stays as it is while the server is away, and is saved then', async () => {
    await dashboard.server.fhir('PUT', '/Patient/away', { resourceType: 'Patient', id: 'away', gender: 'male' })
    const page = await open('type=Patient&id=away')
    await page.getByLabel('gender').selectOption('female')
    await page.route('**/Patient/away', (route) => route.abort())
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('The server is not responding.').first().waitFor()
    await page.unroute('**/Patient/away')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await saved(page, 'Patient/away')
  })

  test('has no button for an interaction that is not declared', async () => {
    const page = await open('type=Patient&q=_id%3Dabernathy-ruth')
    await page.route('**/metadata', async (route) => {
      const response = await route.fetch()
      const statement = await response.json()
      for (const one of statement.rest[0].resource)
        one.interaction = one.interaction.filter(
          ({ code }: { code: string }) => !['update', 'delete', 'create'].includes(code),
        )
      await route.fulfill({ response, json: statement })
    })
    await page.reload()
    await page.getByRole('link', { name: 'abernathy-ruth' }).waitFor()
    expect(await page.getByRole('link', { name: 'New Patient' }).count()).toBe(0)
    await page.getByRole('link', { name: 'abernathy-ruth' }).click()
    await page.getByRole('form', { name: 'Patient/abernathy-ruth' }).waitFor()
    expect(await page.getByRole('button', { name: /^(Save|Delete)$/ }).count()).toBe(0)
    expect(await page.getByLabel('birthDate').isDisabled()).toBe(true)
  })

  test('asks before it is left with changes, for the list, another view and another page', async () => {
    await dashboard.server.fhir('PUT', '/Patient/asking', { resourceType: 'Patient', id: 'asking', gender: 'male' })
    const page = await open('type=Patient&id=asking')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByLabel('gender').selectOption('female')
    await page.getByRole('link', { name: 'All of type Patient' }).click()
    await question.waitFor()
    expect(await findingsInBothSchemes(page)).toEqual([])
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    await page.getByRole('radiogroup', { name: 'View' }).getByText('Console').click()
    await question.getByRole('button', { name: 'Stay' }).click()
    expect(await page.getByLabel('gender').inputValue()).toBe('female')
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Patients' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { level: 1, name: 'Patients' }).waitFor()
  })

  test.each([
    [390, 'light'],
    [1024, 'dark'],
  ] as const)('fits a window of %s px, and is accessible in %s', async (width, colorScheme) => {
    const page = await open('type=Patient&id=abernathy-ruth', { viewport: { width, height: 844 }, colorScheme })
    await page.getByLabel('birthDate').waitFor()
    await page.getByLabel('family').first().waitFor()
    expect(await fitsItsWidth(page)).toBe(true)
    expect(await findingsOf(page)).toEqual([])
    expect(await leftoversOf(page)).toEqual([])
  })
})

describe('a new resource', () => {
  const NEW = 'New Observation'
  const create = (page: Page) => page.getByRole('button', { name: 'Create', exact: true })

  test('begins with the least that is valid, in the form of its type, and its creation is taken back', async () => {
    const page = await open('type=Observation')
    await page.getByRole('link', { name: NEW }).click()
    const form = page.getByRole('form', { name: NEW })
    await form.getByLabel('status').selectOption('final')
    await form.getByLabel('text', { exact: true }).fill('<b>Weight</b> \u05d0')
    expect(await findingsInBothSchemes(page)).toEqual([])
    await create(page).focus()
    await page.keyboard.press('Enter')
    await page.getByText(/^Observation\/\S+ is created\.$/).waitFor()
    const id = new URL(page.url()).searchParams.get('id')
    await page.getByRole('form', { name: `Observation/${id}` }).waitFor()
    const { body } = await dashboard.server.fhir('GET', `/Observation/${id}`)
    expect(body).toMatchObject({ status: 'final', code: { text: '<b>Weight</b> \u05d0' }, meta: { versionId: '1' } })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.getByRole('link', { name: NEW }).waitFor()
    expect((await dashboard.server.fhir('GET', `/Observation/${id}`)).status).toBe(410)
  })

  test('asks before it is left once something is typed, and not before', async () => {
    const page = await open('type=Basic&new=yes')
    const question = page.getByRole('dialog', { name: 'Leave without saving?' })
    await page.getByRole('form', { name: 'New Basic' }).waitFor()
    await page.getByRole('link', { name: 'All of type Basic' }).click()
    await page.getByRole('link', { name: 'New Basic' }).click()
    await page.getByLabel('text', { exact: true }).fill('typed')
    await page.getByRole('link', { name: 'All of type Basic' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('link', { name: 'New Basic' }).waitFor()
  })

  test('says at the field what the server refuses', async () => {
    const page = await open('type=Patient&new=yes')
    await page.getByLabel('Add an element', { exact: true }).selectOption('birthDate')
    await page.getByLabel('birthDate').fill('yesterday')
    await create(page).click()
    await page
      .getByRole('alert')
      .getByText(/Patient.birthDate/)
      .waitFor()
    expect(await page.getByLabel('birthDate').getAttribute('aria-invalid')).toBe('true')
  })

  test('is stored once, where the response to the first attempt was lost', async () => {
    const page = await open('type=Basic&new=yes')
    await page.getByLabel('text', { exact: true }).fill('stored once')
    await page.route('**/Basic/*', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await create(page).click()
    await page.getByRole('alert').getByText('The server is not responding.').waitFor()
    expect(await page.getByLabel('text', { exact: true }).inputValue()).toBe('stored once')
    await page.unroute('**/Basic/*')
    await create(page).click()
    await page.getByText(/^Basic\/\S+ is created\.$/).waitFor()
    const { body } = await dashboard.server.fhir('GET', '/Basic')
    const texts = body.entry.map(({ resource }: { resource: { code: { text: string } } }) => resource.code.text)
    expect(texts.filter((text: string) => text === 'stored once')).toHaveLength(1)
  })

  test.each([390, 1024])('fits a window of %s px', async (width) => {
    const page = await open('type=Appointment&new=yes', { viewport: { width, height: 844 } })
    await page.getByRole('form', { name: 'New Appointment' }).getByLabel('status').first().waitFor()
    expect(await fitsItsWidth(page)).toBe(true)
    expect(await leftoversOf(page)).toEqual([])
  })
})
