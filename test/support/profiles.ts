/** Profiles made of a few elements, and resources checked against them without a server. */
import type { ElementDefinition, OperationOutcomeIssue, StructureDefinition } from 'fhir/r4'
import type { Issue } from '../../src/fhir/outcome.ts'
import { checkProfiles } from '../../src/profiles/check.ts'
import { loadProfiles } from '../../src/profiles/profile.ts'
import { gather } from '../../src/terminology/gather.ts'
import type { Terms, TermsType } from '../../src/terminology/packaged.ts'

export const BASE = 'http://example.org/StructureDefinition'

/** An element as a row: its id and its rules; path and slice name follow from the id. */
export type Row = readonly [id: string, rules: Partial<ElementDefinition> & Readonly<Record<string, unknown>>]

const elementOf = ([id, rules]: Row): ElementDefinition => {
  const sliceName = /:([^.:]+)$/.exec(id)?.[1]
  return { id, path: id.replace(/:[^.]+/g, ''), ...(sliceName === undefined ? {} : { sliceName }), ...rules }
}

/** A profile `name` of a type with a differential. */
export function profile(
  name: string,
  type: string,
  rows: readonly Row[],
  more: Partial<StructureDefinition> = {},
): StructureDefinition {
  return {
    resourceType: 'StructureDefinition',
    id: name,
    url: `${BASE}/${name}`,
    name: name.replace(/\W/g, '_'),
    status: 'active',
    kind: type === 'Extension' ? 'complex-type' : 'resource',
    abstract: false,
    ...(type === 'Extension' ? { context: [{ type: 'element' as const, expression: 'Element' }] } : {}),
    type,
    baseDefinition: `http://hl7.org/fhir/StructureDefinition/${type}`,
    derivation: 'constraint',
    differential: { element: [{ id: type, path: type }, ...rows.map(elementOf)] },
    ...more,
  }
}

/** The same rules as a snapshot. */
export const asSnapshot = ({ differential, ...rest }: StructureDefinition): StructureDefinition => ({
  ...rest,
  snapshot: { element: differential?.element ?? [] },
})

/** An extension with a value of this type. */
export const extensionOf = (name: string, type: string, more: Partial<StructureDefinition> = {}): StructureDefinition =>
  profile(
    name,
    'Extension',
    [
      ['Extension.extension', { max: '0' }],
      ['Extension.url', { fixedUri: `${BASE}/${name}` }],
      ['Extension.value[x]', { min: 1, type: [{ code: type }] }],
    ],
    more,
  )

export interface World {
  readonly definitions: readonly StructureDefinition[]
  readonly terms?: readonly Terms[TermsType][]
  /** As $validate checks it. */
  readonly thorough?: boolean
}

/** The issues of a resource that declares the first profile, with these definitions stored. */
export function issuesOf(resource: object, world: World, profiles?: readonly string[]): Promise<readonly Issue[]> {
  const { definitions, terms = [], thorough = false } = world
  return checkProfiles(
    {
      resource: { ...resource },
      profiles: profiles ?? [definitions[0]?.url ?? ''],
      unknownProfile: 'error',
      thorough,
      now: Date.now(),
    },
    {
      profiles: (canonicals) =>
        loadProfiles(async (urls) => definitions.filter(({ url }) => urls.includes(url)), canonicals),
      terminology: (request) =>
        gather(
          async <Type extends TermsType>(type: Type, keys: readonly string[]) =>
            terms.filter((one) => one.resourceType === type && keys.includes(one.url ?? '')) as Terms[Type][],
          request,
        ),
    },
  )
}

/** `error structure Patient.name[0]`: issues as tables compare them, without the sentence. */
export const brief = (issues: readonly (Issue | OperationOutcomeIssue)[]): readonly string[] =>
  issues.map(({ severity, code, expression }) => `${severity} ${code} ${[expression ?? []].flat().join()}`)

export const US_CORE = 'http://hl7.org/fhir/us/core/StructureDefinition'
const CDCREC = 'urn:oid:2.16.840.1.113883.6.238'

