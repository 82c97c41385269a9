/** Random FHIR requests over a small vocabulary, so that they meet often. */
import fc from 'fast-check'

export interface RandomRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

const UCUM = 'http://unitsofmeasure.org'

/** An optional value; undefined values are not sent. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 })

const words = fc.constantFrom(
  'Ann',
  'Anna',
  'anna',
  'Ánna-Lee',
  'Müller',
  'Bo',
  'zoë',
  '\u{1F600}x',
  '\uFF5Eé',
  'a,b',
  'a$b|c',
)
const codes = fc.constantFrom('a', 'b', 'ab', 'A')
const systems = fc.constantFrom('urn:one', 'urn:two')
const days = fc.constantFrom('1970', '1970-02', '1970-02-03', '1971-01-01', '2024-02-29')
const times = fc.constantFrom(
  '1970-02-03T04:05:06Z',
  '1970-02-03T23:30:00-02:00',
  '2024-02-29T12:00:00.5Z',
  '1970-02-03',
)
/** Written as it stands. */
function decimal(text: string): unknown {
  return JSON.rawJSON(text)
}
const numbers = fc.constantFrom('0', '0.1', '0.10', '1', '1.00', '-3', '12345678901234567890.5', '1e3')

const units = fc.constantFrom('mg', 'g', 'kg', 'Cel', '[degF]', 'mg/dL', 'g/L')
const quantity = fc.oneof(
  fc.record({
    value: numbers.map(decimal),
    comparator: maybe(fc.constantFrom('<', '>=')),
    system: fc.constantFrom(UCUM, UCUM, 'urn:one'),
    code: units,
    unit: maybe(codes),
  }),
  fc.record({ value: numbers.map(decimal), unit: codes }),
)

const coding = fc.record({ system: maybe(systems), code: codes })
const concept = fc.record({ coding: fc.array(coding, { minLength: 1, maxLength: 2 }), text: maybe(words) })
const identifier = fc.record({ system: maybe(systems), value: codes })

const IDS = ['1', '2', '3', '4']
const TYPES = [
  ...(['Patient', 'Practitioner', 'Observation', 'Encounter', 'RiskAssessment', 'ValueSet', 'Location'] as const),
] as const
type Type = (typeof TYPES)[number]

const to = (...types: readonly Type[]) =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.tuple(fc.constantFrom(...types), fc.constantFrom(...IDS)).map((parts) => parts.join('/')),
    },
    fc.constantFrom('http://elsewhere.example/Patient/1', 'Patient/1/_history/1'),
  )
const reference = (...types: readonly Type[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.record({ reference: to(...types) }) }, fc.record({ identifier }))

const period = fc.record({ start: maybe(times), end: fc.constantFrom(undefined, '2024-03-01', '2024-02-29T12:00:01Z') })

const CONTENTS: Readonly<Record<Type, fc.Arbitrary<object>>> = {
  Patient: fc.record({
    active: maybe(fc.boolean()),
    identifier: maybe(some(identifier)),
    name: maybe(some(fc.record({ family: maybe(words), given: maybe(some(words)), text: fc.constant('x') }))),
    gender: maybe(fc.constantFrom('male', 'female')),
    birthDate: maybe(days),
    telecom: maybe(some(fc.record({ system: fc.constantFrom('phone', 'email'), value: codes }))),
    generalPractitioner: maybe(some(reference('Practitioner'))),
    link: maybe(some(fc.record({ other: reference('Patient'), type: fc.constant('seealso') }))),
  }),
  Practitioner: fc.record({
    active: maybe(fc.boolean()),
    identifier: maybe(some(identifier)),
    name: maybe(some(fc.record({ family: words }))),
  }),
  Observation: fc.record({
    status: fc.constantFrom('final', 'amended'),
    code: concept,
    category: maybe(some(concept)),
    subject: maybe(reference('Patient')),
    encounter: maybe(reference('Encounter')),
    effectivePeriod: maybe(period.filter(({ start, end }) => start !== undefined || end !== undefined)),
    valueQuantity: maybe(quantity),
    component: maybe(some(fc.record({ code: concept, valueQuantity: quantity }))),
    issued: maybe(fc.constantFrom('1970-02-03T04:05:06Z', '2024-02-29T12:00:00.5+01:00')),
  }),
  Encounter: fc.record({
    status: fc.constantFrom('planned', 'finished'),
    class: coding,
    subject: maybe(reference('Patient')),
    partOf: maybe(reference('Encounter')),
    period: maybe(period.filter(({ start, end }) => start !== undefined || end !== undefined)),
  }),
  RiskAssessment: fc.record({
    status: fc.constant('final'),
    subject: reference('Patient'),
    prediction: maybe(some(fc.record({ probabilityDecimal: numbers.map(decimal) }))),
  }),
  Location: fc.record({
    name: words,
    position: maybe(
      fc.record({
        latitude: fc.constantFrom(-90, 0, 10.5, 89.9),
        longitude: fc.constantFrom(-180, -179.9, 0.25, 180),
      }),
    ),
  }),
  ValueSet: fc.record({
    useContext: maybe(
      some(
        fc.record({
          code: coding,
          valueRange: fc.record({
            low: fc.constant({ value: 1, system: UCUM, code: 'g' }),
            high: maybe(fc.constant({ value: 5000, system: UCUM, code: 'mg' })),
          }),
        }),
      ),
    ),
    status: fc.constantFrom('draft', 'active'),
    url: fc.constantFrom('http://x', 'http://x/', 'http://x/a', 'http://x/a/b', 'http://xy'),
    version: maybe(codes),
    title: maybe(words),
    date: maybe(days),
  }),
}

