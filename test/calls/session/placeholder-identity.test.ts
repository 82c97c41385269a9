/**
 * A placeholder that has a stated name or birth date is of one person: another person, in the same call or in another one,
 * has a placeholder of their own, and staff see both.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Appointment, Coverage, Encounter, Patient, QuestionnaireResponse, Task } from 'fhir/r4'
import { request, startServer } from '../../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'
import { ALL_FIELDS, attachedTo, Caller, INTAKE } from '../caller.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const UPDATE = 'update_registration_field'
const INTAKE_TOOL = 'submit_intake'
const INSURANCE = 'submit_insurance_info'
const CARD = { payerName: 'Acme Health', memberId: 'XYZ-1234' }

/** The shared number of a family, an office or a shelter; each test has its own. */
let number: string
let count = 0
beforeEach(() => {
  count += 1
  number = `+1212555${String(2000 + count)}`
})

const newCall = (from: string | undefined = number) => new Caller(clinics.server, from)
const read = async (id: string): Promise<Patient> => (await clinics.ours('GET', `/Patient/${id}`)).body
const find = async <R>(query: string): Promise<readonly R[]> =>
  ((await clinics.ours('GET', `/${query}`)).body.entry ?? []).map(({ resource }: { resource: R }) => resource)
const contradictions = (patient: string) => find<Task>(`Task?patient=${patient}&code=identity-contradiction`)
const visits = (patient: string) => find<Appointment>(`Appointment?patient=${patient}`)
const coverages = (patient: string) => find<Coverage>(`Coverage?beneficiary=${patient}&status:not=entered-in-error`)

/** The first free time. */
async function book(caller: Caller): Promise<Record<string, unknown>> {
  const slots = (await caller.use('find_available_slots', {})).slots as readonly { readonly slotKey: string }[]
  return await caller.use('book_appointment', { slotKey: slots[0]?.slotKey })
}

const personOf = ({ name, birthDate }: Patient) => ({ name, birthDate })

async function expectContradiction(recorded: string, own: string): Promise<void> {
  const [task, ...more] = await contradictions(recorded)
  expect(more).toEqual([])
  expect(task).toMatchObject({ status: 'requested', focus: { reference: `Patient/${own}` } })
  expect(attachedTo(task)).toMatchObject({
    'recorded-patient': [{ reference: `Patient/${recorded}` }],
    'call-patient': [{ reference: `Patient/${own}` }],
  })
}

type Said = readonly [tool: string, args: object]
const intake = (firstName: string, lastName: string, dateOfBirth: string): Said => [
  INTAKE_TOOL,
  { ...INTAKE, firstName, lastName, dateOfBirth },
]
const update = (args: object): Said => [UPDATE, args]

const MIA = intake('Mia', 'Larkin', '2015-05-06')
const JOHN = update({ firstName: 'John', lastName: 'Doe' })

/** Two things said one after the other, by two people. */
const OTHER_PEOPLE: readonly (readonly [what: string, first: Said, second: Said])[] = [
  ['the intake of a second child', MIA, intake('Theo', 'Larkin', '2018-09-10')],
  ['the intake of a twin', MIA, intake('Theo', 'Larkin', '2015-05-06')],
  ['the intake of a second child whose name is like that of the first', MIA, intake('Mira', 'Larkin', '2018-09-10')],
  ['the intake of a child of the same name born on another day', MIA, intake('Mia', 'Larkin', '2018-09-10')],
  ['an intake with another first and last name', MIA, intake('Theo', 'Quist', '2018-09-10')],
  ['an intake with another full name and the same birth date', MIA, intake('Theo', 'Quist', '2015-05-06')],
  ['an intake of somebody who shares the first name only', MIA, intake('Mia', 'Quist', '2018-09-10')],
  ['an intake with another birth date after a name', JOHN, intake('Jane', 'Doe', '1980-03-03')],
  ['another full name', JOHN, update({ firstName: 'Grace', lastName: 'Quist' })],
  ['another first name with the last name', JOHN, update({ firstName: 'Grace', lastName: 'Doe' })],
  ['another last name with the first name', JOHN, update({ firstName: 'John', lastName: 'Quist' })],
  ['another first name alone', JOHN, update({ firstName: 'Grace' })],
  [
    'another first name alone, where no last name was said',
    update({ firstName: 'John' }),
    update({ firstName: 'Grace' }),
  ],
  [
    'another suffix',
    update({ firstName: 'John', lastName: 'Doe Jr.' }),
    update({ firstName: 'John', lastName: 'Doe Sr.' }),
  ],
  ['every field of another person', JOHN, update({ ...ALL_FIELDS, firstName: 'Grace', lastName: 'Quist' })],
  [
    'a nickname of another name with the last name',
    update({ firstName: 'William', lastName: 'Doe' }),
    update({ firstName: 'Bob', lastName: 'Doe' }),
  ],
]

