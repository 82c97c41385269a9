/** Examples of the rules of epic-r4. */
import { type ExamplesOf, get, onlyRead, PARAMETERS, PATIENT, patient, post, searches } from './example.ts'

const BATCH = { resourceType: 'Bundle', type: 'batch' }

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
    passes: () => post('/Patient/$match', { ...PARAMETERS, parameter: [{ name: 'resource', resource: patient() }] }),
    refused: () => get(`/${PATIENT}/$everything`),
  },
  'condition-search-patient': searches('/Condition?patient=Patient/a', '/Condition?category=diagnosis'),
}
