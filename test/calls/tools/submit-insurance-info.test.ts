/** submit_insurance_info: spec 2.3, 3 rule 1 and 7. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Coverage, CoverageEligibilityRequest, CoverageEligibilityResponse } from 'fhir/r4'
import type { InsuranceRequest, InsuranceResult } from '../../../src/core/ports.ts'
import { insuranceSimulator } from '../../../src/integrations/simulators/insurance.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { attachedTo, Caller } from '../caller.ts'

let server: TestServer
const asked: InsuranceRequest[] = []
/** The real simulator, unless a test needs a result that it never gives. */
let answer: InsuranceResult | undefined

beforeAll(async () => {
  const verify = async (question: InsuranceRequest): Promise<InsuranceResult> => {
    asked.push(question)
    return answer ?? insuranceSimulator.verify(question)
  }
  server = await startServer({}, { integrations: { insurance: { verify } } })
})
afterAll(() => server.close())

const TOOL = 'submit_insurance_info'
const STATUS = 'https://sandbox-emr.example/fhir/StructureDefinition/insurance-status'

const coverages = async (caller: Caller) =>
  caller.find<Coverage>(`Coverage?beneficiary=${await caller.patientId()}&_sort=_lastUpdated`)
const responses = async (caller: Caller) =>
  caller.find<CoverageEligibilityResponse>(`CoverageEligibilityResponse?patient=${await caller.patientId()}`)
const requests = async (caller: Caller) =>
  caller.find<CoverageEligibilityRequest>(`CoverageEligibilityRequest?patient=${await caller.patientId()}`)

describe('VERIFIED', () => {
  test('is relayed with the copay in cents and without errorMessage', async () => {
    expect(await new Caller(server).use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-1235' })).toEqual({
      success: true,
      status: 'VERIFIED',
      copayCents: 3500,
      code: 'verified',
      say: 'Thank you, your insurance is verified.',
      values: { memberId: 'XYZ-1235' },
    })
  })

  test('is recorded as Coverage, CoverageEligibilityRequest and CoverageEligibilityResponse', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, {
      payerName: 'Acme Health',
      memberId: 'XYZ-1235',
      groupId: 'G-7',
      subscriberName: 'Max Doe',
    })
    const patient = { reference: `Patient/${await caller.patientId()}` }
    const [coverage] = await coverages(caller)
    expect(coverage).toMatchObject({
      status: 'active',
      subscriberId: 'XYZ-1235',
      subscriber: { display: 'Max Doe' },
      beneficiary: patient,
      payor: [{ display: 'Acme Health' }],
      class: [{ type: { coding: [{ code: 'group' }] }, value: 'G-7' }],
    })
    const [request] = await requests(caller)
    const reference = `Coverage/${coverage?.id}`
    expect(request).toMatchObject({ status: 'active', patient, insurance: [{ focal: true, coverage: { reference } }] })
    expect(await responses(caller)).toMatchObject([
      {
        status: 'active',
        outcome: 'complete',
        patient,
        request: { reference: `CoverageEligibilityRequest/${request?.id}` },
        extension: [{ url: STATUS, valueCode: 'VERIFIED' }],
        insurance: [{ coverage: { reference }, inforce: true, item: [{ benefit: [{ allowedMoney: { value: 35 } }] }] }],
      },
    ])
  })
})

