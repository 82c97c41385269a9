/** kill -9 in the middle of bookings: every visit that was acknowledged is there, and none is half there. */
import { expect, test } from '@jest/globals'
import type { Appointment, Bundle, Slot } from 'fhir/r4'
import { bundle, slot, visit } from '../support/booking.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { type FhirResponse, request } from '../support/request.ts'
import { endProcessesAfterEach, login, start, stop, until } from '../support/server-process.ts'

endProcessesAfterEach()

/** Acknowledged writes after which the server is killed, round by round. */
const ROUNDS = [40, 150]
const CLIENTS = 8
/** Few enough that clients collide, and more than the killed clients leave booked. */
const SLOTS = 48

type Send = (method: string, path: string, body?: unknown) => Promise<FhirResponse>

async function connected(url: string): Promise<Send> {
  const authorization = `Bearer ${await login(url)}`
  return (method, path, body) => request(url, method, path, body, { authorization })
}

/** The status and slots of an appointment; undefined where there is none. */
type State = string | undefined

const stateOf = ({ status, slot = [] }: Pick<Appointment, 'status' | 'slot'>): string =>
  [status, ...slot.map(({ reference = '' }) => reference.replace('Slot/', ''))].join(' ')

/** The clients' knowledge: the last acknowledged state of each appointment, and the state requested after that. */
class Known {
  acknowledged = new Map<string, State>()
  readonly asked = new Map<string, State>()
  count = 0

  async write(id: string, next: Appointment, answer: () => Promise<FhirResponse>): Promise<boolean> {
    this.asked.set(id, stateOf(next))
    const { status } = await answer()
    this.asked.delete(id)
    if (status >= 300) return false
    this.acknowledged.set(id, stateOf(next))
    this.count += 1
    return true
  }
}

/** Visits of two half hours. */
const visitFrom = (at: number, more: object): Appointment =>
  ({ ...visit([`k-${at}`, `k-${at + 1}`], {}, [at, at + 2]), ...more }) as Appointment

/** Books, moves and cancels until the server is killed. */
async function keepBooking(send: Send, known: Known, name: string): Promise<void> {
  for (let n = 0; ; n += 1) {
    const id = `visit-${name}-${n}`
    const at = (first: number) => (first * 7 + n * 5 + name.length) % (SLOTS - 1)
    const patient = { resourceType: 'Patient', id: `patient-${name}-${n}`, name: [{ family: 'Killed' }] }
    const participant = [{ actor: { reference: `Patient/${patient.id}` }, status: 'accepted' }]
    const booked = visitFrom(at(Number(name.at(-1))), { id, participant })
    const entries = bundle([`PUT Appointment/${id}`, booked], [`PUT Patient/${patient.id}`, patient])
    if (!(await known.write(id, booked, () => send('POST', '/', entries)))) continue
    const moved = visitFrom(at(Number(name.at(-1)) + 1), { id, participant })
    const hasMoved = await known.write(id, moved, () => send('PUT', `/Appointment/${id}`, moved))
    const cancelled = { ...(hasMoved ? moved : booked), status: 'cancelled' as const }
    const patch = [{ op: 'replace', path: '/status', value: 'cancelled' }]
    await known.write(id, cancelled, () => send('PATCH', `/Appointment/${id}`, patch))
  }
}

async function all<R>(send: Send, query: string): Promise<readonly R[]> {
  const found: R[] = []
  for (let next: string | undefined = `/${query}&_count=1000`; next !== undefined; ) {
    const { body }: { body: Bundle } = await send('GET', next)
    found.push(...(body.entry ?? []).map(({ resource }) => resource as R))
    next = body.link?.find(({ relation }) => relation === 'next')?.url.replace(/^https?:\/\/[^/]+/, '')
  }
  return found
}

/** @returns the stored states */
async function expectWhole(send: Send, known: Known): Promise<Map<string, State>> {
  const visits = await all<Appointment & { id: string }>(send, 'Appointment?patient.family=Killed')
  const stored = new Map<string, State>(visits.map((one) => [one.id, stateOf(one)]))
  for (const id of new Set([...stored.keys(), ...known.acknowledged.keys()])) {
    const possible = [known.acknowledged.get(id), ...(known.asked.has(id) ? [known.asked.get(id)] : [])]
    expect({ id, possible }).toEqual({ id, possible: expect.arrayContaining([stored.get(id)]) })
  }
  const patients = await all<{ id: string }>(send, 'Patient?family=Killed')
  expect(patients.map(({ id }) => id.replace('patient', 'visit')).sort()).toEqual([...stored.keys()].sort())
  const booked = visits.filter(({ status }) => status === 'booked').flatMap(({ slot = [] }) => slot)
  const slots = await all<Slot>(send, 'Slot?schedule=Schedule/calendar')
  const busy = slots.filter(({ status }) => status === 'busy').map(({ id = '' }) => ({ reference: `Slot/${id}` }))
  expect(booked.map(({ reference }) => reference).sort()).toEqual(busy.map(({ reference }) => reference).sort())
  return stored
}

test(`a server that is killed in the middle of bookings, ${ROUNDS.length} times, has each that it acknowledged, and no half one`, async () => {
  const env = { DATABASE_URL: await newLastingDatabaseUrl(), DEMO: 'on' }
  let server = await start(env)
  let send = await connected(server.url)
  const slots = Array.from({ length: SLOTS }, (_, n) => slot(`k-${n}`, n))
  expect((await send('POST', '/', bundle(...slots.map((one) => [`PUT Slot/${one.id}`, one] as const)))).status).toBe(
    200,
  )
  const known = new Known()
  for (const [round, count] of ROUNDS.entries()) {
    const before = known.count
    const names = Array.from({ length: CLIENTS }, (_, client) => `${round}-${client}`)
    const clients = names.map((name) => keepBooking(send, known, name).catch(() => 'gone'))
    await until(() => known.count >= before + count)
    await stop(server, 'SIGKILL')
    expect(await Promise.all(clients)).toEqual(names.map(() => 'gone'))
    server = await start(env)
    send = await connected(server.url)
    known.acknowledged = await expectWhole(send, known)
    known.asked.clear()
  }
})
