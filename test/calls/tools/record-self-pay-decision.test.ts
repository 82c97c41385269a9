/** record_self_pay_decision: spec 2.3, 3 and 4.1 rule 5. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Coverage } from 'fhir/r4'
import { startServer, type TestServer } from '../../support/server.ts'
import { attachedTo, Caller } from '../caller.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const TOOL = 'record_self_pay_decision'
const BASE = 'https://sandbox-emr.example/fhir/StructureDefinition'

const selfPay = async (caller: Caller) =>
  caller.find<Coverage>(
    `Coverage?beneficiary=${await caller.patientId()}&type=http://terminology.hl7.org/CodeSystem/coverage-selfpay|pay`,
  )

describe('the decision is recorded as a Coverage of type self-pay', () => {
  test('self_pay_continue with the quoted price as given, and no Task', async () => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, { decision: 'self_pay_continue', selfPayPriceCents: 12999 })).toEqual({
      success: true,
      code: 'self-pay-continue',
      say: 'Thank you, I have noted that you will pay for this yourself.',
      values: { selfPayPriceCents: 12999 },
    })
    const patient = { reference: `Patient/${await caller.patientId()}` }
    expect(await selfPay(caller)).toMatchObject([
      {
        status: 'active',
        beneficiary: patient,
        payor: [patient],
        extension: [{ url: `${BASE}/self-pay-decision`, valueCode: 'self_pay_continue' }],
        costToBeneficiary: [
          { extension: [{ url: `${BASE}/self-pay-price-cents`, valueInteger: 12999 }], valueMoney: { value: 129.99 } },
        ],
      },
    ])
    expect(await caller.tasks()).toEqual([])
  })

  test('billing_escalation also raises an urgent Task with decision and price', async () => {
    const caller = new Caller(server, '+12125550180')
    const result = await caller.use(TOOL, { decision: 'billing_escalation', selfPayPriceCents: 50 })
    expect(result).toMatchObject({ success: true, code: 'billing-escalation' })
    expect(await selfPay(caller)).toMatchObject([{ status: 'draft', extension: [{ valueCode: 'billing_escalation' }] }])
    const [task, ...more] = await caller.tasks()
    expect(more).toEqual([])
    expect(task).toMatchObject({
      status: 'requested',
      priority: 'urgent',
      code: { coding: [{ code: 'billing-escalation' }] },
    })
    expect(attachedTo(task)).toMatchObject({
      'self-pay-decision': ['billing_escalation'],
      'self-pay-price-cents': [50],
      'caller-number': ['+12125550180'],
      'call-id': [caller.id],
    })
  })

  test('the price is optional, and a later decision without one keeps the one that was quoted', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { decision: 'billing_escalation' })
    expect((await selfPay(caller))[0]?.costToBeneficiary).toBeUndefined()
    await caller.use(TOOL, { decision: 'billing_escalation', selfPayPriceCents: 7500 })
    await caller.use(TOOL, { decision: 'self_pay_continue' })
    expect(await selfPay(caller)).toMatchObject([
      { status: 'active', meta: { versionId: '3' }, costToBeneficiary: [{ valueMoney: { value: 75 } }] },
    ])
  })

  test.each([
    [0, 0],
    [1, 0.01],
    [12999, 129.99],
    [2_147_483_647, 21_474_836.47],
  ])('a price of %d cents is kept as given', async (selfPayPriceCents, value) => {
    const caller = new Caller(server)
    await caller.use(TOOL, { decision: 'self_pay_continue', selfPayPriceCents })
    expect(await selfPay(caller)).toMatchObject([
      { costToBeneficiary: [{ extension: [{ valueInteger: selfPayPriceCents }], valueMoney: { value } }] },
    ])
  })

  test('a price with parts of a cent is kept as given, on its Task too', async () => {
    const caller = new Caller(server)
    const args = { decision: 'billing_escalation', selfPayPriceCents: 99.5 }
    expect(await caller.use(TOOL, args)).toMatchObject({ success: true, values: { selfPayPriceCents: 99.5 } })
    expect(await selfPay(caller)).toMatchObject([
      { costToBeneficiary: [{ extension: [{ valueDecimal: 99.5 }], valueMoney: { value: 0.995 } }] },
    ])
    const [task] = await caller.tasks()
    expect(attachedTo(task)).toMatchObject({ 'self-pay-price-cents': [99.5] })
  })
})

test.each([
  ['SELF_PAY_CONTINUE', 'self-pay-continue'],
  ['self pay continue', 'self-pay-continue'],
  ['Self-pay: continue', 'self-pay-continue'],
  ['selfPayContinue', 'self-pay-continue'],
  ['Billing escalation', 'billing-escalation'],
])('the decision may be written as %s', async (decision, code) => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, { decision, selfPayPriceCents: 'N/A' })).toMatchObject({ success: true, code })
  const [coverage] = await selfPay(caller)
  expect(coverage).toMatchObject({ extension: [{ valueCode: code.replaceAll('-', '_') }] })
  expect(coverage?.costToBeneficiary).toBeUndefined()
})

test('a price in cents that is negative or not certain is told that it is a number from 0 on', async () => {
  for (const selfPayPriceCents of [-1, 'twelve ninety nine', 2 ** 31]) {
    const { error } = await new Caller(server).use(TOOL, { decision: 'self_pay_continue', selfPayPriceCents })
    expect(error).toMatch(/selfPayPriceCents: The value must be a number between 0 and 2147483647/)
  }
})

describe('any other value is an error, and nothing is written', () => {
  test.each([
    ['no decision', {}, 'missing-argument', 'decision'],
    ['another decision', { decision: 'self_pay' }, 'invalid-argument', 'self_pay_continue, billing_escalation'],
    ['a part of a decision', { decision: 'CONTINUE' }, 'invalid-argument', 'decision'],
    ['two decisions', { decision: 'self_pay_continue or billing_escalation' }, 'invalid-argument', 'decision'],
    ['a decision that is not text', { decision: true }, 'invalid-argument', 'decision'],
    [
      'a negative price',
      { decision: 'self_pay_continue', selfPayPriceCents: -1 },
      'invalid-argument',
      'selfPayPriceCents',
    ],
    [
      'a text with a fraction and no unit, which may be dollars',
      { decision: 'self_pay_continue', selfPayPriceCents: '99.5' },
      'invalid-argument',
      'selfPayPriceCents',
    ],
    [
      'a price in words',
      { decision: 'self_pay_continue', selfPayPriceCents: 'a hundred' },
      'invalid-argument',
      'selfPayPriceCents',
    ],
    [
      'a price that is too large',
      { decision: 'self_pay_continue', selfPayPriceCents: 2 ** 31 },
      'invalid-argument',
      'selfPayPriceCents',
    ],
  ])('%s', async (_what, args, code, named) => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, args)).toMatchObject({
      success: false,
      code,
      error: expect.stringContaining(named),
      say: expect.any(String),
    })
    expect(await caller.encounter()).toBeUndefined()
  })
})

test('over FHIR staff record it on the patient in the path', async () => {
  const { status, body } = await server.fhir('POST', '/Patient/brooks-denise/$record-self-pay-decision', {
    resourceType: 'Parameters',
    parameter: [
      { name: 'decision', valueString: 'billing_escalation' },
      { name: 'selfPayPriceCents', valueInteger: 4200 },
    ],
  })
  expect(status).toBe(200)
  expect(body.parameter[0]).toEqual({ name: 'success', valueBoolean: true })
  const { body: tasks } = await server.fhir('GET', '/Task?patient=brooks-denise')
  expect(tasks.entry[0].resource.encounter).toBeUndefined()
})
