/** The call a request belongs to, and the facts that its first request fixes. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient } from 'fhir/r4'
import type { CallMetadata } from '../../../src/calls/session/call-metadata.ts'
import { CallSessions } from '../../../src/calls/session/call-sessions.ts'
import { patientForWrite, patientOfCall } from '../../../src/calls/session/patient-of-call.ts'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { openTestRepository, type TestRepository } from '../../support/repository.ts'

const SETTINGS = {
  name: 'Clinic',
  timeZone: 'America/New_York',
  defaultRegion: 'US',
  policies: { overbooking: false, slotTakenStatus: 409 },
} as const
const IDLE = 3_600_000
const A = '+12125550100'
const B = '+12125550200'
const CALLER = '+12125550123'

let store: TestRepository
let now: number
let sessions: CallSessions
let demo: CallSessions

beforeEach(async () => {
  now = Date.parse('2025-06-15T12:00:00Z')
  store = await openTestRepository(now)
  await createClinic(store.repository, 'a', { ...SETTINGS, dialedNumbers: [A] })
  await createClinic(store.repository, 'b', { ...SETTINGS, dialedNumbers: [B] })
  sessions = new CallSessions(store.repository, { idle: IDLE })
  demo = new CallSessions(store.repository, { demoClinic: 'a', idle: IDLE })
})

const failure = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return error instanceof FhirError ? { status: error.status, code: error.code, message: error.message } : error
}

describe('a call that was registered ahead', () => {
  test('is known by its id alone', async () => {
    await sessions.register({ callId: 'c', dialedNumber: A, callerNumber: CALLER })
    expect(await sessions.identify({ callId: 'c' })).toEqual({
      clinic: 'a',
      callId: 'c',
      dialedNumber: A,
      callerNumber: CALLER,
      registeredAhead: true,
    })
  })

  test('may be registered again with the same, in any spelling', async () => {
    const first = await sessions.register({ callId: 'c', dialedNumber: A, callerNumber: CALLER })
    const again = await sessions.register({
      callId: 'c',
      dialedNumber: '+1 (212) 555-0100',
      callerNumber: '+1-212-555-0123',
    })
    expect([first.created, again.created]).toEqual([true, false])
    expect(again.session).toEqual(first.session)
  })

  test.each([
    ['dialedNumber', { dialedNumber: B }],
    ['callerNumber', { dialedNumber: A, callerNumber: '+12125550199' }],
  ])('may not be registered again with another %s', async (what, other) => {
    await sessions.register({ callId: 'c', dialedNumber: A, callerNumber: CALLER })
    const refused = await failure(sessions.register({ callId: 'c', ...other }))
    expect(refused).toMatchObject({ status: 409, code: 'call-mismatch' })
    expect(JSON.stringify(refused)).toContain(what)
  })

  test('registered eight times at once is one call', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => sessions.register({ callId: 'c', dialedNumber: A, callerNumber: CALLER })),
    )
    expect(all.filter(({ created }) => created)).toHaveLength(1)
  })

  test('must dial the number of a clinic', async () => {
    expect(await failure(sessions.register({ callId: 'c', dialedNumber: '+12125550999' }))).toMatchObject({
      status: 422,
      code: 'number-not-known',
    })
  })

  test('may name a patient of that clinic, and of no other', async () => {
    const { id } = await store.access('b').change((ctx) => ctx.create<Patient>({ resourceType: 'Patient' }))
    const call = { callId: 'c', patient: id }
    expect(await failure(sessions.register({ ...call, dialedNumber: A }))).toMatchObject({
      status: 422,
      code: 'patient-not-known',
    })
    expect((await sessions.register({ ...call, dialedNumber: B })).session.patient).toBe(id)
  })

  test('may name no patient that was deleted', async () => {
    const { id } = await store.access('a').change((ctx) => ctx.create<Patient>({ resourceType: 'Patient' }))
    await store.access('a').change((ctx) => ctx.delete('Patient', id))
    expect(await failure(sessions.register({ callId: 'c', dialedNumber: A, patient: id }))).toMatchObject({
      status: 422,
      code: 'patient-not-known',
    })
  })
})

describe('registered values win', () => {
  beforeEach(() => sessions.register({ callId: 'c', dialedNumber: A, callerNumber: CALLER }))

  test.each<[string, CallMetadata]>([
    ['x-call-to of another clinic', { dialedNumber: B }],
    ['x-call-to of no clinic', { dialedNumber: '+12125550999' }],
    ['x-call-from', { callerNumber: '+12125550199' }],
  ])('a later %s that disagrees is refused', async (_what, said) => {
    expect(await failure(sessions.identify({ callId: 'c', ...said }))).toMatchObject({ code: 'call-mismatch' })
  })

  test('later headers that agree are accepted', async () => {
    const said = { callId: 'c', dialedNumber: '+1 212 555 0100', callerNumber: CALLER }
    expect(await sessions.identify(said)).toMatchObject({ clinic: 'a' })
  })

  test('a later header without a number, or with a withheld one, leaves the registered number', async () => {
    for (const callerNumber of [undefined, 'anonymous', 'Restricted', 'sip:alice@example.com', '555012'])
      expect(await sessions.identify({ callId: 'c', ...(callerNumber && { callerNumber }) })).toMatchObject({
        callerNumber: CALLER,
      })
  })
})

describe('the number of the caller holds for the whole call', () => {
  const NONE = [undefined, 'anonymous', 'unknown', '+266696687', 'sip:alice@example.com', '555012']
  const SPELLINGS = [CALLER, '2125550123', '(212) 555-0123', '0012125550123']
  const OTHER_NUMBERS = ['+12125550124', '2125550199', '+442079460958']
  const said = (callerNumber: string | undefined) => (callerNumber === undefined ? {} : { callerNumber })
  const begin = (first: string | undefined) => sessions.identify({ callId: 'c', dialedNumber: A, ...said(first) })
  const later = (number: string | undefined) => failure(sessions.identify({ callId: 'c', ...said(number) }))
  const pairs = (ones: readonly (string | undefined)[], others: readonly (string | undefined)[]) =>
    ones.flatMap((one) => others.map((other) => [one, other] as const))

  test.each([...pairs(NONE, [CALLER]), ...pairs([CALLER], [...NONE, ...OTHER_NUMBERS])])(
    'a call that began with %s is not joined with %s',
    async (first, second) => {
      const begun = await begin(first)
      expect(await later(second)).toMatchObject({
        status: 409,
        code: 'call-mismatch',
        message: expect.stringMatching(/^x-call-from /),
      })
      expect(await sessions.identify({ callId: 'c', ...said(first) })).toEqual(begun)
    },
  )

  test.each([...pairs([undefined, 'anonymous'], NONE), ...pairs([CALLER], SPELLINGS), ...pairs(SPELLINGS, [CALLER])])(
    'a call that began with %s takes requests with %s',
    async (first, second) => {
      const begun = await begin(first)
      expect(await sessions.identify({ callId: 'c', ...said(second) })).toEqual(begun)
    },
  )

  test.each(pairs([undefined, 'anonymous'], [CALLER, '2125550124']))(
    'a call that was registered with the number %s is not joined with %s',
    async (registered, second) => {
      await sessions.register({ callId: 'c', dialedNumber: A, ...said(registered) })
      expect(await later(second)).toMatchObject({ code: 'call-mismatch' })
      expect(await sessions.identify({ callId: 'c' })).not.toHaveProperty('callerNumber')
    },
  )

  test.each<[string, readonly (string | undefined)[]]>([
    ['different numbers', [CALLER, '+12125550124']],
    ['a number and none', [CALLER, undefined]],
    ['a withheld number and one', ['anonymous', CALLER]],
  ])('of two first requests at once with %s one begins the call, and the other is refused', async (_what, numbers) => {
    const both = await Promise.allSettled(numbers.map(begin))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const begun = both.flatMap((one, at) => (one.status === 'fulfilled' ? [numbers[at]] : []))
    expect(await later(begun[0])).toBeUndefined()
  })

  test('a call id of one clinic says nothing of the caller to another clinic', async () => {
    await begin(CALLER)
    const joined = await failure(sessions.identify({ callId: 'c', dialedNumber: B, callerNumber: CALLER }))
    expect(joined).toMatchObject({ code: 'call-mismatch' })
    expect(JSON.stringify(joined)).not.toMatch(/\d{4}/)
  })

  test('in demo mode a call without a dialled number keeps its caller too', async () => {
    await demo.identify({ callId: 'c', callerNumber: CALLER })
    expect(await failure(demo.identify({ callId: 'c' }))).toMatchObject({ code: 'call-mismatch' })
  })
})

describe('a call that is not known', () => {
  test('is created from x-call-to and x-call-from, and known from then on', async () => {
    const created = await sessions.identify({ callId: 'c', dialedNumber: B, callerNumber: CALLER })
    expect(created).toEqual({ clinic: 'b', callId: 'c', dialedNumber: B, callerNumber: CALLER })
    expect(await sessions.identify({ callId: 'c', callerNumber: CALLER })).toEqual(created)
    const elsewhere = { callId: 'c', dialedNumber: A, callerNumber: CALLER }
    expect(await failure(sessions.identify(elsewhere))).toMatchObject({ code: 'call-mismatch' })
  })

  test('created at once for two clinics belongs to one of them, and the other request is refused', async () => {
    const both = await Promise.allSettled(
      [A, B].map((dialedNumber) => sessions.identify({ callId: 'c', dialedNumber })),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test.each<[string, CallMetadata, string]>([
    ['no metadata at all', {}, 'x-call-id'],
    ['an id alone', { callId: 'c' }, 'x-call-to'],
    ['a number of no clinic', { callId: 'c', dialedNumber: '+12125550999' }, 'x-call-to'],
    ['numbers without an id', { dialedNumber: A, callerNumber: CALLER }, 'x-call-id'],
    ['an id that is too long', { callId: 'c'.repeat(257), dialedNumber: A }, 'x-call-id'],
  ])('outside demo mode, %s: call not identified, naming the header', async (_what, said, header) => {
    const refused = await failure(sessions.identify(said))
    expect(refused).toMatchObject({ code: 'call-not-identified' })
    expect(JSON.stringify(refused)).toMatch(new RegExp(`call not identified.*${header}`))
  })

  test('is forgotten after 7 days, and then its id may be used again', async () => {
    await sessions.identify({ callId: 'c', dialedNumber: A })
    store.setTime(now + 7 * 24 * 3_600_000)
    expect(await failure(sessions.identify({ callId: 'c' }))).toMatchObject({ code: 'call-not-identified' })
    expect(await sessions.identify({ callId: 'c', dialedNumber: B })).toMatchObject({ clinic: 'b' })
  })
})

describe('a caller number is a number of one person', () => {
  const WITHHELD = ['anonymous', 'unknown', 'Restricted', '+266696687', '7378742833', '+86282452253']

  test.each([
    ...WITHHELD,
    'sip:alice@example.com',
    '+15185550111@example.com',
    '555012',
    '5550123',
    '0000000',
    '0000000000',
    '+10000000000',
    '+1212555012',
    '1234567890123456',
  ])('%s is none', async (callerNumber) => {
    const call = { callId: 'c', dialedNumber: A, callerNumber }
    expect(await sessions.identify(call)).toEqual({ clinic: 'a', callId: 'c', dialedNumber: A })
    expect((await sessions.register({ ...call, callId: 'd' })).session).not.toHaveProperty('callerNumber')
  })

  test.each(WITHHELD)('two strangers who both call as %s do not share a placeholder', async (callerNumber) => {
    const placeholders = ['c', 'd'].map(async (callId) => {
      const session = await sessions.identify({ callId, dialedNumber: A, callerNumber })
      return (await store.access('a').change((ctx) => patientForWrite(ctx, session))).id
    })
    const [one, other] = await Promise.all(placeholders)
    expect(one).not.toBe(other)
  })

  test.each(['2125550123', '12125550123', '(212) 555-0123', '+1 212 555 0123', '0012125550123'])(
    '%s is read in the region of the clinic that was called, and finds the patient',
    async (callerNumber) => {
      const telecom: Patient['telecom'] = [{ system: 'phone', value: CALLER }]
      const { id } = await store
        .access('a')
        .change((ctx) => ctx.create<Patient>({ resourceType: 'Patient', active: true, telecom }))
      const session = await sessions.identify({ callId: 'c', dialedNumber: A, callerNumber })
      expect(session.callerNumber).toBe(CALLER)
      expect((await patientOfCall(await store.access('a').reader(), session))?.id).toBe(id)
    },
  )

  test('the same digits are another number where the clinic is in another country', async () => {
    await createClinic(store.repository, 'london', {
      ...SETTINGS,
      defaultRegion: 'GB',
      dialedNumbers: ['+442079460000'],
    })
    const call = { callId: 'c', callerNumber: '020 7946 0958' }
    expect(await sessions.identify({ ...call, dialedNumber: '+442079460000' })).toMatchObject({
      callerNumber: '+442079460958',
    })
    expect(await sessions.identify({ ...call, callId: 'd', dialedNumber: A })).not.toHaveProperty('callerNumber')
  })
})

describe('a dialled number without a country code', () => {
  test.each(['2125550100', '12125550100', '(212) 555-0100', '001 212 555 0100'])(
    '%s finds the one clinic whose number it is, and agrees with it later',
    async (dialedNumber) => {
      const begun = await sessions.identify({ callId: 'c', dialedNumber })
      expect(begun).toEqual({ clinic: 'a', callId: 'c', dialedNumber: A })
      expect(await sessions.identify({ callId: 'c', dialedNumber })).toEqual(begun)
      expect((await sessions.register({ callId: 'd', dialedNumber })).session).toMatchObject({ dialedNumber: A })
    },
  )

  test('that is the form of two clinics’ numbers is nobody’s: no clinic is guessed', async () => {
    await createClinic(store.repository, 'lagos', {
      ...SETTINGS,
      defaultRegion: 'NG',
      dialedNumbers: ['+2342125550100'],
    })
    const dialed = { callId: 'c', dialedNumber: '2125550100' }
    expect(await failure(sessions.identify(dialed))).toMatchObject({ code: 'call-not-identified' })
    expect(await failure(sessions.register(dialed))).toMatchObject({ code: 'number-not-known' })
    expect(await sessions.identify({ ...dialed, dialedNumber: A })).toMatchObject({ clinic: 'a' })
  })

  test.each(['5550100', '125550100', 'anonymous', '2125550199'])('%s is no clinic’s', async (dialedNumber) => {
    expect(await failure(sessions.identify({ callId: 'c', dialedNumber }))).toMatchObject({
      code: 'call-not-identified',
    })
  })

  test('of another clinic disagrees with a registered call', async () => {
    await sessions.register({ callId: 'c', dialedNumber: A })
    expect(await failure(sessions.identify({ callId: 'c', dialedNumber: '2125550200' }))).toMatchObject({
      code: 'call-mismatch',
    })
  })
})

describe('in demo mode', () => {
  test('a request without call metadata belongs to the default call of the demo clinic', async () => {
    const [first, second] = [await demo.identify({}), await demo.identify({})]
    expect(first).toMatchObject({ clinic: 'a' })
    expect(second).toEqual(first)
  })

  test('an unknown id alone is a new call of the demo clinic', async () => {
    expect(await demo.identify({ callId: 'c', callerNumber: CALLER })).toEqual({
      clinic: 'a',
      callId: 'c',
      callerNumber: CALLER,
    })
  })

  test('a dialled number decides the clinic there too', async () => {
    expect(await demo.identify({ callId: 'c', dialedNumber: B })).toMatchObject({ clinic: 'b' })
    expect(await failure(demo.identify({ callId: 'd', dialedNumber: '+12125550999' }))).toMatchObject({
      code: 'call-not-identified',
    })
  })

  test('a call that began without a dialled number does not move to the clinic of a later one', async () => {
    await demo.identify({ callId: 'c' })
    expect(await failure(demo.identify({ callId: 'c', dialedNumber: B }))).toMatchObject({ code: 'call-mismatch' })
    expect(await demo.identify({ callId: 'c', dialedNumber: A })).toMatchObject({ clinic: 'a' })
  })
})
