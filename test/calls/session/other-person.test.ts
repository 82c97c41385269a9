/** A call never replaces name or birth date of an existing record: a caller who contradicts them is another person. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Consent, Coverage, Patient, Task } from 'fhir/r4'
import { isPlaceholder } from '../../../src/matching/placeholder.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { ALL_FIELDS, attachedTo, Caller, INTAKE } from '../caller.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const UPDATE = 'update_registration_field'
const INTAKE_TOOL = 'submit_intake'

/** Ruth, whose number every test has for itself. */
let ruth: string
let number: string
let count = 0
beforeEach(async () => {
  count += 1
  number = `+1212555${String(1000 + count)}`
  ruth = `ruth-${count}`
  await put({ resourceType: 'Patient', id: ruth, active: true, ...RUTH, telecom: telecomOf(number) })
})

const RUTH: Partial<Patient> = {
  name: [{ use: 'official', family: 'Abernathy', given: ['Ruth'] }],
  birthDate: '1941-02-17',
}
const telecomOf = (phone: string): Patient['telecom'] => [
  { system: 'phone', value: phone },
  { system: 'email', value: 'ruth@example.com' },
]

async function put(resource: Patient): Promise<void> {
  const { status, text } = await server.fhir('PUT', `/Patient/${resource.id}`, resource)
  if (status >= 300) throw new Error(text)
}
const read = async (id = ruth): Promise<Patient> => (await server.fhir('GET', `/Patient/${id}`)).body
const find = async <R>(query: string): Promise<readonly R[]> =>
  ((await server.fhir('GET', `/${query}`)).body.entry ?? []).map(({ resource }: { resource: R }) => resource)
const contradictions = (patient = ruth) => find<Task>(`Task?patient=${patient}&code=identity-contradiction`)
const changes = (patient = ruth) => find<Task>(`Task?patient=${patient}&code=record-change`)

/** Registered by POST /calls, for that patient. */
async function outbound(callId: string, patient: string): Promise<number> {
  const body = { callId, dialedNumber: '+12125550100', patient }
  const headers = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
  return (await request(server.url, 'POST', '/calls', body, headers)).status
}

const SAYS_OTHERWISE: readonly [string, string, object][] = [
  ['another first name', UPDATE, { firstName: 'Harold' }],
  ['another last name', UPDATE, { lastName: 'Smith' }],
  ['another name', UPDATE, { firstName: 'Harold', lastName: 'Smith' }],
  ['a first name that sounds alike', UPDATE, { firstName: 'Rud', lastName: 'Abernathy' }],
  ['every field of another person', UPDATE, ALL_FIELDS],
  ['another birth date', INTAKE_TOOL, { ...INTAKE, firstName: 'Ruth', lastName: 'Abernathy' }],
  ['another name and the same birth date', INTAKE_TOOL, { ...INTAKE, dateOfBirth: '1941-02-17' }],
  ['an intake of somebody else', INTAKE_TOOL, INTAKE],
]

describe('a caller from the number of a patient who says', () => {
  test.each(SAYS_OTHERWISE)(
    '%s: the patient stays as it is, and the call has a placeholder',
    async (_what, tool, said) => {
      const before = await read()
      const caller = new Caller(server, number)
      expect(await caller.use(tool, said)).toMatchObject({ success: true })
      expect(await read()).toEqual(before)
      const own = await caller.patient()
      expect(own?.id).not.toBe(ruth)
      expect(own?.name?.[0]).toMatchObject({
        ...('lastName' in said ? { family: said.lastName } : {}),
        ...('firstName' in said ? { given: [said.firstName] } : {}),
      })
      expect(await contradictions()).toMatchObject([
        { status: 'requested', for: { reference: `Patient/${ruth}` }, focus: { reference: `Patient/${own?.id}` } },
      ])
    },
  )
})