describe('every other status (spec 7: errorMessage is present when verification failed)', () => {
  test('PENDING is no failure: success, no errorMessage, queued', async () => {
    const caller = new Caller(server)
    const result = await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'PEND-1' })
    expect(result).toMatchObject({ success: true, status: 'PENDING', code: 'pending' })
    expect(result).not.toHaveProperty('errorMessage')
    expect(await responses(caller)).toMatchObject([{ outcome: 'queued' }])
  })

  test.each([
    ['INACT-01', 'INACTIVE', 'inactive', 'complete'],
    ['NOCOV-01', 'NOT_COVERED', 'not-covered', 'complete'],
    ['NOTFOUND-01', 'MEMBER_NOT_FOUND', 'member-not-found', 'error'],
    ['INVALID-01', 'INVALID_MEMBER_INFO', 'invalid-member-info', 'error'],
    ['NOPAYER-01', 'PAYER_NOT_SUPPORTED', 'payer-not-supported', 'error'],
    ['DOWN-01', 'PAYER_UNAVAILABLE', 'payer-unavailable', 'error'],
    ['FAIL-01', 'ERROR', 'error', 'error'],
  ])(
    'member id %s: %s fails with errorMessage, and the outcome is recorded all the same',
    async (memberId, status, code, outcome) => {
      const caller = new Caller(server)
      const result = await caller.use(TOOL, { payerName: 'Acme Health', memberId })
      expect(result).toMatchObject({
        success: false,
        status,
        code,
        errorMessage: expect.any(String),
        say: expect.any(String),
      })
      expect(await coverages(caller)).toMatchObject([{ status: 'draft', subscriberId: memberId }])
      expect(await responses(caller)).toMatchObject([
        { outcome, disposition: result.errorMessage, extension: [{ url: STATUS, valueCode: status }] },
      ])
    },
  )

  test('a failure without a message of its own gets one', async () => {
    answer = { status: 'ERROR' }
    const result = await new Caller(server).use(TOOL, { payerName: 'Acme Health', memberId: 'A-1' })
    answer = undefined
    expect(String(result.errorMessage).length).toBeGreaterThan(10)
  })
})

describe('an outcome that needs somebody raises a Task for staff', () => {
  const followUps = async (caller: Caller) =>
    (await caller.tasks()).filter(({ code }) => code?.coding?.[0]?.code === 'insurance-follow-up')

  test.each([
    ['PEND-01', 'PENDING'],
    ['NOPAYER-01', 'PAYER_NOT_SUPPORTED'],
    ['DOWN-01', 'PAYER_UNAVAILABLE'],
    ['FAIL-01', 'ERROR'],
  ])('member id %s: %s', async (memberId, status) => {
    const caller = new Caller(server)
    await caller.use(TOOL, { payerName: 'Acme Health', memberId })
    const [task, ...more] = await followUps(caller)
    expect(more).toEqual([])
    const focus = { reference: `Patient/${await caller.patientId()}` }
    expect(task).toMatchObject({ status: 'requested', focus, description: expect.stringMatching(/^The insur/) })
    expect(attachedTo(task)).toMatchObject({
      'insurance-status': [status],
      'insurance-payer': ['Acme Health'],
      'call-id': [caller.id],
      coverage: [{ reference: `Coverage/${(await coverages(caller))[0]?.id}` }],
    })
    const [provenance] = await caller.provenances()
    expect(provenance?.target.map(({ reference }) => reference?.split('/')[0])).toContain('Task')
  })

  test.each(['XYZ-1235', 'INACT-01', 'NOCOV-01', 'NOTFOUND-01', 'INVALID-01'])(
    'member id %s: no Task, and none is promised',
    async (memberId) => {
      const caller = new Caller(server)
      const { say } = await caller.use(TOOL, { payerName: 'Acme Health', memberId })
      expect(await caller.tasks()).toEqual([])
      expect(say).not.toMatch(/staff|we will/i)
    },
  )

  test('submitted again it is the same open Task, brought up to date; another member id is another one', async () => {
    const caller = new Caller(server)
    answer = { status: 'PAYER_UNAVAILABLE', errorMessage: 'down' }
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'A-1234' })
    const [raised] = await followUps(caller)
    await server.fhir('PUT', `/Task/${raised?.id}`, { ...raised, status: 'in-progress' })
    answer = { status: 'ERROR', errorMessage: 'broken' }
    await caller.use(TOOL, { payerName: 'ACME health', memberId: 'a 1234' })
    const [kept, ...more] = await followUps(caller)
    expect(more).toEqual([])
    expect(kept).toMatchObject({ id: raised?.id, status: 'in-progress', meta: { versionId: '3' } })
    expect(attachedTo(kept)['insurance-status']).toEqual(['ERROR'])
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'A-9999' })
    answer = undefined
    expect(await followUps(caller)).toHaveLength(2)
  })

  test.each(['received', 'accepted', 'in-progress', 'on-hold', 'ready'])(
    'one that staff have put to %s is open: another failure leaves it so, a result completes it',
    async (status) => {
      const caller = new Caller(server)
      const card = { payerName: 'Acme Health', memberId: 'A-1234' }
      answer = { status: 'PAYER_UNAVAILABLE' }
      await caller.use(TOOL, card)
      const [raised] = await followUps(caller)
      await server.fhir('PUT', `/Task/${raised?.id}`, { ...raised, status })
      await caller.use(TOOL, card)
      expect(await followUps(caller)).toMatchObject([{ id: raised?.id, status }])
      answer = { status: 'VERIFIED' }
      await caller.use(TOOL, card)
      expect(await followUps(caller)).toMatchObject([{ id: raised?.id, status: 'completed' }])
      answer = undefined
    },
  )

  test.each(['rejected', 'cancelled', 'failed', 'completed', 'entered-in-error'])(
    'one that staff have put to %s is closed: a result leaves it so, another failure opens it again',
    async (status) => {
      const caller = new Caller(server)
      const card = { payerName: 'Acme Health', memberId: 'A-1234' }
      answer = { status: 'PAYER_UNAVAILABLE' }
      await caller.use(TOOL, card)
      const [raised] = await followUps(caller)
      await server.fhir('PUT', `/Task/${raised?.id}`, { ...raised, status })
      answer = { status: 'VERIFIED' }
      await caller.use(TOOL, card)
      expect(await followUps(caller)).toMatchObject([{ id: raised?.id, status, meta: { versionId: '2' } }])
      answer = { status: 'PAYER_UNAVAILABLE' }
      await caller.use(TOOL, card)
      expect(await followUps(caller)).toMatchObject([{ id: raised?.id, status: 'requested' }])
      answer = undefined
    },
  )

  test('a result completes it, and a later failure opens it again', async () => {
    const caller = new Caller(server)
    const card = { payerName: 'Acme Health', memberId: 'A-1234' }
    for (const [status, expected] of [
      ['PENDING', 'requested'],
      ['VERIFIED', 'completed'],
      ['VERIFIED', 'completed'],
      ['PAYER_UNAVAILABLE', 'requested'],
    ] as const) {
      answer = { status }
      await caller.use(TOOL, card)
      expect((await followUps(caller)).map((task) => task.status)).toEqual([expected])
    }
    answer = undefined
  })
})

