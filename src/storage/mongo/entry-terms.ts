/** Terms of conditions on values: strings, tokens, references, addresses, ids. */
import { fold } from '../../search/plan.ts'
import type { Filter } from './collections.ts'
import { ENTRY_KINDS, keyOf } from './index-items.ts'
import { found, item, magnitude, NEVER, type Of, oneOf, onlyTested, type Term } from './term.ts'

export function stringTerm({ param, match, value }: Of<'string'>): Term {
  const k = keyOf('string', param)
  switch (match) {
    case 'prefix':
      return found({ k, v: beginsWith(value) }, { habit: `prefix ${Math.min(value.length, 6)}` })
    case 'contains':
      // A regular expression can't hold a null character; neither can a FHIR string.
      return value.includes('\0') ? NEVER : onlyTested({ k, v: { $regex: escaped(value) } })
    case 'exact':
      return found({ k, v: fold(value), exact: value }, { inOrder: true })
  }
}

const escaped = (value: string): string => value.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

export function tokenTerm({ param, system }: Of<'token'>, codes: readonly string[] | undefined): Term {
  const match = { k: keyOf('token', param), ...(codes === undefined ? {} : { v: oneOf(codes) }), ...systemIs(system) }
  if (codes === undefined) return onlyTested(match)
  return found(match, {
    inOrder: comesInOrder(codes),
    habit: `${system !== undefined} ${magnitude(codes.length)}`,
  })
}

/** The server merges the ranges of a few values; those of many it sorts. */
const comesInOrder = (values: readonly string[]): boolean => values.length <= 64

/** A token or quantity without a system has no such field. */
export const systemIs = (system: string | undefined): Filter =>
  system === undefined ? {} : { system: system === '' ? { $exists: false } : system }

export function referenceTerm({ param, type, version }: Of<'reference'>, ids: readonly string[]): Term {
  if (ids.length === 0) return NEVER
  const match = {
    k: keyOf('reference', param),
    v: oneOf(ids),
    ...(type === undefined ? {} : { type }),
    ...(version === undefined ? {} : { version }),
  }
  return found(match, { inOrder: comesInOrder(ids), habit: `${magnitude(ids.length)}` })
}

export function uriTerm({ param, match, value }: Of<'uri'>): Term {
  const k = keyOf('uri', param)
  switch (match) {
    case 'exact':
      return found({ k, v: value }, { inOrder: true })
    case 'above':
      return found({ k, v: oneOf(uriAndParents(value)) }, { inOrder: true, habit: match })
    case 'below': {
      const below = [{ v: value }, { v: beginsWith(value.endsWith('/') ? value : `${value}/`) }]
      return found({ k, $or: below }, { by: below.map((one) => ({ k, ...one })), habit: match })
    }
  }
}

/** Every address that `value` is below, itself included: cut at each slash, with the slash and without. */
function uriAndParents(value: string): readonly string[] {
  const slashes = [...value.matchAll(/\//g)].map((slash) => slash.index)
  return [...new Set([value, ...slashes.flatMap((index) => [value.slice(0, index), value.slice(0, index + 1)])])]
}

/** A parameter may have entries of several kinds. */
export function missingTerm({ param, missing }: Of<'missing'>): Term {
  const match = { k: { $in: ENTRY_KINDS.map((kind) => keyOf(kind, param)) } }
  return missing ? { filter: { $nor: [item(match)] } } : found(match, { habit: `present ${param}` })
}

export function idTerm(ids: readonly string[]): Term {
  if (ids.length === 0) return NEVER
  const filter = { id: oneOf(ids) }
  const habit = `id ${magnitude(ids.length)}`
  return { filter, access: { index: 'by_id', filters: [filter], exact: true, inOrder: false, habit } }
}

function beginsWith(prefix: string): Filter {
  const end = successor(prefix)
  return { $gte: prefix, ...(end === undefined ? {} : { $lt: end }) }
}

/** The least text above everything that starts with `prefix`, in the order of code points (which is that of UTF-8). */
function successor(prefix: string): string | undefined {
  const points = [...prefix].map((character) => character.codePointAt(0) ?? 0)
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  return undefined
}