test('staff get one Task that shows both, found by the one and by the other', async () => {
  const caller = new Caller(server, number)
  await caller.use(UPDATE, { firstName: 'Harold' })
  await caller.use(UPDATE, { lastName: 'Abernathy' })
  await caller.use(INTAKE_TOOL, { ...INTAKE, firstName: 'Harold', lastName: 'Abernathy' })
  const own = await caller.patientId()
  const [task, ...more] = await contradictions()
  expect(more).toEqual([])
  expect(attachedTo(task)).toMatchObject({
    'recorded-patient': [{ reference: `Patient/${ruth}` }],
    'recorded-first-name': ['Ruth'],
    'recorded-last-name': ['Abernathy'],
    'recorded-date-of-birth': ['1941-02-17'],
    'call-patient': [{ reference: `Patient/${own}` }],
    'stated-first-name': ['Harold'],
    'call-id': [caller.id],
  })
  expect((await find<Task>(`Task?focus=Patient/${own}&code=identity-contradiction`)).map(({ id }) => id)).toEqual([
    task?.id,
  ])
})

test('an outbound call that the clinic placed to a patient goes on with a placeholder too, and may be registered again', async () => {
  const callId = `outbound-${count}`
  expect(await outbound(callId, ruth)).toBe(201)
  const before = await read()
  await server.tool(`/patient-journey/${UPDATE}`, { firstName: 'Harold' }, { 'x-call-id': callId })
  await server.tool(`/patient-journey/${UPDATE}`, { lastName: 'Abernathy' }, { 'x-call-id': callId })
  expect(await read()).toEqual(before)
  const harold = await find<Patient>('Patient?given=Harold&family=Abernathy&_tag=placeholder')
  expect(harold.length).toBeGreaterThan(0)
  expect(await outbound(callId, ruth)).toBe(200)
  await put({ resourceType: 'Patient', id: 'nobody-of-the-call', active: true })
  expect(await outbound(callId, 'nobody-of-the-call')).toBe(409)
})

test('insurance, self-pay, escalation and booking are the placeholder’s from then on', async () => {
  const caller = new Caller(server, number)
  await caller.use(UPDATE, { firstName: 'Harold' })
  const own = await caller.patientId()
  await caller.use('submit_insurance_info', { payerName: 'Acme Health', memberId: 'XYZ-1234' })
  await caller.use('record_self_pay_decision', { decision: 'self_pay_continue', selfPayPriceCents: 100 })
  await caller.use('escalate_billing', { reason: 'x' })
  await caller.use(UPDATE, { commsConsent: false })
  expect(await find<Coverage>(`Coverage?beneficiary=${own}`)).toHaveLength(2)
  expect(await find<Coverage>(`Coverage?beneficiary=${ruth}`)).toEqual([])
  expect(await find<Task>(`Task?patient=${own}&code=billing-escalation`)).toHaveLength(1)
  expect(await find<Task>(`Task?patient=${ruth}&code=billing-escalation`)).toEqual([])
  expect(await find<Consent>(`Consent?patient=${ruth}`)).toEqual([])
  expect((await caller.encounter())?.subject).toEqual({ reference: `Patient/${own}` })
})

test('the placeholder is completed by later calls from the number, and becomes a real record beside the other', async () => {
  const { phone: _phone, ...fields } = ALL_FIELDS
  const said = Object.entries({ ...fields, firstName: 'Harold', lastName: 'Abernathy' })
  for (const [name, value] of said.slice(0, 4))
    await new Caller(server, number).use(UPDATE, { firstName: 'Harold', [name]: value })
  const last = new Caller(server, number)
  const all = { ...Object.fromEntries(said), phone: number }
  expect(await last.use(UPDATE, all)).toMatchObject({ registrationStatus: 'COMPLETE' })
  const harolds = await find<Patient>(`Patient?phone=${encodeURIComponent(number)}&given=Harold`)
  expect(harolds).toMatchObject([{ id: await last.patientId(), active: true }])
  expect(await read()).toMatchObject(RUTH)
})

test('a third person of the household gets a placeholder of their own', async () => {
  const [harold, nora] = [new Caller(server, number), new Caller(server, number)]
  await harold.use(UPDATE, { firstName: 'Harold' })
  await nora.use(UPDATE, { firstName: 'Nora' })
  expect(await nora.patientId()).not.toBe(await harold.patientId())
  expect((await harold.patient())?.name).toEqual([{ given: ['Harold'] }])
  expect(await contradictions()).toHaveLength(2)
})