describe('it relays and does not decide (spec 3 rule 1)', () => {
  test('the clinic’s system gets exactly what was said, once', async () => {
    asked.length = 0
    const said = { payerName: 'Acme Health', memberId: 'XYZ-1235', groupId: 'G-7', subscriberName: 'Max Doe' }
    await new Caller(server).use(TOOL, said)
    expect(asked).toEqual([{ clinic: 'demo-clinic', ...said }])
  })

  test('a copay of an odd status is relayed too, and a copay of 0 is a copay', async () => {
    answer = { status: 'INACTIVE', copayCents: 0, errorMessage: 'ended' }
    const result = await new Caller(server).use(TOOL, { payerName: 'Acme Health', memberId: 'A-1' })
    answer = undefined
    expect(result).toMatchObject({ success: false, status: 'INACTIVE', copayCents: 0, errorMessage: 'ended' })
  })

  test('a failed check leaves a coverage that was verified before as it is', async () => {
    const caller = new Caller(server)
    answer = { status: 'VERIFIED' }
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'A-1234' })
    answer = { status: 'INACTIVE', errorMessage: 'ended' }
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'A-1234' })
    answer = undefined
    expect(await coverages(caller)).toMatchObject([{ status: 'active' }])
    expect(await responses(caller)).toHaveLength(2)
  })
})

