/** Profiles of a hostile clinic: each makes the resources that declare it expensive to check. */
import type { ElementDefinition, FhirResource, StructureDefinition } from 'fhir/r4'
import { SLOW_PATTERN } from './codes.ts'

const R4 = 'http://hl7.org/fhir/StructureDefinition'

export type ProfileName =
  | 'slow-patterns'
  | 'pairs'
  | 'repeat'
  | 'many-slices'
  | 'many-elements'
  | 'own-base'
  | 'contains-itself'

export const urlOf = (name: ProfileName): string => `http://hostile.example/StructureDefinition/${name}`

const profile = (
  name: ProfileName,
  type: string,
  element: readonly ElementDefinition[],
  baseDefinition = `${R4}/${type}`,
): StructureDefinition => ({
  resourceType: 'StructureDefinition',
  id: name,
  url: urlOf(name),
  name: name.replaceAll('-', '_'),
  status: 'active',
  kind: 'resource',
  abstract: false,
  type,
  baseDefinition,
  derivation: 'constraint',
  differential: { element: [...element] },
})

const rules = (expressions: readonly string[]): Pick<ElementDefinition, 'constraint'> => ({
  constraint: expressions.map((expression, n) => ({
    key: `slow-${n}`,
    severity: 'warning',
    human: 'Costs much',
    expression,
  })),
})

const tenOf = (make: (n: number) => string): readonly string[] => Array.from({ length: 10 }, (_, n) => make(n))

export const hostileProfiles = (): readonly FhirResource[] => [
  profile('slow-patterns', 'Patient', [
    {
      id: 'Patient.extension',
      path: 'Patient.extension',
      ...rules(tenOf((n) => `value.ofType(string).matches('${SLOW_PATTERN}${n}').not()`)),
    },
  ]),
  profile('pairs', 'Patient', [
    {
      id: 'Patient',
      path: 'Patient',
      ...rules(
        tenOf((n) => `name.select(%resource.name.where(family = 'x').count() + %resource.name.count()).count() > ${n}`),
      ),
    },
  ]),
  profile('repeat', 'Patient', [
    {
      id: 'Patient',
      path: 'Patient',
      ...rules(tenOf((n) => `repeat($this.descendants() | $this.children()).descendants().count() > ${n}`)),
    },
  ]),
  manySlices(),
  manyElements(),
  profile('own-base', 'Patient', [{ id: 'Patient.name', path: 'Patient.name', min: 1 }], urlOf('own-base')),
  profile('contains-itself', 'Patient', [
    {
      id: 'Patient.contained',
      path: 'Patient.contained',
      type: [{ code: 'Patient', profile: [urlOf('contains-itself')] }],
    },
    ...['link', 'contact'].map((name) => ({ id: `Patient.${name}`, path: `Patient.${name}`, max: '500' })),
  ]),
]

/** 300 slices of Observation.component, told apart by patterns. */
function manySlices(): StructureDefinition {
  const path = 'Observation.component'
  const slices = Array.from({ length: 300 }, (_, n): readonly ElementDefinition[] => {
    const id = `${path}:slice${n}`
    return [
      { id, path, sliceName: `slice${n}`, min: 0, max: '*' },
      {
        id: `${id}.code`,
        path: `${path}.code`,
        patternCodeableConcept: { coding: [{ system: 'http://hostile.example', code: `code-${n}` }] },
      },
    ]
  })
  const slicing: ElementDefinition = {
    id: path,
    path,
    slicing: { discriminator: [{ type: 'pattern', path: 'code' }], rules: 'open' },
  }
  return profile('many-slices', 'Observation', [slicing, ...slices.flat()])
}

/** 2,500 slices of extensions, each of two elements. */
function manyElements(): StructureDefinition {
  const path = 'Patient.extension'
  const slices = Array.from({ length: 2_500 }, (_, n): readonly ElementDefinition[] => {
    const id = `${path}:slice${n}`
    return [
      { id, path, sliceName: `slice${n}` },
      { id: `${id}.url`, path: `${path}.url`, fixedUri: `http://hostile.example/extension-${n}` },
    ]
  })
  const slicing: ElementDefinition = {
    id: path,
    path,
    slicing: { discriminator: [{ type: 'value', path: 'url' }], rules: 'open' },
  }
  return profile('many-elements', 'Patient', [slicing, ...slices.flat()])
}
