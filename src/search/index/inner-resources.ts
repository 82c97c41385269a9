/**
 * The resources within a resource by which it can be found (search/inner.ts), and the targets of references to them.
 */
import { isResourceType } from '../../fhir/definitions.ts'
import type { LocalReference } from '../../fhir/reference.ts'
import { type AnyResource, isObject, itemsOf } from '../../fhir/resource.ts'
import { innerTypes } from '../inner.ts'
import type { InnerReferences } from '../types/reference.ts'

/** Most contained resources of one container that can be found; each costs a write of its own. */
const MAX_CONTAINED = 1_000

/** A resource within another, with its type and id in the index. */
export interface InnerResource extends LocalReference {
  readonly resource: AnyResource
  /** The container, to which `#` refers in it, with the contained resources to which it may refer. */
  readonly container: AnyResource
  readonly references: InnerReferences
}

interface Within {
  /** The targets of references of the resource itself. */
  readonly references: InnerReferences
  readonly all: readonly InnerResource[]
}

/** The resources within a resource; undefined for the many that have none. */
export function within(resource: AnyResource): Within | undefined {
  if (resource.resourceType === 'Bundle') return withinBundle(resource)
  if (!('contained' in resource)) return undefined
  const { resourceType: type, id = '' } = resource
  const address = { type, id }
  return containedIn(resource, address, `${type}/${id}`)
}

/**
 * The type of the first entry by type of Bundle; an entry of another type does not count:
 * https://hl7.org/fhir/R4/bundle.html#search.
 */
const FIRST_OF: Readonly<Record<string, string>> = { document: 'Composition', message: 'MessageHeader' }

function withinBundle(bundle: AnyResource & { readonly type?: unknown; readonly entry?: unknown }): Within | undefined {
  const entry: unknown = Array.isArray(bundle.entry) ? bundle.entry[0] : undefined
  const resource: unknown = isObject(entry) ? entry.resource : undefined
  if (!isResource(resource) || FIRST_OF[String(bundle.type)] !== resource.resourceType) return undefined
  const [type = ''] = innerTypes(bundle.resourceType, [resource.resourceType])
  const first = { type, id: `Bundle/${bundle.id ?? ''}#0` }
  const { references, all } = containedIn(resource, first, first.id)
  return {
    references: { ofResource: (value) => (value === resource ? first : undefined) },
    all: [{ ...first, resource, container: resource, references }, ...all],
  }
}

/** @param address of the container in the index; the ids of its contained resources begin with `prefix` */
function containedIn(
  container: AnyResource & { readonly contained?: unknown },
  address: LocalReference,
  prefix: string,
): Within {
  const byId = new Map<string, InnerResource>()
  const references: InnerReferences = { ofFragment: (id) => (id === '' ? address : byId.get(id)) }
  for (const resource of itemsOf(container.contained).filter(isResource)) {
    const { id = '' } = resource
    const [type = ''] = innerTypes(address.type, [resource.resourceType])
    if (byId.size === MAX_CONTAINED) break
    // The first of several with the same id counts, as for FHIRPath's resolve().
    if (id !== '' && !byId.has(id)) byId.set(id, { type, id: `${prefix}#${id}`, resource, container, references })
  }
  return { references, all: [...byId.values()] }
}

const isResource = (value: unknown): value is AnyResource =>
  isObject(value) && typeof value.resourceType === 'string' && isResourceType(value.resourceType)