describe('what was said before it is known that somebody else calls', () => {
  test('goes along, and is taken back from the patient', async () => {
    const before = await read()
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { email: 'harold@example.com', preferredLocation: 'Downtown' })
    await caller.use(UPDATE, { lastName: 'Abernathy' })
    await caller.use(UPDATE, { firstName: 'Harold' })
    const { meta: _meta, ...after } = await read()
    const { meta: _before, ...original } = before
    expect(after).toEqual(original)
    expect(await caller.patient()).toMatchObject({
      name: [{ given: ['Harold'], family: 'Abernathy' }],
      telecom: [{ system: 'email', value: 'harold@example.com' }],
      extension: [{ valueString: 'Downtown' }],
    })
    const [task] = await contradictions()
    expect(attachedTo(task)['stated-before']).toEqual(
      expect.arrayContaining(['email', 'preferredLocation', 'lastName']),
    )
  })

  test('is left to staff where somebody else has changed the record meanwhile', async () => {
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { email: 'harold@example.com' })
    await put({ ...(await read()), gender: 'female' })
    await caller.use(UPDATE, { firstName: 'Harold' })
    expect(await read()).toMatchObject({
      gender: 'female',
      telecom: [{}, { value: 'harold@example.com' }, { use: 'old' }],
    })
    expect((await caller.patient())?.telecom).toEqual([{ system: 'email', value: 'harold@example.com' }])
  })

  test('stays with the patient who has said who they are, when a second person takes the phone', async () => {
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { firstName: 'Ruth', email: 'new@example.com' })
    await caller.use(UPDATE, { firstName: 'Harold' })
    expect((await read()).telecom).toMatchObject([{}, { value: 'new@example.com' }, { use: 'old' }])
    expect((await caller.patient())?.telecom).toBeUndefined()
  })

  test.each([
    ['with another last name', { firstName: 'Ruth', lastName: 'Vasquez' }],
    ['or a last name alone', { lastName: 'Vasquez' }],
  ])('goes along where the first name said so far is repeated %s', async (_what, said) => {
    const { meta: _before, ...original } = await read()
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { email: 'vasquez@example.com' })
    await caller.use(UPDATE, { firstName: 'Ruth' })
    await caller.use('record_self_pay_decision', { decision: 'self_pay_continue' })
    await caller.use(UPDATE, said)
    const { meta: _after, ...after } = await read()
    expect(after).toEqual(original)
    expect(await caller.patient()).toMatchObject({
      name: [{ given: ['Ruth'], family: 'Vasquez' }],
      telecom: [{ system: 'email', value: 'vasquez@example.com' }],
    })
    expect(await find<Coverage>(`Coverage?beneficiary=${ruth}&status:not=entered-in-error`)).toEqual([])
    expect(await find<Coverage>(`Coverage?beneficiary=${await caller.patientId()}`)).toHaveLength(1)
  })

  test('stays with the patient who has said their full name, when a namesake takes the phone', async () => {
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { firstName: 'Ruth', lastName: 'Abernathy' })
    await caller.use(UPDATE, { email: 'new@example.com' })
    await caller.use(UPDATE, { firstName: 'Ruth', lastName: 'Vasquez' })
    expect((await read()).telecom).toMatchObject([{}, { value: 'new@example.com' }, { use: 'old' }])
    expect((await caller.patient())?.telecom).toBeUndefined()
  })

  test('a patient whom this call has registered keeps all of it, when the next person is registered', async () => {
    const caller = new Caller(server)
    await caller.use(UPDATE, ALL_FIELDS)
    const jane = await caller.patientId()
    await caller.use(UPDATE, { phone: '+12125559999' })
    expect(await caller.use(UPDATE, { firstName: 'Bob' })).toMatchObject({ registrationStatus: 'ACTION_REQUIRED' })
    expect(await read(jane)).toMatchObject({
      active: true,
      name: [{ given: ['Jane'], family: 'Doe' }],
      telecom: [{ value: '+12125559999' }, { system: 'email' }, { value: '+12125550123', use: 'old' }],
    })
    expect(await caller.patient()).toMatchObject({ active: false, name: [{ given: ['Bob'] }] })
  })
})

