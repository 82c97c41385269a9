/**
 * Guessing of patients through verify_patient: how many guesses are allowed, who has to wait, and how staff are
 * informed.
 */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient, Task } from 'fhir/r4'
import type { Counter } from '../../../src/clinics/failed-attempts.ts'
import { DEMO_CLINIC } from '../../../src/demo/demo-clinic.ts'
import { recordKind } from '../../../src/repository/record-kinds.ts'
import { newLastingDatabaseUrl } from '../../support/database.ts'
import { request, startServer, type TestServer } from '../../support/server.ts'
import { OTHER_CLINIC, startTwoClinics } from '../../support/two-clinics.ts'
import { attachedTo } from '../caller.ts'
import { verifiedIn } from '../verified.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const HEADERS = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
const TOOL = '/emr-scheduling/verify_patient'
const OUR_NUMBER = '+12125550100'
const THEIR_NUMBER = '+12125550199'

let server: TestServer
/** The clock of the server stands still, and each test begins a day later, when all counters have faded. */
let now = Date.parse('2027-03-01T12:00:00Z')
const clock = () => now

beforeAll(async () => {
  server = (await startTwoClinics({}, { clock })).server
  const people: Patient[] = [
    person('zabriskie', 'Zabriskie', 'Tamsin', '1980-03-03', { value: '+12125550140' }),
    person('mallory', 'Mallory', 'Malik', '1970-01-01', { value: '+12125550141' }),
    person('extended', 'Extended', 'Xenia', '1971-01-01', {
      _value: {
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
      },
    }),
  ]
  for (const clinic of [DEMO_CLINIC, OTHER_CLINIC])
    await server.app.access(clinic, { kind: 'server' }).change(async (ctx) => {
      for (const patient of people) await ctx.update(patient)
    })
})
afterAll(() => server.close())
beforeEach(() => {
  now += DAY
})

const person = (id: string, family: string, given: string, birthDate: string, phone: object): Patient => ({
  resourceType: 'Patient',
  id,
  active: true,
  birthDate,
  name: [{ family, given: [given] }],
  telecom: [{ system: 'phone', ...phone }],
})

interface Attempt {
  readonly callId?: string
  readonly from?: string
  readonly to?: string
  readonly name?: string
  readonly birthDate?: string
  /** With POST /calls, before the tool is called. */
  readonly registered?: true
}

const RIGHT = '1980-03-03'

/** Tool calls that a busy server has asked to repeat. */
let repeated = 0

/** By default a wrong birth date of Tamsin Zabriskie, in a call of its own without a number. */
async function attempt({
  callId = randomUUID(),
  from,
  to = OUR_NUMBER,
  name = 'Tamsin Zabriskie',
  birthDate = '1981-04-04',
  registered,
}: Attempt = {}): Promise<Record<string, unknown>> {
  if (registered) {
    const registration = { callId, dialedNumber: to, callerNumber: from }
    const { status } = await request(server.url, 'POST', '/calls', registration, HEADERS)
    if (status !== 201) throw new Error(`the call was not registered: ${status}`)
  }
  const toolCall = { id: randomUUID(), function: { arguments: { statedName: name, statedDateOfBirth: birthDate } } }
  const headers = {
    ...HEADERS,
    'x-call-id': callId,
    'x-call-to': to,
    ...(from === undefined ? {} : { 'x-call-from': from }),
  }
  for (;;) {
    const { body } = await request(server.url, 'POST', TOOL, { message: { toolCalls: [toolCall] } }, headers)
    const result = JSON.parse(body.results[0].result)
    // Where a busy server asks for a retry, the repeated call gets the result of the one still running, or runs anew.
    if (!['timeout', 'transient', 'conflict'].includes(result.code)) return result
    repeated += 1
  }
}

let numbers = 0
/** A number without earlier calls. */
const newNumber = (): string => {
  numbers += 1
  return `+1518555${String(2_000 + numbers).padStart(4, '0')}`
}

let names = 0
/** A full name that no patient has, unlike all earlier ones. */
const newName = (): string => {
  names += 1
  const letters = names
    .toString(25)
    .replace(/./g, (digit) => 'bcdfghjklmnpqrstvwxyzaeio'[Number.parseInt(digit, 25)] ?? '')
  return `Qu${letters}ara Wo${[...letters].reverse().join('')}ink`
}

