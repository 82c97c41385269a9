/** Translates codes by concept maps: https://hl7.org/fhir/R4/conceptmap-operation-translate.html. */
import type {
  CodeableConcept,
  Coding,
  ConceptMap,
  ConceptMapGroup,
  ConceptMapGroupElement,
  ConceptMapGroupElementTarget,
} from 'fhir/r4'
import { canonicalOf } from './canonical.ts'
import type { Code } from './member.ts'
import type { Terminology } from './terminology.ts'
import { membership } from './value-set.ts'

type Equivalence = ConceptMapGroupElementTarget['equivalence']

/** A value that mappings may depend on (dependsOn). */
export interface Dependency {
  readonly element: string
  readonly concept: CodeableConcept
}

export interface TranslateOptions {
  /** Restricts the matches to this code system. */
  readonly targetSystem?: string
  /** Restricts the matches to this value set. */
  readonly target?: string
  readonly dependencies?: readonly Dependency[]
  /** Translate from the target of the maps to their source. */
  readonly reverse?: boolean
}

export interface Match {
  readonly equivalence: Equivalence
  /** Absent when the map declares that there is no match. */
  readonly concept?: Coding
  readonly product?: readonly { readonly element: string; readonly concept: Coding }[]
  /** Canonical of the map. */
  readonly source?: string
}

export interface Translation {
  readonly result: boolean
  readonly message?: string
  readonly match?: readonly Match[]
}

const MAX_MATCHES = 1000

/**
 * Translates the codes of one concept. `result` is true when there is a match other than unmatched and disjoint.
 * @throws FhirError 422 when a regex filter of the target value set takes too much work
 */
export function translate(
  terminology: Terminology,
  maps: readonly ConceptMap[],
  codes: readonly Code[],
  options: TranslateOptions,
): Translation {
  const found = maps.flatMap((map) => codes.flatMap((code) => matchesIn(terminology, map, code, options, new Set())))
  const matches = unique(found.filter((match) => isInTarget(terminology, match, options))).slice(0, MAX_MATCHES)
  const result = matches.some(({ equivalence }) => equivalence !== 'unmatched' && equivalence !== 'disjoint')
  const message = result ? undefined : hint(maps, codes, matches)
  return {
    result,
    ...(message === undefined ? {} : { message }),
    ...(matches.length === 0 ? {} : { match: matches }),
  }
}

function hint(maps: readonly ConceptMap[], codes: readonly Code[], matches: readonly Match[]): string {
  const what = codes.map(({ system, code }) => `${code} of ${system}`).join(', ') || 'a concept without a coding'
  if (maps.length === 0) return `There is no concept map here that translates ${what} to the requested target`
  return matches.length === 0
    ? `No concept map that was requested has a translation of ${what}`
    : `The concept map says that nothing in the target matches ${what}`
}

const unique = (matches: readonly Match[]): readonly Match[] => [
  ...new Map(matches.map((match) => [JSON.stringify(match), match])).values(),
]

/** @param followed the maps used so far, so that a map referred to by several others is used once */
function matchesIn(
  terminology: Terminology,
  map: ConceptMap,
  code: Code,
  options: TranslateOptions,
  followed: Set<ConceptMap>,
): readonly Match[] {
  if (followed.has(map)) return []
  followed.add(map)
  return (map.group ?? []).flatMap((group) => {
    const [from, to] = options.reverse === true ? [group.target, group.source] : [group.source, group.target]
    if (from !== undefined && from !== code.system) return []
    if (options.targetSystem !== undefined && to !== undefined && to !== options.targetSystem) return []
    const { bySource, byTarget } = indexOf(group)
    if (options.reverse === true) return reversed(map, group, byTarget.get(code.code) ?? [], code)
    const elements = bySource.get(code.code)
    return elements === undefined
      ? unmapped(terminology, map, group, code, options, followed)
      : elements.flatMap((element) => forward(map, group, element, options))
  })
}

interface GroupIndex {
  readonly bySource: ReadonlyMap<string, readonly ConceptMapGroupElement[]>
  readonly byTarget: ReadonlyMap<string, readonly ConceptMapGroupElement[]>
}
const indexes = new WeakMap<ConceptMapGroup, GroupIndex>()

/** An index of the elements by source code and by target code. */
function indexOf(group: ConceptMapGroup): GroupIndex {
  const cached = indexes.get(group)
  if (cached !== undefined) return cached
  const index = {
    bySource: Map.groupBy(group.element, ({ code }) => code ?? ''),
    byTarget: new Map<string, ConceptMapGroupElement[]>(),
  }
  for (const element of group.element) {
    for (const code of new Set(element.target?.map((target) => target.code ?? ''))) {
      const list = index.byTarget.get(code)
      if (list === undefined) index.byTarget.set(code, [element])
      else list.push(element)
    }
  }
  indexes.set(group, index)
  return index
}

