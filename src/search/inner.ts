/**
 * Resources within others, as the search index has them: contained resources
 * (https://hl7.org/fhir/R4/search.html#contained), and the first resource of a document or message
 * (https://hl7.org/fhir/R4/bundle.html#search). Each is found by its own values, under a type and an id of its own, so that
 * no search of its resource type finds it that does not ask for it.
 *
 * A Medication that MedicationRequest/23 contains as `#m1` is `#Medication` `MedicationRequest/23#m1`; the Composition of
 * the document Bundle/9 is `Bundle#Composition` `Bundle/9#0`.
 */

/** The reference from a resource to each that it contains. */
export const CONTAINED = '_contained'
/** The reference from a Bundle to its first resource, and to what that one contains. */
const FIRST_ENTRY = '_entry'

/** The parameter of an inner resource that has the id which it has there: `m1`. */
export const INNER_ID = '_id'

const MARK = '#'

export const containedType = (type: string): string => MARK + type

export const isInner = (type: string): boolean => type.includes(MARK)

/** `Medication` for `#Medication`; any other type is itself. */
export const resourceTypeOf = (type: string): string => type.slice(type.indexOf(MARK) + 1)

/** The reference from resources of the type to those within them. */
export const linkOf = (type: string): string => (type === 'Bundle' ? FIRST_ENTRY : CONTAINED)

/** The types of what `source` contains, or is contained beside: `source` is one of the index. */
export function innerTypes(source: string, types: readonly string[]): readonly string[] {
  const within = source === 'Bundle' ? source : source.slice(0, Math.max(0, source.indexOf(MARK)))
  return types.map((type) => within + MARK + type)
}

/** Types that resources of `type` may be found under when they are not resources of their own. */
export const innerTypesOf = (type: string): readonly string[] => [containedType(type), `Bundle${MARK}${type}`]

/** The container of an inner resource, and the id it has there. */
export interface InnerAddress {
  readonly type: string
  readonly id: string
  readonly innerId: string
}

/** @param id as the index has it: `MedicationRequest/23#m1` */
export function innerAddress(id: string): InnerAddress {
  const [container = '', innerId = ''] = id.split(MARK, 2)
  const [type = '', ownId = ''] = container.split('/', 2)
  return { type, id: ownId, innerId }
}
