/** Codes of value sets: https://hl7.org/fhir/R4/valueset.html#compositions. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { CodeSystem, ValueSet, ValueSetCompose, ValueSetComposeInclude } from 'fhir/r4'
import { gather } from '../../src/terminology/gather.ts'
import { packagedCanonicals, type Terms, type TermsType } from '../../src/terminology/packaged.ts'
import { packagedTerminology, type Terminology } from '../../src/terminology/terminology.ts'
import { members, membership } from '../../src/terminology/value-set.ts'
import { ANIMALS, animals, PETS, pets, valueSetOf } from '../support/terms.ts'

const none = async () => []
const terminologyWith = (...given: readonly Terms[TermsType][]): Promise<Terminology> => gather(none, { given })

async function codesOf(valueSet: ValueSet, ...given: readonly Terms[TermsType][]): Promise<readonly string[]> {
  const terminology = await terminologyWith(animals, valueSet, ...given)
  return [...members(terminology, valueSet)].map(({ code }) => code)
}

const ALL = ['animal', 'mammal', 'dog', 'cat', 'bird', 'dodo', 'worker']
const filtered = (property: string, op: string, value: string): ValueSetComposeInclude =>
  ({ system: ANIMALS, filter: [{ property, op, value }] }) as ValueSetComposeInclude

describe('an include', () => {
  test.each<[string, ValueSetComposeInclude, readonly string[]]>([
    ['a whole code system', { system: ANIMALS }, ALL],
    ['in the version it names', { system: ANIMALS, version: '1.0' }, ALL],
    ['listed concepts', { system: ANIMALS, concept: [{ code: 'cat' }, { code: 'unicorn' }] }, ['cat', 'unicorn']],
    ['=', filtered('legs', '=', '4'), ['dog', 'cat']],
    ['= of a code', filtered('code', '=', 'cat'), ['cat']],
    ['= of a display', filtered('display', '=', 'Cat'), ['cat']],
    ['= of a parent', filtered('parent', '=', 'mammal'), ['dog', 'cat']],
    ['= of a child', filtered('child', '=', 'dog'), ['mammal', 'worker']],
    ['= of a flag that most concepts say nothing of', filtered('notSelectable', '=', 'false'), ALL.slice(1)],
    ['is-a', filtered('concept', 'is-a', 'mammal'), ['mammal', 'dog', 'cat']],
    ['is-a by a second parent', filtered('concept', 'is-a', 'worker'), ['dog', 'worker']],
    ['is-a of an unknown code', filtered('concept', 'is-a', 'unicorn'), []],
    ['descendent-of', filtered('concept', 'descendent-of', 'mammal'), ['dog', 'cat']],
    ['is-not-a', filtered('concept', 'is-not-a', 'mammal'), ['animal', 'bird', 'dodo', 'worker']],
    ['generalizes', filtered('concept', 'generalizes', 'dog'), ['animal', 'mammal', 'dog', 'worker']],
    ['regex', filtered('code', 'regex', 'd.*'), ['dog', 'dodo']],
    ['regex, whole', filtered('display', 'regex', 'Do'), []],
    ['in', filtered('code', 'in', 'cat, dog,unicorn'), ['dog', 'cat']],
    ['not-in', filtered('legs', 'not-in', '4,2'), ['animal', 'mammal', 'dodo', 'worker']],
    ['exists', filtered('definition', 'exists', 'true'), ['mammal']],
    ['exists not', filtered('legs', 'exists', 'false'), ['animal', 'mammal', 'dodo', 'worker']],
    [
      'several filters, all of which must hold',
      {
        system: ANIMALS,
        filter: [
          { property: 'concept', op: 'is-a', value: 'mammal' },
          { property: 'legs', op: 'exists', value: 'true' },
          { property: 'code', op: 'not-in', value: 'cat' },
        ],
      },
      ['dog'],
    ],
    ['another value set', { valueSet: [PETS] }, ['dog', 'cat']],
    ['two value sets: what both have', { valueSet: [PETS, 'http://example.org/dogs'] }, ['dog']],
    ['a value set and a system: what both have', { system: ANIMALS, valueSet: [PETS] }, ['dog', 'cat']],
    ['a value set and another system', { system: 'http://example.org/none', valueSet: [PETS] }, []],
    ['a value set and a filter', { ...filtered('code', 'regex', 'c.*'), valueSet: [PETS] }, ['cat']],
    ['a value set by url and version', { valueSet: [`${PETS}|1.0`] }, ['dog', 'cat']],
  ])('%s', async (_name, include, expected) => {
    const dogs = valueSetOf({ include: [filtered('code', '=', 'dog')] }, 'http://example.org/dogs')
    const valueSet = valueSetOf({ include: [include] }, 'http://example.org/asked')
    expect(await codesOf(valueSet, pets, dogs)).toEqual(expected)
  })

  test('several: each code once, in the order of the definition', async () => {
    const include = [{ system: ANIMALS, concept: [{ code: 'cat' }] }, filtered('concept', 'is-a', 'mammal')]
    expect(await codesOf(valueSetOf({ include }))).toEqual(['cat', 'mammal', 'dog'])
  })

  test('codes of a system where case does not count are found as they are written', async () => {
    const loose: CodeSystem = { ...animals, caseSensitive: false }
    const valueSet = valueSetOf({ include: [{ system: ANIMALS }] })
    const answer = membership(await terminologyWith(loose), valueSet, { system: ANIMALS, code: 'DOG' })
    expect(answer).toMatchObject({ status: 'in', member: { code: 'dog', display: 'Dog' } })
  })
})

describe('an exclude', () => {
  test.each<[string, Partial<ValueSetCompose>, readonly string[]]>([
    ['listed concepts', { exclude: [{ system: ANIMALS, concept: [{ code: 'dog' }] }] }, ALL.filter((c) => c !== 'dog')],
    ['a filter', { exclude: [filtered('concept', 'is-a', 'mammal')] }, ['animal', 'bird', 'dodo', 'worker']],
    ['a value set', { exclude: [{ valueSet: [PETS] }] }, ['animal', 'mammal', 'bird', 'dodo', 'worker']],
    ['a whole system', { exclude: [{ system: ANIMALS }] }, []],
    ['inactive codes, by inactive=false', { inactive: false }, ALL.filter((code) => code !== 'dodo')],
    ['nothing, by inactive=true', { inactive: true }, ALL],
  ])('takes out %s', async (_name, more, expected) => {
    const valueSet = valueSetOf({ include: [{ system: ANIMALS }], ...more }, 'http://example.org/asked')
    expect(await codesOf(valueSet, pets)).toEqual(expected)
  })
})

describe('an expansion that came with the value set', () => {
  const contains = [
    { system: 'http://loinc.org', code: '1-8', contains: [{ system: 'http://loinc.org', code: '2-6' }] },
  ]
  const expansion = { timestamp: '2020-01-01T00:00:00Z', contains }

  test('stands in where its definition draws on codes that are not here', async () => {
    const compose = { include: [{ system: 'http://loinc.org' }] }
    expect(await codesOf({ ...valueSetOf(compose), expansion })).toEqual(['1-8', '2-6'])
    expect(await codesOf({ resourceType: 'ValueSet', status: 'active', expansion })).toEqual(['1-8', '2-6'])
  })

  test('does not where the definition can be followed', async () => {
    expect(await codesOf({ ...pets, expansion })).toEqual(['dog', 'cat'])
  })

  test('is not taken for the whole when it is one page', async () => {
    const page: ValueSet = { resourceType: 'ValueSet', status: 'active', expansion: { ...expansion, total: 200 } }
    await expect(codesOf(page)).rejects.toMatchObject({ status: 422 })
    expect(membership(packagedTerminology, page, { system: 'http://loinc.org', code: 'x' }).status).toBe('unknown')
  })
})

describe('what cannot be told is neither in nor out', () => {
  const isIn = async (compose: ValueSetCompose, code: string, system = ANIMALS, ...given: readonly ValueSet[]) =>
    membership(await terminologyWith(animals, ...given), valueSetOf(compose), { system, code }).status
  const loinc = { system: 'http://loinc.org' }

  test.each<[string, ValueSetCompose, string, string, string]>([
    ['a code of a system that is not here', { include: [loinc] }, '1-8', 'http://loinc.org', 'unknown'],
    ['unless it is listed', { include: [{ ...loinc, concept: [{ code: '1-8' }] }] }, '1-8', 'http://loinc.org', 'in'],
    ['or another part has it', { include: [loinc, { system: ANIMALS }] }, 'dog', ANIMALS, 'in'],
    ['a code of a system that is not meant', { include: [loinc] }, 'dog', ANIMALS, 'out'],
    [
      'a code that is excluded by what is not here',
      { include: [{ system: ANIMALS }], exclude: [{ valueSet: ['http://example.org/none'] }] },
      'dog',
      ANIMALS,
      'unknown',
    ],
    [
      'a code of a value set that is not here',
      { include: [{ valueSet: ['http://example.org/none'] }] },
      'dog',
      ANIMALS,
      'unknown',
    ],
    [
      'a filter by a property that the system lacks',
      { include: [filtered('wings', '=', '2')] },
      'dog',
      ANIMALS,
      'unknown',
    ],
    ['a pattern that is none', { include: [filtered('code', 'regex', '(')] }, 'dog', ANIMALS, 'unknown'],
    ['a code that the whole system lacks', { include: [{ system: ANIMALS }] }, 'unicorn', ANIMALS, 'out'],
    [
      'a code that an example lacks',
      { include: [{ system: 'http://terminology.hl7.org/CodeSystem/service-type' }] },
      'x',
      'http://terminology.hl7.org/CodeSystem/service-type',
      'unknown',
    ],
    [
      'a code of another version than is here',
      { include: [{ system: ANIMALS, version: '7' }] },
      'dog',
      ANIMALS,
      'unknown',
    ],
    ['a tag of a language', { include: [{ system: 'urn:ietf:bcp:47' }] }, 'de-AT', 'urn:ietf:bcp:47', 'in'],
    ['a tag that is none', { include: [{ system: 'urn:ietf:bcp:47' }] }, 'not a tag', 'urn:ietf:bcp:47', 'out'],
    ['a MIME type', { include: [{ system: 'urn:ietf:bcp:13' }] }, 'image/png', 'urn:ietf:bcp:13', 'in'],
    [
      'a time zone',
      { include: [{ system: 'https://www.iana.org/time-zones' }] },
      'Europe/Vienna',
      'https://www.iana.org/time-zones',
      'in',
    ],
  ])('%s', async (_name, compose, code, system, expected) => {
    expect(await isIn(compose, code, system)).toBe(expected)
  })

  test('a value set that draws on itself', async () => {
    const own = valueSetOf({ include: [{ valueSet: [PETS] }] })
    const answer = membership(await terminologyWith(own), own, { system: ANIMALS, code: 'dog' })
    expect(answer).toMatchObject({
      status: 'unknown',
      reason: { code: 'too-costly', diagnostics: expect.stringMatching(/by itself/) },
    })
    await expect(codesOf(own)).rejects.toMatchObject({ status: 422, code: 'too-costly' })
  })

  test('value sets that each draw twenty times on the next end as too costly, not after years', async () => {
    const url = (level: number) => `http://example.org/level-${level}`
    const levels = Array.from({ length: 18 }, (_, level) =>
      valueSetOf({ include: Array.from({ length: 20 }, () => ({ valueSet: [url(level + 1)] })) }, url(level)),
    )
    const bottom = valueSetOf({ include: [{ system: ANIMALS }] }, url(18))
    const terminology = await terminologyWith(animals, ...levels, bottom)
    const [top = bottom] = levels
    expect(() => [...members(terminology, top)]).toThrow(expect.objectContaining({ code: 'too-costly' }))
    expect(membership(terminology, top, { system: ANIMALS, code: 'x' })).toMatchObject({
      reason: { code: 'too-costly' },
    })
  })
})

describe('hierarchies that upload made', () => {
  test('parents that go round in a circle end', async () => {
    const parent = (code: string) => ({ code: 'parent', valueCode: code })
    const circle: CodeSystem = {
      ...animals,
      property: [],
      concept: [
        { code: 'a', property: [parent('b')] },
        { code: 'b', property: [parent('a')] },
      ],
    }
    const valueSet = valueSetOf({ include: [filtered('concept', 'is-a', 'a')] })
    expect([...members(await terminologyWith(circle), valueSet)].map(({ code }) => code)).toEqual(['a', 'b'])
  })

  test('ten thousand levels are no matter', async () => {
    let concept = [{ code: 'c10000' }]
    for (let level = 9999; level >= 0; level--) concept = [{ code: `c${level}`, ...{ concept } }]
    const deep: CodeSystem = { ...animals, concept }
    const valueSet = valueSetOf({ include: [filtered('concept', 'descendent-of', 'c9998')] })
    expect([...members(await terminologyWith(deep), valueSet)].map(({ code }) => code)).toEqual(['c9999', 'c10000'])
  })
})

describe('the value sets of the packages', () => {
  test('every code that one lists is in it', () => {
    let [listed, empty, gaps] = [0, 0, 0]
    for (const { url } of packagedCanonicals('ValueSet')) {
      const valueSet = packagedTerminology.valueSet(url)
      if (valueSet === undefined) throw new Error(`${url} is named, but not here`)
      try {
        const [first, ...others] = members(packagedTerminology, valueSet)
        const last = others.at(-1) ?? first
        if (first === undefined || last === undefined) empty++
        else expect([url, membership(packagedTerminology, valueSet, last)]).toMatchObject([url, { status: 'in' }])
        listed++
      } catch (error) {
        expect(error).toMatchObject({ status: 422 })
        gaps++
      }
    }
    expect({ listed, empty, gaps }).toEqual({ listed: 1222, empty: 2, gaps: 95 })
  })
})

describe('value sets with very many parts', () => {
  const parts = (count: number) => Array.from({ length: count }, () => filtered('code', '=', 'unicorn'))
  const dear = expect.objectContaining({ status: 422, code: 'too-costly' })

  test('end as too costly', async () => {
    const dicom = 'http://dicom.nema.org/resources/ontology/DCM'
    const nothing = { system: dicom, filter: [{ property: 'code', op: '=' as const, value: 'none' }] }
    const many = valueSetOf({ include: Array.from({ length: 400 }, () => nothing) })
    expect(() => [...members(packagedTerminology, many)]).toThrow(dear)
    const excluded = valueSetOf({ include: [{ system: dicom }], exclude: parts(400) })
    expect(() => [...members(packagedTerminology, excluded)]).toThrow(dear)
  })

  test('are answered while they are not too many', async () => {
    expect(await codesOf(valueSetOf({ include: [{ system: ANIMALS }], exclude: parts(400) }))).toEqual(ALL)
  })
})

test('a code is in a value set exactly when it is listed: random definitions', async () => {
  const terminology = await terminologyWith(animals, pets)
  const code = fc.constantFrom(...ALL, 'unicorn')
  const hierarchy = fc.constantFrom('is-a', 'descendent-of', 'is-not-a', 'generalizes', '=', 'in', 'not-in')
  const filters = fc.oneof(
    fc.tuple(fc.constant('concept'), hierarchy, code),
    fc.tuple(fc.constant('legs'), fc.constantFrom('=', 'in', 'not-in', 'regex'), fc.constantFrom('2', '4')),
    fc.tuple(fc.constantFrom('legs', 'status', 'parent'), fc.constant('exists'), fc.constantFrom('true', 'false')),
  )
  const part = fc.oneof(
    fc.constant<ValueSetComposeInclude>({ system: ANIMALS }),
    fc.constant<ValueSetComposeInclude>({ valueSet: [PETS] }),
    fc.constant<ValueSetComposeInclude>({ system: ANIMALS, valueSet: [PETS] }),
    fc
      .array(code, { minLength: 1, maxLength: 3 })
      .map((codes) => ({ system: ANIMALS, concept: codes.map((one) => ({ code: one })) })),
    filters.map(([property, op, value]) => filtered(property, op, value)),
    filters.map(([property, op, value]) => ({ ...filtered(property, op, value), valueSet: [PETS] })),
  )
  const compose = fc.record({
    include: fc.array(part, { minLength: 1, maxLength: 3 }),
    exclude: fc.array(part, { maxLength: 2 }),
    inactive: fc.boolean(),
  })
  fc.assert(
    fc.property(compose, (definition) => {
      const valueSet = valueSetOf(definition, 'http://example.org/random')
      const listed = [...members(terminology, valueSet)].map((member) => member.code).sort()
      const isIn = (one: string) => membership(terminology, valueSet, { system: ANIMALS, code: one }).status === 'in'
      expect(listed).toEqual([...ALL, 'unicorn'].filter(isIn).sort())
    }),
    { numRuns: 1000 },
  )
})
