/** The stored Slots that generation changes, and those that it leaves alone. */

import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Slot } from 'fhir/r4'
import type { SlotPlan } from '../../src/scheduling/availability.ts'
import {
  kindOf,
  type SlotChanges,
  type SlotWithId,
  slotChanges,
  slotIdAt,
} from '../../src/scheduling/generated-slot.ts'
import { plannedBlocks } from '../../src/scheduling/planned-slots.ts'
import { randomRuns } from '../support/random-runs.ts'
import { daily, planOf } from './availability-samples.ts'

const window = { start: Date.parse('2026-03-02T00:00:00Z'), end: Date.parse('2026-03-03T00:00:00Z') }
const at = (time: string): string => `2026-03-02T${time}:00+00:00`

const halfHours = planOf('UTC', { weeklyHours: [daily('09:00', '11:00')] })
const hours = planOf('UTC', { weeklyHours: [daily('09:00', '12:00')], slotMinutes: 60 })
const buffered = planOf('UTC', {
  weeklyHours: [{ ...daily('09:00', '11:00'), appointmentType: 'X' }],
  appointmentTypes: [{ code: 'X', type: { text: 'x' }, minutes: 30, bufferBefore: 0, bufferAfter: 10 }],
})

const blocksOf = (plan: SlotPlan) => [...plannedBlocks(plan, window.start, window.end)]

function change(
  plan: SlotPlan | undefined,
  stored: readonly SlotWithId[],
  unwanted: readonly string[] = [],
): SlotChanges {
  const blocks = plan === undefined ? [] : blocksOf(plan)
  return slotChanges({ schedule: 's', plan, blocks, stored, unwanted: new Set(unwanted), window })
}

/** The Slots stored after the changes, in order of time. */
function applied(stored: readonly SlotWithId[], { created, updated, removed }: SlotChanges): readonly SlotWithId[] {
  const changed = new Map([...stored, ...created, ...updated].map((slot) => [slot.id, slot]))
  for (const id of removed) changed.delete(id)
  return [...changed.values()].toSorted((one, other) => Date.parse(one.start) - Date.parse(other.start))
}

const generated = (plan: SlotPlan): readonly SlotWithId[] => applied([], change(plan, []))

const as = (slots: readonly SlotWithId[], time: string, more: Partial<Omit<Slot, 'id'>>): SlotWithId[] =>
  slots.map((slot) => (slot.start === at(time) ? { ...slot, ...more } : slot))

const own = (from: string, until: string, status: Slot['status'] = 'busy-unavailable', id = 'own'): SlotWithId => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: 'Schedule/s' },
  status,
  start: at(from),
  end: at(until),
})

const told = (slots: readonly SlotWithId[]): readonly string[] =>
  slots.map(({ start, end, status }) => `${start.slice(11, 16)} ${end.slice(11, 16)} ${status}`)

describe('a plan without Slots', () => {
  test('gets them, with a tag that says where they come from, and an id that follows from schedule and start', () => {
    const { created, updated, removed } = change({ ...halfHours, details: { specialty: [{ text: 'eyes' }] } }, [])
    expect([updated, removed]).toEqual([[], []])
    expect(created[1]).toEqual({
      resourceType: 'Slot',
      id: 'slot-s-20260302T0930Z',
      meta: { tag: [{ system: 'https://sandbox-emr.example/fhir/CodeSystem/slot-origin', code: 'generated' }] },
      specialty: [{ text: 'eyes' }],
      schedule: { reference: 'Schedule/s' },
      status: 'free',
      start: at('09:30'),
      end: at('10:00'),
    })
  })

  test('has buffers as busy-unavailable, and the appointment type on visits', () => {
    const { created } = change(buffered, [])
    expect(told(created)).toEqual([
      ...['09:00 09:30 free', '09:30 09:40 busy-unavailable', '09:40 10:10 free', '10:10 10:20 busy-unavailable'],
      ...['10:20 10:50 free', '10:50 11:00 busy-unavailable'],
    ])
    expect(created.map(({ appointmentType }) => appointmentType?.text)).toEqual([
      'x',
      undefined,
      'x',
      undefined,
      'x',
      undefined,
    ])
    expect(created.map(kindOf)).toEqual(['visit', 'buffer', 'visit', 'buffer', 'visit', 'buffer'])
  })

  test('has ids that are no longer than FHIR allows, whatever the id of the Schedule', () => {
    const ids = [`${'x'.repeat(63)}1`, `${'x'.repeat(63)}2`].map((schedule) => slotIdAt(schedule, window.start))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9\-.]{1,64}$/)
  })
})

