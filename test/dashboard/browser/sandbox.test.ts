/** Rehearsing in the dashboard: resets, snapshots, clones, the clock of the clinic, faults, and magic people. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

const OWN = '/clinics/demo-clinic'

let dashboard: Dashboard
let admin: Record<string, string>
beforeAll(async () => {
  dashboard = await startDashboard()
  admin = { authorization: `Bearer ${await dashboard.server.login('admin', 'admin')}` }
})
afterAll(() => dashboard?.close())

const asAdmin = (method: string, path: string, body?: unknown) =>
  request(dashboard.server.url, method, path, body, { 'content-type': 'application/json', ...admin })

const fillAnew = async (scenario = 'quiet-week') =>
  expect((await asAdmin('POST', `${OWN}/reset`, { scenario })).status).toBe(200)

const opened = (path: string, as = 'admin'): Promise<Page> => dashboard.signedIn(path, { as })

describe('a reset', () => {
  beforeEach(() => fillAnew())

  test('says what goes and what stays, is done when it is confirmed, and every window shows the new data', async () => {
    await dashboard.server.fhir('PUT', '/Patient/zacharias', {
      ...{ resourceType: 'Patient', id: 'zacharias' },
      name: [{ family: 'Aaronson', given: ['Zacharias'] }],
    })
    const other = await dashboard.signedIn('/patients')
    await other.getByText('Zacharias Aaronson').waitFor()
    const page = await opened('/sandbox')
    await page.getByRole('button', { name: /^Reset to .*Monday/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Reset to busy-monday' })
    await dialog.getByText(/^All [\d,]+ resources of the clinic go/).waitFor()
    await dialog.getByText(/^\d+ Patient$/).waitFor()
    await dialog.getByText(/^Accounts, the journal, the audit trail and snapshots stay/).waitFor()
    await dialog.getByRole('button', { name: 'Reset the clinic' }).click()
    await page.getByText(/^The clinic is busy-monday: [\d,]+ resources/).waitFor()
    await dialog.waitFor({ state: 'detached' })
    const inUse = page.locator('section', { has: page.getByRole('heading', { name: 'In use', exact: true }) })
    await inUse.getByText('busy-monday').waitFor()
    expect((await dashboard.server.fhir('GET', '/Patient/zacharias')).status).toBe(404)
    await other.getByText('Zacharias Aaronson').waitFor({ state: 'detached' })
  })

  test('is left alone when it is not confirmed, and a link opens the question', async () => {
    const before = (await asAdmin('GET', `${OWN}/reset`)).body.generation
    const page = await opened('/sandbox?reset=empty')
    const dialog = page.getByRole('dialog', { name: 'Reset to empty' })
    await dialog.getByRole('button', { name: 'Keep it as it is' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await asAdmin('GET', `${OWN}/reset`)).body.generation).toBe(before)
  })

  test('of a scenario that there is not says so in the words of the server', async () => {
    const page = await opened('/sandbox?reset=busy-munday')
    const dialog = page.getByRole('dialog', { name: 'Reset to busy-munday' })
    await dialog.getByRole('button', { name: 'Reset the clinic' }).click()
    await dialog.getByRole('alert').getByText('busy-monday').waitFor()
  })
})

test('a snapshot is saved, restored with a question before, and removed after the time in which that is undone', async () => {
  await fillAnew()
  const page = await opened('/sandbox?tab=snapshots')
  await page.getByLabel('Name of the snapshot').fill('before')
  await page.getByRole('button', { name: 'Save the clinic as it is' }).click()
  const row = page.getByRole('row', { name: /^before / })
  await row.waitFor()
  await dashboard.server.fhir('PUT', '/Patient/later', { resourceType: 'Patient', id: 'later' })
  await row.getByRole('button', { name: 'Restore before…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/so do settings\.$/).waitFor()
  expect(await dialog.getByRole('checkbox').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Restore the snapshot' }).click()
  await page.getByText(/^The clinic is before: /).waitFor()
  expect((await dashboard.server.fhir('GET', '/Patient/later')).status).toBe(404)
  await row.getByRole('button', { name: 'Remove before' }).click()
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()
  const removed = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  await row.getByRole('button', { name: 'Remove before' }).click()
  expect((await removed).ok()).toBe(true)
  expect((await asAdmin('GET', `${OWN}/snapshots`)).body.snapshots).toEqual([])
})

test('a clone shows its token once, which works, and is gone when it is ended', async () => {
  const page = await opened('/sandbox?tab=clones')
  await page.getByLabel('Filled with').selectOption('scenario:empty')
  await page.getByLabel('Lifetime').selectOption('PT30M')
  const made = page.waitForResponse(
    (answer) => answer.request().method() === 'POST' && answer.url().endsWith('/clinics'),
  )
  await page.getByRole('button', { name: 'Make a clone' }).click()
  const { id, token, dialedNumber } = await (await made).json()
  await page.getByRole('heading', { name: id }).waitFor()
  await page.getByText(token).waitFor()
  await page.getByText(dialedNumber).waitFor()
  const headers = { authorization: `Bearer ${token}` }
  const patients = () => request(dashboard.server.url, 'GET', '/Patient?_summary=count', undefined, headers)
  expect((await patients()).body.total).toBe(0)
  await page.getByRole('tab', { name: 'Clock' }).click()
  await page.getByRole('tab', { name: 'Clones' }).click()
  await page.getByRole('button', { name: 'Make a clone' }).waitFor()
  expect(await page.getByText(token).count()).toBe(0)
  expect((await asAdmin('DELETE', `/clinics/${id}`)).status).toBeLessThan(300)
  expect((await patients()).status).toBeGreaterThanOrEqual(401)
})

describe('the clock of the clinic', () => {
  beforeEach(() => fillAnew())
  const DAY = 86_400_000
  const LATER = new Date().getFullYear() + 3
  const textOfDay = (at: number) => {
    const parts = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', dateStyle: 'medium' })
    return parts.format(at)
  }

  test('goes forward by a button, and every page takes the new day for today, and says so', async () => {
    const schedule = await dashboard.signedIn('/schedule')
    const page = await opened('/sandbox?tab=clock')
    await page.getByRole('button', { name: 'Forward by 1 week' }).click()
    const day = textOfDay(Date.now() + 7 * DAY)
    await page.getByRole('link', { name: new RegExp(`^The clinic’s clock is set to .*${day}`) }).waitFor()
    await page.getByText('7 days ahead').waitFor()
    await schedule.getByRole('link', { name: new RegExp(`^The clinic’s clock is set to .*${day}`) }).waitFor()
    const { at } = (await asAdmin('GET', `${OWN}/clock`)).body
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/New_York' }).format(Date.parse(at))
    await schedule.waitForFunction(
      (wanted) => document.querySelector<HTMLInputElement>('input[type=date]')?.value === wanted,
      today,
    )
  })

  test('goes to a time of the clinic, and not back, which the server says', async () => {
    const page = await opened('/sandbox?tab=clock')
    await page.getByLabel('To a time of the clinic').fill(`${LATER}-03-20T09:00`)
    await page.getByRole('button', { name: 'Set it' }).click()
    await page.getByText(new RegExp(`^\\w{3}, Mar 20, ${LATER}, 9:0\\d:\\d\\d AM$`)).waitFor()
    await page.getByLabel('To a time of the clinic').fill(`${LATER}-01-01T09:00`)
    await page.getByRole('button', { name: 'Set it' }).click()
    await page.getByRole('alert').waitFor()
    expect(Date.parse((await asAdmin('GET', `${OWN}/clock`)).body.at)).toBeGreaterThan(Date.parse(`${LATER}-03-20`))
  })

  test('stands still and goes on', async () => {
    const page = await opened('/sandbox?tab=clock')
    await page.getByRole('button', { name: 'Let it stand still' }).click()
    await page.getByText(/, standing still$/).waitFor()
    expect((await asAdmin('GET', `${OWN}/clock`)).body.runs).toBe(false)
    await page.getByRole('button', { name: 'Let it run' }).click()
    await page.getByRole('button', { name: 'Let it stand still' }).waitFor()
    expect((await asAdmin('GET', `${OWN}/clock`)).body.runs).toBe(true)
  })

  test('goes to the night in which the clocks change', async () => {
    const page = await opened('/sandbox?tab=clock')
    const { nextDaylightSaving } = (await asAdmin('GET', `${OWN}/clock`)).body
    await page.getByRole('button', { name: 'Next daylight-saving night' }).click()
    await page.getByRole('link', { name: /^The clinic’s clock is set to Sun/ }).waitFor()
    expect(Date.parse((await asAdmin('GET', `${OWN}/clock`)).body.at)).toBeGreaterThanOrEqual(
      Date.parse(nextDaylightSaving),
    )
  })
})

describe('faults', () => {
  beforeEach(async () => {
    await fillAnew()
    await asAdmin('DELETE', `${OWN}/faults`)
  })
  const locations = () => dashboard.server.fhir('GET', '/Location', undefined, { 'x-run-id': 'tested' })

  test('a switch turns one on for the whole clinic; every page says so, and off again', async () => {
    const page = await opened('/sandbox?tab=faults')
    const { faults } = (await asAdmin('GET', '/faults')).body
    const { title } = faults.find(({ name }: { name: string }) => name === 'maintenance')
    await page.getByRole('switch', { name: title }).click({ force: true })
    await page.getByRole('link', { name: 'Faults are on: maintenance' }).waitFor()
    expect((await locations()).status).toBe(503)
    await page.getByRole('button', { name: 'Turn off maintenance' }).click()
    await page.getByText('No faults are on').waitFor()
    expect((await locations()).status).toBe(200)
  })

  test('one is set for some requests and so often, fires and shows that, and leads to the request', async () => {
    const page = await opened('/sandbox?tab=faults&fault=throttled')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Resource type').fill('Location')
    await dialog.getByLabel('Run').fill('tested')
    await dialog.getByLabel('Times at most').fill('1')
    await dialog.getByLabel('retry-after').fill('2')
    await dialog.getByRole('button', { name: 'Turn it on' }).click()
    await page.getByText('requests with type Location and run tested, once, retry-after 2').waitFor()
    const first = await locations()
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
    expect((await locations()).status).toBe(200)
    await page.getByRole('link', { name: 'fired 1' }).click()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    await page.getByRole('link', { name: /429.*throttled#1.*GET \/Location/ }).waitFor()
  })

  test('what the server refuses of a rule stands in its form', async () => {
    const page = await opened('/sandbox?tab=faults&fault=throttled')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Interaction').fill('creat')
    await dialog.getByRole('button', { name: 'Turn it on' }).click()
    await dialog.getByRole('alert').getByText('create').waitFor()
  })

  test('a clinic in which tokens expire is not asked without end', async () => {
    const page = await dashboard.signedIn('/patients')
    await page
      .getByText(/patients$/)
      .first()
      .waitFor()
    await asAdmin('PUT', `${OWN}/faults/token-expired`, { fault: 'token-expired', when: { run: 'dashboard' } })
    await page.reload()
    await page.getByRole('alert').first().waitFor()
    await page.getByRole('link', { name: 'Faults are on: token-expired' }).waitFor()
  })
})

describe('magic people', () => {
  beforeAll(() => fillAnew('matching-zoo'))

  test('a patient and a practitioner are booked from there, with the dialog filled in', async () => {
    const { patients, practitioners } = (await asAdmin('GET', '/magic')).body
    const rowOf = (list: readonly { resource?: string; scenario?: string; who: string }[]) =>
      list.find(({ resource, scenario }) => resource !== undefined && scenario === 'matching-zoo')
    const page = await opened('/sandbox?tab=people')
    await page.getByRole('link', { name: `Book ${rowOf(patients)?.who}`, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Book a visit' })
    expect(await dialog.getByLabel('Patient').first().inputValue()).not.toBe('')
    await page.goto(`${dashboard.server.url}/dashboard/sandbox?tab=people`)
    await page.getByRole('link', { name: `Book ${rowOf(practitioners)?.who}`, exact: true }).click()
    await dialog.waitFor()
    expect(await dialog.getByLabel('Practitioner').inputValue()).not.toBe('')
  })

  test('the telephone calls as a patient, with the number and what is said filled in', async () => {
    const { patients } = (await asAdmin('GET', '/magic')).body
    const row = patients.find(
      ({ with: ways, scenario }: { with?: { phone?: string; given?: string }; scenario?: string }) =>
        ways?.phone && ways.given && scenario === 'matching-zoo',
    )
    const page = await opened('/sandbox?tab=people')
    await page
      .getByRole('link', { name: `Call as ${row.who}`, exact: true })
      .first()
      .click()
    await page.getByLabel('Number of the caller').waitFor()
    expect(await page.getByLabel('Number of the caller').inputValue()).toBe(row.with.phone)
    expect(await page.getByLabel('Tool').inputValue()).toBe('resolve_patient_identity')
    expect(await page.getByLabel('statedName').inputValue()).toContain(row.with.given)
  })
})

test('staff see all of it and change nothing', async () => {
  const page = await opened('/sandbox', 'demo')
  await page.getByText('Admins of the clinic change what is here').waitFor()
  await page.getByRole('heading', { name: 'In use', exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /Reset/ }).count()).toBe(0)
  await page.getByRole('tab', { name: 'Faults' }).click()
  await page.getByRole('switch').first().waitFor({ state: 'attached' })
  expect(await page.getByRole('switch').first().isDisabled()).toBe(true)
})

test('where the server does not rehearse there is no such page', async () => {
  const other = await startDashboard({ REHEARSAL: 'off' })
  const page = await other.signedIn('/sandbox', { as: 'admin' })
  await page.getByText('This server does not rehearse').waitFor()
  expect(await page.getByRole('link', { name: 'Sandbox' }).count()).toBe(0)
  await other.close()
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
