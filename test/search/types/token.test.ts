/** https://hl7.org/fhir/R4/search.html#token */
import { describe, expect, test } from '@jest/globals'
import { entriesOf, finds, refusal, where } from '../support.ts'

const GENDER = 'http://hl7.org/fhir/administrative-gender'

describe('a token in a query', () => {
  test.each([
    ['identifier=12', { param: 'identifier', code: '12' }],
    ['identifier=urn:mrn|12', { param: 'identifier', system: 'urn:mrn', code: '12' }],
    ['identifier=|12', { param: 'identifier', system: '', code: '12' }],
    ['identifier=urn:mrn|', { param: 'identifier', system: 'urn:mrn' }],
    ['identifier=a\\|b', { param: 'identifier', code: 'a|b' }],
    ['identifier=urn:mrn|a\\,b', { param: 'identifier', system: 'urn:mrn', code: 'a,b' }],
    ['language=EN', { param: 'language', code: 'EN' }],
    ['_tag=http://x.org|t', { param: '_tag', system: 'http://x.org', code: 't' }],
    // The element is a code, so that its system is known, and a boolean has none.
    ['gender=male', { param: 'gender', system: GENDER, code: 'male' }],
    ['gender=other-system|male', { param: 'gender', system: 'other-system', code: 'male' }],
    ['active=true', { param: 'active', system: '', code: 'true' }],
    // ContactPoints are compared without their formatting, and have no code system to leave out.
    ['phone=(555) 010-0199', { param: 'phone', code: '5550100199' }],
    ['telecom=phone|+1 555 010 0199', { param: 'telecom', system: 'phone', code: '+15550100199' }],
    ['telecom=|+15550100199', { param: 'telecom', code: '+15550100199' }],
    ['email=Ada@Example.ORG', { param: 'email', code: 'ada@example.org' }],
  ])('%s is %j', (query, expected) => {
    expect(where(`Patient?${query}`)).toEqual([{ kind: 'token', ...expected }])
  })

  test('with :not is the opposite of all its values together', () => {
    expect(where('Patient?gender:not=male,female')).toEqual([
      {
        kind: 'not',
        of: {
          kind: 'any',
          of: [
            { kind: 'token', param: 'gender', system: GENDER, code: 'male' },
            { kind: 'token', param: 'gender', system: GENDER, code: 'female' },
          ],
        },
      },
    ])
  })

  test('with :text is a string search in the texts', () => {
    expect(where('Observation?code:text=Blood P')).toEqual([
      { kind: 'string', param: 'code:text', match: 'prefix', value: 'blood p' },
    ])
  })

  test.each([
    ['identifier=|', "identifier=|: '|' has neither system nor code around its '|'"],
    [
      'identifier=a|b|c',
      "identifier=a|b|c: 'a|b|c' has more than one '|'; write '\\|' for one that belongs to the code",
    ],
    ['active=yes', "active=yes: 'yes' is neither true nor false"],
    ['gender:missing=no', "gender:missing=no: 'no' is neither true nor false"],
    [
      'gender:like=x',
      "gender:like: the token parameter 'gender' takes the modifiers :missing, :not, :text, :in, :not-in, :above, :below, :of-type, not ':like'",
    ],
    ['gender:in=x', "gender:in=x: 'x' is no value set; write its url, its url|version or ValueSet/id"],
    ['gender:in=Patient/1', "gender:in=Patient/1: 'Patient/1' is no ValueSet"],
    ['language:below=en', "language:below=en: 'en' names no code of a code system; write language:below=system|code"],
    [
      'identifier:of-type=MR|12',
      "identifier:of-type=MR|12: 'MR|12' is no identifier with its type; write system|code|value, the first two of its type",
    ],
    ['phone:of-type=a|b|c', "phone:of-type=a|b|c: 'a|b|c' asks for an identifier, and 'phone' is none"],
  ])('%s is refused', (query, message) => {
    expect(refusal(`Patient?${query}`)).toBe(message)
  })
})

describe('the tokens of a resource', () => {
  test.each([
    ['active', { active: false }, [['', 'false']]],
    ['gender', { gender: 'male' }, [[GENDER, 'male']]],
    ['deceased', { deceasedDateTime: '2020' }, [['', 'true']]],
    ['deceased', {}, [['', 'false']]],
    [
      'identifier',
      { identifier: [{ system: 's', value: 'V' }, { value: 'w' }] },
      [
        ['s', 'V'],
        ['', 'w'],
      ],
    ],
    ['telecom', { telecom: [{ system: 'phone', value: '+1 (555) 010-0199' }] }, [['phone', '+15550100199']]],
    ['telecom', { telecom: [{ system: 'url', value: 'http://X.org/1-2' }] }, [['url', 'http://X.org/1-2']]],
    [
      'email',
      {
        telecom: [
          { system: 'email', value: 'A@b.ORG' },
          { system: 'phone', value: '1' },
        ],
      },
      [['email', 'a@b.org']],
    ],
    [
      'language',
      { communication: [{ language: { coding: [{ system: 'urn:ietf:bcp:47', code: 'en' }, { code: 'EN' }] } }] },
      [
        ['urn:ietf:bcp:47', 'en'],
        ['', 'EN'],
      ],
    ],
    [
      '_tag',
      {
        meta: {
          tag: [
            { system: 's', code: 'c' },
            { system: 's', code: 'c', display: 'd' },
          ],
        },
      },
      [['s', 'c']],
    ],
  ])('%s of %j', (param, elements, expected) => {
    expect(entriesOf(param, { resourceType: 'Patient', ...elements })).toEqual(
      expected.map(([system, code]) => ({ kind: 'token', param, system, code })),
    )
  })

  test('include the texts of concepts, codings and identifier types for :text', () => {
    const code = { coding: [{ code: 'a', display: 'Systolic' }], text: 'Blood pressure' }
    const identifier = [{ value: '1', type: { text: 'Order number' } }]
    const observation = { resourceType: 'Observation', code, identifier }
    expect(entriesOf('code:text', observation)).toEqual([
      { kind: 'string', param: 'code:text', folded: 'systolic', exact: 'Systolic' },
      { kind: 'string', param: 'code:text', folded: 'blood pressure', exact: 'Blood pressure' },
    ])
    expect(entriesOf('identifier:text', observation)).toHaveLength(1)
  })
})

