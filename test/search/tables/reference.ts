/** https://hl7.org/fhir/R4/search.html#reference, #chaining and #has */
import type { Table } from './table.ts'

const observation = (subject: object, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  subject,
  ...more,
})
const to = (reference: string) => ({ reference })
const location = (name: string, partOf?: number) => ({
  resourceType: 'Location',
  name,
  ...(partOf === undefined ? {} : { partOf: to(`Location/reference-${partOf}`) }),
})
const answers = (questionnaire: string) => ({
  resourceType: 'QuestionnaireResponse',
  status: 'completed',
  questionnaire,
})

export const reference: Table = {
  name: 'reference',
  resources: [
    { resourceType: 'Patient', name: [{ family: 'Curie' }], managingOrganization: to('Organization/reference-2') },
    { resourceType: 'Group', type: 'person', actual: true },
    { resourceType: 'Organization', name: 'Sorbonne' },
    // 3 to 9
    observation(to('Patient/reference-0')),
    observation(to('https://emr.example/fhir/Patient/reference-0')),
    observation(to('Patient/reference-0/_history/1')),
    observation(to('Group/reference-1')),
    observation(to('http://elsewhere.example/Patient/reference-0')),
    observation({ identifier: { system: 'http://acme.org', value: '2345' }, display: 'Marie Curie' }),
    observation({ display: 'Somebody' }, { performer: [to('Organization/reference-2'), to('Practitioner/none')] }),
    // 10 to 13
    location('Hospital'),
    location('Ward', 10),
    location('Room', 11),
    observation(to('Location/reference-12')),
    // 14 to 17
    answers('http://acme.org/q'),
    answers('http://acme.org/q|1'),
    answers('http://acme.org/q|1.2'),
    answers('http://acme.org/q|12'),
    // 18 to 21
    answers('http://acme.org/v|2.1'),
    answers('http://acme.org/v|2.10'),
    answers('http://acme.org/v|2.1.3'),
    answers('http://acme.org/v|2x1'),
    // 22
    {
      resourceType: 'Provenance',
      target: [to('Patient/reference-0/_history/1'), to('Patient/reference-0/_history/2')],
      recorded: '2024-01-01T00:00:00Z',
      agent: [{ who: { display: 'x' } }],
    },
  ],
  rows: [
    ['Observation?subject=Patient/reference-0', [3, 4, 5]],
    ['Observation?subject=reference-0', [3, 4, 5]],
    ['Observation?patient=reference-0', [3, 4, 5]],
    ['Observation?subject:Patient=reference-0', [3, 4, 5]],
    ['Observation?subject:Group=reference-0', []],
    ['Observation?subject:Group=reference-1', [6]],
    ['Observation?subject=https://emr.example/fhir/Patient/reference-0', [3, 4, 5]],
    ['Observation?subject=http://elsewhere.example/Patient/reference-0', [7]],
    ['Observation?subject=Patient/reference-0/_history/1', [5]],
    ['Observation?subject=Patient/reference-0,Group/reference-1', [3, 4, 5, 6]],
    // R4: "where the issue is a logical condition", the result is "an empty search set".
    ['Observation?patient=Group/reference-1', []],
    ['Observation?patient=Group/reference-1,Patient/reference-0', [3, 4, 5]],
    ['Observation?subject:Patient=Group/reference-1', []],
    ['Observation?encounter:below=Group/reference-1', []],
    ['Observation?_filter=patient ne Group/reference-1 and status eq final', [3, 4, 5, 7]],
    ['Observation?subject:identifier=http://acme.org|2345', [8]],
    ['Observation?subject:identifier=2345', [8]],
    ['Observation?subject:text=marie', [8]],
    ['Observation?performer=Organization/reference-2&performer=Practitioner/none', [9]],
    ['Observation?patient:missing=true', [6, 8, 9, 13]],
    ['Observation?subject:below=Location/reference-10', [13]],
    ['Observation?subject:above=Location/reference-12', [13]],
    ['Location?partof:below=Location/reference-10', [11, 12]],
    ['Location?partof:above=Location/reference-10', [11]],
    // R4: chains. "all the observations whose subject is a patient named Curie".
    ['Observation?subject.name=curie', [3, 4, 5]],
    ['Observation?subject:Patient.family=curie', [3, 4, 5]],
    ['Observation?subject:Patient.organization.name=sorbonne', [3, 4, 5]],
    ['Observation?subject:Location.partof.partof.name=hospital', [13]],
    ['Patient?_has:Observation:patient:status=final', [0]],
    ['Organization?_has:Patient:organization:_has:Observation:subject:status=final', [2]],
    ['Organization?_has:Observation:performer:status=final', [2]],
    ['Group?_has:Observation:subject:subject.name=curie', []],
    // A canonical without a version is every version of it.
    ['QuestionnaireResponse?questionnaire=http://acme.org/q', [14, 15, 16, 17]],
    ['QuestionnaireResponse?questionnaire=http://acme.org/q|1', [15]],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/q|1', [15, 16]],
    ['QuestionnaireResponse?questionnaire:above=http://acme.org/q|1.2', [15, 16]],
    // 2.10 is another version than 2.1, not one below it.
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/v|2.1', [18, 20]],
    ['QuestionnaireResponse?questionnaire:below=http://acme.org/v|2', [18, 19, 20]],
    ['QuestionnaireResponse?questionnaire:above=http://acme.org/v|2.10', [19]],
    // One resource may refer to several versions of another.
    ['Provenance?target=Patient/reference-0/_history/1', [22]],
    ['Provenance?target=Patient/reference-0/_history/2', [22]],
    ['Provenance?target=Patient/reference-0/_history/3', []],
    ['Provenance?target=Patient/reference-0', [22]],
  ],
}
