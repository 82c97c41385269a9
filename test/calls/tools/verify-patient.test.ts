/** verify_patient: verifies a caller as a patient of the clinic, by full name and date of birth. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { AuditEvent, AuditEventEntity, Patient, Task } from 'fhir/r4'
import { PLACEHOLDER_TAG } from '../../../src/matching/placeholder.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { attachedTo, Caller } from '../caller.ts'
import { verifiedIn } from '../verified.ts'

let DATABASE_URL: string
let server: TestServer
beforeAll(async () => {
  DATABASE_URL = await newLastingDatabaseUrl()
  server = await startServer({ DATABASE_URL })
  const people: Patient[] = [
    person('zabriskie', 'Zabriskie', 'Tamsin', '1980-03-03', '+12125550140'),
    person('twin-a', 'Vandermolen', 'Piet', '1975-05-05', '+12125550141'),
    person('twin-b', 'Vandermolen', 'Piet', '1975-05-05', '+12125550142'),
    person('anna', 'Castellanos', 'Anna', '1990-01-02'),
    person('ann', 'Castellanos', 'Ann', '1990-01-02'),
    person('kathryn', 'Oyelaran', 'Kathryn', '1966-06-06'),
    {
      ...person('junior', 'Brandt', 'Otis', '1955-05-01'),
      name: [{ family: 'Brandt', given: ['Otis'], suffix: ['Jr.'] }],
    },
    { ...person('text-only', '', '', '1970-07-07'), name: [{ text: 'Wendeline Textor' }] },
    { ...person('inactive', 'Dormant', 'Otto', '1950-01-01', '+12125550144'), active: false },
    {
      ...person('replaced', 'Former', 'Olga', '1951-01-01'),
      link: [{ other: { reference: 'Patient/zabriskie' }, type: 'replaced-by' }],
    },
    { ...person('placeholder', 'Waiting', 'Wanda', '1952-01-01'), active: false, meta: { tag: [PLACEHOLDER_TAG] } },
    person('year', 'Yearly', 'Yara', '1953'),
    { resourceType: 'Patient', id: 'undated', active: true, name: [{ family: 'Undated', given: ['Una'] }] },
    { ...person('mononym', 'Pelesoft', '', '1954-01-01'), name: [{ family: 'Pelesoft' }] },
  ]
  for (const patient of people) {
    const { status, body } = await server.fhir('PUT', `/Patient/${patient.id}`, patient)
    if (status >= 300) throw new Error(JSON.stringify(body))
  }
})
afterAll(() => server.close())

const TOOL = 'verify_patient'

const person = (id: string, family: string, given: string, birthDate: string, phone?: string): Patient => ({
  resourceType: 'Patient',
  id,
  active: true,
  birthDate,
  name: [{ family, given: [given] }],
  ...(phone === undefined ? {} : { telecom: [{ system: 'phone', value: phone }] }),
})

const TAMSIN = { statedName: 'Tamsin Zabriskie', statedDateOfBirth: '1980-03-03' }
const NOBODY = { statedName: 'Nobody Known', statedDateOfBirth: '1980-03-03' }

const VERIFIED = { success: true, verified: true, attemptsLeft: 3, say: 'Thank you, I have confirmed your details.' }

const failedWith = (attemptsLeft: number) => ({
  success: false,
  verified: false,
  attemptsLeft,
  code: attemptsLeft === 0 ? 'verification-ended' : 'not-verified',
  say: expect.stringMatching(
    attemptsLeft === 0 ? /speak with a person/ : /your full name and your date of birth again\?$/,
  ),
})

/** Patient.id; undefined for a caller who is not verified. */
const verified = (caller: Caller) => verifiedIn(server, caller.id)

