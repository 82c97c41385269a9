/** The examples of Schedule, Slot and Appointment of R4 (https://hl7.org/fhir/R4/appointment-examples.html), in their main elements. */
import type { Resource } from './booking.ts'

const slot = (id: string, status: string, start: string, end: string, more: object = {}): Resource => ({
  resourceType: 'Slot',
  id,
  ...more,
  schedule: { reference: 'Schedule/example' },
  status,
  start: `2013-12-25T${start}:00Z`,
  end: `2013-12-25T${end}:00Z`,
})

const WALK_IN = { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0276', code: 'WALKIN' }] }
const GENERAL = [{ coding: [{ system: 'http://snomed.info/sct', code: '394814009', display: 'General practice' }] }]
const PATIENT = { reference: 'Patient/example', display: 'Peter James Chalmers' }
const DOCTOR = { reference: 'Practitioner/example', display: 'Dr Adam Careful' }
const PLACE = { reference: 'Location/1', display: 'South Wing, second floor' }

/** The resources that the examples refer to, which must exist. */
export const EXAMPLE_PEOPLE: readonly Resource[] = [
  { resourceType: 'Patient', id: 'example' },
  { resourceType: 'Practitioner', id: 'example' },
  { resourceType: 'Practitioner', id: 'f202' },
  {
    resourceType: 'Location',
    id: '1',
    mode: 'instance',
    physicalType: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/location-physical-type', code: 'wi' }] },
  },
]

export const SCHEDULING_EXAMPLES: readonly Resource[] = [
  {
    resourceType: 'Schedule',
    id: 'example',
    active: true,
    actor: [{ reference: 'Location/1', display: 'Burgers UMC, South Wing, second floor' }],
    planningHorizon: { start: '2013-12-25T09:15:00Z', end: '2013-12-25T09:30:00Z' },
  },
  slot('example', 'free', '09:15', '09:30'),
  { ...slot('1', 'busy', '09:00', '09:15'), overbooked: true },
  slot('2', 'busy-tentative', '09:45', '10:00'),
  slot('3', 'busy-unavailable', '09:30', '09:45'),
  {
    resourceType: 'Appointment',
    id: 'example',
    status: 'booked',
    specialty: GENERAL,
    priority: 5,
    start: '2013-12-10T09:00:00Z',
    end: '2013-12-10T11:00:00Z',
    created: '2013-10-10',
    participant: [PATIENT, DOCTOR, PLACE].map((actor) => ({ actor, required: 'required', status: 'accepted' })),
  },
  {
    resourceType: 'Appointment',
    id: '2docs',
    status: 'booked',
    specialty: GENERAL,
    appointmentType: WALK_IN,
    priority: 5,
    start: '2013-12-09T09:00:00Z',
    end: '2013-12-09T11:00:00Z',
    participant: [
      { actor: PATIENT, required: 'information-only', status: 'accepted' },
      { actor: DOCTOR, required: 'required', status: 'accepted' },
      { actor: { reference: 'Practitioner/f202', display: 'Luigi Maas' }, required: 'required', status: 'accepted' },
      { actor: { display: 'Phone Call' }, required: 'information-only', status: 'accepted' },
    ],
  },
  {
    resourceType: 'Appointment',
    id: 'examplereq',
    identifier: [{ system: 'http://example.org/sampleappointment-identifier', value: '123' }],
    status: 'proposed',
    specialty: GENERAL,
    appointmentType: WALK_IN,
    minutesDuration: 15,
    slot: [{ reference: 'Slot/example' }],
    created: '2015-12-02',
    participant: [
      { actor: PATIENT, required: 'required', status: 'needs-action' },
      { type: [{ coding: [{ code: 'ATND' }] }], required: 'required', status: 'needs-action' },
      { actor: PLACE, required: 'required', status: 'accepted' },
    ],
    requestedPeriod: [{ start: '2016-06-02', end: '2016-06-09' }],
  },
]