describe('what other tools have put on the patient before it is known that somebody else calls', () => {
  const CARD = { payerName: 'Acme Health', memberId: 'XYZ-1234' }
  const INSURANCE = 'submit_insurance_info'
  const SELF_PAY = 'record_self_pay_decision'
  const says = (caller: Caller) => caller.use(UPDATE, { firstName: 'Harold' })

  test('insurance is taken back, and is the placeholder’s', async () => {
    const caller = new Caller(server, number)
    await caller.use(INSURANCE, CARD)
    await says(caller)
    const own = await caller.patientId()
    for (const type of ['Coverage', 'CoverageEligibilityRequest', 'CoverageEligibilityResponse']) {
      expect(await find(`${type}?patient=${ruth}`)).toMatchObject([{ status: 'entered-in-error' }])
      expect(await find(`${type}?patient=${own}`)).toMatchObject([{ status: 'active' }])
    }
    expect(await find<Coverage>(`Coverage?beneficiary=${own}`)).toMatchObject([{ subscriberId: 'XYZ-1234' }])
  })

  test('a Coverage that was on file is as it was', async () => {
    const onFile: Coverage = {
      resourceType: 'Coverage',
      id: `coverage-${count}`,
      status: 'draft',
      subscriberId: 'XYZ-1234',
      relationship: { text: 'self' },
      beneficiary: { reference: `Patient/${ruth}` },
      payor: [{ display: 'Acme Health' }],
    }
    await server.fhir('PUT', `/Coverage/${onFile.id}`, onFile)
    const caller = new Caller(server, number)
    await caller.use(INSURANCE, { ...CARD, groupId: 'G-7' })
    await says(caller)
    const [coverage, ...more] = await find<Coverage>(`Coverage?beneficiary=${ruth}`)
    expect(more).toEqual([])
    const { meta: _meta, ...rest } = coverage ?? {}
    expect(rest).toEqual(onFile)
    const [own] = await find<Coverage>(`Coverage?beneficiary=${await caller.patientId()}`)
    expect(own).toMatchObject({ status: 'active', class: [{ value: 'G-7' }] })
    expect(own?.relationship).toBeUndefined()
  })

  test('a pending verification goes on for the placeholder, and its Task too', async () => {
    const caller = new Caller(server, number)
    expect(await caller.use(INSURANCE, { ...CARD, memberId: 'PEND-1' })).toMatchObject({ status: 'PENDING' })
    await says(caller)
    const followUps = (patient: string) => find<Task>(`Task?patient=${patient}&code=insurance-follow-up`)
    expect(await followUps(ruth)).toMatchObject([{ status: 'entered-in-error' }])
    const own = await caller.patientId()
    const [coverage] = await find<Coverage>(`Coverage?beneficiary=${own}`)
    const [task, ...more] = await followUps(own)
    expect(more).toEqual([])
    expect(task?.status).toBe('requested')
    expect(attachedTo(task)).toMatchObject({ coverage: [{ reference: `Coverage/${coverage?.id}` }] })
  })

  test('an earlier self-pay decision of the patient is as it was, and its price does not go along', async () => {
    const earlier = new Caller(server, number)
    await earlier.use(SELF_PAY, { decision: 'billing_escalation', selfPayPriceCents: 777 })
    const [before] = await find<Coverage>(`Coverage?beneficiary=${ruth}`)
    const caller = new Caller(server, number)
    await caller.use(SELF_PAY, { decision: 'self_pay_continue' })
    await says(caller)
    const [after] = await find<Coverage>(`Coverage?beneficiary=${ruth}`)
    expect({ ...after, meta: {} }).toEqual({ ...before, meta: {} })
    const [own] = await find<Coverage>(`Coverage?beneficiary=${await caller.patientId()}`)
    expect(own?.status).toBe('active')
    expect(own?.costToBeneficiary).toBeUndefined()
  })

  test('after a self-pay decision was taken back, a new one of the patient has nothing of it', async () => {
    const caller = new Caller(server, number)
    await caller.use(SELF_PAY, { decision: 'self_pay_continue', selfPayPriceCents: 777 })
    await says(caller)
    expect(await find(`Coverage?beneficiary=${ruth}`)).toMatchObject([{ status: 'entered-in-error' }])
    const patient = new Caller(server, number)
    await patient.use('escalate_billing', {})
    const escalation = async () => attachedTo((await patient.tasks()).find(({ priority }) => priority === 'urgent'))
    expect((await escalation())['self-pay-decision']).toBeUndefined()
    await patient.use(SELF_PAY, { decision: 'billing_escalation' })
    expect(await escalation()).toMatchObject({ 'self-pay-decision': ['billing_escalation'] })
    expect((await escalation())['self-pay-price-cents']).toBeUndefined()
  })

  test('after insurance was taken back, the patient may have the same, and has no verification until then', async () => {
    const caller = new Caller(server, number)
    await caller.use(INSURANCE, { ...CARD, groupId: 'G-7' })
    await says(caller)
    const patient = new Caller(server, number)
    await patient.use('escalate_billing', {})
    const [task] = await find<Task>(`Task?patient=${ruth}&code=billing-escalation`)
    expect(attachedTo(task)['insurance-status']).toBeUndefined()
    await patient.use(INSURANCE, { ...CARD, memberId: 'XYZ-1234' })
    const [coverage] = await find<Coverage>(`Coverage?beneficiary=${ruth}`)
    expect(coverage?.status).toBe('active')
    expect(coverage?.class).toBeUndefined()
  })

  test('an escalation is about the placeholder, and has what went along', async () => {
    const caller = new Caller(server, number)
    await caller.use(INSURANCE, CARD)
    await caller.use(SELF_PAY, { decision: 'billing_escalation', selfPayPriceCents: 777 })
    await caller.use('escalate_billing', { reason: 'a bill of last year' })
    await says(caller)
    const own = await caller.patientId()
    expect(await find(`Task?patient=${ruth}&code=billing-escalation`)).toEqual([])
    const bundle = async () => {
      const [task, ...more] = await find<Task>(`Task?patient=${own}&code=billing-escalation`)
      expect(more).toEqual([])
      expect(task?.focus).toEqual({ reference: `Patient/${own}` })
      return attachedTo(task)
    }
    const whole = {
      reason: ['was quoted a self-pay price and wants to talk to billing', 'a bill of last year'],
      name: ['Harold'],
      'insurance-status': ['VERIFIED'],
      'insurance-member-id': ['XYZ-1234'],
      'self-pay-decision': ['billing_escalation'],
      'self-pay-price-cents': [777],
    }
    expect(await bundle()).toMatchObject(whole)
    await caller.use('escalate_billing', { reason: 'more' })
    expect(await bundle()).toMatchObject({ ...whole, reason: [...whole.reason, 'more'] })
  })

  test('outcomes of the identity, and Tasks of what is taken back, are not the patient’s any more', async () => {
    const caller = new Caller(server, number)
    await caller.use('resolve_patient_identity', { statedName: 'Nobody Known' })
    await caller.use('verify_patient', { statedName: 'Nobody Known', statedDateOfBirth: '1950-01-01' })
    await caller.use(UPDATE, { email: 'harold@example.com' })
    await says(caller)
    expect(await find(`Task?patient=${ruth}&code=identity-outcome`)).toEqual([])
    const own = await caller.patientId()
    expect(await find(`Task?patient=${own}&code=identity-outcome`)).toHaveLength(2)
    expect(await changes()).toMatchObject([{ status: 'entered-in-error' }])
  })

  test('a consent where none was on file is entered in error, and an earlier one is as it was', async () => {
    const consents = (patient = ruth) => find<Consent>(`Consent?patient=${patient}`)
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { commsConsent: true })
    expect(await consents()).toMatchObject([{ status: 'active' }])
    await says(caller)
    expect(await consents()).toMatchObject([{ status: 'entered-in-error' }])
    expect(await consents(await caller.patientId())).toMatchObject([{ status: 'active' }])
    await new Caller(server, number).use(UPDATE, { firstName: 'Ruth', commsConsent: false })
    const other = new Caller(server, number)
    await other.use(UPDATE, { commsConsent: true })
    await says(other)
    expect(await consents()).toMatchObject([{ status: 'inactive' }])
  })

  test.each<[string, string, object]>([
    ['has written on the patient', INSURANCE, CARD],
    ['has only found the patient', UPDATE, {}],
  ])('the log of a call that %s is the placeholder’s', async (_what, tool, args) => {
    const caller = new Caller(server, number)
    await caller.use(tool, args)
    await caller.use('validate_intake_field', { fieldName: 'email', value: 'jane at example dot com' })
    await says(caller)
    expect(await find(`Communication?subject=Patient/${ruth}`)).toEqual([])
    expect(await find(`Communication?subject=Patient/${await caller.patientId()}`)).toHaveLength(3)
  })

  test('staff see in the Task what was taken back, what went along, and what was left as somebody else has changed it', async () => {
    const caller = new Caller(server, number)
    await caller.use(INSURANCE, CARD)
    await caller.use(SELF_PAY, { decision: 'self_pay_continue' })
    const all = await find<Coverage>(`Coverage?beneficiary=${ruth}`)
    const isSelfPay = ({ type }: Coverage) => type !== undefined
    const [insured, selfPay] = [all.find((one) => !isSelfPay(one)), all.find(isSelfPay)]
    await server.fhir('PUT', `/Coverage/${insured?.id}`, { ...insured, order: 1 })
    await says(caller)
    expect((await server.fhir('GET', `/Coverage/${insured?.id}`)).body).toMatchObject({ status: 'active', order: 1 })
    const own = await find<Coverage>(`Coverage?beneficiary=${await caller.patientId()}`)
    expect(own).toHaveLength(2)
    const coverages = (code: string) =>
      (attachedTo(task)[code] as { reference: string }[]).filter(({ reference }) => reference.startsWith('Coverage/'))
    const [task] = await contradictions()
    expect(coverages('not-taken-back')).toEqual([{ reference: `Coverage/${insured?.id}` }])
    expect(coverages('taken-back')).toEqual([{ reference: `Coverage/${selfPay?.id}` }])
    expect(
      coverages('went-along')
        .map(({ reference }) => reference)
        .sort(),
    ).toEqual(own.map(({ id }) => `Coverage/${id}`).sort())
    expect(attachedTo(task)).toMatchObject({
      'insurance-status': ['VERIFIED'],
      'self-pay-decision': ['self_pay_continue'],
    })
  })

  test.each<[string, string, object]>([
    ['has said who they are', UPDATE, { firstName: 'Ruth' }],
    ['was verified', 'verify_patient', { statedName: 'Ruth Abernathy', statedDateOfBirth: '1941-02-17' }],
  ])('stays with the patient who %s, when a second person takes the phone', async (_how, tool, said) => {
    const caller = new Caller(server, number)
    await caller.use(INSURANCE, CARD)
    await caller.use(tool, said)
    await caller.use(SELF_PAY, { decision: 'self_pay_continue' })
    await says(caller)
    expect(await find<Coverage>(`Coverage?beneficiary=${ruth}`)).toMatchObject([
      { status: 'active' },
      { status: 'active' },
    ])
    expect(await find<Coverage>(`Coverage?beneficiary=${await caller.patientId()}`)).toEqual([])
  })

  test.each([1, 2, 3, 4, 5])(
    'at the same time: nothing of it is left with the patient, and nothing lost (%i)',
    async () => {
      const caller = new Caller(server, number)
      // The call has its patient already, so that nothing else makes the requests meet a conflict.
      await caller.use(UPDATE, {})
      await Promise.all([
        caller.use(INSURANCE, CARD),
        caller.use('escalate_billing', { reason: 'x' }),
        caller.use(INSURANCE, { ...CARD, memberId: 'XYZ-9' }),
        says(caller),
        caller.use(SELF_PAY, { decision: 'self_pay_continue' }),
        caller.use('resolve_patient_identity', { statedName: 'Nobody Known' }),
      ])
      const notOf = `status:not=entered-in-error`
      for (const type of ['Coverage', 'CoverageEligibilityRequest', 'CoverageEligibilityResponse'])
        expect(await find(`${type}?patient=${ruth}&${notOf}`)).toEqual([])
      expect(await find(`Task?patient=${ruth}&code:not=identity-contradiction&${notOf}`)).toEqual([])
      const own = await caller.patientId()
      expect(await find<Coverage>(`Coverage?beneficiary=${own}`)).toHaveLength(3)
      expect(await find<Task>(`Task?patient=${own}&code=billing-escalation`)).toHaveLength(1)
      expect(await find<Task>(`Task?patient=${own}&code=identity-outcome`)).toHaveLength(1)
    },
  )
})

