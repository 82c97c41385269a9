/** A call as a conversation: what was said, understood and stored; saved as a script, and played from the menu. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type PlayedCall, readScript } from '../../../dashboard/api/call-script.ts'
import { CALL, callKey } from '../../../src/core/call-session.ts'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { type Dashboard, findingsOf, fitsItsWidth, startDashboard } from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')
/** The folder of the pictures, for people to look at, as no check sees overlaps. */
const PICTURES = join(import.meta.dirname, '../../../coverage/dashboard')
const LOOKS = {
  light: { colorScheme: 'light' },
  dark: { colorScheme: 'dark' },
  phone: { colorScheme: 'light', viewport: { width: 375, height: 740 } },
} as const

let dashboard: Dashboard
beforeAll(async () => {
  dashboard = await startDashboard()
  mkdirSync(PICTURES, { recursive: true })
})
afterAll(() => dashboard?.close())

const HEADERS = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  request(dashboard.server.url, 'POST', path, body, { ...HEADERS, ...headers })

type Arguments = Readonly<Record<string, unknown>>

/** Tool calls of one tool in one request. */
const callTool = (callId: string, path: string, ...batch: readonly Arguments[]) =>
  post(
    path,
    { message: { toolCalls: batch.map((args, index) => ({ id: `${index}`, function: { arguments: args } })) } },
    { 'x-call-id': callId },
  )

const log = (page: Page) => page.getByRole('log', { name: 'Tool calls' })
const turn = (page: Page, tool: string) => log(page).getByRole('article', { name: tool })
const openCall = (callId: string, options = {}) =>
  dashboard.signedIn(`/calls?call=${encodeURIComponent(callId)}`, options)
const settled = (page: Page) => page.waitForFunction(() => document.querySelector('[aria-busy="true"]') === null)

/** A call that registers somebody, whose billing question is left for staff. */
async function makeCall(callId: string): Promise<void> {
  await post('/calls', { callId, dialedNumber: '+12125550100', callerNumber: '+12125550187' })
  await callTool(callId, '/patient-journey/update_registration_field', {
    firstName: 'my name is Ngaio',
    lastName: 'Okonkwo',
    email: 'ngaio at example dot com',
    fisrtName: 'Ngaio',
  })
  await callTool(callId, '/patient-journey/update_registration_field', { email: 'ngaio dot o at example dot com' })
  await callTool(callId, '/patient-intake/validate_intake_field', { fieldName: 'phone', value: 'twelve' })
  await callTool(callId, '/patient-journey/escalate_billing', { reason: 'a bill that is wrong' })
  await post(`/calls/${callId}/end`, { reason: 'customer-ended-call' })
}

test('a call is a conversation: who called whom and what came of it, what was said, understood and stored', async () => {
  await makeCall('talk-1')
  const page = await openCall('talk-1')
  const head = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Call talk-1' }) })
  for (const fact of ['+1 212 555 0187', '+1 212 555 0100', 'customer-ended-call'])
    await head.getByText(fact, { exact: true }).waitFor()
  await head.getByRole('link', { name: 'Ngaio Okonkwo' }).waitFor()
  await head.getByRole('link', { name: 'a bill that is wrong' }).waitFor()

  const first = turn(page, 'update_registration_field').first()
  const email = first.getByRole('row', { name: 'email' })
  await email.getByText('ngaio at example dot com').waitFor()
  await email.getByText('ngaio@example.com').waitFor()
  await first.getByRole('row', { name: 'fisrtName' }).getByText('ignored; firstName is probably meant').waitFor()
  await turn(page, 'validate_intake_field').getByText('invalid', { exact: true }).waitFor()
  await first.getByText('Result', { exact: true }).click()
  await first.getByText('"registrationStatus": "ACTION_REQUIRED"', { exact: false }).waitFor()
  const tools = await log(page)
    .getByRole('article')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
  expect(tools).toEqual([
    'update_registration_field',
    'update_registration_field',
    'validate_intake_field',
    'escalate_billing',
  ])
})

