/**
 * Extracts the index entries of a resource, one for each value that it can be searched by:
 * https://hl7.org/fhir/R4/search.html#Introduction.
 */
import type { Patient } from 'fhir/r4'
import { isResourceType } from '../../fhir/definitions.ts'
import { compileFhirPath, EvaluationError } from '../../fhir/fhirpath/fhirpath.ts'
import type { SharedResults } from '../../fhir/fhirpath/scope.ts'
import { FhirError } from '../../fhir/outcome.ts'
import type { LocalReference } from '../../fhir/reference.ts'
import { type AnyResource, isObject, itemsOf } from '../../fhir/resource.ts'
import { fold } from '../../fhir/text-folding.ts'
import { Meter } from '../../isolation/budget.ts'
import { MATCH_KEYS, storedKeys } from '../../matching/keys.ts'
import { extractCalled, isDefinition } from '../canonical.ts'
import { INNER_ID, innerTypes, linkOf, resourceTypeOf } from '../inner.ts'
import { indexedParametersOf, isAdded, type SearchParameter } from '../parameters.ts'
import type { IndexEntry } from '../plan.ts'
import { extractComposite, repetitions } from '../types/composite.ts'
import { extractDate } from '../types/date.ts'
import { extractPosition } from '../types/near.ts'
import { extractNumber } from '../types/number.ts'
import { extractQuantity } from '../types/quantity.ts'
import { extractReference, type InnerReferences, type Origin } from '../types/reference.ts'
import { extractPhonetic, extractString } from '../types/string.ts'
import { extractTextOrder, extractToken } from '../types/token.ts'
import { extractUri } from '../types/uri.ts'

/** Extracts the values of one parameter. */
export interface Extractor {
  readonly parameter: SearchParameter
  /** The values; for a composite, the values of each part for each repetition. */
  readonly evaluate: (resource: AnyResource, shared: SharedWork) => readonly unknown[]
}

/** State shared by the extractors of one resource. */
export interface SharedWork {
  /** Items that the clinic's own parameters may still visit, all together. */
  customLeft: number
  readonly results: SharedResults
  /** The resource that contains this one, for a contained resource. */
  readonly container?: AnyResource
}

/** Items of one resource that all of the clinic's own parameters may visit; some thirty milliseconds. */
const CUSTOM_WORK = 100_000

/** Budget steps of a parameter, of one of its values, and of an entry. */
const STEPS_PER_VALUE = 1.5
const STEPS_PER_ENTRY = 1.5
const STEPS_PER_PARAMETER = 1
const WHAT = 'the values that it is searched by'

/** Parameters whose values the store itself keeps. */
export const KEPT_BY_STORE: ReadonlySet<string> = new Set(['_id', '_lastUpdated'])

const extractorsByType = new Map<string, readonly Extractor[]>()

/**
 * Every value of every parameter of the resource's type, without duplicates.
 * @param baseUrl references below it are stored as relative ones
 * @param custom extractors of the clinic's own parameters
 * @param fullText words are extracted too
 * @throws BudgetError
 */
export function extractEntries(
  resource: AnyResource,
  baseUrl = '',
  custom: readonly Extractor[] = [],
  fullText = true,
): readonly IndexEntry[] {
  const entries: IndexEntry[] = []
  const served = extractorsOf(resource.resourceType)
  const meter = new Meter(WHAT)
  const inner = within(resource)
  const origin: Origin = inner === undefined ? { baseUrl } : { baseUrl, inner: inner.references }
  const shared: SharedWork = { customLeft: CUSTOM_WORK, results: {} }
  const extractors = custom.length === 0 ? served : [...served, ...custom]
  extractValues({ resource, extractors, shared, origin, meter }, entries)
  if (isDefinition(resource.resourceType)) extractCalled(resource, entries)
  if (resource.resourceType === 'Patient') extractMatchKeys(resource as Patient, entries)
  if (fullText) extractWords(resource, entries)
  if (inner !== undefined) extractInner(linkOf(resource.resourceType), inner.all, baseUrl, entries, meter)
  return entries
}

/** Adds the keys by which record linkage finds a Patient. */
function extractMatchKeys(patient: Patient, entries: IndexEntry[]): void {
  for (const key of storedKeys(patient)) entries.push({ kind: 'key', param: MATCH_KEYS, key })
}

