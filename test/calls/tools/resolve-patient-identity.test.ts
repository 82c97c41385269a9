/** resolve_patient_identity: spec 2.3, 3, 4.1 rule 3 and 9. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import { startServer, type TestServer } from '../../support/server.ts'
import { ALL_FIELDS, attachedTo, Caller } from '../caller.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const people: Patient[] = [
    person('zabriskie', 'Zabriskie', 'Tamsin', '+12125550140'),
    person('twin-a', 'Vandermolen', 'Piet', '+12125550141'),
    person('twin-b', 'Vandermolen', 'Piet', '+12125550142'),
    person('formatted', 'Oxbow', 'Lena', '(212) 555-0143'),
    { ...person('inactive', 'Dormant', 'Otto', '+12125550144'), active: false },
    {
      ...person('replaced', 'Former', 'Olga', '+12125550145'),
      link: [{ other: { reference: 'Patient/zabriskie' }, type: 'replaced-by' }],
    },
    { resourceType: 'Patient', id: 'text-only', name: [{ text: 'Wendeline Textor' }] },
  ]
  for (const patient of people) await server.fhir('PUT', `/Patient/${patient.id}`, patient)
})
afterAll(() => server.close())

const TOOL = 'resolve_patient_identity'

const person = (id: string, family: string, given: string, phone: string): Patient => ({
  resourceType: 'Patient',
  id,
  active: true,
  name: [{ family, given: [given] }],
  telecom: [{ system: 'phone', value: phone }],
})

const EXISTING = {
  success: true,
  patientType: 'EXISTING',
  code: 'existing-patient',
  say: 'Thank you, I have found your details.',
}
const NEW = {
  success: true,
  patientType: 'NEW',
  code: 'new-patient',
  say: 'Thank you. I will set up a new record for you.',
}

describe('patientType EXISTING (spec 3): a real patient of the clinic by name or phone', () => {
  test.each([
    ['by name', { statedName: 'Tamsin Zabriskie' }],
    ['by name, family name first', { statedName: 'Zabriskie Tamsin' }],
    ['by name with a comma', { statedName: 'Zabriskie, Tamsin' }],
    ['by name in other case', { statedName: 'tamsin ZABRISKIE' }],
    ['by phone', { statedPhone: '+12125550140' }],
    ['by phone without country', { statedPhone: '212-555-0140' }],
    ['by phone as spoken', { statedPhone: 'two one two, five five five, oh one four oh' }],
    ['by a phone that is stored with formatting', { statedPhone: '2125550143' }],
    ['by name although the phone is another', { statedName: 'Tamsin Zabriskie', statedPhone: '+12125559999' }],
    ['by phone although the name is another', { statedName: 'Nobody Known', statedPhone: '+12125550140' }],
    ['when several have the name', { statedName: 'Piet Vandermolen' }],
    ['by family name alone', { statedName: 'Zabriskie' }],
    ['by given name alone', { statedName: 'My name is Tamsin' }],
    ['by a family name that several have', { statedName: 'Vandermolen' }],
    ['by a name that the record holds as a text only', { statedName: 'Wendeline Textor' }],
    ['by that, family name first', { statedName: 'Textor, Wendeline' }],
  ])('%s', async (_how, args) => {
    expect(await new Caller(server).use(TOOL, args)).toEqual(EXISTING)
  })
})

describe('patientType NEW (spec 3)', () => {
  test.each([
    ['an unknown name', { statedName: 'Nobody Known' }],
    ['an unknown phone', { statedPhone: '+12125559999' }],
    ['the beginning of a name', { statedName: 'Zabrisk' }],
    ['a record that is not active, by name', { statedName: 'Otto Dormant' }],
    ['a record that is not active, by phone', { statedPhone: '+12125550144' }],
    ['a record that another one replaced', { statedName: 'Olga Former', statedPhone: '+12125550145' }],
    ['a number of another country with the same digits', { statedPhone: '+91 212 555 0143' }],
    ['another given name', { statedName: 'Tom Zabriskie' }],
  ])('%s', async (_how, args) => {
    expect(await new Caller(server).use(TOOL, args)).toEqual(NEW)
  })

  test('a placeholder is nobody yet, and is found once its registration is complete', async () => {
    const caller = new Caller(server)
    const { commsConsent, ...others } = {
      ...ALL_FIELDS,
      firstName: 'Ottoline',
      lastName: 'Frobisher',
      phone: '+12125550150',
    }
    await caller.use('update_registration_field', others)
    const stated = { statedName: 'Ottoline Frobisher', statedPhone: '+12125550150' }
    expect(await new Caller(server).use(TOOL, stated)).toEqual(NEW)
    await caller.use('update_registration_field', { commsConsent })
    expect(await new Caller(server).use(TOOL, stated)).toEqual(EXISTING)
  })

  test('a patient of another clinic is nobody here', async () => {
    const elsewhere = server.app.access('elsewhere', { kind: 'server' })
    await elsewhere.change((ctx) => ctx.update<Patient>(person('far', 'Qureshi', 'Farhana', '+12125550160')))
    const stated = { statedName: 'Farhana Qureshi', statedPhone: '+12125550160' }
    const caller = new Caller(server)
    expect(await caller.use(TOOL, stated)).toEqual(NEW)
    expect(attachedTo((await caller.tasks())[0]).candidate).toBeUndefined()
  })
})

describe('statedDateOfBirth is accepted and ignored (spec 2.3, 9)', () => {
  test.each([
    ['EXISTING', { statedName: 'Tamsin Zabriskie' }],
    ['NEW', { statedName: 'Nobody Known' }],
  ])('%s stays %s whatever the birth date is', async (_type, args) => {
    const bare = new Caller(server)
    const expected = await bare.use(TOOL, args)
    const [expectedTask] = await bare.tasks()
    for (const statedDateOfBirth of ['1980-03-03', '1999-12-31', 'March third nineteen eighty', 'nonsense']) {
      const caller = new Caller(server)
      expect(await caller.use(TOOL, { ...args, statedDateOfBirth })).toEqual(expected)
      const [task] = await caller.tasks()
      expect(task?.description).toBe(expectedTask?.description)
      expect({ ...attachedTo(task), 'call-id': [bare.id] }).toEqual(attachedTo(expectedTask))
    }
  })

  test('a birth date alone is not enough', async () => {
    expect(await new Caller(server).use(TOOL, { statedDateOfBirth: '1980-03-03' })).toMatchObject({
      success: false,
      code: 'missing-argument',
    })
  })
})

describe('the outcome is recorded for staff (spec 2.4, 3)', () => {
  test.each([
    [
      'one by name and phone',
      { statedName: 'Tamsin Zabriskie', statedPhone: '+12125550140' },
      'EXISTING',
      'probable',
      ['zabriskie'],
    ],
    ['one by name', { statedName: 'Tamsin Zabriskie' }, 'EXISTING', 'possible', ['zabriskie']],
    ['one by a single word', { statedName: 'Zabriskie' }, 'EXISTING', 'possible', ['zabriskie']],
    ['several by name', { statedName: 'Piet Vandermolen' }, 'EXISTING', 'possible', ['twin-a', 'twin-b']],
    [
      'several by name, one of them by phone',
      { statedName: 'Piet Vandermolen', statedPhone: '+12125550142' },
      'EXISTING',
      'possible',
      ['twin-b', 'twin-a'],
    ],
    ['nobody', { statedName: 'Nobody Known' }, 'NEW', 'certainly-not', []],
  ])('%s', async (_what, args, patientType, grade, candidates) => {
    const caller = new Caller(server, '+12125550170')
    await caller.use(TOOL, args)
    const [task, ...more] = (await caller.tasks()).filter(({ input }) =>
      input?.some(({ valueString }) => valueString === caller.id),
    )
    expect(more).toEqual([])
    const focus = { reference: `Patient/${await caller.patientId()}` }
    expect(task).toMatchObject({
      status: 'requested',
      code: { coding: [{ code: 'identity-outcome' }] },
      focus,
      for: focus,
    })
    const attached = attachedTo(task)
    expect(attached).toMatchObject({
      'patient-type': [patientType],
      'match-grade': [grade],
      'call-id': [caller.id],
      'caller-number': ['+12125550170'],
      'registration-status': ['ACTION_REQUIRED'],
    })
    const references = (attached.candidate ?? []).map((value) => (value as { reference: string }).reference)
    const order = grade === 'possible' && candidates[0] === 'twin-a' ? references.toSorted() : references
    expect(order).toEqual(candidates.map((id) => `Patient/${id}`))
  })

  const candidatesFor = async (args: object) => {
    const caller = new Caller(server)
    await caller.use(TOOL, args)
    const [task] = await caller.tasks()
    return (attachedTo(task).candidate ?? []).map((value) => (value as { reference: string }).reference)
  }

  test('whoever matches by name and phone comes before those who match by one of them', async () => {
    const phone = '+12125550147'
    for (const [id, family, own] of [
      ['aa-phone', 'Otherwise', phone],
      ['aa-name', 'Quackenbush', '+12125550148'],
      ['both', 'Quackenbush', phone],
    ] as const)
      await server.fhir('PUT', `/Patient/${id}`, person(id, family, 'Nell', own))
    const [first, ...others] = await candidatesFor({ statedName: 'Nell Quackenbush', statedPhone: phone })
    expect(first).toBe('Patient/both')
    expect(others.toSorted()).toEqual(['Patient/aa-name', 'Patient/aa-phone'])
  })

  test('20 candidates are attached at most', async () => {
    for (let number = 0; number < 21; number++)
      await server.fhir('PUT', `/Patient/many-${number}`, person(`many-${number}`, 'Multitude', 'Mona', '+12125550149'))
    expect(await candidatesFor({ statedName: 'Mona Multitude' })).toHaveLength(20)
  })

  test('what was stated is attached', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { statedName: 'Nobody Known', statedPhone: '212 555 9999' })
    expect(attachedTo((await caller.tasks())[0])).toMatchObject({
      'stated-name': ['Nobody Known'],
      'stated-phone': ['+12125559999'],
    })
  })
})

describe('what the caller and the call get', () => {
  test('the result neither names nor counts other people: one match and two matches answer the same', async () => {
    const one = await new Caller(server).use(TOOL, { statedName: 'Tamsin Zabriskie' })
    const two = await new Caller(server).use(TOOL, { statedName: 'Piet Vandermolen' })
    expect(two).toEqual(one)
  })

  test('the call keeps its own patient, and the matched record is not touched (never merged)', async () => {
    const caller = new Caller(server)
    await caller.use('update_registration_field', { firstName: 'Jane' })
    const own = await caller.patientId()
    expect(await caller.use(TOOL, { statedName: 'Tamsin Zabriskie', statedPhone: '+12125550140' })).toEqual(EXISTING)
    await caller.use('update_registration_field', { lastName: 'Doe' })
    expect(await caller.patientId()).toBe(own)
    expect((await caller.patient())?.name).toEqual([{ given: ['Jane'], family: 'Doe' }])
    expect((await caller.patient())?.link).toBeUndefined()
    expect((await server.fhir('GET', '/Patient/zabriskie')).body.meta.versionId).toBe('1')
  })
})

describe('errors', () => {
  test.each([
    ['neither name nor phone', {}],
    ['blank name and phone', { statedName: ' ', statedPhone: '' }],
  ])('%s: at least one is required (4.1 rule 3), and nothing is written', async (_what, args) => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, args)).toMatchObject({
      success: false,
      code: 'missing-argument',
      error: 'At least one of statedName and statedPhone is required',
      say: expect.any(String),
    })
    expect(await caller.encounter()).toBeUndefined()
  })

  test.each([
    ['a phone that is no number', { statedPhone: 'call me' }, 'statedPhone'],
    [
      'a phone with too few digits beside a good name',
      { statedName: 'Tamsin Zabriskie', statedPhone: '123' },
      'statedPhone',
    ],
    ['a name that is not text', { statedName: 7 }, 'statedName'],
    ['a name of more than 200 characters', { statedName: 'x'.repeat(201) }, 'statedName'],
  ])('%s is refused, and nothing is written', async (_what, args, named) => {
    const caller = new Caller(server)
    const result = await caller.use(TOOL, args)
    expect(result).toMatchObject({ success: false, code: 'invalid-argument', error: expect.stringContaining(named) })
    expect(result.patientType).toBeUndefined()
    expect(await caller.encounter()).toBeUndefined()
  })
})

test('staff who ask over FHIR get the answer and leave no Task', async () => {
  const before = (await server.fhir('GET', '/Task?_summary=count')).body.total
  const { status, body } = await server.fhir('POST', '/Patient/$resolve-patient-identity', {
    resourceType: 'Parameters',
    parameter: [{ name: 'statedName', valueString: 'Tamsin Zabriskie' }],
  })
  expect(status).toBe(200)
  expect(body.parameter).toContainEqual({ name: 'patientType', valueCode: 'EXISTING' })
  expect((await server.fhir('GET', '/Task?_summary=count')).body.total).toBe(before)
})
