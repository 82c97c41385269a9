/** escalate_billing: spec 2.3, 2.4 and 4.1 rule 6. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'
import { attachedTo, Caller } from '../caller.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const TOOL = 'escalate_billing'

test('bundles what is known about the call onto the patient’s record (4.1 rule 6)', async () => {
  const caller = new Caller(server, '+12125550190')
  await caller.use('update_registration_field', { firstName: 'Jane', lastName: 'Doe', email: 'jane@example.com' })
  await caller.use('submit_insurance_info', { payerName: 'First Insurer', memberId: 'XYZ-1235' })
  await caller.use('submit_insurance_info', { payerName: 'Acme Health', memberId: 'INACT-1' })
  await caller.use('record_self_pay_decision', { decision: 'self_pay_continue', selfPayPriceCents: 12999 })
  expect(await caller.use(TOOL, { reason: 'does not understand\n the bill' })).toEqual({
    success: true,
    code: 'escalated',
    say: 'I have passed this on to our billing team. They will get back to you.',
  })
  const focus = { reference: `Patient/${await caller.patientId()}` }
  const [task, ...more] = await caller.tasks()
  expect(more).toEqual([])
  expect(task).toMatchObject({
    status: 'requested',
    intent: 'order',
    priority: 'urgent',
    code: { coding: [{ code: 'billing-escalation', display: 'Billing escalation' }] },
    description: 'The caller asks for help with billing: does not understand the bill',
    focus,
    for: focus,
    encounter: { reference: `Encounter/${(await caller.encounter())?.id}` },
  })
  expect(attachedTo(task)).toEqual({
    reason: ['does not understand the bill'],
    'call-id': [caller.id],
    'caller-number': ['+12125550190'],
    'registration-status': ['ACTION_REQUIRED'],
    'missing-field': [
      'phone',
      'preferredLocation',
      'medicareStatus',
      'healthPlanName',
      'referralSource',
      'commsConsent',
    ],
    'insurance-status': ['INACTIVE'],
    'insurance-payer': ['Acme Health'],
    'self-pay-decision': ['self_pay_continue'],
    'self-pay-price-cents': [12999],
  })
})

test('as the first tool of a call it makes the placeholder that the Task is about', async () => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, {})).toMatchObject({ success: true })
  expect(await caller.patient()).toMatchObject({ active: false, meta: { tag: [{ code: 'placeholder' }] } })
  expect(await caller.tasks()).toMatchObject([{ description: 'The caller asks for help with billing.' }])
})

test('the reason is optional, and a blank one counts as none', async () => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, { reason: '  ' })).toMatchObject({ success: true })
  expect(attachedTo((await caller.tasks())[0]).reason).toBeUndefined()
})

test('two escalations are two Tasks', async () => {
  const caller = new Caller(server)
  await caller.use(TOOL, { reason: 'one' })
  await caller.use(TOOL, { reason: 'two' })
  expect((await caller.tasks()).map((task) => attachedTo(task).reason)).toEqual([['one'], ['two']])
})

describe('what is known of other callers stays out', () => {
  test('the Task holds nothing of another call', async () => {
    const other = new Caller(server)
    await other.use('submit_insurance_info', { payerName: 'Other Insurer', memberId: 'XYZ-9999' })
    await other.use('record_self_pay_decision', { decision: 'self_pay_continue', selfPayPriceCents: 1 })
    const caller = new Caller(server)
    await caller.use(TOOL, {})
    expect(Object.keys(attachedTo((await caller.tasks())[0]))).toEqual([
      'call-id',
      'registration-status',
      'missing-field',
    ])
  })
})

test('a reason that is not text is refused, and nothing is written', async () => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, { reason: 5 })).toMatchObject({ code: 'invalid-argument' })
  expect(await caller.encounter()).toBeUndefined()
})

test('a reason that is too long is cut with a mark, and the escalation is not lost', async () => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, { reason: 'the bill '.repeat(10_000) })).toMatchObject({ success: true })
  const [reason] = attachedTo((await caller.tasks())[0]).reason ?? []
  expect(reason).toMatch(/^the bill the bill .* \[…\]$/)
})

test('over FHIR staff raise it on the patient in the path', async () => {
  const { status } = await server.fhir('POST', '/Patient/abernathy-ruth/$escalate-billing', {
    resourceType: 'Parameters',
    parameter: [{ name: 'reason', valueString: 'asked at the desk' }],
  })
  expect(status).toBe(200)
  const { body } = await server.fhir('GET', '/Task?patient=abernathy-ruth&code=billing-escalation')
  expect(attachedTo(body.entry[0].resource).reason).toEqual(['asked at the desk'])
})