interface Extraction {
  readonly resource: AnyResource
  readonly extractors: readonly Extractor[]
  readonly shared: SharedWork
  readonly origin: Origin
  readonly meter: Meter
}

function extractValues({ resource, extractors, shared, origin, meter }: Extraction, entries: IndexEntry[]): void {
  for (const { parameter, evaluate } of extractors) {
    const values = distinct(evaluate(resource, shared), meter)
    const start = entries.length
    meter.pay(STEPS_PER_PARAMETER)
    for (const value of values) {
      EXTRACT[parameter.type](parameter, value, entries, origin)
      meter.pay(STEPS_PER_VALUE)
    }
    meter.pay((entries.length - start) * STEPS_PER_ENTRY)
    if (entries.length > start + 1) removeDuplicates(entries, start)
  }
}

/** Adds, for each contained resource, the reference to it and its own entries. */
function extractInner(
  param: string,
  all: readonly InnerResource[],
  baseUrl: string,
  entries: IndexEntry[],
  meter: Meter,
): void {
  for (const { type, id, resource, container, references } of all) {
    const own: IndexEntry[] = []
    const shared: SharedWork = { customLeft: 0, results: {}, container }
    const extractors = extractorsOf(resource.resourceType)
    extractValues({ resource, extractors, shared, origin: { baseUrl, inner: references }, meter }, own)
    if (resource.id !== undefined) own.push({ kind: 'uri', param: INNER_ID, value: resource.id })
    entries.push({ kind: 'reference', param, type, id }, { kind: 'inner', param, type, id, entries: own })
  }
}

/**
 * Most values of one parameter in one resource. Every search and sort by the parameter reads all of them, so a resource
 * with more is refused when it is written.
 */
const MAX_VALUES = 10_000
/** Types whose codes are values; the largest published code systems have some hundred thousand. */
const TERMINOLOGY: ReadonlySet<string> = new Set(['CodeSystem', 'ValueSet', 'ConceptMap'])
const MAX_VALUES_OF_TERMINOLOGY = 500_000

/** @throws FhirError 422 for a resource that has more values of one parameter than a resource may */
export function checkAmounts(type: string, entries: readonly IndexEntry[]): void {
  for (const entry of entries) if (entry.kind === 'inner') checkAmounts(resourceTypeOf(entry.type), entry.entries)
  const most = TERMINOLOGY.has(type) ? MAX_VALUES_OF_TERMINOLOGY : MAX_VALUES
  if (entries.length <= most) return
  const amounts = new Map<string, number>()
  for (const { param } of entries) amounts.set(param, (amounts.get(param) ?? 0) + 1)
  for (const [param, amount] of amounts) if (amount > most) throw tooMany(type, param, amount, most)
}

function tooMany(type: string, param: string, amount: number, most: number): FhirError {
  const element = indexedParametersOf(type).find(({ code }) => code === param)?.expression
  return new FhirError(422, {
    code: 'too-long',
    diagnostics:
      `The ${type} has ${amount} values for the search parameter '${param}'${element === undefined ? '' : ` (${element})`}; ` +
      `${most} are the most that one resource is searched by. Split it into several resources`,
  })
}

/** The extractors of a type, compiled when its first resource is written. */
function extractorsOf(type: string): readonly Extractor[] {
  const known = extractorsByType.get(type)
  if (known !== undefined) return known
  const extractors = indexedParametersOf(type)
    .filter(({ code }) => !KEPT_BY_STORE.has(code))
    .map((parameter) => {
      const evaluate = evaluatorOf(parameter)
      return { parameter, evaluate: isAdded(parameter) ? lenient(evaluate) : evaluate }
    })
  extractorsByType.set(type, extractors)
  return extractors
}

/**
 * Returns no values where an extension's expression cannot be applied to a resource, so that no write fails because of
 * it.
 */
const lenient =
  (evaluate: Extractor['evaluate']): Extractor['evaluate'] =>
  (resource, shared) => {
    try {
      return evaluate(resource, shared)
    } catch (error) {
      if (error instanceof EvaluationError) return []
      throw error
    }
  }

