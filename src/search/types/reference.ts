/** Reference parameters: https://hl7.org/fhir/R4/search.html#reference. */
import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { ID, type LocalReference, localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { extractCanonical } from '../canonical.ts'
import type { SearchParameter } from '../parameters.ts'
import { type Condition, type IndexEntry, NOTHING } from '../plan.ts'
import { malformed, unescaped, type ValueContext } from '../value.ts'
import { aboveOrBelow } from './hierarchy.ts'
import { addString, parseText } from './string.ts'
import { extractIdentifier, parseToken } from './token.ts'

/** Modifiers of references, in addition to resource types. */
export const REFERENCE_MODIFIERS = ['identifier', 'above', 'below', 'text'] as const

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\S+$/i

/**
 * Elements that distinguish a Reference from other types of the same parameter (Consent.source may be an Attachment).
 */
const IN_REFERENCE = ['reference', 'identifier', 'display', 'type', 'extension'] as const

/** The possible target types of a parameter; undefined: any type. */
export const targetTypesOf = ({ target = ['*'] }: Pick<SearchParameter, 'target'>): readonly string[] | undefined =>
  target.includes('*') ? undefined : target

/**
 * Parses `Type/id`, `id`, an address (below our own base it equals a relative reference), or a canonical with or
 * without version.
 */
export function parseReference(
  parameter: SearchParameter,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  const { code: param } = parameter
  switch (modifier) {
    case 'identifier':
      return parseToken(
        { ...parameter, type: 'token', code: `${param}:identifier`, element: 'Identifier' },
        undefined,
        text,
        context,
      )
    case 'text':
      return parseText(`${param}:text`, undefined, text, context)
    case 'above':
    case 'below': {
      const targets = targetTypesOf(parameter)
      const literal = parseLiteral(param, targets, text, context)
      if (literal === undefined) return NOTHING
      return aboveOrBelow(literal, modifier, targets ?? resourceTypes, text, context)
    }
    default: {
      const targets = modifier === undefined ? targetTypesOf(parameter) : [modifier]
      const literal = parseLiteral(param, targets, text, context)
      if (literal === undefined) return NOTHING
      return isFirstEntry(parameter) ? withId(literal, parameter) : literal
    }
  }
}

/** True for `composition` and `message` of a Bundle, whose targets are in the Bundle. */
const isFirstEntry = ({ expression }: SearchParameter): boolean => expression === 'Bundle.entry[0].resource'

/** A condition that the contained resource has the referenced id; on another server it cannot exist. */
const withId = ({ param, type, id }: Reference, { target = [] }: SearchParameter): Condition => ({
  kind: 'chain',
  param,
  types: target,
  where: { kind: 'id', ids: type === '' ? [] : [id] },
})

type Reference = Extract<Condition, { kind: 'reference' }>

/** Parses a literal reference; undefined for a resource of a type to which the parameter never refers. */
function parseLiteral(
  param: string,
  targets: readonly string[] | undefined,
  text: string,
  context: ValueContext,
): Reference | undefined {
  const value = entryOr(unescaped(text), context)
  const contained = containedTarget(value, context.baseUrl)
  if (contained !== undefined) return { kind: 'reference', param, id: contained }
  if (ID.test(value)) {
    const [type, ...others] = targets ?? []
    return { kind: 'reference', param, ...(type !== undefined && others.length === 0 ? { type } : {}), id: value }
  }
  const found = targetOf(value, context.baseUrl)
  if (!(found.type === '' ? ABSOLUTE.test(value) : isResourceType(found.type))) {
    throw malformed(context, value, 'is not a reference; write Type/id, an id or an absolute address')
  }
  if (found.type !== '' && targets !== undefined && !targets.includes(found.type)) {
    context.hint(`${context.name}=${value}: nothing can be found, as ${param} refers to ${targets.join(', ')} alone`)
    return undefined
  }
  return { kind: 'reference', param, ...found }
}

/**
 * The address of the transaction entry whose fullUrl the value is, otherwise the value. @throws FhirError 400 for a
 * urn:uuid of no entry
 */
function entryOr(value: string, context: ValueContext): string {
  const { links } = context
  if (links === undefined) return value
  const address = links.get(value)
  if (address === undefined && /^urn:uuid:/i.test(value))
    throw malformed(
      context,
      value,
      'is not the fullUrl of an entry that is decided before this one; name such an entry',
    )
  return address ?? value
}

/** The id in the index of `MedicationRequest/23#m1`, the form in which searches return contained resources. */
function containedTarget(text: string, baseUrl: string): string | undefined {
  const mark = text.indexOf('#')
  const container = mark < 0 ? undefined : localReference(text.slice(0, mark), baseUrl)
  if (container === undefined || container.version !== undefined) return undefined
  return `${container.type}/${container.id}${text.slice(mark)}`
}

/** The target of a reference or canonical; the type is '' for an address outside this server, and for a canonical. */
function targetOf(text: string, baseUrl: string): LocalReference {
  const local = localReference(text, baseUrl)
  if (local !== undefined) return local
  const bar = text.lastIndexOf('|')
  const version = bar < 0 ? '' : text.slice(bar + 1)
  return { type: '', id: bar < 0 ? text : text.slice(0, bar), ...(version === '' ? {} : { version }) }
}

/** The targets within a resource, as indexed (search/inner.ts). */
export interface InnerReferences {
  /** The target of `#id`, or of `#` where the id is empty. */
  readonly ofFragment?: (id: string) => LocalReference | undefined
  /** The target of a resource that is present in place of a reference. */
  readonly ofResource?: (resource: unknown) => LocalReference | undefined
}

/** The context of references. */
export interface Origin {
  /** References below it are stored as relative ones. */
  readonly baseUrl: string
  readonly inner?: InnerReferences
}

/**
 * Extracts a Reference, a canonical or uri, or a resource itself (the first entry of a document Bundle). An identifier
 * becomes a token under `param:identifier`. A value without a target (only an identifier or a display, or an absent
 * contained resource) leaves an entry with neither type nor id, which no search finds, except for :missing.
 */
export function extractReference(parameter: Extracted, value: unknown, entries: IndexEntry[], origin: Origin): void {
  if (typeof value === 'string') extractAddress(parameter, value, entries, origin)
  else if (!isObject(value)) return
  else if (typeof value.resourceType === 'string') extractWithin(parameter, value, entries, origin)
  else if (IN_REFERENCE.some((name) => value[name] !== undefined))
    extractElement(parameter.code, value, entries, origin)
}

type Extracted = Pick<SearchParameter, 'code' | 'target' | 'canonical'>

function extractAddress(
  { code: param, canonical }: Extracted,
  text: string,
  entries: IndexEntry[],
  origin: Origin,
): void {
  const found = referenceOf(text, origin) ?? NOWHERE
  entries.push({ kind: 'reference', param, ...found })
  if (canonical === true && found.type === '' && found.id !== '') extractCanonical(param, text, entries)
}

function extractWithin(
  { code: param, target = ['*'] }: Extracted,
  resource: Record<string, unknown>,
  entries: IndexEntry[],
  { inner }: Origin,
): void {
  const found = target.includes(String(resource.resourceType)) ? inner?.ofResource?.(resource) : undefined
  if (found !== undefined) entries.push({ kind: 'reference', param, type: found.type, id: found.id })
}

function extractElement(
  param: string,
  { reference, identifier, display }: Record<string, unknown>,
  entries: IndexEntry[],
  origin: Origin,
): void {
  const found = typeof reference === 'string' ? referenceOf(reference, origin) : undefined
  entries.push({ kind: 'reference', param, ...(found ?? NOWHERE) })
  if (isObject(identifier)) extractIdentifier(`${param}:identifier`, identifier, entries)
  if (typeof display === 'string') addString(`${param}:text`, display, entries)
}

const NOWHERE: LocalReference = { type: '', id: '' }

function referenceOf(text: string, { baseUrl, inner }: Origin): LocalReference | undefined {
  if (!text.startsWith('#')) return targetOf(text, baseUrl)
  const found = inner?.ofFragment?.(text.slice(1))
  return found && { type: found.type, id: found.id }
}
