/** resolve_patient_identity: spec 2.3, 3, 4.1 rule 3 and 9. */
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import type { Patient, Task } from 'fhir/r4'
import { DateTime } from 'luxon'
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

/** The Task with the outcome, which has the patient of the call as its focus. */
const outcomeOf = async (caller: Caller): Promise<Task> => {
  const found = await caller.find<Task>(`Task?focus=Patient/${await caller.patientId()}&code=identity-outcome`)
  const [task, ...others] = found
  expect(others).toEqual([])
  if (task === undefined) throw new Error('the call has left no outcome')
  return task
}

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
    ['by a name that is spelled', { statedName: 'Z A B R I S K I E' }],
    ['by a name within a sentence', { statedName: 'Yes, hi, this is Tamsin Zabriskie speaking' }],
    ['by its parts', { statedName: 'last name Zabriskie, first name Tamsin' }],
    ['by name beside a phone that cannot be read', { statedName: 'Tamsin Zabriskie', statedPhone: '123' }],
    ['by name beside a phone that is no text', { statedName: 'Tamsin Zabriskie', statedPhone: { number: 7 } }],
    ['by phone beside a name that holds none', { statedName: 'my name is', statedPhone: '+12125550140' }],
    ['by phone beside a name that is no text', { statedName: 7, statedPhone: '+12125550140' }],
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
    const [task] = await caller.tasks()
    expect(attachedTo(task).candidate).toBeUndefined()
    expect(task?.for).toEqual({ reference: `Patient/${await caller.patientId()}` })
  })
})

const BIRTH_DATES = [
  ...['1980-03-03', '1999-12-31', 'March third nineteen eighty', 'nonsense', '', null],
  ...[7, 19800303.5, true, {}, { year: 1980 }, [], ['1980-03-03', 1]],
]

