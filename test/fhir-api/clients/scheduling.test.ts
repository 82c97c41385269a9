/**
 * fhir-kit-client, a published client, drives the flow of IHE ITI Scheduling: find, hold, book, modify, cancel, and looks
 * at the appointments. https://profiles.ihe.net/ITI/Scheduling/volume-1.html
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Appointment, Bundle, ParametersParameter } from 'fhir/r4'
import { Client as FhirKitClient } from 'fhir-kit-client'
import { bookingsOn, half, PATIENT, slot } from '../../support/booking.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { refusal } from './flows.ts'

const PRACTITIONER = 'Practitioner/practitioner-kit'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  const { put } = bookingsOn(server)
  await put({ resourceType: 'Practitioner', id: 'practitioner-kit', name: [{ family: 'Kit' }] })
  await put({ resourceType: 'Schedule', id: 'calendar', actor: [{ reference: PRACTITIONER }] })
  for (const number of [0, 1, 2]) await put(slot(`kit-${number}`, number))
})
afterAll(() => server.close())

const client = () => new FhirKitClient({ baseUrl: server.url, bearerToken: server.token })

const call = async (name: string, ...parameter: ParametersParameter[]): Promise<Bundle> => {
  const input = { resourceType: 'Parameters', parameter }
  return (await client().operation({ name, resourceType: 'Appointment', input })) as unknown as Bundle
}

const reference = (name: string, address: string): ParametersParameter => ({
  name,
  valueReference: { reference: address },
})

const appointmentsIn = ({ entry = [] }: Bundle): Appointment[] => entry.map(({ resource }) => resource as Appointment)

const only = (bundle: Bundle): Appointment & { id: string } => {
  const [first, ...others] = appointmentsIn(bundle)
  if (first?.id === undefined || others.length > 0) throw new Error(JSON.stringify(bundle))
  return { ...first, id: first.id }
}

const find = () =>
  call(
    'find',
    { name: 'start', valueDateTime: half(0) },
    { name: 'end', valueDateTime: half(3) },
    reference('practitioner', PRACTITIONER),
    reference('patient-reference', PATIENT),
  )

const starts = async () => appointmentsIn(await find()).map(({ start = '' }) => new Date(start).toISOString())

test('finds a time, holds it, books it, moves the visit, finds it among those of the patient, and cancels it', async () => {
  const offered = appointmentsIn(await find())
  expect(offered.map(({ status, start }) => [status, start])).toEqual(
    [0, 1, 2].map((number) => ['proposed', half(number)]),
  )
  expect(offered[0]?.participant.map(({ actor }) => actor?.reference)).toEqual([PATIENT, PRACTITIONER])

  const held = only(await call('hold', reference('appointment-reference', `Appointment/${offered[0]?.id}`)))
  expect(held).toMatchObject({ status: 'pending', start: half(0) })
  const late = call('hold', reference('appointment-reference', `Appointment/${offered[0]?.id}`))
  expect(await refusal(late)).toMatch(/"severity":"fatal","code":"not-found"/)
  expect(await starts()).toEqual([half(1), half(2)])

  const booked = only(await call('book', reference('appointment-reference', `Appointment/${held.id}`)))
  expect(booked).toMatchObject({ id: held.id, status: 'booked' })

  const later = { ...booked, slot: [{ reference: 'Slot/kit-2' }], start: half(2), end: half(3) }
  const moved = only(await call('book', { name: 'appointment-resource', resource: later }))
  expect(moved).toMatchObject({ id: held.id, status: 'booked', start: half(2) })
  expect(await starts()).toEqual([half(0), half(1)])

  const searchParams = { patient: PATIENT, date: ['ge2031-03-03', 'lt2031-03-04'], _include: 'Appointment:actor' }
  const found = (await client().search({ resourceType: 'Appointment', searchParams })) as unknown as Bundle
  expect([found.total, found.entry?.map(({ resource }) => resource?.id).sort()]).toEqual([
    1,
    [held.id, 'abernathy-ruth', 'practitioner-kit'].sort(),
  ])

  const cancellation: Appointment = { ...moved, status: 'cancelled' }
  const cancelled = only(await call('book', { name: 'appointment-resource', resource: cancellation }))
  expect(cancelled).toMatchObject({ id: held.id, status: 'cancelled' })
  expect(await starts()).toEqual([half(0), half(1), half(2)])
})

test('moves, confirms and cancels by the operations on one appointment, and a taken time is refused with the reason', async () => {
  const [first, second] = appointmentsIn(await find())
  const booked = only(await call('book', reference('appointment-reference', `Appointment/${first?.id}`)))
  const on = (name: string, ...parameter: ParametersParameter[]) =>
    client().operation({
      ...{ name, resourceType: 'Appointment', id: booked.id },
      ...(parameter.length === 0 ? {} : { input: { resourceType: 'Parameters', parameter } }),
    })
  expect(await on('reschedule', reference('slot', 'Slot/kit-1'))).toMatchObject({ start: half(1) })
  const taken = call('book', reference('appointment-reference', `Appointment/${second?.id}`))
  expect(await refusal(taken)).toMatch(/409.*slot-unavailable/)
  expect(await on('confirm')).toMatchObject({ status: 'booked' })
  expect(await on('cancel')).toMatchObject({ status: 'cancelled' })
  expect(await starts()).toEqual([half(0), half(1), half(2)])
})
