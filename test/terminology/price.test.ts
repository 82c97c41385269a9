/** The cost of terminology: steps that grow linearly with the size of the request. */
import { describe, expect, test } from '@jest/globals'
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'
import { OffloadRequired } from '../../src/isolation/budget.ts'
import { expand } from '../../src/terminology/expand.ts'
import { folded } from '../../src/terminology/language.ts'
import { lookUp } from '../../src/terminology/lookup.ts'
import { patternOf } from '../../src/terminology/pattern.ts'
import { codesInValueSet } from '../../src/terminology/search-codes.ts'
import { StoredTerms, type Terminology, terminologyOf } from '../../src/terminology/terminology.ts'
import { translate } from '../../src/terminology/translate.ts'
import { validateInValueSet } from '../../src/terminology/validate-code.ts'
import { membership } from '../../src/terminology/value-set.ts'
import { onEventLoop, stepsOf } from '../support/steps.ts'
import { valueSetOf } from '../support/terms.ts'

const SYSTEM = 'http://example.org/many'

type Concepts = NonNullable<CodeSystem['concept']>

const terminologyWith = (...resources: readonly (CodeSystem | ValueSet)[]): Terminology => {
  const stored = new StoredTerms()
  for (const resource of resources) stored.add(resource)
  return terminologyOf(stored)
}

const systemOf = (concept: Concepts): CodeSystem => ({
  resourceType: 'CodeSystem',
  url: SYSTEM,
  status: 'active',
  content: 'complete',
  property: [{ code: 'kindOf', type: 'code', uri: 'http://hl7.org/fhir/concept-properties#parent' }],
  concept,
})

const flat = (count: number) =>
  systemOf(Array.from({ length: count }, (_, index) => ({ code: `c${index}`, display: `Concept ${index}` })))

/** Each code is below the one before it. */
const chain = (count: number) =>
  systemOf(
    Array.from({ length: count }, (_, index) => ({
      code: `c${index}`,
      property: index === 0 ? [] : [{ code: 'kindOf', valueCode: `c${index - 1}` }],
    })),
  )

const byPattern = (value: string) =>
  valueSetOf({ include: [{ system: SYSTEM, filter: [{ property: 'code', op: 'regex', value }] }] })

const expansionCost = (system: CodeSystem, valueSet: ValueSet): number =>
  stepsOf(() => expand(terminologyWith(system), valueSet, {}, 0))

describe('the steps of $expand grow with the codes', () => {
  test.each<[string, (count: number) => CodeSystem, (count: number) => ValueSet]>([
    ['of a whole code system', flat, () => valueSetOf({ include: [{ system: SYSTEM }] })],
    ['of a pattern', flat, () => byPattern('c[0-9]*')],
    [
      'of listed codes whose ancestors follow them',
      chain,
      (count) =>
        valueSetOf({
          include: [
            {
              system: SYSTEM,
              concept: Array.from({ length: count }, (_, index) => ({ code: `c${count - index - 1}` })),
            },
          ],
        }),
    ],
    [
      'of a system without the codes of a pattern',
      flat,
      () => ({
        ...valueSetOf({ include: [{ system: SYSTEM }] }),
        compose: {
          include: [{ system: SYSTEM }],
          exclude: [{ system: SYSTEM, filter: [{ property: 'code', op: 'regex' as const, value: 'x{400}' }] }],
        },
      }),
    ],
  ])('%s', (_name, systemWith, valueSetFor) => {
    const [some, more] = [1_000, 4_000].map((count) => expansionCost(systemWith(count), valueSetFor(count)))
    expect(some).toBeGreaterThan(1_000)
    expect((more ?? 0) / (some ?? 1)).toBeLessThan(5)
  })

  test('a small one costs little', () => {
    expect(expansionCost(flat(50), byPattern('c1.*'))).toBeLessThan(500)
  })
})

