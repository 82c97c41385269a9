/** https://hl7.org/fhir/R4/search.html#revinclude */
import { describe, expect, test } from '@jest/globals'
import { refusal, search } from '../support.ts'

const includes = (text: string) => search(text).plan.include

describe('_include', () => {
  const forward = { reverse: false, iterate: false }
  test.each([
    ['Appointment:patient', { source: 'Appointment', param: 'patient', ...forward }],
    ['Appointment:actor:Location', { source: 'Appointment', param: 'actor', target: 'Location', ...forward }],
    ['Appointment:*', { source: 'Appointment', param: '*', ...forward }],
    ['*', { source: 'Appointment', param: '*', ...forward }],
  ])('%s is %j', (value, expected) => {
    expect(includes(`Appointment?_include=${value}`)).toEqual([expected])
  })

  test('with :iterate may go on from what is included', () => {
    expect(includes('Appointment?_include=Appointment:patient&_include:iterate=Patient:organization')).toEqual([
      { source: 'Appointment', param: 'patient', ...forward },
      { source: 'Patient', param: 'organization', reverse: false, iterate: true },
    ])
  })
})

describe('_revinclude', () => {
  test('is for what points to the matches', () => {
    expect(
      includes('Patient?_revinclude=Observation:patient&_revinclude:iterate=Provenance:target:Observation'),
    ).toEqual([
      { source: 'Observation', param: 'patient', reverse: true, iterate: false },
      { source: 'Provenance', param: 'target', target: 'Observation', reverse: true, iterate: true },
    ])
  })

  test('of everything names each type that can point to a match, and no other', () => {
    const all = includes('Slot?_revinclude=*')
    expect(all.every(({ param, reverse }) => param === '*' && reverse)).toBe(true)
    const sources = all.map(({ source }) => source)
    expect(sources).toEqual(expect.arrayContaining(['Appointment', 'Provenance', 'Task']))
    expect(sources).not.toContain('Coverage')
  })
})

describe('refused with a sentence that says what would be right', () => {
  test.each([
    ['Patient?_include=Patient', '_include=Patient: write Type:parameter, Type:parameter:Target, Type:* or *'],
    [
      'Patient?_include=Patient:link:',
      '_include=Patient:link:: write Type:parameter, Type:parameter:Target, Type:* or *',
    ],
    ['Patient?_include=Patent:link', "_include=Patent:link: there is no resource type 'Patent'; did you mean Patient?"],
    ['Patient?_include=Patient:lnk', "There is no search parameter 'lnk' for Patient; did you mean 'link'?"],
    [
      'Patient?_include=Patient:family',
      "_include=Patient:family: 'family' of Patient is a string parameter; only a reference can be included. References are: general-practitioner, link, organization",
    ],
    [
      'Patient?_include=Appointment:patient',
      '_include=Appointment:patient: Appointment is not what is searched for; write Patient:…, or _include:iterate for what included resources refer to',
    ],
    [
      'Appointment?_include=Appointment:actor:Slot',
      "_include=Appointment:actor:Slot: 'actor' of Appointment refers to Device, HealthcareService, Location, Patient, Practitioner, PractitionerRole, RelatedPerson, not to Slot",
    ],
    [
      'Slot?_revinclude=Observation:patient',
      "_revinclude=Observation:patient: 'patient' of Observation refers to Patient, never to Slot",
    ],
    ['Patient?_include:all=Patient:link', "_include:all: the only modifier is ':iterate', not ':all'"],
  ])('%s', (query, message) => {
    expect(refusal(query)).toContain(message)
  })
})
