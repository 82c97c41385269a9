/** A resource as text in which the order of names does not count and every digit does. */
import { isObject } from '../../../src/fhir/resource.ts'

export const canonical = (value: unknown): string => JSON.stringify(sorted(value))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)).map(([k, v]) => [k, sorted(v)]))
}
