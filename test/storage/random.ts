/** Random change sets, conditions and plans over a small vocabulary, so that they meet often. */
import fc from 'fast-check'
import { fold } from '../../src/fhir/text-folding.ts'
import type {
  Condition,
  CoveredParameters,
  Equality,
  IndexEntry,
  PartCondition,
  PartEntry,
  SearchPlan,
  SortKey,
} from '../../src/search/plan.ts'

export const CLINICS = ['north', 'south'] as const
export const TYPES = ['Patient', 'Slot'] as const

export const ids = fc.constantFrom('1', '2', '3', '4', '5', '6')
const clinics = fc.constantFrom(...CLINICS)
export const types = fc.constantFrom(...TYPES)
/** The last two differ in the order of code points and that of UTF-16. */
const words = fc.constantFrom('Ann', 'Anna', 'anna', 'Ánna Lee', 'Bo', 'zoë', '\u{1D49C}x', '\uFF41é')
/** Folded it is empty. */
const NO_WORD = '--'
const codes = fc.constantFrom('a', 'b', 'ab')
const systems = fc.constantFrom('', 'urn:one', 'urn:two')
export const numbers = fc.integer({ min: 0, max: 6 })
const uris = fc.constantFrom('http://x', 'http://x/', 'http://x/a', 'http://x/a/b', 'http://xy')
const externals = fc.constantFrom('http://elsewhere/1', 'http://elsewhere/2')

/** Parameters by kind, one name for two kinds; the second of each may have several entries in a resource. */
const PARAMS = {
  string: ['family', 'name'],
  token: ['status', 'code'],
  reference: ['schedule', 'subject'],
  uri: ['url', 'code'],
  date: ['start', 'dates'],
  number: ['count', 'counts'],
  quantity: ['dose', 'doses'],
} as const
type Kind = keyof typeof PARAMS
const KINDS = Object.keys(PARAMS) as Kind[]

const range = fc.tuple(numbers, fc.integer({ min: 0, max: 3 })).map(([low, length]) => ({ low, high: low + length }))
/** Instants, days and periods of years, for engines that keep them apart. */
const DAY = 86_400_000
const times = fc.tuple(numbers, fc.constantFrom(0, 0.5, 1)).map(([years, days]) => (years * 365 + days) * DAY)
const period = fc
  .tuple(times, fc.constantFrom(0, 0.25, 1, 365, 730))
  .map(([low, days]) => ({ low, high: low + days * DAY }))
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
type Present<T> = { [Name in keyof T as undefined extends T[Name] ? never : Name]: T[Name] } & {
  [Name in keyof T as undefined extends T[Name] ? Name : never]?: Exclude<T[Name], undefined>
}
/** Without the properties that are undefined, as exactOptionalPropertyTypes wants it. */
const present = <T extends object>(value: T): Present<T> =>
  Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as Present<T>

const versions = fc.constantFrom('1', '1.2', '12')
const versionMatches = fc.constantFrom(
  ...[{}, { version: '1' }, { version: '1', versions: 'below' }, { version: '1.2', versions: 'below' }],
) as fc.Arbitrary<{ version?: string; versions?: 'below' }>
const STRING_MATCHES = ['prefix', 'contains', 'suffix', 'equal', 'greater', 'less', 'exact'] as const

function entryOf(kind: Kind, param: string): fc.Arbitrary<IndexEntry> {
  switch (kind) {
    case 'string':
      return fc
        .oneof({ weight: 8, arbitrary: words }, fc.constant(NO_WORD))
        .map((exact) => ({ kind, param, exact, folded: fold(exact) }))
    case 'token':
      return fc.record({ system: systems, code: codes }).map((value) => ({ kind, param, ...value }))
    case 'reference':
      return fc.oneof(
        { weight: 4, arbitrary: fc.record({ type: types, id: ids }).map((value) => ({ kind, param, ...value })) },
        externals.map((id) => ({ kind, param, type: '', id })),
        fc.record({ type: types, id: ids, version: versions }).map((value) => ({ kind, param, ...value })),
      )
    case 'uri':
      return uris.map((value) => ({ kind, param, value }))
    case 'date':
      return period.map((bounds) => ({ kind, param, ...bounds }))
    case 'number':
      return range.map((bounds) => ({ kind, param, ...bounds }))
    case 'quantity':
      return fc
        .record({ system: systems, code: codes })
        .chain((unit) => range.map((low) => ({ kind, param, ...low, ...unit })))
  }
}

