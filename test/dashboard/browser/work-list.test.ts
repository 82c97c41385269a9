/** The work list: Tasks are claimed, commented and completed, and deliveries that were given up are sent again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { type Dashboard, findingsInBothSchemes, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { until } from '../../support/server-process.ts'

let dashboard: Dashboard
let crm: Receiver
beforeAll(async () => {
  dashboard = await startDashboard()
  crm = await startReceiver()
})
afterAll(async () => {
  await dashboard?.close()
  await crm?.close()
})

const fhir = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  dashboard.server.fhir(method, path, body, headers)
const task = async (id: string): Promise<Task> => (await fhir('GET', `/Task/${id}`)).body
const put = (id: string, more: Partial<Task>) =>
  fhir('PUT', `/Task/${id}`, { resourceType: 'Task', id, status: 'requested', intent: 'order', ...more })
const ABSENT = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
}
const undoOf = (page: Page, said: string) =>
  page.getByRole('alert').filter({ hasText: said }).getByRole('button', { name: 'Undo' })
const due = (hours: number) => ({ period: { end: new Date(Date.now() + hours * 3_600_000).toISOString() } })

test('tasks are listed by when they are due, and what is chosen of them is in the address', async () => {
  await put('late', { description: 'Late', restriction: due(-2), priority: 'urgent' })
  await put('soon', { description: 'Soon <b>bold</b>', restriction: due(3) })
  await put('far', { description: 'Far', restriction: due(60) })
  const page = await dashboard.signedIn('/work-list')
  const rows = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
  await rows.first().getByText('Late').waitFor()
  expect((await rows.allTextContents()).map((text) => /Late|Soon <b>bold<\/b>|Far/.exec(text)?.[0])).toEqual([
    'Late',
    'Soon <b>bold</b>',
    'Far',
  ])
  await page.getByRole('combobox', { name: 'Due' }).selectOption('overdue')
  await page.getByText('1 task', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('due')).toBe('overdue')
  await page.reload()
  await page.getByText('1 task', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Priority' }).selectOption('routine')
  await page.getByRole('button', { name: 'Show all' }).click()
  await page.getByText('3 tasks').waitFor()
})

test('an escalation is claimed, commented over the end of a session, and completed, which can be undone', async () => {
  const escalated = await dashboard.server.tool(
    '/patient-journey/escalate_billing',
    { reason: 'does not understand the bill' },
    { 'x-call-id': 'escalates' },
  )
  expect(escalated).toMatchObject({ success: true })
  const found = await fhir('GET', '/Task?code=billing-escalation&status=requested')
  const { id }: { id: string } = found.body.entry[0].resource
  const page = await dashboard.signedIn(`/work-list?task=${id}`)
  const drawer = page.getByRole('dialog')
  await drawer.getByText('does not understand the bill').first().waitFor()
  await drawer.getByRole('button', { name: 'Claim' }).click()
  await drawer.getByText('In progress').waitFor()
  expect((await task(id)).owner?.identifier?.value).toBe('demo')

  expect((await page.context().request.delete(`${dashboard.server.url}/session`)).status()).toBe(204)
  await drawer.getByRole('textbox', { name: 'Comment' }).fill('Calls back on Friday')
  await drawer.getByRole('button', { name: 'Comment', exact: true }).click()
  const again = page.getByRole('dialog', { name: 'Your session has ended' })
  await again.getByLabel('Password of demo').fill('demo')
  await again.getByRole('button', { name: 'Go on' }).click()
  await drawer.getByRole('region', { name: 'Comments' }).getByText('Demo Staff').waitFor()
  expect((await task(id)).note?.map(({ text, authorReference }) => [text, authorReference?.display])).toEqual([
    ['Calls back on Friday', 'Demo Staff'],
  ])

  await drawer.getByRole('button', { name: 'Complete…' }).click()
  await drawer.getByLabel('The patient was not reached').check()
  await drawer.getByRole('button', { name: 'Complete', exact: true }).click()
  const undo = undoOf(page, 'The task is completed.')
  await undo.waitFor()
  expect(await task(id)).toMatchObject({
    status: 'completed',
    output: [{ valueCodeableConcept: { coding: [{ code: 'no-answer' }] } }],
  })
  await undo.click()
  await until(async () => (await task(id)).status === 'in-progress')
  await page.goto(`${dashboard.server.url}/dashboard/work-list?owner=me&task=${id}`)
  await drawer.getByText('In progress').waitFor()
  expect((await task(id)).output).toBeUndefined()
})

test('a task that a colleague has taken meanwhile says whose it is', async () => {
  await put('taken', { description: 'Taken', restriction: due(5) })
  const page = await dashboard.signedIn('/work-list?task=taken')
  const drawer = page.getByRole('dialog')
  await drawer.getByRole('button', { name: 'Claim' }).waitFor()
  const headers = { authorization: `Bearer ${await dashboard.server.login('admin', 'admin')}` }
  expect((await fhir('POST', '/Task/taken/$claim', undefined, headers)).status).toBe(200)
  await drawer.getByRole('button', { name: 'Claim' }).click()
  await drawer.getByRole('alert').getByText('Task/taken is taken by Demo Admin').waitFor()
})

test('what two people say of a task at once is kept, both of it', async () => {
  await put('discussed', { description: 'Discussed', restriction: due(6) })
  const [page, other] = [
    await dashboard.signedIn('/work-list?task=discussed'),
    await dashboard.signedIn('/work-list?task=discussed', { as: 'admin' }),
  ]
  const say = async (window: Page, text: string) => {
    const comments = window.getByRole('dialog').getByRole('region', { name: 'Comments' })
    await comments.getByRole('textbox', { name: 'Comment' }).fill(text)
    await comments.getByRole('button', { name: 'Comment', exact: true }).click()
    await comments.locator('bdi', { hasText: text }).waitFor()
  }
  // The first window's comment is held back until that of the second window is written.
  let statuses: readonly number[] = []
  page.on('response', (answer) => {
    if (answer.request().method() === 'PATCH') statuses = [...statuses, answer.status()]
  })
  let isHeld = false
  await page.route(/\/Task\/discussed$/, async (route) => {
    if (route.request().method() === 'PATCH' && !isHeld) {
      isHeld = true
      await say(other, 'I have called')
    }
    await route.continue()
  })
  await say(page, 'I will write')
  expect(statuses).toEqual([412, 200])
  expect((await task('discussed')).note?.map(({ text, authorReference }) => [text, authorReference?.display])).toEqual([
    ['I have called', 'Demo Admin'],
    ['I will write', 'Demo Staff'],
  ])
  for (const window of [page, other]) await window.getByRole('dialog').getByText('I will write').waitFor()
})

const input = (code: string, value: object) => ({
  type: { coding: [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/task-input', code }] },
  ...value,
})
const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Tasks' }).getByRole('listitem').filter({ hasText: text })

test('a task names the person and the number first, then in words what is asked, and leads to its call', async () => {
  const family = `أبو <i>${'long'.repeat(45)}</i>`
  const telecom = [{ system: 'phone' as const, value: '+12125550171' }]
  await fhir('PUT', '/Patient/asked', { resourceType: 'Patient', id: 'asked', name: [{ family }], telecom })
  await put('words', {
    description: 'Please call back',
    for: { reference: 'Patient/asked' },
    priority: 'urgent',
    restriction: due(1),
    input: [
      input('missing-field', { valueString: 'firstName' }),
      input('missing-field', { valueString: 'email' }),
      input('call-id', { valueString: 'that-call' }),
      input('patient-type', { valueCode: 'EXISTING' }),
      input('self-pay-price-cents', { valueInteger: 4050 }),
    ],
  })
  await put('number-only', {
    description: 'Call me',
    input: [input('callback-phone', { valueString: '+12125550172' })],
  })
  await fhir('PUT', '/Task/bare', { resourceType: 'Task', id: 'bare', _status: ABSENT, intent: 'order' })
  const page = await dashboard.signedIn('/work-list')
  const words = row(page, family)
  await words.getByText('+1 212 555 0171').waitFor()
  await words.getByText('Missing: first name, e-mail').waitFor()
  await row(page, '+1 212 555 0172').getByText('Call me').waitFor()
  await words.getByRole('link', { name: 'Call' }).click()
  expect(new URL(page.url()).searchParams.get('call')).toBe('that-call')
  await page.goBack()
  await words.getByRole('button').click()
  const attached = page.getByRole('dialog').getByRole('region', { name: 'Attached' })
  for (const text of ['first name, e-mail', 'existing', '40.50']) await attached.getByText(text).waitFor()
  expect(await attached.innerText()).not.toMatch(/missing-field|firstName|EXISTING/)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`${dashboard.server.url}/dashboard/work-list`)
  await words.waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
})

test('several tasks are snoozed at once, wait behind a filter, and come back by one undo', async () => {
  await put('nap-1', { description: 'Nap one', restriction: due(7) })
  await put('nap-2', { description: 'Nap two', restriction: due(-1) })
  const page = await dashboard.signedIn('/work-list')
  for (const text of ['Nap one', 'Nap two']) await row(page, text).getByRole('checkbox').check()
  const bar = page.getByRole('group', { name: 'Selected tasks' })
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Snooze…' }).press('Enter')
  await page.getByRole('button', { name: 'Until tomorrow' }).waitFor()
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.getByRole('button', { name: 'Until tomorrow' }).click()
  await row(page, 'Nap two').waitFor({ state: 'detached' })
  const { restriction } = await task('nap-2')
  expect(restriction?.period?.end).toBe(restriction?.period?.start)
  await page.getByRole('combobox', { name: 'Snoozed' }).selectOption({ label: 'Snoozed (2)' })
  await row(page, 'Nap one').waitFor()
  await undoOf(page, '2 tasks are snoozed').click()
  await page.getByRole('button', { name: 'Show all' }).click()
  await row(page, 'Nap two').waitFor()
  expect((await task('nap-1')).restriction?.period?.start).toBeUndefined()
})

test('staff assign a task to a colleague who can log in, by the keyboard', async () => {
  const json = { 'content-type': 'application/json' }
  const admin = { ...json, authorization: `Bearer ${await dashboard.server.login('admin', 'admin')}` }
  const name = `أميرة <b>${'long'.repeat(40)}</b>`
  for (const username of ['amira', 'another-amira', 'gone']) {
    const account = { username, name: username === 'gone' ? 'Gone' : name, role: 'staff', password: 'a long password' }
    expect((await fhir('POST', '/accounts', account, admin)).status).toBe(201)
  }
  expect((await fhir('PUT', '/accounts/gone/login', { enabled: false }, admin)).status).toBe(200)
  await put('handed-on', { description: 'Handed on', restriction: due(7) })
  const page = await dashboard.signedIn('/work-list?task=handed-on')
  const drawer = page.getByRole('dialog').filter({ hasText: 'Handed on' })
  await drawer.getByRole('button', { name: 'Assign to…' }).press('Enter')
  // Two of one name are told apart.
  const second = page.getByRole('button', { name: `${name} another-amira` })
  await second.waitFor()
  expect(await page.getByRole('button', { name: 'Gone' }).count()).toBe(0)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await second.press('Enter')
  await undoOf(page, `The task is assigned to ${name}.`).waitFor()
  expect((await task('handed-on')).owner).toMatchObject({ identifier: { value: 'another-amira' }, display: name })
  for (const width of [1024, 390]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await fitsItsWidth(page)).toBe(true)
  }
  await undoOf(page, 'The task is assigned').click()
  await drawer.getByText('Waiting').waitFor()
  await until(async () => (await task('handed-on')).owner === undefined)
})

test('an admin assigns tasks to an account of the clinic, and what a colleague has completed meanwhile is told', async () => {
  await put('given-1', { description: 'Given one', restriction: due(8) })
  await put('given-2', { description: 'Given two', restriction: due(9) })
  await put('rival-1', { description: 'Rival one', restriction: due(10) })
  await put('rival-2', { description: 'Rival two', restriction: due(11) })
  const page = await dashboard.signedIn('/work-list', { as: 'admin' })
  for (const text of ['Given one', 'Given two']) await row(page, text).getByRole('checkbox').check()
  const bar = page.getByRole('group', { name: 'Selected tasks' })
  await bar.getByRole('button', { name: 'Assign to…' }).click()
  await page.getByRole('button', { name: 'Demo Staff', exact: true }).click()
  await row(page, 'Given two').getByText('Demo Staff').waitFor()
  expect((await task('given-1')).owner?.identifier?.value).toBe('demo')

  for (const text of ['Rival one', 'Rival two']) await row(page, text).getByRole('checkbox').check()
  // A colleague is faster, which this window has not heard of yet.
  await page.route(/rival-1\/\$complete$/, async (route) => {
    const parameter = [{ name: 'outcome', valueCodeableConcept: { text: 'called' } }]
    await fhir('POST', '/Task/rival-1/$complete', { resourceType: 'Parameters', parameter })
    await route.continue()
  })
  await bar.getByRole('button', { name: 'Complete as done' }).click()
  await page.getByRole('alert').filter({ hasText: '1 of 2 tasks are as before' }).waitFor()
  await undoOf(page, '1 task is completed.').click()
  await row(page, 'Rival two').waitFor()
  expect((await task('rival-2')).status).toBe('requested')
})

test('the navigation counts open tasks on every page, and an urgent one gives a notice that names nobody', async () => {
  const page = await dashboard.signedIn('/work-list')
  await page.evaluate(() => {
    const shown: string[] = []
    class Shown {
      static readonly permission = 'granted'
      static requestPermission = async () => 'granted'
      constructor(title: string) {
        shown.push(title)
      }
    }
    Object.assign(window, { Notification: Shown, shown })
  })
  const searched = page.waitForResponse((answer) => answer.url().includes('priority='))
  await page.getByLabel('Notices of urgent tasks').click({ force: true })
  await searched
  await page.getByRole('link', { name: 'Patients' }).click()
  const badge = page.getByRole('link', { name: /^Work list \d+\s+open, \d+ overdue$/ })
  const before = Number.parseInt((await badge.innerText()).replace(/\D+/, ''), 10)
  await put('now', {
    description: 'Ruth Abernathy is ill',
    priority: 'stat',
    code: { text: 'Callback' },
    restriction: due(1),
  })
  await page.getByRole('link', { name: new RegExp(`^Work list ${before + 1}\\s+open`) }).waitFor()
  await page.waitForFunction(() => (window as unknown as { shown: string[] }).shown.length > 0)
  expect(await page.evaluate(() => (window as unknown as { shown: string[] }).shown)).toEqual(['Urgent task: Callback'])
})

test('a delivery that was given up is listed with its reason, and sent again', async () => {
  const path = '/clinics/demo-clinic/settings'
  const settings = (await fhir('GET', path)).body
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const body = { ...settings, crm: { enabled: true, url: crm.url, secret } }
  expect((await fhir('PUT', path, body, { 'content-type': 'application/json' })).status).toBe(200)
  crm.answer(400)
  const intake = {
    firstName: 'John',
    lastName: 'Roe',
    dateOfBirth: '1980-03-03',
    phone: '+12125550124',
    email: 'john.roe@example.com',
    address: '12 Elm Street, Springfield',
    reasonForVisit: 'a cough',
  }
  await dashboard.server.tool('/patient-intake/submit_intake', intake, { 'x-call-id': 'intake' })
  crm.answer(204)
  const page = await dashboard.signedIn('/work-list?tab=deliveries')
  await page
    .getByRole('row', { name: /the CRM responded with 400/ })
    .getByRole('button', { name: 'Send again' })
    .click()
  await page.getByText('Nothing was given up').waitFor()
  expect(crm.received.length).toBeGreaterThan(0)
})

test('of 2,000 tasks only those in sight are drawn, at most 50 are selected at once, and the navigation counts them all', async () => {
  for (let batch = 0; batch < 11; batch += 1) {
    const entry = Array.from({ length: 200 }, (_, index) => ({
      request: { method: 'POST', url: 'Task' },
      resource: {
        ...{ resourceType: 'Task', status: 'requested', intent: 'order', priority: 'routine' },
        description: `Many ${batch} ${index}`,
      },
    }))
    expect((await fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })).status).toBe(200)
  }
  for (const priority of ['urgent', 'asap', 'stat'] as const)
    await put(`many-${priority}`, { description: `Of many: ${priority}`, priority, restriction: due(-1) })
  const page = await dashboard.signedIn('/work-list')
  const items = page.getByRole('list', { name: 'Tasks' }).getByRole('listitem')
  await items.first().waitFor()
  expect(await items.count()).toBeLessThan(40)
  await page.getByRole('status').filter({ hasText: 'of more than are looked through here' }).waitFor()
  await page.getByLabel('Select the first 50').check()
  await page.getByText('50 selected').waitFor()
  await page.goto(`${dashboard.server.url}/dashboard/work-list?sort=priority`)
  const own = items.filter({ hasText: 'Of many: ' })
  await own.first().waitFor()
  expect((await own.allInnerTexts()).map((text) => /Of many: (\w+)/.exec(text)?.[1])).toEqual([
    'stat',
    'asap',
    'urgent',
  ])
  const total = async (query: string): Promise<number> =>
    (await fhir('GET', `/Task?status=requested,in-progress&_summary=count${query}`)).body.total
  const now = new Date().toISOString()
  const [all, snoozed, overdue] = [await total(''), await total(`&due=sa${now}`), await total(`&due=eb${now}`)]
  expect([all > 2000, snoozed, overdue > 0]).toEqual([true, 0, true])
  await page.getByRole('link', { name: new RegExp(`^Work list ${all}\\s+open, ${overdue} overdue$`) }).waitFor()
  await put('one-more', { description: 'One more', restriction: due(-1) })
  await page.getByRole('link', { name: new RegExp(`^Work list ${all + 1}\\s+open, ${overdue + 1} overdue$`) }).waitFor()
  await put('one-more', { description: 'One more', restriction: { period: { start: due(9).period.end } } })
  await page.getByRole('link', { name: new RegExp(`^Work list ${all}\\s+open, ${overdue} overdue$`) }).waitFor()
  for (const priority of ['urgent', 'asap', 'stat']) await put(`many-${priority}`, { status: 'cancelled' })
})

test('the most urgent tasks on the overview name the person and the number first, and lead to the task', async () => {
  await fhir('PUT', '/Patient/urgent', {
    ...{ resourceType: 'Patient', id: 'urgent', name: [{ family: 'Urgent', given: ['Una'] }] },
    telecom: [{ system: 'phone', value: '+12125550173' }],
  })
  const asked = { description: 'Call Una back', for: { reference: 'Patient/urgent' }, priority: 'urgent' as const }
  await put('most-urgent', { ...asked, authoredOn: '2020-01-01T00:00:00Z', restriction: due(-1) })
  const page = await dashboard.signedIn()
  const panel = page.locator('section', { hasText: 'Most urgent tasks' })
  for (const text of ['Una Urgent', '+1 212 555 0173']) await panel.getByText(text, { exact: true }).waitFor()
  await panel.getByRole('link', { name: 'Call Una back' }).click()
  await page.getByRole('dialog').getByText('Call Una back').first().waitFor()
})

test('the most urgent tasks on the overview are stat, asap and urgent in this order, by when they are due, and none is snoozed', async () => {
  const at = (priority: Task['priority'], hours: number) =>
    put(`of-${priority}-${-hours}`, { description: `${priority} ${-hours}`, priority, restriction: due(hours) })
  await Promise.all([at('urgent', -9_003), at('asap', -9_002), at('stat', -9_001)])
  await put('of-none', { description: 'none', restriction: due(-9_999) })
  await put('of-no-time', { description: 'asap without a time', priority: 'asap' })
  // More than are listed.
  for (const index of [1, 2, 3, 4, 5, 6]) {
    const period = { start: due(index).period.end }
    await put(`put-off-${index}`, { description: `stat ${index} put off`, priority: 'stat', restriction: { period } })
  }
  const page = await dashboard.signedIn()
  const panel = page.locator('section', { hasText: 'Most urgent tasks' })
  const titles = panel.getByRole('link').filter({ hasText: /^(stat|asap|urgent|none)/ })
  await titles.first().waitFor()
  expect(await titles.allTextContents()).toEqual(['stat 9001', 'asap 9002', 'asap without a time', 'urgent 9003'])
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
