/** Examples of the rules of athena-fhir. */
import { type ExamplesOf, get, onlyRead, PARAMETERS, patient, post, searches, XML_PATIENT } from './example.ts'

export const athena: ExamplesOf = {
  'json-only': onlyRead(XML_PATIENT),
  'read-only': onlyRead(post('/Patient', patient())),
  'whole-system': onlyRead(get('/_history')),
  'patient-operations': onlyRead(post('/Patient/$match', PARAMETERS)),
  'appointment-operations': onlyRead(post('/Appointment/$book', PARAMETERS)),
  'patient-search-minimum': searches('/Patient?family=Smith&gender=female', '/Patient?family=Smith'),
  'appointment-search-minimum': searches('/Appointment?_id=x', '/Appointment?patient=Patient/x'),
  'chart-search-patient': searches('/AllergyIntolerance?patient=Patient/x', '/AllergyIntolerance?_id=x'),
  'patient-or-id': searches('/DocumentReference?patient=Patient/x', '/DocumentReference?status=current'),
  'organization-search-id': searches('/Organization?_id=x', '/Organization?name=x'),
  'practitioner-search-minimum': searches('/Practitioner?_id=x', '/Practitioner?identifier=x'),
}
