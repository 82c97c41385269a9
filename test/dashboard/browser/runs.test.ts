/** Runs in the dashboard: started, watched as the client sends its requests, attested, ended, compared. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page, Response } from 'playwright-core'
import { type Dashboard, findingsOf, startDashboard } from '../../support/dashboard.ts'
import { exchangeWith } from '../../support/journal.ts'
import { request } from '../../support/request.ts'

const OWN = '/clinics/demo-clinic'

let dashboard: Dashboard
let admin: Record<string, string>
beforeAll(async () => {
  dashboard = await startDashboard()
  admin = { authorization: `Bearer ${await dashboard.server.login('admin', 'admin')}` }
  await storePlan('looks', LOOKS)
  await storePlan('books-once', BOOKS_ONCE)
})
afterAll(() => dashboard?.close())

const asAdmin = (method: string, path: string, body?: unknown) =>
  request(dashboard.server.url, method, OWN + path, body, { 'content-type': 'application/json', ...admin })

const SOURCE = 'https://hl7.org/fhir/R4/slot.html'

const LOOKS = [
  {
    ...{ id: 'look', title: 'Searches free slots in a range', source: SOURCE },
    expect: { interaction: 'search-type', type: 'Slot', query: { status: 'free', start: ['ge*', 'gt*'] } },
  },
  { id: 'told', title: 'The caller hears the true time', source: SOURCE, attest: 'The caller heard nine o’clock' },
]

/** The answer of the first booking is lost; a second booking of the same is what must not come. */
const BOOKS_ONCE = [
  {
    ...{ id: 'lost', title: 'Looks before it books again when the answer is lost', source: SOURCE },
    do: { fault: 'lost-answer', when: { type: 'Appointment', interaction: 'create' } },
    never: { interaction: 'create', type: 'Appointment', same: 'body' },
  },
]

async function storePlan(plan: string, steps: readonly object[], names = {}): Promise<void> {
  const body = { plan, names, title: `Title of ${plan}`, version: '1.0.0', description: `What ${plan} is for`, steps }
  const { status, text } = await asAdmin('PUT', `/plans/${plan}`, body)
  expect([status, text.slice(0, 200)]).toEqual([201, expect.any(String)])
}

interface Started {
  readonly run: string
  readonly token: string
}

const startRun = async (plan: string, clientName: string): Promise<Started> =>
  (await asAdmin('POST', '/runs', { plan, clientName })).body

