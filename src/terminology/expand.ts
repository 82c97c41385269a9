/** Expands a value set: https://hl7.org/fhir/R4/valueset-operation-expand.html. */
import { randomUUID } from 'node:crypto'
import type { ValueSet, ValueSetExpansion, ValueSetExpansionContains, ValueSetExpansionParameter } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { Meter } from '../isolation/budget.ts'
import { canonicalOf, canonicalText } from './canonical.ts'
import { displayIn, folded, isRequested } from './language.ts'
import { keyOfCode, type Member } from './member.ts'
import type { Terminology } from './terminology.ts'
import { members } from './value-set.ts'

export interface ExpandOptions {
  /** Words, each a prefix of a word in the code, its display or a designation. */
  readonly filter?: string
  /** Number of codes to skip. */
  readonly offset?: number
  /** Maximum number of codes; 0 for the total only. */
  readonly count?: number
  readonly includeDesignations?: boolean
  /** Tokens of languages and uses; when empty, all designations. */
  readonly designations?: readonly string[]
  readonly includeDefinition?: boolean
  readonly activeOnly?: boolean
  readonly excludeNested?: boolean
  readonly excludeNotForUI?: boolean
  readonly displayLanguage?: string
  /** Code systems to exclude, as `url` or `url|version`. */
  readonly excludeSystems?: readonly string[]
  /** Parameters to list in the expansion, in addition to the versions of the code systems. */
  readonly parameters?: readonly ValueSetExpansionParameter[]
}

/** Per expansion. */
const MAX_CODES = 10_000
const MAX_FILTER_LENGTH = 500
/** Steps to list a code and to write it. */
const LISTED = 1
const WRITTEN = 2
/** Designations that are looked through, characters that are folded and compared with one word in one step. */
const DESIGNATIONS_IN_A_STEP = 10
const FOLDED_IN_A_STEP = 40
const COMPARED_IN_A_STEP = 400
const UNCLOSED = 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed'

/**
 * @param now milliseconds since 1970 UTC
 * @throws FhirError 400 when the filter is too long
 * @throws FhirError 422 when the codes are not available, cannot be listed or are too many for one response
 */
export function expand(terminology: Terminology, valueSet: ValueSet, options: ExpandOptions, now: number): ValueSet {
  const { offset = 0, count } = options
  const isPaged = options.offset !== undefined || count !== undefined
  const { page, total, systems } = selectMembers(terminology, valueSet, options)
  const flat = isPaged || options.excludeNested === true || options.filter !== undefined
  const meter = new Meter('writing the expansion')
  const entry = (member: Member) => {
    meter.pay(WRITTEN + member.designations.length * (1 + (options.designations?.length ?? 0) / DESIGNATIONS_IN_A_STEP))
    return entryOf(member, options)
  }
  const contains = flat ? page.map(entry) : nested(page, entry)
  const expansion: ValueSetExpansion = {
    ...(isOpen(terminology, valueSet) ? { extension: [{ url: UNCLOSED, valueBoolean: true }] } : {}),
    identifier: `urn:uuid:${randomUUID()}`,
    timestamp: new Date(now).toISOString(),
    total,
    ...(isPaged ? { offset } : {}),
    ...withList('parameter', [...(options.parameters ?? []), ...versionsOf(systems)]),
    ...withList('contains', contains),
  }
  return { ...metadataOf(valueSet, options.includeDefinition === true), expansion }
}

const withList = <Name extends string, Item>(name: Name, items: readonly Item[]): { [key in Name]?: Item[] } =>
  items.length === 0 ? {} : ({ [name]: [...items] } as { [key in Name]?: Item[] })

interface SelectedMembers {
  readonly page: readonly Member[]
  readonly total: number
  /** Canonicals of the code systems of the codes. */
  readonly systems: ReadonlySet<string>
}

function selectMembers(terminology: Terminology, valueSet: ValueSet, options: ExpandOptions): SelectedMembers {
  const { offset = 0, count = Number.POSITIVE_INFINITY } = options
  const isSelected = memberFilter(options)
  const end = offset + Math.min(count, MAX_CODES)
  const page: Member[] = []
  const systems = new Set<string>()
  let total = 0
  const meter = new Meter('the codes of the expansion')
  for (const member of members(terminology, valueSet)) {
    meter.pay(LISTED + member.designations.length / DESIGNATIONS_IN_A_STEP)
    const version = member.version ?? member.concepts?.system.version
    if (version !== undefined) systems.add(canonicalText({ url: member.system, version }))
    if (!isSelected(member)) continue
    if (total >= offset && total < end) page.push(member)
    total++
  }
  if (count === Number.POSITIVE_INFINITY && total - offset > MAX_CODES) throw tooMany(total)
  return { page, total, systems }
}

