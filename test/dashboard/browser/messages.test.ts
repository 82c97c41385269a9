/** The page of messages: what the simulators of the demo clinic have taken or refused, and the link of a message. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { INTAKE } from '../../calls/caller.ts'
import {
  type Dashboard,
  findingsInBothSchemes,
  findingsOf,
  fitsItsWidth,
  startDashboard,
} from '../../support/dashboard.ts'
import { request } from '../../support/request.ts'

let dashboard: Dashboard
/** The folder of the pictures, for people to look at. */
const PICTURES = join(import.meta.dirname, '../../../coverage/dashboard')

beforeAll(async () => {
  mkdirSync(PICTURES, { recursive: true })
  dashboard = await startDashboard()
})
afterAll(() => dashboard?.close())

const SECRET = { 'x-voice-secret': 'demo-secret' }

let count = 0
const submitIntake = (changes: object) => {
  count += 1
  return dashboard.server.tool(
    '/patient-intake/submit_intake',
    { ...INTAKE, ...changes },
    { 'x-call-id': `in-${count}` },
  )
}

/** A call about a form that somebody left, in which the link to go on is sent. */
async function sendLink(contact: { readonly phone?: string; readonly email?: string }) {
  count += 1
  const form = { kind: 'form', stepReached: 'contact', fields: { plan: 'gold', email: null }, consent: true, contact }
  const { body } = await request(dashboard.server.url, 'POST', '/abandonments', form, SECRET)
  const call = { callId: `link-${count}`, dialedNumber: '+12125550100', abandonment: body.id }
  await request(dashboard.server.url, 'POST', '/calls', call, SECRET)
  const channel = contact.phone === undefined ? 'email' : 'sms'
  return dashboard.server.tool('/abandonment-recovery/send_resume_link', { channel }, { 'x-call-id': call.callId })
}

test('what is sent while the page is open appears on it, with text and link', async () => {
  const page = await dashboard.signedIn('/messages')
  await page.getByText('Nothing was sent yet').waitFor()
  expect(await submitIntake({ email: 'zoe@example.com' })).toMatchObject({ success: true })
  const contact = page.getByRole('row', { name: /Contact for the CRM/ })
  await contact.getByText('zoe@example.com').waitFor()
  await contact.getByText('sent', { exact: true }).waitFor()
  expect(await sendLink({ phone: '+12125550163' })).toMatchObject({ success: true })
  const message = page.getByRole('row', { name: /Text message to/ })
  await message.getByText('+1 212 555 0163').waitFor()
  await message.getByText('Maple Street Family Clinic: continue where you left off').waitFor()
  const link = message.getByRole('link', { name: /\/resume\// })
  expect(await link.getAttribute('href')).toMatch(/^http.*\/resume\/[\w-]{32}$/)
  expect(await findingsOf(page)).toEqual([])
})

test('the link leads to a page on which a phone goes on with what was left unfinished', async () => {
  await sendLink({ email: 'ruth@example.com' })
  const page = await dashboard.signedIn('/messages?state=sent')
  const message = page.getByRole('row', { name: /ruth@example\.com/ })
  const link = await message.getByRole('link', { name: /\/resume\// }).getAttribute('href')
  const phone = await dashboard.open('', { viewport: { width: 375, height: 740 } })
  const looksRight = async (picture: string) => {
    expect(await findingsOf(phone)).toEqual([])
    expect(await fitsItsWidth(phone)).toBe(true)
    await phone.screenshot({ path: join(PICTURES, `${picture}.png`) })
  }
  // The server of a test has a port that its configuration does not know.
  const path = new URL(link ?? '').pathname
  await phone.goto(`${dashboard.server.url}${path}`)
  await looksRight('resume')
  await phone.getByRole('button', { name: 'Continue' }).click()
  await phone.getByRole('heading', { name: 'Maple Street Family Clinic' }).waitFor()
  await phone.getByRole('definition').getByText('gold').waitFor()
  await phone.getByLabel('Email').fill('nothing')
  await phone.getByRole('button', { name: 'Save' }).click()
  await phone.locator('[aria-invalid=true]').waitFor()
  await looksRight('resume-form')
  await phone.getByLabel('Email').fill('ruth@example.com')
  await phone.getByRole('button', { name: 'Save' }).click()
  await phone.getByRole('status').getByText('Nothing is missing any more').waitFor()
  await looksRight('resume-done')
  await phone.goto(`${dashboard.server.url}${path}`)
  await phone.getByRole('button', { name: 'Continue' }).click()
  await phone.getByRole('heading', { name: 'This link is not valid' }).waitFor()
  await looksRight('resume-used')
})

test('what was given up says why, and can be sent again; the state is in the address', async () => {
  await submitIntake({ email: 'bounce@example.com', address: '12 <b>Elm</b> Street' })
  await submitIntake({ email: 'down@example.com' })
  const page = await dashboard.signedIn('/messages')
  const refused = page.getByRole('row', { name: /the CRM responded with 400/ })
  await refused.getByText('12 <b>Elm</b> Street').waitFor()
  const waiting = page.getByRole('row', { name: /the CRM responded with 503/ })
  await waiting.getByText('next try').waitFor()
  const sentAgain = page.waitForResponse((answer) => answer.url().endsWith('/$resend') && answer.status() === 202)
  await refused.getByRole('button', { name: 'Send again' }).click()
  await sentAgain
  await page.getByRole('alert').filter({ hasText: 'The delivery failed again: the CRM responded with 400' }).waitFor()
  await refused.getByText('given up').waitFor()
  await refused.getByText('1 earlier').click()
  const attempts = refused.getByRole('link', { name: 'Request' })
  expect(await attempts.count()).toBe(2)
  expect(await findingsInBothSchemes(page)).toEqual([])
  await page.screenshot({ path: join(PICTURES, 'messages-attempts.png'), fullPage: true })
  await attempts.first().click()
  await page.getByRole('heading', { name: /simulators\/crm/ }).waitFor()
  await page.getByText('400', { exact: true }).first().waitFor()
  await page.goBack()
  await page.getByText('Waiting', { exact: true }).click()
  await refused.waitFor({ state: 'detached' })
  expect(new URL(page.url()).searchParams.get('state')).toBe('waiting')
  await page.reload()
  await waiting.waitFor()
})

test('it fits a phone', async () => {
  const page = await dashboard.signedIn('/messages', { viewport: { width: 375, height: 740 } })
  await page
    .getByRole('row', { name: /Contact for the CRM/ })
    .first()
    .waitFor()
  expect(await fitsItsWidth(page)).toBe(true)
})

test('nothing that the page does is stopped by its Content-Security-Policy, and no script fails', () => {
  expect(dashboard.complaints).toEqual([])
})