/** On both sides of the 180th meridian, at the poles, and degrees apart. */
const place = fc.record({
  latitude: fc.constantFrom(-90, 0, 0.5, 60, 60.5, 89.9, 90),
  longitude: fc.constantFrom(-180, -179.9, 0, 0.5, 179.9),
})
const positions = place.map((value): IndexEntry => ({ kind: 'position', param: 'near', ...value }))

const foldedWords = fc.constantFrom('ann', 'anna', 'lee', 'zoe', '\u{1D49C}x', '17')
const TEXTS = ['note', 'remark'] as const
const texts = fc
  .record({ param: fc.constantFrom(...TEXTS), words: fc.uniqueArray(foldedWords, { minLength: 1, maxLength: 4 }) })
  .map(({ param, words }): IndexEntry => ({ kind: 'words', param, words: words.join(' ') }))
const wordCondition: fc.Arbitrary<Condition> = fc.record({
  kind: fc.constant('words'),
  param: fc.constantFrom(...TEXTS),
  match: fc.constantFrom('equal', 'prefix'),
  value: fc.oneof(foldedWords, fc.constantFrom('an', 'z', '1')),
})

/** The parts of each composite, by its name. */
const COMPOSITES: Readonly<Record<string, readonly [Kind, Kind]>> = {
  'code-value': ['token', 'number'],
  'code-size': ['token', 'quantity'],
  'code-code': ['token', 'token'],
  'code-when': ['token', 'date'],
  'code-name': ['token', 'string'],
  'code-subject': ['token', 'reference'],
  'low-high': ['number', 'number'],
}
const composites = fc
  .constantFrom(...Object.entries(COMPOSITES))
  .chain(([param, kinds]) =>
    fc
      .tuple(...kinds.map((kind) => entryOf(kind, kind).map((part) => part as PartEntry)))
      .map((parts): IndexEntry => ({ kind: 'composite', param, parts })),
  )

/** Entries that the stores under test need not keep twice: see coveringNames. */
export const COVERED: CoveredParameters = Object.fromEntries(TYPES.map((type) => [type, { name: ['family'] }]))

/** A name has every family. */
const coveringNames = (list: readonly IndexEntry[]): readonly IndexEntry[] => [
  ...list,
  ...list.flatMap((entry) => (entry.kind === 'string' && entry.param === 'family' ? { ...entry, param: 'name' } : [])),
]

/** Entries of a resource's own canonical, and of canonicals by which it refers to others. */
const canonicals = fc
  .record({
    param: fc.constantFrom('_canonical', ...PARAMS.reference.map((code) => `canonical:${code}`)),
    id: externals,
  })
  .map((value): IndexEntry => ({ kind: 'reference', type: '', ...value }))

export const entries: fc.Arbitrary<readonly IndexEntry[]> = fc
  .tuple(
    ...KINDS.map((kind) => {
      const [single, several] = PARAMS[kind]
      return fc
        .tuple(maybe(entryOf(kind, single)), fc.array(entryOf(kind, several), { maxLength: 3 }))
        .map(([one, more]) => [...(one === undefined ? [] : [one]), ...more])
    }),
    fc.array(positions, { maxLength: 2 }),
    fc.uniqueArray(texts, { selector: ({ param }) => param, maxLength: 2 }),
    fc.array(composites, { maxLength: 3 }),
    fc.array(canonicals, { maxLength: 2 }),
  )
  .map((lists) => coveringNames(lists.flat()))

export interface RandomChange {
  readonly type: string
  readonly id: string
  readonly deletes: boolean
  /** Expects a version that is not current. */
  readonly stale: boolean
  readonly entries: readonly IndexEntry[]
}

interface Contained {
  readonly type: string
  readonly entries: readonly IndexEntry[]
  readonly referredBy: string
}

const contained: fc.Arbitrary<Contained> = fc.record({
  type: types.map((type) => `#${type}`),
  entries,
  referredBy: fc.constantFrom(...PARAMS.reference),
})

