/**
 * The vocabulary of random resources: few words and codes, so that they often coincide, for every kind of searched
 * element.
 */
import fc from 'fast-check'
import { UCUM } from '../naive/quantities.ts'

/** The address of the server, which references may begin with. */
export const BASE = 'https://emr.example/fhir'

/** An optional value; undefined values are not sent. */
export const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, arbitrary)
export const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 })
/** One of the types of a choice element, or none. */
export const oneOf = (choices: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.oneof(fc.constant({}), ...Object.entries(choices).map(([name, value]) => value.map((one) => ({ [name]: one }))))
export const joined = (...parts: readonly fc.Arbitrary<object>[]): fc.Arbitrary<object> =>
  fc.tuple(...parts).map((all) => Object.assign({}, ...all) as object)

export const words = fc.constantFrom(
  ...['Ann', 'Anna', 'anna', 'Ánna-Lee', 'Müller', 'Muller', 'Bo', 'zoë', 'O’Neil', '王小明', 'Straße', 'İzmir'],
  ...['a,b', 'a$b|c', 'x\\y', '\u{1F600}x', '\uFF5Eé', 'van der Berg', 'Łódź'],
)
export const codes = fc.constantFrom('a', 'b', 'ab', 'A', 'a|b', 'b,c')
export const systems = fc.constantFrom('urn:one', 'urn:two')
/** Codes of the code system that every population has. */
const treeCodes = fc.constantFrom('root', 'left', 'right', 'leaf')
export const dates = fc.constantFrom('1970', '1970-02', '1970-02-03', '1971-01-01', '2024-02-29', '2024-12-31', '2025')
export const instants = fc.constantFrom(
  ...['1970-02-03T04:05:06Z', '1970-02-03T23:30:00-02:00', '2024-02-29T12:00:00.500Z', '2024-02-29T12:00:00Z'],
  ...['2024-12-31T23:59:59.999Z', '2025-01-01T01:00:00+02:00'],
)
export const dateTimes = fc.oneof(dates, instants)
export const decimals = fc.constantFrom(
  ...[0, 0.1, 1, 5.4, 5.35, 5.45, 5.449, 99.5, 100, 100.5, 100.004, -3, 95, 105, 1000],
)
export const integers = fc.integer({ min: 0, max: 12 })

export const coding = fc.oneof(
  fc.record({ system: maybe(systems), code: codes, display: maybe(words) }),
  fc.record({ system: fc.constant('urn:tree'), code: treeCodes }),
  fc.record({ system: systems, display: words }),
)
export const concept = fc.oneof(
  { weight: 6, arbitrary: fc.record({ coding: fc.array(coding, { minLength: 1, maxLength: 2 }), text: maybe(words) }) },
  fc.record({ text: words }),
)
const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0203'
const identifierType = fc.record({
  coding: fc.constantFrom('MR', 'DL').map((code) => [{ system: V2, code }]),
  text: maybe(words),
})
export const identifier = fc.record({ system: maybe(systems), value: codes, type: maybe(identifierType) })

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
export const reference = (...types: readonly Type[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.record({ reference: literal(...types), display: rarely(words) }) },
    fc.record({ reference: elsewhere(...types) }),
    fc.record({ identifier, type: maybe(fc.constantFrom(...types)) }),
    fc.record({ display: words }),
  )

export const period = fc
  .record({
    start: maybe(fc.constantFrom('1970', '1970-02-03', '1970-02-03T04:05:06Z', '2024-02-29T12:00:00.500Z', '2024-02')),
    end: fc.constantFrom(undefined, '2024-03-01', '2024-03', '2024-12-31T23:30:00-02:00', '2025'),
  })
  .filter(({ start, end }) => start !== undefined || end !== undefined)
export const timing = fc.oneof(
  fc.record({ event: some(instants) }),
  fc.record({ repeat: fc.record({ boundsPeriod: period }) }),
  fc.constant({ code: { text: 'daily' } }),
)

export const unit = (...codes: readonly string[]) =>
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
export const measure = fc.tuple(decimals, units).map(([value, of]) => ({ value, ...of }))
/** Both ends in one unit, one of them perhaps open. */
export const range = fc
  .tuple(decimals, fc.constantFrom(0, 1, 10), unit('mg', 'cm'), fc.constantFrom('both', 'low', 'high'))
  .map(([low, more, of, ends]) => ({
    ...(ends === 'high' ? {} : { low: { value: low, ...of } }),
    ...(ends === 'low' ? {} : { high: { value: low + more, ...of } }),
  }))
export const age = fc
  .tuple(fc.integer({ min: 1, max: 90 }), fc.constantFrom('a', 'mo'))
  .map(([value, code]) => ({ value, unit: code, system: UCUM, code }))
export const money = fc.record({ value: decimals, currency: fc.constantFrom('EUR', 'USD') })

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
export const common = fc.record({
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

export const contacts = some(
  fc.oneof(
    fc.record({ system: fc.constant('phone'), value: fc.constantFrom('+1 (555) 010-0199', '15550100199', '0664/12') }),
    fc.record({ system: fc.constant('email'), value: fc.constantFrom('Ada@Example.org', 'bo@example.org') }),
    fc.record({ system: fc.constantFrom('url', 'sms'), value: fc.constantFrom('http://X.org/1-2', '+15550100199') }),
  ),
)
export const address = fc.record({
  line: maybe(some(words)),
  city: maybe(words),
  postalCode: maybe(fc.constantFrom('01310-100', '1010')),
  country: maybe(fc.constantFrom('AT', 'BR')),
  use: maybe(fc.constantFrom('temp', 'work')),
  text: fc.constant('Main St. 12'),
})
export const name = fc.record({ family: maybe(words), given: maybe(some(words)), use: fc.constant('usual') })
export const genders = fc.constantFrom('male', 'female', 'other')

export const value = oneOf({
  valueQuantity: quantity,
  valueCodeableConcept: concept,
  valueString: words,
  valueDateTime: dateTimes,
  valuePeriod: period,
})
