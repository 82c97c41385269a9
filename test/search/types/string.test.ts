/** https://hl7.org/fhir/R4/search.html#string */
import { describe, expect, jest, test } from '@jest/globals'
import { fold } from '../../../src/fhir/text-folding.ts'
import { entriesOf, finds, namePrefix, refusal, where } from '../support.ts'

const anna = {
  resourceType: 'Patient',
  name: [{ text: 'Anna Eva Müller-O’Neil', family: 'Müller-O’Neil', given: ['Anna', 'Eva'], prefix: ['Dr.'] }],
  address: [{ line: ['12 Main St.', 'Apt. 4'], city: 'São Paulo', postalCode: '01310-100', country: 'BR' }],
}

describe('a string in a query', () => {
  test.each([
    ['family:contains=ÜLL', { match: 'contains', value: 'ull' }],
    ['family:exact=Müller-O’Neil', { match: 'exact', value: 'Müller-O’Neil' }],
    ['family:exact=a\\,b\\|c\\$d\\\\e', { match: 'exact', value: 'a,b|c$d\\e' }],
  ])('%s is compared as %j', (query, expected) => {
    expect(where(`Patient?${query}`)).toEqual([{ kind: 'string', param: 'family', ...expected }])
  })

  test.each([
    ['family=Mül', 'mul'],
    ['family=van\\,der', 'van der'],
    ['family=王', '王'],
  ])('%s is compared with the beginning of the name and of its later words: %s', (query, value) => {
    expect(where(`Patient?${query}`)).toEqual([namePrefix('family', value)])
  })

  test('a name with apostrophes and hyphens is also compared without them', () => {
    const [condition] = where("Patient?family=O'Neil-Smith")
    const values = condition?.kind === 'any' ? condition.of.map((one) => 'value' in one && one.value) : []
    expect(values).toEqual(['o neil smith', 'o neil smith', 'oneilsmith', 'oneilsmith'])
  })

  test('of what is no name of a person and no address is compared with the beginning of the whole', () => {
    expect(where('Organization?name=roe')).toEqual([{ kind: 'string', param: 'name', match: 'prefix', value: 'roe' }])
  })

  test('is one of several when there are commas', () => {
    expect(where('Organization?name=anna,eva')).toEqual([
      {
        kind: 'any',
        of: [
          { kind: 'string', param: 'name', match: 'prefix', value: 'anna' },
          { kind: 'string', param: 'name', match: 'prefix', value: 'eva' },
        ],
      },
    ])
  })

  test('that has no letter or digit is refused, because it would be the beginning of everything', () => {
    expect(refusal('Patient?family=--')).toBe("family=--: '--' holds no letter or digit to compare")
  })
})