const change: fc.Arbitrary<RandomChange> = fc
  .record({
    type: types,
    id: ids,
    deletes: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
    stale: fc.integer({ min: 0, max: 15 }).map((value) => value === 0),
    entries,
    within: fc.oneof(
      { weight: 3, arbitrary: fc.constant<readonly Contained[]>([]) },
      fc.array(contained, { maxLength: 2 }),
    ),
  })
  .map(({ within, ...own }) => {
    const inner = within.flatMap((one, index) => innerEntries(one, `${own.type}/${own.id}#${index}`, String(index)))
    return { ...own, entries: [...own.entries, ...inner] }
  })

/** With the reference that leads to it from its container, and the id that it has there. */
const innerEntries = (
  { type, entries: own, referredBy }: Contained,
  id: string,
  innerId: string,
): readonly IndexEntry[] => [
  { kind: 'reference', param: referredBy, type, id },
  { kind: 'reference', param: '_contained', type, id },
  { kind: 'inner', param: '_contained', type, id, entries: [...own, { kind: 'uri', param: '_id', value: innerId }] },
]

export interface RandomChangeSet {
  readonly clinic: string
  readonly changes: readonly RandomChange[]
}

export const changeSets: fc.Arbitrary<readonly RandomChangeSet[]> = fc.array(
  fc.record({ clinic: clinics, changes: fc.array(change, { minLength: 1, maxLength: 3 }) }),
  { minLength: 1, maxLength: 16 },
)

const boundsOf = (values: fc.Arbitrary<number>) =>
  fc
    .record({ lowMin: maybe(values), lowMax: maybe(values), highMin: maybe(values), highMax: maybe(values) })
    .map(present)
const bounds = boundsOf(numbers)

/** From the beginning, the middle and the end of a word, and all of it. */
const pieces = fc.constantFrom<readonly [number, number?]>([0, 2], [1, 3], [-2], [0])

function leafOf(kind: Kind): fc.Arbitrary<Condition> {
  const params = fc.constantFrom(...PARAMS[kind])
  switch (kind) {
    case 'string':
      return fc
        .record({ param: params, match: fc.constantFrom(...STRING_MATCHES), value: words, piece: pieces })
        .map(({ param, match, value, piece }) => ({
          kind,
          param,
          match,
          value: match === 'exact' ? value : [...fold(value)].slice(...piece).join(''),
        }))
    case 'token':
      return fc
        .record({ param: params, system: maybe(systems), code: maybe(codes) })
        .map((value) => present({ kind, ...value }))
    case 'reference':
      return fc
        .record({ param: params, type: maybe(types), id: fc.oneof(ids, externals), version: versionMatches })
        .map(({ version, ...value }) => present({ kind, ...value, ...version }))
    case 'uri':
      return fc
        .record({ param: params, match: fc.constantFrom('exact', 'below', 'above'), value: uris })
        .map((value) => ({ kind, ...value }))
    case 'date':
      return fc.record({ param: params, bounds: boundsOf(times) }).map((value) => ({ kind, ...value }))
    case 'number':
      return fc.record({ param: params, bounds }).map((value) => ({ kind, ...value }))
    case 'quantity':
      return fc
        .record({ param: params, bounds, system: maybe(systems), code: maybe(codes) })
        .map((value) => present({ kind, ...value }))
  }
}

const near = fc
  .tuple(place, fc.constantFrom(1000, 12_000, 30_000, 60_000, 1e6, 2.1e7))
  .map(([value, distance]): Condition => ({ kind: 'position', param: 'near', ...value, distance }))

/** Parts take no modifiers. */
const partOf = (kind: Kind): fc.Arbitrary<PartCondition> =>
  leafOf(kind).map((leaf) => {
    const { versions: _versions, ...rest } = { versions: undefined, ...leaf, param: kind }
    return { ...rest, ...(kind === 'string' ? { match: 'prefix' } : {}) } as PartCondition
  })
const composed = fc
  .constantFrom(...Object.entries(COMPOSITES))
  .chain(([param, kinds]) =>
    fc.tuple(...kinds.map(partOf)).map((parts): Condition => ({ kind: 'composite', param, parts })),
  )

const isEquality = (condition: Condition): condition is Equality =>
  condition.kind === 'token' || condition.kind === 'reference' || condition.kind === 'uri'
const equality = fc.oneof(leafOf('token'), leafOf('reference'), leafOf('uri')).filter(isEquality)

