/** Conditions of a search as the engines compile them: without duplicates, and alternatives of one kind together. */
import type { Condition } from '../search/plan.ts'

export type Of<Kind extends Condition['kind']> = Extract<Condition, { kind: Kind }>

/** All conditions that must hold, without duplicates. */
export function conjunctsOf(conditions: readonly Condition[]): readonly Condition[] {
  const all = flattened('all', conditions)
  // Conditions with different names differ: most searches have one condition for each parameter.
  const names = new Set(all.map(nameOf))
  if (names.size === all.length) return all
  return [...new Map(all.map((condition) => [JSON.stringify(condition), condition])).values()]
}

const nameOf = (condition: Condition): string =>
  'param' in condition ? `${condition.kind} ${condition.param}` : condition.kind

const flattened = (kind: 'all' | 'any', conditions: readonly Condition[]): readonly Condition[] =>
  conditions.flatMap((condition) => (condition.kind === kind ? flattened(kind, condition.of) : [condition]))

/** Alternatives that differ only in the value, or a single condition. */
export type Alternatives =
  | { readonly kind: 'tokens'; readonly first: Of<'token'>; readonly codes: readonly string[] }
  | { readonly kind: 'references'; readonly first: Of<'reference'>; readonly all: readonly Of<'reference'>[] }
  | { readonly kind: 'parts'; readonly first: Of<'string'>; readonly values: readonly string[] }
  | { readonly kind: 'one'; readonly condition: Condition }

/**
 * Groups the alternatives of an `any`, so that each group is looked up once: `code=a,b,c` is one look into the index,
 * and a `_filter` of sixty tests of `subject.name` visits the subjects once.
 */
export function alternativesOf(conditions: readonly Condition[]): readonly Alternatives[] {
  const groups = Map.groupBy(flattened('any', conditions), (one) => groupKey(one) ?? JSON.stringify(one))
  return [...groups.values()].flatMap((group) => joined(group) ?? [])
}

function groupKey(condition: Condition): string | undefined {
  switch (condition.kind) {
    case 'token':
      return condition.code === undefined ? undefined : keyOf('token', condition.param, condition.system)
    case 'reference':
      return keyOf('reference', condition.param, condition.version, condition.versions)
    case 'string':
      return condition.match === 'contains' ? keyOf('parts', condition.param) : undefined
    case 'chain':
      return keyOf('chain', condition.param, String(condition.canonical), ...condition.types)
    case 'has':
      return keyOf('has', condition.type, condition.param, String(condition.canonical))
    default:
      return undefined
  }
}

const keyOf = (...parts: readonly (string | undefined)[]): string => JSON.stringify(parts)

function joined(group: readonly Condition[]): Alternatives | undefined {
  const [first, ...others] = group
  if (first === undefined) return undefined
  if (others.length === 0 || groupKey(first) === undefined) return { kind: 'one', condition: first }
  switch (first.kind) {
    case 'token':
      return { kind: 'tokens', first, codes: ofKind(group, 'token').flatMap(({ code }) => code ?? []) }
    case 'reference':
      return { kind: 'references', first, all: ofKind(group, 'reference') }
    case 'string':
      return { kind: 'parts', first, values: ofKind(group, 'string').map(({ value }) => value) }
    case 'chain':
    case 'has': {
      const of = ofKind(group, first.kind).map(({ where }) => where)
      return { kind: 'one', condition: { ...first, where: { kind: 'any', of } } }
    }
    default:
      return { kind: 'one', condition: first }
  }
}

const ofKind = <Kind extends Condition['kind']>(group: readonly Condition[], kind: Kind): readonly Of<Kind>[] =>
  group.filter((condition): condition is Of<Kind> => condition.kind === kind)

/** The least text above everything that starts with `prefix`; undefined: there is none. */
export function successor(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}