/** The parts of US Core that its tests ask about first, as its package has them: with the rules in the differential. */
export function usCore(): {
  readonly patient: StructureDefinition
  readonly race: StructureDefinition
  readonly birthSex: StructureDefinition
  readonly bloodPressure: StructureDefinition
  readonly raceCodes: Terms['CodeSystem']
  readonly raceSet: Terms['ValueSet']
  readonly birthSexSet: Terms['ValueSet']
} {
  const named = (name: string) => ({ url: `${US_CORE}/${name}`, version: '6.1.0' })
  const inner = (slice: string, rules: object, type: string, value: object = {}): Row[] => [
    [`Extension.extension:${slice}`, { min: 0, ...rules }],
    [`Extension.extension:${slice}.extension`, { max: '0' }],
    [`Extension.extension:${slice}.url`, { fixedUri: slice }],
    [`Extension.extension:${slice}.value[x]`, { min: 1, type: [{ code: type }], ...value }],
  ]
  const raceSet = 'http://hl7.org/fhir/us/core/ValueSet/omb-race-category'
  const binding = { strength: 'required' as const, valueSet: raceSet }
  const mmHg: Row[] = ['systolic', 'diastolic'].flatMap((name, index): Row[] => [
    [`Observation.component:${name}`, { min: 1, max: '1', mustSupport: true }],
    [
      `Observation.component:${name}.code`,
      { patternCodeableConcept: { coding: [{ system: 'http://loinc.org', code: ['8480-6', '8462-4'][index] ?? '' }] } },
    ],
    [
      `Observation.component:${name}.value[x]`,
      { type: [{ code: 'Quantity' }], patternQuantity: { system: 'http://unitsofmeasure.org', code: 'mm[Hg]' } },
    ],
  ])
  return {
    patient: profile(
      'us-core-patient',
      'Patient',
      [
        [
          'Patient.extension:race',
          { min: 0, max: '1', type: [{ code: 'Extension', profile: [`${US_CORE}/us-core-race`] }] },
        ],
        [
          'Patient.extension:birthsex',
          { min: 0, max: '1', type: [{ code: 'Extension', profile: [`${US_CORE}/us-core-birthsex`] }] },
        ],
        ['Patient.identifier', { min: 1, mustSupport: true }],
        ['Patient.identifier.system', { min: 1, mustSupport: true }],
        ['Patient.identifier.value', { min: 1, mustSupport: true }],
        [
          'Patient.name',
          {
            min: 1,
            constraint: [
              {
                key: 'us-core-6',
                severity: 'error',
                human:
                  'At least name.given and/or name.family are present or the Data Absent Reason Extension is present',
                expression:
                  "(family.exists() or given.exists()) xor extension.where(url='http://hl7.org/fhir/StructureDefinition/data-absent-reason').exists()",
              },
            ],
          },
        ],
        ['Patient.gender', { min: 1 }],
      ],
      named('us-core-patient'),
    ),
    race: profile(
      'us-core-race',
      'Extension',
      [
        ['Extension.extension', { min: 1 }],
        ...inner('ombCategory', { max: '5' }, 'Coding', { binding }),
        ...inner('text', { min: 1, max: '1' }, 'string'),
        ['Extension.url', { fixedUri: `${US_CORE}/us-core-race` }],
        ['Extension.value[x]', { max: '0' }],
      ],
      { ...named('us-core-race'), context: [{ type: 'element', expression: 'Patient' }] },
    ),
    birthSex: profile(
      'us-core-birthsex',
      'Extension',
      [
        ['Extension.url', { fixedUri: `${US_CORE}/us-core-birthsex` }],
        [
          'Extension.value[x]',
          {
            min: 1,
            type: [{ code: 'code' }],
            binding: { strength: 'required', valueSet: 'http://hl7.org/fhir/us/core/ValueSet/birthsex' },
          },
        ],
      ],
      { ...named('us-core-birthsex'), context: [{ type: 'element', expression: 'Patient' }] },
    ),
    bloodPressure: profile(
      'us-core-blood-pressure',
      'Observation',
      [
        ['Observation.code', { patternCodeableConcept: { coding: [{ system: 'http://loinc.org', code: '85354-9' }] } }],
        [
          'Observation.component',
          {
            min: 2,
            slicing: { discriminator: [{ type: 'pattern', path: 'code' }], rules: 'open', ordered: false },
          },
        ],
        ...mmHg,
      ],
      { ...named('us-core-blood-pressure'), baseDefinition: 'http://hl7.org/fhir/StructureDefinition/vitalsigns' },
    ),
    raceCodes: {
      resourceType: 'CodeSystem',
      id: 'cdcrec',
      url: CDCREC,
      status: 'active',
      content: 'complete',
      concept: [
        { code: '2106-3', display: 'White' },
        { code: '2028-9', display: 'Asian' },
      ],
    },
    raceSet: {
      resourceType: 'ValueSet',
      id: 'omb-race-category',
      url: raceSet,
      status: 'active',
      compose: { include: [{ system: CDCREC, concept: [{ code: '2106-3' }, { code: '2028-9' }] }] },
    },
    birthSexSet: {
      resourceType: 'ValueSet',
      id: 'birthsex',
      url: 'http://hl7.org/fhir/us/core/ValueSet/birthsex',
      status: 'active',
      compose: {
        include: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/v3-AdministrativeGender',
            concept: [{ code: 'F' }, { code: 'M' }],
          },
        ],
      },
    },
  }
}

/** A Patient that keeps to the US Core of above. */
export const usCorePatient = () => ({
  resourceType: 'Patient',
  meta: { profile: [`${US_CORE}/us-core-patient`] },
  extension: [
    {
      url: `${US_CORE}/us-core-race`,
      extension: [
        { url: 'ombCategory', valueCoding: { system: CDCREC, code: '2106-3' } },
        { url: 'text', valueString: 'White' },
      ],
    },
    { url: `${US_CORE}/us-core-birthsex`, valueCode: 'F' },
  ],
  identifier: [{ system: 'http://example.org/mrn', value: '1' }],
  name: [{ family: 'Shaw', given: ['Amy', 'V.'] }],
  gender: 'female',
})

const millimetres = (value: number) => ({
  value,
  unit: 'mmHg',
  system: 'http://unitsofmeasure.org',
  code: 'mm[Hg]',
})
const loinc = (code: string) => ({ coding: [{ system: 'http://loinc.org', code }] })

/** An Observation that keeps to the blood pressure profiles of R4 and of the US Core of above. */
export const bloodPressure = () => ({
  resourceType: 'Observation',
  status: 'final',
  category: [
    { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'vital-signs' }] },
  ],
  code: loinc('85354-9'),
  subject: { reference: 'Patient/1' },
  effectiveDateTime: '2020-07-02',
  component: [
    { code: loinc('8480-6'), valueQuantity: millimetres(120) },
    { code: loinc('8462-4'), valueQuantity: millimetres(80) },
  ],
})
