/** The page of exports: what is done in the background, from its start to its files. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import {
  type Dashboard,
  filtersIn,
  findingsInBothSchemes,
  fitsItsWidth,
  inNotice,
  isAsked,
  startDashboard,
} from '../../support/dashboard.ts'
import { ended, startedJob } from '../../support/jobs.ts'
import { request } from '../../support/request.ts'
import { until } from '../../support/server-process.ts'
import { logInAs } from '../../support/two-clinics.ts'

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  const { url, login } = dashboard.server
  // A search that takes long, so that its job is seen while it runs.
  const headers = { authorization: `Bearer ${await login('admin', 'admin')}`, 'content-type': 'application/json' }
  const fault = { fault: 'slow', with: { seconds: 6 }, when: { type: 'HealthcareService' } }
  const set = await request(url, 'PUT', '/clinics/demo-clinic/faults/slow', fault, headers)
  expect([set.status, set.text]).toEqual([201, expect.any(String)])
})
afterAll(() => dashboard?.close())

const ASYNC = { prefer: 'respond-async' }

/** Starts a request that is done in the background. @returns the path of its job */
const inBackground = async (path: string) => startedJob(await dashboard.server.fhir('GET', path, undefined, ASYNC))

const opened = (path = '', as = 'demo', width = 1280): Promise<Page> =>
  dashboard.signedIn(`/exports${path}`, { as, viewport: { width, height: 800 } })

