/** Hostile requests of one clinic's staff: terminology, matching, Bundles and /metadata. Each is one whole request. */

/** One request; `path` begins with a slash, and an object as body is sent as JSON. */
export interface HostileRequest {
  readonly name: string
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  readonly body?: unknown
}

export interface HostileCase {
  readonly name: string
  /** What must be stored first. */
  readonly before: readonly HostileRequest[]
  readonly request: HostileRequest
  /** Times that the request is sent at once. */
  readonly parallel?: number
}

const BASE = 'http://example.org/isolation'
const times = <Value>(count: number, make: (index: number) => Value): Value[] =>
  Array.from({ length: count }, (_, index) => make(index))

const put = (resource: { readonly resourceType: string; readonly id: string }): HostileRequest => ({
  name: `store ${resource.resourceType}/${resource.id}`,
  method: 'PUT',
  path: `/${resource.resourceType}/${resource.id}`,
  body: resource,
})

const post = (name: string, path: string, body: unknown): HostileRequest => ({ name, method: 'POST', path, body })

/** A CodeSystem of `count` codes in `levels` levels. */
export const codeSystem = (count: number, { flat = true } = {}) => {
  const concepts: { code: string; display: string; property?: object[] }[] = times(count, (index) => ({
    code: `c${index}`,
    display: `Concept number ${index} of many`,
    ...(flat || index === 0 ? {} : { property: [{ code: 'kindOf', valueCode: `c${index - 1}` }] }),
  }))
  return {
    resourceType: 'CodeSystem',
    id: flat ? 'isolation-flat' : 'isolation-chain',
    url: `${BASE}/${flat ? 'flat' : 'chain'}`,
    status: 'active',
    content: 'complete',
    property: [{ code: 'kindOf', type: 'code', uri: 'http://hl7.org/fhir/concept-properties#parent' }],
    concept: concepts,
  }
}

const valueSet = (id: string, include: readonly object[], exclude: readonly object[] = []) => ({
  resourceType: 'ValueSet',
  id,
  url: `${BASE}/${id}`,
  status: 'active',
  compose: { include, ...(exclude.length === 0 ? {} : { exclude }) },
})

const expand = (resource: unknown, more: readonly object[] = []) => ({
  resourceType: 'Parameters',
  parameter: [{ name: 'valueSet', resource }, ...more],
})

const FLAT = `${BASE}/flat`
const CHAIN = `${BASE}/chain`
const byPattern = (value: string) => ({ system: FLAT, filter: [{ property: 'display', op: 'regex', value }] })
const DEAR_PATTERN = '(Concept|[a-z]+| |number)*([0-9]+|o|f){1,20} of m[any]{1,10}y'

/** Value sets of `width` includes in `depth` levels, each importing all of the next level. */
const nestedImports = (depth: number, width: number): readonly HostileRequest[] =>
  times(depth, (level) => level).flatMap((level) =>
    times(width, (index) =>
      put(
        valueSet(
          `nested-${level}-${index}`,
          level === depth - 1
            ? [{ system: FLAT, concept: [{ code: `c${index}` }] }]
            : times(width, (next) => ({ valueSet: [`${BASE}/nested-${level + 1}-${next}`] })),
        ),
      ),
    ),
  )

const name = (index: number) => ({ family: `Fam${index}`, given: [`Given${index}`, `Middle${index}`] })

const manyNames = (count: number) => ({
  resourceType: 'Patient',
  birthDate: '1980-01-01',
  name: times(count, name),
})

/** Everything that a match compares, `count` times; stored as it is. */
export const crowdedPatient = (id: string, count: number) => ({
  ...manyNames(count),
  id,
  identifier: times(count, (index) => ({ system: `${BASE}/mrn`, value: `m${index}` })),
  telecom: times(count, (index) => ({ system: 'phone', value: `+1555${String(index).padStart(7, '0')}` })),
  address: times(count, (index) => ({ line: [`${index} Long Street with a name`], postalCode: `${index}` })),
})

const bundle = (type: 'batch' | 'transaction', entry: readonly object[]) => ({ resourceType: 'Bundle', type, entry })
const creating = (resource: { readonly resourceType: string }, ifNoneExist?: string) => ({
  request: { method: 'POST', url: resource.resourceType, ...(ifNoneExist === undefined ? {} : { ifNoneExist }) },
  resource,
})