describe('the patient of the call is verified by full name and date of birth', () => {
  test.each([
    ['as it is on file', 'Tamsin Zabriskie', '1980-03-03'],
    ['family name first', 'Zabriskie, Tamsin', '1980-03-03'],
    ['within a sentence', 'Hi, this is Tamsin Zabriskie speaking', 'March third nineteen eighty'],
    ['spelled', 'Tamsin Zabriskie, Z A B R I S K I E', 'the third of March, 1980'],
    ['in a spelling that sounds the same', 'Tamsyn Zabriski', '3 March 1980'],
    ['with a remark that is no part of it', 'Tamsin Zabriskie, one word, spelled the usual way', '3 March 1980'],
    ['with a degree', 'Dr. Tamsin Zabriskie, MD', '3 March 1980'],
  ])('%s', async (_how, statedName, statedDateOfBirth) => {
    const caller = new Caller(server, '+12125550140')
    expect(await caller.use(TOOL, { statedName, statedDateOfBirth })).toEqual(VERIFIED)
    expect(await verified(caller)).toBe('zabriskie')
    expect(await caller.patientId()).toBe('zabriskie')
  })

  test('a name with a remark that may be another name is asked again, and costs no attempt', async () => {
    const caller = new Caller(server, '+12125550140')
    const answer = await caller.use(TOOL, { ...TAMSIN, statedName: 'Tamsin Zabriskie now Jones' })
    expect(answer).toMatchObject({ success: false, code: 'invalid-argument' })
    expect(await caller.use(TOOL, { ...TAMSIN, statedName: 'Tamsin Smith' })).toEqual(failedWith(2))
  })

  test('and nobody else is: who calls from the number of another patient is not looked for in the clinic', async () => {
    const caller = new Caller(server, '+12125550140')
    expect(await caller.use(TOOL, { statedName: 'Kathryn Oyelaran', statedDateOfBirth: '1966-06-06' })).toEqual(
      failedWith(2),
    )
    expect(await verified(caller)).toBeUndefined()
  })
})

describe('who calls from an unknown number is looked for in the clinic', () => {
  test.each([
    ['the full name', 'Tamsin Zabriskie', '1980-03-03', 'zabriskie'],
    ['a spelling that is near', 'Katheryn Oyelaran', '1966-06-06', 'kathryn'],
    ['a nickname', 'Kathy Oyelaran', '1966-06-06', 'kathryn'],
    ['a name that is on file as a text only', 'Wendeline Textor', '1970-07-07', 'text-only'],
    ['a name without its suffix', 'Otis Brandt', '1955-05-01', 'junior'],
    ['the name of a twin that differs by a letter', 'Anna Castellanos', '1990-01-02', 'anna'],
    ['that of the other twin', 'Ann Castellanos', '1990-01-02', 'ann'],
  ])('%s', async (_what, statedName, statedDateOfBirth, id) => {
    const caller = new Caller(server)
    expect(await caller.use(TOOL, { statedName, statedDateOfBirth })).toEqual(VERIFIED)
    expect(await verified(caller)).toBe(id)
  })

  test.each(['+12125559999', '212 555 0140', 'call me'])(
    'a stated phone is not asked for and does not contradict: %j',
    async (statedPhone) => {
      expect(await new Caller(server).use(TOOL, { ...TAMSIN, statedPhone })).toEqual(VERIFIED)
    },
  )

  test('a number that several patients share is nobody’s, so that a parent may call for a child', async () => {
    const rory = { statedName: 'Rory Fitzgerald', statedDateOfBirth: '2017-05-19' }
    const maeve = { statedName: 'Maeve Fitzgerald', statedDateOfBirth: '1983-01-27' }
    const caller = new Caller(server, '+15185550117')
    expect(await caller.use(TOOL, maeve)).toEqual(VERIFIED)
    expect(await verified(caller)).toBe('fitzgerald-maeve')
    expect(await caller.use(TOOL, rory)).toEqual(VERIFIED)
    expect(await verified(caller)).toBe('fitzgerald-rory')
  })

  test('the call is bound to whom it finds for this family’s tools only', async () => {
    const caller = new Caller(server, '+12125550151')
    await caller.use(TOOL, TAMSIN)
    const own = await caller.patientId()
    expect(own).not.toBe('zabriskie')
    await caller.use('update_registration_field', { email: 'other@example.com' })
    expect(await caller.patientId()).toBe(own)
    const { body } = await server.fhir('GET', '/Patient/zabriskie')
    expect([body.meta.versionId, body.telecom]).toEqual(['1', [{ system: 'phone', value: '+12125550140' }]])
  })

  test('the binding follows a record that is merged, and ends with one that is not a patient any more', async () => {
    await server.fhir('PUT', '/Patient/going', person('going', 'Goingaway', 'Gus', '1944-04-04'))
    const caller = new Caller(server)
    await caller.use(TOOL, { statedName: 'Gus Goingaway', statedDateOfBirth: '1944-04-04' })
    expect(await verified(caller)).toBe('going')
    const link = [{ other: { reference: 'Patient/zabriskie' }, type: 'replaced-by' }]
    await server.fhir('PUT', '/Patient/going', { ...person('going', 'Goingaway', 'Gus', '1944-04-04'), link })
    expect(await verified(caller)).toBe('zabriskie')
    await server.fhir('PUT', '/Patient/going', { ...person('going', 'Goingaway', 'Gus', '1944-04-04'), active: false })
    expect(await verified(caller)).toBeUndefined()
  })
})

