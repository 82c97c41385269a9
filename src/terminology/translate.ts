/** Translates codes by concept maps: https://hl7.org/fhir/R4/conceptmap-operation-translate.html. */

import type {
  CodeableConcept,
  Coding,
  ConceptMap,
  ConceptMapGroup,
  ConceptMapGroupElement,
  ConceptMapGroupElementTarget,
} from 'fhir/r4'
import { oncePer } from '../fhir/memoize.ts'
import { BudgetError, Meter } from '../isolation/budget.ts'
import { canonicalOf } from './canonical.ts'
import type { Code } from './member.ts'
import type { Terminology } from './terminology.ts'
import { membership } from './value-set.ts'

type Equivalence = NonNullable<ConceptMapGroupElementTarget['equivalence']>

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
/** Size of everything that is compared, including concepts outside the target, in characters of JSON. */
const MAX_COMPARED = 8_000_000
/** Steps for a group of a map, a target of a code, a match, an element that is indexed. */
const GROUP = 1
const TARGET = 0.5
const MATCH = 2
const INDEXED = 1
/** Values that a mapping depends on that are compared with given ones in one step. */
const COMPARED_IN_A_STEP = 8

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
  const matches = firstMatches(
    { terminology, options, meter: new Meter('the mappings of its concept maps') },
    maps,
    codes,
  )
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

interface Question {
  readonly terminology: Terminology
  readonly options: TranslateOptions
  readonly meter: Meter
}

/**
 * Without duplicates, at most `MAX_MATCHES`: what comes after them is not looked for.
 * @throws BudgetError
 */
function firstMatches(question: Question, maps: readonly ConceptMap[], codes: readonly Code[]): readonly Match[] {
  const found = new Map<string, Match>()
  const seen = new Set<string>()
  let compared = 0
  for (const match of allMatches(question, maps, codes)) {
    question.meter.pay(MATCH)
    const key = JSON.stringify(match)
    compared += key.length
    if (compared > MAX_COMPARED) throw new BudgetError('too costly', 'the mappings of its concept maps')
    if (seen.has(key)) continue
    seen.add(key)
    if (isInTarget(question, match)) found.set(key, match)
    if (found.size === MAX_MATCHES) break
  }
  return [...found.values()]
}

function* allMatches(question: Question, maps: readonly ConceptMap[], codes: readonly Code[]): Generator<Match> {
  const different = new Map(codes.map((code) => [JSON.stringify([code.system, code.code]), code]))
  for (const map of maps) for (const code of different.values()) yield* matchesIn(question, map, code, new Set())
}

/** @param followed the maps used so far, so that a map referred to by several others is used once */
function* matchesIn(question: Question, map: ConceptMap, code: Code, followed: Set<ConceptMap>): Generator<Match> {
  if (followed.has(map)) return
  followed.add(map)
  for (const group of map.group ?? []) {
    question.meter.pay(GROUP)
    if (!isBetween(question, group, code)) continue
    const { bySource, byTarget } = indexOf(group)
    const elements = bySource.get(code.code)
    if (question.options.reverse === true) yield* reversed(question, map, group, byTarget.get(code.code) ?? [], code)
    else if (elements === undefined) yield* unmapped(question, map, group, code, followed)
    else for (const element of elements) yield* forward(question, map, group, element)
  }
}

/** Whether the group translates from this system to the requested one; either may be unspecified. */
function isBetween({ options }: Question, { source, target }: ConceptMapGroup, { system }: Code): boolean {
  const [from = system, to] = options.reverse === true ? [target, source] : [source, target]
  return from === system && (options.targetSystem === undefined || to === undefined || to === options.targetSystem)
}

interface GroupIndex {
  readonly bySource: ReadonlyMap<string, readonly ConceptMapGroupElement[]>
  readonly byTarget: ReadonlyMap<string, readonly ConceptMapGroupElement[]>
}