describe('one call in which somebody else is spoken of', () => {
  test.each(OTHER_PEOPLE)(
    '%s: each has a record with what is theirs, and staff see both',
    async (_what, first, second) => {
      const caller = newCall()
      await caller.use(...first)
      await caller.use(INSURANCE, CARD)
      await caller.use('record_self_pay_decision', { decision: 'self_pay_continue', selfPayPriceCents: 100 })
      expect(await book(caller)).toMatchObject({ success: true })
      const one = await caller.patientId()
      const before = await read(one)
      expect(await caller.use(...second)).toMatchObject({ success: true })
      expect(await read(one)).toEqual(before)
      const other = await caller.patientId()
      expect(other).not.toBe(one)
      const { firstName, lastName, dateOfBirth } = second[1] as Record<string, string>
      expect(await read(other)).toMatchObject({
        active: Object.hasOwn(second[1], 'healthPlanName'),
        name: [{ given: [firstName], ...(lastName === undefined ? {} : { family: lastName }) }],
        ...(dateOfBirth === undefined ? {} : { birthDate: dateOfBirth }),
      })
      await expectContradiction(one, other)
      expect(await book(caller)).toMatchObject({ success: true })
      await caller.use('join_waitlist', { when: 'any morning' })
      await caller.use(INSURANCE, { ...CARD, memberId: 'ABC-9876' })
      expect((await visits(one)).map(({ status }) => status)).toEqual(['booked'])
      expect((await visits(other)).map(({ status }) => status).sort()).toEqual(['booked', 'waitlist'])
      expect((await coverages(one)).map(({ subscriberId }) => subscriberId).sort()).toEqual(['XYZ-1234', undefined])
      expect((await coverages(other)).map(({ subscriberId }) => subscriberId)).toEqual(['ABC-9876'])
    },
  )

  test('registration of the second begins anew, and completes the second alone', async () => {
    const caller = newCall()
    const { firstName, lastName, ...rest } = ALL_FIELDS
    await caller.use(UPDATE, { ...rest, firstName: 'Mia', lastName: 'Larkin', commsConsent: undefined })
    const mia = await caller.patientId()
    expect(await caller.use(UPDATE, { firstName: 'Theo', lastName: 'Larkin', commsConsent: true })).toMatchObject({
      registrationStatus: 'ACTION_REQUIRED',
      missingFields: expect.arrayContaining(['phone', 'email', 'preferredLocation']),
    })
    expect(await read(mia)).toMatchObject({ active: false, name: [{ given: ['Mia'] }] })
    expect((await read(mia)).extension?.length).toBe(4)
    expect([firstName, lastName]).toEqual(['Jane', 'Doe'])
  })

  test('who was spoken of before goes on with their own record, and there is no third one', async () => {
    const caller = newCall()
    const theo = intake('Theo', 'Larkin', '2018-09-10')
    await caller.use(...MIA)
    const mia = await caller.patientId()
    await caller.use(...theo)
    const second = await caller.patientId()
    await caller.use(...MIA)
    expect(await caller.patientId()).toBe(mia)
    await book(caller)
    await caller.use(UPDATE, { firstName: 'Theo' })
    expect(await caller.patientId()).toBe(second)
    expect(await visits(mia)).toHaveLength(1)
    expect(await visits(second)).toEqual([])
    expect(personOf(await read(mia))).toMatchObject({ name: [{ given: ['Mia'] }], birthDate: '2015-05-06' })
    expect(personOf(await read(second))).toMatchObject({ name: [{ given: ['Theo'] }], birthDate: '2018-09-10' })
  })

  test('a first child whose registration was completed is gone back to, and stays as it is', async () => {
    const caller = newCall(undefined)
    await caller.use(UPDATE, { ...ALL_FIELDS, firstName: 'Mia', lastName: 'Larkin' })
    const mia = await caller.patientId()
    await caller.use(UPDATE, { firstName: 'Theo', lastName: 'Larkin' })
    await caller.use(UPDATE, { firstName: 'Mia', lastName: 'Larkin', referralSource: 'the school' })
    expect(await caller.patientId()).toBe(mia)
    expect(await read(mia)).toMatchObject({ active: true, name: [{ given: ['Mia'], family: 'Larkin' }] })
  })

  test('the reason for a visit and the escalation of the first are not those of the second', async () => {
    const caller = newCall()
    await caller.use(...MIA)
    const mia = await caller.patientId()
    await caller.use('escalate_billing', { reason: 'the bill of Mia' })
    await caller.use(UPDATE, { firstName: 'Theo' })
    expect((await caller.encounter())?.reasonCode).toBeUndefined()
    await caller.use('escalate_billing', { reason: 'the bill of Theo' })
    const theo = await caller.patientId()
    const reasons = async (patient: string) =>
      (await find<Task>(`Task?patient=${patient}&code=billing-escalation`)).map((task) => attachedTo(task).reason)
    expect(await reasons(mia)).toEqual([['the bill of Mia']])
    expect(await reasons(theo)).toEqual([['the bill of Theo']])
  })
})

