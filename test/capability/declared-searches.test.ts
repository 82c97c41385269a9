/**
 * Every search that /metadata declares works: each parameter, modifier, include and compartment. The searches are
 * derived from the statement; only sample values are written here.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parametersOf, partsOf } from '../search/naive/definitions.ts'
import { type Answered, answers, type Declared, refused, startDeclared } from './declared.ts'

let declared: Declared
beforeAll(async () => {
  declared = await startDeclared()
})
afterAll(() => declared.server.close())

const VALUES: Readonly<Record<string, string>> = {
  string: 'a',
  // Codes may be any text, but an element that is a boolean has two.
  token: 'true',
  reference: 'some-id',
  date: '2026-03-01',
  uri: 'http://example.org/a',
  number: '1',
  quantity: '1',
  // The only one of a type is near.
  special: '1|2',
}

const sampleFor = (type: string, { name, type: kind }: { readonly name: string; readonly type: string }): string => {
  const parameter = parametersOf(type).get(name)
  if (kind !== 'composite' || parameter === undefined) return VALUES[kind] ?? `no value for ${kind}`
  return partsOf(type, parameter)
    .map((part) => VALUES[part.type])
    .join('$')
}

describe('search parameters', () => {
  test('of every type find resources, and so does :missing', async () => {
    for (const { type, searchParam = [] } of declared.types) {
      const urls = searchParam.flatMap((parameter) => [
        `${type}?${parameter.name}=${encodeURIComponent(sampleFor(type, parameter))}&_count=1`,
        ...(parameter.type === 'special' ? [] : [`${type}?${parameter.name}:missing=true&_count=1`]),
      ])
      expect(urls.length).toBeGreaterThan(0)
      expect(await refused(declared, urls)).toEqual([])
    }
  })

  test('of all types together find resources', async () => {
    const written: Readonly<Record<string, string>> = {
      _filter: '_filter=_id eq m',
      _has: '_has:Observation:subject:_id=m',
      _list: '_list=m',
    }
    const urls = (declared.rest.searchParam ?? []).map(({ name, type }) => written[name] ?? `${name}=${VALUES[type]}`)
    expect(urls.length).toBeGreaterThan(5)
    expect(
      await refused(
        declared,
        urls.map((query) => `?${query}&_type=Patient,Observation&_count=1`),
      ),
    ).toEqual([])
  })

  test('are sorted by, up and down, but for those that have no order', async () => {
    for (const { type, searchParam = [] } of declared.types) {
      const keys = searchParam.filter(({ type: kind }) => kind !== 'composite' && kind !== 'special')
      const urls = keys.flatMap(({ name }) => [`${type}?_sort=${name}&_count=1`, `${type}?_sort=-${name}&_count=1`])
      expect(await refused(declared, urls)).toEqual([])
    }
  })

  /**
   * By type of parameter, parsed from the text of the statement: `token :not :text; uri :below; every type :missing`.
   */
  const declaredModifiers = (): ReadonlyMap<string, readonly string[]> => {
    const [, told = ''] = /Search modifiers: (.*)\.$/.exec(declared.rest.documentation ?? '') ?? []
    return new Map(
      told.split('; ').map((part) => {
        const [type = '', ...modifiers] = part.split(' :')
        return [type, modifiers] as const
      }),
    )
  }

  const MODIFIED: Readonly<Record<string, string>> = {
    'token in': 'http://hl7.org/fhir/ValueSet/administrative-gender',
    'token not-in': 'http://hl7.org/fhir/ValueSet/administrative-gender',
    'token above': 'http://hl7.org/fhir/administrative-gender|male',
    'token below': 'http://hl7.org/fhir/administrative-gender|male',
    'token of-type': 'http://example.org|MR|1',
    'token text': 'a',
    'reference identifier': 'a|b',
    'reference text': 'a',
    'reference above': 'Location/m',
    'reference below': 'Location/m',
  }

  /** Not every reference leads to a hierarchy, nor is every token an identifier or a coded one. */
  const isUnknown = ({ outcome }: Answered) => JSON.stringify(outcome ?? {}).includes('search-modifier-unknown')

  const WITH_MODIFIERS = ['string', 'token', 'reference', 'uri']

  test('of other types take no modifier but :missing', () => {
    const told = [...declaredModifiers().keys()].filter((kind) => kind in VALUES)
    expect(told).toEqual(WITH_MODIFIERS)
  })

  test.each(WITH_MODIFIERS)('of type %s take each modifier that is told of, and no other', async (kind) => {
    const modifiers = declaredModifiers().get(kind) ?? []
    expect(modifiers).not.toEqual([])
    const codes = new Map(
      declared.types.flatMap(({ type, searchParam = [] }) =>
        searchParam
          .filter((parameter) => parameter.type === kind && !['_id', 'phonetic'].includes(parameter.name))
          .map(({ name, definition }) => [definition, `${type}?${name}`] as const),
      ),
    )
    for (const modifier of modifiers) {
      const value = encodeURIComponent(MODIFIED[`${kind} ${modifier}`] ?? VALUES[kind] ?? '')
      const all = await answers(
        declared,
        [...codes.values()].map((code) => `${code}:${modifier}=${value}&_count=1`),
      )
      expect(all.some(({ status }) => status === 200)).toBe(true)
      expect(all.filter((one) => (one.status !== 200 && one.status !== 400) || isUnknown(one))).toEqual([])
    }
    const others = [...codes.values()].slice(0, 20).map((code) => `${code}:nonsense=a`)
    expect((await answers(declared, others)).filter((one) => !isUnknown(one))).toEqual([])
  })

  test('of type reference take the types that they point to as modifiers', async () => {
    const urls = declared.types.flatMap(({ type, searchParam = [] }) =>
      searchParam.flatMap(({ name }) => {
        const { target: [target = '*'] = [] } = parametersOf(type).get(name) ?? {}
        return target === '*' ? [] : [`${type}?${name}:${target}=m&_count=1`]
      }),
    )
    expect(urls.length).toBeGreaterThan(100)
    expect(await refused(declared, urls)).toEqual([])
  })
})

test('every include and reverse include is followed', async () => {
  for (const { type, searchInclude = [], searchRevInclude = [] } of declared.types) {
    const urls = [
      ...searchInclude.map((include) => `${type}?_include=${include}&_count=1`),
      ...searchRevInclude.map((include) => `${type}?_revinclude=${include}&_count=1`),
    ]
    expect(await refused(declared, urls)).toEqual([])
  }
})

test('every compartment is searched, all of it and by type', async () => {
  const centers = (declared.rest.compartment ?? []).map((url) => {
    const name = url.slice(url.lastIndexOf('/') + 1)
    return name.charAt(0).toUpperCase() + name.slice(1)
  })
  expect(centers).not.toEqual([])
  expect(
    await refused(
      declared,
      centers.flatMap((center) => [`${center}/m/*?_count=1`, `${center}/m/Observation`]),
    ),
  ).toEqual([])
})