describe('what is long leaves the event loop', () => {
  const all = byPattern('c[0-9]+')
  const terminology = terminologyWith(flat(20_000), all)
  const dear = '((a?){20}(a|aa){20}){4}bN'

  test.each<[string, () => unknown]>([
    ['$expand', () => expand(terminology, all, { count: 1 }, 0)],
    ['the codes of a search by :in', () => codesInValueSet(terminology, all.url ?? '', 50_000)],
    ['a dear pattern', () => Array.from({ length: 20 }, () => 'a'.repeat(1_000)).some(patternOf(dear))],
  ])('%s', (_name, work) => {
    expect(() => onEventLoop(work)).toThrow(OffloadRequired)
  })
})

describe('what clients repeat is looked at once', () => {
  const mapOf = (groups: number, targets: number): ConceptMap => ({
    resourceType: 'ConceptMap',
    status: 'active',
    group: Array.from({ length: groups }, () => ({
      source: SYSTEM,
      target: 'http://example.org/other',
      element: [
        {
          code: 'a',
          target: Array.from({ length: targets }, (_, index) => ({ code: `t${index}`, equivalence: 'equal' as const })),
        },
      ],
    })),
  })

  test('$translate of one code a hundred times costs no more than once', () => {
    const map = mapOf(2, 100)
    const cost = (count: number) =>
      stepsOf(() => translate(terminologyWith(), [map], Array(count).fill({ system: SYSTEM, code: 'a' }), {}))
    cost(1)
    expect(cost(100)).toBe(cost(1))
  })

  test('$translate ends at its thousandth match', () => {
    const map = mapOf(1, 50_000)
    const answer = () => translate(terminologyWith(), [map], [{ system: SYSTEM, code: 'a' }], {})
    expect(answer().match).toHaveLength(1_000)
    expect(stepsOf(answer)).toBeLessThan(5_000)
  })

  test('of very many versions of a code system the newest is chosen once', () => {
    const stored = new StoredTerms()
    const compared: string[] = []
    for (let version = 0; version < 100; version++) {
      const system = {
        ...flat(1),
        get version() {
          compared.push('version')
          return `${version}`
        },
      }
      stored.add(system)
    }
    const terminology = terminologyOf(stored)
    terminology.codeSystem(SYSTEM)
    const once = compared.length
    expect(terminology.codeSystem(SYSTEM)?.system.version).toBe('99')
    expect(compared.length - once).toBeLessThan(5)
  })
})

describe('texts of any length are compared in a time that grows with their length', () => {
  test('a million marks on one letter are left out before the letter is decomposed', () => {
    expect(folded(`e${'\u0301\u0323'.repeat(500_000)}`)).toBe('e')
  })

  test('the display of a code is folded once, however many designations it has', () => {
    const designation = Array.from({ length: 1_000 }, (_, index) => ({ value: `Name ${index}` }))
    const terminology = terminologyWith(systemOf([{ code: 'a', display: 'A', designation }]))
    const valueSet = valueSetOf({ include: [{ system: SYSTEM }] })
    const code = { system: SYSTEM, code: 'a', display: 'B'.repeat(100_000) }
    const validate = () => validateInValueSet(terminology, valueSet, [code], {})
    expect(validate().result).toBe(false)
    expect(stepsOf(validate)).toBeLessThan(10_000)
  })
})

describe('a look at one code stays cheap', () => {
  const terminology = terminologyWith(flat(1_000))
  const valueSet = valueSetOf({ include: [{ system: SYSTEM }] })
  terminology.codeSystem(SYSTEM)

  test.each<[string, () => unknown]>([
    ['$lookup', () => lookUp(terminology, { system: SYSTEM, code: 'c5' }, {})],
    ['whether it is in a value set', () => membership(terminology, valueSet, { system: SYSTEM, code: 'c5' })],
  ])('%s', (_name, work) => {
    expect(stepsOf(work)).toBeLessThan(50)
  })
})