describe('one call in which the same person is spoken of again', () => {
  test.each<readonly [what: string, first: Said, second: Said, now: Patient['name']]>([
    ['no, Jon without an h', JOHN, update({ firstName: 'Jon' }), [{ given: ['Jon'], family: 'Doe' }]],
    [
      'an intake with the first name spelt otherwise',
      intake('John', 'Doe', '1980-03-03'),
      intake('Jon', 'Doe', '1980-03-03'),
      [{ given: ['Jon'], family: 'Doe' }],
    ],
    [
      'a longer form of the name',
      update({ firstName: 'Jane' }),
      update({ firstName: 'Janet' }),
      [{ given: ['Janet'] }],
    ],
    [
      'a first name that sounds alike, alone',
      update({ firstName: 'Sean', lastName: 'Doe' }),
      update({ firstName: 'Shawn' }),
      [{ given: ['Shawn'], family: 'Doe' }],
    ],
    [
      'a nickname',
      update({ firstName: 'William', lastName: 'Doe' }),
      update({ firstName: 'Bill', lastName: 'Doe' }),
      [{ given: ['Bill'], family: 'Doe' }],
    ],
    [
      'the whole name after the nickname',
      update({ firstName: 'Bill', lastName: 'Doe' }),
      update({ firstName: 'William' }),
      [{ given: ['William'], family: 'Doe' }],
    ],
    [
      'a last name spelt otherwise',
      update({ firstName: 'John', lastName: 'Smith' }),
      update({ lastName: 'Smyth' }),
      [{ given: ['John'], family: 'Smyth' }],
    ],
    [
      'a last name spelt otherwise, with the first name',
      update({ firstName: 'John', lastName: 'Schmidt' }),
      update({ firstName: 'John', lastName: 'Schmitt' }),
      [{ given: ['John'], family: 'Schmitt' }],
    ],
    [
      'another last name alone',
      update({ firstName: 'John', lastName: 'Smith' }),
      update({ lastName: 'Jones' }),
      [{ given: ['John'], family: 'Jones' }],
    ],
    [
      'a second last name',
      update({ firstName: 'Ana', lastName: 'Ruiz' }),
      update({ firstName: 'Ana', lastName: 'Ruiz Ortega' }),
      [{ given: ['Ana'], family: 'Ruiz Ortega' }],
    ],
    [
      'an accent',
      update({ firstName: 'Jose', lastName: 'Doe' }),
      update({ firstName: 'José', lastName: 'Doe' }),
      [{ given: ['José'], family: 'Doe' }],
    ],
    [
      'a middle name',
      JOHN,
      update({ firstName: 'John Paul', lastName: 'Doe' }),
      [{ given: ['John Paul'], family: 'Doe' }],
    ],
    [
      'the names the other way round',
      update({ firstName: 'Doe', lastName: 'John' }),
      JOHN,
      [{ given: ['John'], family: 'Doe' }],
    ],
    [
      'another last name in an intake with the same first name and birth date',
      intake('John', 'Smith', '1980-03-03'),
      intake('John', 'Jones', '1980-03-03'),
      [{ given: ['John'], family: 'Jones' }],
    ],
    [
      'the last name after the first',
      update({ firstName: 'John' }),
      update({ lastName: 'Doe' }),
      [{ given: ['John'], family: 'Doe' }],
    ],
    ['a birth date after the name', JOHN, intake('John', 'Doe', '1980-03-03'), [{ given: ['John'], family: 'Doe' }]],
    ['the very same', JOHN, JOHN, [{ given: ['John'], family: 'Doe' }]],
  ])('%s: it is a correction of one record', async (_what, first, second, now) => {
    const caller = newCall()
    await caller.use(...first)
    const one = await caller.patientId()
    await caller.use(...second)
    expect(await caller.patientId()).toBe(one)
    expect((await read(one)).name).toEqual(now)
    expect(await contradictions(one)).toEqual([])
  })
})

