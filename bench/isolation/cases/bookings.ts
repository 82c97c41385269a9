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
]