function evaluatorOf({ expression, parts }: SearchParameter): Extractor['evaluate'] {
  const compiled = compileFhirPath(expression)
  if (parts === undefined) {
    return (resource, { container }) =>
      compiled.evaluate(
        resource,
        container === undefined ? ALL_VALUES : { ...ALL_VALUES, resource, rootResource: container },
      )
  }
  const compiledParts = parts.map((part) => compileFhirPath(part.expression))
  return repetitions(compiled, compiledParts)
}

/** Equal values are removed later, from the entries extracted from them. */
const ALL_VALUES = { keepDuplicates: true } as const

type Extract = (parameter: SearchParameter, value: unknown, entries: IndexEntry[], origin: Origin) => void

const EXTRACT: Readonly<Record<SearchParameter['type'], Extract>> = {
  string: (parameter, value, entries) =>
    parameter.phonetic === true
      ? extractPhonetic(parameter.code, value, entries)
      : extractString(parameter, value, entries),
  token: (parameter, value, entries) => {
    extractToken(parameter, value, entries)
    extractTextOrder(parameter, value, entries)
  },
  reference: extractReference,
  date: extractDate,
  uri: ({ code }, value, entries) => extractUri(code, value, entries),
  number: ({ code }, value, entries) => extractNumber(code, value, entries),
  quantity: ({ code }, value, entries) => extractQuantity(code, value, entries),
  composite: (parameter, values, entries, origin) =>
    extractComposite(parameter, values, entries, (part, value, own) => EXTRACT[part.type](part, value, own, origin)),
  special: ({ code }, value, entries) => extractPosition(code, value, entries),
}

/** From this number on, values are compared before extraction, since the extraction of each costs more. */
const MANY = 64