const sourceOf = ({ url }: ConceptMap) => (url === undefined ? {} : { source: url })

function forward(
  map: ConceptMap,
  group: ConceptMapGroup,
  { target = [] }: ConceptMapGroupElement,
  { dependencies = [] }: TranslateOptions,
): readonly Match[] {
  const applicable = target.filter(({ dependsOn = [] }) =>
    dependsOn.every((condition) => dependencies.some((given) => meets(given, condition))),
  )
  return applicable.map(({ equivalence, code, display, product = [] }) => ({
    equivalence,
    ...(code === undefined ? {} : { concept: codingOf(group.target, group.targetVersion, code, display) }),
    ...(product.length === 0 ? {} : { product: product.map(productOf) }),
    ...sourceOf(map),
  }))
}

type DependsOn = NonNullable<ConceptMapGroupElementTarget['dependsOn']>[number]

const meets = ({ element, concept }: Dependency, { property, system, value }: DependsOn): boolean =>
  element === property &&
  ((concept.coding ?? []).some(
    (coding) => coding.code === value && (system === undefined || coding.system === canonicalOf(system).url),
  ) ||
    concept.text === value)

const productOf = ({ property, system, value, display }: DependsOn) => ({
  element: property,
  concept: codingOf(system, undefined, value, display),
})

function codingOf(
  system: string | undefined,
  version: string | undefined,
  code: string,
  display: string | undefined,
): Coding {
  return {
    ...(system === undefined ? {} : { system }),
    ...(version === undefined ? {} : { version }),
    code,
    ...(display === undefined ? {} : { display }),
  }
}

/** Equivalences that change when a map is reversed. */
const REVERSED: Readonly<Partial<Record<Equivalence, Equivalence>>> = {
  wider: 'narrower',
  narrower: 'wider',
  subsumes: 'specializes',
  specializes: 'subsumes',
}

/** Unmatched targets are ignored: they say nothing about the reverse direction. */
function reversed(
  map: ConceptMap,
  group: ConceptMapGroup,
  elements: readonly ConceptMapGroupElement[],
  code: Code,
): readonly Match[] {
  return elements.flatMap((element) =>
    (element.target ?? [])
      .filter((target) => target.code === code.code && target.equivalence !== 'unmatched' && element.code !== undefined)
      .map(({ equivalence }) => ({
        equivalence: REVERSED[equivalence] ?? equivalence,
        concept: codingOf(group.source, group.sourceVersion, element.code ?? '', element.display),
        ...sourceOf(map),
      })),
  )
}

function unmapped(
  terminology: Terminology,
  map: ConceptMap,
  group: ConceptMapGroup,
  code: Code,
  options: TranslateOptions,
  followed: Set<ConceptMap>,
): readonly Match[] {
  const { mode, code: fixed, display, url } = group.unmapped ?? {}
  switch (mode) {
    case 'provided':
      return [
        { equivalence: 'equal', concept: codingOf(group.target, undefined, code.code, undefined), ...sourceOf(map) },
      ]
    case 'fixed':
      return fixed === undefined
        ? []
        : [{ equivalence: 'relatedto', concept: codingOf(group.target, undefined, fixed, display), ...sourceOf(map) }]
    case 'other-map': {
      const other = url === undefined ? undefined : terminology.conceptMap(url)
      return other === undefined ? [] : matchesIn(terminology, other, code, options, followed)
    }
    default:
      return []
  }
}

/** False only when the target value set is known not to have the code. */
function isInTarget(terminology: Terminology, { concept }: Match, { target, targetSystem }: TranslateOptions): boolean {
  const { system, code } = concept ?? {}
  if (system === undefined || code === undefined) return true
  if (targetSystem !== undefined && system !== targetSystem) return false
  const valueSet = target === undefined ? undefined : terminology.valueSet(target)
  return valueSet === undefined || membership(terminology, valueSet, { system, code }).status !== 'out'
}

/** The maps between the requested value sets, `url` or `url|version`; either may be undefined. */
export function mapsBetween(
  maps: readonly ConceptMap[],
  source: string | undefined,
  target: string | undefined,
): readonly ConceptMap[] {
  const isRequested = (requested: string | undefined, ...own: readonly (string | undefined)[]): boolean =>
    requested === undefined ||
    own.some((one) => one !== undefined && canonicalOf(one).url === canonicalOf(requested).url)
  return maps.filter(
    ({ sourceUri, sourceCanonical, targetUri, targetCanonical }) =>
      isRequested(source, sourceUri, sourceCanonical) && isRequested(target, targetUri, targetCanonical),
  )
}
