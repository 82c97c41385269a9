/** Canonical URLs with an optional version: https://hl7.org/fhir/R4/references.html#canonical. */

export interface Canonical {
  readonly url: string
  readonly version?: string | undefined
}

/** Parses `url|version`; a fragment (#) names an element within the definition and is dropped. */
export function canonicalOf(text: string): Canonical {
  const [whole = ''] = text.split('#', 1)
  const bar = whole.lastIndexOf('|')
  const version = bar < 0 ? '' : whole.slice(bar + 1)
  return { url: bar < 0 ? whole : whole.slice(0, bar), ...(version === '' ? {} : { version }) }
}

export const canonicalText = ({ url, version }: Canonical): string =>
  version === undefined ? url : `${url}|${version}`

interface Definition {
  readonly version?: string | undefined
  readonly status?: string | undefined
  readonly meta?: { readonly lastUpdated?: string | undefined } | undefined
}

const BY_NUMBERS = new Intl.Collator('en', { numeric: true })
/** Characters of a version that are compared: a collator takes long for very long texts. */
const COMPARED = 200
const compare = (one = '', other = ''): number => BY_NUMBERS.compare(one.slice(0, COMPARED), other.slice(0, COMPARED))

/**
 * The current one: preferably not retired, then with the highest version (`10.0` after `9.1`), then the last updated.
 */
export const newest = <D extends Definition>(definitions: readonly D[]): D | undefined =>
  definitions.reduce<D | undefined>((best, one) => (best === undefined || order(best, one) < 0 ? one : best), undefined)

function order(one: Definition, other: Definition): number {
  const retired = Number(other.status === 'retired') - Number(one.status === 'retired')
  if (retired !== 0) return retired
  const version = compare(one.version, other.version)
  if (version !== 0) return version
  return compare(one.meta?.lastUpdated, other.meta?.lastUpdated)
}
