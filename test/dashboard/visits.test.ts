/** Kinds of visit with their times, and the history of a visit in words. */
import { expect, test } from '@jest/globals'
import type { Appointment, Provenance, Schedule } from 'fhir/r4'
import type { TimedSlot } from '../../dashboard/fhir/free-times.ts'
import { kindIn, kindsOf, timesFor } from '../../dashboard/fhir/visit-kinds.ts'
import { provenanceOf, storyOf } from '../../dashboard/fhir/visit-story.ts'
import { arrivalFrom, mayArrive } from '../../dashboard/fhir/visits.ts'

const CHECKUP = { coding: [{ system: 'http://example.org/types', code: 'CHECKUP' }], text: 'Check-up' }
const GENERAL = { coding: [{ system: 'http://example.org/services', code: '124', display: 'General Practice' }] }
const schedule: Schedule = {
  resourceType: 'Schedule',
  id: 'one',
  actor: [{ reference: 'Practitioner/one' }],
  serviceType: [GENERAL],
  extension: [
    {
      url: 'https://sandbox-emr.example/fhir/StructureDefinition/schedule-availability',
      extension: [
        { url: 'slotMinutes', valuePositiveInt: 30 },
        { url: 'availableTime', extension: [{ url: 'daysOfWeek', valueCode: 'mon' }] },
        {
          url: 'appointmentType',
          extension: [
            { url: 'type', valueCodeableConcept: CHECKUP },
            { url: 'minutes', valuePositiveInt: 60 },
          ],
        },
      ],
    },
  ],
}
const withoutHours: Schedule = { ...schedule, id: 'two', extension: [] }

const slotAt = (id: string, start: string, end: string, more: Partial<TimedSlot> = {}): TimedSlot => ({
  resourceType: 'Slot',
  id,
  schedule: { reference: 'Schedule/one' },
  status: 'free',
  start: `2030-01-07T${start}:00Z`,
  end: `2030-01-07T${end}:00Z`,
  ...more,
})

test('a kind of visit is as long as its Schedule says, and that of a Schedule without hours as long as a Slot', () => {
  const kinds = kindsOf([schedule, withoutHours])
  expect(kinds.map(({ name, minutes }) => [name, [...minutes]])).toEqual([
    ['Check-up', [['one', 60]]],
    [
      'General Practice',
      [
        ['two', undefined],
        ['one', 30],
      ],
    ],
  ])
  expect(kindIn(kinds, { appointmentType: CHECKUP })?.name).toBe('Check-up')
  expect(kindIn(kinds, {})).toBeUndefined()
})

test('times for a kind are long enough, and a Slot of another type takes none', () => {
  const [kind] = kindsOf([schedule])
  const other = { coding: [{ system: 'http://example.org/types', code: 'OTHER' }] }
  const slots = [
    slotAt('a', '09:00', '09:30'),
    slotAt('b', '09:30', '10:00'),
    slotAt('c', '10:00', '10:30', { appointmentType: other }),
    slotAt('d', '11:00', '12:00', { appointmentType: CHECKUP }),
  ]
  expect(timesFor(slots, { kind }).map((time) => time.slots)).toEqual([['a', 'b'], ['d']])
})

test('the history says what each version has changed, and who did it in which way', () => {
  const who = (id: string) => ({ status: 'accepted' as const, actor: { reference: `Practitioner/${id}`, display: id } })
  const version = (versionId: string, more: Partial<Appointment>): Appointment => ({
    resourceType: 'Appointment',
    id: 'v',
    status: 'booked',
    start: 'nine',
    participant: [who('Okafor')],
    meta: { versionId },
    ...more,
  })
  const versions = [
    version('4', {
      start: 'ten',
      description: 'Cough',
      status: 'cancelled',
      cancelationReason: { text: 'Ill' },
      participant: [who('Delgado')],
    }),
    version('3', { start: 'ten', description: 'Cough', participant: [who('Delgado')] }),
    version('2', { start: 'ten', participant: [who('Delgado')] }),
    version('1', {}),
  ]
  const call: Provenance = {
    resourceType: 'Provenance',
    target: [{ reference: 'Appointment/v/_history/1' }],
    recorded: '2030-01-01T00:00:00Z',
    agent: [
      {
        who: {
          display: 'Live call',
          identifier: { system: 'https://sandbox-emr.example/fhir/NamingSystem/call-id', value: 'c1' },
        },
      },
    ],
  }
  const desk = provenanceOf(versions[2] as Appointment, { username: 'nora', name: 'Nora', activity: 'move', at: 0 })
  const story = storyOf(versions, [call, desk], (at) => at)
  expect(story.map(({ what }) => what)).toEqual([
    'Cancelled (Ill)',
    'Reason changed',
    'Moved from nine to ten, from Okafor to Delgado',
    'Booked',
  ])
  expect(story.map(({ who: writer }) => writer)).toEqual([
    undefined,
    undefined,
    { name: 'Nora', call: undefined },
    { name: 'Live call', call: 'c1' },
  ])
})

test('a patient may have arrived from two hours before the visit, and long after it', () => {
  const visit = { start: '2030-01-07T12:00:00Z' }
  expect(mayArrive(visit, Date.parse('2030-01-07T09:59:59Z'))).toBe(false)
  expect(mayArrive(visit, arrivalFrom(visit))).toBe(true)
  expect(mayArrive(visit, Date.parse('2031-01-07T12:00:00Z'))).toBe(true)
})
