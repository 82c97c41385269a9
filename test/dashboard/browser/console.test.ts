/** The console of the explorer: requests to this server alone, and commands that run as they are. */
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
let folder: string
beforeAll(async () => {
  dashboard = await startDashboard()
  folder = await mkdtemp(join(tmpdir(), 'console-'))
})
afterAll(async () => {
  await dashboard?.close()
  await rm(folder, { recursive: true })
})

test.each([
  'https://elsewhere.example/Patient',
  'http://elsewhere.example/fhir/Patient/1',
  'ftp://elsewhere.example/x',
  '//elsewhere.example/Patient',
  '\\\\elsewhere.example/Patient',
  ' https://elsewhere.example/Patient',
])('the address of another server is not sent to this one: %s', async (address) => {
  const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(address)}`)
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.getByText('This is the address of another server').waitFor()
  expect(await page.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true)
  await page.getByLabel('Address').press('Control+Enter')
  expect(await page.getByRole('heading', { name: 'Response' }).count()).toBe(0)
  expect(sent.filter((url) => url.includes('elsewhere'))).toEqual([])
})

test('an absolute address of this server is sent', async () => {
  const address = `${dashboard.server.url}/Patient/abernathy-ruth`
  const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(address)}`)
  await page.getByRole('button', { name: 'Delete' }).waitFor()
})