describe('concurrent requests of a call', () => {
  test('make one placeholder, and all that follows is on it', async () => {
    const before = await read()
    const caller = new Caller(server, number)
    const said = { ...ALL_FIELDS, firstName: 'Harold', lastName: 'Smith', phone: number }
    await Promise.all(Array.from({ length: 6 }, () => caller.use(UPDATE, said)))
    expect(await read()).toEqual(before)
    expect(await find<Patient>(`Patient?phone=${encodeURIComponent(number)}&_id:not=${ruth}`)).toHaveLength(1)
    expect(await caller.patient()).toMatchObject({ active: true, name: [{ given: ['Harold'], family: 'Smith' }] })
    expect(await contradictions()).toHaveLength(1)
  })

  test.each([1, 2, 3, 4, 5])('with one field each lose nothing, and never rename the patient (%i)', async () => {
    const caller = new Caller(server, number)
    const said = { ...ALL_FIELDS, firstName: 'Harold', lastName: 'Smith', phone: number }
    await Promise.all(Object.entries(said).map(([name, value]) => caller.use(UPDATE, { [name]: value })))
    expect(await read()).toMatchObject(RUTH)
    expect(await caller.patient()).toMatchObject({ name: [{ given: ['Harold'], family: 'Smith' }] })
    expect(await caller.use(UPDATE, {})).toMatchObject({ registrationStatus: 'COMPLETE', missingFields: [] })
  })
})

