/** Examples of the rules of oracle-r4. */
import {
  type Example,
  type Examples,
  type ExamplesOf,
  get,
  onlyRead,
  PARAMETERS,
  PATIENT,
  patient,
  post,
  searches,
  type World,
  XML_PATIENT,
} from './example.ts'

const booking = (more: object = {}) => ({
  resourceType: 'Appointment',
  status: 'booked',
  participant: [{ actor: { reference: PATIENT }, status: 'accepted' }],
  ...more,
})

const booked = async ({ time }: World, more: object = {}) =>
  post('/Appointment', booking({ ...(await time()), ...more }))

/** A booking that passes, and one with other elements. */
const bookings = (more: object): Examples => ({
  passes: (world) => booked(world),
  refused: (world) => booked(world, more),
})

async function patched({ visit }: World, operations: readonly object[], headers = {}): Promise<Example> {
  const { path, etag } = await visit()
  return { method: 'PATCH', path, body: operations, headers: { 'if-match': etag, ...headers } }
}

const CANCEL = [{ op: 'replace', path: '/status', value: 'cancelled' }]

const patches = (refused: readonly object[]): Examples => ({
  passes: (world) => patched(world, CANCEL),
  refused: (world) => patched(world, refused),
})

const NOTE = { attachment: { contentType: 'text/plain;charset=utf-8', data: 'Tm90ZQ==' } }

const LOINC = { system: 'http://loinc.org', code: '34109-9' }
const OWN = { system: 'https://fhir.cerner.com/ec2458f2/codeSet/72', code: '20732501' }

const document = (more: object = {}) => ({
  resourceType: 'DocumentReference',
  status: 'current',
  docStatus: 'final',
  type: { coding: [LOINC] },
  subject: { reference: PATIENT },
  content: [NOTE],
  context: { period: { end: '2030-01-07T09:00:00Z' } },
  ...more,
})

/** A document that passes, and one with other elements. */
const documents = (refused: object): Examples => ({
  passes: () => post('/DocumentReference', document()),
  refused: () => post('/DocumentReference', document(refused)),
})

const attached = (attachment: object) => ({ content: [{ attachment: { ...NOTE.attachment, ...attachment } }] })

const DATES = 'date=ge2030-01-07T00:00:00Z&date=lt2030-02-07T00:00:00Z'
const STARTS = 'start=ge2030-01-07T00:00:00Z&start=lt2030-02-07T00:00:00Z'
const SERVICE = 'service-type=http://example.org/visits|check-up'