describe('the same insurer and member id again', () => {
  test('update the same Coverage; case, spaces and dashes do not count', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-1235', groupId: 'G-7' })
    await caller.use(TOOL, { payerName: 'ACME  health', memberId: 'x y z one two three five', groupId: 'G-8' })
    const all = await coverages(caller)
    expect(all).toMatchObject([
      { meta: { versionId: '2' }, class: [{ value: 'G-8' }], payor: [{ display: 'Acme Health' }] },
    ])
    expect(await requests(caller)).toHaveLength(2)
  })

  test('and nothing new leave the Coverage at its version; the verification is recorded all the same', async () => {
    const caller = new Caller(server)
    for (let time = 1; time <= 2; time++) {
      await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-1235', groupId: 'G-7', subscriberName: 'Max' })
    }
    expect(await coverages(caller)).toMatchObject([{ meta: { versionId: '1' } }])
    expect(await responses(caller)).toHaveLength(2)
    const [, again] = await caller.provenances()
    expect(again?.target.map(({ reference }) => reference?.split('/')[0])).not.toContain('Coverage')
  })

  test('another member id is another Coverage', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-1' })
    await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-2' })
    expect(await coverages(caller)).toHaveLength(2)
  })

  test('a Coverage that staff have entered is updated, and keeps what was not said', async () => {
    const caller = new Caller(server, '+15185550111')
    const before = (await server.fhir('GET', '/Coverage/coverage-abernathy-ruth')).body
    await caller.use(TOOL, { payerName: 'medicare', memberId: '1EG4-TE5-MK11' })
    expect((await caller.find(`Coverage?beneficiary=abernathy-ruth`)).length).toBe(1)
    const after = (await server.fhir('GET', '/Coverage/coverage-abernathy-ruth')).body
    expect({ ...after, meta: before.meta }).toEqual(before)
  })

  test('another insurer is another Coverage, though the member id is that of one that staff have entered', async () => {
    const patient = { resourceType: 'Patient', telecom: [{ system: 'phone', value: '+12125550151' }] }
    const beneficiary = { reference: `Patient/${(await server.fhir('POST', '/Patient', patient)).body.id}` }
    const entered = {
      resourceType: 'Coverage',
      status: 'active',
      subscriberId: 'M-77',
      beneficiary,
      payor: [{ display: 'First Health' }],
    }
    const { body: before } = await server.fhir('POST', '/Coverage', entered)
    const caller = new Caller(server, '+12125550151')
    await caller.use(TOOL, { payerName: 'Second Health', memberId: 'M-77', groupId: 'G-1' })
    expect((await server.fhir('GET', `/Coverage/${before.id}`)).body).toEqual(before)
    const all = await caller.find<Coverage>(`Coverage?beneficiary=${beneficiary.reference}&_sort=_lastUpdated`)
    expect(all.map(({ payor }) => payor[0]?.display)).toEqual(['First Health', 'Second Health'])
  })

  test('with another group have that group alone, beside what staff have entered of the plan', async () => {
    const caller = new Caller(server)
    const card = { payerName: 'Acme Health', memberId: 'A-1234' }
    await caller.use(TOOL, { ...card, groupId: 'G-1' })
    const [coverage] = await coverages(caller)
    const plan = { type: { coding: [{ code: 'plan' }] }, value: 'Gold' }
    await server.fhir('PUT', `/Coverage/${coverage?.id}`, { ...coverage, class: [...(coverage?.class ?? []), plan] })
    await caller.use(TOOL, { ...card, groupId: 'G-2' })
    const [changed] = await coverages(caller)
    expect(changed?.class).toMatchObject([plan, { type: { coding: [{ code: 'group' }] }, value: 'G-2' }])
    expect(changed?.class).toHaveLength(2)
  })
})

describe('missing and bad arguments: nothing is asked and nothing is written', () => {
  test.each([
    ['no payerName', { memberId: 'XYZ-1235' }, 'missing-argument', 'payerName'],
    ['no memberId', { payerName: 'Acme Health' }, 'missing-argument', 'memberId'],
    ['a blank memberId', { payerName: 'Acme Health', memberId: ' ' }, 'missing-argument', 'memberId'],
    ['a memberId that is not text', { payerName: 'Acme Health', memberId: ['5'] }, 'invalid-argument', 'memberId'],
    ['a payerName that is not text', { payerName: ['5'], memberId: 'A-1' }, 'invalid-argument', 'payerName'],
  ])('%s', async (_what, args, code, named) => {
    asked.length = 0
    const caller = new Caller(server)
    expect(await caller.use(TOOL, args)).toMatchObject({ success: false, code, error: expect.stringContaining(named) })
    expect(asked).toEqual([])
    expect(await caller.encounter()).toBeUndefined()
  })
})