/** Saves the file that a button offers. */
async function saved(page: Page, button: string | RegExp): Promise<{ readonly name: string; readonly text: string }> {
  const download = page.waitForEvent('download')
  await page.getByRole('dialog').getByRole('button', { name: button }).click()
  const file = await download
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

test('a request in the background appears while the page is open, is shown as it ends, and its response is saved', async () => {
  const page = await opened()
  await page.getByText('Nothing is done in the background').waitFor()
  const job = await inBackground('/Patient?_count=3&family=%3Cb%3EMarkup%3C/b%3E')
  const row = page.getByRole('row', { name: /Asynchronous request/ })
  await row.getByText('done', { exact: true }).waitFor()
  await row.getByText('Patient?_count=3').waitFor()
  expect(await page.locator('main b').count()).toBe(0)
  await row.getByRole('link', { name: 'Asynchronous request' }).click()
  expect(filtersIn(page)).toEqual({ job: job.split('/').at(-1) })
  const { name, text } = await saved(page, 'Download the response')
  expect(name).toMatch(/^response-.*\.json$/)
  expect(JSON.parse(text)).toMatchObject({ type: 'batch-response', entry: [{ response: { status: '200 OK' } }] })
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(filtersIn(page)).toEqual({})
})

test('a job that runs is cancelled, and the address of one that is gone says so', async () => {
  const page = await opened()
  // The fault holds back both the response that accepts it and the job.
  const accepted = inBackground('/HealthcareService')
  await page.getByRole('row').filter({ hasText: 'HealthcareService' }).getByRole('link').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('running', { exact: true }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.getByText('The job is gone').waitFor()
  expect((await dashboard.server.fhir('GET', await accepted)).status).toBe(404)
})

test('a result that is removed comes back by Undo, and goes when its time is over', async () => {
  const job = await inBackground('/Organization')
  await ended(dashboard.server.fhir, job)
  const page = await opened('?kind=request')
  const row = page.getByRole('row').filter({ hasText: 'Organization' })
  await row.getByRole('button', { name: 'Remove' }).click()
  await row.waitFor({ state: 'detached' })
  await inNotice(page, 'Undo').click()
  await row.waitFor()
  expect((await dashboard.server.fhir('GET', job)).status).toBe(200)
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.goto(`${dashboard.server.url}/dashboard/exports?kind=request`)
  await row.waitFor({ state: 'detached' })
})

test('where the server is away, the dialog says so and the response is saved once it is back', async () => {
  const job = await inBackground('/Location')
  await ended(dashboard.server.fhir, job)
  const page = await opened(`?job=${job.split('/').at(-1)}`)
  const button = page.getByRole('button', { name: 'Download the response' })
  await button.waitFor()
  await page.route(isAsked, (route) => route.abort())
  await button.click()
  await page.getByRole('dialog').getByRole('alert').getByText('The server is not responding.').waitFor()
  await page.unroute(isAsked)
  expect((await saved(page, 'Download the response')).text).toContain('batch-response')
})

test('admins see the jobs of all, and staff their own', async () => {
  const { url, login } = dashboard.server
  const authorization = `Bearer ${await login('admin', 'admin')}`
  const accepted = await request(url, 'GET', '/Endpoint', undefined, { authorization, ...ASYNC })
  expect(accepted.status).toBe(202)
  await inBackground('/Organization?name=x')
  const [staff, admin] = [await opened(), await opened('', 'admin')]
  await admin.getByText('Endpoint', { exact: true }).waitFor()
  await admin.getByText('Organization?name=x').waitFor()
  await staff.getByText('Organization?name=x').waitFor()
  expect(await staff.getByText('Endpoint', { exact: true }).count()).toBe(0)
  for (const width of [1024, 390]) {
    await admin.setViewportSize({ width, height: 800 })
    expect(await fitsItsWidth(admin)).toBe(true)
  }
})

test('an import shows the file that it has read, how much of it was stored, and the errors of the rest', async () => {
  const { url, login } = dashboard.server
  const authorization = `Bearer ${await login('admin', 'admin')}`
  const lines = [
    '{"resourceType":"Patient","id":"imported","name":[{"family":"Berg"}]}',
    '{"resourceType":"Patient","gender":"<i>none</i>"}',
  ]
  const type = { 'content-type': 'application/fhir+ndjson' }
  const body = new TextEncoder().encode(lines.join('\n'))
  const file = await request(url, 'POST', '/Binary', body, { authorization, ...type })
  const input = [{ name: 'url', valueUri: `Binary/${file.body.id}` }]
  const format = { name: 'inputFormat', valueString: 'application/fhir+ndjson' }
  const parameters = { resourceType: 'Parameters', parameter: [format, { name: 'input', part: input }] }
  const started = await request(url, 'POST', '/$import', parameters, { authorization, ...ASYNC })
  const page = await opened(`?kind=import&job=${startedJob(started).split('/').at(-1)}`, 'admin')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('row').filter({ hasText: 'resources' }).getByText(`Binary/${file.body.id}`).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  const { name, text } = await saved(page, /^Download errors-/)
  expect(name).toMatch(/^errors-\d+\.ndjson$/)
  expect(JSON.parse(text.split('\n')[0] ?? '')).toMatchObject({ resourceType: 'OperationOutcome' })
})

test('a job that has failed says why', async () => {
  const { url, login, fhir } = dashboard.server
  const nora = await logInAs(dashboard.server, { username: 'nora', clinic: 'demo-clinic', role: 'staff' })
  // One job of a clinic is done at a time, so that the next one waits.
  const before = inBackground('/HealthcareService?name=before')
  await until(async () => (await fhir('GET', '/jobs')).text.includes('name=before'))
  const started = await request(url, 'GET', '/Organization?name=nora', undefined, {
    ...{ authorization: `Bearer ${nora}`, ...ASYNC },
  })
  expect(started.status).toBe(202)
  const admin = { authorization: `Bearer ${await login('admin', 'admin')}`, 'content-type': 'application/json' }
  const disabled = await request(url, 'PUT', '/accounts/nora/login', { enabled: false }, admin)
  expect(disabled.status).toBeLessThan(300)
  const page = await opened('', 'admin')
  const row = page.getByRole('row').filter({ hasText: 'name=nora' })
  await row.getByText('failed', { exact: true }).waitFor()
  await row.getByRole('link').click()
  await page.getByRole('dialog').getByText('The job has failed').waitFor()
  await page
    .getByRole('dialog')
    .getByText(/account .* is disabled or gone/)
    .waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await before
})

const field = (page: Page, label: string) => page.getByRole('dialog').getByLabel(new RegExp(`^${label}`))

test('an export of patients is started from the form with a type that is completed, and its files are saved', async () => {
  const page = await opened()
  await page.getByRole('button', { name: 'New export…' }).click()
  expect(filtersIn(page)).toEqual({ new: 'yes' })
  await page.getByRole('radio', { name: 'The records of all patients' }).check()
  await field(page, 'Types').pressSequentially('patien')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'Patient', selected: true }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Enter')
  expect(await field(page, 'Types').inputValue()).toBe('Patient, ')
  await field(page, 'Elements').fill('Patient.name, id')
  await page.getByRole('button', { name: 'Start the export' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Export of patients').waitFor()
  const file = dialog.getByRole('row').filter({ hasText: 'Patient' })
  await file.getByText('resources', { exact: true }).waitFor()
  await file.getByText(/\d (bytes|kB)$/).waitFor()
  await dialog.getByText('Data as of').waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  const { name, text } = await saved(page, 'Download Patient-1.ndjson')
  expect(name).toBe('Patient-1.ndjson')
  const patients = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(patients.length).toBeGreaterThan(3)
  for (const one of patients) expect(one).toMatchObject({ resourceType: 'Patient', name: expect.anything() })
  expect(patients[0].birthDate).toBeUndefined()
  await page.keyboard.press('Escape')
  await page.getByText('Exports', { exact: true }).last().click()
  await page.getByRole('row').filter({ hasText: 'Patient/$export' }).getByText('done', { exact: true }).waitFor()
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await fitsItsWidth(page)).toBe(true)
  }
})

test('the form says what the server refuses or that it is away, and keeps what was typed', async () => {
  const page = await opened('?new=yes')
  await field(page, 'Types').fill('Patien')
  await page.route(isAsked, (route) => route.abort())
  await page.getByRole('button', { name: 'Start the export' }).click()
  const alert = page.getByRole('dialog').getByRole('alert')
  await alert.getByText('The server is not responding.').waitFor()
  await page.unroute(isAsked)
  await page.getByRole('button', { name: 'Start the export' }).click()
  await alert.getByText(/'Patien'/).waitFor()
  expect(await field(page, 'Types').inputValue()).toBe('Patien')
  await page.keyboard.press('Escape')
  await page.getByText('Leave without saving?').waitFor()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('dialog').first().waitFor({ state: 'detached' })
})

test('an export of a group has its members alone, and one since a time of the clinic only what was changed after it', async () => {
  const { fhir } = dashboard.server
  const entity = { reference: 'Patient/abernathy-ruth' }
  const group = { resourceType: 'Group', id: 'named', type: 'person', actual: true, name: 'Ruth’s <i>group</i>' }
  expect((await fhir('PUT', '/Group/named', { ...group, member: [{ entity }] })).status).toBe(201)
  const page = await opened('?new=yes')
  await page.getByRole('radio', { name: 'The records of a group' }).check()
  await field(page, 'Group').selectOption({ label: 'Ruth’s <i>group</i>' })
  await field(page, 'Types').fill('Patient')
  await page.getByRole('button', { name: 'Start the export' }).click()
  const { text } = await saved(page, /^Download Patient-/)
  expect(JSON.parse(text)).toMatchObject({ id: 'abernathy-ruth' })
  await page.goto(`${dashboard.server.url}/dashboard/exports?new=yes`)
  await field(page, 'Types').fill('Organization')
  await field(page, 'Changed since').fill('2040-01-01T08:00')
  await page.getByRole('button', { name: 'Start the export' }).click()
  await page.getByText('There are no files').or(page.getByRole('dialog').getByRole('alert')).waitFor()
})

test('nothing of it is stopped by the Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