describe('a caller who is the patient', () => {
  test('completes the name by a middle name, and staff see it', async () => {
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { firstName: 'Ruth Ann', lastName: 'Abernathy' })
    expect(await caller.patientId()).toBe(ruth)
    expect((await read()).name).toEqual([{ use: 'official', family: 'Abernathy', given: ['Ruth', 'Ann'] }])
    expect(await contradictions()).toEqual([])
    expect((await changes()).map(attachedTo)).toMatchObject([
      { 'recorded-first-name': ['Ruth'], 'stated-first-name': ['Ruth Ann'] },
    ])
  })

  test('says a nickname: the name stays, and staff see it', async () => {
    await put({ ...(await read()), name: [{ family: 'Doe', given: ['William'] }] })
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { firstName: 'Bill' })
    expect((await read()).name).toEqual([{ family: 'Doe', given: ['William'] }])
    expect((await changes()).map(attachedTo)).toMatchObject([
      { 'recorded-first-name': ['William'], 'stated-first-name': ['Bill'] },
    ])
  })

  test('gives other contact details: the old ones are kept, and one Task of the call has every change', async () => {
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { phone: '+12125550177' })
    await caller.use(UPDATE, { email: 'new@example.com' })
    await caller.use(UPDATE, { email: 'newer@example.com' })
    expect((await read()).telecom).toEqual([
      { system: 'phone', value: '+12125550177' },
      { system: 'email', value: 'newer@example.com' },
      { system: 'phone', value: number, use: 'old', period: { end: expect.any(String) } },
      { system: 'email', value: 'ruth@example.com', use: 'old', period: { end: expect.any(String) } },
      { system: 'email', value: 'new@example.com', use: 'old', period: { end: expect.any(String) } },
    ])
    expect((await changes()).map(attachedTo)).toMatchObject([
      {
        'recorded-phone': [number],
        'stated-phone': ['+12125550177'],
        'recorded-email': ['ruth@example.com', 'new@example.com'],
        'stated-email': ['new@example.com', 'newer@example.com'],
      },
    ])
  })

  test('says what is on file: no new version, and no Task', async () => {
    const before = await read()
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { firstName: 'ruth', lastName: 'Abernathy', phone: number, email: 'RUTH@example.com' })
    expect(await read()).toEqual(before)
    expect(await changes()).toEqual([])
  })
})

