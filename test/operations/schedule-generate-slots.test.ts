/** $generate-slots: docs/operations/schedule-generate-slots.md. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Parameters } from 'fhir/r4'
import { horizonDays, open, scheduleWith, slotMinutes, timeZone } from '../scheduling/availability-samples.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const ALL_DAY = [timeZone('UTC'), slotMinutes(30), open('00:00', '00:00')]

const store = (schedule: object & { readonly id: string }) => clinics.ours('PUT', `/Schedule/${schedule.id}`, schedule)
const call = async (id: string, fhir = clinics.ours) => await fhir('POST', `/Schedule/${id}/$generate-slots`)
const out = ({ parameter = [] }: Parameters) =>
  Object.fromEntries(
    parameter.map((one) => [one.name, one.valueUnsignedInt ?? one.valueBoolean ?? one.valueInstant] as const),
  )
const total = async (query: string, fhir = clinics.ours): Promise<number> =>
  (await fhir('GET', `/Slot?${query}&_total=accurate&_count=1`)).body.total

describe('$generate-slots', () => {
  test('makes the Slots at once, says how many, and the second time none', async () => {
    expect((await store(scheduleWith('one', horizonDays(3), ...ALL_DAY))).status).toBe(201)
    const first = await call('one')
    expect([first.status, first.body.resourceType]).toEqual([200, 'Parameters'])
    const counts = out(first.body)
    expect(counts).toMatchObject({ updated: 0, removed: 0, isComplete: true })
    const stored = await total('schedule=Schedule/one')
    // The rest of today and two days; the background may have made some of them first.
    expect(stored).toBeGreaterThanOrEqual(2 * 48)
    expect(counts.created).toBeLessThanOrEqual(stored)
    expect(counts.until).toMatch(/T00:00:00\.000Z$/)
    expect(out((await call('one')).body)).toMatchObject({ created: 0, updated: 0, removed: 0, isComplete: true })
    expect(await total('schedule=Schedule/one')).toBe(stored)
  })

  test('makes some thousand at most, and the server goes on with the others by itself', async () => {
    // More than twice as many: the background, which takes turns with the operation, makes as many meanwhile.
    await store(scheduleWith('year', timeZone('UTC'), horizonDays(25), slotMinutes(5), open('00:00', '00:00')))
    const { created, isComplete } = out((await call('year')).body)
    expect(created).toBeLessThanOrEqual(2_050)
    expect(isComplete).toBe(false)
  })

  test('of another clinic’s Schedule is 404, and touches nothing there', async () => {
    const before = await total('schedule=Schedule/schedule-okafor')
    const { status, body } = await call('schedule-okafor', clinics.theirs)
    expect([status, body.issue[0].code]).toEqual([404, 'not-found'])
    expect(await total('schedule=Schedule/schedule-okafor')).toBe(before)
    expect(await total('status=free', clinics.theirs)).toBe(0)
  })

  test('of a Schedule without working hours is 422 that says what it needs', async () => {
    await store({ resourceType: 'Schedule', id: 'bare', actor: [{ display: 'x' }] } as never)
    const { status, body } = await call('bare')
    expect([status, body.issue[0].details.coding[0].code]).toEqual([422, 'no-availability'])
    expect(body.issue[0].diagnostics).toContain('schedule-availability')
  })

  test('changes data, so it is POST', async () => {
    expect((await clinics.ours('GET', '/Schedule/one/$generate-slots')).status).toBe(405)
  })
})
