/** Slicing: https://hl7.org/fhir/R4/profiling.html#slicing. */
import { describe, expect, test } from '@jest/globals'
import type { ElementDefinitionSlicing } from 'fhir/r4'
import { BASE, bloodPressure, brief, issuesOf, profile, type Row, US_CORE, usCore } from '../support/profiles.ts'
import { ANIMALS, animals, PETS, pets } from '../support/terms.ts'

const slicing = (type: string, path: string, more: Partial<ElementDefinitionSlicing> = {}) => ({
  slicing: { discriminator: [{ type, path }], rules: 'open', ...more } as ElementDefinitionSlicing,
})
const ID = 'Patient.identifier'
const identifiers = (...values: readonly object[]) => ({ resourceType: 'Patient', identifier: values })
const mrn = { system: 'http://mrn', value: '1' }
const ssn = { system: 'http://ssn', value: '2' }
const other = { system: 'http://other', value: '3' }

/** Two slices of Patient.identifier by system. */
const bySystem = (more: Partial<ElementDefinitionSlicing>): readonly Row[] => [
  [ID, slicing('value', 'system', more)],
  [`${ID}:mrn`, { min: 1, max: '1' }],
  [`${ID}:mrn.system`, { fixedUri: 'http://mrn' }],
  [`${ID}:ssn`, { max: '1' }],
  [`${ID}:ssn.system`, { fixedUri: 'http://ssn' }],
  [`${ID}:ssn.value`, { maxLength: 1 }],
]

type Case = readonly [rows: readonly Row[], resource: object, said: readonly string[], sentence?: string]

const observation = (elements: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...elements,
})
const component = (code: string, more: object = {}) => ({ code: { coding: [{ system: ANIMALS, code }] }, ...more })