describe('every failure is answered in the same words', () => {
  let expected: readonly string[]
  beforeAll(async () => {
    expected = await answersTo(new Caller(server), NOBODY)
    const elsewhere = server.app.access('elsewhere', { kind: 'server' })
    await elsewhere.change((ctx) => ctx.update<Patient>(person('far', 'Qureshi', 'Farhana', '1977-07-07')))
  })

  const answersTo = async (caller: Caller, stated: object): Promise<readonly string[]> => {
    const answers: string[] = []
    for (let attempt = 1; attempt <= 4; attempt++) answers.push(JSON.stringify(await caller.use(TOOL, stated)))
    return answers
  }

  test.each([
    ['nobody has the name', { ...NOBODY, statedName: 'Somebody Else' }],
    ['the birth date is another', { ...TAMSIN, statedDateOfBirth: '1980-03-04' }],
    [
      'the birth date has day and month in each other’s place',
      { statedName: 'Anna Castellanos', statedDateOfBirth: '1990-02-01' },
    ],
    ['the given name is another', { ...TAMSIN, statedName: 'Thomas Zabriskie' }],
    ['the given name is an initial', { ...TAMSIN, statedName: 'T Zabriskie' }],
    ['the family name is another', { ...TAMSIN, statedName: 'Tamsin Smith' }],
    ['the suffix is another', { statedName: 'Otis Brandt Senior', statedDateOfBirth: '1955-05-01' }],
    ['several agree', { statedName: 'Piet Vandermolen', statedDateOfBirth: '1975-05-05' }],
    [
      'several agree, whatever the phone',
      {
        statedName: 'Piet Vandermolen',
        statedDateOfBirth: '1975-05-05',
        statedPhone: '+12125550141',
      },
    ],
    ['the record is not active', { statedName: 'Otto Dormant', statedDateOfBirth: '1950-01-01' }],
    ['the record was replaced', { statedName: 'Olga Former', statedDateOfBirth: '1951-01-01' }],
    ['the record is a placeholder', { statedName: 'Wanda Waiting', statedDateOfBirth: '1952-01-01' }],
    ['the record has only the year', { statedName: 'Yara Yearly', statedDateOfBirth: '1953-01-01' }],
    ['the record has no birth date', { statedName: 'Una Undated', statedDateOfBirth: '1953-01-01' }],
    ['the record has one name only', { statedName: 'Mona Pelesoft', statedDateOfBirth: '1954-01-01' }],
    ['the patient is one of another clinic', { statedName: 'Farhana Qureshi', statedDateOfBirth: '1977-07-07' }],
  ])('%s', async (_why, stated) => {
    const caller = new Caller(server)
    const answers = await answersTo(caller, stated)
    expect(answers).toEqual(expected)
    expect(await verified(caller)).toBeUndefined()
  })

  test('also for a call whose own patient somebody else claims to be', async () => {
    const wrongDate = await new Caller(server, '+12125550140').use(TOOL, { ...TAMSIN, statedDateOfBirth: '1981-01-01' })
    expect(wrongDate).toEqual(await new Caller(server, '+12125550140').use(TOOL, NOBODY))
    expect(wrongDate).toEqual(await new Caller(server, '+12125550144').use(TOOL, NOBODY))
    expect(wrongDate).toEqual(await new Caller(server).use(TOOL, NOBODY))
  })
})

test('a birth date in digits is read in the order of the clinic alone', async () => {
  const said = (statedDateOfBirth: string) => ({ statedName: 'Ann Castellanos', statedDateOfBirth })
  expect(await new Caller(server).use(TOOL, said('01/02/1990'))).toEqual(VERIFIED)
  expect(await new Caller(server).use(TOOL, said('02/01/1990'))).toEqual(failedWith(2))
})

