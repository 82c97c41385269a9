/**
 * Values stored once for two parameters. Where one parameter of a resource has every value of the other
 * (CoveredParameters), a shared value is stored as a row of the other one only, and a search by the first reads the
 * rows of both.
 */
import type { CoveredParameters, IndexEntry } from '../../search/plan.ts'

type Covered = CoveredParameters[string]
type Comparable = Extract<IndexEntry, { kind: 'string' | 'token' }>

/** `code` and the parameters that it covers, each with the suffix after the colon, such as `code:text`. */
export function withCovered(covered: CoveredParameters, typeName: string, code: string): readonly string[] {
  const ofType = covered[typeName]
  if (ofType === undefined) return [code]
  const [param = code, ...rest] = code.split(':')
  return [code, ...(ofType[param] ?? []).map((other) => [other, ...rest].join(':'))]
}

/** The entries, without those that are found by another parameter. */
export function uncovered(covered: Covered | undefined, entries: readonly IndexEntry[]): readonly IndexEntry[] {
  if (covered === undefined) return entries
  const values = new Map<string, Set<string>>()
  for (const entry of entries) {
    if (!isComparable(entry)) continue
    const ofParam = values.get(entry.param)
    if (ofParam === undefined) values.set(entry.param, new Set([comparedOf(entry)]))
    else ofParam.add(comparedOf(entry))
  }
  return entries.filter((entry) => !isComparable(entry) || !isCovered(covered, entry, values))
}

const isComparable = (entry: IndexEntry): entry is Comparable => entry.kind === 'string' || entry.kind === 'token'

/** The compared value of an entry. A token and a text beside it differ in the names of their parameters. */
const comparedOf = (entry: Comparable): string =>
  entry.kind === 'string' ? entry.exact + SEPARATOR + entry.folded : entry.code + SEPARATOR + entry.system
const SEPARATOR = '\u0000'

function isCovered(covered: Covered, entry: Comparable, values: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const colon = entry.param.indexOf(':')
  const [param, rest] = colon < 0 ? [entry.param, ''] : [entry.param.slice(0, colon), entry.param.slice(colon)]
  const others = covered[param]
  return others?.some((other) => values.get(other + rest)?.has(comparedOf(entry))) ?? false
}