/** Details from the next caller, who is not known to be the first one. */
const NEXT_CALLERS: readonly (readonly [what: string, said: readonly Said[]])[] = [
  ['another name and birth date', [intake('Theo', 'Quist', '2018-09-10')]],
  ['another birth date', [intake('Mia', 'Larkin', '2018-09-10')]],
  ['another name', [update({ firstName: 'Theo', lastName: 'Larkin' })]],
  ['a first name that sounds alike', [update({ firstName: 'Mira', lastName: 'Larkin' })]],
  ['the same first name alone', [update({ firstName: 'Mia' })]],
  ['the same last name alone', [update({ lastName: 'Larkin' })]],
  ['no name, but insurance', [[INSURANCE, { ...CARD, memberId: 'ABC-9876' }]]],
  ['no name, but an e-mail address', [update({ email: 'theo@example.com' })]],
  ['nothing', [update({})]],
  [
    'insurance and then another name',
    [[INSURANCE, { ...CARD, memberId: 'ABC-9876' }], update({ firstName: 'Theo', lastName: 'Quist' })],
  ],
  ['what is to be paid', [['record_self_pay_decision', { decision: 'billing_escalation' }]]],
  ['who they are to resolve_patient_identity', [['resolve_patient_identity', { statedName: 'Mia Larkin' }]]],
]

