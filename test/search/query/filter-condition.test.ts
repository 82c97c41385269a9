/** https://hl7.org/fhir/R4/search_filter.html */
import { describe, expect, test } from '@jest/globals'
import { finds, refusal, search, where } from '../support.ts'

const LOINC = 'http://loinc.org'
const ada = {
  resourceType: 'Patient',
  id: 'ada',
  active: true,
  gender: 'female',
  birthDate: '1980-03-03',
  name: [{ family: 'Lovelace', given: ['Ada', 'Augusta (King)'] }],
  identifier: [{ system: 'urn:mrn', value: 'a]b' }],
  managingOrganization: { reference: 'Organization/o1' },
}
const stay = {
  resourceType: 'Encounter',
  id: 'stay',
  status: 'finished',
  class: { code: 'IMP' },
  period: { start: '2026-03-01', end: '2026-03-10' },
}

describe('a filter on one resource', () => {
  test.each([
    ['family eq "lovelace"', true],
    ['family eq LOVELACE', true],
    ['family eq love', false],
    ['family ne lovelace', false],
    ['given ne ada', true],
    ['family co "vela"', true],
    ['family sw love', true],
    ['family sw lace', false],
    ['family ew lace', true],
    ['family gt love', true],
    ['family gt lovelace', false],
    ['family ge lovelace', true],
    ['family lt m', true],
    ['family le lovelace', true],
    ['family pr true', true],
    ['death-date pr true', false],
    ['death-date pr false', true],
    ['_id eq one', true],
    ['_id ne one', false],
    ['_lastUpdated pr true', true],
    ['gender eq female', true],
    ['gender ne female', false],
    ['gender ne male', true],
    ['death-date ne 2000', false],
    ['birthdate eq 1980-03', true],
    ['birthdate ge 1980-03-03', true],
    ['birthdate gt 1980-03-03', false],
    ['birthdate ne 1980-03-03', false],
    ['birthdate sa 1979', true],
    ['birthdate eb 1980', false],
    ['birthdate po 1980', true],
    ['birthdate po 1981', false],
    ['organization re Organization/o1', true],
    ['organization eq o1', true],
    ['organization ne Organization/o1', false],
    ['organization ne Organization/o2', true],
    // A text may contain characters that end a word.
    ['identifier eq "urn:mrn|a]b"', true],
    ['given eq "Augusta (King)"', true],
    ['given eq "\\u0041da"', true],
    // From left to right, without precedence.
    ['gender eq female and active eq true', true],
    ['gender eq female and active eq false', false],
    ['gender eq female or active eq false', true],
    ['gender eq female or active eq true and family eq nobody', false],
    ['gender eq female or (active eq true and family eq nobody)', true],
    ['not (gender eq male)', true],
    ['not(gender eq female) or not (not (active eq true))', true],
    ['((gender eq female))', true],
    ['  gender   eq  female  ', true],
  ])('%s: %s', (filter, expected) => {
    expect(finds(`Patient?_filter=${filter}`, ada)).toBe(expected)
  })

  test.each([
    ['date po 2026-03-05', true],
    ['date po 2026-03', true],
    ['date po 2026-04', false],
    ['date co 2026-03-05', true],
    ['date co 2026-03', false],
    ['date eq 2026-03', true],
    ['date ap 2026-03', true],
  ])('of a period, %s: %s', (filter, expected) => {
    expect(finds(`Encounter?_filter=${filter}`, stay)).toBe(expected)
  })
})

describe('a filter along references', () => {
  test('goes by chains', () => {
    expect(where('Observation?_filter=subject:Patient.name co "pet"')).toEqual([
      {
        kind: 'chain',
        param: 'subject',
        types: ['Patient'],
        where: { kind: 'string', param: 'name', match: 'contains', value: 'pet' },
      },
    ])
  })

  test('may say more of what is referred to, of which all must be true of one', () => {
    expect(where('Observation?_filter=patient[active eq true and gender eq male].organization.name sw "x"')).toEqual([
      {
        kind: 'chain',
        param: 'patient',
        types: ['Patient'],
        where: {
          kind: 'all',
          of: [
            {
              kind: 'all',
              of: [expect.objectContaining({ param: 'active' }), expect.objectContaining({ param: 'gender' })],
            },
            {
              kind: 'chain',
              param: 'organization',
              types: ['Organization'],
              where: { kind: 'string', param: 'name', match: 'prefix', value: 'x' },
            },
          ],
        },
      },
    ])
  })

  test('goes backwards too', () => {
    expect(where('Patient?_filter=_has:Observation:patient:code eq 1-8 and active eq true')).toMatchObject([
      {
        kind: 'all',
        of: [{ kind: 'has', type: 'Observation', param: 'patient', where: { kind: 'token', code: '1-8' } }, {}],
      },
    ])
  })

  test('may stand at the end of a chain itself', () => {
    expect(where('Observation?patient._filter=name eq ada or name eq eva')).toMatchObject([
      { kind: 'chain', param: 'patient', where: { kind: 'any' } },
    ])
  })
})

test('code systems that R4 names in short', () => {
  expect(where('Observation?_filter=code eq loinc|1-8')).toEqual([
    { kind: 'token', param: 'code', system: LOINC, code: '1-8' },
  ])
})

