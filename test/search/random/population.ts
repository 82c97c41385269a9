/** Random resources over a small vocabulary, so that they meet often: valid, and with every kind of searched element. */
import fc from 'fast-check'
import type { Resource } from '../naive/elements.ts'
import { UCUM } from '../naive/quantities.ts'

/** The address of the server, which references may begin with. */
export const BASE = 'https://emr.example/fhir'

/** What is left out is undefined, and so not sent. */
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, arbitrary)
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 })
/** One of the types of a choice element, or none. */
const oneOf = (choices: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof(fc.constant({}), ...Object.entries(choices).map(([name, value]) => value.map((one) => ({ [name]: one }))))
const joined = (...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as object)

export const words = fc.constantFrom(
  ...['Ann', 'Anna', 'anna', 'Ánna-Lee', 'Müller', 'Muller', 'Bo', 'zoë', 'O’Neil', '王小明', 'Straße', 'İzmir'],
  ...['a,b', 'a$b|c', 'x\\y', '\u{1F600}x', '\uFF5Eé', 'van der Berg', 'Łódź'],
)
export const codes = fc.constantFrom('a', 'b', 'ab', 'A', 'a|b', 'b,c')
export const systems = fc.constantFrom('urn:one', 'urn:two')
/** Of the code system that every population has. */
const treeCodes = fc.constantFrom('root', 'left', 'right', 'leaf')
export const dates = fc.constantFrom('1970', '1970-02', '1970-02-03', '1971-01-01', '2024-02-29', '2024-12-31', '2025')
export const instants = fc.constantFrom(
  ...['1970-02-03T04:05:06Z', '1970-02-03T23:30:00-02:00', '2024-02-29T12:00:00.500Z', '2024-02-29T12:00:00Z'],
  ...['2024-12-31T23:59:59.999Z', '2025-01-01T01:00:00+02:00'],
)
const dateTimes = fc.oneof(dates, instants)
export const decimals = fc.constantFrom(
  ...[0, 0.1, 1, 5.4, 5.35, 5.45, 5.449, 99.5, 100, 100.5, 100.004, -3, 95, 105, 1000],
)
const integers = fc.integer({ min: 0, max: 12 })

const coding = fc.oneof(
  fc.record({ system: maybe(systems), code: codes, display: maybe(words) }),
  fc.record({ system: fc.constant('urn:tree'), code: treeCodes }),
  fc.record({ system: systems, display: words }),
)
const concept = fc.oneof(
  { weight: 6, arbitrary: fc.record({ coding: fc.array(coding, { minLength: 1, maxLength: 2 }), text: maybe(words) }) },
  fc.record({ text: words }),
)
const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0203'
const identifierType = fc.record({
  coding: fc.constantFrom('MR', 'DL').map((code) => [{ system: V2, code }]),
  text: maybe(words),
})
const identifier = fc.record({ system: maybe(systems), value: codes, type: maybe(identifierType) })

export const IDS = ['1', '2', '3', '4', '5', '6'] as const

export const TYPES = [
  ...(['Patient', 'Practitioner', 'Organization', 'Location', 'Encounter', 'Observation', 'Condition'] as const),
  ...([
    'DiagnosticReport',
    'RiskAssessment',
    'ChargeItem',
    'Invoice',
    'MolecularSequence',
    'ValueSet',
    'List',
  ] as const),
  ...(['Group', 'QuestionnaireResponse', 'Task'] as const),
] as const
export type Type = (typeof TYPES)[number]

const literal = (...types: readonly Type[]) =>
  fc
    .tuple(fc.constantFrom('', '', '', '', `${BASE}/`), fc.constantFrom(...types), fc.constantFrom(...IDS))
    .map(([base, type, id]) => `${base}${type}/${id}`)
const elsewhere = (...types: readonly Type[]) =>
  fc.constantFrom(...types.flatMap((type) => [`http://elsewhere.example/${type}/1`, `${type}/1/_history/1`]))

/** Relative or absolute, here or elsewhere, of a version, or logical. */
const reference = (...types: readonly Type[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ reference: literal(...types), display: rarely(words) }) },
    fc.record({ reference: elsewhere(...types) }),
    fc.record({ identifier, type: maybe(fc.constantFrom(...types)) }),
    fc.record({ display: words }),
  )

