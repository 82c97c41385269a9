/**
 * The whole loop of the demo clinic, as it is after its start: an intake is in the CRM, a link is in a message, and its page
 * leads on to what was left unfinished. docs/abandonment.md#resume-links
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { Caller, INTAKE } from '../calls/caller.ts'
import { request } from '../support/request.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'

const SECRET = { 'x-voice-secret': 'demo-secret' }
const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

let server: TestServer
let now: number | undefined
beforeAll(async () => {
  server = await startServer({}, { clock: () => now ?? Date.now() })
})
afterAll(() => server.close())

interface Sent {
  readonly contact?: Readonly<Record<string, string>>
  readonly message?: { readonly to: string; readonly link: string }
}

const sent = async (): Promise<readonly Sent[]> =>
  (await server.fhir('GET', '/clinics/demo-clinic/outbox?state=sent')).body.messages

let count = 0

/** Somebody leaves a form, is called, and gets a link by e-mail. @returns its path, and Task.id */
async function linkFor(form: object): Promise<{ readonly path: string; readonly id: string }> {
  count += 1
  const email = `ruth${count}@example.com`
  const body = { stepReached: 'contact', consent: true, contact: { email }, ...form }
  const entered = await request(server.url, 'POST', '/abandonments', body, SECRET)
  const { id } = entered.body
  const call = { callId: `resumed-${count}`, dialedNumber: '+12125550100', abandonment: id }
  const registered = await request(server.url, 'POST', '/calls', call, SECRET)
  expect([entered.body, registered.status]).toEqual([{ id: expect.any(String) }, 201])
  const path = '/abandonment-recovery/send_resume_link'
  const result = await server.tool(path, { channel: 'email' }, { 'x-call-id': call.callId })
  expect(result).toMatchObject({ success: true, sentTo: 'r***@example.com' })
  const find = async () => (await sent()).find(({ message }) => message?.to === email)?.message?.link
  await until(async () => (await find()) !== undefined)
  return { id, path: new URL((await find()) ?? '').pathname }
}

interface Page {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

/** As a browser asks, which does not follow a redirection here. @param fields of a form that is sent */
async function open(path: string, fields?: Readonly<Record<string, string>>): Promise<Page> {
  const how = { headers: HTML, redirect: 'manual' as const }
  const form = fields && { method: 'POST', body: new URLSearchParams(fields) }
  const answer = await fetch(`${server.url}${path}`, { ...how, ...form })
  return { status: answer.status, text: await answer.text(), headers: answer.headers }
}

/** Presses the button of the page of a link. @returns the path of the form */
async function goOn(path: string): Promise<string> {
  const { status, headers } = await open(path, {})
  expect(status).toBe(303)
  return new URL(headers.get('location') ?? '', `${server.url}${path}`).pathname
}

const FORM = { kind: 'form', fields: { plan: 'gold <b>plus</b>', email: null, startDate: null } }

test('after the start of the demo: the intake is in the CRM, the message has a link, and the registration is completed on its page', async () => {
  const intake = { ...INTAKE, email: 'loop@example.com' }
  expect(await new Caller(server).use('submit_intake', intake)).toMatchObject({
    success: true,
    code: 'intake-submitted',
  })
  expect((await sent()).map(({ contact }) => contact?.email)).toContain('loop@example.com')

  const known = { firstName: 'Ruth', lastName: 'Larkin', phone: '+12125550167' }
  const others = { preferredLocation: null, medicareStatus: 'none' }
  const more = { healthPlanName: 'Acme', referralSource: 'a friend' }
  const fields = { ...known, ...others, ...more }
  const { path, id } = await linkFor({ kind: 'registration', fields })
  expect((await open(path)).text).toContain('Continue where you left off')
  const form = await goOn(path)
  const asked = await open(form)
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('<dt>First name</dt><dd>Ruth</dd>')])
  const names = [...asked.text.matchAll(/id="field-\d" name="(\w+)"/g)].map(([, name = '']) => name)
  expect(names).toEqual(['preferredLocation', 'commsConsent'])
  const answers = Object.fromEntries(names.map((name) => [name, name === 'commsConsent' ? 'yes' : 'Main Street']))
  expect((await open(form, answers)).status).toBe(303)
  const done = await open(form)
  expect([done.status, done.text]).toEqual([200, expect.stringContaining('Nothing is missing any more')])
  const { body: task } = await server.fhir('GET', `/Task/${id}`)
  expect(task.status).toBe('completed')
  const { body: patient }: { body: Patient } = await server.fhir('GET', `/${task.for.reference}`)
  expect(patient.active).toBe(true)
  expect(JSON.stringify(patient)).toContain('Main Street')
})

