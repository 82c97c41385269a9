/** https://hl7.org/fhir/R4/search.html#token */
import { describe, expect, test } from '@jest/globals'
import { extractEntries } from '../../../src/search/index/extract.ts'
import { entriesOf, finds, holds, refusal, search, where } from '../support.ts'

const UCUM = 'http://unitsofmeasure.org'
const GENDER = 'http://hl7.org/fhir/administrative-gender'

describe('a token in a query', () => {
  test.each([
    ['identifier=12', { param: 'identifier', code: '12' }],
    ['identifier=urn:mrn|12', { param: 'identifier', system: 'urn:mrn', code: '12' }],
    ['identifier=|12', { param: 'identifier', system: '', code: '12' }],
    ['identifier=urn:mrn|', { param: 'identifier', system: 'urn:mrn' }],
    ['identifier=a\\|b', { param: 'identifier', code: 'a|b' }],
    ['identifier=urn:mrn|a\\,b', { param: 'identifier', system: 'urn:mrn', code: 'a,b' }],
    ['_tag=http://x.org|1', { param: '_tag', system: 'http://x.org', code: '1' }],
    // Nobody says that case counts in the codes of the system.
    ['_tag=http://x.org|T', { param: '_tag:case-insensitive', system: 'http://x.org', code: 't' }],
    ['_tag=|T', { param: '_tag:case-insensitive', system: '', code: 't' }],
    ['identifier=urn:mrn|AB', { param: 'identifier', system: 'urn:mrn', code: 'ab' }],
    [`language=${UCUM}|mG`, { param: 'language', system: UCUM, code: 'mG' }],
    // The element is a code, so that its system is known, and a boolean has none.
    ['gender=male', { param: 'gender', system: GENDER, code: 'male' }],
    ['gender=Male', { param: 'gender', system: GENDER, code: 'Male' }],
    ['gender=other-system|1', { param: 'gender', system: 'other-system', code: '1' }],
    ['active=true', { param: 'active', system: '', code: 'true' }],
    ['active=http://hl7.org/fhir/special-values|true', { param: 'active', system: '', code: 'true' }],
    // ContactPoints are compared without their formatting, and have no code system to leave out.
    ['phone=(555) 010', { param: 'phone', code: '555010' }],
    ['telecom=phone|+1 555 010', { param: 'telecom', system: 'phone', code: '+1555010' }],
    ['telecom=|+1555010', { param: 'telecom', code: '+1555010' }],
    ['active=http://terminology.hl7.org/CodeSystem/special-values|true', { param: 'active', system: '', code: 'true' }],
    ['active=http://elsewhere.example|true', { param: 'active', system: 'http://elsewhere.example', code: 'true' }],
    ['email=Ada@Example.ORG', { param: 'email', code: 'ada@example.org' }],
  ])('%s is %j', (query, expected) => {
    expect(where(`Patient?${query}`)).toEqual([{ kind: 'token', ...expected }])
  })

  test('without a system is the code as it is written, or in any case where case may not count', () => {
    const code = { kind: 'token', param: 'language', code: 'EN' }
    const inLowerCase = { kind: 'token', param: 'language:case-insensitive', code: 'en' }
    expect(where('Patient?language=EN')).toEqual([{ kind: 'any', of: [code, inLowerCase] }])
  })

  test('of a system that the clinic has as a case-sensitive one is the code as it is written', () => {
    const isCaseSensitive = (system: string) => system === 'urn:ours'
    expect(search('Patient?language=urn:ours|EN,urn:x|EN', { isCaseSensitive }).plan.where).toEqual([
      {
        kind: 'any',
        of: [
          { kind: 'token', param: 'language', system: 'urn:ours', code: 'EN' },
          { kind: 'token', param: 'language:case-insensitive', system: 'urn:x', code: 'en' },
        ],
      },
    ])
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
        ['s', 'v'],
        ['', 'w'],
      ],
    ],
    ['telecom', { telecom: [{ system: 'phone', value: '+1 (555) 010-0199' }] }, [['phone', '+15550100199']]],
    ['telecom', { telecom: [{ system: 'url', value: 'http://X.org/1-2' }] }, [['url', 'http://x.org/1-2']]],
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
    ['identifier=aB-1', true],
    ['identifier=urn:mrn|AB-1', true],
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

describe('case', () => {
  const V3 = 'http://terminology.hl7.org/CodeSystem/v3-ActCode'
  const tagged = (system: string | undefined, code: string) => ({
    resourceType: 'Basic',
    meta: { tag: [{ ...(system === undefined ? {} : { system }), code }] },
  })

  test.each<readonly [string, string | undefined, string, boolean]>([
    // Nobody says that it counts: R4, "When in doubt, servers SHOULD treat tokens in a case-insensitive manner".
    ['urn:x|aBC', 'urn:x', 'AbC', true],
    ['aBC', 'urn:x', 'AbC', true],
    ['aBC', undefined, 'AbC', true],
    ['|aBC', undefined, 'AbC', true],
    ['|aBC', 'urn:x', 'AbC', false],
    ['urn:y|aBC', 'urn:x', 'AbC', false],
    // R4 says that it does: "Match is case sensitive unless the underlying semantics indicate" otherwise.
    [`${V3}|AMB`, V3, 'AMB', true],
    [`${V3}|amb`, V3, 'AMB', false],
    ['amb', V3, 'AMB', false],
    [`${UCUM}|MG`, UCUM, 'mg', false],
    ['MG', UCUM, 'mg', false],
    ['mg', UCUM, 'mg', true],
    // And that it does not.
    ['http://snomed.info/sct|ABC', 'http://snomed.info/sct', 'abc', true],
  ])('_tag=%s finds the code of %p written %s: %p', (value, system, code, found) => {
    expect(finds(`Basic?_tag=${value}`, tagged(system, code))).toBe(found)
  })

  test('does not count in tokens that are strings: "the search is not case sensitive"', () => {
    const valueSet = { resourceType: 'ValueSet', version: '1.0-Beta' }
    expect(finds('ValueSet?version=1.0-BETA', valueSet)).toBe(true)
    expect(finds('ValueSet?version=1.0', valueSet)).toBe(false)
    expect(entriesOf('version', valueSet)).toMatchObject([{ code: '1.0-beta' }])
  })

  test('does not count in codes that stand without any system', () => {
    const codeSystem = { resourceType: 'CodeSystem', concept: [{ code: 'AbC' }] }
    expect(finds('CodeSystem?code=aBc', codeSystem)).toBe(true)
    expect(entriesOf('code', codeSystem)).toMatchObject([{ code: 'abc' }])
  })

  test('does not count in one of several types alone', () => {
    const types = ['AuditEvent', 'Media']
    const [condition = { kind: 'any', of: [] } as const] = search('?site=AbC', { types }).plan.where
    const inAudit = { resourceType: 'AuditEvent', source: { site: 'aBC' } }
    const inMedia = { resourceType: 'Media', bodySite: { coding: [{ system: UCUM, code: 'AbC' }] } }
    expect([inAudit, inMedia].map((one) => holds(condition, extractEntries(one)))).toEqual([true, true])
    const other = { resourceType: 'Media', bodySite: { coding: [{ system: UCUM, code: 'ABC' }] } }
    expect(holds(condition, extractEntries(other))).toBe(false)
  })

  test('does not count in identifiers, in those of references and in those with a type', () => {
    const type = { coding: [{ system: 'urn:types', code: 'MR' }] }
    const patient = { resourceType: 'Patient', identifier: [{ type, value: 'Ab-1' }] }
    expect(finds('Patient?identifier:of-type=urn:types|MR|aB-1', patient)).toBe(true)
    const observation = { resourceType: 'Observation', subject: { identifier: { system: 'urn:mrn', value: 'Ab-1' } } }
    expect(finds('Observation?subject:identifier=urn:mrn|aB-1', observation)).toBe(true)
  })

  test('counts for ne of a filter, as what is written in another case may be another code', () => {
    expect(finds('Basic?_filter=_tag ne abc', tagged('urn:x', 'ABC'))).toBe(true)
    expect(finds('Basic?_filter=_tag ne ABC', tagged('urn:x', 'ABC'))).toBe(false)
    expect(finds('Basic?_filter=_tag eq abc', tagged('urn:x', 'ABC'))).toBe(true)
  })

  test('is kept once more only where it may not count and there is any', () => {
    const params = (system: string, code: string) =>
      extractEntries(tagged(system, code)).flatMap(({ kind, param }) => (kind === 'token' ? [param] : []))
    expect(params('urn:x', '12-3')).toEqual(['_tag'])
    expect(params(V3, 'AMB')).toEqual(['_tag'])
    expect(params('urn:x', 'abc')).toEqual(['_tag', '_tag:case-insensitive'])
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
