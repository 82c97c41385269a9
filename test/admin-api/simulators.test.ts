/** The simulators of a CRM and of a messaging service, as the demo clinic has them: docs/simulators.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { OutboxEntry } from '../../src/integrations/outbox/dead-letters.ts'
import { MAX_SMS, SPECIAL_RECIPIENTS } from '../../src/integrations/simulators/recipients.ts'
import { Caller, INTAKE } from '../calls/caller.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const SECRET = { 'x-voice-secret': 'demo-secret' }
const OUTBOX = '/clinics/demo-clinic/outbox'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const entries = async (state: string, of = server): Promise<readonly OutboxEntry[]> =>
  (await of.fhir('GET', `${OUTBOX}?state=${state}`)).body.messages

/** The entry whose content has the text, once it is in one of the states. */
async function entryWith(text: string, isSettled: (entry: OutboxEntry) => boolean): Promise<OutboxEntry | undefined> {
  const pages = await Promise.all(['dead', 'waiting', 'sent'].map((state) => entries(state)))
  return pages.flat().find((entry) => JSON.stringify(entry).includes(text) && isSettled(entry))
}

const wasTried = ({ state, reason }: OutboxEntry): boolean => state === 'sent' || reason !== undefined

async function settled(text: string): Promise<OutboxEntry> {
  await until(async () => (await entryWith(text, wasTried)) !== undefined)
  return (await entryWith(text, wasTried)) as OutboxEntry
}

let count = 0

/** A call about a registration that somebody left, in which the link to go on is sent. */
async function sendLink(contact: { phone?: string; email?: string }, of = server): Promise<Record<string, unknown>> {
  count += 1
  const callId = `simulated-${count}`
  const form = { kind: 'form', stepReached: 'contact', fields: { plan: 'gold', visit: null }, consent: true }
  const entered = await request(of.url, 'POST', '/abandonments', { ...form, contact }, SECRET)
  const call = { callId, dialedNumber: '+12125550100', abandonment: entered.body.id }
  const registered = await request(of.url, 'POST', '/calls', call, SECRET)
  expect([entered.status, registered.status]).toEqual([201, 201])
  const channel = contact.email === undefined ? 'sms' : 'email'
  return of.tool('/abandonment-recovery/send_resume_link', { channel }, { 'x-call-id': callId })
}

/** By the part of the address before the `@`: what comes of it. */
const OUTCOMES: Readonly<Record<string, Pick<OutboxEntry, 'state' | 'reason'>>> = {
  bounce: { state: 'dead', reason: 'responded with 400' },
  slow: { state: 'waiting', reason: 'did not respond within 3000 ms' },
  throttle: { state: 'waiting', reason: 'responded with 429' },
  denied: { state: 'dead', reason: 'refuses the credentials of the clinic (401)' },
  down: { state: 'waiting', reason: 'responded with 503' },
  silent: { state: 'waiting', reason: 'cannot be reached' },
}
const ROWS = SPECIAL_RECIPIENTS.map((row) => [row.mailbox, row.number] as const)

const expectedOf = (mailbox: string, receiver: string) => {
  const { state, reason } = OUTCOMES[mailbox] ?? {}
  return { state, reason: expect.stringContaining(`${receiver} ${reason}`) }
}

describe('the recipient decides', () => {
  test('as the table of docs/simulators.md says, row by row', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/simulators.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` \| `(\+\d+)` \| (.*?) \|/gm)].map(([, ...cells]) => cells)
    const sayAnswer = ({ status, retryAfter, afterMs }: (typeof SPECIAL_RECIPIENTS)[number]['answer']) =>
      [
        status ?? 'none, the connection ends',
        ...(afterMs === undefined ? [] : [` after ${afterMs / 1000} seconds`]),
        ...(retryAfter === undefined ? [] : [`, \`Retry-After: ${retryAfter}\``]),
      ].join('')
    expect(rows).toEqual(SPECIAL_RECIPIENTS.map(({ mailbox, number, answer }) => [mailbox, number, sayAnswer(answer)]))
    expect(Object.keys(OUTCOMES)).toEqual(SPECIAL_RECIPIENTS.map(({ mailbox }) => mailbox))
  })

  test.each(ROWS)('%s@ and %s, of messages by e-mail and as text', async (mailbox, number) => {
    const email = `${mailbox}+${count}@example.com`
    const sent = await Promise.all([sendLink({ email }), sendLink({ phone: number })])
    expect(sent).toMatchObject([{ success: true }, { success: true }])
    const found = await Promise.all([settled(`"${email}"`), settled(`"to":"${number}"`)])
    const expected = expectedOf(mailbox, 'the messaging service')
    expect(found).toMatchObject([
      { ...expected, type: 'message', message: { channel: 'email', to: email } },
      { ...expected, type: 'message', message: { channel: 'sms', to: number } },
    ])
  })

  test.each(ROWS)('%s@ and %s, of contacts for the CRM', async (mailbox, number) => {
    const byEmail = { ...INTAKE, email: `${mailbox}@example.org` }
    const byPhone = { ...INTAKE, email: `of.${mailbox}@example.org`, phone: number }
    const results = await Promise.all(
      [byEmail, byPhone].map((intake) => new Caller(server).use('submit_intake', intake)),
    )
    expect(results).toMatchObject([{ error: 'crm sync failed' }, { error: 'crm sync failed' }])
    const found = await Promise.all([settled(`"${byEmail.email}"`), settled(`"${byPhone.email}"`)])
    const expected = expectedOf(mailbox, 'the CRM')
    expect(found).toMatchObject([
      { ...expected, type: 'contact', contact: { email: byEmail.email } },
      { ...expected, type: 'contact', contact: { phone: number } },
    ])
  })

  test('Retry-After is kept to', async () => {
    await sendLink({ email: 'throttle+later@example.com' })
    const { nextTry = '', stagedAt = '' } = await settled('throttle+later@example.com')
    expect(Date.parse(nextTry) - Date.parse(stagedAt)).toBeGreaterThanOrEqual(60_000)
  })

  test('what was given up can be sent again, and is given up again', async () => {
    await sendLink({ email: 'bounce+again@example.com' })
    const { messageId } = await settled('bounce+again@example.com')
    expect((await server.fhir('POST', `${OUTBOX}/${messageId}/$resend`)).status).toBe(202)
    await until(async () => (await entries('dead')).some((one) => one.messageId === messageId))
  })
})