describe('the next call from the number', () => {
  const firstCall = async (said = MIA) => {
    const caller = newCall()
    await caller.use(...said)
    await caller.use(INSURANCE, CARD)
    expect(await book(caller)).toMatchObject({ success: true })
    return { caller, id: await caller.patientId() }
  }

  test.each(NEXT_CALLERS)('whose caller says %s has a placeholder of its own', async (_what, said) => {
    const { caller: first, id } = await firstCall()
    const { meta: _meta, ...before } = await read(id)
    await first.end()
    const next = newCall()
    for (const one of said) await next.use(...one)
    expect(await book(next)).toMatchObject({ success: true })
    const { meta: _after, ...after } = await read(id)
    expect(after).toEqual(before)
    expect(await next.patientId()).not.toBe(id)
    expect(await visits(id)).toHaveLength(1)
    expect((await coverages(id)).map(({ subscriberId }) => subscriberId)).toEqual(['XYZ-1234'])
    expect(await find<Task>(`Task?patient=${id}&code=billing-escalation,identity-outcome`)).toEqual([])
  })

  test('tells its caller nothing of what the first has registered', async () => {
    const first = newCall()
    await first.use(UPDATE, { ...ALL_FIELDS, phone: number, commsConsent: undefined })
    await first.end()
    const next = newCall()
    const { missingFields } = await next.use(UPDATE, { commsConsent: true })
    expect(missingFields).toEqual(Object.keys(ALL_FIELDS).filter((field) => field !== 'commsConsent'))
  })

  test.each<readonly [what: string, first: Said, said: Said]>([
    ['the same full name', MIA, update({ firstName: 'Mia', lastName: 'Larkin', email: 'mia@example.com' })],
    ['the same full name and birth date', MIA, intake('Mia', 'Larkin', '2015-05-06')],
    ['a misspelt last name', MIA, update({ firstName: 'Mia', lastName: 'Larkins', email: 'mia@example.com' })],
    ['a nickname', intake('William', 'Larkin', '1950-01-02'), intake('Bill', 'Larkin', '1950-01-02')],
    [
      'a name that sounds alike and the birth date',
      intake('Jon', 'Larkin', '1950-01-02'),
      intake('John', 'Larkin', '1950-01-02'),
    ],
  ])(
    'goes on with the placeholder of an ended one where its caller says %s, and renames nobody',
    async (_what, earlier, said) => {
      const { caller: first, id } = await firstCall(earlier)
      await first.end()
      const person = personOf(await read(id))
      const next = newCall()
      await next.use(...said)
      expect(await next.patientId()).toBe(id)
      expect(personOf(await read(id))).toEqual(person)
      await next.use(UPDATE, { firstName: 'Theo', lastName: 'Quist' })
      expect(await next.patientId()).not.toBe(id)
      expect(personOf(await read(id))).toEqual(person)
      await expectContradiction(id, await next.patientId())
    },
  )

  test('has a placeholder of its own while the first has not ended, though its caller says the same', async () => {
    const { id } = await firstCall()
    const next = newCall()
    await next.use(...MIA)
    expect(await next.patientId()).not.toBe(id)
  })

  test('is one alone that goes on with it, where two calls say the same name at the same moment', async () => {
    const { caller: first, id } = await firstCall()
    await first.end()
    const both = [newCall(), newCall()]
    await Promise.all(both.map((caller) => caller.use(...MIA)))
    const ids = await Promise.all(both.map((caller) => caller.patientId()))
    expect(new Set(ids).size).toBe(2)
    expect(ids).toContain(id)
  })

  test('in another clinic finds nothing of it', async () => {
    const { caller: first, id } = await firstCall()
    await first.end()
    const headers = { 'x-call-id': `elsewhere-${count}`, 'x-call-to': '+12125550199', 'x-call-from': number }
    await clinics.server.tool(`/patient-intake/${INTAKE_TOOL}`, MIA[1], headers)
    const { body } = await clinics.theirs('GET', '/Patient?family=Larkin')
    expect(body.entry.map(({ resource }: { resource: Patient }) => resource.id)).not.toContain(id)
    expect(body.entry).toHaveLength(1)
  })
})

describe('calls at the same moment from one number', () => {
  test.each([1, 2, 3])('never share a placeholder, and none is complete by what the other said (%i)', async () => {
    const said = [
      { ...ALL_FIELDS, firstName: 'Mia', lastName: 'Larkin', phone: number },
      { ...ALL_FIELDS, firstName: 'Theo', lastName: 'Quist', phone: number },
    ].map((all) => Object.entries(all).map(([name, value]) => ({ [name]: value })))
    const calls = said.map((fields) => ({ caller: newCall(), fields }))
    await Promise.all(
      calls.map(async ({ caller, fields }) => {
        for (const field of fields.slice(0, -1)) await caller.use(UPDATE, field)
      }),
    )
    const [one, other] = await Promise.all(calls.map(({ caller }) => caller.patient()))
    expect(one).toMatchObject({ active: false, name: [{ given: ['Mia'], family: 'Larkin' }] })
    expect(other).toMatchObject({ active: false, name: [{ given: ['Theo'], family: 'Quist' }] })
  })

  test('of three people that say nothing but their insurance each has their own', async () => {
    const calls = [newCall(), newCall(), newCall()]
    await Promise.all(calls.map((caller, at) => caller.use(INSURANCE, { ...CARD, memberId: `XYZ-${at}000` })))
    for (const [at, caller] of calls.entries())
      expect(await coverages(await caller.patientId())).toMatchObject([{ subscriberId: `XYZ-${at}000` }])
  })
})