describe('what cannot be read is asked back, and no attempt is used up', () => {
  test.each([
    ['no name', { statedDateOfBirth: '1980-03-03' }, 'missing-argument', 'full name'],
    ['no birth date', { statedName: 'Tamsin Zabriskie' }, 'missing-argument', 'date of birth'],
    ['neither', {}, 'missing-argument', 'full name and date of birth'],
    ['blank ones', { statedName: ' ', statedDateOfBirth: '' }, 'missing-argument', 'full name and date of birth'],
    ['a name that holds none', { ...TAMSIN, statedName: 'my name is' }, 'invalid-argument', 'full name'],
    ['a single name', { ...TAMSIN, statedName: 'Zabriskie' }, 'invalid-argument', 'full name'],
    ['a name that is no text', { ...TAMSIN, statedName: 7 }, 'invalid-argument', 'full name'],
    [
      'a birth date that is not certain',
      { ...TAMSIN, statedDateOfBirth: '03/04/80' },
      'invalid-argument',
      'date of birth',
    ],
    ['a birth date to come', { ...TAMSIN, statedDateOfBirth: '2090-01-01' }, 'invalid-argument', 'date of birth'],
    [
      'a birth date without a year',
      { ...TAMSIN, statedDateOfBirth: 'March third' },
      'invalid-argument',
      'date of birth',
    ],
  ])('%s', async (_what, args, code, asked) => {
    const caller = new Caller(server)
    for (let attempt = 0; attempt < 4; attempt++) {
      expect(await caller.use(TOOL, args)).toEqual({
        success: false,
        code,
        error: expect.any(String),
        say: `Sorry, could you please tell me your ${asked} once more?`,
      })
    }
    expect(await caller.use(TOOL, TAMSIN)).toEqual(VERIFIED)
  })
})

describe('three failures end it for the call', () => {
  test('and then nobody is verified, also with the right values; another call begins anew', async () => {
    const caller = new Caller(server)
    for (const left of [2, 1, 0]) expect(await caller.use(TOOL, NOBODY)).toEqual(failedWith(left))
    expect(await caller.use(TOOL, TAMSIN)).toEqual(failedWith(0))
    expect(await verified(caller)).toBeUndefined()
    expect(await new Caller(server).use(TOOL, TAMSIN)).toEqual(VERIFIED)
  })

  test('counted with those before a success, which stays', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, NOBODY)
    expect(await caller.use(TOOL, TAMSIN)).toEqual({ ...VERIFIED, attemptsLeft: 2 })
    await caller.use(TOOL, NOBODY)
    expect(await caller.use(TOOL, NOBODY)).toEqual(failedWith(0))
    expect(await verified(caller)).toBe('zabriskie')
  })

  const send = async (to: TestServer, callId: string, ids: readonly (string | null)[], args: object) => {
    const response = await fetch(`${to.url}/emr-scheduling/${TOOL}`, {
      method: 'POST',
      headers: { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json', 'x-call-id': callId },
      body: JSON.stringify({ message: { toolCalls: ids.map((id) => ({ id, function: { arguments: args } })) } }),
    })
    const { results } = (await response.json()) as { results: readonly { result: string }[] }
    return results.map(({ result }) => JSON.parse(result).attemptsLeft as number)
  }

  test('a repeat of the same tool call counts once; with other values it is another attempt', async () => {
    const callId = 'verify-repeated'
    expect(await send(server, callId, ['a', 'a'], NOBODY)).toEqual([2, 2])
    expect(await send(server, callId, ['a'], NOBODY)).toEqual([2])
    expect(await send(server, callId, ['a'], { ...TAMSIN, statedDateOfBirth: '1980-03-05' })).toEqual([1])
    expect(await send(server, callId, [null], NOBODY)).toEqual([0])
  })

  test('attempts at the same time count each', async () => {
    const callId = 'verify-parallel'
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((id) => send(server, callId, [id], NOBODY)))
    expect(answers.flat().sort()).toEqual([0, 0, 0, 1, 2])
    expect(await send(server, callId, ['f'], TAMSIN)).toEqual([0])
  })

  test('also in another process, and after a restart, where repeats count as little', async () => {
    expect(await send(server, 'verify-restarted', ['a', 'b'], NOBODY)).toEqual([2, 1])
    const another = await startServer({ DATABASE_URL })
    try {
      expect(await send(another, 'verify-restarted', ['b', 'c', 'd'], NOBODY)).toEqual([1, 0, 0])
    } finally {
      await another.close()
    }
  })
})