const anyParam = fc.constantFrom(...KINDS.flatMap((kind) => PARAMS[kind]), ...TEXTS, 'near', ...Object.keys(COMPOSITES))

type Arbitraries<Name extends Condition['kind']> = Readonly<Record<Name, fc.Arbitrary<Condition>>>
type ValueKind = Exclude<IndexEntry['kind'], 'inner' | 'key'>

/** On one value. A kind that is missing here or below does not compile. */
export const valueConditions: Arbitraries<ValueKind> = {
  string: leafOf('string'),
  words: wordCondition,
  token: leafOf('token'),
  reference: leafOf('reference'),
  uri: leafOf('uri'),
  date: leafOf('date'),
  number: leafOf('number'),
  quantity: leafOf('quantity'),
  position: near,
  composite: composed,
}

const canonical = maybe(fc.constant(true as const))

const otherConditions = (inner: fc.Arbitrary<Condition>): Arbitraries<Exclude<Condition['kind'], ValueKind>> => ({
  missing: fc.record({ param: anyParam, missing: fc.boolean() }).map((value) => ({ kind: 'missing', ...value })),
  id: fc.array(ids, { minLength: 1, maxLength: 3 }).map((list) => ({ kind: 'id', ids: list })),
  type: fc.subarray([...TYPES]).map((list) => ({ kind: 'type', types: list })),
  lastUpdated: bounds.map((value) => ({ kind: 'lastUpdated', bounds: value })),
  any: fc.array(inner, { minLength: 1, maxLength: 3 }).map((of) => ({ kind: 'any', of })),
  all: fc.array(inner, { minLength: 1, maxLength: 2 }).map((of) => ({ kind: 'all', of })),
  not: inner.map((of) => ({ kind: 'not', of })),
  'token-part': fc
    .record({ param: fc.constantFrom(...PARAMS.token), match: fc.constantFrom('prefix', 'suffix'), value: codes })
    .map((value) => ({ kind: 'token-part', ...value })),
  unequal: equality.map((of) => ({ kind: 'unequal', of })),
  chain: fc
    .record({
      param: fc.constantFrom(...PARAMS.reference),
      types: fc.subarray([...TYPES], { minLength: 1 }),
      canonical,
      where: inner,
    })
    .map((value) => ({ kind: 'chain', ...present(value) })),
  has: fc
    .record({ param: fc.constantFrom(...PARAMS.reference), type: types, canonical, where: inner })
    .map((value) => ({ kind: 'has', ...present(value) })),
})

export const { condition: conditions } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(...Object.values(valueConditions), composed),
    ...Object.values(otherConditions(tie('condition'))),
  ),
}))

const sortKey: fc.Arbitrary<SortKey> = fc.oneof(
  fc.record({ by: fc.constantFrom('id', 'lastUpdated'), descending: fc.boolean() }),
  ...KINDS.map((by) =>
    fc.record({ by: fc.constant(by), param: fc.constantFrom(...PARAMS[by]), descending: fc.boolean() }),
  ),
)

const include = fc
  .record({
    source: fc.oneof(types, fc.constant('*')),
    param: fc.constantFrom(...PARAMS.reference, '*'),
    target: maybe(types),
    canonical: maybe(fc.subarray([...TYPES], { minLength: 1 })),
    reverse: fc.boolean(),
    iterate: fc.boolean(),
  })
  // A canonical is followed by one parameter of one type, to types that are named already.
  .map(({ canonical: types, ...one }) =>
    types === undefined || one.source === '*' || one.param === '*'
      ? present(one)
      : present({ ...one, target: undefined, canonical: types }),
  )

export const plans: fc.Arbitrary<SearchPlan> = fc
  .record({
    clinic: clinics,
    types: fc.subarray([...TYPES], { minLength: 1 }),
    where: fc.array(conditions, { maxLength: 3 }),
    sort: fc.array(sortKey, { maxLength: 2 }),
    count: fc.integer({ min: 0, max: 4 }),
    total: fc.constantFrom<SearchPlan['total'][]>('none', 'estimate', 'accurate'),
    countUpTo: maybe(fc.integer({ min: 0, max: 6 })),
    include: fc.array(include, { maxLength: 2 }),
    includeLimit: fc.constant(1000),
  })
  .map(present)
