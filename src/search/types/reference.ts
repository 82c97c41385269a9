/** Reference parameters: https://hl7.org/fhir/R4/search.html#reference. */
import { isResourceType, resourceTypes } from '../../fhir/definitions.ts'
import { type LocalReference, localReference } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import type { SearchParameter } from '../parameters.ts'
import type { Condition, IndexEntry } from '../plan.ts'
import { malformed, unescaped, type ValueContext } from '../value.ts'
import { aboveOrBelow } from './hierarchy.ts'
import { addString, parseString } from './string.ts'
import { extractIdentifier, parseToken } from './token.ts'

/** Besides a resource type. */
export const REFERENCE_MODIFIERS = ['identifier', 'above', 'below', 'text'] as const

const ID = /^[A-Za-z0-9\-.]{1,64}$/
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\S+$/i

/** What tells a Reference from the other types that share a parameter with it (Consent.source may be an Attachment). */
const IN_REFERENCE = ['reference', 'identifier', 'display', 'type', 'extension'] as const

/** The targets a parameter can have, or undefined when that is any type. */
export const targetTypesOf = ({ target = ['*'] }: Pick<SearchParameter, 'target'>): readonly string[] | undefined =>
  target.includes('*') ? undefined : target

/** `Type/id`, `id`, an address (below our own base it is the same as relative), a canonical with or without version. */
export function parseReference(
  parameter: SearchParameter,
  modifier: string | undefined,
  text: string,
  context: ValueContext,
): Condition {
  const { code: param } = parameter
  switch (modifier) {
    case 'identifier':
      return parseToken({ ...parameter, type: 'token', code: `${param}:identifier` }, undefined, text, context)
    case 'text':
      return parseString(`${param}:text`, undefined, text, context)
    case 'above':
    case 'below': {
      const targets = targetTypesOf(parameter)
      return aboveOrBelow(
        parseLiteral(param, targets, text, context),
        modifier,
        targets ?? resourceTypes,
        text,
        context,
      )
    }
    default:
      return parseLiteral(param, modifier === undefined ? targetTypesOf(parameter) : [modifier], text, context)
  }
}

function parseLiteral(
  param: string,
  targets: readonly string[] | undefined,
  text: string,
  context: ValueContext,
): Extract<Condition, { kind: 'reference' }> {
  const value = unescaped(text)
  if (ID.test(value)) {
    const [type, ...others] = targets ?? []
    return { kind: 'reference', param, ...(type !== undefined && others.length === 0 ? { type } : {}), id: value }
  }
  const found = targetOf(value, context.baseUrl)
  if (!(found.type === '' ? ABSOLUTE.test(value) : isResourceType(found.type))) {
    throw malformed(context, value, 'is not a reference; write Type/id, an id or an absolute address')
  }
  if (found.type !== '' && targets !== undefined && !targets.includes(found.type)) {
    throw malformed(context, value, `cannot be found: ${param} refers to ${targets.join(', ')}`)
  }
  return { kind: 'reference', param, ...found }
}

/** What the text of a reference or canonical points to; the type is '' for an address outside this server and a canonical. */
function targetOf(text: string, baseUrl: string): LocalReference {
  const local = localReference(text, baseUrl)
  if (local !== undefined) return local
  const bar = text.lastIndexOf('|')
  const version = bar < 0 ? '' : text.slice(bar + 1)
  return { type: '', id: bar < 0 ? text : text.slice(0, bar), ...(version === '' ? {} : { version }) }
}

/**
 * A Reference, a canonical or uri, or a resource itself (the first entry of a document Bundle). An identifier becomes a
 * token under `param:identifier`. What points nowhere outside its resource (only an identifier or a display, or a
 * contained resource) leaves an entry with neither type nor id, which no search finds but :missing sees.
 */
export function extractReference(param: string, value: unknown, entries: IndexEntry[], baseUrl: string): void {
  if (typeof value === 'string') entries.push({ kind: 'reference', param, ...targetOf(value, baseUrl) })
  else if (!isObject(value)) return
  else if (typeof value.resourceType === 'string') {
    entries.push({
      kind: 'reference',
      param,
      type: value.resourceType,
      id: typeof value.id === 'string' ? value.id : '',
    })
  } else if (IN_REFERENCE.some((name) => value[name] !== undefined)) {
    const { reference, identifier, display } = value
    const literal = typeof reference === 'string' && !reference.startsWith('#')
    entries.push({ kind: 'reference', param, ...(literal ? targetOf(reference, baseUrl) : { type: '', id: '' }) })
    if (isObject(identifier)) extractIdentifier(`${param}:identifier`, identifier, entries)
    if (typeof display === 'string') addString(`${param}:text`, display, entries)
  }
}