describe('any other recipient', () => {
  test('has the intake in the CRM, and the message with its link', async () => {
    expect(await new Caller(server).use('submit_intake', { ...INTAKE, email: 'zoe@example.com' })).toMatchObject({
      success: true,
      code: 'intake-submitted',
    })
    expect(await settled('zoe@example.com')).toMatchObject({
      type: 'contact',
      state: 'sent',
      tries: 1,
      sentAt: expect.stringMatching(/Z$/),
      contact: { email: 'zoe@example.com', firstName: INTAKE.firstName },
    })
    await sendLink({ phone: '+12125550162' })
    expect(await settled('+12125550162')).toMatchObject({
      state: 'sent',
      message: {
        channel: 'sms',
        to: '+12125550162',
        text: 'Maple Street Family Clinic: continue where you left off',
        link: expect.stringMatching(/\/resume\/[\w-]{32}$/),
      },
    })
  })

  test('that only resembles a special one is one of them', async () => {
    for (const email of ['bouncer@example.com', 'mary+bounce@example.com', 'bounce.mary@example.com']) {
      await sendLink({ email })
      expect((await settled(`"${email}"`)).state).toBe('sent')
    }
  })
})

const KEY = `whsec_${Buffer.from('demo-secret').toString('base64')}`

/** A signed webhook. */
function post(system: string, event: unknown, { key = KEY, of = server }: { key?: string; of?: TestServer } = {}) {
  const now = new Date()
  const body = typeof event === 'string' ? event : JSON.stringify(event)
  return request(of.url, 'POST', `/simulators/${system}`, body, {
    'content-type': 'application/json',
    'webhook-id': 'message-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(key).sign('message-1', now, body),
  })
}
const message = (data: object) => ({
  type: 'message.requested',
  data: { channel: 'sms', to: '+12125550161', text: 'Hello', ...data },
})
const contact = { type: 'intake.submitted', data: { email: 'john@example.com' } }

describe('over HTTP', () => {
  test.each([
    ['crm', 'a contact', contact],
    ['messages', 'a text message', message({})],
    ['messages', 'one of 1,600 characters', message({ text: 'x'.repeat(MAX_SMS) })],
    ['messages', 'a longer e-mail', message({ channel: 'email', to: 'a@example.com', text: 'x'.repeat(MAX_SMS + 1) })],
    ['crm', 'a trial of the connector', { type: 'connection.test', data: { clinic: 'demo-clinic' } }],
  ])('%s takes %s', async (system, _what, event) => {
    expect((await post(system, event)).status).toBe(204)
  })

  test.each([
    ['a text message of more than 1,600 characters', message({ text: 'x'.repeat(MAX_SMS + 1) }), 413],
    ['a body of more than 20 kB', message({ text: 'x'.repeat(20_000) }), 413],
    ['a contact, as it is no message', contact, 400],
    ['a message without a recipient', message({ to: undefined }), 400],
    ['a message by post', message({ channel: 'letter' }), 400],
    ['a list', [], 400],
    ['a body that is not JSON', '{', 400],
  ])('messages refuses %s', async (_what, event, status) => {
    const answer = await post('messages', event)
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['error']])
  })

  test('refuses a signature with another secret, and none', async () => {
    const key = `whsec_${Buffer.from('another secret').toString('base64')}`
    expect((await post('messages', message({}), { key })).status).toBe(401)
    expect((await request(server.url, 'POST', '/simulators/crm', contact)).status).toBe(401)
  })

  test('of an unknown system is 404, as all are outside of demo mode', async () => {
    expect((await post('fax', message({}))).status).toBe(404)
    const earnest = await startServer({
      DEMO: 'off',
      WEBHOOK_SECRET: 'demo-secret-of-16-signs',
      JWT_SECRET: 'x'.repeat(40),
    })
    try {
      for (const system of ['messages', 'crm', 'insurance'])
        expect((await post(system, message({}), { of: earnest })).status).toBe(404)
    } finally {
      await earnest.close()
    }
  })
})

describe('two clinics', () => {
  let clinics: TwoClinics
  beforeAll(async () => {
    clinics = await startTwoClinics()
  })
  afterAll(() => clinics.server.close())

  test('do not see what the other has sent', async () => {
    await sendLink({ email: 'ruth@example.com' }, clinics.server)
    await until(async () => JSON.stringify(await entries('sent', clinics.server)).includes('ruth@example.com'))
    expect((await clinics.theirs('GET', `${OUTBOX}?state=sent`)).status).toBe(403)
    const { body } = await clinics.theirs('GET', '/clinics/other-clinic/outbox?state=sent')
    expect(body).toEqual({ messages: [] })
  })
})