describe('a verification', () => {
  const verify = { statedName: 'Ruth Abernathy', statedDateOfBirth: '1941-02-17' }

  test('stays: the verified caller says another name, and appointments are still of the verified patient', async () => {
    const caller = new Caller(server, number)
    expect(await caller.use('verify_patient', verify)).toMatchObject({ verified: true })
    await caller.use(UPDATE, { firstName: 'Harold' })
    expect(await caller.patientId()).not.toBe(ruth)
    expect(await caller.use('list_appointments', {})).toMatchObject({ success: true })
    expect(await read()).toMatchObject(RUTH)
  })

  test('is not given by the number: who has another name is not verified as the patient, and books for the placeholder', async () => {
    const caller = new Caller(server, number)
    await caller.use(UPDATE, { firstName: 'Harold' })
    expect(await caller.use('list_appointments', {})).toMatchObject({ success: false, code: 'not-verified' })
    const slots = (await caller.use('find_available_slots', {})).slots as { slotKey: string }[]
    const booked = await caller.use('book_appointment', { slotKey: slots[0]?.slotKey })
    expect(booked).toMatchObject({ success: true })
    const own = await caller.patientId()
    expect(await find(`Appointment?patient=${own}`)).toHaveLength(1)
    expect(await find(`Appointment?patient=${ruth}`)).toEqual([])
  })

  test('failed attempts count on, whoever the call goes on with', async () => {
    const caller = new Caller(server, number)
    const wrong = { ...verify, statedDateOfBirth: '1950-01-01' }
    expect(await caller.use('verify_patient', wrong)).toMatchObject({ attemptsLeft: 2 })
    await caller.use(UPDATE, { firstName: 'Harold' })
    expect(await caller.use('verify_patient', wrong)).toMatchObject({ attemptsLeft: 1 })
    expect(await caller.use('verify_patient', wrong)).toMatchObject({ attemptsLeft: 0 })
    expect(await caller.use('verify_patient', verify)).toMatchObject({ verified: false })
  })
})

test('staff who call the operation on the patient in the path replace what they like', async () => {
  const parameter = [
    { name: 'firstName', valueString: 'Renamed' },
    { name: 'phone', valueString: '+12125550155' },
  ]
  const answer = await server.fhir('POST', `/Patient/${ruth}/$update-registration-field`, {
    resourceType: 'Parameters',
    parameter,
  })
  expect(answer.status).toBe(200)
  expect(await read()).toMatchObject({ name: [{ given: ['Renamed'] }], telecom: [{ value: '+12125550155' }, {}] })
  expect(await contradictions()).toEqual([])
})

test('a placeholder is corrected as before: whoever registers may take back what they said', async () => {
  const caller = new Caller(server)
  await caller.use(UPDATE, { firstName: 'Jane', phone: '+12125550123' })
  await caller.use(UPDATE, { firstName: 'Janet', phone: '+12125550124' })
  const patient = await caller.patient()
  expect(patient).toMatchObject({ name: [{ given: ['Janet'] }] })
  expect(patient?.telecom).toEqual([{ system: 'phone', value: '+12125550124' }])
  expect(patient !== undefined && isPlaceholder(patient)).toBe(true)
})