/** An index of the elements by source code and by target code. */
const indexOf = oncePer((group: ConceptMapGroup): GroupIndex => {
  const index = {
    bySource: Map.groupBy(group.element, ({ code }) => code ?? ''),
    byTarget: new Map<string, ConceptMapGroupElement[]>(),
  }
  const meter = new Meter('the elements of its concept maps')
  for (const element of group.element) {
    meter.pay(INDEXED * (1 + (element.target?.length ?? 0)))
    for (const code of new Set(element.target?.map((target) => target.code ?? ''))) {
      const list = index.byTarget.get(code)
      if (list === undefined) index.byTarget.set(code, [element])
      else list.push(element)
    }
  }
  return index
})

const sourceOf = ({ url }: ConceptMap) => (url === undefined ? {} : { source: url })

function* forward(
  { options: { dependencies = [] }, meter }: Question,
  map: ConceptMap,
  group: ConceptMapGroup,
  { target = [] }: ConceptMapGroupElement,
): Generator<Match> {
  const given = dependencies.reduce((sum, { concept }) => sum + 1 + (concept.coding?.length ?? 0), 0)
  for (const { equivalence = UNKNOWN_RELATION, code, display, product = [], dependsOn = [] } of target) {
    meter.pay(TARGET + product.length + (dependsOn.length * given) / COMPARED_IN_A_STEP)
    if (!dependsOn.every((condition) => dependencies.some((one) => meets(one, condition)))) continue
    yield {
      equivalence,
      ...(code === undefined ? {} : { concept: codingOf(group.target, group.targetVersion, code, display) }),
      ...(product.length === 0 ? {} : { product: product.flatMap(productOf) }),
      ...sourceOf(map),
    }
  }
}

type DependsOn = NonNullable<ConceptMapGroupElementTarget['dependsOn']>[number]

const meets = ({ element, concept }: Dependency, { property, system, value }: DependsOn): boolean =>
  element === property &&
  ((concept.coding ?? []).some(
    (coding) => coding.code === value && (system === undefined || coding.system === canonicalOf(system).url),
  ) ||
    concept.text === value)

const productOf = ({ property, system, value = '', display }: DependsOn) =>
  property === undefined ? [] : [{ element: property, concept: codingOf(system, undefined, value, display) }]

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

/** "The concepts are related to each other, but the exact relationship is not known" (valueset-concept-map-equivalence.html). */
const UNKNOWN_RELATION: Equivalence = 'relatedto'

/** Equivalences that change when a map is reversed. */
const REVERSED: Readonly<Partial<Record<Equivalence, Equivalence>>> = {
  wider: 'narrower',
  narrower: 'wider',
  subsumes: 'specializes',
  specializes: 'subsumes',
}

/** Unmatched targets are ignored: they say nothing about the reverse direction. */
function* reversed(
  { meter }: Question,
  map: ConceptMap,
  group: ConceptMapGroup,
  elements: readonly ConceptMapGroupElement[],
  code: Code,
): Generator<Match> {
  for (const element of elements) {
    for (const target of element.target ?? []) {
      meter.pay(TARGET)
      const { equivalence = UNKNOWN_RELATION } = target
      if (target.code !== code.code || equivalence === 'unmatched' || element.code === undefined) continue
      yield {
        equivalence: REVERSED[equivalence] ?? equivalence,
        concept: codingOf(group.source, group.sourceVersion, element.code, element.display),
        ...sourceOf(map),
      }
    }
  }
}

function* unmapped(
  question: Question,
  map: ConceptMap,
  group: ConceptMapGroup,
  code: Code,
  followed: Set<ConceptMap>,
): Generator<Match> {
  const { mode, code: fixed, display, url } = group.unmapped ?? {}
  switch (mode) {
    case 'provided':
      yield { equivalence: 'equal', concept: codingOf(group.target, undefined, code.code, undefined), ...sourceOf(map) }
      return
    case 'fixed':
      if (fixed === undefined) return
      yield { equivalence: 'relatedto', concept: codingOf(group.target, undefined, fixed, display), ...sourceOf(map) }
      return
    case 'other-map': {
      const other = url === undefined ? undefined : question.terminology.conceptMap(url)
      if (other !== undefined) yield* matchesIn(question, other, code, followed)
    }
  }
}

/** False only when the target value set is known not to have the code. */
function isInTarget({ terminology, options: { target, targetSystem } }: Question, { concept }: Match): boolean {
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