describe('a plan that has changed', () => {
  test('changes nothing where Slots are as they should be', () => {
    const nothing = { created: [], updated: [], removed: [] }
    expect(change(halfHours, generated(halfHours))).toEqual(nothing)
    expect(change(buffered, generated(buffered))).toEqual(nothing)
  })

  test('lengthens free Slots, removes those that do not fit any more, and adds what is new', () => {
    const stored = generated(halfHours)
    const changes = change(hours, stored)
    expect(told(applied(stored, changes))).toEqual(['09:00 10:00 free', '10:00 11:00 free', '11:00 12:00 free'])
    expect([changes.created.length, changes.updated.length, changes.removed.length]).toEqual([1, 2, 2])
  })

  test.each<Slot['status']>(['busy', 'busy-tentative', 'busy-unavailable'])(
    'leaves a Slot alone that is %s, and offers nothing that lies across it',
    (status) => {
      const stored = as(generated(halfHours), '09:30', { status })
      const after = applied(stored, change(hours, stored))
      expect(told(after)).toEqual([`09:30 10:00 ${status}`, '10:00 11:00 free', '11:00 12:00 free'])
      expect(told(applied(stored, change(undefined, stored)))).toEqual([`09:30 10:00 ${status}`])
    },
  )

  test('leaves Slots alone that people made, whatever their status, and fills the time around them', () => {
    const stored = [own('09:40', '09:50', 'free')]
    const after = applied(stored, change(halfHours, stored))
    expect(told(after)).toEqual(['09:00 09:30 free', '09:40 09:50 free', '10:00 10:30 free', '10:30 11:00 free'])
    expect(change(undefined, stored)).toEqual({ created: [], updated: [], removed: [] })
  })

  test('keeps the buffers beside a booked visit, and removes those of free ones', () => {
    const stored = as(generated(buffered), '09:40', { status: 'busy' })
    expect(told(applied(stored, change(undefined, stored)))).toEqual([
      '09:30 09:40 busy-unavailable',
      '09:40 10:10 busy',
      '10:10 10:20 busy-unavailable',
    ])
  })

  test('offers no visit whose buffer would lie in time that is taken', () => {
    const stored = [own('09:35', '09:38')]
    const after = applied(stored, change(buffered, stored))
    expect(told(after).slice(0, 2)).toEqual(['09:35 09:38 busy-unavailable', '09:40 10:10 free'])
  })

  test('does not bring back what somebody has deleted, nor its buffers', () => {
    const [first] = generated(buffered)
    const created = change(buffered, [], [first?.id ?? '']).created
    expect(told(created).slice(0, 2)).toEqual(['09:40 10:10 free', '10:10 10:20 busy-unavailable'])
  })

  test('keeps what people have written into a free Slot', () => {
    const stored = as(generated(halfHours), '09:00', { comment: 'by the back door' })
    expect(change(hours, stored).updated[0]).toMatchObject({ end: at('10:00'), comment: 'by the back door' })
  })

  test('leaves time alone that an entry in error covers', () => {
    const stored = [own('09:00', '11:00', 'entered-in-error')]
    expect(change(halfHours, stored).created).toHaveLength(4)
  })

  test('removes nothing that starts outside the window', () => {
    const yesterday = generated(halfHours).map((slot) => ({ ...slot, start: slot.start.replace('-02T', '-01T') }))
    expect(change(undefined, yesterday).removed).toEqual([])
  })
})

test('whatever the plans and whatever is booked meanwhile: twice is as once, what is taken stays, nothing overlaps', () => {
  const plan = fc
    .record({
      from: fc.integer({ min: 0, max: 40 }),
      length: fc.integer({ min: 1, max: 40 }),
      minutes: fc.integer({ min: 1, max: 12 }),
      before: fc.integer({ min: 0, max: 3 }),
      after: fc.integer({ min: 0, max: 3 }),
    })
    .map(({ from, length, minutes, before, after }) =>
      planOf('UTC', {
        weeklyHours: [{ ...daily('00:00', '24:00'), from: from * 5, until: (from + length) * 5, appointmentType: 'X' }],
        appointmentTypes: [
          { code: 'X', type: { text: 'x' }, minutes: minutes * 5, bufferBefore: before * 5, bufferAfter: after * 5 },
        ],
      }),
    )
  const statuses = fc.array(fc.constantFrom<Slot['status']>('free', 'free', 'busy', 'busy-tentative'), {
    minLength: 50,
    maxLength: 50,
  })
  fc.assert(
    fc.property(plan, plan, statuses, (first, second, status) => {
      const stored = generated(first).map((slot, index) =>
        kindOf(slot) === 'visit' ? { ...slot, status: status[index % 50] ?? 'free' } : slot,
      )
      const after = applied(stored, change(second, stored))
      expect(applied(after, change(second, after))).toEqual(after)
      for (const slot of stored.filter((one) => one.status.startsWith('busy') && kindOf(one) === 'visit')) {
        expect(after).toContainEqual(slot)
      }
      const inOrder = after.map(({ start, end }) => [Date.parse(start), Date.parse(end)] as const)
      for (const [index, [, end]] of inOrder.entries()) {
        expect(inOrder[index + 1]?.[0] ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(end)
      }
    }),
    { numRuns: randomRuns(500) },
  )
})
