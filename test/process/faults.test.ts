/** Faults with several processes and threads: rules are counted together, once for each request, and bookings stay whole. */
import { describe, expect, test } from '@jest/globals'
import type { Appointment } from 'fhir/r4'
import { half, slot, visit } from '../support/booking.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { attempt, FAULTS, type Met } from '../support/faults.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, start, until } from '../support/server-process.ts'

endProcessesAfterEach()

/** A server of four workers, with tokens of the demo's staff and of its admin. */
async function startWorkers() {
  const { url } = await start({ DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on', WORKERS: '4' })
  const tokenOf = async (user: string): Promise<string> =>
    (await request(url, 'POST', '/session', { username: user, password: user }, { 'content-type': 'application/json' }))
      .body.token
  const [staff, admin] = [await tokenOf('demo'), await tokenOf('admin')]
  const as =
    (token: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Met> =>
      // Each on a connection of its own, so that all workers get some.
      attempt({ url, token }, method, path, body, { connection: 'close', ...headers })
  return { url, staff: as(staff), admin: as(admin) }
}

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)))

/** Rules show in another process after a moment. */
const WITH_RULE = 'the rule is known to all workers'

describe('WORKERS=4', () => {
  test(`counts together: ${WITH_RULE}`, async () => {
    const { staff, admin } = await startWorkers()
    await admin('PUT', `${FAULTS}/known`, { fault: 'no-scope', when: { type: 'Task' } })
    await until(async () => (await times(8, () => staff('GET', '/Task'))).every(({ status }) => status === 403))
    await admin('PUT', `${FAULTS}/third`, { fault: 'throttled', every: 3, when: { type: 'Patient' } })
    await admin('DELETE', `${FAULTS}/known`)
    await until(async () => (await times(8, () => staff('GET', '/Task'))).every(({ status }) => status === 200))
    const met: Met[] = []
    for (let round = 0; round < 10; round += 1) met.push(...(await times(6, () => staff('GET', '/Patient?_count=1'))))
    expect(met.filter(({ status }) => status === 429)).toHaveLength(20)
    const labels = met.flatMap(({ label }) => label ?? [])
    expect(labels.sort()).toEqual(Array.from({ length: 20 }, (_, index) => `throttled#${index + 1}`).sort())
    expect((await staff('GET', `${FAULTS}/third`)).body).toMatchObject({ matched: 60, fired: 20 })
  })

  test('books no time twice, with slot-gone and moved on, under 16 clients', async () => {
    const { staff, admin } = await startWorkers()
    const schedule = {
      resourceType: 'Schedule',
      id: 'rush',
      actor: [{ reference: 'Practitioner/practitioner-okafor' }],
    }
    await staff('PUT', '/Schedule/rush', schedule)
    const slots = Array.from({ length: 64 }, (_, index) =>
      slot(`rush-${index}`, index, { schedule: { reference: 'Schedule/rush' } }),
    )
    for (const one of slots) await staff('PUT', `/Slot/${one.id}`, one)
    await admin('PUT', `${FAULTS}/gone`, { fault: 'slot-gone', every: 4 })
    await admin('PUT', `${FAULTS}/moved`, { fault: 'moved', every: 3, with: { after: 1 } })
    const statuses = await times(16, async (client) => {
      const found: number[] = []
      for (let number = 0; number < 4; number += 1) {
        const at = (client * 3 + number * 7) % 48
        const body = { ...visit([`rush-${at}`]), start: half(at), end: half(at + 1) }
        found.push((await staff('POST', '/Appointment', body)).status)
      }
      return found
    })
    expect(new Set(statuses.flat())).toEqual(new Set([201, 409]))
    const { fired } = (await staff('GET', `${FAULTS}/gone`)).body
    expect(fired).toBeGreaterThan(0)
    await until(async () => (await movedBy(staff)).length > 0)
    const held = async () =>
      (await appointments(staff)).flatMap(({ slot: slots = [] }) => slots.map(({ reference = '' }) => reference)).sort()
    const busy = async () =>
      ((await staff('GET', '/Slot?schedule=rush&status=busy&_count=100')).body.entry ?? [])
        .map(({ resource }: { resource: { id: string } }) => `Slot/${resource.id}`)
        .sort()
    // Visits are still being moved meanwhile.
    await until(async () => JSON.stringify(await held()) === JSON.stringify(await busy()))
    const taken = await held()
    expect(taken).toEqual([...new Set(taken)])
  })
})

const appointments = async (
  staff: Awaited<ReturnType<typeof startWorkers>>['staff'],
): Promise<readonly Appointment[]> => {
  const { body } = await staff('GET', `/Appointment?status=booked&date=ge${half(0).slice(0, 10)}&_count=200`)
  return (body.entry ?? []).map(({ resource }: { resource: Appointment }) => resource)
}

const movedBy = async (staff: Awaited<ReturnType<typeof startWorkers>>['staff']) =>
  (await appointments(staff)).filter(({ comment }) => comment === 'Moved by the practice')

describe('a request that moves to a work thread', () => {
  const names = Array.from({ length: 3_000 }, (_, index) => ({ family: `Name${index}` }))

  test('is counted once, and meets its faults there', async () => {
    const { staff, admin } = await startWorkers()
    await admin('PUT', `${FAULTS}/rule`, { fault: 'unknown-extension', when: { type: 'Patient', interaction: 'read' } })
    await admin('PUT', `${FAULTS}/empty`, { fault: 'empty-201', when: { type: 'Patient' } })
    await until(async () => (await staff('GET', `${FAULTS}/empty`)).status === 200)
    const created = await staff('POST', '/Patient', { resourceType: 'Patient', name: names })
    expect(created).toMatchObject({ status: 201, label: 'empty-201#1', text: '' })
    const read = await staff('GET', (created.headers.get('location') ?? '').replace(/^.*(\/Patient\/[^/]+).*$/, '$1'))
    expect(read.body.extension[0].url).toContain('unknown')
    expect((await staff('GET', `${FAULTS}/empty`)).body).toMatchObject({ matched: 1, fired: 1 })
    expect((await staff('GET', `${FAULTS}/rule`)).body).toMatchObject({ matched: 1, fired: 1 })
  })

  test('by its tool calls is answered by its faults', async () => {
    const { url, admin } = await startWorkers()
    await admin('PUT', `${FAULTS}/rule`, { fault: 'lost-answer', on: [2], when: { tool: 'get_clinic_info' } })
    const toolCalls = Array.from({ length: 6 }, (_, id) => ({ id: `${id}`, function: { name: 'get_clinic_info' } }))
    const send = (callId: string) =>
      attempt(
        { url, token: '' },
        'POST',
        '/tools',
        { message: { toolCalls } },
        {
          ...{ 'content-type': 'application/json', 'x-voice-secret': 'demo-secret', 'x-call-id': callId },
          connection: 'close',
        },
      )
    const statuses: number[] = []
    for (let call = 0; call < 3; call += 1) statuses.push((await send(`thread-${call}`)).status)
    expect(statuses.filter((status) => status === 0).length).toBeLessThanOrEqual(1)
    expect((await admin('GET', `${FAULTS}/rule`)).body.fired).toBe(1)
  })
})
