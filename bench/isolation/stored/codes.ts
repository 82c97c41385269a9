/** Terminology of a hostile clinic: large, deep, and nested. */
import type { CodeSystem, ConceptMap, ValueSet } from 'fhir/r4'

const BASE = 'http://hostile.example'
export const FLAT = `${BASE}/CodeSystem/flat`
export const DEEP = `${BASE}/CodeSystem/deep`
export const DEEP_LEVELS = 5_000
const CODES = 50_000
const NESTED = { levels: 15, each: 10 } as const

export const flatCodeSystem = (): CodeSystem => ({
  resourceType: 'CodeSystem',
  id: 'flat',
  url: FLAT,
  status: 'active',
  content: 'complete',
  concept: Array.from({ length: CODES }, (_, n) => ({ code: `c${n}`, display: `${'a'.repeat(30)} ${n}` })),
})

/** Each code is a child of the one before, by a property: `concept` within `concept` would be too deep for JSON. */
export const deepCodeSystem = (): CodeSystem => ({
  resourceType: 'CodeSystem',
  id: 'deep',
  url: DEEP,
  status: 'active',
  content: 'complete',
  hierarchyMeaning: 'is-a',
  property: [{ code: 'parent', uri: 'http://hl7.org/fhir/concept-properties#parent', type: 'code' }],
  concept: Array.from({ length: DEEP_LEVELS }, (_, n) => ({
    code: `d${n}`,
    ...(n === 0 ? {} : { property: [{ code: 'parent', valueCode: `d${n - 1}` }] }),
  })),
})

export const LARGE_MAP = `${BASE}/ConceptMap/large`

export const largeConceptMap = (): ConceptMap => ({
  resourceType: 'ConceptMap',
  id: 'large',
  url: LARGE_MAP,
  status: 'active',
  group: [
    {
      source: FLAT,
      target: DEEP,
      element: Array.from({ length: 20_000 }, (_, n) => ({
        code: `c${n}`,
        target: [{ code: `d${n % DEEP_LEVELS}`, equivalence: 'equivalent' as const }],
      })),
    },
  ],
})

export const MANY_INCLUDES = `${BASE}/ValueSet/many-includes`

export const manyIncludes = (): ValueSet => ({
  resourceType: 'ValueSet',
  id: 'many-includes',
  url: MANY_INCLUDES,
  status: 'active',
  compose: {
    include: Array.from({ length: 10_000 }, (_, n) => ({
      system: FLAT,
      filter: [{ property: 'code', op: 'regex' as const, value: `c${n}.*` }],
    })),
  },
})

const nestedUrl = (level: number, n: number): string => `${BASE}/ValueSet/nested-${level}-${n}`
export const OUTERMOST = nestedUrl(0, 0)

/** Each value set of a level has all of the next: 10^15 ways lead to the codes. */
export const nestedValueSets = (): readonly ValueSet[] =>
  Array.from({ length: NESTED.levels }, (_, level) =>
    Array.from({ length: NESTED.each }, (_, n) => nestedValueSet(level, n)),
  ).flat()

const nestedValueSet = (level: number, n: number): ValueSet => ({
  resourceType: 'ValueSet',
  id: `nested-${level}-${n}`,
  url: nestedUrl(level, n),
  status: 'active',
  compose: {
    include:
      level + 1 === NESTED.levels
        ? [{ system: FLAT, filter: [{ property: 'code', op: 'regex', value: `c${n}.*` }] }]
        : Array.from({ length: NESTED.each }, (_, inner) => ({ valueSet: [nestedUrl(level + 1, inner)] })),
  },
})

/** Matches nothing, and fails late. */
export const SLOW_PATTERN = '((a?){20}(a|aa){20}){4}b'

export const regexValueSet = (pattern: string): ValueSet => ({
  resourceType: 'ValueSet',
  status: 'active',
  compose: { include: [{ system: FLAT, filter: [{ property: 'display', op: 'regex', value: pattern }] }] },
})