test.each(['metadata', 'Patient?_id=abernathy-ruth', 'Patient/abernathy-ruth/_history'])(
  'what is no stored resource cannot be deleted: %s',
  async (path) => {
    const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(path)}`)
    await page.getByText(`GET ${path}`).waitFor()
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Delete' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  },
)

describe('a command that is copied from the capabilities runs as it is:', () => {
  test.each([
    ['Create', 'resource.json', { resourceType: 'Basic', code: { text: 'a' } }, 201],
    ['Update', 'resource.json', { resourceType: 'Basic', id: 'of-console', code: { text: 'a' } }, 200],
    ['Patch', 'patch.json', [{ op: 'replace', path: '/code/text', value: 'b' }], 200],
    ['$validate', 'resource.json', { resourceType: 'Basic', code: { text: 'a' } }, 200],
  ])('%s', async (label, file, body, status) => {
    const basic = { resourceType: 'Basic', id: 'of-console', code: { text: 'old' } }
    await dashboard.server.fhir('PUT', '/Basic/of-console', basic)
    const page = await dashboard.signedIn('/explorer?view=capabilities&type=Basic')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const row = page.locator('div', { has: page.getByText(label, { exact: true }) }).filter({
      has: page.getByRole('button', { name: 'Copy as curl' }),
    })
    await row.last().getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('The curl is copied, with your token in it.').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    await writeFile(join(folder, file), JSON.stringify(body))
    const command = copied.replaceAll('{id}', 'of-console').replaceAll('%7Bid%7D', 'of-console')
    const { stdout } = await promisify(execFile)('bash', ['-c', `${command} -o answer -w '%{http_code}'`], {
      cwd: folder,
    })
    expect(Number(stdout)).toBe(status)
  })
})

const send = (page: Page) => page.getByRole('button', { name: 'Send', exact: true }).click()
const openConsole = (path: string, more = '') => dashboard.signedIn(`/explorer?path=${encodeURIComponent(path)}${more}`)

describe('headers', () => {
  test('of the request are sent with every method, by Ctrl Enter too, and those of the response are shown', async () => {
    const page = await openConsole('Patient/abernathy-ruth')
    await page.getByText('GET Patient/abernathy-ruth').waitFor()
    await page.getByLabel('Request headers').fill('If-None-Match: W/"1"')
    await page.getByLabel('Address').press('Control+Enter')
    await page.getByText('304', { exact: true }).waitFor()
    await page.getByText('response headers').click()
    await page.getByText('x-request-id', { exact: true }).waitFor()
    expect(await findingsOf(page)).toEqual([])
  })
})

describe('the history of the console', () => {
  test('has requests without tokens and responses, for the same user and clinic only', async () => {
    const page = await openConsole('Patient?name=abernathy')
    await page.getByText('GET Patient?name=abernathy').waitFor()
    await page.getByLabel('Request headers').fill('Authorization: Bearer secret-token')
    await page.getByLabel('Address').fill('Practitioner?_count=3')
    await send(page)
    await page.getByText('GET Practitioner?_count=3').waitFor()
    await page.getByRole('button', { name: 'History and saved' }).click()
    const dialog = page.getByRole('dialog', { name: 'Requests of this browser' })
    await dialog.getByText('GET Patient?name=abernathy').waitFor()
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }))
    expect(kept).toContain('Practitioner?_count=3')
    expect(kept).toContain('explorer-sent:demo-clinic:demo')
    expect(kept).not.toMatch(/secret-token|Bearer|"resourceType|Ruth/)
    expect(await findingsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: /GET Patient\?name=abernathy/ }).click()
    await page.getByText('GET Patient?name=abernathy').waitFor()
    expect(await page.getByLabel('Address').inputValue()).toBe('Patient?name=abernathy')
  })

  test('has a request that is saved under a name, which is opened and removed by the keyboard', async () => {
    const page = await openConsole('Basic', '&method=POST')
    await page.getByRole('button', { name: 'History and saved' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Requests of this browser' })
    await dialog.locator('input:focus').waitFor()
    await page.keyboard.type('<b>New</b> note \u05d0')
    await page.keyboard.press('Enter')
    await dialog.getByText('<b>New</b> note \u05d0', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator(':focus', { hasText: 'History and saved' }).waitFor()
    await page.goto(`${dashboard.server.url}/dashboard/explorer?view=console`)
    await page.getByRole('button', { name: 'History and saved' }).click()
    await dialog.getByRole('button', { name: /note/ }).first().click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByLabel('Method').inputValue()).toBe('POST')
    await page.getByRole('button', { name: 'History and saved' }).click()
    await dialog.getByRole('button', { name: /^Remove/ }).click()
    await dialog.getByText('No request is saved in this browser.').waitFor()
  })
})

describe('forms of a response', () => {
  test('XML is asked for, shown, written and found wrong as XML', async () => {
    const page = await openConsole('Patient/abernathy-ruth')
    await page.getByLabel('Format').selectOption('xml')
    await page.getByText('<birthDate value="1941-02-17"/>').waitFor()
    await page.getByLabel('Method').selectOption('POST')
    await page.getByLabel('Address').fill('Basic')
    await page.getByLabel('Body').fill('<Basic xmlns="http://hl7.org/fhir"><code><text value="of XML"/></code></Basic>')
    await page.getByLabel('Body').press('Control+Enter')
    await page.getByText('201', { exact: true }).waitFor()
    await page.getByText('<text value="of XML"/>').first().waitFor()
  })

  test('a Bundle is shown as a table with columns of its type', async () => {
    const page = await openConsole('Patient?_id=abernathy-ruth&_revinclude=Coverage:patient', '&form=table')
    await page.getByRole('columnheader', { name: 'birthDate' }).waitFor()
    await page.getByRole('cell', { name: 'Ruth Abernathy' }).first().waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Patient/abernathy-ruth' }).click()
    await page.getByText('GET Patient/abernathy-ruth').waitFor()
  })

  test('two versions of any type are compared, with numbers as they were written', async () => {
    const weight = (value: string) =>
      dashboard.server.fhir(
        'PUT',
        '/Observation/of-changes',
        JSON.parse(
          JSON.stringify({
            resourceType: 'Observation',
            id: 'of-changes',
            status: 'final',
            code: { text: 'weight' },
            valueQuantity: { value: Number(value) },
          }),
        ),
      )
    await weight('1')
    await weight('2')
    const page = await openConsole('Observation/of-changes/_history', '&form=changes')
    await page.getByRole('row', { name: /valueQuantity.value/ }).waitFor()
    expect(await page.locator('del').allTextContents()).toEqual(['1'])
    await page.getByLabel('Version before').selectOption('2')
    await page.getByText('Nothing but meta differs.').waitFor()
    expect(new URL(page.url()).searchParams.get('before')).toBe('2')
  })

  test('a long response is drawn in part', async () => {
    const page = await openConsole('metadata', '&form=json')
    await page.getByText(/characters more/).waitFor()
  })
})

test.each([390, 1024])('the console fits a window of %s px', async (width) => {
  const page = await dashboard.signedIn('/explorer?path=Patient%2Fabernathy-ruth', { viewport: { width, height: 844 } })
  await page.getByText('GET Patient/abernathy-ruth').waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
})

test('where the server is away the console says so, and keeps what is typed', async () => {
  const page = await openConsole('Basic', '&method=POST')
  await page.getByLabel('Request headers').fill('Prefer: return=minimal')
  await page.route('**/Basic', (route) => route.abort())
  await send(page)
  await page.getByText('no response').waitFor()
  expect(await page.getByLabel('Request headers').inputValue()).toBe('Prefer: return=minimal')
})

describe('building a request', () => {
  test('a search is built of what the CapabilityStatement offers, and read back from the address', async () => {
    const page = await openConsole('Patient?birthdate=ge1941-01-01')
    await page.getByRole('button', { name: 'Build the search' }).click()
    const search = page.getByRole('group', { name: 'Search of Patient' })
    expect(await search.getByLabel('Comparator').inputValue()).toBe('ge')
    await search.getByRole('button', { name: 'Add a parameter' }).click()
    await search.getByLabel('Parameter').last().selectOption('name')
    await search.getByLabel('Modifier').last().selectOption('exact')
    await search.getByLabel('Value').last().fill('Ruth')
    await search.getByRole('button', { name: 'Add a parameter' }).click()
    await search.getByLabel('Parameter').last().selectOption('_revinclude')
    await search.getByLabel('Value').last().selectOption('Coverage:patient')
    const address = 'Patient?birthdate=ge1941-01-01&name:exact=Ruth&_revinclude=Coverage:patient'
    expect(await page.getByLabel('Address').inputValue()).toBe(address)
    await page.getByLabel('Address').fill('Patient?family=a&_sort=-birthdate')
    await search.getByRole('button', { name: 'Remove family' }).click()
    expect(await search.getByLabel('Value').inputValue()).toBe('-birthdate')
    await send(page)
    await page.getByText('GET Patient?_sort=-birthdate').waitFor()
    expect(await findingsOf(page)).toEqual([])
  })

  test('a template is filled in, its codes are completed by the keyboard, and it is created', async () => {
    const page = await openConsole('Observation', '&method=POST')
    await page.getByRole('button', { name: 'Template' }).click()
    const editor = page.getByRole('textbox', { name: 'Body' })
    await editor.getByText('"registered"').waitFor()
    await editor.getByText('"registered"').click()
    await page.keyboard.press('End')
    for (const _ of '"registered",') await page.keyboard.press('Backspace')
    await page.keyboard.type('"fin')
    const list = page.getByRole('listbox', { name: 'What may stand here' })
    await list.getByText('final', { exact: true }).waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
    await page.keyboard.type(', "effectiveD')
    await list.getByText('effectiveDateTime').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type('"2026-01-01", ')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+Enter')
    await page.getByText('201', { exact: true }).waitFor()
  })
})