test('what a tool call stored is there with its version, and shows what the version changed', async () => {
  const page = await openCall('talk-1')
  const stored = turn(page, 'update_registration_field').nth(1).getByRole('list', { name: 'Stored' })
  await stored.getByText('version 2').waitFor()
  await stored.getByRole('button', { name: 'Changes' }).click()
  const row = stored.getByRole('row', { name: /^telecom\[\d\]\.value/ })
  await row.getByText('ngaio@example.com').waitFor()
  await row.getByText('ngaio.o@example.com').waitFor()
  await stored.getByRole('link', { name: /^Patient\// }).click()
  await page.getByText(/^GET Patient\/.*\/_history\/2 /).waitFor()
})

test('tool calls of one request say so and lead to it, and a repeat is one', async () => {
  const fields = ['one', 'two'].map((value) => ({ fieldName: 'phone', value }))
  await callTool('talk-batch', '/patient-intake/validate_intake_field', ...fields)
  await callTool('talk-batch', '/patient-intake/validate_intake_field', fields[0] ?? {})
  const page = await openCall('talk-batch')
  await turn(page, 'validate_intake_field').last().getByText('It was a repeat').waitFor()
  await log(page).getByRole('link', { name: 'Request, 2 of 2' }).click()
  await page.getByRole('heading', { level: 1, name: 'POST /patient-intake/validate_intake_field' }).waitFor()
})

test('a call that is saved is a script without its keys, which plays from its file with the same outcomes', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.locator('input[type=file]').setInputFiles(join(EXAMPLES, 'scheduling-call.json'))
  await page.getByText('Played to its end', { exact: true }).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as script' }).click()
  const file = await (await download).path()
  const script = readScript(readFileSync(file, 'utf8'))
  const codes = script.steps.map((step) => ('tool' in step ? step.tool : ''))
  const { steps } = JSON.parse(readFileSync(join(EXAMPLES, 'scheduling-call.json'), 'utf8')) as PlayedCall
  expect(codes).toEqual(steps.map((step) => ('tool' in step ? step.tool : '')))
  expect(JSON.stringify(script)).toMatch(/"slotKey":"\{\{step\d+\.slots\.0\.slotKey\}\}"/)

  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByText('Played to its end', { exact: true }).waitFor({ state: 'detached' })
  await page.getByText('Played to its end', { exact: true }).waitFor()
  await turn(page, 'cancel_appointment').getByText('is cancelled.', { exact: false }).first().waitFor()
})

test('a script of the menu is played step by step with the keyboard, and stopped; the conversation grows with it', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByLabel('Script', { exact: true }).selectOption('new-patient-call')
  await page.getByLabel('Speed').selectOption('Step by step')
  await page.getByRole('button', { name: 'Play', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Step 1 of 10: resolve_patient_identity').waitFor()
  expect(await log(page).getByRole('article').count()).toBe(0)
  await page.getByRole('button', { name: 'Next step' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('Step 2 of 10: update_registration_field').waitFor()
  await turn(page, 'resolve_patient_identity').waitFor()
  await page.keyboard.press('Enter')
  await turn(page, 'update_registration_field').waitFor()
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped', { exact: true }).waitFor()
  await page.getByText('On the line', { exact: true }).waitFor()
  expect(await log(page).getByRole('article').count()).toBe(2)
})

test('a step that fails is shown and stops the play; what is no script is refused with a sentence', async () => {
  const page = await dashboard.signedIn('/calls')
  await page.getByRole('button', { name: 'Play a call from a file' }).waitFor()
  const play = (script: unknown) =>
    page.locator('input[type=file]').setInputFiles({
      name: 'script.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(script)),
    })
  const step = { tool: 'get_clinic_info', family: 'emr-scheduling', arguments: { topic: 'parking' } }
  await play({ description: 'x', steps: [{ ...step, expect: { success: false } }, step] })
  await page.getByRole('alert').getByText('step 1, get_clinic_info: success is true, and false is expected').waitFor()
  await page.getByText('A step failed').waitFor()
  expect(await turn(page, 'get_clinic_info').count()).toBeLessThan(2)
  await page.getByLabel('Go on after a step that fails').check()
  await play({ description: 'x', steps: [{ ...step, expect: { success: false } }, step] })
  await page.getByText('Played to its end; 1 of 2 steps failed').waitFor()
  await play({ description: 'x', steps: [{ arguments: {} }] })
  await page.getByRole('alert').getByText('step 1 must have "tool"', { exact: false }).waitFor()
})

test('a call whose session is gone, and that the journal does not have, is still a conversation', async () => {
  await makeCall('talk-gone')
  await dashboard.server.app.repository.change(DEMO_CLINIC, async (unit) => {
    const key = callKey('talk-gone')
    const record = await unit.records.read(CALL, key)
    if (record !== undefined) unit.records.put(CALL, key, record.value, { due: Date.now() - 1 })
  })
  const page = await dashboard.signedIn('/work-list')
  await page.getByRole('heading', { level: 1, name: 'Work list' }).waitFor()
  await page.route(/\/clinics\/[^/]+\/exchanges/, (route) => route.fulfill({ status: 403, json: {} }))
  await page.goto(`${dashboard.server.url}/dashboard/calls?call=talk-gone`)
  await page.getByText('not kept any more').first().waitFor()
  await page.getByText('Ended', { exact: true }).waitFor()
  await turn(page, 'escalate_billing').getByText('I have passed this on', { exact: false }).first().waitFor()
  await turn(page, 'update_registration_field').first().getByText('version 1').first().waitFor()
  expect(await log(page).getByRole('link', { name: 'Request' }).count()).toBe(0)
})

test('a call that never was, or of another clinic, is said to be none, whatever its id', async () => {
  const page = await openCall('never was|a,call')
  await page.getByText('No tool was called yet').waitFor()
  expect(await page.getByText('not kept any more').count()).toBe(3)
})

test('a task that a call has left leads to the conversation', async () => {
  const { body } = await dashboard.server.fhir('GET', '/Task?code=billing-escalation&_count=50')
  const isOfCall = ({ resource }: { resource: object }) => JSON.stringify(resource).includes('"talk-1"')
  const task = body.entry.find(isOfCall)
  const page = await dashboard.signedIn(`/work-list?task=${task.resource.id}`)
  await page.getByRole('dialog').getByRole('link', { name: 'talk-1' }).click()
  await turn(page, 'escalate_billing').waitFor()
})

test('without a journal a call is a conversation too, without requests and times', async () => {
  const path = `/clinics/${DEMO_CLINIC}/settings`
  const { body: settings } = await dashboard.server.fhir('GET', path)
  const put = (more: object) =>
    dashboard.server.fhir('PUT', path, { ...settings, ...more }, { 'content-type': 'application/json' })
  expect((await put({ journal: 'off' })).status).toBe(200)
  await makeCall('talk-off')
  const page = await openCall('talk-off')
  await turn(page, 'escalate_billing').getByRole('list', { name: 'Stored' }).waitFor()
  expect(
    await log(page)
      .getByText(/ ms$|^Request$/)
      .count(),
  ).toBe(0)
  await put({ journal: 'full' })
})

test('a call of 200 tool calls is shown whole, in order', async () => {
  for (let batch = 0; batch < 8; batch += 1) {
    const values = Array.from({ length: 25 }, (_, index) => ({
      fieldName: 'lastName',
      value: `Name ${batch * 25 + index}`,
    }))
    await callTool('talk-long', '/patient-intake/validate_intake_field', ...values)
  }
  const page = await openCall('talk-long')
  await log(page).getByText('Name 199', { exact: true }).first().waitFor()
  const said = await log(page)
    .getByRole('row', { name: /^value/ })
    .evaluateAll((rows) => rows.map((row) => row.querySelector('td')?.textContent))
  expect(said).toEqual(Array.from({ length: 200 }, (_, index) => `Name ${index}`))
})

test('the page of a call has no finding of axe, scrolls to no side, and what it shows does not jump', async () => {
  for (const [name, look] of Object.entries(LOOKS)) {
    const page = await openCall('talk-1', look)
    await turn(page, 'escalate_billing').waitFor()
    await settled(page)
    const stored = turn(page, 'update_registration_field').nth(1).getByRole('list', { name: 'Stored' })
    await stored.getByRole('button', { name: 'Changes' }).click()
    await stored.getByRole('row').first().waitFor()
    expect(await findingsOf(page)).toEqual([])
    expect(await fitsItsWidth(page)).toBe(true)
    await page.screenshot({ path: join(PICTURES, `call-${name}.png`), fullPage: true })
    await page.context().close()
  }
  const page = await openCall('talk-1')
  await turn(page, 'escalate_billing').waitFor()
  const shift = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { readonly value: number }).value
        }).observe({ type: 'layout-shift', buffered: true })
        setTimeout(() => resolve(sum), 500)
      }),
  )
  expect(shift).toBeLessThan(0.1)
})

test('no script fails, and nothing is stopped by the Content-Security-Policy', () => {
  expect(dashboard.complaints).toEqual([])
})
