/** https://hl7.org/fhir/R4/search.html#return and https://hl7.org/fhir/R4/http.html#ccreate */
import { describe, expect, test } from '@jest/globals'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { parseCriteria, parseSearch } from '../../../src/search/query/parse.ts'
import { namePrefix, OPTIONS, refusal, search } from '../support.ts'

describe('a plan', () => {
  test('has the caller’s clinic, which no parameter can change', () => {
    expect(search('Patient?family=roe').plan.clinic).toBe('north')
    expect(refusal('Patient?clinic=south')).toContain("There is no search parameter 'clinic' for Patient")
    expect(parseCriteria('Patient', 'family=roe', OPTIONS).clinic).toBe('north')
  })

  test('of a query without parameters takes everything, page by page', () => {
    expect(parseSearch([], { ...OPTIONS, types: ['Patient'] }).plan).toEqual({
      clinic: 'north',
      types: ['Patient'],
      where: [],
      sort: [],
      count: 20,
      total: 'none',
      include: [],
      includeLimit: 500,
    })
  })

  test('asks that every parameter holds', () => {
    expect(search('Patient?given=anna&given=eva').plan.where).toHaveLength(2)
  })

  test('reads an encoded query string', () => {
    const query = new URLSearchParams('name=Jos%C3%A9+Roe&identifier=urn%3Amrn%7C12')
    expect(parseSearch(query, { ...OPTIONS, types: ['Patient'] }).plan.where).toEqual([
      namePrefix('name', 'jose roe'),
      { kind: 'token', param: 'identifier', system: 'urn:mrn', code: '12' },
    ])
  })

  test('offers only the parameters it is given', () => {
    const parametersOf = () => new Map()
    expect(refusal('Patient?family=roe', { parametersOf })).toContain("'family' of Patient (string) is not offered")
  })
})

describe('_count', () => {
  test.each([
    ['5', 5, 'none', '5'],
    ['100', 100, 'none', '100'],
    ['5000', 100, 'none', '100'],
    ['10000000000000000000000', 100, 'none', '100'],
    ['0', 0, 'accurate', '0'],
  ])('%s gives pages of %d with total %s, and says so in the self link: %s', (count, expected, total, used) => {
    const parsed = search(`Patient?_count=${count}`)
    expect(parsed.plan).toMatchObject({ count: expected, total })
    expect(parsed.used).toEqual([['_count', used]])
  })

  test.each(['-1', 'ten', '1.5', '1e3'])('%s is refused', (count) => {
    expect(refusal(`Patient?_count=${count}`)).toBe(`_count=${count}: write a whole number, 0 for the total only`)
  })
})

describe('_sort', () => {
  test('has several keys, each up or down', () => {
    expect(search('Patient?_sort=family,-birthdate,_lastUpdated,-_id,organization').plan.sort).toEqual([
      { by: 'string', param: 'family', descending: false },
      { by: 'date', param: 'birthdate', descending: true },
      { by: 'lastUpdated', descending: false },
      { by: 'id', descending: true },
      { by: 'reference', param: 'organization', descending: false, targets: ['Organization', ''] },
    ])
  })

  test('by what does not exist is refused', () => {
    expect(refusal('Patient?_sort=famly')).toContain(
      "There is no search parameter 'famly' for Patient; did you mean 'family'?",
    )
    expect(refusal('Patient?_sort=family,-')).toContain('_sort=family,-: write parameters with commas between')
  })
})

describe('_total, _summary and _elements', () => {
  test('_total asks for a count', () => {
    expect(search('Patient?_total=accurate').plan.total).toBe('accurate')
    expect(search('Patient?_total=estimate').plan.total).toBe('estimate')
  })

  test('_summary=count asks for the total only', () => {
    const parsed = search('Patient?_summary=count&_count=10')
    expect(parsed.summary).toBe('count')
    expect(parsed.plan).toMatchObject({ count: 0, total: 'accurate' })
  })

  test('_summary and _elements are handed on', () => {
    expect(search('Patient?_summary=text').summary).toBe('text')
    expect(search('Patient?_elements=identifier,birthDate').elements).toEqual(['identifier', 'birthDate'])
    expect(search('Patient?family=roe')).toMatchObject({ summary: undefined, elements: undefined })
  })

  test.each([
    ['_total=yes', '_total=yes: write one of none, estimate, accurate'],
    ['_summary=all', '_summary=all: write one of true, text, data, count, false'],
    [
      '_elements=name,birthdate',
      "_elements=name,birthdate: there is no element 'birthdate' in Patient; did you mean 'birthDate'? Of another type write Type.element",
    ],
    [
      '_elements=Slot.starts',
      "_elements=Slot.starts: there is no element 'starts' in Slot; did you mean 'start'? Of another type write Type.element",
    ],
    ['_count:exact=5', '_count:exact: _count takes no such modifier'],
    [
      '_count=5&_count=6',
      '_count is given more than once, with different values; put its values into one, with commas where it takes several',
    ],
  ])('%s is refused', (query, message) => {
    expect(refusal(`Patient?${query}`)).toBe(message)
  })
})