const CASES: Readonly<Record<string, Case>> = {
  'value: each item in its slice': [bySystem({}), identifiers(other, ssn, mrn), []],
  'value: a slice that is missing': [
    bySystem({}),
    identifiers(ssn),
    ['error required Patient.identifier'],
    'is missing in the slice mrn, identified by system = "http://mrn"; there must be at least 1',
  ],
  'value: a slice that is too often there': [
    bySystem({}),
    identifiers(mrn, mrn),
    ['error structure Patient.identifier'],
    'is given 2 times in the slice mrn',
  ],
  'value: the rules of a slice, at its item': [
    bySystem({}),
    identifiers(mrn, { ...ssn, value: '22' }),
    ['error too-long Patient.identifier[1].value'],
  ],
  'closed: an item of no slice': [
    bySystem({ rules: 'closed' }),
    identifiers(mrn, other),
    ['error structure Patient.identifier[1]'],
    'is in none of the slices mrn, ssn, and others are not allowed',
  ],
  'openAtEnd: others at the end': [bySystem({ rules: 'openAtEnd' }), identifiers(ssn, mrn, other), []],
  'openAtEnd: others before the end': [
    bySystem({ rules: 'openAtEnd' }),
    identifiers(other, mrn),
    ['error structure Patient.identifier[1]'],
    'must come before items that are in no slice',
  ],
  'ordered: in order': [bySystem({ ordered: true }), identifiers(mrn, other, ssn), []],
  'ordered: out of order': [
    bySystem({ ordered: true }),
    identifiers(ssn, mrn),
    ['error structure Patient.identifier[1]'],
    'but the slices must come in the order mrn, ssn',
  ],
  'pattern: by the code of a component': [
    [
      ['Observation.component', slicing('pattern', 'code')],
      ['Observation.component:dog', { min: 1 }],
      ['Observation.component:dog.code', { patternCodeableConcept: { coding: [{ system: ANIMALS, code: 'dog' }] } }],
      ['Observation.component:dog.value[x]', { min: 1, type: [{ code: 'Quantity' }] }],
    ],
    observation({ component: [component('cat'), component('dog', { valueString: 'x' })] }),
    ['error structure Observation.component[1].value'],
  ],
  'value: deep in the item, by fixed values of its parts': [
    [
      ['Observation.component', slicing('value', 'code')],
      ['Observation.component:dog', { min: 1 }],
      ['Observation.component:dog.code.coding.system', { fixedUri: ANIMALS }],
      ['Observation.component:dog.code.coding.code', { fixedCode: 'dog' }],
    ],
    observation({ component: [component('cat')] }),
    ['error required Observation.component'],
  ],
  'value: by a required binding': [
    [
      ['Observation.category', slicing('value', '$this')],
      ['Observation.category:pet', { min: 1, binding: { strength: 'required', valueSet: PETS } }],
    ],
    observation({ category: [{ coding: [{ system: ANIMALS, code: 'bird' }] }] }),
    ['error required Observation.category'],
  ],
  'exists: there and not there': [
    [
      ['Observation.component', slicing('exists', 'value')],
      ['Observation.component:with', { max: '1' }],
      ['Observation.component:with.value[x]', { min: 1 }],
      ['Observation.component:without', { min: 1 }],
      ['Observation.component:without.value[x]', { max: '0' }],
      ['Observation.component:without.dataAbsentReason', { min: 1 }],
    ],
    observation({
      component: [component('dog', { valueString: 'x' }), component('cat'), component('cat', { valueString: 'y' })],
    }),
    ['error structure Observation.component', 'error required Observation.component[1].dataAbsentReason'],
  ],
  'type: of a choice': [
    [
      ['Observation.value[x]', slicing('type', '$this', { rules: 'closed' })],
      ['Observation.value[x]:valueQuantity', { type: [{ code: 'Quantity' }] }],
      ['Observation.value[x]:valueQuantity.unit', { min: 1 }],
    ],
    observation({ valueString: 'x' }),
    ['error structure Observation.value'],
  ],
  'type: of a resource in a Bundle': [
    [
      ['Bundle.entry', slicing('type', 'resource')],
      ['Bundle.entry:patient', { min: 1 }],
      ['Bundle.entry:patient.resource', { type: [{ code: 'Patient' }] }],
    ],
    { resourceType: 'Bundle', type: 'collection', entry: [{ resource: observation({}) }] },
    ['error required Bundle.entry'],
  ],
  'type: of what a reference leads to': [
    [
      ['Appointment.participant', slicing('type', 'actor.resolve()')],
      ['Appointment.participant:patient', { min: 1, max: '1' }],
      [
        'Appointment.participant:patient.actor',
        { type: [{ code: 'Reference', targetProfile: ['http://hl7.org/fhir/StructureDefinition/Patient'] }] },
      ],
    ],
    {
      resourceType: 'Appointment',
      status: 'booked',
      participant: ['Patient/1', 'Practitioner/1', 'Patient/2'].map((reference) => ({
        status: 'accepted',
        actor: { reference },
      })),
    },
    ['error structure Appointment.participant'],
  ],
  'profile: of a resource in a Bundle': [
    [
      ['Bundle.entry', slicing('profile', 'resource')],
      ['Bundle.entry:named', { min: 1, max: '1' }],
      ['Bundle.entry:named.resource', { type: [{ code: 'Patient', profile: [`${BASE}/named`] }] }],
    ],
    {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        { resource: { resourceType: 'Patient' } },
        { resource: { resourceType: 'Patient', name: [{ text: 'x' }] } },
      ],
    },
    [],
  ],
  'profile: of what a reference in a Bundle leads to': [
    [
      ['Bundle.entry', slicing('type', 'resource')],
      ['Bundle.entry:visit', { min: 1 }],
      ['Bundle.entry:visit.resource', { type: [{ code: 'Encounter', profile: [`${BASE}/visit`] }] }],
    ],
    {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [
        { fullUrl: 'http://a/Patient/1', resource: { resourceType: 'Patient', id: '1' } },
        {
          fullUrl: 'http://a/Encounter/1',
          resource: {
            resourceType: 'Encounter',
            status: 'planned',
            class: { code: 'AMB' },
            subject: { reference: 'Patient/1' },
          },
        },
      ],
    },
    ['error structure Bundle.entry[1].resource.subject'],
  ],
  'several discriminators: all must be met': [
    [
      [
        ID,
        {
          slicing: {
            discriminator: [
              { type: 'value', path: 'system' },
              { type: 'value', path: 'use' },
            ],
            rules: 'open',
          },
        },
      ],
      [`${ID}:usual`, { min: 1 }],
      [`${ID}:usual.system`, { fixedUri: 'http://mrn' }],
      [`${ID}:usual.use`, { fixedCode: 'usual' }],
    ],
    identifiers(mrn, { use: 'usual' }),
    ['error required Patient.identifier'],
  ],
  'an extension in the path': [
    [
      [ID, slicing('value', "extension('http://example.org/StructureDefinition/kind').value")],
      [`${ID}:own`, { min: 1 }],
      [`${ID}:own.extension:kind`, { type: [{ code: 'Extension', profile: [`${BASE}/kind`] }] }],
      [`${ID}:own.extension:kind.value[x]`, { fixedCode: 'own' }],
      [`${ID}:own.value`, { min: 1 }],
    ],
    identifiers({ extension: [{ url: `${BASE}/kind`, valueCode: 'own' }] }),
    ['error required Patient.identifier[0].value'],
  ],
  'the slice of what is left': [
    [
      [ID, slicing('value', 'system', { rules: 'closed' })],
      [`${ID}:mrn.system`, { fixedUri: 'http://mrn' }],
      [`${ID}:@default`, {}],
      [`${ID}:@default.value`, { maxLength: 1 }],
    ],
    identifiers(mrn, { ...other, value: '33' }),
    ['error too-long Patient.identifier[1].value'],
  ],
  'slices without a discriminator are not told apart': [
    [
      [ID, { slicing: { rules: 'closed' } }],
      [`${ID}:mrn.value`, { min: 1 }],
    ],
    identifiers(other),
    ['information incomplete Patient.identifier'],
    'is not checked',
  ],
  'a slice that says nothing where its discriminator looks': [
    [
      [ID, slicing('value', 'system', { rules: 'closed' })],
      [`${ID}:any`, { max: '1' }],
    ],
    identifiers(mrn, other),
    ['information incomplete Patient.identifier'],
  ],
  'a discriminator that is no path': [
    [
      [ID, slicing('value', 'where(true)')],
      [`${ID}:any`, { max: '1' }],
    ],
    identifiers(mrn, other),
    ['information incomplete Patient.identifier'],
  ],
  'a discriminator of no known type': [
    [
      [ID, slicing('position', 'system')],
      [`${ID}:any.system`, { fixedUri: 'http://mrn' }],
    ],
    identifiers(mrn),
    ['information incomplete Patient.identifier'],
  ],
  'a slice of a slice is not looked at, and this is said': [
    [...bySystem({}), [`${ID}:mrn/own`, { min: 1 }]],
    identifiers(mrn),
    ['warning incomplete Patient.meta.profile[0]'],
    'is applied in part: the slice "mrn/own" of a slice is not looked at',
  ],
}