const inOrder = async <T>(count: number, work: (index: number) => Promise<T>): Promise<readonly T[]> => {
  const results: T[] = []
  for (let index = 0; index < count; index++) results.push(await work(index))
  return results
}

const codes = (results: readonly Record<string, unknown>[]) => results.map(({ code }) => code)

/** The number of attempts that are checked in a span of time, by a caller who retries as soon as allowed. */
async function lookedAt(period: number, make: (index: number) => Attempt): Promise<number> {
  const end = now + period
  let count = 0
  for (let index = 0; now < end; index++) {
    const { code, retryAfter } = await attempt(make(index))
    if (code === 'too-many-attempts') now += Number(retryAfter) * SECOND
    else count += 1
  }
  return count
}

const counterOf = async (key: string, clinic = DEMO_CLINIC) =>
  (await server.app.repository.readRecord(clinic, recordKind<Counter>('verification-attempts'), key))?.value.failures

const tasksOf = async (clinic = DEMO_CLINIC): Promise<readonly Task[]> =>
  (
    await (
      await server.app.access(clinic, { kind: 'server' }).reader()
    ).search<Task>('Task', `code=identity-guessing&authored-on=ge${new Date(now).toISOString().slice(0, 10)}`)
  ).map(({ resource }) => resource)

describe('from one number, by somebody who never pauses, twenty guesses an hour are looked at', () => {
  const from = newNumber()
  const RUTH = { name: 'Ruth Abernathy' }
  test.each<[string, (index: number) => Attempt]>([
    ['in calls of their own', () => ({ from })],
    [
      'in one call after the other, three in each',
      (index) => ({ from, callId: `guess-${now}-${Math.floor(index / 3)}` }),
    ],
    [
      'at another patient each',
      (index) => ({ from, name: ['Ruth Abernathy', 'Maeve Fitzgerald', 'Malik Mallory'][index % 3] ?? '' }),
    ],
    ['at people who are no patients', () => ({ from, name: newName() })],
    [
      'with another birth date each',
      (index) => ({ from, birthDate: new Date(index * 10 * DAY).toISOString().slice(0, 10) }),
    ],
    [
      'with the number in another spelling each',
      (index) => ({ from: [from, from.replace(/^\+1(\d{3})(\d{3})/, '($1) $2-'), from.slice(2)][index % 3] ?? '' }),
    ],
    ['at the patient who has the number', () => ({ from: '+12125550140' })],
    [
      'with the right birth date of another patient than that of the number',
      () => ({ from: '+12125550141', birthDate: RIGHT }),
    ],
    ['with a number that several patients have', () => ({ from: '+15185550117', ...RUTH })],
    ['with a number of another country', () => ({ from: '+436641234567', ...RUTH })],
  ])('%s', async (_how, make) => {
    const count = await lookedAt(HOUR, make)
    expect(count).toBeGreaterThanOrEqual(15)
    expect(count).toBeLessThanOrEqual(20)
  })

  test('though a patient verifies themselves in between', async () => {
    const own = { from: '+12125550141', name: 'Malik Mallory', birthDate: '1970-01-01' }
    expect(await attempt(own)).toMatchObject({ verified: true })
    await inOrder(5, () => attempt({ from: own.from }))
    expect(await attempt(own)).toMatchObject({ verified: true })
    expect(await attempt({ from: own.from })).toMatchObject({ code: 'not-verified' })
    expect(await attempt({ from: own.from })).toMatchObject({ code: 'too-many-attempts' })
    expect(await attempt(own)).toMatchObject({ code: 'too-many-attempts' })
  })

  test('and each wait is twice as long as the one before, up to fifteen minutes', async () => {
    const waits: number[] = []
    for (let index = 0; index < 20; index++) {
      const { retryAfter = 0 } = await attempt({ from })
      waits.push(Number(retryAfter))
      now += Number(retryAfter) * SECOND
    }
    const [first, ...others] = waits.filter((wait) => wait > 0)
    expect(waits.slice(0, 6)).toEqual([0, 0, 0, 0, 0, 0])
    expect([first, ...others.slice(0, 5)]).toEqual([1, 2, 4, 8, 16, 32])
  })

  test('and the right details are refused like any others while the number waits, then taken', async () => {
    await inOrder(6, () => attempt({ from }))
    const right = { from, birthDate: RIGHT }
    expect(await attempt(right)).toEqual(await attempt({ from, name: newName() }))
    now += SECOND
    expect(await attempt(right)).toMatchObject({ verified: true })
  })
})