/** `count` Patients and `count` Observations, each of which refers to ten Patients. */
const crossReferences = (count: number) =>
  bundle('transaction', [
    ...times(count, (index) => ({ fullUrl: `urn:uuid:${uuid(index)}`, ...creating({ resourceType: 'Patient' }) })),
    ...times(count, (index) =>
      creating({
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        subject: { reference: `urn:uuid:${uuid(index)}` },
        performer: times(10, (more) => ({ reference: `urn:uuid:${uuid((index + more) % count)}` })),
      } as { readonly resourceType: string }),
    ),
  ])

const uuid = (index: number): string => `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`

const conditionalReferences = (count: number) =>
  bundle('transaction', [
    ...times(count, (index) =>
      creating({ resourceType: 'Patient', identifier: [{ system: BASE, value: `i${index}` }] } as {
        readonly resourceType: string
      }),
    ),
    ...times(count, (index) =>
      creating({
        resourceType: 'Observation',
        status: 'final',
        code: { text: 'x' },
        subject: { reference: `Patient?identifier=${encodeURIComponent(`${BASE}|i${index}`)}` },
      } as { readonly resourceType: string }),
    ),
  ])

const deep = (levels: number): object => ({ url: BASE, ...(levels === 0 ? {} : { extension: [deep(levels - 1)] }) })

export const terminologyCases: readonly HostileCase[] = [
  {
    name: '$expand of a regex over 50,000 codes',
    before: [put(codeSystem(50_000))],
    request: post('expand', '/ValueSet/$expand', expand(valueSet('x', [byPattern(DEAR_PATTERN)]))),
  },
  {
    name: '$expand of 20 regexes over 50,000 codes',
    before: [put(codeSystem(50_000))],
    request: post(
      'expand',
      '/ValueSet/$expand',
      expand(
        valueSet(
          'x',
          times(20, (index) => byPattern(`${DEAR_PATTERN}${index}`)),
        ),
      ),
    ),
  },
  {
    name: '$expand of 50,000 codes by words, in another language, second page',
    before: [put(codeSystem(50_000))],
    request: post(
      'expand',
      '/ValueSet/$expand',
      expand(valueSet('x', [{ system: FLAT }]), [
        { name: 'filter', valueString: times(120, () => 'man').join(' ') },
        { name: 'offset', valueInteger: 40_000 },
        { name: 'count', valueInteger: 10_000 },
        { name: 'displayLanguage', valueCode: 'de' },
      ]),
    ),
  },
  {
    name: '$expand of 50,000 codes with 1,000 excludes',
    before: [put(codeSystem(50_000))],
    request: post(
      'expand',
      '/ValueSet/$expand',
      expand(
        valueSet(
          'x',
          [{ system: FLAT }],
          times(1_000, (index) => ({ system: `${FLAT}${index}`, concept: [{ code: 'a' }] })),
        ),
      ),
    ),
  },
  {
    name: '$expand of 15 x 10 nested imports',
    before: [put(codeSystem(50_000)), ...nestedImports(15, 10)],
    request: post('expand', `/ValueSet/nested-0-0/$expand`, { resourceType: 'Parameters' }),
  },
  {
    name: '$expand of a chain of 10,000 codes, nested',
    before: [put(codeSystem(10_000, { flat: false }))],
    request: post(
      'expand',
      '/ValueSet/$expand',
      expand(
        valueSet('x', [{ system: CHAIN, filter: [{ property: 'code', op: 'regex', value: 'c[1-9]?[0-9]*[02468]' }] }]),
      ),
    ),
  },
  {
    name: '$expand with 1,000 is-a filters in a chain of 10,000 codes',
    before: [put(codeSystem(10_000, { flat: false }))],
    request: post(
      'expand',
      '/ValueSet/$expand',
      expand(
        valueSet(
          'x',
          times(1_000, (index) => ({
            system: CHAIN,
            filter: [{ property: 'concept', op: 'is-a', value: `c${index}` }],
          })),
        ),
      ),
    ),
  },
  {
    name: 'a batch of 100 $expand',
    before: [put(codeSystem(50_000))],
    request: post(
      'batch',
      '/',
      bundle(
        'batch',
        times(100, () => ({
          request: { method: 'POST', url: 'ValueSet/$expand' },
          resource: expand(valueSet('x', [byPattern(DEAR_PATTERN)])),
        })),
      ),
    ),
  },
  {
    name: '$validate-code of 100 codings in 2,000 includes',
    before: [],
    request: post('validate', '/ValueSet/$validate-code', {
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'valueSet',
          resource: valueSet(
            'x',
            times(20_000, (index) => ({ system: BASE, concept: [{ code: `y${index}` }] })),
          ),
        },
        {
          name: 'codeableConcept',
          valueCodeableConcept: { coding: times(100, (i) => ({ system: BASE, code: `z${i}` })) },
        },
      ],
    }),
  },
  {
    name: '$translate by a map of 100,000 targets for one code',
    before: [],
    request: post('translate', '/ConceptMap/$translate', {
      resourceType: 'Parameters',
      parameter: [
        {
          name: 'conceptMap',
          resource: {
            resourceType: 'ConceptMap',
            status: 'active',
            group: times(100, () => ({
              source: BASE,
              target: FLAT,
              element: [{ code: 'a', target: times(800, (index) => ({ code: `t${index}`, equivalence: 'equal' })) }],
            })),
          },
        },
        { name: 'codeableConcept', valueCodeableConcept: { coding: times(100, () => ({ system: BASE, code: 'a' })) } },
      ],
    }),
  },
  {
    name: 'a search by code:in a value set of a regex',
    before: [put(codeSystem(50_000)), put(valueSet('dear', [byPattern(`${DEAR_PATTERN}y`)]))],
    request: { name: 'search', method: 'GET', path: `/Observation?code:in=${encodeURIComponent(`${BASE}/dear`)}` },
  },
]