/** A request of the client that is judged. */
const send = ({ token }: Started, method: string, path: string, body?: unknown) =>
  fetch(`${dashboard.server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/fhir+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })

const opened = (path: string, as = 'admin'): Promise<Page> => dashboard.signedIn(path, { as })
const stepOf = (page: Page, title: string) =>
  page.getByRole('list', { name: 'Steps' }).locator('li', { hasText: title })
const result = (page: Page, title: string, word: string) => stepOf(page, title).getByText(word, { exact: true })

async function endedBy(page: Page, button: string, confirmed: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('dialog').getByRole('button', { name: confirmed }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('a run is started, its step turns to pass while it is watched, a person attests, and it is finished', async () => {
  const page = await opened('/runs')
  await page.getByLabel('Plan').selectOption('looks')
  await page.getByLabel('Name of the client').fill('My scheduler')
  const answered = page.waitForResponse((one) => one.request().method() === 'POST' && one.url().endsWith('/runs'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const started = await (await answered).json()
  await page.getByRole('heading', { level: 1, name: 'Title of looks' }).waitFor()
  for (const shown of [started.token, started.base, started.callPrefix, started.dialedNumber])
    await page.getByText(shown, { exact: true }).first().waitFor()
  await result(page, 'Searches free slots', 'pending').waitFor()

  const loads = page.waitForEvent('load', { timeout: 0 }).then(
    () => 'loaded again',
    () => 'closed',
  )
  expect((await send(started, 'GET', '/Slot?status=free&start=ge2026-01-01&_count=1')).status).toBe(200)
  await result(page, 'Searches free slots', 'pass').waitFor()
  await page.getByText('1 of 2 steps pass').waitFor()
  await stepOf(page, 'Searches free slots').getByText('came', { exact: true }).waitFor()

  const heard = page.getByRole('group', { name: 'Attest: The caller hears the true time' })
  await heard.getByLabel('Note').fill('she repeated it')
  await heard.getByRole('button', { name: 'Yes' }).click()
  await stepOf(page, 'The caller hears').getByText('she repeated it').waitFor()
  await endedBy(page, 'Finish…', 'Finish it')
  await page.getByText('finished: 2 of 2 steps pass, score 100 %').waitFor()
  expect(await page.getByText(started.token).count()).toBe(0)
  await page.close()
  expect(await loads).toBe('closed')

  const list = await opened('/runs', 'demo')
  const row = list.getByRole('table', { name: 'Runs' }).getByRole('row', { name: /Title of looks My scheduler/ })
  await row.getByText('pass').waitFor()
  await row.getByText('100 %').waitFor()
})

test('a client that books twice after a lost answer has a red line, which opens the exchange that it was', async () => {
  const run = await startRun('books-once', 'Hasty')
  const page = await opened(`/runs/${run.run}`)
  await stepOf(page, 'Looks before').getByText('lost-answer', { exact: true }).waitFor()
  const search = await dashboard.server.fhir(
    'GET',
    `/Slot?status=free&start=gt${new Date(Date.now() + 86_400_000).toISOString()}&_count=1`,
  )
  const [{ resource: slot }] = search.body.entry
  const visit = {
    resourceType: 'Appointment',
    status: 'booked',
    slot: [{ reference: `Slot/${slot.id}` }],
    start: slot.start,
    end: slot.end,
    participant: [{ status: 'accepted', actor: { reference: 'Patient/abernathy-ruth' } }],
  }
  await expect(send(run, 'POST', '/Appointment', visit)).rejects.toThrow()
  const again = await send(run, 'POST', '/Appointment', visit)
  await result(page, 'Looks before', 'fail').waitFor()
  await stepOf(page, 'Looks before').getByText('must not come').waitFor()
  expect(await findingsOf(page)).toEqual([])
  await stepOf(page, 'Looks before')
    .getByRole('link', { name: `POST /Appointment ${again.status}` })
    .last()
    .click()
  await page.getByRole('heading', { level: 1, name: 'POST /Appointment' }).waitFor()
  expect(page.url()).toContain(again.headers.get('x-request-id'))
  await page.getByRole('link', { name: `run ${run.run}` }).waitFor()
  await asAdmin('POST', `/runs/${run.run}/abort`)
})

test('the only open run has what the console sends, and not what a person changes on a page', async () => {
  const { run } = await startRun('looks', 'Only')
  const page = await opened('/patients/abernathy-ruth')
  const answerTo = (method: string, path: string) =>
    page.waitForResponse((one) => one.request().method() === method && one.url().endsWith(path))
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByRole('dialog').getByLabel('Phone', { exact: true }).fill('+1 212 555 0142')
  const changed = answerTo('PATCH', '/Patient/abernathy-ruth')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  const change = await changed
  expect(change.status()).toBe(200)
  const asked = answerTo('GET', '/Patient?_id=abernathy-ruth')
  await page.goto(`${dashboard.server.url}/dashboard/explorer?path=Patient?_id=abernathy-ruth`)
  const answer = await asked
  await page.getByText('GET Patient?_id=abernathy-ruth').waitFor()
  const runOf = async (response: Response) =>
    (await exchangeWith(dashboard.server, (await response.headerValue('x-request-id')) ?? '')).run
  expect(await runOf(change)).toBe('dashboard-change')
  expect(await runOf(answer)).toBe(run)
  await asAdmin('POST', `/runs/${run}/abort`)
})

describe('two finished runs of a plan', () => {
  let good: Started
  let bad: Started
  beforeAll(async () => {
    good = await startRun('looks', 'Version 2')
    await send(good, 'GET', '/Slot?status=free&start=ge2026-01-01')
    await send(good, 'GET', '/Slot?location=Location/nowhere&made-up=1')
    await asAdmin('POST', `/runs/${good.run}/finish`)
    bad = await startRun('looks', 'Version 1')
    await asAdmin('POST', `/runs/${bad.run}/finish`)
  })

  test('are compared step by step, and what differs is marked', async () => {
    const page = await opened(`/runs/${good.run}?tab=compare`, 'demo')
    await page.getByLabel('Other run of the plan').selectOption(bad.run)
    await page.getByText('1 of 2 steps differ').waitFor()
    const rows = page.getByRole('table', { name: 'Two runs' }).getByRole('row')
    const differing = rows.filter({ hasText: 'differs' })
    expect(await differing.count()).toBe(1)
    const look = differing.filter({ hasText: 'Searches free slots' })
    await look.getByText('pass', { exact: true }).waitFor()
    await look.getByText('fail', { exact: true }).waitFor()
    expect(page.url()).toContain(`with=${bad.run}`)
  })

  test('tell their traffic, and how much of the CapabilityStatement they use', async () => {
    const page = await opened(`/runs/${good.run}?tab=traffic`, 'demo')
    const classes = page.getByRole('table', { name: 'Requests by status' })
    await classes.getByRole('link', { name: '2xx' }).waitFor()
    await page.getByRole('tab', { name: 'Coverage' }).click()
    const slot = page
      .getByRole('table', { name: 'Coverage of the CapabilityStatement' })
      .getByRole('row', { name: /^Slot/ })
    await slot
      .getByText(/^1 of \d+$/)
      .first()
      .waitFor()
    await slot.getByText('start, status').waitFor()
    await slot.getByText('made-up').waitFor()
    await classes.waitFor({ state: 'detached' })
  })

  test('have a report to download, and a link to it that is read without signing in', async () => {
    const page = await opened(`/runs/${good.run}`)
    await page.getByRole('button', { name: 'Report' }).click()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'JUnit XML' }).click()
    expect((await saved).suggestedFilename()).toBe(`${good.run}.xml`)
    await page.getByRole('button', { name: 'Share…' }).click()
    const answered = page.waitForResponse((one) => one.url().endsWith('/share'))
    await page.getByRole('button', { name: 'Make a link' }).click()
    const { url } = await (await answered).json()
    await page.getByRole('dialog').getByText(url).waitFor()
    expect(await (await fetch(url)).text()).toContain('Title of looks')
  })

  test('have pages without a finding of axe', async () => {
    const page = await opened('/runs')
    for (const path of [
      '/runs',
      ...['steps', 'traffic', 'coverage', 'compare'].map((tab) => `/runs/${good.run}?tab=${tab}`),
    ]) {
      await page.goto(`${dashboard.server.url}/dashboard${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
      expect([path, await findingsOf(page)]).toEqual([path, []])
    }
  })
})