describe('at one patient, after ten failures from numbers that are not on the record', () => {
  test.each<[string, (index: number) => Attempt]>([
    ['another each', () => ({ from: newNumber() })],
    ['none', () => ({})],
    ['withheld ones', (index) => ({ from: ['anonymous', 'Restricted', '7378742833', 'sip:unknown'][index % 4] ?? '' })],
    [
      'another each, with a nickname or a misspelt name',
      (index) => ({
        from: newNumber(),
        name: ['Tamsyn Zabriskie', 'Tamsin Zabriski', 'Zabriskie, Tamsin'][index % 3] ?? '',
      }),
    ],
    [
      'another each, with another birth date each',
      (index) => ({ from: newNumber(), birthDate: `19${60 + (index % 10)}-01-01` }),
    ],
    ['of calls that were registered before', () => ({ registered: true, from: newNumber() })],
  ])('(%s) the right details are not taken for a while, in the words of any other failure', async (_how, make) => {
    await inOrder(10, (index) => attempt(make(index)))
    const missed = await attempt({ birthDate: RIGHT })
    expect(missed).toEqual(await attempt({ name: newName() }))
    expect(missed).toMatchObject({ code: 'not-verified', attemptsLeft: 2 })
    now += MINUTE
    expect(await attempt({ birthDate: RIGHT })).toMatchObject({ verified: true })
  })

  test('the patient is verified from the number on the record all the same', async () => {
    await inOrder(40, () => attempt({ from: newNumber() }))
    expect(await attempt({ from: '+12125550140', birthDate: RIGHT })).toMatchObject({ verified: true })
    expect(await attempt({ from: '(212) 555-0140', birthDate: RIGHT })).toMatchObject({ verified: true })
  })

  test('a patient whose number is withheld by an extension is guarded as well', async () => {
    await inOrder(10, () => attempt({ from: newNumber(), name: 'Xenia Extended' }))
    const right = { name: 'Xenia Extended', birthDate: '1971-01-01' }
    expect(await attempt({ ...right, from: newNumber() })).toMatchObject({ code: 'not-verified' })
    now += MINUTE
    expect(await attempt({ ...right, from: newNumber() })).toMatchObject({ verified: true })
  })

  test('guesses that come too early make nobody wait any longer', async () => {
    await inOrder(10, () => attempt({ from: newNumber() }))
    await inOrder(30, () => attempt({ from: newNumber() }))
    now += 2 * SECOND
    expect(await attempt({ birthDate: RIGHT })).toMatchObject({ verified: true })
  })

  test('the results do not tell whether there is such a patient', async () => {
    const at = (name: string) => inOrder(14, () => attempt({ from: newNumber(), name }))
    expect(await at('Tamsin Zabriskie')).toEqual(await at(newName()))
  })
})

