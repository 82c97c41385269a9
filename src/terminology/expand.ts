/** The codes of a value set as ValueSet.expansion: https://hl7.org/fhir/R4/valueset-operation-expand.html. */
import { randomUUID } from 'node:crypto'
import type { ValueSet, ValueSetExpansion, ValueSetExpansionContains, ValueSetExpansionParameter } from 'fhir/r4'
import { FhirError } from '../fhir/outcome.ts'
import { canonicalOf, canonicalText } from './canonical.ts'
import { displayIn, folded, isAskedFor } from './language.ts'
import type { Member } from './member.ts'
import { nested } from './nest.ts'
import type { Terminology } from './terminology.ts'
import { members } from './value-set.ts'

export interface ExpandOptions {
  /** Words, each the beginning of one in the code, its display or a designation. */
  readonly filter?: string
  /** Codes left out before the first. */
  readonly offset?: number
  /** Codes at most; 0 asks for the total alone. */
  readonly count?: number
  readonly includeDesignations?: boolean
  /** Tokens of languages and uses; none: all designations. */
  readonly designations?: readonly string[]
  readonly includeDefinition?: boolean
  readonly activeOnly?: boolean
  readonly excludeNested?: boolean
  readonly excludeNotForUI?: boolean
  readonly displayLanguage?: string
  /** Code systems, as `url` or `url|version`, whose codes are left out. */
  readonly excludeSystems?: readonly string[]
  /** What the expansion says it was made with, beside the versions of the code systems. */
  readonly parameters?: readonly ValueSetExpansionParameter[]
}

/** Of one answer. */
const MAX_CODES = 10_000
const MAX_FILTER_LENGTH = 500
const UNCLOSED = 'http://hl7.org/fhir/StructureDefinition/valueset-unclosed'

/**
 * @param now milliseconds since 1970 UTC
 * @throws FhirError 422 when the codes are not here, have no end or are too many for one answer
 */
export function expand(terminology: Terminology, valueSet: ValueSet, options: ExpandOptions, now: number): ValueSet {
  const { offset = 0, count } = options
  const isPaged = options.offset !== undefined || count !== undefined
  const { page, total, systems } = chosenMembers(terminology, valueSet, options)
  const flat = isPaged || options.excludeNested === true || options.filter !== undefined
  const entry = (member: Member) => entryOf(member, options)
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
  return { ...factsOf(valueSet, options.includeDefinition === true), expansion }
}

const withList = <Name extends string, Item>(name: Name, items: readonly Item[]): { [key in Name]?: Item[] } =>
  items.length === 0 ? {} : ({ [name]: [...items] } as { [key in Name]?: Item[] })

interface Chosen {
  readonly page: readonly Member[]
  readonly total: number
  /** Canonicals of the code systems that the codes are of. */
  readonly systems: ReadonlySet<string>
}

function chosenMembers(terminology: Terminology, valueSet: ValueSet, options: ExpandOptions): Chosen {
  const { offset = 0, count = Number.POSITIVE_INFINITY } = options
  const isWanted = wantedBy(options)
  const end = offset + Math.min(count, MAX_CODES)
  const page: Member[] = []
  const systems = new Set<string>()
  let total = 0
  for (const member of members(terminology, valueSet)) {
    const version = member.version ?? member.concepts?.system.version
    if (version !== undefined) systems.add(canonicalText({ url: member.system, version }))
    if (!isWanted(member)) continue
    if (total >= offset && total < end) page.push(member)
    total++
  }
  if (count === Number.POSITIVE_INFINITY && total - offset > MAX_CODES) throw tooMany(total)
  return { page, total, systems }
}

const tooMany = (total: number): FhirError =>
  new FhirError(422, {
    code: 'too-costly',
    diagnostics: `The value set has ${total} codes, and an answer holds ${MAX_CODES} at most; ask for pages with count and offset, or for fewer with filter`,
  })

function wantedBy(options: ExpandOptions): (member: Member) => boolean {
  const { activeOnly = false, excludeNotForUI = false, excludeSystems = [], filter = '' } = options
  if (filter.length > MAX_FILTER_LENGTH) {
    const diagnostics = `Parameter filter has ${filter.length} characters; ${MAX_FILTER_LENGTH} are the most`
    throw new FhirError(400, { code: 'too-long', diagnostics, expression: 'filter' })
  }
  const left = excludeSystems.map(canonicalOf)
  const words = folded(filter)
    .split(' ')
    .filter((word) => word !== '')
  return (member) =>
    !(activeOnly && member.isInactive) &&
    !(excludeNotForUI && member.isAbstract) &&
    !left.some(({ url, version }) => isOf(member, url, version)) &&
    (words.length === 0 || saysAll(member, words))
}

const isOf = ({ system, version, concepts }: Member, url: string, wanted: string | undefined): boolean =>
  system === url && (wanted === undefined || wanted === (version ?? concepts?.system.version))

function saysAll({ code, display = '', designations }: Member, words: readonly string[]): boolean {
  const text = [code, display, ...designations.map(({ value }) => value)].map(folded).join(' ')
  return words.every((word) => beginsAWord(text, word))
}

function beginsAWord(text: string, beginning: string): boolean {
  for (let at = text.indexOf(beginning); at >= 0; at = text.indexOf(beginning, at + 1))
    if (!/[\p{L}\p{N}]/u.test(text.charAt(at - 1))) return true
  return false
}

function entryOf(member: Member, options: ExpandOptions): ValueSetExpansionContains {
  const { system, version, code, designations, isAbstract, isInactive } = member
  const display = displayIn(options.displayLanguage, member.display, designations)
  const asked = options.designations ?? []
  const shown = options.includeDesignations === true ? designations.filter((one) => isAskedFor(one, asked)) : []
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

/** Draws on a code system of which only a part is here. */
const isOpen = (terminology: Terminology, { compose }: ValueSet): boolean =>
  (compose?.include ?? []).some(({ system, concept }) => {
    const concepts = system === undefined || concept !== undefined ? undefined : terminology.codeSystem(system)
    return concepts?.isComplete === false
  })

/** What names the value set, and what defines it where that is asked for. */
function factsOf(valueSet: ValueSet, includeDefinition: boolean): ValueSet {
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
