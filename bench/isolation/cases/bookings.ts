/** Visits that name very many patients. */
import { type HostileCase, inParallel, send, times } from '../hostile-case.ts'

const SYSTEM = 'http://hostile.example/mrn'

/** Each is looked for by its identifiers, and then created. */
const patients = times(1_000, (n) => ({
  name: 'patient-resource',
  resource: {
    resourceType: 'Patient',
    identifier: times(10, (m) => ({ system: SYSTEM, value: `booked-${n}-${m}` })),
  },
}))

const visit = {
  resourceType: 'Appointment',
  status: 'booked',
  start: '2099-03-02T09:00:00Z',
  end: '2099-03-02T09:30:00Z',
  participant: times(9_000, (n) => ({ actor: { reference: `Device/device-${n}` }, status: 'accepted' })),
}

const transaction = (entries: readonly (readonly [string, string, object])[]) =>
  send('POST', '/', {
    resourceType: 'Bundle',
    type: 'transaction',
    entry: entries.map(([method, url, resource]) => ({ resource, request: { method, url } })),
  })

/** Long before the slots. */
const waiting = (n: number) => ({
  resourceType: 'Appointment',
  status: 'waitlist',
  requestedPeriod: times(50, (day) => ({
    start: `2098-01-${String((day % 28) + 1).padStart(2, '0')}`,
    end: '2098-02-01',
  })),
  participant: [{ actor: { reference: `RelatedPerson/waiting-${n}` }, status: 'accepted' }],
})

const slots = (status: string) =>
  transaction(
    times(900, (n) => [
      'PUT',
      `Slot/freed-${n}`,
      {
        resourceType: 'Slot',
        id: `freed-${n}`,
        schedule: { reference: 'Schedule/freed' },
        status,
        start: '2099-03-02T09:00:00Z',
        end: '2099-03-02T09:30:00Z',
      },
    ]),
  )

export const bookings: readonly HostileCase[] = [
  {
    name: 'booking-of-1000-patients',
    about: '4 connections $book a visit of 9,000 participants for 1,000 new patients with 10 identifiers each',
    stored: 'nothing',
    attack: () =>
      inParallel(
        4,
        times(4, () =>
          send('POST', '/Appointment/$book', {
            resourceType: 'Parameters',
            parameter: [{ name: 'appointment-resource', resource: visit }, ...patients],
          }),
        ),
      ),
  },
  {
    name: 'waitlist-of-freed-slots',
    about:
      '100 entries of the waitlist, none of which wants it, are looked through for each of 900 slots that a transaction frees, 4 times',
    stored: 'nothing',
    attack: () =>
      inParallel(1, [
        transaction(times(100, (n) => ['POST', 'Appointment', waiting(n)])),
        ...times(4, () => [slots('busy-unavailable'), slots('free')]).flat(),
      ]),
  },
]
