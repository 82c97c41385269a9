/** Contained resources: https://hl7.org/fhir/R4/references.html#contained (dom-2 to dom-5). */
import { isObject, itemsOf } from '../resource.ts'
import type { Report } from './report.ts'
import type { ResourceScope } from './rules.ts'

/** Checks the constraints that only apply to contained resources. */
export function checkContained(
  report: Report,
  inner: Record<string, unknown>,
  localReferences: ReadonlySet<string>,
): void {
  const { id, meta } = inner
  if (inner['contained'] !== undefined) {
    report.add(
      'invariant',
      'is nested: a contained resource SHALL NOT contain others; put them beside it (dom-2)',
      'contained',
    )
  }
  if (!localReferences.has(`#${String(id)}`) && !refersToContainer(inner)) {
    report.add(
      'invariant',
      `is not referred to: it needs an id and a reference "#id" elsewhere in the resource, or must refer to its container by "#" (dom-3)`,
    )
  }
  if (!isObject(meta)) return
  report.enter('meta')
  for (const [name, key] of FORBIDDEN_META) {
    if (meta[name] !== undefined) report.add('invariant', `must not be present in a contained resource (${key})`, name)
  }
  report.leave()
}

const FORBIDDEN_META = [
  ['versionId', 'dom-4'],
  ['lastUpdated', 'dom-4'],
  ['security', 'dom-5'],
] as const

const refersToContainer = (inner: unknown): boolean => localReferencesIn(inner).has('#')

/** The scope of a resource that is not contained in another one. */
export const rootScope = (resource: Record<string, unknown>): ResourceScope => ({
  resource,
  rootResource: resource,
  localReferences: lazy(() => localReferencesIn(resource)),
  containedIds: lazy(() => idsOf(resource['contained'])),
})

function lazy<Value>(compute: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= compute()
    return value
  }
}

const idsOf = (resources: unknown): ReadonlySet<unknown> =>
  new Set(itemsOf(resources).map((resource) => (isObject(resource) ? resource['id'] : undefined)))

/**
 * All strings that begin with #: in a Reference, a canonical or a uri. Iterative, so that deep nesting is no problem.
 */
function localReferencesIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string' && next.startsWith('#')) found.add(next)
    else if (typeof next === 'object' && next !== null) for (const child of Object.values(next)) open.push(child)
  }
  return found
}