test('a run with a clinic of its own is watched with its token', async () => {
  const page = await opened('/runs?plan=looks')
  await page.getByLabel('A clinic of its own').check()
  const answered = page.waitForResponse((one) => one.request().method() === 'POST' && one.url().endsWith('/runs'))
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  const started = await (await answered).json()
  expect(started.clinic).not.toBe('demo-clinic')
  await result(page, 'Searches free slots', 'pending').waitFor()
  await send(started, 'GET', '/Slot?status=free&start=ge2026-01-01')
  await result(page, 'Searches free slots', 'pass').waitFor()
  await endedBy(page, 'Abort…', 'Abort it')
  await page.getByText('aborted: 1 of 2 steps pass').waitFor()
})

test('a run that is refused says why in the words of the server', async () => {
  await storePlan('about-nobody', [{ ...LOOKS[1], attest: '{{who}} was called' }], { who: 'Patient/nobody' })
  const page = await opened('/runs?plan=about-nobody')
  await page.getByRole('button', { name: 'Start', exact: true }).click()
  await page.getByRole('alert').getByText('Patient/nobody, which the clinic does not have').waitFor()
})

test('staff watch runs, and start, attest and end none', async () => {
  const { run } = await startRun('looks', 'Watched')
  const page = await opened(`/runs/${run}`, 'demo')
  await result(page, 'Searches free slots', 'pending').waitFor()
  await page.getByText('To attest:').waitFor()
  for (const name of ['Finish…', 'Abort…', 'Share…', 'Yes'])
    expect(await page.getByRole('button', { name }).count()).toBe(0)
  await page.goto(`${dashboard.server.url}/dashboard/runs`)
  await page.getByRole('table', { name: 'Runs' }).waitFor()
  expect(await page.getByRole('button', { name: 'Start' }).count()).toBe(0)
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