describe('a call about what was left unfinished', () => {
  async function recovery(abandonment: object) {
    const headers = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
    const post = async (path: string, body: object) =>
      (await request(clinics.server.url, 'POST', path, body, headers)).body
    const { id } = await post('/abandonments', {
      stepReached: 'x',
      contact: { phone: number },
      consent: true,
      ...abandonment,
    })
    const callId = `recovery-${count}`
    await post('/calls', { callId, dialedNumber: '+12125550100', abandonment: id })
    const task: Task = (await clinics.ours('GET', `/Task/${id}`)).body
    const owner = task.for?.reference?.slice('Patient/'.length) ?? ''
    const patientId = async () => {
      const [encounter] = await find<Encounter>(`Encounter?identifier=${callId}`)
      return encounter?.subject?.reference?.slice('Patient/'.length) ?? ''
    }
    const form = async (): Promise<Record<string, string | undefined>> => {
      const [{ item = [] } = {}] = await find<QuestionnaireResponse>(`QuestionnaireResponse?subject=${owner}`)
      return Object.fromEntries(item.map(({ linkId, answer }) => [linkId, answer?.[0]?.valueString]))
    }
    const use = (path: string, args: object) => clinics.server.tool(path, args, { 'x-call-id': callId })
    const save = (fieldName: string, value: string) =>
      use('/abandonment-recovery/save_recovery_field', { fieldName, value })
    return { owner, patientId, form, use, save }
  }
  const WENDELL = { firstName: 'Wendell', lastName: 'Quist' }
  const FORM = { kind: 'form', fields: { ...WENDELL, dateOfBirth: null, email: null, preferredDay: null } }

  test('that another person answers keeps nothing of what they said, nor of what they did before that', async () => {
    const { owner, patientId, use, save } = await recovery({ kind: 'registration', fields: WENDELL })
    const { meta: _before, ...original } = await read(owner)
    await use('/patient-journey/submit_insurance_info', CARD)
    const { slots } = await use('/emr-scheduling/find_available_slots', {})
    await use('/emr-scheduling/book_appointment', { slotKey: (slots as { slotKey: string }[])[0]?.slotKey })
    await use('/emr-scheduling/join_waitlist', { when: 'any morning' })
    expect(await save('email', 'grace@example.com')).toMatchObject({ success: true })
    expect(await save('firstName', 'Grace')).toMatchObject({ success: true })
    const { meta: _after, ...after } = await read(owner)
    expect(after).toEqual(original)
    const grace = await patientId()
    expect(await read(grace)).toMatchObject({
      name: [{ given: ['Grace'] }],
      telecom: [{ system: 'email', value: 'grace@example.com' }],
    })
    await expectContradiction(owner, grace)
    expect(await coverages(owner)).toEqual([])
    expect(await coverages(grace)).toMatchObject([{ subscriberId: 'XYZ-1234' }])
    expect(await visits(owner)).toEqual([])
    expect((await visits(grace)).map(({ status }) => status).sort()).toEqual(['booked', 'waitlist'])
  })

  test('that a namesake answers keeps nothing of what they did before they gave their last name', async () => {
    const { owner, patientId, use, save } = await recovery(FORM)
    const { slots } = await use('/emr-scheduling/find_available_slots', {})
    await use('/emr-scheduling/book_appointment', { slotKey: (slots as { slotKey: string }[])[0]?.slotKey })
    expect(await save('firstName', 'Wendell')).toMatchObject({ success: true })
    const { slots: more } = await use('/emr-scheduling/find_available_slots', {})
    await use('/emr-scheduling/book_appointment', { slotKey: (more as { slotKey: string }[])[1]?.slotKey })
    await use('/patient-journey/update_registration_field', { firstName: 'Wendell', lastName: 'Vasquez' })
    expect(await visits(owner)).toEqual([])
    expect(await visits(await patientId())).toHaveLength(2)
  })

  test.each<readonly [what: string, fieldName: string, value: string]>([
    ['another first name', 'firstName', 'Grace'],
    ['another last name', 'lastName', 'Larkin'],
  ])(
    'whose form has %s is neither told of nor changed, and goes on with a placeholder',
    async (_what, fieldName, value) => {
      const { owner, patientId, form, use, save } = await recovery(FORM)
      const before = await form()
      expect(await save('preferredDay', 'Thursday')).toMatchObject({ success: true })
      expect(await save(fieldName, value)).toMatchObject({ success: false, code: 'other-person' })
      expect(await form()).toEqual(before)
      expect(await read(await patientId())).toMatchObject({
        name: [fieldName === 'firstName' ? { given: [value] } : { family: value }],
      })
      await expectContradiction(owner, await patientId())
      expect(await save('email', 'grace@example.com')).toMatchObject({ code: 'other-person' })
      expect(await use('/abandonment-recovery/get_recovery_context', {})).toMatchObject({ code: 'other-person' })
      expect(await save('lastName', 'Zabriskie')).toMatchObject({ success: false, code: 'other-person' })
      expect(await read(await patientId())).toMatchObject({
        name: [{ ...(fieldName === 'firstName' ? { given: [value] } : {}), family: 'Zabriskie' }],
      })
      const callback = { when: 'tomorrow at two in the afternoon' }
      expect(await use('/abandonment-recovery/schedule_callback', callback)).toMatchObject({ code: 'other-person' })
      const reason = { reason: 'wrong person' }
      expect(await use('/abandonment-recovery/record_abandon_reason', reason)).toMatchObject({ code: 'other-person' })
      expect(await form()).toEqual(before)
      const outcome = await use('/abandonment-recovery/log_call_outcome', { outcome: 'wrong-number' })
      expect(outcome).toMatchObject({ success: true })
    },
  )

  test('puts a name or a birth date on the form where it has none, and corrects what was said in the call', async () => {
    const { form, save } = await recovery({ kind: 'form', fields: { firstName: 'William', lastName: null, dob: null } })
    for (const [fieldName, value] of [
      ['firstName', 'Bill'],
      ['lastName', 'Quist'],
      ['dob', 'March 3 1980'],
      ['lastName', 'Quest'],
      ['dob', 'March 13 1980'],
    ] as const)
      expect(await save(fieldName, value)).toMatchObject({ success: true })
    expect(await form()).toEqual({ firstName: 'William', lastName: 'Quest', dob: '1980-03-13' })
  })
})