const kind = profile('kind', 'Extension', [
  ['Extension.url', { fixedUri: `${BASE}/kind` }],
  ['Extension.value[x]', { min: 1 }],
])
const named = profile('named', 'Patient', [['Patient.name', { min: 1 }]])
const visit = profile('visit', 'Encounter', [
  ['Encounter.subject', { type: [{ code: 'Reference', targetProfile: [`${BASE}/named`] }] }],
])

describe('a slice is told', () => {
  test.each(Object.entries(CASES))('%s', async (_rule, [rows, resource, said, sentence]) => {
    const tested = profile('tested', String((resource as { resourceType?: unknown }).resourceType), rows)
    const declared = said.some((one) => one.includes('meta.profile')) ? { meta: { profile: [tested.url] } } : {}
    const world = { definitions: [tested, kind, named, visit], terms: [animals, pets] }
    const issues = await issuesOf({ ...resource, ...declared }, world, 'meta' in declared ? [] : undefined)
    expect(brief(issues)).toEqual(said)
    if (sentence !== undefined) expect(issues[0]?.text).toContain(sentence)
  })
})

test('slices come from the base where the differential only narrows them', async () => {
  const base = profile('base', 'Patient', bySystem({ rules: 'closed' }))
  const narrowed = profile(
    'narrowed',
    'Patient',
    [
      [`${ID}:ssn.period`, { min: 1 }],
      [`${ID}:ssn`, { min: 1 }],
    ],
    {
      baseDefinition: base.url,
    },
  )
  expect(brief(await issuesOf(identifiers(mrn, other), { definitions: [narrowed, base] }))).toEqual([
    'error required Patient.identifier',
    'error structure Patient.identifier[1]',
  ])
  expect(brief(await issuesOf(identifiers(mrn, ssn), { definitions: [narrowed, base] }))).toEqual([
    'error required Patient.identifier[1].period',
  ])
  expect(await issuesOf(identifiers(mrn, ssn), { definitions: [base] })).toEqual([])
})

describe('blood pressure', () => {
  const { bloodPressure: usCoreBloodPressure } = usCore()
  const R4 = 'http://hl7.org/fhir/StructureDefinition/bp'
  const changed = (change: (resource: ReturnType<typeof bloodPressure>) => object) => change(bloodPressure())
  const SYSTOLIC = 'Observation.component'

  test.each<[name: string, url: string]>([
    ['of R4', R4],
    ['of US Core, on the vital signs of R4', `${US_CORE}/us-core-blood-pressure`],
  ])('%s', async (_name, url) => {
    const said = async (resource: object) =>
      brief(await issuesOf(resource, { definitions: [usCoreBloodPressure] }, [url]))
    expect(await said(bloodPressure())).toEqual([])
    expect(
      await said(changed(({ component: [systolic], ...rest }) => ({ ...rest, component: [systolic, systolic] }))),
    ).toEqual([`error structure ${SYSTOLIC}`, `error required ${SYSTOLIC}`])
    const inKilos = changed((resource) => {
      const [systolic, diastolic] = resource.component
      return {
        ...resource,
        component: [systolic, { ...diastolic, valueQuantity: { ...diastolic?.valueQuantity, code: 'kg' } }],
      }
    })
    expect((await said(inKilos)).length).toBe(1)
    // The rule comes from the base of both profiles.
    expect(await said(changed(({ category: _category, ...rest }) => rest))).toContain(
      'error required Observation.category',
    )
    expect(await said(changed((resource) => ({ ...resource, effectiveDateTime: '2020-07' })))).toEqual([
      'error invariant Observation.effective',
    ])
  })
})
