/** Examples of the rules of epic-r4. */
import {
  type Example,
  type Examples,
  type ExamplesOf,
  get,
  onlyRead,
  PATIENT,
  patient,
  post,
  searches,
  type World,
} from './example.ts'

const BATCH = { resourceType: 'Bundle', type: 'batch' }

const match = (onlyCertainMatches: object): Example =>
  post('/Patient/$match', {
    resourceType: 'Parameters',
    parameter: [
      { name: 'resource', resource: patient() },
      { name: 'onlyCertainMatches', ...onlyCertainMatches },
    ],
  })

const condition = (status: string): Example =>
  post('/Condition', {
    resourceType: 'Condition',
    verificationStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-ver-status', code: status }],
    },
    clinicalStatus: {
      coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'active' }],
    },
    code: { text: 'Cough' },
    subject: { reference: PATIENT },
  })

/** A note of an Encounter, with other elements. */
async function note({ server }: World, more: object = {}): Promise<Example> {
  const { body } = await server.fhir('POST', '/Encounter', {
    resourceType: 'Encounter',
    status: 'finished',
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    subject: { reference: PATIENT },
  })
  return post('/DocumentReference', {
    resourceType: 'DocumentReference',
    status: 'current',
    docStatus: 'final',
    type: { coding: [{ system: 'http://loinc.org', code: '34109-9' }] },
    subject: { reference: PATIENT },
    context: { encounter: [{ reference: `Encounter/${body.id}` }] },
    content: [{ attachment: { contentType: 'text/plain', data: 'Tm90ZQ==' } }],
    ...more,
  })
}

const notes = (refused: object): Examples => ({
  passes: (world) => note(world),
  refused: (world) => note(world, refused),
})

export const epic: ExamplesOf = {
  slot: onlyRead(get('/Slot?_id=x')),
  schedule: onlyRead(get('/Schedule/x')),
  'appointment-read-only': {
    passes: () => get(`/Appointment?patient=${PATIENT}`),
    refused: () => post('/Appointment', { resourceType: 'Appointment' }),
  },
  'patient-no-update': {
    passes: () => post('/Patient', patient()),
    refused: () => ({ method: 'PUT', path: '/Patient/x', body: patient({ id: 'x' }) }),
  },
  interactions: onlyRead(get(`/${PATIENT}/_history/1`)),
  'whole-system': onlyRead(post('/', BATCH)),
  'no-conditions': {
    passes: () => post('/Patient', patient()),
    refused: () => post('/Patient', patient(), { 'if-none-exist': 'identifier=x' }),
  },
  'search-parameters': searches(`/Appointment?patient=${PATIENT}`, '/Appointment'),
  'patient-search-minimum': searches(
    '/Patient?family=Abernathy&given=Ruth&gender=female&phone=1',
    '/Patient?family=Abernathy&given=Ruth',
  ),
  'patient-birthdate': searches(
    '/Patient?family=Abernathy&given=Ruth&birthdate=1980-01-01',
    '/Patient?family=Abernathy&given=Ruth&birthdate=ge1980-01-01',
  ),
  'one-patient': searches(
    '/Observation?patient=Patient/a&subject=Patient/a',
    '/Observation?patient=Patient/a&patient=Patient/b',
  ),
  'patient-operations': {
    passes: () => match({ valueBoolean: true }),
    refused: () => get(`/${PATIENT}/$everything`),
  },
  'encounter-read-only': {
    passes: () => get(`/Encounter?patient=${PATIENT}`),
    refused: () => post('/Encounter', { resourceType: 'Encounter' }),
  },
  'chart-no-update': {
    passes: () => get(`/Condition?patient=${PATIENT}`),
    refused: () => ({ method: 'PUT', path: '/Condition/x', body: { resourceType: 'Condition', id: 'x' } }),
  },
  'patient-modifiers': {
    passes: () => post('/Patient', patient({ active: true, deceasedBoolean: false })),
    refused: () => post('/Patient', patient({ deceasedDateTime: '2020-01-01' })),
  },
  'condition-provisional': { passes: () => condition('provisional'), refused: () => condition('confirmed') },
  'match-certain': {
    passes: () => match({ valueBoolean: true }),
    refused: () => match({ valueBoolean: false }),
  },
  'document-current': notes({ status: 'superseded' }),
  'document-in-encounter': notes({ context: undefined }),
  'document-plain-text': notes({ content: [{ attachment: { contentType: 'text/html', data: 'Tm90ZQ==' } }] }),
  'condition-search-patient': searches('/Condition?patient=Patient/a', '/Condition?category=diagnosis'),
}