test('a payerName of more than 200 characters is cut with a mark', async () => {
  asked.length = 0
  const caller = new Caller(server)
  await caller.use(TOOL, { payerName: `Acme  Health\n${'and so on '.repeat(30)}`, memberId: 'XYZ-1235' })
  const [{ payerName = '' } = {}] = asked as { payerName?: string }[]
  expect(payerName).toMatch(/^Acme Health and so on and .* \[…\]$/)
  expect(payerName).toHaveLength(200)
  expect(await coverages(caller)).toMatchObject([{ payor: [{ display: payerName }] }])
})

test('all that was written is in one Provenance of the call', async () => {
  const caller = new Caller(server)
  await caller.use(TOOL, { payerName: 'Acme Health', memberId: 'XYZ-1235' })
  const [provenance, ...more] = await caller.provenances()
  expect(more).toEqual([])
  expect(provenance?.target.map(({ reference }) => reference?.split('/')[0])).toEqual([
    'Patient',
    'Coverage',
    'CoverageEligibilityRequest',
    'CoverageEligibilityResponse',
  ])
})

test('over FHIR a patient who is not there is 404 before the insurer is asked', async () => {
  asked.length = 0
  const { status } = await server.fhir('POST', '/Patient/nobody/$submit-insurance-info', {
    resourceType: 'Parameters',
    parameter: [
      { name: 'payerName', valueString: 'Acme Health' },
      { name: 'memberId', valueString: 'XYZ-1235' },
    ],
  })
  expect(status).toBe(404)
  expect(asked).toEqual([])
})

test.each([
  ['m as in mary 9 0 0 oh 7', 'M90007'],
  [900712, '900712'],
])(
  'the member id %j is asked for, stored and given back as %s, and the name of the subscriber as it is written',
  async (memberId, id) => {
    asked.length = 0
    const caller = new Caller(server)
    const said = { payerName: 'Acme Health', memberId, subscriberName: 'my name is John S M I T H' }
    const { values } = await caller.use(TOOL, said)
    expect(values).toEqual({ memberId: id, subscriberName: 'John Smith' })
    expect(asked).toMatchObject([{ memberId: id, subscriberName: 'John Smith' }])
    expect(await coverages(caller)).toMatchObject([{ subscriberId: id, subscriber: { display: 'John Smith' } }])
  },
)

describe('a subscriber who is the patient', () => {
  const CARD = { payerName: 'Acme Health', memberId: 'XYZ-1235' }

  test.each(['self', 'Self', 'me', 'the patient'])(
    '%j is asked for as self, and stored as the patient',
    async (said) => {
      asked.length = 0
      const caller = new Caller(server)
      const { values } = await caller.use(TOOL, { ...CARD, subscriberName: said })
      expect(values).toEqual({ memberId: 'XYZ-1235', subscriberName: 'self' })
      expect(asked).toEqual([{ clinic: 'demo-clinic', ...CARD, subscriberName: 'self' }])
      const subscriber = { reference: `Patient/${await caller.patientId()}` }
      expect((await coverages(caller)).map((coverage) => coverage.subscriber)).toEqual([subscriber])
    },
  )

  test('takes the place of another one, and gives it up to one', async () => {
    const caller = new Caller(server)
    const stored = []
    for (const subscriberName of ['Max Doe', 'self', 'Max Doe']) {
      await caller.use(TOOL, { ...CARD, subscriberName })
      stored.push((await coverages(caller)).map(({ subscriber }) => subscriber))
    }
    const patient = { reference: `Patient/${await caller.patientId()}` }
    expect(stored).toEqual([[{ display: 'Max Doe' }], [patient], [{ display: 'Max Doe' }]])
  })
})

test.each(['none', 'None', 'N/A', 'n/a', 'not applicable'])(
  '%j in place of an optional argument is none',
  async (none) => {
    asked.length = 0
    const card = { payerName: 'Acme Health', memberId: 'XYZ-1235' }
    const said = { ...card, groupId: none, subscriberName: none }
    expect(await new Caller(server).use(TOOL, said)).toMatchObject({ success: true, values: { memberId: 'XYZ-1235' } })
    expect(asked).toEqual([{ clinic: 'demo-clinic', ...card }])
  },
)

test('a payerName that is sent as a number is kept as text', async () => {
  asked.length = 0
  await new Caller(server).use(TOOL, { payerName: 2020, memberId: 'XYZ-1235' })
  expect(asked).toMatchObject([{ payerName: '2020' }])
})
