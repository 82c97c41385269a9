/**
 * Resources within others, as represented in the search index: contained resources
 * (https://hl7.org/fhir/R4/search.html#contained), and the first resource of a document or message
 * (https://hl7.org/fhir/R4/bundle.html#search). Each is found by its own values, under its own type and id, so that an
 * ordinary search of its resource type does not find it.
 *
 * A Medication that MedicationRequest/23 contains as `#m1` is `#Medication` `MedicationRequest/23#m1`; the Composition
 * of the document Bundle/9 is `Bundle#Composition` `Bundle/9#0`.
 */

/** The parameter of references from a resource to each contained one. */
export const CONTAINED = '_contained'
/** The parameter of references from a Bundle to its first resource, and to the resources contained in that one. */
const FIRST_ENTRY = '_entry'

/** The parameter of an inner resource's id within its container: `m1`. */
export const INNER_ID = '_id'

const MARK = '#'

export const containedType = (type: string): string => MARK + type

export const isInner = (type: string): boolean => type.includes(MARK)

/** `Medication` for `#Medication`; any other type is itself. */
export const resourceTypeOf = (type: string): string => type.slice(type.indexOf(MARK) + 1)

/** The parameter of references from resources of the type to those within them. */
export const linkOf = (type: string): string => (type === 'Bundle' ? FIRST_ENTRY : CONTAINED)

/**
 * The inner types of resources that `source` contains, or that are contained beside it; `source` is a type of the
 * index.
 */
export function innerTypes(source: string, types: readonly string[]): readonly string[] {
  const within = source === 'Bundle' ? source : source.slice(0, Math.max(0, source.indexOf(MARK)))
  return types.map((type) => within + MARK + type)
}

/** The inner types under which contained resources of `type` are indexed. */
export const innerTypesOf = (type: string): readonly string[] => [containedType(type), `Bundle${MARK}${type}`]

/** The container of an inner resource, and its id within it. */
interface InnerAddress {
  readonly type: string
  readonly id: string
  readonly innerId: string
}

/** @param id in the index: `MedicationRequest/23#m1` */
export function innerAddress(id: string): InnerAddress {
  const [container = '', innerId = ''] = id.split(MARK, 2)
  const [type = '', ownId = ''] = container.split('/', 2)
  return { type, id: ownId, innerId }
}
