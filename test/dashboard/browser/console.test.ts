/** The console of the explorer: requests to this server alone, and commands that run as they are. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(async () => {
  await dashboard?.close()
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
  /** @returns the HTTP status of the curl that the button in the row copies */
  const statusOf = async (page: Page, label: string): Promise<number> => {
    // A request with a body is copied once its body is there.
    await page.waitForFunction(() => {
      const texts = [...document.querySelectorAll('main :is(a, button)')].map(({ textContent }) => textContent?.trim())
      return texts.filter((text) => text === 'Try').length === texts.filter((text) => text === 'Copy as curl').length
    })
    const button = page.getByRole('button', { name: 'Copy as curl' })
    const row = page.locator('div', { has: page.getByText(label, { exact: true }) }).filter({ has: button })
    await row.last().getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('The curl is copied, with your token in it.').first().waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    await page.evaluate(() => navigator.clipboard.writeText(''))
    const { stdout } = await promisify(execFile)('bash', ['-c', `${command} -o /dev/null -w '%{http_code}'`])
    return Number(stdout)
  }
  const capabilitiesOf = async (type: string): Promise<Page> => {
    const page = await dashboard.signedIn(`/explorer?view=capabilities&type=${type}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).first().waitFor()
    return page
  }

  test('every interaction of a type, and nothing that is stored is lost', async () => {
    const basic = { resourceType: 'Basic', id: 'newest', code: { text: 'kept' } }
    await dashboard.server.fhir('PUT', '/Basic/newest', basic)
    const page = await capabilitiesOf('Basic')
    await page.getByText('Basic/newest', { exact: true }).first().waitFor()
    const labels = [
      'Read',
      'Read a version',
      'Search',
      'Patch',
      'History',
      'History of the type',
      'Create',
      'Update',
      'Delete',
    ]
    const statuses: number[] = []
    for (const label of labels) statuses.push(await statusOf(page, label))
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 201, 201, 204])
    expect((await dashboard.server.fhir('GET', '/Basic/newest')).body.code.text).toBe('kept')
  })

  test('those of the whole system', async () => {
    const page = await capabilitiesOf('system')
    const statuses: number[] = []
    for (const label of ['Capabilities', 'Transaction', 'Batch', 'Search all types', 'History of all types'])
      statuses.push(await statusOf(page, label))
    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(await findingsOf(page)).toEqual([])
  })

  test('an operation, with its parameters, and its example runs in the console', async () => {
    const page = await capabilitiesOf('ValueSet')
    await page.getByText('$expand', { exact: true }).first().click()
    await page.getByRole('table', { name: 'Parameters of $expand' }).getByText('displayLanguage').waitFor()
    expect(await page.getByRole('link', { name: 'Its page in the specification' }).getAttribute('href')).toBe(
      'https://hl7.org/fhir/R4/valueset-operation-expand.html',
    )
    const doc = await page.getByRole('link', { name: 'Its documentation' }).getAttribute('href')
    expect(doc).toContain('doc=operations%2Fvalue-set-expand.md')
    const operation = page.locator('details', { has: page.getByRole('table', { name: 'Parameters of $expand' }) })
    await operation.getByRole('button', { name: 'Copy as curl' }).waitFor()
    expect(await findingsOf(page)).toEqual([])
    await operation.getByRole('link', { name: 'Run the example' }).click()
    await page.getByText('POST ValueSet/$expand').waitFor()
    await page.getByText('200', { exact: true }).waitFor()
  })

  test('an operation that changes a resource is called on the example, and a tool that needs a call on the telephone', async () => {
    const page = await capabilitiesOf('Task')
    expect(await statusOf(page, 'Update')).toBeLessThan(300)
    await page.getByText('$claim', { exact: true }).first().click()
    await page.getByText('Task/example/$claim', { exact: true }).waitFor()
    expect(await statusOf(page, '$claim')).toBe(200)
    await page.getByText('$schedule-callback', { exact: true }).click()
    await page.getByText('POST /abandonment-recovery/schedule_callback').waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'call it on the telephone' }).click()
    await page.getByRole('heading', { level: 1, name: 'Live calls' }).waitFor()
    expect(new URL(page.url()).searchParams.get('tool')).toBe('schedule_callback')
  })

  test('a type has its profile, conditions and includes, each of which opens as a search', async () => {
    const page = await capabilitiesOf('Patient')
    await page.getByRole('row', { name: 'Conditional delete single' }).waitFor()
    await page.getByText('http://hl7.org/fhir/StructureDefinition/Patient').waitFor()
    await page.getByText(/^Included by _revinclude/).click()
    await page.getByRole('link', { name: 'Coverage:patient', exact: true }).click()
    await page.getByText('GET Patient?_revinclude=Coverage:patient').waitFor()
  })
})

test('a response that is no stored resource has no Delete: an OperationOutcome and a Bundle of an operation', async () => {
  for (const path of ['Patient/not-there', 'Patient/abernathy-ruth/$everything']) {
    const page = await dashboard.signedIn(`/explorer?path=${encodeURIComponent(path)}`)
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /^(Delete|Edit)$/ }).count()).toBe(0)
  }
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
    await page.getByRole('radiogroup', { name: 'Form' }).getByText('Text').click()
    await page.getByText('<birthDate value="1941-02-17"/>').waitFor()
    await page.getByLabel('Method').selectOption('POST')
    await page.getByLabel('Address').fill('Basic')
    await page.getByLabel('Body').fill('<Basic xmlns="http://hl7.org/fhir"><code><text value="of XML"/></code></Basic>')
    await page.getByLabel('Body').press('Control+Enter')
    await page.getByText('201', { exact: true }).waitFor()
    await page.getByText('<text value="of XML"/>').first().waitFor()
    await page.getByLabel('Body').fill('<Basic xmlns="http://hl7.org/fhir"><code><texts value="wrong"/></code></Basic>')
    await page.getByLabel('Body').press('Control+Enter')
    await page.getByText('400', { exact: true }).waitFor()
    await page.getByRole('listitem').getByText(/texts/).first().waitFor()
  })

  test('a resource in XML is a tree with links, is edited in XML as it was read, and is deleted', async () => {
    const div = '<div xmlns="http://www.w3.org/1999/xhtml"><p>one <b>&lt;two&gt;</b> three</p></div>'
    const long = '\u05d0<b>'.repeat(60)
    const basic = {
      ...{ resourceType: 'Basic', id: 'of-xml', text: { status: 'generated', div }, code: { text: long } },
      subject: { reference: 'Patient/abernathy-ruth' },
      extension: [{ url: 'http://example.org/x', valueDecimal: 1 }],
    }
    await dashboard.server.fhir('PUT', '/Basic/of-xml', basic)
    const page = await openConsole('Basic/of-xml', '&format=xml')
    await page.getByRole('button', { name: 'Patient/abernathy-ruth' }).waitFor()
    await page.getByText(long, { exact: true }).waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const body = page.getByLabel('Body')
    expect(await body.inputValue()).toContain(div)
    expect(await page.getByLabel('Request headers').inputValue()).toBe('If-Match: W/"1"')
    await body.fill((await body.inputValue()).replace('abernathy-ruth', 'okafor'))
    await body.press('Control+Enter')
    await page.getByRole('button', { name: 'Patient/okafor' }).waitFor()
    const { body: stored } = await dashboard.server.fhir('GET', '/Basic/of-xml')
    expect(stored).toMatchObject({ ...basic, subject: { reference: 'Patient/okafor' }, meta: { versionId: '2' } })
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('GET Basic/of-xml/_history').waitFor()
    expect((await dashboard.server.fhir('GET', '/Basic/of-xml')).status).toBe(410)
  })

  test.each(['metadata', 'Patient?_count=1', 'Patient/not-there'])(
    'what is no stored resource has no Delete in XML either: %s',
    async (path) => {
      const page = await openConsole(path, '&format=xml')
      await page.getByText('resourceType').first().waitFor()
      expect(await page.getByRole('button', { name: /^(Delete|Edit)$/ }).count()).toBe(0)
    },
  )

  test('a Bundle is shown as a table with columns of its type', async () => {
    const page = await openConsole('Patient?_id=abernathy-ruth&_revinclude=Coverage:patient', '&form=table')
    await page.getByRole('columnheader', { name: 'birthDate' }).waitFor()
    await page.getByRole('cell', { name: 'Ruth Abernathy' }).first().waitFor()
    expect(await findingsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Patient/abernathy-ruth' }).click()
    await page.getByText('GET Patient/abernathy-ruth').waitFor()
  })

  test('two versions of any type are compared, with numbers as they were written', async () => {
    const weight = (value: number) =>
      dashboard.server.fhir('PUT', '/Observation/of-changes', {
        resourceType: 'Observation',
        id: 'of-changes',
        status: 'final',
        code: { text: 'weight' },
        valueQuantity: { value },
      })
    await weight(1)
    await weight(2)
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
    await page.locator('.json-string', { hasText: '"registered"' }).waitFor()
    await editor.evaluate((field: HTMLTextAreaElement) => {
      const from = field.value.indexOf('"registered",')
      field.focus()
      field.setSelectionRange(from, from + '"registered",'.length)
    })
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
