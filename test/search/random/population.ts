/** Random resources, valid, and with every kind of searched element. */
import fc from 'fast-check'
import type { Resource } from '../naive/elements.ts'
import { UCUM } from '../naive/quantities.ts'
import {
  address,
  age,
  codes,
  coding,
  common,
  concept,
  contacts,
  dates,
  dateTimes,
  decimals,
  genders,
  IDS,
  identifier,
  instants,
  integers,
  joined,
  maybe,
  measure,
  money,
  name,
  oneOf,
  period,
  range,
  reference,
  some,
  systems,
  TYPES,
  type Type,
  timing,
  unit,
  value,
  words,
} from './vocabulary.ts'

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

/** The terminology for searches by value sets and hierarchies of codes. */
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
    resourceType: 'CodeSystem',
    id: 'two',
    url: 'urn:two',
    status: 'active',
    content: 'not-present',
    caseSensitive: true,
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

/** The resource as the server gets it: without undefined elements and empty objects. */
const sent = (resource: Resource): Resource =>
  JSON.parse(JSON.stringify(resource), (_, value: unknown) =>
    JSON.stringify(value) === '{}' ? undefined : value,
  ) as Resource

/** Each with its connections: those that most others refer to are in every population. */
const typesOfOne = fc
  .subarray([...TYPES], { minLength: 4, maxLength: 5 })
  .map((types) => [...new Set<Type>(['Patient', 'Observation', ...types])])

/** All resources on a server. */
export const populations: fc.Arbitrary<readonly Resource[]> = typesOfOne
  .chain((types) => {
    const all = types.flatMap((type) => IDS.map((id) => [type, id] as const))
    return fc.subarray(all, { minLength: Math.min(30, all.length) })
  })
  .chain((addresses) => fc.tuple(...addresses.map(resourceAt)))
  .map((resources) => [...FIXED, ...resources.map(sent)])
