/** The patient of a call: registered, else found by the caller's number, else a placeholder that the first write makes. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient, Task } from 'fhir/r4'
import { stageEnd } from '../../../src/calls/session/call-end.ts'
import { patientForWrite, patientOfCall } from '../../../src/calls/session/patient-of-call.ts'
import { saveStated } from '../../../src/calls/session/save-stated.ts'
import type { CallSession } from '../../../src/core/call-session.ts'
import { isPlaceholder, PLACEHOLDER_TAG } from '../../../src/matching/placeholder.ts'
import { openTestRepository, type TestRepository } from '../../support/repository.ts'

const NUMBER = '+12125550123'
const CALL: CallSession = { clinic: 'a', callId: 'call', callerNumber: NUMBER }

let store: TestRepository
beforeEach(async () => {
  store = await openTestRepository()
})

const create = async (patient: Partial<Patient>, clinic = 'a'): Promise<string> =>
  (await store.access(clinic).change((ctx) => ctx.create<Patient>({ resourceType: 'Patient', ...patient }))).id

const withPhone = (value: string, more: Partial<Patient> = {}): Partial<Patient> => ({
  telecom: [{ system: 'phone', value }],
  ...more,
})
const PLACEHOLDER: Partial<Patient> = { active: false, meta: { tag: [PLACEHOLDER_TAG] } }

const found = async (call: CallSession = CALL) =>
  (await patientOfCall(await store.access(call.clinic).reader(), call))?.id
const write = (call: CallSession = CALL) => store.access(call.clinic).change((ctx) => patientForWrite(ctx, call))
const all = async () => (await store.access('a').reader()).search<Patient>('Patient', '')

describe('the order of choice', () => {
  test('the patient registered with the call comes before the one with its number', async () => {
    await create(withPhone(NUMBER))
    const patient = await create({})
    expect(await found({ ...CALL, patient })).toBe(patient)
    expect((await write({ ...CALL, patient })).id).toBe(patient)
  })

  test.each(['+12125550123', '(212) 555-0123', '212.555.0123', '1-212-555-0123', '2125550123'])(
    "the single patient whose phone is the caller's, written as %s",
    async (phone) => {
      const patient = await create(withPhone(phone))
      expect(await found()).toBe(patient)
      expect((await write()).id).toBe(patient)
    },
  )

  test.each([
    ['+442079460958', '+44 (0)20 7946 0958'],
    ['+442079460958', '+44 20 7946 0958'],
    ['+442079460958', '020 7946 0958'],
    ['+3612345678', '+36 (0)1 234 5678'],
    ['+390669812345', '+39 (0)6 698 12345'],
  ])('the single patient whose phone is that of the caller, %s, written as %s', async (callerNumber, phone) => {
    const patient = await create(withPhone(phone))
    expect(await found({ ...CALL, callerNumber })).toBe(patient)
  })

  test('a patient whose record was merged into another one is that one, also while the call goes on', async () => {
    const target = await create({ active: true })
    const source = await create(withPhone(NUMBER, { active: false }))
    const link = [{ other: { reference: `Patient/${target}` }, type: 'replaced-by' as const }]
    await store
      .access('a')
      .change((ctx) => ctx.update<Patient>({ resourceType: 'Patient', id: source, active: false, link }))
    expect(await found({ ...CALL, patient: source })).toBe(target)
    expect((await write({ ...CALL, patient: source })).id).toBe(target)
  })

  test('a placeholder that was merged into another record is no longer that of its number', async () => {
    const placeholder = await write()
    const target = await create({ active: true })
    const link = [{ other: { reference: `Patient/${target}` }, type: 'replaced-by' as const }]
    await store
      .access('a')
      .change((ctx) => ctx.update<Patient>({ resourceType: 'Patient', ...PLACEHOLDER, id: placeholder.id, link }))
    expect((await write({ ...CALL, callId: 'another call' })).id).not.toBe(placeholder.id)
  })

  test('of two patients with the number neither is taken', async () => {
    await create(withPhone(NUMBER))
    await create(withPhone(NUMBER))
    expect(await found()).toBeUndefined()
    expect(isPlaceholder((await write()).resource)).toBe(true)
  })

  test('a patient comes before a placeholder with the same number', async () => {
    await create(withPhone(NUMBER, PLACEHOLDER))
    const patient = await create(withPhone(NUMBER))
    expect(await found()).toBe(patient)
  })

  test('a placeholder that tells more than the number is not taken from what it tells', async () => {
    await create(withPhone(NUMBER, { ...PLACEHOLDER, name: [{ given: ['Mia'] }] }))
    expect(await found()).toBeUndefined()
  })

  test('then the single placeholder of the number that tells nothing else', async () => {
    const placeholder = await create(withPhone(NUMBER, PLACEHOLDER))
    expect(await found()).toBe(placeholder)
    await create(withPhone(NUMBER, PLACEHOLDER))
    expect(await found()).toBeUndefined()
  })

  test('a number of another country that has the same digits is another number', async () => {
    await create(withPhone('212 555 0123'))
    expect(await found({ ...CALL, callerNumber: '+912125550123' })).toBeUndefined()
  })

  test('a number that the patient has given up is not taken', async () => {
    await create({ telecom: [{ system: 'phone', value: NUMBER, use: 'old' }] })
    expect(await found()).toBeUndefined()
  })

  test.each<[string, Partial<Patient>]>([
    ['inactive', { active: false }],
    ['replaced', { link: [{ type: 'replaced-by', other: { reference: 'Patient/other' } }] }],
  ])('a patient that is %s is not taken', async (_what, more) => {
    await create(withPhone(NUMBER, more))
    expect(await found()).toBeUndefined()
  })

  test('a patient of another clinic is not taken', async () => {
    await create(withPhone(NUMBER), 'b')
    expect(await found()).toBeUndefined()
  })

  test('a caller without a number has no patient until the first write', async () => {
    await create({})
    expect(await found({ clinic: 'a', callId: 'call' })).toBeUndefined()
    expect(isPlaceholder((await write({ clinic: 'a', callId: 'call' })).resource)).toBe(true)
  })
})

describe('the placeholder that the first write makes', () => {
  test('is not active, is tagged, and says nothing that was not stated', async () => {
    const { resource } = await write()
    expect(resource).toMatchObject({ active: false, meta: { tag: [PLACEHOLDER_TAG] } })
    expect(Object.keys(resource).sort()).toEqual(['active', 'id', 'meta', 'resourceType'])
  })

  test('is the patient of the call from then on', async () => {
    const { id } = await write()
    expect(await found()).toBe(id)
    expect((await write()).id).toBe(id)
    expect(await all()).toHaveLength(1)
  })

  test('is one for eight first writes of a call at the same time', async () => {
    const written = await Promise.all(Array.from({ length: 8 }, () => write({ clinic: 'a', callId: 'call' })))
    expect(new Set(written.map(({ id }) => id)).size).toBe(1)
    expect(await all()).toHaveLength(1)
  })

  test('is not shared by two calls of a number at the same time', async () => {
    const written = await Promise.all(['c', 'd'].map((callId) => write({ ...CALL, callId })))
    expect(new Set(written.map(({ id }) => id)).size).toBe(2)
    expect(await all()).toHaveLength(2)
  })

  test('is the same when one change asks for it twice', async () => {
    const [one, two] = await store.access('a').change(async (ctx) => {
      const first = await patientForWrite(ctx, CALL)
      return [first, await patientForWrite(ctx, CALL)]
    })
    expect(one?.id).toBe(two?.id)
    expect(await all()).toHaveLength(1)
  })

  test('is not that of the next call of the number, until its caller says the full name on it', async () => {
    const { id, resource } = await write()
    const name = [{ given: ['Mia'], family: 'Larkin' }]
    await store.access('a').change((ctx) => ctx.update<Patient>({ ...resource, id, name }))
    await store.access('a').change((ctx) => stageEnd(ctx, { callId: CALL.callId }))
    const next = { ...CALL, callId: 'next' }
    expect(await found(next)).toBeUndefined()
    const stated = { firstName: 'Mia', lastName: 'Larkin' }
    expect((await store.access('a').change((ctx) => patientForWrite(ctx, next, stated))).id).toBe(id)
    expect(await found(next)).toBe(id)
  })

  test.each<[string, Partial<Patient>]>([
    ['has become a real record', { active: true, meta: { source: 'urn:staff' } }],
    ['was merged into another record', { link: [{ type: 'replaced-by', other: { reference: 'Patient/other' } }] }],
  ])('is not found by the full name once it %s', async (_what, more) => {
    const { id, resource } = await write()
    const name = [{ given: ['Mia'], family: 'Larkin' }]
    await store.access('a').change((ctx) => ctx.update<Patient>({ ...resource, id, name, ...more }))
    await store.access('a').change((ctx) => stageEnd(ctx, { callId: CALL.callId }))
    const next = { ...CALL, callId: 'next' }
    const stated = { firstName: 'Mia', lastName: 'Larkin' }
    expect((await store.access('a').change((ctx) => patientForWrite(ctx, next, stated))).id).not.toBe(id)
  })

  test('is not that of the next call, also when the caller has stated the number', async () => {
    const { id, resource } = await write()
    const telecom: Patient['telecom'] = [{ system: 'phone', value: NUMBER }]
    await store.access('a').change((ctx) => ctx.update<Patient>({ ...resource, id, telecom }))
    await store.access('a').change((ctx) => stageEnd(ctx, { callId: CALL.callId }))
    expect(await found({ ...CALL, callId: 'next' })).toBeUndefined()
    expect((await write({ ...CALL, callId: 'next' })).id).not.toBe(id)
  })

  test('of one clinic is nothing to a call of the same number in another', async () => {
    await write()
    expect(await found({ ...CALL, clinic: 'b', callId: 'other' })).toBeUndefined()
  })

  test('is made anew when the one of the call was deleted', async () => {
    const { id } = await write()
    await store.access('a').change((ctx) => ctx.delete('Patient', id))
    expect((await write()).id).not.toBe(id)
  })
})

describe('a patient once written to', () => {
  test('stays the patient of the call when another one with the number appears', async () => {
    const patient = await create(withPhone(NUMBER))
    await write()
    await create(withPhone(NUMBER))
    expect(await found()).toBe(patient)
  })

  test('gets nothing more of a request that has found it just before another one of the call finds that somebody else calls', async () => {
    const before = await store
      .access('a')
      .change((ctx) =>
        ctx.create<Patient>({ resourceType: 'Patient', ...withPhone(NUMBER, { name: [{ given: ['Ruth'] }] }) }),
      )
    await write()
    const found: string[] = []
    const task = await store.access('a').change(async (ctx) => {
      const { id } = await patientForWrite(ctx, CALL)
      found.push(id)
      if (found.length === 1)
        await store
          .access('a')
          .change((other) =>
            saveStated(other, { call: CALL, before, stated: { firstName: 'Harold' }, region: undefined }),
          )
      return await ctx.create<Task>({
        resourceType: 'Task',
        status: 'requested',
        intent: 'order',
        for: { reference: `Patient/${id}` },
      })
    })
    const own = (await write()).id
    expect(found).toEqual([before.id, own])
    expect(task.resource.for).toEqual({ reference: `Patient/${own}` })
  })

  test('can never be reached by the same call id from another clinic', async () => {
    await write()
    await expect(write({ ...CALL, clinic: 'b' })).rejects.toMatchObject({ status: 403 })
    await expect(found({ ...CALL, clinic: 'b' })).rejects.toMatchObject({ status: 403 })
  })
})
