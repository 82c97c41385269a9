/** Terms of conditions on strings, tokens, references, URIs and ids, and on the presence of any entry. */

import { fold } from '../../fhir/text-folding.ts'
import { beginningsOf, type Equality } from '../../search/plan.ts'
import type { Of } from '../conditions.ts'
import { successor } from '../conditions.ts'
import type { Filter } from './collections.ts'
import { ENTRY_KINDS, keyOf } from './index-entries.ts'
import { anyOf, indexedTerm, isOneOf, item, NEVER, type Term, testedTerm } from './term.ts'

export function stringTerm({ param, match, value }: Of<'string'>): Term {
  const k = keyOf('string', param)
  switch (match) {
    case 'prefix':
      return indexedTerm({ k, v: startsWith(value) })
    case 'contains':
      return containsTerm(param, [value])
    case 'suffix':
      return value.includes('\0') ? NEVER : testedTerm({ k, v: { $regex: `${escaped(value)}$` } })
    case 'equal':
      return indexedTerm({ k, v: value }, { inCreationOrder: true })
    case 'greater':
      return indexedTerm({ k, v: { $gt: value } })
    case 'less':
      return indexedTerm({ k, v: { $gt: '', $lt: value } })
    case 'exact':
      return indexedTerm({ k, v: fold(value), exact: value }, { inCreationOrder: true })
  }
}

/** A term for strings that contain one of `values`: one regular expression, as each one is matched with every item. */
export function containsTerm(param: string, values: readonly string[]): Term {
  // A regular expression can't hold a null character; neither can a FHIR string.
  const patterns = joined(values.filter((value) => !value.includes('\0')).map(escaped))
  return anyOf(patterns.map((pattern) => testedTerm({ k: keyOf('string', param), v: { $regex: pattern } })))
}

/** Most characters of a regular expression; MongoDB allows some more. */
const MAX_PATTERN = 16_000

function joined(patterns: readonly string[]): readonly string[] {
  const result: string[] = []
  for (const pattern of patterns) {
    const last = result.at(-1)
    if (last === undefined || last.length + pattern.length >= MAX_PATTERN) result.push(pattern)
    else result[result.length - 1] = `${last}|${pattern}`
  }
  return result
}

const escaped = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export function tokenTerm({ param, system }: Of<'token'>, codes: readonly string[] | undefined): Term {
  const match = { k: keyOf('token', param), ...(codes === undefined ? {} : { v: isOneOf(codes) }), ...systemIs(system) }
  if (codes === undefined) return testedTerm(match)
  return { ...indexedTerm(match, { inCreationOrder: comesInOrder(codes) }), isLong: isLong(codes) }
}

/** True for a few values, whose sorted ranges MongoDB merges; it does not for many. */
const comesInOrder = (values: readonly string[]): boolean => values.length <= 64

/** A comparison of systems; a token or quantity without a system has no such field. */
export const systemIs = (system: string | undefined): Filter =>
  system === undefined ? {} : { system: system === '' ? { $exists: false } : system }

export function referenceTerm(condition: Of<'reference'>, ids: readonly string[]): Term {
  if (ids.length === 0) return NEVER
  const match = { k: keyOf('reference', condition.param), ...referenceMatch(condition, ids) }
  const term = indexedTerm(match, { inCreationOrder: comesInOrder(ids) })
  return { ...term, isLong: isLong(ids) }
}

/** Whether a list is too long to be repeated in each range of a source. */
const isLong = (values: readonly string[]): boolean => values.length > 1_000

function referenceMatch({ type, version, versions }: Of<'reference'>, ids: readonly string[]): Filter {
  const below = versions === undefined ? [] : [{ version: startsWith(`${version}.`) }]
  return {
    v: isOneOf(ids),
    ...(type === undefined ? {} : { type }),
    ...(version === undefined ? {} : below.length === 0 ? { version } : { $or: [{ version }, ...below] }),
  }
}

/** True where the resource has an item that does not match. */
export const unequalTerm = (condition: Equality): Term =>
  testedTerm({ k: keyOf(condition.kind, condition.param), $nor: [equalityMatch(condition)] })

function equalityMatch(condition: Equality): Filter {
  switch (condition.kind) {
    case 'token':
      return { ...(condition.code === undefined ? {} : { v: condition.code }), ...systemIs(condition.system) }
    case 'reference':
      return referenceMatch(condition, [condition.id])
    case 'uri':
      return uriMatch(condition)
  }
}

export function uriTerm(condition: Of<'uri'>): Term {
  const { param, match } = condition
  const k = keyOf('uri', param)
  const all = { k, ...uriMatch(condition) }
  switch (match) {
    case 'exact':
      return indexedTerm(all, { inCreationOrder: true })
    case 'above':
      return indexedTerm(all, { inCreationOrder: true })
    case 'below':
      return indexedTerm(all)
  }
}

function uriMatch({ match, value }: Of<'uri'>): Filter {
  switch (match) {
    case 'exact':
      return { v: value }
    case 'above':
      return { v: isOneOf(beginningsOf(value)) }
    case 'below':
      return { v: startsWith(value) }
  }
}

/** Tests for any entry; a parameter may have entries of several kinds. */
export function missingTerm({ param, missing }: Of<'missing'>): Term {
  const match = { k: { $in: ENTRY_KINDS.map((kind) => keyOf(kind, param)) } }
  return missing ? { filter: { $nor: [item(match)] } } : indexedTerm(match)
}

export function idTerm(ids: readonly string[]): Term {
  if (ids.length === 0) return NEVER
  const filter = { id: isOneOf(ids) }
  return {
    filter,
    source: { index: 'by_id', filters: [filter], exact: true, inCreationOrder: false },
    isLong: isLong(ids),
  }
}

export function startsWith(prefix: string): Filter {
  const end = successor(prefix)
  return { $gte: prefix, ...(end === undefined ? {} : { $lt: end }) }
}
