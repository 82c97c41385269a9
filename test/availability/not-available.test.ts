/** Time in which a Schedule is not available: a visit that leaves it leaves no free Slot there. docs/schedule.md */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Appointment, Schedule, Slot } from 'fhir/r4'
import { away, horizonDays, open, scheduleWith, slotMinutes, timeZone } from '../scheduling/availability-samples.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const HOURS = [timeZone('UTC'), horizonDays(3), slotMinutes(60), open('00:00', '00:00')]
/** The day after today, in UTC. */
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const AFTERNOON = away(`${TOMORROW}T12:00:00Z`, `${TOMORROW}T17:00:00Z`)

/** Writes the Schedule, and brings its Slots in line. */
async function store(schedule: Schedule & { readonly id: string }, fhir = clinics.ours): Promise<void> {
  const { status, text } = await fhir('PUT', `/Schedule/${schedule.id}`, schedule)
  if (status >= 300) throw new Error(text)
  await fhir('POST', `/Schedule/${schedule.id}/$generate-slots`)
}

async function freeAt(schedule: string, hour: number): Promise<readonly Slot[]> {
  const start = `${TOMORROW}T${String(hour).padStart(2, '0')}:00:00Z`
  const { body } = await clinics.ours('GET', `/Slot?schedule=Schedule/${schedule}&status=free&start=${start}`)
  return (body.entry ?? []).map(({ resource }: { resource: Slot }) => resource)
}

async function booked(schedule: string, hour: number): Promise<string> {
  const [slot] = await freeAt(schedule, hour)
  const visit: Appointment = {
    ...{ resourceType: 'Appointment', status: 'booked', slot: [{ reference: `Slot/${slot?.id}` }] },
    participant: [{ status: 'accepted', actor: { display: 'Ann' } }],
  }
  const { body, text, status } = await clinics.ours('POST', '/Appointment', {
    ...visit,
    start: slot?.start,
    end: slot?.end,
  })
  if (status !== 201) throw new Error(text)
  return body.id
}

const cancel = (id: string) => clinics.ours('POST', `/Appointment/${id}/$cancel`)

test('a visit that is cancelled there leaves no free Slot, and the Slot comes back when the time is taken back', async () => {
  await store(scheduleWith('out', ...HOURS))
  const visit = await booked('out', 14)
  await store(scheduleWith('out', ...HOURS, AFTERNOON))
  expect(await freeAt('out', 13)).toEqual([])
  expect((await cancel(visit)).status).toBe(200)
  expect(await freeAt('out', 14)).toEqual([])
  await store(scheduleWith('out', ...HOURS))
  expect(await freeAt('out', 14)).toHaveLength(1)
})

test('a visit that is moved out of it leaves no free Slot', async () => {
  await store(scheduleWith('moved', ...HOURS))
  const visit = await booked('moved', 15)
  await store(scheduleWith('moved', ...HOURS, AFTERNOON))
  const [later] = await freeAt('moved', 18)
  const parameter = [{ name: 'slot', valueReference: { reference: `Slot/${later?.id}` } }]
  const { status, text } = await clinics.ours('POST', `/Appointment/${visit}/$reschedule`, {
    resourceType: 'Parameters',
    parameter,
  })
  expect([status, text]).toEqual([200, expect.anything()])
  expect(await freeAt('moved', 15)).toEqual([])
})

test('a visit beside it, and one under a Schedule whose namesake of another clinic is away, leaves a free Slot', async () => {
  await store(scheduleWith('beside', ...HOURS, AFTERNOON))
  await store(scheduleWith('beside', ...HOURS, away(TOMORROW, TOMORROW)), clinics.theirs)
  const visit = await booked('beside', 17)
  expect((await cancel(visit)).status).toBe(200)
  expect(await freeAt('beside', 17)).toHaveLength(1)
})

test('a Slot that somebody made by hand is free again there, as it was not made of the hours', async () => {
  await store(scheduleWith('hand', ...HOURS, AFTERNOON))
  const [start, end] = [`${TOMORROW}T14:00:00Z`, `${TOMORROW}T15:00:00Z`]
  await clinics.ours('PUT', '/Slot/by-hand', {
    ...{ resourceType: 'Slot', id: 'by-hand', schedule: { reference: 'Schedule/hand' }, status: 'free', start, end },
  })
  const visit = await booked('hand', 14)
  await cancel(visit)
  expect((await freeAt('hand', 14)).map(({ id }) => id)).toEqual(['by-hand'])
})
