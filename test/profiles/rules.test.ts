/** The rules of ElementDefinition, one by one: https://hl7.org/fhir/R4/elementdefinition.html. */
import { describe, expect, test } from '@jest/globals'
import { asSnapshot, BASE, brief, issuesOf, profile, type Row } from '../support/profiles.ts'
import { ANIMALS, animals, PETS, pets } from '../support/terms.ts'

const patient = (elements: object) => ({ resourceType: 'Patient', ...elements })
const observation = (elements: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...elements,
})
const constraint = (expression: string, severity: 'error' | 'warning' = 'error') => ({
  constraint: [{ key: 'own-1', severity, human: 'It must be so', expression }],
})
const animal = (code: string, more: object = {}) => ({ coding: [{ system: ANIMALS, code }], ...more })

/** The rows of the profile, a resource, the expected issues, and a piece of the sentence that says how to comply. */
type Case = readonly [rows: readonly Row[], resource: object, said: readonly string[], sentence?: string]

const CASES: Readonly<Record<string, Case>> = {
  'min of an element that is missing': [
    [['Patient.name', { min: 1 }]],
    patient({}),
    ['error required Patient.name'],
    'is missing; there must be at least 1',
  ],
  'min of an element that is there too seldom': [
    [['Patient.name', { min: 2 }]],
    patient({ name: [{ family: 'A' }] }),
    ['error required Patient.name'],
    'is given 1 times, but there must be at least 2',
  ],
  'min of an element inside, at each holder': [
    [['Patient.name.given', { min: 1 }]],
    patient({ name: [{ given: ['A'] }, { family: 'B' }] }),
    ['error required Patient.name[1].given'],
  ],
  'min of an element inside one that is not there': [[['Patient.contact.name', { min: 1 }]], patient({}), []],
  'an extension alone counts as the element': [
    [['Patient.birthDate', { min: 1 }]],
    patient({
      _birthDate: {
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
      },
    }),
    [],
  ],
  'max 0': [
    [['Patient.photo', { max: '0' }]],
    patient({ photo: [{ title: 'x' }] }),
    ['error structure Patient.photo'],
    'must not be present',
  ],
  'max 1': [
    [['Patient.name', { max: '1' }]],
    patient({ name: [{ family: 'A' }, { family: 'B' }] }),
    ['error structure Patient.name'],
    'is given 2 times, but there may be 1 at most',
  ],
  'max of a choice, by the name of FHIRPath': [
    [['Patient.deceased[x]', { max: '0' }]],
    patient({ deceasedBoolean: true }),
    ['error structure Patient.deceased'],
  ],
  'a type of a choice that is left': [
    [['Patient.deceased[x]', { type: [{ code: 'dateTime' }] }]],
    patient({ deceasedDateTime: '2020' }),
    [],
  ],
  'a type of a choice that is taken out': [
    [['Patient.deceased[x]', { type: [{ code: 'dateTime' }] }]],
    patient({ deceasedBoolean: true }),
    ['error structure Patient.deceased'],
    'is a boolean, but must be dateTime',
  ],
  'the short name of one type of a choice': [
    [['Observation.valueQuantity', { max: '0' }]],
    observation({ valueQuantity: { value: 1 } }),
    ['error structure Observation.value'],
  ],
  'what is in one type of a choice': [
    [['Observation.value[x]:valueQuantity.unit', { min: 1 }]],
    observation({ valueQuantity: { value: 1 } }),
    ['error required Observation.value.unit'],
  ],
  'the same of another type': [
    [['Observation.value[x]:valueQuantity.unit', { min: 1 }]],
    observation({ valueString: 'x' }),
    [],
  ],
  'fixed of a primitive': [
    [['Patient.active', { fixedBoolean: true }]],
    patient({ active: false }),
    ['error value Patient.active'],
    'must be exactly true',
  ],
  'fixed of an object is all of it': [
    [['Patient.maritalStatus', { fixedCodeableConcept: animal('cat') }]],
    patient({ maritalStatus: animal('cat', { text: 'Cat' }) }),
    ['error value Patient.maritalStatus'],
  ],
  'fixed in another order of its properties': [
    [['Patient.maritalStatus', { fixedCodeableConcept: { text: 'x', coding: [{ code: 'a', system: 'http://b' }] } }]],
    patient({ maritalStatus: { coding: [{ system: 'http://b', code: 'a' }], text: 'x' } }),
    [],
  ],
  'pattern of a part': [
    [['Patient.maritalStatus', { patternCodeableConcept: animal('cat') }]],
    patient({
      maritalStatus: {
        coding: [
          { system: 'http://other', code: 'x' },
          { system: ANIMALS, code: 'cat', display: 'Cat' },
        ],
      },
    }),
    [],
  ],
  'pattern of something else': [
    [['Patient.maritalStatus', { patternCodeableConcept: animal('cat') }]],
    patient({ maritalStatus: animal('dog') }),
    ['error value Patient.maritalStatus'],
    `must contain {"coding":[{"system":"${ANIMALS}","code":"cat"}]}`,
  ],
  maxLength: [
    [['Patient.name.family', { maxLength: 3 }]],
    patient({ name: [{ family: 'abcd' }] }),
    ['error too-long Patient.name[0].family'],
    'has 4 characters; the maximum is 3',
  ],
  'minValue of a number': [
    [['Observation.value[x]', { minValueInteger: 10 }]],
    observation({ valueInteger: 9 }),
    ['error value Observation.value'],
    'must not be less than 10',
  ],
  'maxValue of a date, as precise as both are': [
    [['Patient.birthDate', { maxValueDate: '2020-06-15' }]],
    patient({ birthDate: '2020-06-16' }),
    ['error value Patient.birthDate'],
  ],
  'maxValue of a date that is less precise': [
    [['Patient.birthDate', { maxValueDate: '2020-06-15' }]],
    patient({ birthDate: '2020' }),
    [],
  ],
  'maxValue of a time in another zone': [
    [['Observation.effective[x]', { maxValueDateTime: '2020-01-01T12:00:00Z' }]],
    observation({ effectiveDateTime: '2020-01-01T12:30:00+01:00' }),
    [],
  ],
  'maxValue of a quantity of the same unit': [
    [['Observation.value[x]', { maxValueQuantity: { value: 5, code: 'kg' } }]],
    observation({ valueQuantity: { value: 6, system: 'http://unitsofmeasure.org', code: 'kg' } }),
    ['error value Observation.value'],
  ],
  'an invariant that holds': [
    [['Patient.name', constraint('family.exists()')]],
    patient({ name: [{ family: 'A' }] }),
    [],
  ],
  'an invariant that is broken': [
    [['Patient.name', constraint('family.exists()')]],
    patient({ name: [{ family: 'A' }, { given: ['B'] }] }),
    ['error invariant Patient.name[1]'],
    'breaks own-1: It must be so (FHIRPath: family.exists())',
  ],
  'an invariant of severity warning': [
    [['Patient.name', constraint('family.exists()', 'warning')]],
    patient({ name: [{ given: ['B'] }] }),
    ['warning invariant Patient.name[0]'],
  ],
  'an invariant of the whole resource': [
    [['Patient', constraint('%resource.name.count() = 1 and name.count() = 1')]],
    patient({ name: [{ family: 'A' }] }),
    [],
  ],
  'an invariant that asks for the type of its element': [
    [['Observation.effective[x]', constraint('($this as dateTime).toString().length() >= 10')]],
    observation({ effectiveDateTime: '2020-01-01' }),
    [],
  ],
  'an invariant of a primitive that has only an extension': [
    [
      [
        'Patient.birthDate',
        constraint("extension.where(url = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason').exists()"),
      ],
    ],
    patient({
      _birthDate: {
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
      },
    }),
    [],
  ],
  'an invariant that is no FHIRPath': [
    [['Patient', constraint('name.where(')]],
    patient({}),
    ['warning processing Patient'],
    'cannot be compared with the rule own-1',
  ],
  'an invariant that asks for more than an expression can know': [
    [['Patient', constraint("maritalStatus.memberOf('http://x')")]],
    patient({}),
    ['warning processing Patient'],
  ],
  'an invariant of R4 itself is not told twice': [
    [
      [
        'Patient.contact',
        {
          constraint: [
            {
              key: 'pat-1',
              severity: 'error',
              human: 'x',
              expression: 'name.exists() or telecom.exists() or address.exists() or organization.exists()',
            },
          ],
        },
      ],
    ],
    patient({ contact: [{ gender: 'male' }] }),
    [],
  ],
  'a required binding that has the code': [
    [['Patient.maritalStatus', { binding: { strength: 'required', valueSet: PETS } }]],
    patient({
      maritalStatus: {
        coding: [
          { system: 'http://x', code: 'y' },
          { system: ANIMALS, code: 'cat' },
        ],
      },
    }),
    [],
  ],
  'a required binding that has it not': [
    [['Patient.maritalStatus', { binding: { strength: 'required', valueSet: PETS } }]],
    patient({ maritalStatus: animal('bird') }),
    ['error code-invalid Patient.maritalStatus'],
    `has ${ANIMALS}|bird, but must have a code of ${PETS}`,
  ],
  'a required binding and a text alone': [
    [['Patient.maritalStatus', { binding: { strength: 'required', valueSet: PETS } }]],
    patient({ maritalStatus: { text: 'cat' } }),
    ['error code-invalid Patient.maritalStatus'],
    'has no code',
  ],
  'a required binding and a reason for no code': [
    [['Patient.maritalStatus', { binding: { strength: 'required', valueSet: PETS } }]],
    patient({
      maritalStatus: {
        extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
      },
    }),
    [],
  ],
  'a required binding of a plain code': [
    [['Patient.language', { binding: { strength: 'required', valueSet: PETS } }]],
    patient({ language: 'bird' }),
    ['error code-invalid Patient.language'],
  ],
  'an extensible binding': [
    [['Patient.maritalStatus', { binding: { strength: 'extensible', valueSet: PETS } }]],
    patient({ maritalStatus: animal('bird') }),
    ['warning code-invalid Patient.maritalStatus'],
    'unless none of these fits',
  ],
  'a preferred binding': [
    [['Patient.maritalStatus', { binding: { strength: 'preferred', valueSet: PETS } }]],
    patient({ maritalStatus: animal('bird') }),
    [],
  ],
  'the maximum value set of another binding': [
    [
      [
        'Patient.maritalStatus',
        {
          binding: {
            strength: 'preferred',
            valueSet: 'http://x',
            extension: [
              { url: 'http://hl7.org/fhir/StructureDefinition/elementdefinition-maxValueSet', valueCanonical: PETS },
            ],
          },
        },
      ],
    ],
    patient({ maritalStatus: animal('bird') }),
    ['error code-invalid Patient.maritalStatus'],
  ],
  'a binding to a value set that is not here': [
    [['Patient.maritalStatus', { binding: { strength: 'required', valueSet: 'http://nowhere/ValueSet' } }]],
    patient({ maritalStatus: animal('cat') }),
    ['warning not-found Patient.maritalStatus'],
    'The value set http://nowhere/ValueSet is not here',
  ],
  'a binding of the packages': [
    [
      [
        'Observation.interpretation',
        { binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/ValueSet/observation-interpretation' } },
      ],
    ],
    observation({
      interpretation: [
        { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation', code: 'HX' }] },
        { coding: [{ system: 'http://other', code: 'x' }] },
      ],
    }),
    ['error code-invalid Observation.interpretation[1]'],
  ],
  'a target that is left': [
    [
      [
        'Observation.subject',
        { type: [{ code: 'Reference', targetProfile: ['http://hl7.org/fhir/StructureDefinition/Patient'] }] },
      ],
    ],
    observation({ subject: { reference: 'http://example.org/fhir/Patient/1' } }),
    [],
  ],
  'a target that is taken out': [
    [
      [
        'Observation.subject',
        { type: [{ code: 'Reference', targetProfile: ['http://hl7.org/fhir/StructureDefinition/Patient'] }] },
      ],
    ],
    observation({ subject: { reference: 'Device/1' } }),
    ['error structure Observation.subject'],
    'refers to a Device, but must refer to http://hl7.org/fhir/StructureDefinition/Patient',
  ],
  'a target that is contained and keeps to its profile': [
    [['Observation.subject', { type: [{ code: 'Reference', targetProfile: [`${BASE}/named`] }] }]],
    observation({
      contained: [{ resourceType: 'Patient', id: 'p', name: [{ family: 'x' }] }],
      subject: { reference: '#p' },
    }),
    [],
  ],
  'a target that is contained and does not': [
    [['Observation.subject', { type: [{ code: 'Reference', targetProfile: [`${BASE}/named`] }] }]],
    observation({ contained: [{ resourceType: 'Patient', id: 'p' }], subject: { reference: '#p' } }),
    ['error structure Observation.subject'],
  ],
  'a profile of a data type': [
    [['Patient.name', { type: [{ code: 'HumanName', profile: [`${BASE}/full-name`] }] }]],
    patient({ name: [{ given: ['A'], family: 'B' }, { family: 'B' }] }),
    ['error required Patient.name[1].given'],
    `(${BASE}/full-name)`,
  ],
  'mustSupport asks nothing of a resource': [[['Patient.name', { mustSupport: true }]], patient({}), []],
}

const named = profile('named', 'Patient', [['Patient.name', { min: 1 }]])
const fullName = profile('full-name', 'HumanName', [['HumanName.given', { min: 1 }]], { kind: 'complex-type' })

describe.each([
  ['a differential', (definition: ReturnType<typeof profile>) => definition],
  ['a snapshot', asSnapshot],
] as const)('with %s,', (_name, form) => {
  test.each(Object.entries(CASES))('%s', async (_rule, [rows, resource, said, sentence]) => {
    const definition = form(profile('tested', String((resource as { resourceType?: unknown }).resourceType), rows))
    const issues = await issuesOf(resource, { definitions: [definition, named, fullName], terms: [animals, pets] })
    expect(brief(issues)).toEqual(said)
    if (sentence !== undefined) expect(issues[0]?.text).toContain(sentence)
    for (const { text, expression } of issues) expect(text?.startsWith(String(expression))).toBe(true)
  })
})

test('an item of a Questionnaire is asked the same at every depth (contentReference)', async () => {
  const definition = profile('prefixed', 'Questionnaire', [['Questionnaire.item.prefix', { min: 1 }]])
  const item = (linkId: string, ...inner: object[]) => ({
    linkId,
    type: 'group',
    ...(inner.length > 0 ? { item: inner } : {}),
  })
  const resource = {
    resourceType: 'Questionnaire',
    status: 'draft',
    item: [{ ...item('1', item('2', item('3'))), prefix: 'a' }],
  }
  expect(brief(await issuesOf(resource, { definitions: [definition] }))).toEqual([
    'error required Questionnaire.item[0].item[0].prefix',
    'error required Questionnaire.item[0].item[0].item[0].prefix',
  ])
})
