import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { checkResource, validate } from '../../src/fhir/validate/validate.ts'
import { extension, observation, patient, questionnaire } from '../support/refusals.ts'
import { VALID_RESOURCES } from '../support/valid-resources.ts'

describe('a valid resource has no issues:', () => {
  test.each(VALID_RESOURCES.map((resource) => [resource.resourceType, resource] as const))('%s', (_type, resource) => {
    expect(validate(resource)).toEqual([])
  })

  test.each([
    ['a resource without elements', patient({})],
    ['a value that is undefined in memory and absent in JSON', patient({ gender: undefined })],
    [
      'an extension of which one value is undefined',
      patient({ extension: [{ url: 'x', valueCode: undefined, extension: [extension] }] }),
    ],
    [
      'null in a list of primitives where the extension stands for the value',
      patient({ name: [{ given: ['Ada', null], _given: [null, { extension: [extension] }] }] }),
    ],
    ['an extension in place of a value', patient({ _birthDate: { extension: [extension] } })],
    [
      'an extension in place of a mandatory value',
      { resourceType: 'Observation', _status: { extension: [extension] }, code: { text: 'x' } },
    ],
    ['an extension in place of a choice', observation({ _valueString: { extension: [extension] } })],
    ['an id beside a value', patient({ birthDate: '1974', _birthDate: { id: 'b' } })],
    [
      'a decimal with its zeros',
      parseJson('{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.00}}'),
    ],
    [
      'a decimal with an exponent',
      parseJson('{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.5e3}}'),
    ],
    [
      'a period that ends on the day on which it begins, which is the next one in UTC',
      patient({ address: [{ period: { start: '2020-01-02T23:00:00-05:00', end: '2020-01-02' } }] }),
    ],
    ['a leap day', patient({ birthDate: '2024-02-29' })],
    ['a leap second', observation({ issued: '2016-12-31T23:59:60Z' })],
    [
      'a concept of which one coding is in the required value set',
      {
        resourceType: 'AllergyIntolerance',
        patient: { display: 'Ada' },
        clinicalStatus: {
          coding: [
            { system: 'http://example.org', code: 'live' },
            { system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' },
          ],
        },
      },
    ],
    [
      'a required concept that an extension says is unknown',
      { resourceType: 'AllergyIntolerance', patient: { display: 'Ada' }, clinicalStatus: { extension: [extension] } },
    ],
    [
      'a contained resource that refers to the resource around it',
      patient({
        contained: [
          { resourceType: 'Observation', id: 'o', status: 'final', code: { text: 'x' }, subject: { reference: '#' } },
        ],
      }),
    ],
    [
      'a reference to another server',
      patient({ managingOrganization: { reference: 'https://example.org/fhir/Organization/1' } }),
    ],
    [
      'items within items, by content reference',
      questionnaire({
        linkId: '1',
        type: 'group',
        item: [{ linkId: '2', type: 'group', item: [{ linkId: '3', type: 'string' }] }],
      }),
    ],
    ['the short MIME types of FHIR', { resourceType: 'Binary', contentType: 'xml' }],
    ['base64 in lines', { resourceType: 'Binary', contentType: 'text/plain', data: 'SGVs\r\nbG8=' }],
  ])('%s', (_name, resource) => {
    expect(validate(resource)).toEqual([])
  })
})

describe('all issues', () => {
  test('are reported at once', () => {
    const issues = validate(patient({ nam: 1, birthDate: '2023-02-30', gender: 'x', contact: [{ gender: 'male' }] }))
    expect(issues.map(({ code, expression }) => [code, expression])).toEqual([
      ['structure', 'Patient.nam'],
      ['value', 'Patient.birthDate'],
      ['code-invalid', 'Patient.gender'],
      ['invariant', 'Patient.contact[0]'],
    ])
  })

  test('are at most 50, however large the resource', () => {
    expect(validate(patient({ name: Array.from({ length: 200_000 }, () => 1) }))).toHaveLength(50)
    const names = Object.fromEntries(Array.from({ length: 10_000 }, (_value, index) => [`name${index}`, 1]))
    expect(validate(patient(names))).toHaveLength(50)
  })

  test('repeat no more of a name or code than 64 characters', () => {
    const issues = validate(patient({ ['x'.repeat(100_000)]: 1, gender: 'y'.repeat(100_000) }))
    expect(issues.map(({ diagnostics }) => diagnostics.length < 2_000)).toEqual([true, true])
  })

  test('leave out rules of severity warning unless asked for', () => {
    expect(validate(patient({}))).toEqual([])
    expect(validate(patient({}), { warnings: true })).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'invariant',
        diagnostics: expect.stringContaining('dom-6'),
      }),
    ])
  })
})