describe('the strings of a resource', () => {
  const laterWords = (param: string, resource: Parameters<typeof entriesOf>[1]) =>
    entriesOf(`${param}:later-words`, resource).map((entry) => entry.kind === 'string' && entry.folded)

  test('are found from each later word on, unless that is a part by itself', () => {
    const name = [{ family: 'Carreno Quiñones', given: ['Ana'], text: 'Ana Carreno Quiñones' }]
    expect(laterWords('family', { resourceType: 'Patient', name })).toEqual(['quinones'])
    expect(laterWords('name', { resourceType: 'Patient', name })).toEqual(['quinones'])
    expect(laterWords('given', { resourceType: 'Patient', name })).toEqual([])
    expect(laterWords('address', anna)).toEqual(['main st', 'st', '4', 'paulo', '100'])
    expect(laterWords('name', { resourceType: 'Organization', name: 'Clinic of Saint Anne' })).toEqual([])
  })

  test('have 20 later words at most, each with 100 characters of what follows', () => {
    const family = Array.from({ length: 1000 }, (_, index) => `word${index}`).join(' ')
    const words = laterWords('family', { resourceType: 'Patient', name: [{ family }] })
    expect(words).toHaveLength(20)
    expect(words.every((text) => typeof text === 'string' && text.length <= 100)).toBe(true)
    expect(where(`Patient?family=${'x'.repeat(101)}`)).toMatchObject([{ kind: 'string' }])
  })

  test('are the parts of a name, each by itself', () => {
    expect(entriesOf('name', anna)).toEqual([
      { kind: 'string', param: 'name', folded: 'anna eva muller o neil', exact: 'Anna Eva Müller-O’Neil' },
      { kind: 'string', param: 'name', folded: 'muller o neil', exact: 'Müller-O’Neil' },
      { kind: 'string', param: 'name', folded: 'anna', exact: 'Anna' },
      { kind: 'string', param: 'name', folded: 'eva', exact: 'Eva' },
      { kind: 'string', param: 'name', folded: 'dr', exact: 'Dr.' },
    ])
  })

  test('are the parts of an address, each by itself', () => {
    expect(entriesOf('address', anna).map((entry) => entry.kind === 'string' && entry.folded)).toEqual([
      '12 main st',
      'apt 4',
      'sao paulo',
      '01310 100',
      'br',
    ])
  })

  test.each([
    ['text', '7 Harbour Row, Whitby'],
    ['line', ['7 Harbour Row']],
    ['city', 'Whitby'],
    ['district', 'Scarborough'],
    ['state', 'North Yorkshire'],
    ['postalCode', 'YO22 4BQ'],
    ['country', 'GB'],
  ])('make address= find the %s of an address: %j', (part, value) => {
    const patient = { resourceType: 'Patient', address: [{ use: 'home', period: { start: '2024' }, [part]: value }] }
    expect(finds(`Patient?address=${value}`, patient)).toBe(true)
    expect(entriesOf('address', patient)).toHaveLength(1)
  })

  test('hold the same text once', () => {
    const name = [{ family: 'Roe' }, { family: 'Roe', use: 'old' }]
    expect(entriesOf('family', { resourceType: 'Patient', name })).toHaveLength(1)
  })

  test('skip the gaps that JSON leaves for values with only an extension', () => {
    const name = [{ given: [null, 'Eva'] }]
    expect(entriesOf('name', { resourceType: 'Patient', name })).toEqual([
      { kind: 'string', param: 'name', folded: 'eva', exact: 'Eva' },
    ])
  })
})

describe('a search by string', () => {
  test.each([
    ['family=muller', true],
    ['family=MÜLLER', true],
    ['family=neil', true],
    ['family=eil', false],
    ['family:contains=neil', true],
    ['family:exact=Müller', false],
    ['family:exact=Müller-O’Neil', true],
    ['given=ev', true],
    ['name=eva', true],
    ['name=anna eva', true],
    ['address=sao', true],
    ['address-postalcode=01310', true],
    ['address=apt 4', true],
    ['family:missing=false', true],
    ['family:missing=true', false],
    ['given=eva&given=anna', true],
    ['given=eva&given=bea', false],
    ['given=bea,eva', true],
  ])('%s finds it: %p', (query, found) => {
    expect(finds(`Patient?${query}`, anna)).toBe(found)
  })

  test('sees a name without any text as present, though nothing finds it', () => {
    const unnamed = { resourceType: 'Patient', name: [{ use: 'official' }] }
    expect(finds('Patient?name:missing=false', unnamed)).toBe(true)
    expect(finds('Patient?name=a', unnamed)).toBe(false)
  })
})

describe('folding', () => {
  test.each([
    ['E\u0301mile', 'emile'],
    ['\u00c9mile', 'emile'],
    ['\u1e69\u0323', 's'],
    ['\uac00', '\u1100\u1161'],
    ['\u0130zmir', 'izmir'],
  ])('takes the accents off, written as one character or two: %s', (text, folded) => {
    expect(fold(text)).toBe(folded)
  })

  test('sorts no long runs of accents, which takes time beyond any measure', () => {
    const normalize = jest.spyOn(String.prototype, 'normalize')
    expect(fold(`a${'\u0301\u0316'.repeat(500)}`)).toBe('a')
    expect(normalize.mock.contexts).toEqual(['a'])
    normalize.mockRestore()
  })
})
