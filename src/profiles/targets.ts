/** Where a Reference leads, as far as it can be told without the store: https://hl7.org/fhir/R4/references.html. */
import { isResourceType } from '../fhir/definitions.ts'
import { isObject } from '../fhir/resource.ts'
import { type Item, itemOf } from './item.ts'

export interface Target {
  /** Undefined when the reference does not tell. */
  readonly type: string | undefined
  /** The resource, where it came along: contained, or in the Bundle that is checked. */
  readonly item?: Item
}

const REST = /(?:^|\/)([A-Z][A-Za-z]+)\/[A-Za-z0-9.-]{1,64}(?:\/_history\/[A-Za-z0-9.-]{1,64})?$/

/** Undefined for what is no Reference or has none. */
export function targetOf({ value, rootResource, parent, path }: Item): Target | undefined {
  if (!isObject(value)) return undefined
  const { reference, type } = value
  const named = isResourceType(type) ? type : undefined
  if (typeof reference !== 'string') return named === undefined ? undefined : { type: named }
  const found = reference.startsWith('#')
    ? containedIn(rootResource, reference.slice(1), path)
    : inBundle(topOf(parent), reference)
  if (found !== undefined) return { type: found.type, item: found }
  const told = REST.exec(reference)?.[1]
  return { type: isResourceType(told) ? told : named }
}

function containedIn(root: Readonly<Record<string, unknown>>, id: string, from: string): Item | undefined {
  if (id === '') return itemOf(root)
  const contained = Array.isArray(root['contained']) ? root['contained'] : []
  const index = contained.findIndex((one) => isObject(one) && one['id'] === id)
  const item = isObject(contained[index]) ? itemOf(contained[index]) : undefined
  const [top = ''] = from.split('.', 1)
  return item && { ...item, path: `${top}.contained[${index}]`, rootResource: root }
}

function topOf(item: Item | undefined): Readonly<Record<string, unknown>> | undefined {
  let top = item
  while (top?.parent !== undefined) top = top.parent
  return isObject(top?.value) ? top.value : undefined
}

function inBundle(top: Readonly<Record<string, unknown>> | undefined, reference: string): Item | undefined {
  if (top?.['resourceType'] !== 'Bundle' || !Array.isArray(top['entry'])) return undefined
  const index = top['entry'].findIndex((entry) => isObject(entry) && isAddressed(entry['fullUrl'], reference))
  const entry: unknown = top['entry'][index]
  const resource = isObject(entry) ? entry['resource'] : undefined
  const item = isObject(resource) ? itemOf(resource) : undefined
  return item && { ...item, path: `Bundle.entry[${index}].resource` }
}

const isAddressed = (fullUrl: unknown, reference: string): boolean =>
  typeof fullUrl === 'string' && (fullUrl === reference || fullUrl.endsWith(`/${reference}`))
