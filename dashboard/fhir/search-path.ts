/** A search as its parts, and as the address that it is: https://hl7.org/fhir/R4/search.html. */

export interface SearchRow {
  /** `birthdate`, `_include`, or a chain as it is: `subject.name`. */
  readonly name: string
  /** `exact`; '' for none. */
  readonly modifier: string
  /** `ge`; '' for none. */
  readonly prefix: string
  readonly value: string
}

export interface SearchParts {
  readonly type: string
  readonly rows: readonly SearchRow[]
}

export const PREFIXES = ['eq', 'ne', 'gt', 'lt', 'ge', 'le', 'sa', 'eb', 'ap']
const WITH_PREFIX = new RegExp(`^(${PREFIXES.join('|')})(.*)$`, 's')

const PREFIXED: ReadonlySet<string> = new Set(['date', 'number', 'quantity'])

/** Whether values of parameters of this type may have a prefix. */
export const hasPrefix = (kind: string | undefined): boolean => PREFIXED.has(kind ?? '')

/** Modifiers by the type of the parameter, as the server takes them; `missing` is of each. */
const MODIFIERS: Readonly<Record<string, readonly string[]>> = {
  string: ['exact', 'contains'],
  token: ['not', 'text', 'in', 'not-in', 'above', 'below', 'of-type'],
  reference: ['identifier', 'above', 'below', 'text'],
  uri: ['below', 'above'],
}

export function modifiersOf(name: string, kind: string | undefined): readonly string[] {
  if (name === '_include' || name === '_revinclude') return ['iterate']
  return kind === undefined || kind === 'special' ? [] : [...(MODIFIERS[kind] ?? []), 'missing']
}

/**
 * @param kindOf the type of a search parameter, by its name
 * @returns undefined where the address is no search of a type
 */
export function readSearch(path: string, kindOf: (name: string) => string | undefined): SearchParts | undefined {
  const [, type, query = ''] = /^\/*([A-Z]\w+)(?:\?(.*))?$/s.exec(path) ?? []
  if (type === undefined) return undefined
  return { type, rows: [...new URLSearchParams(query)].map(([name, value]) => rowOf(name, value, kindOf)) }
}

function rowOf(written: string, given: string, kindOf: (name: string) => string | undefined): SearchRow {
  const isChain = written.includes('.') || written.startsWith('_has:')
  const [name = '', ...modifiers] = isChain ? [written] : written.split(':')
  const kind = kindOf(name)
  const found = hasPrefix(kind) && modifiers.length === 0 ? WITH_PREFIX.exec(given) : null
  const [, prefix = '', value = given] = found ?? []
  return { name, modifier: modifiers.join(':'), prefix, value }
}

export function writeSearch({ type, rows }: SearchParts): string {
  const query = rows.map(({ name, modifier, prefix, value }) => {
    const written = modifier === '' ? name : `${name}:${modifier}`
    return `${readable(written)}=${readable(prefix + value)}`
  })
  return query.length === 0 ? type : `${type}?${query.join('&')}`
}

/** Encoded, but for signs that mean nothing else in a query and are easier to read as they are. */
const readable = (text: string): string =>
  encodeURIComponent(text).replace(/%(3A|2F|2C|7C|24)/g, (encoded) => decodeURIComponent(encoded))
