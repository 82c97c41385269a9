/** One version of a resource, as the repository gives it. */
import { parseJson } from '../fhir/json.ts'
import type { AnyResource } from '../fhir/resource.ts'
import type { ChangeMethod, StoredResource } from '../storage/port.ts'

/** The text to send, and the resource itself, parsed when first asked for. */
export class Versioned<R extends AnyResource = AnyResource> implements StoredResource {
  readonly type: string
  readonly id: string
  readonly version: number
  readonly lastUpdated: number
  readonly method: ChangeMethod
  readonly text: string
  /** True when this change created the resource, or brought it back after a deletion: status 201. */
  readonly created: boolean
  #resource: R | undefined

  constructor(stored: StoredResource, resource?: R, created = false) {
    this.type = stored.type
    this.id = stored.id
    this.version = stored.version
    this.lastUpdated = stored.lastUpdated
    this.method = stored.method
    this.text = stored.text
    this.created = created
    this.#resource = resource
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
