/** One version of a resource, as the repository returns it. */
import { parseJson } from '../fhir/json.ts'
import { type AnyResource, isObject, itemsOf } from '../fhir/resource.ts'
import { innerAddress, isInner, resourceTypeOf } from '../search/inner.ts'
import type { ChangeMethod, StoredResource } from '../storage/port.ts'
import { spendOnText } from '../storage/response-limit.ts'

/** The text to send, and the resource itself, which is parsed on first use. */
export class Versioned<R extends AnyResource = AnyResource> implements StoredResource {
  readonly type: string
  readonly id: string
  readonly version: number
  readonly lastUpdated: number
  readonly method: ChangeMethod
  readonly text: string
  /** True when this change created the resource, or brought it back after a deletion: status 201. */
  readonly created: boolean
  /** The resource that contains this one, for a contained resource. */
  readonly container: Versioned | undefined
  #resource: R | undefined

  constructor(stored: StoredResource, resource?: R, created = false, container?: Versioned) {
    this.type = stored.type
    this.id = stored.id
    this.version = stored.version
    this.lastUpdated = stored.lastUpdated
    this.method = stored.method
    this.text = stored.text
    this.created = created
    this.container = container
    this.#resource = resource
  }

  /**
   * A search result: the stored resource or, for a contained one (search/inner.ts), the contained resource alone.
   * @throws BudgetError
   */
  static found(stored: StoredResource): Versioned {
    if (!isInner(stored.type)) return new Versioned(stored)
    spendOnText(stored)
    const { type, id, innerId } = innerAddress(stored.id)
    const container = new Versioned({ ...stored, type, id })
    const resource = containedResource(container.resource, innerId)
    const alone = { ...stored, type: resourceTypeOf(stored.type), id: innerId, text: JSON.stringify(resource) }
    return new Versioned(alone, resource, false, container)
  }

  get deleted(): boolean {
    return this.method === 'DELETE'
  }

  /** @throws BudgetError */
  get resource(): R {
    this.#resource ??= parseJson(this.text) as R
    return this.#resource
  }
}

/** `resource` as it is stored: resourceType, id and meta first, version and time ours, the rest as given. */
export function stamp<R extends AnyResource>(resource: R, id: string, version: number, lastUpdated: number): R {
  const meta = { ...resource.meta, versionId: String(version), lastUpdated: new Date(lastUpdated).toISOString() }
  const { resourceType, id: _id, meta: _meta, ...rest } = resource
  return { resourceType, id, meta, ...rest } as unknown as R
}

/** The first contained resource with that id, as in the index. */
function containedResource(container: unknown, id: string): AnyResource {
  const contained = isObject(container) ? itemsOf(container.contained) : []
  const found = contained.find((one) => isObject(one) && one.id === id)
  if (isObject(found)) return found as unknown as AnyResource
  throw new Error('The index has a contained resource that its container does not have')
}