describe('a search by token', () => {
  const patient = {
    resourceType: 'Patient',
    gender: 'male',
    telecom: [{ system: 'phone', value: '+1 (555) 010-0199' }],
    identifier: [{ system: 'urn:mrn', value: 'Ab-1' }],
    communication: [{ language: { text: 'Klingon' } }],
  }
  test.each([
    ['gender=male', true],
    [`gender=${GENDER}|male`, true],
    [`gender=${GENDER}|`, true],
    ['gender=Male', false],
    ['gender:not=female', true],
    ['gender:not=female,male', false],
    ['active:not=true', true],
    ['active:missing=true', true],
    ['phone=+15550100199', true],
    ['phone=+1 555-010-0199', true],
    ['phone= 15550100199', true],
    ['telecom=phone| 1 555 010 0199', true],
    ['phone= 25550100199', false],
    ['telecom=phone|+15550100199', true],
    ['telecom=sms|+15550100199', false],
    ['identifier=Ab-1', true],
    ['identifier=ab-1', false],
    ['identifier=|Ab-1', false],
    ['language=Klingon', false],
    ['language:text=kling', true],
    ['language:missing=false', true],
  ])('%s finds it: %p', (query, found) => {
    expect(finds(`Patient?${query}`, patient)).toBe(found)
  })

  test('by system alone does not find a coding that has the system but no code', () => {
    const tagged = { resourceType: 'Patient', meta: { tag: [{ system: 'urn:s' }] } }
    expect(finds('Patient?_tag=urn:s|', tagged)).toBe(false)
    expect(finds('Patient?_tag:missing=false', tagged)).toBe(true)
  })
})

describe('modifiers that stand for other codes', () => {
  const asked = (query: string) => {
    const [condition] = where(query)
    return condition?.kind === 'missing' ? JSON.parse(condition.param) : condition
  }
  const ANIMALS = 'http://example.org/animals'

  test.each([
    [`Observation?code:in=${ANIMALS}`, { kind: 'value-set', param: 'code', valueSet: ANIMALS }],
    [`Observation?code:in=${ANIMALS}|2`, { kind: 'value-set', param: 'code', valueSet: `${ANIMALS}|2` }],
    ['Observation?code:in=ValueSet/pets', { kind: 'value-set', param: 'code', valueSet: 'ValueSet/pets' }],
    ['Observation?code:in=https://emr.example/fhir/ValueSet/pets', { valueSet: 'ValueSet/pets' }],
    ['Observation?code:below=urn:x|dog', { kind: 'code', direction: 'below', system: 'urn:x', code: 'dog' }],
    ['Observation?code:above=urn:x|a\\|b', { kind: 'code', direction: 'above', system: 'urn:x', code: 'a|b' }],
    // The code system of the element is known.
    ['Patient?gender:below=male', { kind: 'code', system: GENDER, code: 'male' }],
    [
      'DocumentReference?contenttype:below=image',
      { kind: 'media-type', types: ['DocumentReference'], mediaType: 'image' },
    ],
  ])('%s asks for %j', (query, expected) => {
    expect(asked(query)).toMatchObject(expected)
  })

  test(':not-in is the opposite', () => {
    expect(where(`Observation?code:not-in=${ANIMALS}`)).toMatchObject([{ kind: 'not', of: { kind: 'missing' } }])
  })
})

describe(':of-type', () => {
  const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0203'
  const patient = {
    resourceType: 'Patient',
    identifier: [
      { type: { coding: [{ system: V2, code: 'MR' }] }, system: 'urn:a', value: '12' },
      { type: { coding: [{ system: V2, code: 'SS' }], text: 'Social security' }, value: '34' },
    ],
  }

  test.each([
    [`${V2}|MR|12`, true],
    [`${V2}|SS|34`, true],
    // Type and value of one identifier, not of two.
    [`${V2}|MR|34`, false],
    [`urn:other|MR|12`, false],
    [`${V2}|MR|1`, false],
  ])('%s finds the patient: %s', (value, expected) => {
    expect(finds(`Patient?identifier:of-type=${value}`, patient)).toBe(expected)
  })
})
