/** The pages of incoming requests: live calls with their telephone, the journal, and one exchange. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type Dashboard, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

const CALL_FILE = join(import.meta.dirname, '../../../examples/scheduling-call.json')

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const log = (page: Page) => page.getByRole('log', { name: 'Tool calls' })

/** As a voice platform calls a tool. */
const callTool = (callId: string, tool: string, args: object) =>
  request(
    dashboard.server.url,
    'POST',
    `/patient-journey/${tool}`,
    { message: { toolCalls: [{ id: '1', function: { arguments: args } }] } },
    { 'x-voice-secret': 'demo-secret', 'x-call-id': callId, 'content-type': 'application/json' },
  )

test('a tool call of a platform shows up by itself, with what it was given and what the agent then says', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByRole('heading', { level: 1, name: 'Live calls' }).waitFor()
  await page.getByRole('button', { name: 'Call the tool' }).waitFor()
  await callTool('browser-1', 'update_registration_field', { firstName: 'Ngaio', lastName: 'Okonkwo' })
  await log(page).getByText('update_registration_field').waitFor()
  await log(page).getByText('Arguments and result').first().click()
  await log(page).getByText('Ngaio', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'browser-1' }).first().click()
  await page.getByRole('heading', { name: 'Tool calls of browser-1' }).waitFor()
  expect(new URL(page.url()).searchParams.get('call')).toBe('browser-1')
})

test('tool calls that name no call are those of the default call, whose page and exchange say why', async () => {
  const { headers } = await request(
    dashboard.server.url,
    'POST',
    '/patient-journey/escalate_billing',
    { message: { toolCalls: [{ id: 'default-1', function: { arguments: { reason: 'a bill' } } }] } },
    { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' },
  )
  const page = await dashboard.signedIn('/calls')
  await page.getByRole('button', { name: 'Default call' }).first().click()
  await page.getByRole('heading', { name: 'Tool calls of the default call' }).waitFor()
  await page.getByText('Requests that name no call belong to this one', { exact: false }).waitFor()
  const exchange = await dashboard.signedIn(`/journal/${headers.get('x-request-id')}`)
  await exchange.getByText('This request names no call', { exact: false }).first().waitFor()
  await exchange.getByRole('link', { name: 'Default call' }).waitFor()
})

test('the telephone calls a tool with what a caller says, and shows the answer', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByLabel('Tool', { exact: true }).selectOption('validate_intake_field')
  await page.getByLabel('fieldName').fill('email')
  await page.getByRole('textbox', { name: 'value', exact: true }).fill('jane dot doe at example dot com')
  await page.getByRole('button', { name: 'Call the tool' }).click()
  await page.getByText('"valid": true').waitFor()
  await log(page).getByText('validate_intake_field').first().waitFor()
})

test('several calls of a tool go out in one request', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByLabel('Tool', { exact: true }).selectOption('validate_intake_field')
  await page.getByLabel('fieldName').fill('phone')
  await page.getByRole('textbox', { name: 'value', exact: true }).fill('two one two five five five oh one one nine')
  await page.getByRole('button', { name: 'Add to a batch' }).click()
  await page.getByRole('textbox', { name: 'value', exact: true }).fill('twelve')
  await page.getByRole('button', { name: 'Call it 2 times in one request' }).click()
  await page.getByText('"valid": true').waitFor()
  await page.getByText('"valid": false').waitFor()
})

test('a wrong secret is told in the words of the server', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByLabel('Voice secret', { exact: true }).fill('wrong')
  await page.getByLabel('fieldName').or(page.getByLabel('statedName')).first().fill('Jane')
  await page.getByRole('button', { name: 'Call the tool' }).click()
  await page.getByRole('alert').getByText('x-voice-secret').waitFor()
})

test('a whole call from a file is played to its end', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByRole('button', { name: 'Play a call from a file' }).waitFor()
  await page.locator('input[type=file]').setInputFiles(CALL_FILE)
  const played = page.getByRole('log', { name: 'The call' })
  await played.getByText('has ended', { exact: false }).waitFor({ timeout: 60_000 })
  const { steps } = JSON.parse(readFileSync(CALL_FILE, 'utf8')) as { readonly steps: readonly unknown[] }
  expect((await played.innerText()).match(/^agent: /gm)).toHaveLength(steps.length)
})

test('what comes in shows up in the journal by itself; its exchange has request, answer and reason, and is sent again', async () => {
  const page = await dashboard.signedIn('/journal?path=%2FPatient')
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  await page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await dashboard.server.fhir('GET', '/Patient?birthdate=yesterday')
  await page.getByRole('link', { name: 'birthdate=yesterday' }).click()
  await page.getByRole('heading', { level: 1, name: 'GET /Patient?birthdate=yesterday' }).waitFor()
  await page
    .getByRole('region')
    .or(page.locator('section'))
    .getByText("'yesterday'", { exact: false })
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('The same response: 400', { exact: false }).waitFor()
})

test('an exchange fills the console, whose answer leads to its own exchange', async () => {
  const { headers } = await dashboard.server.fhir('POST', '/Basic', {
    resourceType: 'Basic',
    code: { text: 'console' },
  })
  const page = await dashboard.signedIn(`/journal/${headers.get('x-request-id')}`)
  await page.getByRole('link', { name: 'Open in the console' }).click()
  await page.getByRole('heading', { level: 1, name: 'FHIR explorer' }).waitFor()
  await page.getByText('"console"').first().waitFor()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('link', { name: 'in the journal' }).click()
  await page.getByRole('heading', { level: 1, name: 'POST /Basic' }).waitFor()
})

test('new rows wait where the list is not followed, and are counted', async () => {
  const page = await dashboard.signedIn('/journal?follow=off&path=%2FSlot')
  await page
    .getByText('Nothing of this kind')
    .or(page.getByRole('list', { name: 'Exchanges' }))
    .waitFor()
  for (const count of [1, 2, 3]) await dashboard.server.fhir('GET', `/Slot?_count=${count}`)
  await page.getByRole('button', { name: '3 new' }).click()
  await page.getByRole('link', { name: '/Slot?_count=3' }).waitFor()
})

test('filters are in the address, so that a link shows the same', async () => {
  const page = await dashboard.signedIn('/journal')
  await page.getByLabel('Status').selectOption('4xx')
  await page.getByRole('button', { name: 'More filters' }).click()
  await page.getByLabel('Type').fill('Patient')
  await page.waitForURL(/type=Patient/)
  expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ status: '4xx', type: 'Patient' })
})

test('two windows of a browser see what is new by one stream', async () => {
  const page = await dashboard.signedIn('/journal?path=%2FBasic')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
  await other.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)
  await dashboard.server.fhir('GET', '/Basic?_count=1')
  for (const window of [page, other]) await window.getByRole('link', { name: '/Basic?_count=1' }).waitFor()
  await page.close()
  await dashboard.server.fhir('GET', '/Basic?_count=2')
  await other.getByRole('link', { name: '/Basic?_count=2' }).waitFor()
})

test('no script fails, and nothing is stopped by the Content-Security-Policy', () => {
  expect(dashboard.complaints).toEqual([])
})