const tooMany = (total: number): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The value set has ${total} codes, and an expansion has at most ${MAX_CODES}; use count and offset for pages, or filter`,
  })

function memberFilter(options: ExpandOptions): (member: Member) => boolean {
  const { activeOnly = false, excludeNotForUI = false, excludeSystems = [], filter = '' } = options
  if (filter.length > MAX_FILTER_LENGTH) {
    const diagnostics = `Parameter filter has ${filter.length} characters; the maximum is ${MAX_FILTER_LENGTH}`
    throw new FhirError(400, { code: 'too-long', diagnostics, expression: 'filter' })
  }
  const excluded = Map.groupBy(excludeSystems.map(canonicalOf), ({ url }) => url)
  const words = [...new Set(folded(filter).split(' '))].filter((word) => word !== '')
  const meter = new Meter('the filter on the codes of the expansion')
  return (member) =>
    !(activeOnly && member.isInactive) &&
    !(excludeNotForUI && member.isAbstract) &&
    !(excluded.get(member.system) ?? []).some(({ version }) => isOfVersion(member, version)) &&
    (words.length === 0 || matchesWords(member, words, meter))
}

const isOfVersion = ({ version, concepts }: Member, required: string | undefined): boolean =>
  required === undefined || required === (version ?? concepts?.system.version)

function matchesWords({ code, display = '', designations }: Member, words: readonly string[], meter: Meter): boolean {
  const texts = [code, display, ...designations.map(({ value }) => value)].join(' ')
  meter.pay(1 + texts.length / FOLDED_IN_A_STEP + (texts.length * words.length) / COMPARED_IN_A_STEP)
  const text = folded(texts)
  return words.every((word) => hasWordPrefix(text, word))
}

function hasWordPrefix(text: string, prefix: string): boolean {
  for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true
  return false
}

function entryOf(member: Member, options: ExpandOptions): ValueSetExpansionContains {
  const { system, version, code, designations, isAbstract, isInactive } = member
  const display = displayIn(options.displayLanguage, member.display, designations)
  const requested = options.designations ?? []
  const shown = options.includeDesignations === true ? designations.filter((one) => isRequested(one, requested)) : []
  return {
    system,
    ...(isAbstract ? { abstract: true } : {}),
    ...(isInactive ? { inactive: true } : {}),
    ...(version === undefined ? {} : { version }),
    code,
    ...(display === undefined ? {} : { display }),
    ...withList('designation', shown),
  }
}

const versionsOf = (systems: ReadonlySet<string>): readonly ValueSetExpansionParameter[] =>
  [...systems].map((canonical) => ({ name: 'version', valueUri: canonical }))

/** Whether the value set includes a code system that is incomplete here. */
const isOpen = (terminology: Terminology, { compose }: ValueSet): boolean =>
  (compose?.include ?? []).some(({ system, concept }) => {
    const concepts = system === undefined || concept !== undefined ? undefined : terminology.codeSystem(system)
    return concepts?.isComplete === false
  })

/** The metadata of the value set, and its definition when requested. */
function metadataOf(valueSet: ValueSet, includeDefinition: boolean): ValueSet {
  const { text: _text, meta: _meta, expansion: _expansion, compose, contained, extension, ...facts } = valueSet
  return includeDefinition
    ? {
        ...facts,
        ...withList('extension', extension ?? []),
        ...withList('contained', contained ?? []),
        ...(compose && { compose }),
      }
    : facts
}

/** Deeper codes start again at the top level, as JSON readers limit the nesting. */
const MAX_DEPTH = 50
/** Levels that are looked through for an ancestor: in a long chain that begins at its end, no code has one. */
const MAX_LEVELS = 100
/** Steps to look at one. */
const LOOKED_AT = 0.5

interface PlacedEntry {
  readonly entry: ValueSetExpansionContains
  readonly depth: number
}

/** Puts each code below its closest ancestor that precedes it; codes without one are at the top level, in order. */
function nested(
  members: readonly Member[],
  entryOf: (member: Member) => ValueSetExpansionContains,
): ValueSetExpansionContains[] {
  const placed = new Map<string, PlacedEntry>()
  const top: ValueSetExpansionContains[] = []
  const meter = new Meter('the hierarchy of the expansion')
  for (const member of members) {
    const entry = entryOf(member)
    const above = closestAncestor(member, placed, meter)
    if (above === undefined || above.depth >= MAX_DEPTH) top.push(entry)
    else {
      above.entry.contains ??= []
      above.entry.contains.push(entry)
    }
    placed.set(keyOfCode(member, member.code), { entry, depth: (above?.depth ?? 0) + 1 })
  }
  return top
}

/** Follows the first parent of each concept, which is the parent in the tree. */
function closestAncestor(
  member: Member,
  placed: ReadonlyMap<string, PlacedEntry>,
  meter: Meter,
): PlacedEntry | undefined {
  const { concepts } = member
  const passed = new Set([member.code])
  for (let code = concepts?.find(member.code)?.parents[0]; code !== undefined; ) {
    const above = placed.get(keyOfCode(member, code))
    if (above !== undefined || passed.has(code) || passed.size > MAX_LEVELS) return above
    passed.add(code)
    meter.pay(LOOKED_AT)
    code = concepts?.find(code)?.parents[0]
  }
  return undefined
}
