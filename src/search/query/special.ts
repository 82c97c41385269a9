/**
 * The parameters of every type that do not correspond to an element: `_filter`, `_list`, `_text` and `_content`.
 * https://hl7.org/fhir/R4/search.html#special
 */
import { badRequest } from '../../fhir/outcome.ts'
import { localReference } from '../../fhir/reference.ts'
import { CONTENT, TEXT } from '../index/full-text.ts'
import { emptyParameter, UNKNOWN_MODIFIER, UNKNOWN_PARAMETER } from '../parameters.ts'
import type { Condition } from '../plan.ts'
import { any, malformed, unescaped, type ValueContext, valuesOf } from '../value.ts'
import { parseFilterParameter, type ReadParameter } from './filter-condition.ts'
import { parseFullText } from './full-text-query.ts'
import type { Allowance } from './limits.ts'
import type { SearchScope } from './scope.ts'

interface Parts {
  readonly value: string
  readonly scope: SearchScope
  readonly context: ValueContext
  readonly allowance: Allowance
  readonly read: ReadParameter
}

const READERS: Readonly<Record<string, (parts: Parts) => Condition>> = {
  _filter: ({ value, scope, context, allowance, read }) => parseFilterParameter(value, scope, context, allowance, read),
  _list: ({ value, context }) => any(valuesOf(value, context).map((text) => listed(unescaped(text), context))),
  [TEXT]: (parts) => fullText(TEXT, parts),
  [CONTENT]: (parts) => fullText(CONTENT, parts),
  _query: () => {
    throw badRequest('_query names a query of the server, and there are none; use the search parameters', {
      reason: UNKNOWN_PARAMETER,
    })
  },
}

/** The codes by which every type can be searched, in addition to its parameters. */
export const specialCodes = (fullText: boolean): readonly string[] => [
  '_filter',
  '_has',
  '_list',
  ...(fullText ? [CONTENT, TEXT] : []),
]

export const isSpecial = (code: string): boolean => Object.hasOwn(READERS, code)

/** @throws FhirError 400 */
export function parseSpecial(code: string, modifier: string | undefined, parts: Parts): Condition {
  const { value, context } = parts
  if (modifier !== undefined)
    throw badRequest(`${context.name}: ${code} takes no modifier, not ':${modifier}'`, { reason: UNKNOWN_MODIFIER })
  if (value === '') throw emptyParameter(context.name)
  return READERS[code]?.(parts) ?? any([])
}

/** A condition on resources to which the entries of a List refer. */
const listed = (text: string, context: ValueContext): Condition => ({
  kind: 'has',
  type: 'List',
  param: 'item',
  where: { kind: 'id', ids: [listId(text, context)] },
})

/** The id of the List named by a value of `_list`. @throws FhirError 400 */
export function listId(text: string, context: Pick<ValueContext, 'name' | 'baseUrl'>): string {
  if (text.startsWith('$')) {
    throw malformed(
      context,
      text,
      'is a list that the server would make itself, and it makes none; name a List by its id',
    )
  }
  const { type, id } = localReference(text, context.baseUrl) ?? { type: 'List', id: text }
  if (type !== 'List' || !/^[A-Za-z0-9\-.]{1,64}$/.test(id)) throw malformed(context, text, 'is not the id of a List')
  return id
}

function fullText(code: typeof TEXT | typeof CONTENT, { value, scope, context }: Parts): Condition {
  if (!scope.fullText) {
    throw badRequest(`${code} is not offered: FULL_TEXT is off on this server; search by other parameters`, {
      reason: UNKNOWN_PARAMETER,
    })
  }
  return any(valuesOf(value, context).map((text) => parseFullText(code, text, context)))
}