describe('value sets and hierarchies', () => {
  test.each([
    ['code in http://x.org/vs', { kind: 'value-set', valueSet: 'http://x.org/vs' }],
    ['code ss urn:x|dog', { kind: 'code', direction: 'below', code: 'dog' }],
    ['code sb urn:x|dog', { kind: 'code', direction: 'above', code: 'dog' }],
  ])('%s asks for %j', (filter, expected) => {
    const [condition] = where(`Observation?_filter=${filter}`)
    expect(condition?.kind === 'missing' && JSON.parse(condition.param)).toMatchObject(expected)
  })

  test('ni is none of them', () => {
    expect(where('Observation?_filter=code ni http://x.org/vs')).toMatchObject([{ kind: 'not' }])
  })
})

describe('refused with the position and what would be right', () => {
  test.each([
    ['name', '_filter: at character 5, it ends where it needs an operator: eq, ne, co'],
    ['name like x', "_filter: at character 6, there is 'like x' where it needs an operator: eq, ne"],
    ['name eq', '_filter: at character 8, it ends where it needs a value: a word, or a text in double quotes'],
    ['name eq "x', `at character 9, there is '"x' where it needs a value`],
    ['name eq "\\x"', 'at character 9, there is \'"\\x"\' where it needs a text with the escapes of JSON'],
    ['name eq x y', "at character 11, there is 'y' where it needs 'and', 'or' or the end"],
    ['name eq x and', "at character 14, it ends where it needs a search parameter, '(' or 'not ('"],
    ['(name eq x', "at character 11, it ends where it needs 'and', 'or' or ')'"],
    ['name eq x)', "at character 10, there is ')' where it needs 'and', 'or' or the end"],
    [
      'organization[name eq x] eq y',
      "at character 24, there is ' eq y' where it needs '.' and the parameter that is meant",
    ],
    ['organization[name eq x.partof eq y', "it needs 'and', 'or' or ']'"],
    ['nam eq x', "_filter: There is no search parameter 'nam' for Patient; did you mean 'name'?"],
    [
      'active eq true and gender co x',
      "_filter at character 20: gender: the token parameter 'gender' is tested with eq, ne, pr, ss, sb, in, ni, not co",
    ],
    ['birthdate eq soon', "_filter at character 1: birthdate=soon: 'soon' is not a date"],
    ['name pr yes', "_filter at character 1: name=yes: 'yes' is neither true nor false"],
    ['name eq "--"', "'--' holds no letter or digit to compare"],
    ['name:exact eq x', "in a filter the operator says what a modifier would; leave ':exact' out"],
    ['gender[active eq true].name eq x', "'gender' of Patient is a token parameter; only a reference can be followed"],
  ])('%s', (filter, message) => {
    expect(refusal(`Patient?_filter=${filter}`)).toContain(message)
  })

  test('100 tests are the most', () => {
    const tests = (number: number) => Array.from({ length: number }, () => 'name eq x').join(' or ')
    expect(where(`Patient?_filter=${tests(100)}`)).toHaveLength(1)
    expect(refusal(`Patient?_filter=${tests(101)}`)).toContain('there are more than 100 tests')
  })

  test('20 parentheses and brackets in each other are the most', () => {
    const nested = (depth: number) => `${'('.repeat(depth)}name eq x${')'.repeat(depth)}`
    expect(where(`Patient?_filter=${nested(20)}`)).toHaveLength(1)
    expect(refusal(`Patient?_filter=${nested(21)}`)).toContain('parentheses and brackets are more than 20 deep')
    expect(refusal(`Patient?_filter=${'not('.repeat(1000)}`)).toContain('more than 20 deep')
  })

  test('8,192 characters and 10 references are the most', () => {
    expect(refusal(`Patient?_filter=name eq "${'x'.repeat(8192)}"`)).toBe(
      '_filter has 8202 characters; 8192 are the most',
    )
    expect(refusal(`Organization?_filter=${'partof.'.repeat(11)}name eq x`)).toContain(
      'follows more than 10 references',
    )
  })
})

test('a filter is never left out, lenient or not', () => {
  expect(refusal('Patient?_filter=nam eq x', { lenient: true })).toContain("no search parameter 'nam'")
})

describe('_list', () => {
  test('is what the entries of a List refer to', () => {
    const listed = { kind: 'has', type: 'List', param: 'item', where: { kind: 'id', ids: ['42'] } }
    expect(where('Patient?_list=42')).toEqual([listed])
    expect(where('Patient?_list=List/42')).toEqual([listed])
    expect(where('Patient?_list=42,43')).toMatchObject([{ kind: 'any' }])
  })

  test.each([
    ['$current-allergies', 'is a list that the server would make itself, and it makes none; name a List by its id'],
    ['Group/1', 'is not the id of a List'],
    ['a b', 'is not the id of a List'],
  ])('%s is refused', (value, message) => {
    expect(refusal(`Patient?_list=${value}`)).toBe(`_list=${value}: '${value}' ${message}`)
  })
})

test('_query is refused, and left out when lenient', () => {
  expect(search('Patient?_query=x', { lenient: true }).warnings).toHaveLength(1)
  expect(refusal('Patient?_query=x')).toContain('_query names a query of the server, and there are none')
})