const addresses = fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...IDS))

const resources = addresses.chain(([resourceType, id]) =>
  CONTENTS[resourceType].map((content) => ({ resourceType, id, ...content })),
)

type Kind = 'string' | 'token' | 'reference' | 'date' | 'number' | 'uri' | 'quantity'

const SEARCHES: Readonly<Record<Type, Readonly<Record<string, Kind>>>> = {
  Patient: {
    name: 'string',
    family: 'string',
    given: 'string',
    birthdate: 'date',
    active: 'token',
    gender: 'token',
    identifier: 'token',
    telecom: 'token',
    phone: 'token',
    'general-practitioner': 'reference',
    link: 'reference',
  },
  Practitioner: { name: 'string', active: 'token' },
  Observation: {
    status: 'token',
    code: 'token',
    category: 'token',
    subject: 'reference',
    patient: 'reference',
    encounter: 'reference',
    date: 'date',
    'value-quantity': 'quantity',
    'combo-value-quantity': 'quantity',
  },
  Location: { name: 'string' },
  Encounter: { status: 'token', class: 'token', subject: 'reference', 'part-of': 'reference', date: 'date' },
  RiskAssessment: { subject: 'reference', probability: 'number' },
  ValueSet: {
    'context-quantity': 'quantity',
    url: 'uri',
    title: 'string',
    version: 'token',
    date: 'date',
    status: 'token',
  },
}

