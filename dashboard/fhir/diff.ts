/** The differences between two versions of a resource, element by element. */
import { numberText } from './json-text.ts'

export interface Difference {
  /** `telecom[1].value` */
  readonly path: string
  /** Absent: the element is new. */
  readonly before?: string
  /** Absent: the element is gone. */
  readonly after?: string
}

/**
 * In the order of the newer version; removed elements come last. `meta` differs with every version, and is left out.
 */
export function differencesBetween(before: object, after: object): readonly Difference[] {
  const [old, now] = [leavesOf(before), leavesOf(after)]
  const changed = [...now].flatMap(([path, value]): readonly Difference[] => {
    const was = old.get(path)
    if (was === value) return []
    return [{ path, after: value, ...(was === undefined ? {} : { before: was }) }]
  })
  const gone = [...old].filter(([path]) => !now.has(path)).map(([path, value]) => ({ path, before: value }))
  return [...changed, ...gone]
}

function leavesOf(resource: object): ReadonlyMap<string, string> {
  const { meta: _, ...rest } = resource as { readonly meta?: unknown }
  return new Map(leavesIn(rest, ''))
}

function leavesIn(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => leavesIn(item, `${path}[${index}]`))
  const number = numberText(value)
  if (number !== undefined) return [[path, number]]
  if (typeof value !== 'object' || value === null) return [[path, String(value)]]
  return Object.entries(value).flatMap(([name, item]) => leavesIn(item, path === '' ? name : `${path}.${name}`))
}