export const oracle: ExamplesOf = {
  'json-only': {
    passes: () => get(`/${PATIENT}`, { accept: 'application/fhir+json' }),
    refused: () => XML_PATIENT,
  },
  'address-of-a-type': searches('/Patient?family=Smith', '/?_type=Patient&_id=x'),
  verbs: {
    passes: () => post('/Patient', patient()),
    refused: () => ({ method: 'DELETE', path: '/Patient/nobody' }),
  },
  'no-modifier-extension': {
    passes: () => post('/Patient', patient()),
    refused: () =>
      post('/Patient', patient({ modifierExtension: [{ url: 'https://example.org/not', valueBoolean: true }] })),
  },
  'no-implicit-rules': {
    passes: () => post('/Patient', patient()),
    refused: () => post('/Patient', patient({ implicitRules: 'https://example.org/rules' })),
  },
  'stale-version': {
    passes: (world) => patched(world, CANCEL),
    refused: (world) => patched(world, CANCEL, { 'if-match': 'W/"99"' }),
  },
  'appointment-search-whom': searches(
    `/Appointment?patient=${PATIENT}&${DATES}`,
    `/Appointment?patient=${PATIENT}&location=Location/x&${DATES}`,
  ),
  'appointment-search-date': searches(
    `/Appointment?patient=${PATIENT}&date=ge2030-01-07T00:00:00Z`,
    `/Appointment?patient=${PATIENT}`,
  ),
  'appointment-date-form': searches(
    `/Appointment?patient=${PATIENT}&${DATES}`,
    `/Appointment?patient=${PATIENT}&date=2030-01-07`,
  ),
  'appointment-no-update': {
    passes: (world) => patched(world, CANCEL),
    refused: () => ({ method: 'PUT', path: '/Appointment/x', body: { ...booking(), id: 'x' } }),
  },
  'appointment-status': bookings({ status: 'pending' }),
  'appointment-slot': {
    passes: (world) => booked(world),
    refused: () => post('/Appointment', booking()),
  },
  'appointment-patient': bookings({
    participant: [
      { actor: { reference: PATIENT }, status: 'accepted' },
      { actor: { reference: 'Practitioner/lee-anna' }, status: 'accepted' },
    ],
  }),
  'appointment-accepted': bookings({ participant: [{ actor: { reference: PATIENT }, status: 'needs-action' }] }),
  'appointment-participant-type': bookings({
    participant: [{ actor: { reference: PATIENT }, status: 'accepted', type: [{ text: 'patient' }] }],
  }),
  'appointment-reason': bookings({ reasonCode: [{ text: 'cough' }, { text: 'fever' }] }),
  'appointment-if-match': {
    passes: (world) => patched(world, CANCEL),
    refused: async (world) => {
      const { path } = await world.visit()
      return { method: 'PATCH', path, body: CANCEL }
    },
  },
  'appointment-patch-paths': patches([{ op: 'replace', path: '/priority', value: 1 }]),
  'appointment-patch-status': patches([{ op: 'replace', path: '/status', value: 'noshow' }]),
  'appointment-patch-booked': patches([{ op: 'replace', path: '/status', value: 'booked' }]),
  'appointment-patch-participant': patches([{ op: 'replace', path: '/participant/0/status', value: 'declined' }]),
  'slot-search-what': searches(`/Slot?${SERVICE}&${STARTS}`, `/Slot?${STARTS}`),
  'slot-search-start': searches(`/Slot?${SERVICE}&${STARTS}`, `/Slot?${SERVICE}`),
  'slot-start-range': searches(`/Slot?${SERVICE}&${STARTS}`, `/Slot?${SERVICE}&start=ge2030-01-07T00:00:00Z`),
  'slot-search-once': searches(`/Slot?${SERVICE},b&${STARTS}`, `/Slot?${SERVICE}&service-type=b&${STARTS}`),
  'slot-read-only': {
    passes: () => get('/Slot?_id=x'),
    refused: () =>
      post('/Slot', {
        resourceType: 'Slot',
        schedule: { reference: 'Schedule/x' },
        status: 'free',
        start: '2030-01-07T09:00:00Z',
        end: '2030-01-07T09:30:00Z',
      }),
  },
  'patient-search-whom': searches('/Patient?family=Smith&gender=female', '/Patient?gender=female'),
  'patient-search-once': searches('/Patient?family=Smith', '/Patient?family=Smith,Jones'),
  'patient-birthdate-day': searches('/Patient?birthdate=1980-01-01', '/Patient?birthdate=1980-01-01T00:00:00Z'),
  'document-search-whom': searches(`/DocumentReference?patient=${PATIENT}`, '/DocumentReference?status=current'),
  'document-period-range': searches(
    `/DocumentReference?patient=${PATIENT}&period=ge2020-01-01&period=lt2030-01-01`,
    `/DocumentReference?patient=${PATIENT}&period=ge2020-01-01`,
  ),
  'document-content-type': documents(attached({ contentType: 'image/png' })),
  'appointment-slot-taken': {
    passes: (world) => booked(world),
    refused: async ({ server, time }) => {
      const taken = booking(await time())
      await server.fhir('POST', '/Appointment', taken)
      return post('/Appointment', {
        ...taken,
        participant: [{ actor: { reference: 'Patient/reyes-mateo' }, status: 'accepted' }],
      })
    },
  },
  'appointment-reason-length': {
    passes: (world) => booked(world, { reasonCode: [{ text: 'x'.repeat(255) }] }),
    refused: (world) => booked(world, { reasonCode: [{ text: 'x'.repeat(256) }] }),
  },
  'document-one-content': documents({ content: [NOTE, NOTE] }),
  'document-status': documents({ status: 'superseded' }),
  'document-doc-status': documents({ docStatus: 'preliminary' }),
  'document-type': documents({ type: { coding: [LOINC, OWN] } }),
  'document-subject': documents({ subject: { reference: 'Group/x' } }),
  'document-author': documents({ author: [{ reference: PATIENT }] }),
  'document-data': documents(attached({ data: undefined, url: 'https://example.org/note' })),
  'document-character-set': documents(attached({ contentType: 'text/plain' })),
  'document-encounter': documents({
    context: { encounter: [{ reference: 'Encounter/x' }, { reference: 'Encounter/y' }] },
  }),
  'document-period-end': documents({ context: { period: { start: '2030-01-07T09:00:00Z' } } }),
  'appointment-no-operations': onlyRead(post('/Appointment/$find', PARAMETERS)),
  'patient-operations': onlyRead(post('/Patient/$match', PARAMETERS)),
  'schedule-search-id': searches('/Schedule?_id=x', '/Schedule?active=true'),
  'practitioner-search-whom': searches('/Practitioner?family=x', '/Practitioner?given=x'),
  'document-times': documents({ context: { period: { end: '2030-01-07' } } }),
}