describe('in a clinic, from numbers and at people of which none comes twice,', () => {
  test('a hundred failures are free, then ten a minute are looked at', async () => {
    const count = await lookedAt(2 * MINUTE, () => ({ from: newNumber(), name: newName() }))
    expect(count).toBeGreaterThanOrEqual(115)
    expect(count).toBeLessThanOrEqual(125)
  })

  test('those who call from the number on their record do not wait for it, and the other clinic does not either', async () => {
    await inOrder(100, () => attempt({ from: newNumber(), name: newName() }))
    const refused = await attempt({ birthDate: RIGHT })
    expect(refused).toMatchObject({ success: false, verified: false, code: 'too-many-attempts', retryAfter: 1 })
    expect(await attempt({ from: '+12125550140', birthDate: RIGHT })).toMatchObject({ verified: true })
    expect(await attempt({ to: THEIR_NUMBER, birthDate: RIGHT })).toMatchObject({ verified: true })
    // The refusal does not say which limit was reached.
    const from = newNumber()
    now += DAY
    await inOrder(6, () => attempt({ from }))
    expect(await attempt({ from })).toEqual(refused)
  })

  test('those whose number is only on the record that their call has begun wait for it as all others', async () => {
    await inOrder(100, () => attempt({ from: newNumber(), name: newName() }))
    const [callId, from] = [randomUUID(), newNumber()]
    const headers = { 'x-call-id': callId, 'x-call-to': OUR_NUMBER, 'x-call-from': from }
    const saved = await server.tool('/patient-journey/update_registration_field', { phone: from }, headers)
    expect(saved).toMatchObject({ success: true })
    expect(await attempt({ callId, from, birthDate: RIGHT })).toMatchObject({ code: 'too-many-attempts' })
  })

  test('successes reset nothing', async () => {
    await inOrder(99, () => attempt({ from: newNumber(), name: newName() }))
    expect(await attempt({ birthDate: RIGHT })).toMatchObject({ verified: true })
    expect(codes(await inOrder(2, () => attempt({ name: newName() })))).toEqual(['not-verified', 'too-many-attempts'])
  })
})

describe('guesses at the same time', () => {
  test('from one number, in 64 calls: six are looked at, and the right one among the others is not', async () => {
    const from = newNumber()
    const results = await Promise.all(
      Array.from({ length: 64 }, (_, index) => attempt({ from, birthDate: `19${String(20 + index)}-05-05` })),
    )
    expect(codes(results).filter((code) => code === 'not-verified')).toHaveLength(6)
    expect(codes(results).filter((code) => code === 'too-many-attempts')).toHaveLength(58)
    expect(await counterOf(`number:${from}`)).toBe(6)
  })

  test('at one patient, in 64 calls from as many numbers: ten are counted, and then the right one is missed', async () => {
    await Promise.all(Array.from({ length: 64 }, () => attempt({ from: newNumber() })))
    expect(await counterOf('patient:zabriskie')).toBe(10)
    expect(await attempt({ from: newNumber(), birthDate: RIGHT })).toMatchObject({ code: 'not-verified' })
  })

  test('in a clinic, in 64 calls that have nothing in common: 64 are counted', async () => {
    const results = await Promise.all(Array.from({ length: 64 }, () => attempt({ from: newNumber(), name: newName() })))
    expect(new Set(codes(results))).toEqual(new Set(['not-verified']))
    // An attempt that the server gave up may stay counted, as each is counted as failed until it succeeds.
    const counted = await counterOf('clinic')
    expect(counted).toBeGreaterThanOrEqual(64)
    expect(counted).toBeLessThanOrEqual(64 + repeated)
  })

  test('of successes and failures no success comes through that others were counted before', async () => {
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        attempt({ from: newNumber(), ...(index < 30 ? {} : { birthDate: RIGHT }) }),
      ),
    )
    const verified = results.filter(({ success }) => success === true).length
    const counted = (await counterOf('patient:zabriskie')) ?? 0
    expect(counted).toBeLessThanOrEqual(10)
    expect(verified === 10 || counted === 10).toBe(true)
  })
})

