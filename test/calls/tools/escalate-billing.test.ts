/** escalate_billing: spec 2.3, 2.4 and 4.1 rule 6. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Task } from 'fhir/r4'
import { startServer, type TestServer } from '../../support/server.ts'
import { ALL_FIELDS, attachedTo, Caller, INTAKE } from '../caller.ts'

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
    name: ['Jane Doe'],
    email: ['jane@example.com'],
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
    'insurance-member-id': ['INACT-1'],
    'insurance-message': ['The policy is no longer active'],
    coverage: [{ reference: expect.stringMatching(/^Coverage\//) }],
    'insurance-response': [{ reference: expect.stringMatching(/^CoverageEligibilityResponse\//) }],
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

test('holds the identity outcomes, contact details, copayment and documents of the call', async () => {
  const caller = new Caller(server)
  await caller.use('resolve_patient_identity', { statedName: 'Nobody Known' })
  await caller.use('resolve_patient_identity', { statedName: 'Ruth Abernathy' })
  await caller.use('verify_patient', { statedName: 'Ruth Abernathy', statedDateOfBirth: '1950-01-01' })
  await caller.use('submit_intake', INTAKE)
  await caller.use('submit_insurance_info', { payerName: 'Acme Health', memberId: 'XYZ-1235' })
  const { id } = (await caller.encounter()) ?? {}
  const { status, body } = await server.fhir('POST', '/DocumentReference', {
    resourceType: 'DocumentReference',
    status: 'current',
    subject: { reference: `Patient/${await caller.patientId()}` },
    context: { encounter: [{ reference: `Encounter/${id}` }] },
    content: [{ attachment: { contentType: 'text/plain', url: 'https://voice.example/transcripts/1' } }],
  })
  expect(status).toBe(201)
  await caller.use(TOOL, { reason: 'the bill' })
  const [task] = await caller.find<Task>(`Task?patient=${await caller.patientId()}&code=billing-escalation`)
  expect(attachedTo(task)).toMatchObject({
    name: ['John Roe'],
    'date-of-birth': ['1980-03-03'],
    phone: ['+12125550124'],
    email: ['john.roe@example.com'],
    address: ['12 Elm Street, Springfield'],
    'patient-type': ['EXISTING'],
    'match-grade': ['possible'],
    verification: ['not-verified'],
    'insurance-status': ['VERIFIED'],
    'insurance-member-id': ['XYZ-1235'],
    transcript: [{ reference: `DocumentReference/${body.id}` }],
  })
  expect(attachedTo(task)['identity-outcome']).toHaveLength(2)
})

test('holds what the caller stated for the registration and of the visit', async () => {
  const caller = new Caller(server)
  await caller.use('update_registration_field', { ...ALL_FIELDS, commsConsent: 'no' })
  await caller.use('submit_intake', { ...INTAKE, firstName: 'Jane', lastName: 'Doe' })
  await caller.use(TOOL, {})
  const [task] = await caller.find<Task>(`Task?patient=${await caller.patientId()}&code=billing-escalation`)
  expect(attachedTo(task)).toMatchObject({
    'preferred-location': ['Downtown'],
    'medicare-status': ['not enrolled'],
    'health-plan-name': ['Blue Harbor Gold'],
    'referral-source': ['a friend'],
    'communication-consent': [false],
    'reason-for-visit': ['a cough for two weeks'],
    'registration-status': ['COMPLETE'],
  })
})

describe('a second escalation of a call adds to the first', () => {
  const close = async (task: Task | undefined, more: object) => {
    const { status, text } = await server.fhir('PUT', `/Task/${task?.id}`, { ...task, ...more })
    if (status !== 200) throw new Error(text)
  }

  test('one Task has all reasons in order, and what was learned meanwhile', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { reason: 'one' })
    await caller.use('update_registration_field', { email: 'jane@example.com' })
    await caller.use(TOOL, { reason: 'two' })
    await caller.use('record_self_pay_decision', { decision: 'billing_escalation', selfPayPriceCents: 500 })
    await caller.use(TOOL, { reason: 'two' })
    await caller.use(TOOL, {})
    const [task, ...more] = await caller.tasks()
    expect(more).toEqual([])
    expect(attachedTo(task)).toMatchObject({
      reason: ['one', 'two', 'was quoted a self-pay price and wants to talk to billing'],
      email: ['jane@example.com'],
      'self-pay-decision': ['billing_escalation'],
      'self-pay-price-cents': [500],
    })
    expect(task?.description).toMatch(/one; two; was quoted/)
  })

  test('one that staff work on stays theirs', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { reason: 'one' })
    const [task] = await caller.tasks()
    await server.fhir('POST', `/Task/${task?.id}/$claim`)
    expect(await caller.use(TOOL, { reason: 'two' })).toMatchObject({ success: true })
    expect(await caller.tasks()).toMatchObject([
      { id: task?.id, status: 'in-progress', owner: { display: expect.any(String) } },
    ])
  })

  test('one that staff have closed is opened again, without the outcome it had', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { reason: 'one' })
    const [task] = await caller.tasks()
    const parameter = [{ name: 'outcome', valueCodeableConcept: { text: 'called back' } }]
    await server.fhir('POST', `/Task/${task?.id}/$complete`, { resourceType: 'Parameters', parameter })
    expect(await caller.use(TOOL, { reason: 'two' })).toMatchObject({ success: true })
    const [opened, ...more] = await caller.tasks()
    expect(more).toEqual([])
    expect(opened).toMatchObject({ id: task?.id, status: 'requested' })
    expect([opened?.output, opened?.executionPeriod]).toEqual([undefined, undefined])
    expect(attachedTo(opened).reason).toEqual(['one', 'two'])
  })

  test('one that staff have cancelled, too', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, {})
    await close((await caller.tasks())[0], { status: 'cancelled' })
    await caller.use(TOOL, {})
    expect(await caller.tasks()).toMatchObject([{ status: 'requested' }])
  })

  test('of many at the same time no reason is lost', async () => {
    const caller = new Caller(server)
    const reasons = Array.from({ length: 8 }, (_, n) => `reason ${n}`)
    await Promise.all(reasons.map((reason) => caller.use(TOOL, { reason })))
    const [task, ...more] = await caller.tasks()
    expect(more).toEqual([])
    expect([...(attachedTo(task).reason ?? [])].sort()).toEqual(reasons)
  })

  test('of more than 50 reasons it has the latest 50', async () => {
    const caller = new Caller(server)
    for (let n = 0; n < 52; n += 1) await caller.use(TOOL, { reason: `reason ${n}` })
    const reasons = attachedTo((await caller.tasks())[0]).reason ?? []
    expect([reasons.length, reasons[0], reasons.at(-1)]).toEqual([50, 'reason 2', 'reason 51'])
  })

  test('and another call has its own', async () => {
    const number = '+12125550194'
    for (const reason of ['one', 'two']) {
      const caller = new Caller(server, number)
      await caller.use('update_registration_field', { firstName: 'Jane', lastName: 'Doe' })
      await caller.use(TOOL, { reason })
      await caller.end()
    }
    const caller = new Caller(server, number)
    await caller.use('update_registration_field', { firstName: 'Jane', lastName: 'Doe', email: 'jane@example.com' })
    expect((await caller.tasks()).map((task) => attachedTo(task).reason)).toEqual([['one'], ['two']])
  })
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
  expect(await caller.use(TOOL, { reason: ['5'] })).toMatchObject({ code: 'invalid-argument' })
  expect(await caller.encounter()).toBeUndefined()
})

test.each([5, true])('the reason %j is kept as text', async (reason) => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, { reason })).toMatchObject({ success: true })
  expect(attachedTo((await caller.tasks())[0]).reason).toEqual([String(reason)])
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