describe('the self link', () => {
  test('repeats what was used in order, then the format, without the cursor', () => {
    const parsed = search('Patient?family=roe&_format=json&_cursor=abc&_count=5&_pretty=true&_include=Patient:link')
    expect(parsed.used).toEqual([
      ['family', 'roe'],
      ['_count', '5'],
      ['_include', 'Patient:link'],
      ['_format', 'json'],
      ['_pretty', 'true'],
    ])
    expect(parsed.plan.after).toBe('abc')
  })
})

describe('_type', () => {
  test('narrows a search of the whole system', () => {
    const parsed = search('?_type=Patient,Slot&_tag=a', { types: ['Patient', 'Slot', 'Encounter'] })
    expect(parsed.plan.types).toEqual(['Patient', 'Slot'])
    expect(parsed.used).toEqual([
      ['_type', 'Patient,Slot'],
      ['_tag', 'a'],
    ])
  })

  test.each([
    ['_type=Patent', "_type=Patent: there is no resource type 'Patent'; did you mean Patient?"],
    ['_type=Account', '_type=Account: Account cannot be searched here'],
  ])('%s is refused', (query, message) => {
    expect(refusal(`?${query}`, { types: ['Patient', 'Slot'] })).toBe(message)
  })

  test('has no place in the search of one type', () => {
    expect(refusal('Patient?_type=Slot')).toBe('_type chooses types when all are searched; here it is Patient alone')
  })
})

describe('a parameter without a value', () => {
  test.each([
    'gender=',
    'gender',
    'birthdate=',
    'family:exact=',
    'gender:missing=',
    'organization=',
    'organization.name=',
    '_has:Observation:patient:code=',
    '_id=',
    '_filter=',
    '_text=',
    '_list=',
    '_sort=',
    '_sort=&_sort=',
    '_count=',
    '_summary=',
    '_elements=',
    '_include=',
    '_total=',
    '_type=',
  ])('%s is ignored, as R4 says: "Empty parameters are not an error"', (query) => {
    for (const lenient of [false, true]) {
      const { plan, used, warnings } = search(`Patient?${query}&family=roe`, { lenient })
      expect(plan).toEqual(search('Patient?family=roe').plan)
      expect([used, warnings]).toEqual([[['family', 'roe']], []])
    }
  })

  test('of the whole system _type= narrows nothing', () => {
    expect(search('?_type=&_tag=a', { types: ['Patient', 'Slot'] }).plan.types).toEqual(['Patient', 'Slot'])
  })

  test.each([
    ['gendr=', "There is no search parameter 'gendr' for Patient; did you mean 'gender'?"],
    ['gender:like=', "the token parameter 'gender' takes the modifiers"],
    ['organization.nam=', "There is no search parameter 'nam' for Organization"],
    ['_count:exact=', '_count:exact: _count takes no such modifier'],
  ])('%s is refused all the same where its name is wrong', (query, message) => {
    expect(refusal(`Patient?${query}`)).toContain(message)
  })
})

describe('what keeps caches from answering', () => {
  test.each(['_=1732287600', '_dc=1732287600', '_ts=1732287600'])('%s is ignored, and no part of the links', (pair) => {
    const { plan, used, warnings } = search(`Patient?${pair}&family=roe`)
    expect(plan).toEqual(search('Patient?family=roe').plan)
    expect([used, warnings]).toEqual([[['family', 'roe']], []])
  })
})

describe('lenient handling', () => {
  const lenient = { lenient: true }

  test('leaves out what it does not know and says so', () => {
    const parsed = search('Patient?familly=roe&given:like=a&given=b,,c&given=eva&_sort=shoesize', lenient)
    expect(parsed.plan.where).toHaveLength(1)
    expect(parsed.plan.sort).toEqual([])
    expect(parsed.used).toEqual([['given', 'eva']])
    expect(parsed.warnings.map(({ severity, reason }) => [severity, reason])).toEqual([
      ['warning', 'search-parameter-unknown'],
      ['warning', 'search-modifier-unknown'],
      ['warning', 'search-value-empty'],
      ['warning', 'search-parameter-unknown'],
    ])
    expect(parsed.warnings[0]?.diagnostics).toContain("Ignored: There is no search parameter 'familly' for Patient")
  })

  test.each(['birthdate=soon', '_count=ten', 'active=perhaps', 'organization=1a/b', '_total=no'])(
    'still refuses the value of %s',
    (query) => {
      expect(refusal(`Patient?${query}`, lenient)).not.toContain('was accepted')
    },
  )

  test('warns of nothing when there is nothing wrong', () => {
    expect(search('Patient?family=roe', lenient).warnings).toEqual([])
  })
})

