/** Canonical addresses with a version: https://hl7.org/fhir/R4/references.html#canonical. */

export interface Canonical {
  readonly url: string
  readonly version?: string
}

/** `url|version`; the part behind # names an element within and is no part of the address. */
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

/** The one in use: not retired, then of the highest version (`10.0` after `9.1`), then the last written. */
export const newest = <Held extends Definition>(held: readonly Held[]): Held | undefined =>
  held.reduce<Held | undefined>((best, one) => (best === undefined || order(best, one) < 0 ? one : best), undefined)

function order(one: Definition, other: Definition): number {
  const retired = Number(other.status === 'retired') - Number(one.status === 'retired')
  if (retired !== 0) return retired
  const version = BY_NUMBERS.compare(one.version ?? '', other.version ?? '')
  if (version !== 0) return version
  return BY_NUMBERS.compare(one.meta?.lastUpdated ?? '', other.meta?.lastUpdated ?? '')
}