export const matchingCases: readonly HostileCase[] = [
  {
    name: '$match with 100 names',
    before: [],
    request: post('match', '/Patient/$match', manyNames(100)),
  },
  {
    name: '$match among 100 Patients of 300 names, numbers and addresses each',
    before: times(100, (index) => put(crowdedPatient(`crowded-${index}`, 300))),
    request: post('match', '/Patient/$match', { ...crowdedPatient('asked', 25), id: undefined }),
  },
]

export const bundleCases: readonly HostileCase[] = [
  {
    name: 'a transaction of 1,000 conditional creates by family:contains',
    before: [],
    request: post(
      'transaction',
      '/',
      bundle(
        'transaction',
        times(1_000, (index) => creating({ resourceType: 'Patient' }, `family:contains=q${index}z`)),
      ),
    ),
  },
  {
    name: 'a transaction of 5,000 creates',
    before: [],
    request: post(
      'transaction',
      '/',
      bundle(
        'transaction',
        times(5_000, (index) =>
          creating({ resourceType: 'Patient', name: [name(index)] } as { readonly resourceType: string }),
        ),
      ),
    ),
  },
  {
    name: 'a transaction with 25,000 references',
    before: [],
    request: post('transaction', '/', crossReferences(2_500)),
  },
  {
    name: 'a transaction with 2,500 conditional references',
    before: [],
    request: post('transaction', '/', conditionalReferences(2_500)),
  },
  {
    name: 'a transaction of 2,000 deep resources',
    before: [],
    request: post(
      'transaction',
      '/',
      bundle(
        'transaction',
        times(2_000, () =>
          creating({ resourceType: 'Patient', extension: [deep(25)] } as { readonly resourceType: string }),
        ),
      ),
    ),
  },
  {
    name: 'a batch of 5,000 searches',
    before: [],
    request: post(
      'batch',
      '/',
      bundle(
        'batch',
        times(5_000, (index) => ({ request: { method: 'GET', url: `Patient?name:contains=x${index}` } })),
      ),
    ),
  },
]

export const metadataCases: readonly HostileCase[] = [
  {
    name: '50 parallel /metadata in pretty XML, without a token',
    before: [],
    request: { name: 'metadata', method: 'GET', path: '/metadata?_format=xml&_pretty=true' },
    parallel: 50,
  },
]