describe('the criteria of a conditional write', () => {
  test('look for two matches, to tell none, one and many apart', () => {
    expect(parseCriteria('Patient', 'identifier=urn:mrn%7C12', OPTIONS)).toEqual({
      clinic: 'north',
      types: ['Patient'],
      where: [{ kind: 'token', param: 'identifier', system: 'urn:mrn', code: '12' }],
      sort: [],
      count: 2,
      total: 'none',
      include: [],
      includeLimit: 0,
    })
    expect(parseCriteria('Patient', '?identifier=12', OPTIONS).where).toHaveLength(1)
    expect(parseCriteria('Slot', 'start=ge2024&start=lt2025', OPTIONS).where).toHaveLength(1)
  })

  test.each([
    ['', 'The condition on Patient is empty; write search parameters, e.g. identifier=system|value'],
    ['?', 'The condition on Patient is empty; write search parameters, e.g. identifier=system|value'],
    [
      'identifier=12&_count=1',
      "The condition 'identifier=12&_count=1' on Patient has _count, which chooses no resource; leave it out",
    ],
    ['_sort=family', "The condition '_sort=family' on Patient has _sort, which chooses no resource; leave it out"],
    ['_format=json', "The condition '_format=json' on Patient has _format, which chooses no resource; leave it out"],
    ['identifier=', 'identifier has no value'],
  ])("'%s' are refused", (criteria, message) => {
    expect(() => parseCriteria('Patient', criteria, OPTIONS)).toThrow(message)
  })

  test('are never taken leniently', () => {
    expect(() => parseCriteria('Patient', 'identifer=12', { ...OPTIONS, lenient: true } as typeof OPTIONS)).toThrow(
      "There is no search parameter 'identifer' for Patient; did you mean 'identifier'?",
    )
  })
})

describe('limits', () => {
  test('60 parameters in a query are the most', () => {
    const query = (number: number) => `Patient?${Array.from({ length: number }, () => 'given=a').join('&')}`
    expect(search(query(60)).plan.where).toHaveLength(60)
    expect(refusal(query(61))).toBe('The query has 61 parameters; 60 are the most')
  })

  test('500 values of all parameters together are the most', () => {
    const query = (last: number) =>
      ['given', 'family', 'general-practitioner:Practitioner.name'].map((name, index) => {
        const values = Array.from({ length: [200, 200, last][index] ?? 0 }, () => 'a')
        return `${name}=${values.join()}`
      })
    expect(search(`Patient?${query(100).join('&')}`).plan.where).toHaveLength(3)
    expect(refusal(`Patient?${query(101).join('&')}`)).toBe(
      'The query has 501 values, tests of _filter counted; 500 are the most',
    )
  })

  test('tests of filters count as values, also in parentheses and brackets and at the end of a chain', () => {
    const tests = Array.from({ length: 98 }, () => 'name eq a').join(' and ')
    const filter = `${tests} and not (organization[name eq a].name eq b)`
    const query = (more: string) => `Patient?${Array.from({ length: 5 }, () => `_filter=${filter}`).join('&')}${more}`
    expect(search(query('')).plan.where).toHaveLength(5)
    expect(refusal(query('&organization._filter=name eq a'))).toBe(
      'The query has 501 values, tests of _filter counted; 500 are the most',
    )
  })

  test('10 keys in _sort are the most', () => {
    const query = (number: number) => `Patient?_sort=${Array.from({ length: number }, () => 'family').join()}`
    expect(search(query(10)).plan.sort).toHaveLength(10)
    expect(refusal(query(11))).toBe('_sort has 11 keys; 10 are the most, and the first few decide')
  })

  test('20 includes in a query are the most', () => {
    const query = (number: number) =>
      `Patient?${Array.from({ length: number }, () => '_include=Patient:link').join('&')}`
    expect(search(query(20)).plan.include).toHaveLength(20)
    expect(refusal(query(21))).toBe('The query has 21 includes; 20 are the most')
  })
})

test('every refusal is a 400 with an issue', () => {
  try {
    search('Patient?familly=roe')
  } catch (error) {
    expect(error).toBeInstanceOf(FhirError)
    expect(error).toMatchObject({ status: 400, code: 'search-parameter-unknown', issues: [{ code: 'invalid' }] })
  }
  expect.assertions(2)
})