describe('statedDateOfBirth is accepted and ignored (spec 2.3, 9)', () => {
  test.each([
    ['EXISTING', { statedName: 'Tamsin Zabriskie' }],
    ['NEW', { statedName: 'Nobody Known' }],
  ])('%s stays %s whatever the birth date is', async (_type, args) => {
    const bare = new Caller(server)
    const expected = await bare.use(TOOL, args)
    const expectedTask = await outcomeOf(bare)
    for (const statedDateOfBirth of BIRTH_DATES) {
      const caller = new Caller(server)
      expect(await caller.use(TOOL, { ...args, statedDateOfBirth })).toEqual(expected)
      const task = await outcomeOf(caller)
      expect(task.description).toBe(expectedTask.description)
      expect({ ...attachedTo(task), 'call-id': [bare.id] }).toEqual(attachedTo(expectedTask))
    }
  })

  test.each([
    ['a second before midnight', { days: 1, seconds: -1 }],
    ['at midnight', { days: 1 }],
    ['at noon', { hours: 12 }],
  ])('%s in the clinic as at any other time of day', async (_when, time) => {
    const startOfDay = DateTime.now().setZone('America/New_York').startOf('day')
    const at = startOfDay.plus(time).toMillis()
    const clock = jest.spyOn(Date, 'now').mockReturnValue(at)
    const clinic = await startServer()
    try {
      const outcomes: unknown[] = []
      const birthDates = [undefined, startOfDay.toISODate(), '1980-03-03', 'today', 7]
      for (const [index, statedDateOfBirth] of birthDates.entries()) {
        const args = { statedName: 'Nobody Known', statedDateOfBirth }
        const call = { 'x-call-id': `clocked-${index}` }
        expect(await clinic.tool(`/patient-journey/${TOOL}`, args, call)).toEqual(NEW)
        const ctx = await clinic.app.access('demo-clinic', { kind: 'server' }).reader()
        const found = await ctx.search<Task>('Task', 'code=identity-outcome')
        const task = found.find(({ resource }) => attachedTo(resource)['call-id']?.includes(call['x-call-id']))
        const { 'call-id': _id, ...attached } = attachedTo(task?.resource)
        expect(task?.resource.authoredOn).toBe(new Date(at).toISOString())
        outcomes.push({ description: task?.resource.description, attached })
      }
      for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0])
    } finally {
      clock.mockRestore()
      await clinic.close()
    }
  })

  test('staff who ask over FHIR may give it as anything', async () => {
    for (const value of [{ valueDate: '1980-03-03' }, { valueInteger: 7 }, { valueString: 'nonsense' }]) {
      const { status, body } = await server.fhir('POST', '/Patient/$resolve-patient-identity', {
        resourceType: 'Parameters',
        parameter: [
          { name: 'statedName', valueString: 'Tamsin Zabriskie' },
          { name: 'statedDateOfBirth', ...value },
        ],
      })
      expect(status).toBe(200)
      expect(body.parameter).toContainEqual({ name: 'patientType', valueCode: 'EXISTING' })
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
    const tasks = `Task?focus=Patient/${await caller.patientId()}`
    const [task, ...more] = (await caller.find<Task>(tasks)).filter(({ input }) =>
      input?.some(({ valueString }) => valueString === caller.id),
    )
    expect(more).toEqual([])
    const own = `Patient/${await caller.patientId()}`
    expect(task).toMatchObject({
      status: 'requested',
      code: { coding: [{ code: 'identity-outcome' }] },
      encounter: { reference: `Encounter/${(await caller.encounter())?.id}` },
      focus: { reference: own },
      for: { reference: candidates.length === 1 ? `Patient/${candidates[0]}` : own },
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

  describe('on the record of the one patient who is matched, and of nobody else', () => {
    const outcomesOf = async (caller: Caller, patient: string) => {
      const found = await caller.find<Task>(`Task?patient=${patient}&code=identity-outcome&_count=200`)
      return found.filter((task) => attachedTo(task)['call-id']?.includes(caller.id))
    }

    test('the Task is found there, and has the patient of the call in focus', async () => {
      const caller = new Caller(server)
      expect(await caller.use(TOOL, { statedName: 'Tamsin Zabriskie', statedPhone: '+12125550140' })).toEqual(EXISTING)
      const [task, ...others] = await outcomesOf(caller, 'zabriskie')
      expect(others).toEqual([])
      expect(task?.focus).toEqual({ reference: `Patient/${await caller.patientId()}` })
      expect(await caller.tasks()).toEqual([])
    })

    test('also when the call is known to be of that patient', async () => {
      const caller = new Caller(server, '+12125550140')
      await caller.use(TOOL, { statedName: 'Tamsin Zabriskie', statedPhone: '+12125550140' })
      expect(await outcomesOf(caller, 'zabriskie')).toMatchObject([{ focus: { reference: 'Patient/zabriskie' } }])
    })

    test.each([
      ['by name alone', { statedName: 'Tamsin Zabriskie' }],
      ['by a single word', { statedName: 'Zabriskie' }],
      ['by phone alone', { statedPhone: '+12125550140' }],
      ['by name, although the phone is another', { statedName: 'Tamsin Zabriskie', statedPhone: '+12125559999' }],
    ])('also %s', async (_what, args) => {
      const caller = new Caller(server)
      expect(await caller.use(TOOL, args)).toEqual(EXISTING)
      expect(await outcomesOf(caller, 'zabriskie')).toMatchObject([
        { focus: { reference: `Patient/${await caller.patientId()}` } },
      ])
      expect(await caller.tasks()).toEqual([])
    })

    test('of several it stays with the call', async () => {
      const caller = new Caller(server)
      await caller.use(TOOL, { statedName: 'Piet Vandermolen', statedPhone: '+12125550142' })
      for (const id of ['twin-a', 'twin-b']) expect(await outcomesOf(caller, id)).toEqual([])
      expect(await caller.tasks()).toHaveLength(1)
    })

    test('the caller hears nothing of it: other tools answer as after a name that nobody has', async () => {
      const heard = async (statedName: string) => {
        const caller = new Caller(server)
        await caller.use(TOOL, { statedName })
        const patient = await caller.patient()
        return [
          await caller.use('update_registration_field', { firstName: 'Jane' }),
          await caller.use('escalate_billing', { reason: 'a question of the bill' }),
          [patient?.name, patient?.telecom, patient?.link],
        ]
      }
      expect(await heard('Tamsin Zabriskie')).toEqual(await heard('Nobody Known'))
    })
  })

  test.each([
    ['phone', { statedName: 'Nobody Known', statedPhone: 'call\n me' }, 'unreadable-phone', 'call me'],
    ['phone', { statedName: 'Nobody Known', statedPhone: 12 }, 'unreadable-phone', '12'],
    ['name', { statedName: '!?', statedPhone: '+12125559999' }, 'unreadable-name', '!?'],
    ['name', { statedName: { first: 'A' }, statedPhone: '+12125559999' }, 'unreadable-name', 'not text'],
    ['name', { statedName: 'x'.repeat(201), statedPhone: '+12125559999' }, 'unreadable-name', 'x'.repeat(200)],
  ])(
    'a %s that cannot be read is attached as it was stated, and not as the stated one: %j',
    async (what, args, code, text) => {
      const caller = new Caller(server)
      expect(await caller.use(TOOL, args)).toEqual(NEW)
      const [task] = await caller.tasks()
      expect(attachedTo(task)[code]).toEqual([text])
      expect(attachedTo(task)[`stated-${what}`]).toBeUndefined()
      expect(task?.description).toContain(`The stated ${what} could not be read.`)
    },
  )

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

  test('20 candidates are attached at most, and how many more there are; a name that many have is said to be too common', async () => {
    for (let number = 0; number < 40; number++)
      await server.fhir('PUT', `/Patient/many-${number}`, person(`many-${number}`, 'Multitude', 'Mona', '+12125550149'))
    const caller = new Caller(server)
    await caller.use(TOOL, { statedName: 'Mona Multitude' })
    const [task] = await caller.tasks()
    const attached = attachedTo(task)
    expect(attached.candidate).toHaveLength(20)
    expect([attached['more-candidates'], attached['search-narrowed']]).toEqual([[20], [true]])
    expect(task?.description).toMatch(/There are 20 more candidates\. .*too common/)
  })

  test('a Task of few candidates says nothing of more', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { statedName: 'Piet Vandermolen' })
    const [task] = await caller.tasks()
    expect(Object.keys(attachedTo(task))).not.toContain('more-candidates')
    expect(Object.keys(attachedTo(task))).not.toContain('search-narrowed')
    expect(task?.description).toBe('The caller may be an existing patient. Please compare with the candidates.')
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

test('"N/A" in place of the phone is none: the name alone is looked for, and nothing was unreadable', async () => {
  const caller = new Caller(server)
  expect(await caller.use(TOOL, { statedName: 'Tamsin Zabriskie', statedPhone: 'N/A' })).toEqual(EXISTING)
  expect(attachedTo((await caller.tasks())[0])).not.toHaveProperty('unreadable-phone')
})

describe('errors', () => {
  test.each([
    ['neither name nor phone', {}],
    ['no name and no phone', { statedName: 'none', statedPhone: 'n/a' }],
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
    ['a phone with too few digits', { statedPhone: '123' }, 'statedPhone'],
    ['a name without a word', { statedName: '!?' }, 'statedName'],
    ['a name that may be two', { statedName: 'Tamsin Zabriskie now Jones' }, 'statedName'],
    ['what is said before a name, and no name', { statedName: 'my name is' }, 'statedName'],
    [
      'neither a name nor a number',
      { statedName: 7, statedPhone: 'call me' },
      'statedName: The value must be a string; statedPhone',
    ],
    ['a name that is not text', { statedName: 7 }, 'statedName'],
    ['a name of more than 200 characters', { statedName: 'x'.repeat(201) }, 'statedName'],
  ])('%s is refused, and nothing is written', async (_what, args, named) => {
    const caller = new Caller(server)
    const result = await caller.use(TOOL, args)
    expect(result).toMatchObject({ success: false, code: 'invalid-argument', error: expect.stringContaining(named) })
    expect(result.error).toMatch(
      /^At least one of statedName and statedPhone is required, in a form that can be read; /,
    )
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