describe('the page of a link', () => {
  test('is the same whatever the token is, and changes nothing', async () => {
    const { path } = await linkFor(FORM)
    const pages = await Promise.all([open(path), open(path), open(`/resume/${'a'.repeat(32)}`)])
    expect(new Set(pages.map(({ text }) => text)).size).toBe(1)
    expect(pages.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(pages[0]?.text).not.toContain('gold')
    expect((await open(path, {})).status).toBe(303)
  })

  test('has no script, and a policy that allows none', async () => {
    const { path } = await linkFor(FORM)
    const form = await goOn(path)
    for (const { text, headers } of [await open(path), await open(form), await open(path, {})]) {
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /)
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
      expect(text).not.toContain('<script')
      expect(text).toContain('name="viewport"')
    }
  })

  test('leads on once; a link that is used, is a form or never was one has one page of 404', async () => {
    const { path } = await linkFor(FORM)
    const form = await goOn(path)
    const asLink = form.replace(/\/form$/, '')
    const refused = await Promise.all([
      open(path, {}),
      open(asLink, {}),
      open(`/resume/${'a'.repeat(32)}`, {}),
      open('/resume/x', {}),
      open(`${path}/form`),
      open(`/resume/${'a'.repeat(32)}/form`, { email: 'a@example.com' }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
    expect(new Set(refused.map(({ text }) => text)).size).toBe(1)
    expect(refused[0]?.text).toContain('This link is not valid')
    expect((await open(form)).status).toBe(200)
  })

  test('gives JSON to a program, as before', async () => {
    const { path } = await linkFor(FORM)
    const { status, body } = await request(server.url, 'POST', path)
    expect([status, body]).toEqual([
      200,
      {
        kind: 'form',
        stepReached: 'contact',
        fields: { plan: 'gold <b>plus</b>' },
        missingFields: ['email', 'startDate'],
      },
    ])
    expect((await request(server.url, 'POST', path)).body).toMatchObject({ code: 'link-not-valid' })
  })
})

describe('the form', () => {
  test('shows texts as texts, keeps what can be saved, and says what is wrong at its field', async () => {
    const form = await goOn((await linkFor(FORM)).path)
    const answer = await open(form, { email: '"><i>nothing', startDate: 'next month', plan: 'silver', more: 'x' })
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('<dd>gold &lt;b&gt;plus&lt;/b&gt;</dd>')
    expect(answer.text).toContain('<dd>next month</dd>')
    expect(answer.text).toMatch(/name="email" aria-invalid="true" aria-describedby="field-0-problem"/)
    expect(answer.text).toContain('value="&quot;&gt;&lt;i&gt;nothing"')
    expect(answer.text).not.toContain('silver')
    expect((await open(form, { email: 'ruth@example.com' })).status).toBe(303)
    expect((await open(form)).text).toContain('Nothing is missing any more')
  })

  test('that is sent empty asks again', async () => {
    const form = await goOn((await linkFor(FORM)).path)
    expect((await open(form, { email: ' ' })).status).toBe(303)
    expect((await open(form)).text).toContain('name="email"')
  })

  test.each([
    ['JSON', { 'content-type': 'application/json' }, '{}', 415],
    ['more than 100 kB', { 'content-type': 'application/x-www-form-urlencoded' }, `email=${'x'.repeat(100_001)}`, 413],
  ])('refuses %s', async (_what, headers, body, status) => {
    const form = await goOn((await linkFor(FORM)).path)
    expect((await fetch(`${server.url}${form}`, { method: 'POST', headers, body })).status).toBe(status)
  })

  test('that is closed by staff meanwhile shows and takes nothing', async () => {
    const { path, id } = await linkFor(FORM)
    const form = await goOn(path)
    const { body: task } = await server.fhir('GET', `/Task/${id}`)
    await server.fhir('PUT', `/Task/${id}`, { ...task, status: 'cancelled' })
    expect((await open(form, { email: 'late@example.com' })).status).toBe(303)
    expect((await open(form)).text).not.toContain('gold')
    const { body } = await server.fhir('GET', `/QuestionnaireResponse?subject=${task.for.reference}`)
    expect(JSON.stringify(body)).not.toContain('late@example.com')
  })

  test('ends after an hour, and a link when it expires', async () => {
    const [opened, unused] = [await linkFor(FORM), await linkFor(FORM)]
    const form = await goOn(opened.path)
    try {
      now = Date.now() + 3_600_000
      expect((await open(form)).status).toBe(404)
      expect((await open(form, { email: 'late@example.com' })).status).toBe(404)
      now = Date.now() + 72 * 3_600_000
      expect((await open(unused.path, {})).status).toBe(404)
    } finally {
      now = undefined
    }
  })

  test('is in the journal and the audit trail without its token', async () => {
    const { path } = await linkFor(FORM)
    const form = await goOn(path)
    const tokens = [path.split('/').at(-1) ?? '', form.split('/').at(-2) ?? '']
    const { headers } = await open(form, { email: 'kept@example.com' })
    const exchange = `/clinics/demo-clinic/exchanges/${headers.get('x-request-id')}`
    await until(async () => (await server.fhir('GET', exchange)).status === 200)
    const texts = await Promise.all(['/clinics/demo-clinic/exchanges', exchange].map((one) => server.fhir('GET', one)))
    for (const { text } of texts) for (const token of tokens) expect(text).not.toContain(token)
  })
})