/** The value is a whole query parameter, `name=value`. */
const encoded = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`
/** A value as it is written in a list. */
const escaped = (value: string) => value.replace(/[\\,$|]/g, '\\$&')
const listed = (values: fc.Arbitrary<string>) =>
  fc.array(values, { minLength: 1, maxLength: 2 }).map((list) => list.join(','))
const prefixes = fc.constantFrom('', 'eq', 'ne', 'lt', 'gt', 'le', 'ge', 'sa', 'eb')

const missing = (name: string) => fc.boolean().map((is) => encoded(`${name}:missing`, String(is)))

const quantities = fc
  .tuple(prefixes, numbers, fc.constantFrom('', '||', `|${UCUM}|`, `|${UCUM}|`, '|urn:one|'), units)
  .map(([prefix, number, middle, unit]) => prefix + number + (middle === '' ? '' : middle + unit))

function criterion(name: string, kind: Kind): fc.Arbitrary<string> {
  switch (kind) {
    case 'string':
      return fc
        .tuple(fc.constantFrom('', ':exact', ':contains'), listed(words.map(escaped)))
        .map(([modifier, value]) => encoded(name + modifier, value))
    case 'token':
      return fc
        .tuple(
          fc.constantFrom('', '', ':not'),
          listed(
            fc.oneof(
              codes,
              fc.constantFrom('true', 'female', 'final', 'planned', 'active', 'urn:one|'),
              fc.tuple(fc.constantFrom('urn:one', 'urn:two', ''), codes).map((parts) => parts.join('|')),
            ),
          ),
        )
        .map(([modifier, value]) => encoded(name + modifier, value))
    case 'reference':
      return listed(fc.oneof(to('Patient', 'Practitioner', 'Encounter'), fc.constantFrom(...IDS))).map((value) =>
        encoded(name, value),
      )
    case 'date':
      return listed(fc.tuple(prefixes, fc.oneof(days, times)).map((parts) => parts.join(''))).map((value) =>
        encoded(name, value),
      )
    case 'quantity':
      return listed(quantities).map((value) => encoded(name, value))
    case 'number':
      return listed(fc.tuple(prefixes, numbers).map((parts) => parts.join(''))).map((value) => encoded(name, value))
    case 'uri':
      return fc
        .tuple(
          fc.constantFrom('', ':above', ':below'),
          fc.constantFrom('http://x', 'http://x/', 'http://x/a', 'http://x/a/b'),
        )
        .map(([modifier, value]) => encoded(name + modifier, value))
  }
}

const ownCriterion = (type: Type) =>
  fc
    .constantFrom(...Object.entries(SEARCHES[type]))
    .chain(([name, kind]) => fc.oneof({ weight: 5, arbitrary: criterion(name, kind) }, missing(name)))

const filters = (...tests: readonly string[]) => tests.map((one) => encoded('_filter', one))

const LINKED: Readonly<Partial<Record<Type, readonly string[]>>> = {
  Patient: [
    'general-practitioner.name=bo',
    '_has:Observation:subject:code=a',
    '_has:Encounter:subject:_has:Observation:encounter:status=final',
    ...filters('family ew "ller" or given gt b', 'not (gender eq male) and identifier ne urn:one|a', 'name le "bo"'),
    ...filters('general-practitioner ne Practitioner/1', '_has:Observation:patient[status eq final].code ne a'),
    ...['_content=ann OR bo', '_content=m* NOT ann', '_content=zoe'],
  ],
  Observation: [
    'subject:Patient.family=ann',
    'patient.birthdate=ge1970',
    'encounter.subject:Patient.active=true',
    'patient.general-practitioner.active:missing=true',
    ...filters('patient[active eq true].family sw "m"', 'code ne urn:one|A', 'date po 1970', 'date co 2024-02-29'),
    ...[encoded('code-value-quantity', `a$ge0|${UCUM}|kg`), encoded('combo-code-value-quantity', 'b$lt2')],
    ...[encoded('component-code-value-quantity', `urn:one|a$0.1|${UCUM}|g,A$1`), 'code-value-quantity:missing=false'],
    ...['_content=zoe', 'code:text=z', 'code:below=urn:one|a', 'encounter:below=1', 'status:in=ValueSet/1'],
  ],
  Encounter: [
    ...['part-of:below=1', 'part-of:above=Encounter/2', 'subject:text=a'],
    ...['part-of.part-of.status=finished', '_has:Observation:encounter:date=lt2000'],
  ],
  Location: ['near=0|0|100', 'near=10.5|180|50|[mi_us]', 'near=89.95|90|30', 'near=0|0|20000', 'near:missing=true'],
  ValueSet: [encoded('context-type-quantity', `a$gt2|${UCUM}|g`), encoded('context-type-quantity', 'b$le1')],
  RiskAssessment: ['subject:Patient.name:contains=n'],
}
const INCLUDES: Readonly<Partial<Record<Type, readonly string[]>>> = {
  Patient: [
    '_revinclude=Observation:subject',
    '_include=*',
    '_revinclude=*',
    '_include=Patient:link&_include:iterate=Patient:link',
  ],
  Observation: [
    '_include=Observation:subject',
    '_include=*&_include:iterate=Patient:general-practitioner',
    '_include=Observation:encounter&_revinclude:iterate=Encounter:part-of',
  ],
  Encounter: ['_include:iterate=Encounter:part-of', '_revinclude=Observation:encounter'],
}

/** The types whose ids the servers do not assign: assigned ids have no order that two servers share. */
const SEARCHED = TYPES.filter((type) => type !== 'Practitioner')

const searches = fc.constantFrom(...SEARCHED).chain((type) => {
  const criteria = fc.oneof(
    { weight: 6, arbitrary: ownCriterion(type) },
    fc.constantFrom(...(LINKED[type] ?? ['_id=1'])),
    listed(fc.constantFrom(...IDS)).map((ids) => `_id=${ids}`),
  )
  const sign = fc.constantFrom('', '-')
  const sorts = fc
    .tuple(fc.array(fc.tuple(sign, fc.constantFrom(...Object.keys(SEARCHES[type]))), { maxLength: 2 }), sign)
    .map(([keys, last]) => `_sort=${[...keys, [last, '_id']].map((key) => key.join('')).join(',')}`)
  return fc
    .tuple(
      fc.array(criteria, { maxLength: 3 }),
      sorts,
      fc.constantFrom('', '', ...(INCLUDES[type] ?? [])),
      fc.constantFrom('', '_count=1', '_count=2', '_count=0', '_summary=count', '_elements=id', '_summary=true'),
      fc.constantFrom('', '_total=accurate', '_total=none'),
    )
    .map(([where, ...others]) => `/${type}?${[...where, ...others].filter((part) => part !== '').join('&')}`)
})

/** Two types have resources of the same id, which have no order that two servers share: they are counted. */
const typesQueries = fc
  .tuple(fc.subarray([...SEARCHED], { minLength: 1 }), fc.constantFrom('_sort=_id', '_sort=-_id', '_id=1,2&_sort=_id'))
  .map(([types, more]) => `/?_type=${types.join(',')}&_count=${types.length > 1 ? 0 : 3}&${more}`)

const histories = fc
  .tuple(
    fc.oneof(
      addresses.map((parts) => `/${parts.join('/')}/_history`),
      fc.constantFrom(...TYPES).map((type) => `/${type}/_history`),
      fc.constant('/_history'),
    ),
    fc.constantFrom('?_count=2', '?_count=50', '?_count=0', ''),
  )
  .map((parts) => parts.join(''))

const JSON_PATCH = { 'content-type': 'application/json-patch+json' }
const identifierQuery = fc
  .tuple(fc.constantFrom('urn:one', 'urn:two'), codes)
  .map(([system, code]) => `identifier=${encodeURIComponent(`${system}|${code}`)}`)

const get = (path: string): RandomRequest => ({ method: 'GET', path })
const put = (body: { readonly resourceType: string; readonly id: string }): RandomRequest => ({
  method: 'PUT',
  path: `/${body.resourceType}/${body.id}`,
  body,
})

const writes: fc.Arbitrary<RandomRequest> = fc.oneof(
  { weight: 8, arbitrary: resources.map(put) },
  { weight: 2, arbitrary: addresses.map((parts) => ({ method: 'DELETE', path: `/${parts.join('/')}` })) },
  fc.tuple(resources, fc.constantFrom('W/"1"', 'W/"2"')).map(([body, version]) => ({
    ...put(body),
    headers: { 'if-match': version },
  })),
  fc.tuple(CONTENTS.Practitioner, identifierQuery).map(([content, query]) => ({
    method: 'POST',
    path: '/Practitioner',
    body: { resourceType: 'Practitioner', ...content },
    headers: { 'if-none-exist': query },
  })),
  fc.tuple(CONTENTS.Practitioner, identifierQuery).map(([content, query]) => ({
    method: 'PUT',
    path: `/Practitioner?${query}`,
    body: { resourceType: 'Practitioner', ...content },
  })),
  identifierQuery.map((query) => ({ method: 'DELETE', path: `/Practitioner?${query}` })),
  fc.tuple(fc.constantFrom(...IDS), fc.boolean()).map(([id, value]) => ({
    method: 'PATCH',
    path: `/Patient/${id}`,
    body: [{ op: 'add', path: '/active', value }],
    headers: JSON_PATCH,
  })),
)

/** The entries of a batch run side by side, in no order; so it has but one. */
const bundles: fc.Arbitrary<RandomRequest> = fc
  .oneof(
    fc.tuple(fc.constant('transaction'), fc.array(writes, { minLength: 1, maxLength: 4 })),
    fc.tuple(fc.constant('batch'), fc.array(writes, { minLength: 1, maxLength: 1 })),
  )
  .map(([type, entries]) => ({ method: 'POST', path: '/', body: bundleOf(type, entries) }))

function bundleOf(type: string, entries: readonly RandomRequest[]): object {
  const entry = entries
    .filter(({ method }) => method !== 'PATCH')
    .map(({ method, path, body, headers = {} }) => ({
      resource: body,
      request: {
        method,
        url: path.slice(1),
        ifMatch: headers['if-match'],
        ifNoneExist: headers['if-none-exist'],
      },
    }))
  return { resourceType: 'Bundle', type, entry }
}

const reads = fc.oneof(
  addresses.map((parts) => `/${parts.join('/')}`),
  fc.tuple(addresses, fc.constantFrom(1, 2, 9)).map(([parts, version]) => `/${parts.join('/')}/_history/${version}`),
)

export const requests: fc.Arbitrary<readonly RandomRequest[]> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 5, arbitrary: writes }, bundles), { minLength: 5, maxLength: 25 }),
    fc.array(
      fc.oneof(
        { weight: 12, arbitrary: searches.map(get) },
        { weight: 1, arbitrary: reads.map(get) },
        { weight: 1, arbitrary: histories.map(get) },
        { weight: 1, arbitrary: typesQueries.map(get) },
      ),
      { minLength: 10, maxLength: 15 },
    ),
  )
  .map((parts) => parts.flat())