const period = fc
  .record({
    start: maybe(fc.constantFrom('1970', '1970-02-03', '1970-02-03T04:05:06Z', '2024-02-29T12:00:00.500Z', '2024-02')),
    end: fc.constantFrom(undefined, '2024-03-01', '2024-03', '2024-12-31T23:30:00-02:00', '2025'),
  })
  .filter(({ start, end }) => start !== undefined || end !== undefined)
const timing = fc.oneof(
  fc.record({ event: some(instants) }),
  fc.record({ repeat: fc.record({ boundsPeriod: period }) }),
  fc.constant({ code: { text: 'daily' } }),
)

const unit = (...codes: readonly string[]) =>
  fc.constantFrom(...codes).map((code) => ({ system: UCUM, code, unit: code }))
const units = fc.oneof(
  { weight: 4, arbitrary: unit('g', 'mg', 'ug', 'kg', '[lb_av]', 'cm', '[in_i]', 'Cel', '[degF]', '%', '1') },
  fc.constantFrom({}, { unit: 'spoons' }, { system: 'urn:one', code: 'a', unit: 'As' }, { unit: 'mg' }),
)
const comparators = fc.constantFrom(undefined, undefined, undefined, '<', '<=', '>', '>=')
const measured = fc.oneof(decimals, decimals, fc.constantFrom(0.0054, 0.001, 1e-6, 37.5, 99.5, 310.65, 453.59237, 2.54))
const quantity = fc
  .tuple(fc.record({ value: maybe(measured), comparator: comparators }), units)
  .map(([{ value, comparator }, of]) => (value === undefined ? of : { value, comparator, ...of }))
const measure = fc.tuple(decimals, units).map(([value, of]) => ({ value, ...of }))
/** Both ends in one unit, one of them perhaps open. */
const range = fc
  .tuple(decimals, fc.constantFrom(0, 1, 10), unit('mg', 'cm'), fc.constantFrom('both', 'low', 'high'))
  .map(([low, more, of, ends]) => ({
    ...(ends === 'high' ? {} : { low: { value: low, ...of } }),
    ...(ends === 'low' ? {} : { high: { value: low + more, ...of } }),
  }))
const age = fc
  .tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom('a', 'mo'))
  .map(([value, code]) => ({ value, unit: code, system: UCUM, code }))
const money = fc.record({ value: decimals, currency: fc.constantFrom('EUR', 'USD') })