/** Removes equal values, which have equal entries. */
function distinct(values: readonly unknown[], meter: Meter): readonly unknown[] {
  if (values.length < MANY) return values
  meter.pay(values.length)
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

/** Removes duplicates among the entries from `start` on, which are those of one parameter. */
function removeDuplicates(entries: IndexEntry[], start: number): void {
  const seen = new Set<string>()
  let kept = start
  for (let at = start; at < entries.length; at++) {
    const entry = entries[at]
    if (entry === undefined) continue
    const key = keyOf(entry)
    if (seen.has(key)) continue
    seen.add(key)
    entries[kept++] = entry
  }
  entries.length = kept
}

function keyOf(entry: IndexEntry): string {
  switch (entry.kind) {
    case 'string':
      return `${entry.param}\n${entry.folded}\n${entry.exact}`
    case 'token':
      return `${entry.param}\n${entry.system}|${entry.code}`
    case 'reference':
      return `${entry.param}\n${entry.type}/${entry.id}|${entry.version ?? ''}`
    case 'uri':
      return entry.value
    case 'date':
    case 'number':
      return `${entry.param}\n${entry.low}-${entry.high}`
    default:
      return JSON.stringify(entry)
  }
}

/** Most contained resources of one container that can be found; each costs a write of its own. */
const MAX_CONTAINED = 1_000

/** A resource within another, with its type and id in the index. */
interface InnerResource extends LocalReference {
  readonly resource: AnyResource
  /** The container, to which `#` refers in it, with the contained resources to which it may refer. */
  readonly container: AnyResource
  readonly references: InnerReferences
}

interface Within {
  /** The targets of references of the resource itself. */
  readonly references: InnerReferences
  readonly all: readonly InnerResource[]
}

/** The resources within a resource by which it can be found (search/inner.ts); undefined for the many that have none. */
function within(resource: AnyResource): Within | undefined {
  if (resource.resourceType === 'Bundle') return withinBundle(resource)
  if (!('contained' in resource)) return undefined
  const { resourceType: type, id = '' } = resource
  const address = { type, id }
  return containedIn(resource, address, `${type}/${id}`)
}

/**
 * The type of the first entry by type of Bundle; an entry of another type does not count:
 * https://hl7.org/fhir/R4/bundle.html#search.
 */
const FIRST_OF: Readonly<Record<string, string>> = { document: 'Composition', message: 'MessageHeader' }

function withinBundle(bundle: AnyResource & { readonly type?: unknown; readonly entry?: unknown }): Within | undefined {
  const entry: unknown = Array.isArray(bundle.entry) ? bundle.entry[0] : undefined
  const resource: unknown = isObject(entry) ? entry.resource : undefined
  if (!isResource(resource) || FIRST_OF[String(bundle.type)] !== resource.resourceType) return undefined
  const [type = ''] = innerTypes(bundle.resourceType, [resource.resourceType])
  const first = { type, id: `Bundle/${bundle.id ?? ''}#0` }
  const { references, all } = containedIn(resource, first, first.id)
  return {
    references: { ofResource: (value) => (value === resource ? first : undefined) },
    all: [{ ...first, resource, container: resource, references }, ...all],
  }
}

/** @param address of the container in the index; the ids of its contained resources begin with `prefix` */
function containedIn(
  container: AnyResource & { readonly contained?: unknown },
  address: LocalReference,
  prefix: string,
): Within {
  const byId = new Map<string, InnerResource>()
  const references: InnerReferences = { ofFragment: (id) => (id === '' ? address : byId.get(id)) }
  for (const resource of itemsOf(container.contained).filter(isResource)) {
    const { id = '' } = resource
    const [type = ''] = innerTypes(address.type, [resource.resourceType])
    if (byId.size === MAX_CONTAINED) break
    // The first of several with the same id counts, as for FHIRPath's resolve().
    if (id !== '' && !byId.has(id)) byId.set(id, { type, id: `${prefix}#${id}`, resource, container, references })
  }
  return { references, all: [...byId.values()] }
}

const isResource = (value: unknown): value is AnyResource =>
  isObject(value) && typeof value.resourceType === 'string' && isResourceType(value.resourceType)

/**
 * `_text`, the words of a resource's narrative, and `_content`, all its words:
 * https://hl7.org/fhir/R4/search.html#content. Each has one entry with its words; that of `_content` omits the words of
 * `_text`.
 */
export const TEXT = '_text'
export const CONTENT = '_content'

/** Raised when different words are extracted from the same resource. */
export const FULL_TEXT_VERSION = '2'

/** Most distinct words of a resource that are indexed: the first ones of its narrative, and the first of all others. */
const MAX_WORDS = 500
/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 40

/** Elements that hold no text: addresses, code systems, times and data. */
const NO_TEXT: ReadonlySet<string> = new Set([
  ...['resourceType', 'id', 'meta', 'div', 'system', 'url', 'reference', 'profile', 'data', '_data', 'hash'],
  'contentType',
])
/** Dates and times, which have searches of their own. */
const DATE = /^\d{4}-\d\d/

/** The words of a text, folded (see fold), in the form in which they are compared. */
export const wordsOf = (text: string): readonly string[] => fold(text).split(' ').map(comparedOf)

const comparedOf = (word: string): string =>
  word.length > MAX_WORD_LENGTH ? [...word].slice(0, MAX_WORD_LENGTH).join('') : word

function extractWords(resource: AnyResource, entries: IndexEntry[]): void {
  const narrative = new Set<string>()
  addWords(narrativeOf(resource), narrative)
  const others = new Set<string>()
  addContent(resource, others)
  push(TEXT, narrative, entries)
  push(CONTENT, narrative.size === 0 ? others : others.difference(narrative), entries)
}

function push(param: string, words: ReadonlySet<string>, entries: IndexEntry[]): void {
  if (words.size > 0) entries.push({ kind: 'words', param, words: [...words].join(' ') })
}

function addWords(text: string, words: Set<string>): void {
  const folded = fold(text)
  for (const word of folded.includes(' ') ? folded.split(' ') : [folded]) {
    if (words.size >= MAX_WORDS) return
    if (word !== '') words.add(comparedOf(word))
  }
}

function addContent(value: unknown, words: Set<string>): void {
  if (words.size >= MAX_WORDS) return
  if (typeof value === 'string') {
    if (!DATE.test(value)) addWords(value, words)
  } else if (Array.isArray(value)) for (const item of value) addContent(item, words)
  else if (isObject(value)) {
    for (const name of Object.keys(value)) if (!NO_TEXT.has(name)) addContent(value[name], words)
  }
}

/** The text between the tags; each tag ends a word. */
function narrativeOf(resource: AnyResource): string {
  const { text } = resource as { readonly text?: unknown }
  if (!isObject(text) || typeof text.div !== 'string') return ''
  const pieces = text.div.split('<').map((piece) => piece.slice(piece.indexOf('>') + 1))
  return pieces.join(' ').replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{1,8}));/gi, (_, decimal, hex, name) => {
    return name === undefined ? characterOf(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)) : ' '
  })
}

const characterOf = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : ' ')