test('a request without any metadata in demo mode: a second name does not become that of the first person', async () => {
  const server = await startServer()
  const first = { firstName: 'Jane', lastName: 'Doe', email: 'jane@example.com' }
  await server.tool(`/patient-journey/${UPDATE}`, first)
  await server.tool(`/patient-journey/${UPDATE}`, { firstName: 'Theo', lastName: 'Quist' })
  await server.tool(`/patient-journey/${UPDATE}`, { email: 'theo@example.com' })
  const patients = async (query: string) => (await server.fhir('GET', `/Patient?${query}`)).body.entry
  expect(await patients('family=Doe&given=Jane&_tag=placeholder')).toMatchObject([
    { resource: { telecom: [{ value: 'jane@example.com' }] } },
  ])
  expect(await patients('family=Quist&_tag=placeholder')).toMatchObject([
    { resource: { name: [{ given: ['Theo'] }], telecom: [{ value: 'theo@example.com' }] } },
  ])
  expect((await server.fhir('GET', '/Task?code=identity-contradiction')).body.entry).toHaveLength(1)
  await server.close()
})

test('a placeholder whose birth date is absent for a reason, and whose names are, is completed', async () => {
  const caller = newCall()
  await caller.use(UPDATE, { email: 'mia@example.com' })
  const id = await caller.patientId()
  const absent = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
  }
  await clinics.ours('PUT', `/Patient/${id}`, {
    ...(await read(id)),
    _birthDate: absent,
    name: [{ _family: absent, given: [null], _given: [absent] }],
  })
  expect(await caller.use(...MIA)).toMatchObject({ success: true })
  expect(await caller.patientId()).toBe(id)
  expect(await read(id)).toMatchObject({ birthDate: '2015-05-06' })
})