const narrative = fc
  .uniqueArray(fc.constantFrom('Bone', 'liver', 'Müller', 'lung', 'x-ray', 'metastases'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((text) => ({
    status: 'generated',
    div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>${text.join('</p><p>')}</p></div>`,
  }))

const PROFILES = ['http://p.example/a', 'http://p.example/a|1', 'http://p.example/b|2']
const common = fc.record({
  meta: rarely(
    fc.record({
      tag: maybe(some(fc.record({ system: maybe(systems), code: codes }))),
      security: maybe(some(fc.record({ system: systems, code: codes }))),
      profile: maybe(fc.subarray(PROFILES, { minLength: 1, maxLength: 2 })),
      source: maybe(fc.constantFrom('http://s.example/a', 'http://s.example/a/b', 'urn:s')),
    }),
  ),
  text: rarely(narrative),
})

const contacts = some(
  fc.oneof(
    fc.record({ system: fc.constant('phone'), value: fc.constantFrom('+1 (555) 010-0199', '15550100199', '0664/12') }),
    fc.record({ system: fc.constant('email'), value: fc.constantFrom('Ada@Example.org', 'bo@example.org') }),
    fc.record({ system: fc.constantFrom('url', 'sms'), value: fc.constantFrom('http://X.org/1-2', '+15550100199') }),
  ),
)
const address = fc.record({
  line: maybe(some(words)),
  city: maybe(words),
  postalCode: maybe(fc.constantFrom('01310-100', '1010')),
  country: maybe(fc.constantFrom('AT', 'BR')),
  use: maybe(fc.constantFrom('temp', 'work')),
  text: fc.constant('Main St. 12'),
})
const name = fc.record({ family: maybe(words), given: maybe(some(words)), use: fc.constant('usual') })
const genders = fc.constantFrom('male', 'female', 'other')

const value = oneOf({
  valueQuantity: quantity,
  valueCodeableConcept: concept,
  valueString: words,
  valueDateTime: dateTimes,
  valuePeriod: period,
})

const CONTENTS: Readonly<Record<Type, fc.Arbitrary<object>>> = {
  Patient: joined(
    fc.record({
      active: maybe(fc.boolean()),
      identifier: maybe(some(identifier)),
      name: maybe(some(name)),
      gender: maybe(genders),
      birthDate: maybe(dates),
      telecom: maybe(contacts),
      address: maybe(some(address)),
      generalPractitioner: maybe(some(reference('Practitioner', 'Organization'))),
      managingOrganization: maybe(reference('Organization')),
      communication: maybe(some(fc.record({ language: concept }))),
      link: maybe(some(fc.record({ other: reference('Patient'), type: fc.constant('seealso') }))),
    }),
    oneOf({ deceasedBoolean: fc.boolean(), deceasedDateTime: dateTimes }),
  ),
  Practitioner: fc.record({
    active: maybe(fc.boolean()),
    identifier: maybe(some(identifier)),
    name: maybe(some(name)),
    telecom: maybe(contacts),
    gender: maybe(genders),
  }),
  Organization: fc.record({
    active: maybe(fc.boolean()),
    name: words,
    alias: maybe(some(words)),
    type: maybe(some(concept)),
    address: maybe(some(address)),
    partOf: maybe(reference('Organization')),
  }),
  Location: fc.record({
    status: maybe(fc.constantFrom('active', 'inactive')),
    name: maybe(words),
    type: maybe(some(concept)),
    address: maybe(address),
    partOf: maybe(reference('Location')),
    managingOrganization: maybe(reference('Organization')),
    position: maybe(
      fc.record({
        latitude: fc.constantFrom(-90, -89.9, -45.25, 0, 42.36, 42.4, 48.2, 89.95, 90),
        longitude: fc.constantFrom(-180, -179.95, -71.06, -71.1, 0, 16.37, 179.95),
      }),
    ),
  }),
  Encounter: fc.record({
    status: fc.constantFrom('planned', 'finished'),
    class: fc.record({ system: maybe(systems), code: codes }),
    subject: maybe(reference('Patient', 'Group')),
    partOf: maybe(reference('Encounter')),
    period: maybe(period),
    length: maybe(
      fc.tuple(fc.constantFrom(30, 60, 90, 1.5), unit('min', 'h', 'd')).map(([value, of]) => ({ value, ...of })),
    ),
    location: maybe(some(fc.record({ location: reference('Location'), period: maybe(period) }))),
    participant: maybe(some(fc.record({ individual: reference('Practitioner') }))),
  }),
  Observation: joined(
    fc.record({
      status: fc.constantFrom('final', 'amended'),
      code: concept,
      category: maybe(some(concept)),
      subject: maybe(reference('Patient', 'Group', 'Location')),
      encounter: maybe(reference('Encounter')),
      performer: maybe(some(reference('Practitioner', 'Organization', 'Patient'))),
      hasMember: maybe(some(reference('Observation', 'QuestionnaireResponse'))),
      component: maybe(
        some(
          joined(
            fc.record({
              code: fc.record({
                text: fc.constant('part'),
                coding: some(coding.map((one) => ({ ...one, userSelected: true }))),
              }),
            }),
            value,
          ),
        ),
      ),
    }),
    value,
    oneOf({
      effectiveDateTime: dateTimes,
      effectivePeriod: period,
      effectiveInstant: instants,
      effectiveTiming: timing,
    }),
  ),
  Condition: joined(
    fc.record({
      clinicalStatus: fc.constant({
        coding: [{ system: 'http://terminology.hl7.org/CodeSystem/condition-clinical', code: 'resolved' }],
      }),
      code: maybe(concept),
      severity: maybe(concept),
      subject: reference('Patient', 'Group'),
      encounter: maybe(reference('Encounter')),
      recordedDate: maybe(dateTimes),
      evidence: maybe(
        some(fc.record({ code: some(concept), detail: maybe(some(reference('Observation', 'Location'))) })),
      ),
    }),
    oneOf({ onsetAge: age, onsetRange: range, onsetDateTime: dateTimes, onsetPeriod: period, onsetString: words }),
    oneOf({ abatementAge: age, abatementDateTime: dateTimes, abatementPeriod: period, abatementString: words }),
  ),
  DiagnosticReport: joined(
    fc.record({
      status: fc.constantFrom('final', 'partial'),
      code: concept,
      subject: maybe(reference('Patient', 'Group', 'Location')),
      issued: maybe(instants),
      result: maybe(some(reference('Observation'))),
      conclusionCode: maybe(some(concept)),
    }),
    oneOf({ effectiveDateTime: dateTimes, effectivePeriod: period }),
  ),
  RiskAssessment: fc.record({
    status: fc.constant('final'),
    subject: reference('Patient', 'Group'),
    prediction: maybe(
      some(
        oneOf({
          probabilityDecimal: fc.constantFrom(0, 0.1, 0.15, 1, 5.4, 5.35, 5.45, 99.5, 100),
          probabilityRange: fc.tuple(fc.constantFrom(0, 1, 5.4), fc.constantFrom(0, 1, 10)).map(([low, more]) => ({
            low: { value: low, system: UCUM, code: '%' },
            high: { value: low + more, system: UCUM, code: '%' },
          })),
        }).map((one) => ({ outcome: { text: 'x' }, ...one })),
      ),
    ),
  }),
  ChargeItem: joined(
    fc.record({
      status: fc.constant('billable'),
      code: concept,
      subject: reference('Patient', 'Group'),
      factorOverride: maybe(decimals),
      priceOverride: maybe(money),
      quantity: maybe(measure),
      enteredDate: maybe(dateTimes),
    }),
    oneOf({ occurrenceDateTime: dateTimes, occurrencePeriod: period, occurrenceTiming: timing }),
  ),
  Invoice: fc.record({
    status: fc.constant('issued'),
    subject: maybe(reference('Patient', 'Group')),
    date: maybe(dateTimes),
    totalNet: maybe(money),
    totalGross: maybe(money),
  }),
  MolecularSequence: fc.record({
    coordinateSystem: fc.constantFrom(0, 1),
    patient: maybe(reference('Patient')),
    type: maybe(fc.constantFrom('aa', 'dna')),
    referenceSeq: maybe(
      fc.record({ referenceSeqId: concept, windowStart: integers, windowEnd: integers, strand: fc.constant('watson') }),
    ),
    variant: maybe(some(fc.record({ start: maybe(integers), end: maybe(integers), cigar: fc.constant('3M') }))),
  }),
  ValueSet: fc.record({
    status: fc.constantFrom('draft', 'active'),
    url: fc.constantFrom('http://x', 'http://x/', 'http://x/a', 'http://x/a/b', 'http://xy', 'urn:x'),
    version: maybe(codes),
    title: maybe(words),
    date: maybe(dateTimes),
    useContext: maybe(
      some(
        joined(
          fc.record({ code: fc.record({ system: systems, code: codes }) }),
          oneOf({ valueQuantity: measure, valueRange: range }).map((one) =>
            Object.keys(one).length === 0 ? { valueCodeableConcept: { text: 'x', coding: [{ code: 'a' }] } } : one,
          ),
        ),
      ),
    ),
  }),
  List: fc.record({
    status: fc.constantFrom('current', 'retired'),
    mode: fc.constant('working'),
    title: maybe(words),
    code: maybe(concept),
    subject: maybe(reference('Patient', 'Group', 'Location')),
    date: maybe(dateTimes),
    entry: maybe(some(fc.record({ item: reference('Patient', 'Observation', 'Encounter', 'Condition', 'List') }))),
  }),
  Group: fc.record({
    type: fc.constantFrom('person', 'animal'),
    actual: fc.constant(true),
    code: maybe(concept),
    characteristic: maybe(
      some(
        joined(
          fc.record({ code: concept, exclude: fc.boolean() }),
          fc.oneof(
            fc.record({ valueCodeableConcept: concept }),
            fc.record({ valueBoolean: fc.boolean() }),
            fc.record({ valueQuantity: measure }),
          ),
        ),
      ),
    ),
    member: maybe(some(fc.record({ entity: reference('Patient', 'Practitioner', 'Group') }))),
  }),
  QuestionnaireResponse: fc.record({
    status: fc.constantFrom('completed', 'amended'),
    questionnaire: maybe(fc.constantFrom('http://q.example/a', 'http://q.example/a|1', 'http://q.example/a|1.2')),
    subject: maybe(reference('Patient', 'Observation', 'Location')),
    authored: maybe(dateTimes),
    encounter: maybe(reference('Encounter')),
  }),
  Task: fc.record({
    status: fc.constantFrom('requested', 'completed'),
    intent: fc.constantFrom('order', 'plan'),
    code: maybe(concept),
    focus: maybe(reference('Observation', 'Invoice', 'ValueSet')),
    for: maybe(reference('Patient', 'Location')),
    partOf: maybe(some(reference('Task'))),
    authoredOn: maybe(dateTimes),
    executionPeriod: maybe(period),
    identifier: maybe(some(identifier)),
  }),
}

/** What searches by value sets and hierarchies of codes need. */
const FIXED: readonly Resource[] = [
  {
    resourceType: 'CodeSystem',
    id: 'tree',
    url: 'urn:tree',
    status: 'active',
    content: 'complete',
    concept: [{ code: 'root', concept: [{ code: 'left', concept: [{ code: 'leaf' }] }, { code: 'right' }] }],
  },
  {
    resourceType: 'ValueSet',
    id: 'listed',
    url: 'http://listed.example',
    version: '1',
    status: 'active',
    compose: {
      include: [
        { system: 'urn:one', concept: [{ code: 'a' }, { code: 'A' }] },
        { system: 'urn:tree', concept: [{ code: 'left' }] },
      ],
    },
  },
]

const resourceAt = ([resourceType, id]: readonly [Type, string]): fc.Arbitrary<Resource> =>
  fc.tuple(common, CONTENTS[resourceType]).map(([shared, content]) => ({ resourceType, id, ...shared, ...content }))

/** As the server gets it: without what is undefined, or an object with nothing in it. */
const sent = (resource: Resource): Resource =>
  JSON.parse(JSON.stringify(resource), (_, value: unknown) =>
    JSON.stringify(value) === '{}' ? undefined : value,
  ) as Resource

/** Each with its connections: those that most others refer to are in every population. */
const typesOfOne = fc
  .subarray([...TYPES], { minLength: 4, maxLength: 5 })
  .map((types) => [...new Set<Type>(['Patient', 'Observation', ...types])])

/** What a server holds. */
export const populations: fc.Arbitrary<readonly Resource[]> = typesOfOne
  .chain((types) => {
    const all = types.flatMap((type) => IDS.map((id) => [type, id] as const))
    return fc.subarray(all, { minLength: Math.min(30, all.length) })
  })
  .chain((addresses) => fc.tuple(...addresses.map(resourceAt)))
  .map((resources) => [...FIXED, ...resources.map(sent)])