describe('nesting', () => {
  const nested = (depth: number): object =>
    depth === 0 ? { url: 'x', valueString: 'y' } : { url: 'x', extension: [nested(depth - 1)] }

  test('of 90 levels is accepted', () => {
    expect(validate(patient({ extension: [nested(90)] }))).toEqual([])
  })

  test('of more than 100 levels is one issue', () => {
    expect(validate(patient({ extension: [nested(150)] }))).toEqual([
      expect.objectContaining({ code: 'structure', diagnostics: expect.stringContaining('at most 100 levels') }),
    ])
  })

  test('of 200,000 levels does not exhaust the stack, contained or not', () => {
    const deep = parseJson(`${'{"extension":['.repeat(200_000)}{}${']}'.repeat(200_000)}`)
    expect(validate(patient({ extension: [deep] }))).toHaveLength(1)
    expect(validate(patient({ contained: [{ resourceType: 'Basic', code: deep }] })).length).toBeGreaterThan(0)
  })
})

const thrownBy = (action: () => void): FhirError => {
  try {
    action()
  } catch (error) {
    if (error instanceof FhirError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test('more warnings than are told of do not hide an error', () => {
  const entry = Array.from({ length: 60 }, (_, index) => ({ resource: patient(index === 59 ? { gender: 'x' } : {}) }))
  const issues = validate({ resourceType: 'Bundle', type: 'collection', entry }, { warnings: true })
  expect(issues.map(({ severity }) => severity)).toEqual([...Array(50).fill('warning'), 'error'])
})

describe('checkResource', () => {
  test('accepts a valid resource of the expected type', () => {
    expect(() => checkResource(patient({ active: true }), 'Patient')).not.toThrow()
  })

  test.each([
    ['nothing', undefined, 'got nothing'],
    ['null', null, 'got null'],
    ['an array', [], 'got an array'],
    ['a string', 'Patient', 'got a string'],
    ['an object without resourceType', {}, 'must have a resourceType'],
    ['an unknown resourceType', { resourceType: 'Patients' }, 'did you mean Patient?'],
    ['an abstract resourceType', { resourceType: 'DomainResource' }, 'R4 does not know'],
    ['a data type', { resourceType: 'HumanName' }, 'R4 does not know'],
    ['a resourceType that is no string', { resourceType: ['Patient'] }, 'must have a resourceType'],
    [
      'a resource of another type than the address',
      { resourceType: 'Observation' },
      'The body is of type Observation, but the URL is for Patient',
    ],
  ])('answers 400 for %s', (_name, body, said) => {
    const error = thrownBy(() => checkResource(body, 'Patient'))
    expect(error.status).toBe(400)
    expect(error.message).toContain(said)
  })

  test('answers 422 with every issue for a resource that breaks rules', () => {
    const error = thrownBy(() => checkResource(patient({ gender: 'x', birthDate: 'y' }), 'Patient'))
    expect(error.status).toBe(422)
    expect(error.issues.map(({ expression }) => expression)).toEqual(['Patient.gender', 'Patient.birthDate'])
  })

  test('never fails for a warning', () => {
    expect(() => checkResource(patient({}))).not.toThrow()
  })
})
