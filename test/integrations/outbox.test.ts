/** The outbox: tried at once, then again with back-off, given up in the end; staff see it in one Task. */
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Patient, Task } from 'fhir/r4'
import { pino } from 'pino'
import { crmSyncTasks } from '../../src/calls/record/crm-sync-task.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import type { CrmConnector, CrmContact, Delivery } from '../../src/core/ports.ts'
import {
  deliverStaged,
  MAX_TRIES,
  OUTBOX,
  Outbox,
  type OutboxRow,
  stageDelivery,
  waitAfter,
} from '../../src/integrations/outbox.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const START = Date.parse('2025-06-15T12:00:00Z')
const MINUTE = 60_000
const CRM = { enabled: true, url: 'http://127.0.0.1/', secret: 'whsec_' }

let store: TestRepository
let now: number
let answers: Delivery[]
let sent: CrmContact[]
let patient: string

/** A CRM that gives the next of `answers`, and takes everything when there is none left. */
const crm: CrmConnector = {
  deliver: async (_settings, contact) => {
    sent.push(contact)
    return answers.shift() ?? { delivered: true }
  },
}
const later = (retryAfterMs?: number): Delivery => ({
  delivered: false,
  retry: true,
  reason: 'the CRM answered 503',
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
const never: Delivery = { delivered: false, retry: false, reason: 'the CRM answered 400' }

const outbox = (enabled = true, to: CrmConnector = crm) =>
  new Outbox({
    repository: store.repository,
    crm: to,
    tasks: crmSyncTasks,
    accessOf: store.access,
    settingsOf: async () => ({ ...CRM, enabled }),
    logger: pino({ level: 'silent' }),
    clock: () => now,
  })

function wait(milliseconds: number) {
  now += milliseconds
  store.setTime(now)
}

beforeEach(async () => {
  now = START
  answers = []
  sent = []
  store = await openTestRepository(now)
  await createClinic(store.repository, 'a', {
    name: 'A',
    timeZone: 'UTC',
    defaultRegion: 'US',
    dialedNumbers: [],
    policies: { overbooking: false, slotTakenStatus: 409 },
    crm: CRM,
  })
  patient = (await store.access('a').change((ctx) => ctx.create<Patient>({ resourceType: 'Patient' }))).id
})

const stage = (messageId = 'm') =>
  store.access('a').change(async (ctx) => {
    const fields = { firstName: 'John' }
    stageDelivery(ctx, { clinic: 'a', patient, event: 'intake.submitted', messageId, fields })
  })
const tryNow = () => deliverStaged(store.access('a'), { crm, tasks: crmSyncTasks }, 'm')
const row = async () => {
  const record = await store.repository.readRecord('a', OUTBOX, 'm')
  return record && { ...(record.value as OutboxRow), due: record.due }
}
const tasks = async () => (await store.access('a').reader().search<Task>('Task', '')).map(({ resource }) => resource)

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
    expect(await row()).toMatchObject({ state: 'dead', due: null, reason: 'the CRM answered 400' })
    expect(await tasks()).toMatchObject([{ priority: 'urgent', description: expect.stringContaining('by hand') }])
  })

  test('is left alone by the background until its lease ends, and made by it when the process has died', async () => {
    await stage()
    await outbox().deliverDue()
    expect(sent).toHaveLength(0)
    wait(MINUTE)
    await outbox().deliverDue()
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
    await outbox().deliverDue()
    expect(sent).toHaveLength(0)
    wait(1)
    await outbox().deliverDue()
    expect(sent).toHaveLength(1)
    expect(await row()).toBeUndefined()
    expect(await tasks()).toMatchObject([{ status: 'completed' }])
  })

  test('of two processes at once delivers once', async () => {
    wait(waitAfter(1))
    await Promise.all([outbox().deliverDue(), outbox().deliverDue(), outbox().deliverDue()])
    expect(sent).toHaveLength(1)
  })

  test('waits at least as long as Retry-After says', async () => {
    answers = [later(3 * 3_600_000)]
    wait(waitAfter(1))
    await outbox().deliverDue()
    expect((await row())?.due).toBe(now + 3 * 3_600_000)
  })

  test(`gives a row up after ${MAX_TRIES} tries, with the one Task it has, now urgent`, async () => {
    answers = Array.from({ length: MAX_TRIES }, () => later())
    for (let tries = 1; tries < MAX_TRIES; tries++) {
      expect(await row()).toMatchObject({ state: 'waiting', tries })
      wait(waitAfter(tries))
      await outbox().deliverDue()
    }
    expect(await row()).toMatchObject({ state: 'dead', tries: MAX_TRIES, due: null })
    expect(await tasks()).toMatchObject([{ priority: 'urgent' }])
    wait(365 * 24 * 60 * MINUTE)
    await outbox().deliverDue()
    expect(sent).toHaveLength(MAX_TRIES - 1)
  })

  test('does not reopen a Task that staff have closed', async () => {
    const [task] = await tasks()
    if (task === undefined) throw new Error('no Task')
    await store.access('a').change((ctx) => ctx.update<Task>({ ...task, status: 'completed', description: 'done' }))
    answers = [never]
    wait(waitAfter(1))
    await outbox().deliverDue()
    expect(await tasks()).toMatchObject([{ status: 'completed', description: 'done' }])
  })

  test('keeps a row while the CRM of its clinic is switched off', async () => {
    wait(waitAfter(1))
    await outbox(false).deliverDue()
    expect(sent).toHaveLength(0)
    expect(await row()).toMatchObject({ state: 'waiting', tries: 2 })
  })

  test('delivers no row to the CRM of another clinic', async () => {
    wait(waitAfter(1))
    const asked: string[] = []
    const loop = new Outbox({
      repository: store.repository,
      crm,
      tasks: crmSyncTasks,
      accessOf: store.access,
      settingsOf: async (clinic) => {
        asked.push(clinic)
        return CRM
      },
      logger: pino({ level: 'silent' }),
      clock: () => now,
    })
    await loop.deliverDue()
    expect(asked).toEqual(['a'])
  })
})

describe('with two rows that are due', () => {
  beforeEach(async () => {
    await stage('m')
    await stage('n')
    wait(MINUTE)
  })

  test('the background leaves the second one for later when it is told to stop during the first', async () => {
    const stopping = outbox(true, {
      deliver: async (settings, contact) => {
        void stopping.stop()
        return crm.deliver(settings, contact)
      },
    })
    await stopping.deliverDue()
    expect(sent).toHaveLength(1)
  })

  test('a fault with one does not keep the other waiting', async () => {
    let faults = 0
    const failing: CrmConnector = {
      deliver: (settings, contact) => {
        if (faults++ === 0) throw new TypeError('broken')
        return crm.deliver(settings, contact)
      },
    }
    await outbox(true, failing).deliverDue()
    expect(sent).toHaveLength(1)
  })
})

test('a row of a change that is not written is not there', async () => {
  const failing = store.access('a').change(async (ctx) => {
    stageDelivery(ctx, { clinic: 'a', patient, event: 'intake.submitted', messageId: 'm', fields: {} })
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
