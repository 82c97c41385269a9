/** The work list: Tasks are claimed, commented and completed, and deliveries that were given up are sent again. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'

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
  await page.getByRole('combobox', { name: 'Due' }).click()
  await page.getByRole('option', { name: 'Overdue' }).click()
  await page.getByText('1 task', { exact: true }).waitFor()
  expect(new URL(page.url()).searchParams.get('due')).toBe('overdue')
  await page.reload()
  await page.getByText('1 task', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Priority' }).click()
  await page.getByRole('option', { name: 'Routine' }).click()
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
  const undo = page
    .getByRole('alert')
    .filter({ hasText: 'The task is completed.' })
    .getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  expect(await task(id)).toMatchObject({
    status: 'completed',
    output: [{ valueCodeableConcept: { coding: [{ code: 'no-answer' }] } }],
  })
  await undo.click()
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
    .getByRole('row', { name: /the CRM answered 400/ })
    .getByRole('button', { name: 'Replay' })
    .click()
  await page.getByText('Nothing was given up').waitFor()
  expect(crm.received.length).toBeGreaterThan(0)
})

test('nothing that the pages do is stopped by their Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
