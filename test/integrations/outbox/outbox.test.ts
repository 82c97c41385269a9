/** The outbox: tried at once, then again with back-off, given up in the end; staff see it in one Task. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient, Task } from 'fhir/r4'
import { pino } from 'pino'
import { deliveryTasks } from '../../../src/calls/record/delivery-tasks.ts'
import { createClinic } from '../../../src/clinics/clinics.ts'
import { type ClinicSettings, writeSettings } from '../../../src/clinics/settings.ts'
import type { CrmConnector, CrmContact, Delivery, MessageConnector, OutboundMessage } from '../../../src/core/ports.ts'
import { listOutbox, resend } from '../../../src/integrations/outbox/dead-letters.ts'
import { deliverStaged, Outbox, type OutboxServices } from '../../../src/integrations/outbox/delivery.ts'
import {
  MAX_TRIES,
  OUTBOX,
  type OutboxRow,
  stageContact,
  stageMessage,
  TRY_FOR,
  waitAfter,
} from '../../../src/integrations/outbox/rows.ts'
import { MOST_KEPT, SIMULATED } from '../../../src/integrations/outbox/simulated.ts'
import { openTestRepository, type TestRepository } from '../../support/repository.ts'

const START = Date.parse('2025-06-15T12:00:00Z')
const MINUTE = 60_000
const CRM = { enabled: true, url: 'http://127.0.0.1/', secret: 'whsec_' }
const CLINIC: ClinicSettings = {
  name: 'A',
  timeZone: 'UTC',
  defaultRegion: 'US',
  dialedNumbers: [],
  policies: { overbooking: false, slotTakenStatus: 409 },
  crm: CRM,
  messages: CRM,
}

let store: TestRepository
let now: number
let answers: Delivery[]
let sent: CrmContact[]
let messagesSent: OutboundMessage[]
let patient: string

/** A CRM that responds with the next of `answers`, and accepts everything when none is left. */
const crm: CrmConnector = {
  deliver: async (_settings, contact) => {
    sent.push(contact)
    return answers.shift() ?? { delivered: true }
  },
}
const later = (retryAfterMs?: number): Delivery => ({
  delivered: false,
  retry: true,
  reason: 'the CRM responded with 503',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const never: Delivery = { delivered: false, retry: false, reason: 'the CRM responded with 400' }

const messages: MessageConnector = {
  deliver: async (_settings, message) => {
    messagesSent.push(message)
    return answers.shift() ?? { delivered: true }
  },
}

const outbox = (parts: Partial<OutboxServices> = {}) =>
  new Outbox({
    repository: store.repository,
    crm,
    messages,
    tasks: deliveryTasks,
    accessOf: store.access,
    logger: pino({ level: 'silent' }),
    ...parts,
  })

function wait(milliseconds: number) {
  now += milliseconds
  store.setTime(now)
}

beforeEach(async () => {
  now = START
  answers = []
  sent = []
  messagesSent = []
  store = await openTestRepository(now)
  await createClinic(store.repository, 'a', CLINIC)
  patient = await newPatient()
})

const newPatient = async (clinic = 'a') =>
  (await store.access(clinic).change((ctx) => ctx.create<Patient>({ resourceType: 'Patient' }))).id

const stage = (messageId = 'm', of = patient, clinic = 'a') =>
  store.access(clinic).change(async (ctx) => {
    const fields = { firstName: 'John' }
    await stageContact(ctx, { clinic, patient: of, event: 'intake.submitted', messageId, fields })
  })
const tryNow = (messageId = 'm') => deliverStaged(store.access('a'), { crm, messages, tasks: deliveryTasks }, messageId)
const row = async (messageId = 'm') => {
  const record = await store.repository.readRecord('a', OUTBOX, messageId)
  return record && { ...(record.value as OutboxRow), due: record.due }
}
const tasks = async () =>
  (await (await store.access('a').reader()).search<Task>('Task', '')).map(({ resource }) => resource)

describe('the first try', () => {
  test('that succeeds leaves neither row nor Task', async () => {
    await stage()
    expect(await tryNow()).toEqual({ delivered: true })
    expect([await row(), await tasks()]).toEqual([undefined, []])
  })

  test('that fails raises a Task on the patient and leaves the row to the background', async () => {
    answers = [later()]
    await stage()
    expect(await tryNow()).toEqual(later())
    expect(await row()).toMatchObject({ state: 'waiting', tries: 1, due: START + waitAfter(1) })
    expect(await tasks()).toMatchObject([{ status: 'requested', focus: { reference: `Patient/${patient}` } }])
  })

  test('that is refused for good marks the row dead and the Task urgent', async () => {
    answers = [never]
    await stage()
    await tryNow()
    expect(await row()).toMatchObject({ state: 'dead', due: null, reason: 'the CRM responded with 400' })
    expect(await tasks()).toMatchObject([{ priority: 'urgent', description: expect.stringContaining('by hand') }])
  })

  test('is left alone by the background until its lease ends, and made by it when the process has died', async () => {
    await stage()
    await outbox().workOnDue()
    expect(sent).toHaveLength(0)
    wait(MINUTE)
    await outbox().workOnDue()
    expect(sent.map(({ messageId }) => messageId)).toEqual(['m'])
    expect(await row()).toBeUndefined()
  })
})

describe('the background', () => {
  beforeEach(async () => {
    answers = [later()]
    await stage()
    await tryNow()
    sent = []
  })

  test('tries again when the wait is over, not before, and completes the Task', async () => {
    wait(waitAfter(1) - 1)
    await outbox().workOnDue()
    expect(sent).toHaveLength(0)
    wait(1)
    await outbox().workOnDue()
    expect(sent).toHaveLength(1)
    expect(await row()).toBeUndefined()
    expect(await tasks()).toMatchObject([{ status: 'completed' }])
  })

  test('of two processes at once delivers once', async () => {
    wait(waitAfter(1))
    await Promise.all([outbox().workOnDue(), outbox().workOnDue(), outbox().workOnDue()])
    expect(sent).toHaveLength(1)
  })

  test('waits at least as long as Retry-After says', async () => {
    answers = [later(3 * 3_600_000)]
    wait(waitAfter(1))
    await outbox().workOnDue()
    expect((await row())?.due).toBe(now + 3 * 3_600_000)
  })

  test(`gives a row up after ${MAX_TRIES} tries, with the one Task it has, now urgent`, async () => {
    answers = Array.from({ length: MAX_TRIES }, () => later())
    for (let tries = 1; tries < MAX_TRIES; tries++) {
      expect(await row()).toMatchObject({ state: 'waiting', tries })
      wait(waitAfter(tries))
      await outbox().workOnDue()
    }
    expect(await row()).toMatchObject({ state: 'dead', tries: MAX_TRIES, due: null })
    expect(await tasks()).toMatchObject([{ priority: 'urgent' }])
    wait(365 * 24 * 60 * MINUTE)
    await outbox().workOnDue()
    expect(sent).toHaveLength(MAX_TRIES - 1)
  })

  test('keeps the last 20 attempts, also when a row is sent again', async () => {
    answers = Array.from({ length: 2 * MAX_TRIES }, () => later())
    const tryUntilDead = async () => {
      for (let tries = 1; (await row())?.state !== 'dead'; tries++) {
        wait(waitAfter(tries))
        await outbox().workOnDue()
      }
    }
    await tryUntilDead()
    expect((await row())?.attempts).toHaveLength(MAX_TRIES)
    await store.repository.change('a', (unit) => resend(unit, 'm'))
    await tryUntilDead()
    const attempts = (await row())?.attempts ?? []
    expect([attempts.length, attempts.at(-1)]).toEqual([20, { at: now, reason: 'the CRM responded with 503' }])
  })

  test('works on a row of an older version, which keeps no attempts', async () => {
    const { attempts: _, due, ...old } = (await row()) ?? {}
    await store.repository.change('a', async (unit) =>
      unit.records.put(OUTBOX, 'm', old as OutboxRow, { due: due ?? null, expect: 'any' }),
    )
    const parts = { clinic: 'a', settings: CLINIC }
    expect((await listOutbox(store.repository, parts, 'waiting')).entries).toMatchObject([{ messageId: 'm' }])
    answers = [never]
    wait(waitAfter(1))
    await outbox().workOnDue()
    expect((await row())?.attempts).toEqual([{ at: now, reason: 'the CRM responded with 400' }])
  })

  test('counts no try where a row is held until it may be sent', async () => {
    const heldUntil = async () => now + MINUTE
    for (let waits = 0; waits < MAX_TRIES; waits++) {
      wait(MINUTE)
      await outbox({ heldUntil }).workOnDue()
      expect(await row()).toMatchObject({ state: 'waiting', tries: 1, due: now + MINUTE })
    }
    wait(MINUTE)
    await outbox().workOnDue()
    expect([sent.length, await row()]).toEqual([1, undefined])
  })

  test('does not reopen a Task that staff have closed', async () => {
    const [task] = await tasks()
    if (task === undefined) throw new Error('no Task')
    await store.access('a').change((ctx) => ctx.update<Task>({ ...task, status: 'completed', description: 'done' }))
    answers = [never]
    wait(waitAfter(1))
    await outbox().workOnDue()
    expect(await tasks()).toMatchObject([{ status: 'completed', description: 'done' }])
  })

  test('keeps a row while the CRM of its clinic is switched off', async () => {
    const off = { ...CLINIC, crm: { ...CRM, enabled: false } }
    await store.access('a').change((ctx) => writeSettings(ctx.unit, off))
    wait(waitAfter(1))
    await outbox().workOnDue()
    expect(sent).toHaveLength(0)
    expect(await row()).toMatchObject({ state: 'waiting', tries: 2 })
  })

  test('delivers each row to the CRM of its own clinic', async () => {
    await createClinic(store.repository, 'b', { ...CLINIC, crm: { ...CRM, url: 'http://127.0.0.1/of-b' } })
    await stage('of b', await newPatient('b'), 'b')
    wait(MINUTE)
    const addresses: [string, string][] = []
    const noting: CrmConnector = {
      deliver: async ({ url }, { clinic }) => {
        addresses.push([clinic, url])
        return { delivered: true }
      },
    }
    await outbox({ crm: noting }).workOnDue()
    expect(addresses.sort()).toEqual([
      ['a', CRM.url],
      ['b', 'http://127.0.0.1/of-b'],
    ])
  })
})

describe('with more rows due than are tried at once', () => {
  const ROWS = 9
  beforeEach(async () => {
    for (let n = 0; n < ROWS; n++) await stage(`m${n}`, await newPatient())
    wait(MINUTE)
  })

  test('the background leaves the others for later when it is told to stop during the first', async () => {
    const stopping = outbox({
      crm: {
        deliver: async (settings, contact) => {
          void stopping.stop()
          return crm.deliver(settings, contact)
        },
      },
    })
    await stopping.workOnDue()
    expect(sent.length).toBeLessThan(ROWS)
  })

  test('a fault with one does not keep the others waiting', async () => {
    let faults = 0
    const failing: CrmConnector = {
      deliver: (settings, contact) => {
        if (faults++ === 0) throw new TypeError('broken')
        return crm.deliver(settings, contact)
      },
    }
    await outbox({ crm: failing }).workOnDue()
    expect(sent).toHaveLength(ROWS - 1)
  })

  test('a CRM that does not answer holds back no other clinic', async () => {
    await createClinic(store.repository, 'b', CLINIC)
    await stage('of b', await newPatient('b'), 'b')
    wait(MINUTE)
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const slow: CrmConnector = {
      deliver: async (settings, contact) => {
        if (contact.clinic === 'b') arrive()
        else await answered
        return crm.deliver(settings, contact)
      },
    }
    const pass = outbox({ crm: slow }).workOnDue()
    await arrived
    answer()
    await pass
    expect(sent).toHaveLength(ROWS + 1)
  })
})

test('a backlog of one clinic that fills every look does not hide what is due at another one', async () => {
  await createClinic(store.repository, 'b', CLINIC)
  const message = { event: 'message.requested', channel: 'sms', to: '+12125550123', text: 'Hello' } as const
  await store.access('a').change(async (ctx) => {
    for (let n = 0; n < 300; n++) stageMessage(ctx, { ...message, clinic: 'a', messageId: `of a ${n}` })
  })
  wait(1)
  await store.access('b').change(async (ctx) => stageMessage(ctx, { ...message, clinic: 'b', messageId: 'of b' }))
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
  const slow: MessageConnector = {
    deliver: async (_settings, { clinic }) => {
      if (clinic === 'b') arrive()
      else await answered
      return { delivered: true }
    },
  }
  const pass = outbox({ messages: slow }).workOnDue()
  await arrived
  answer()
  await pass
})

describe('contacts of one patient', () => {
  beforeEach(async () => {
    await stage('m')
    await stage('n')
  })

  test('arrive in the order in which they were staged, though the first one fails at first', async () => {
    answers = [later()]
    await tryNow('m')
    expect(await tryNow('n')).toMatchObject({ delivered: false, retry: true })
    expect(sent.map(({ messageId }) => messageId)).toEqual(['m'])
    for (let pass = 0; pass < 3; pass++) {
      wait(waitAfter(1))
      await outbox().workOnDue()
    }
    expect(sent.map(({ messageId }) => messageId)).toEqual(['m', 'm', 'n'])
    expect((await tasks()).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  test('that follow one that is given up are delivered', async () => {
    answers = [never]
    await tryNow('m')
    await outbox().workOnDue()
    expect(sent.map(({ messageId }) => messageId)).toEqual(['m', 'n'])
    expect([await row('m'), await row('n')]).toEqual([expect.objectContaining({ state: 'dead' }), undefined])
  })

  test('keep those of another patient waiting for nothing', async () => {
    answers = [later()]
    await tryNow('m')
    await stage('other', await newPatient())
    expect(await tryNow('other')).toEqual({ delivered: true })
  })

  test(`are given up ${TRY_FOR / 3_600_000} hours after they were staged, though most of them were spent behind others`, async () => {
    answers = [later(), later()]
    await tryNow('m')
    wait(TRY_FOR)
    await outbox().workOnDue()
    expect(await row('m')).toMatchObject({ state: 'dead', tries: 2 })
    answers = [later()]
    await outbox().workOnDue()
    expect(await row('n')).toMatchObject({ state: 'dead', tries: 1 })
  })
})

describe('a message to a person', () => {
  const stageText = (change: Partial<OutboundMessage> = {}) =>
    store.access('a').change(async (ctx) =>
      stageMessage(ctx, {
        clinic: 'a',
        patient,
        event: 'message.requested',
        messageId: 'm',
        channel: 'sms',
        to: '+12125550123',
        text: 'Go on here',
        ...change,
      }),
    )

  test('is sent by the next look, and leaves neither row nor Task', async () => {
    await stageText()
    await outbox().workOnDue()
    expect(messagesSent).toMatchObject([{ messageId: 'm', to: '+12125550123' }])
    expect([sent, await row(), await tasks()]).toEqual([[], undefined, []])
  })

  test('that fails raises a Task, which a later try completes', async () => {
    answers = [later()]
    await stageText()
    await outbox().workOnDue()
    expect(await tasks()).toMatchObject([{ status: 'requested', code: { coding: [{ code: 'message-not-sent' }] } }])
    wait(waitAfter(1))
    await outbox().workOnDue()
    expect(await tasks()).toMatchObject([{ status: 'completed' }])
  })

  test('that is objected to between two tries is dropped, and staff can read why', async () => {
    answers = [later()]
    await stageText()
    await outbox().workOnDue()
    wait(waitAfter(1))
    await outbox({ objection: async () => 'the patient does not want text messages' }).workOnDue()
    expect(messagesSent).toHaveLength(1)
    expect(await row()).toBeUndefined()
    expect(await tasks()).toMatchObject([
      { status: 'completed', description: expect.stringContaining('does not want text messages') },
    ])
  })

  test('that was objected to before the first try is never sent', async () => {
    await stageText()
    await outbox({ objection: async () => 'the patient does not want text messages' }).workOnDue()
    expect(messagesSent).toHaveLength(0)
    expect(await tasks()).toMatchObject([{ status: 'completed', code: { coding: [{ code: 'message-not-sent' }] } }])
  })

  test('is not sent once what it offers has expired', async () => {
    await stageText({ expiresAt: new Date(START + MINUTE).toISOString() })
    wait(MINUTE)
    await outbox().workOnDue()
    expect([messagesSent, await row()]).toEqual([[], undefined])
  })

  describe('what a simulator has taken', () => {
    const kept = async () =>
      (await store.repository.records(SIMULATED, { clinic: 'a', limit: 1_000 })).map(({ key, value }) => [
        key,
        value.state,
      ])
    const keyOf = (number: number) => `m${String(number).padStart(4, '0')}-${number === 1 ? 0 : 1}`

    test('is kept, the newest of the clinic, and what another system has taken is not', async () => {
      const simulator = { enabled: true, url: 'simulator' }
      await stageText({ messageId: 'to-another-system' })
      await outbox().workOnDue()
      await store.repository.change('a', (unit) => writeSettings(unit, { ...CLINIC, messages: simulator }))
      // A later message has a smaller id.
      const numbers = Array.from({ length: MOST_KEPT + 5 }, (_value, index) => index + 2)
      for (const number of numbers) await stageText({ messageId: keyOf(number) })
      await outbox().workOnDue()
      await stageText({ messageId: keyOf(1) })
      await outbox().workOnDue()
      expect(messagesSent).toHaveLength(MOST_KEPT + 7)
      expect(await kept()).toEqual([1, ...numbers].slice(0, MOST_KEPT).map((number) => [keyOf(number), 'sent']))
    })
  })
})

test('a row of a change that is not written is not there', async () => {
  const failing = store.access('a').change(async (ctx) => {
    await stageContact(ctx, { clinic: 'a', patient, event: 'intake.submitted', messageId: 'm', fields: {} })
    throw new Error('failed')
  })
  await expect(failing).rejects.toThrow('failed')
  expect(await row()).toBeUndefined()
})

test('waits grow and end at six hours, whatever Retry-After says', () => {
  const waits = Array.from({ length: MAX_TRIES }, (_value, index) => waitAfter(index + 1))
  expect(waits).toEqual([...waits].sort((a, b) => a - b))
  expect([waits[0], waits.at(-1), waitAfter(1, 10 ** 9)]).toEqual([30_000, 6 * 3_600_000, 6 * 3_600_000])
})