describe('the outcome is recorded for staff', () => {
  const outcomesOf = async (caller: Caller, query: string) =>
    (await caller.find<Task>(`Task?code=identity-outcome&_count=200&${query}`)).filter(({ input }) =>
      input?.some(({ valueString }) => valueString === caller.id),
    )

  test('on the record that was verified and on that of the call', async () => {
    const caller = new Caller(server, '+12125550152')
    await caller.use(TOOL, { ...TAMSIN, statedName: 'Zabriskie, Tamsin', statedPhone: 'call me' })
    await caller.use(TOOL, TAMSIN)
    const own = await caller.patientId()
    const [task, ...others] = await outcomesOf(caller, 'patient=Patient/zabriskie')
    expect(others).toEqual([])
    expect(await outcomesOf(caller, `focus=Patient/${own}`)).toEqual([task])
    expect(task).toMatchObject({ status: 'completed', focus: { reference: `Patient/${own}` } })
    expect(attachedTo(task)).toMatchObject({
      verification: ['verified'],
      'stated-name': ['Zabriskie, Tamsin'],
      'stated-date-of-birth': ['1980-03-03'],
      'unreadable-phone': ['call me'],
      'caller-number': ['+12125550152'],
    })
    const [provenance] = await caller.provenances()
    expect(provenance).toMatchObject({ activity: { text: 'verify-patient' } })
    expect(provenance?.target).toContainEqual({ reference: `Task/${task?.id}/_history/1` })
  })

  test('a failure on that of the call alone, once, with whom it may have been; urgent when it was the last', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, { ...TAMSIN, statedDateOfBirth: '1980-03-04' })
    const patient = `patient=Patient/${await caller.patientId()}`
    const [first] = await outcomesOf(caller, patient)
    expect(first).toMatchObject({ status: 'requested', priority: 'routine' })
    expect(attachedTo(first)).toMatchObject({
      verification: ['not-verified'],
      'failed-attempts': [1],
      candidate: [{ reference: 'Patient/zabriskie' }],
    })
    expect(await outcomesOf(caller, 'patient=Patient/zabriskie')).toEqual([])
    await caller.use(TOOL, NOBODY)
    await caller.use(TOOL, NOBODY)
    await caller.use(TOOL, NOBODY)
    const [last, ...others] = await outcomesOf(caller, patient)
    expect(others).toEqual([])
    expect(last).toMatchObject({ id: first?.id, status: 'requested', priority: 'urgent' })
    expect(attachedTo(last)['failed-attempts']).toEqual([3])
  })

  test('a failure is closed by a later success', async () => {
    const caller = new Caller(server)
    await caller.use(TOOL, NOBODY)
    await caller.use(TOOL, TAMSIN)
    const [failure] = await outcomesOf(caller, `patient=Patient/${await caller.patientId()}`)
    expect(failure?.status).toBe('completed')
  })

  test('the audit trail names the patient who was verified, and nobody whom a failure may have been', async () => {
    const admin = await server.login('admin', 'admin')
    const patientsOf = async (caller: Caller) => {
      const { body } = await server.fhir('GET', `/AuditEvent?altid=${caller.id}`, undefined, {
        authorization: `Bearer ${admin}`,
      })
      // A tool call about two patients leaves two events.
      const entities = body.entry.flatMap(({ resource }: { resource: AuditEvent }) => resource.entity ?? [])
      return (entities as readonly AuditEventEntity[])
        .filter(({ type }) => type?.code === '1')
        .map(({ what }) => what?.reference)
    }
    const [found, failing] = [new Caller(server), new Caller(server)]
    await found.use(TOOL, TAMSIN)
    await failing.use(TOOL, { ...TAMSIN, statedDateOfBirth: '1980-03-04' })
    expect((await patientsOf(found)).sort()).toEqual([`Patient/${await found.patientId()}`, 'Patient/zabriskie'].sort())
    expect(await patientsOf(failing)).toEqual([`Patient/${await failing.patientId()}`])
  })
})

describe('staff, who call it over FHIR', () => {
  const ask = async (statedDateOfBirth: string) =>
    await server.fhir('POST', '/Patient/$verify-patient', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'statedName', valueString: 'Tamsin Zabriskie' },
        { name: 'statedDateOfBirth', valueString: statedDateOfBirth },
      ],
    })

  test('get the answer without attempts, and nothing is recorded', async () => {
    const before = (await server.fhir('GET', '/Task?_summary=count')).body.total
    for (let attempt = 0; attempt < 4; attempt++) {
      expect((await ask('1980-03-04')).body.parameter).toContainEqual({ name: 'verified', valueBoolean: false })
    }
    expect((await ask('1980-03-03')).body.parameter).toEqual([
      { name: 'success', valueBoolean: true },
      { name: 'verified', valueBoolean: true },
      { name: 'say', valueString: VERIFIED.say },
    ])
    expect((await server.fhir('GET', '/Task?_summary=count')).body.total).toBe(before)
  })

  test('are told each value that cannot be read', async () => {
    const { status, body } = await ask('03/04/80')
    expect(status).toBe(400)
    expect(body.issue[0]).toMatchObject({ expression: ['statedDateOfBirth'] })
  })
})