describe('an attempt counts once', () => {
  /** The results of tool calls with these ids in one request. */
  const sendTo = async (url: string, ids: readonly string[], headers: Record<string, string>) => {
    const toolCalls = ids.map((id) => ({
      id,
      function: { arguments: { statedName: 'Nobody Known', statedDateOfBirth: RIGHT } },
    }))
    const sent = { ...HEADERS, 'x-call-id': randomUUID(), 'x-call-to': OUR_NUMBER, ...headers }
    const { body } = await request(url, 'POST', TOOL, { message: { toolCalls } }, sent)
    return body.results.map(({ result }: { result: string }) => JSON.parse(result))
  }

  test('though its tool call is repeated', async () => {
    const from = newNumber()
    const results = await sendTo(server.url, ['same', 'same', 'same'], { 'x-call-from': from })
    expect(codes(results)).toEqual(['not-verified', 'not-verified', 'not-verified'])
    expect(await counterOf(`number:${from}`)).toBe(1)
  })

  test('and after a restart, and in another process', async () => {
    const from = newNumber()
    const DATABASE_URL = await newLastingDatabaseUrl()
    const one = await startServer({ DATABASE_URL }, { clock })
    await inOrder(4, () => sendTo(one.url, ['1'], { 'x-call-from': from }))
    const WEBHOOK_SECRET = 'w'.repeat(20)
    const another = await startServer(
      { DATABASE_URL, DEMO: 'off', JWT_SECRET: 'j'.repeat(40), WEBHOOK_SECRET },
      { clock },
    )
    try {
      const headers = { 'x-voice-secret': WEBHOOK_SECRET, 'x-call-from': from }
      expect(codes(await sendTo(another.url, ['1', '2', '3'], headers))).toEqual([
        'not-verified',
        'not-verified',
        'too-many-attempts',
      ])
    } finally {
      await another.close()
      await one.close()
    }
  })

  test('and what cannot be read counts for nothing', async () => {
    const from = newNumber()
    await inOrder(9, () => attempt({ from, birthDate: 'March third' }))
    expect(await attempt({ from, birthDate: RIGHT })).toMatchObject({ verified: true })
  })

  test('in its clinic alone', async () => {
    const from = newNumber()
    await inOrder(12, () => attempt({ from }))
    expect(await counterOf(`number:${from}`, OTHER_CLINIC)).toBeUndefined()
    expect(await attempt({ from, to: THEIR_NUMBER, birthDate: RIGHT })).toMatchObject({ verified: true })
    expect(await counterOf('patient:zabriskie', OTHER_CLINIC)).toBe(0)
  })

  test('and is forgotten with time: counters do not accumulate', async () => {
    const counters = () =>
      server.app.repository.records(recordKind<Counter>('verification-attempts'), { clinic: DEMO_CLINIC, limit: 1_000 })
    await inOrder(60, () => attempt({ from: newNumber(), name: newName() }))
    now += DAY
    await inOrder(40, () => attempt({ from: newNumber(), name: newName() }))
    expect((await counters()).length).toBeLessThanOrEqual(90)
  })
})

describe('staff get one Task a day', () => {
  test('for a number from which too many have failed', async () => {
    const from = newNumber()
    await inOrder(5, () => attempt({ from, name: newName() }))
    expect(await tasksOf()).toEqual([])
    await lookedAt(HOUR, () => ({ from, name: newName() }))
    const [task, ...others] = await tasksOf()
    expect(others).toEqual([])
    expect(task).toMatchObject({ status: 'requested', priority: 'urgent', meta: { versionId: '1' } })
    expect(attachedTo(task)).toMatchObject({ 'failed-attempts': [6], 'caller-number': [from] })
    expect(await tasksOf(OTHER_CLINIC)).toEqual([])
    now += DAY
    await inOrder(6, () => attempt({ from, name: newName() }))
    expect(await tasksOf()).toHaveLength(1)
  })

  test('for a patient at whom too many have failed', async () => {
    await inOrder(30, () => attempt({ from: newNumber() }))
    const [task, ...others] = await tasksOf()
    expect(others).toEqual([])
    expect(task).toMatchObject({ for: { reference: 'Patient/zabriskie' }, meta: { versionId: '1' } })
    expect(task?.focus?.reference).not.toBe('Patient/zabriskie')
  })

  test('for the clinic, when more have failed than usual', async () => {
    await inOrder(99, () => attempt({ from: newNumber(), name: newName() }))
    expect(await tasksOf()).toEqual([])
    await inOrder(4, () => attempt({ from: newNumber(), name: newName() }))
    expect(await tasksOf()).toHaveLength(1)
  })
})

test('a refused attempt leaves no placeholder, and verifies nobody', async () => {
  const from = newNumber()
  await inOrder(6, () => attempt({ from, name: newName() }))
  const placeholders = async () =>
    (
      await (
        await server.app.access(DEMO_CLINIC, { kind: 'server' }).reader()
      ).search('Patient', 'active=false&_count=1000')
    ).length
  const before = await placeholders()
  const callId = randomUUID()
  expect(await attempt({ from, callId, birthDate: RIGHT })).toMatchObject({
    code: 'too-many-attempts',
    attemptsLeft: 3,
  })
  expect(await placeholders()).toBe(before)
  expect(await verifiedIn(server, callId)).toBeUndefined()
})
