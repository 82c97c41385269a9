/**
 * Bundles as text, joined from the stored texts, so that no resource is parsed to be sent:
 * https://hl7.org/fhir/R4/bundle.html.
 */

import type { StoredResource, Versioned } from '../../repository/repository.ts'
import { etagOf } from './http.ts'

export interface BundleLink {
  readonly relation: 'self' | 'next'
  readonly url: string
}

export interface BundleHead {
  readonly type: 'searchset' | 'history' | 'batch-response' | 'transaction-response'
  readonly total?: number | undefined
  readonly links?: readonly BundleLink[]
}

/** The links of a page: `used` are the parameters that were used, without the cursor. */
export function pageLinks(
  path: string,
  used: readonly (readonly [name: string, value: string])[],
  next: string | undefined,
): readonly BundleLink[] {
  const address = (pairs: typeof used): string => {
    const query = pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
    return `${path}${query === '' ? '' : `?${query}`}`
  }
  const self: BundleLink = { relation: 'self', url: address(used) }
  return next === undefined ? [self] : [self, { relation: 'next', url: address([...used, ['_cursor', next]]) }]
}

/** Percent-encoding that leaves FHIR's separators readable where a URL allows them, which excludes `|`. */
const encode = (text: string): string =>
  PLAIN.test(text)
    ? text
    : encodeURIComponent(text).replace(/%(3A|2C|2F|24)/g, (encoded) => decodeURIComponent(encoded))

/** Nothing of it is to be encoded. */
const PLAIN = /^[\w.~!*'():,/$-]*$/

/** `entries` are JSON texts of Bundle.entry. */
export function bundleText({ type, total, links = [] }: BundleHead, entries: readonly string[]): string {
  const head = JSON.stringify({
    resourceType: 'Bundle',
    type,
    ...(total === undefined ? {} : { total }),
    ...(links.length === 0 ? {} : { link: links }),
  })
  // bdl-1, ele-1: an empty array is not allowed, so a bundle of nothing has no entry element.
  return entries.length === 0 ? head : `${head.slice(0, -1)},"entry":[${entries.join(',')}]}`
}

/** A contained resource has the address of its container, with its own id behind a `#`. */
export function searchEntry(
  base: string,
  { type, id, container }: Versioned,
  text: string,
  mode: 'match' | 'include',
): string {
  const path = container === undefined ? `${type}/${id}` : `${container.type}/${container.id}#${id}`
  return `{"fullUrl":"${base}/${path}","resource":${text},"search":{"mode":"${mode}"}}`
}

export const outcomeEntry = (outcome: unknown): string =>
  `{"resource":${JSON.stringify(outcome)},"search":{"mode":"outcome"}}`

/** `created`: the version brought the resource into being, or back. */
export function historyEntry(base: string, version: StoredResource, created: boolean): string {
  const { type, id, method, text } = version
  const url = method === 'POST' ? type : `${type}/${id}`
  const status = method === 'DELETE' ? '204' : created ? '201' : '200'
  const response = { status, etag: etagOf(version.version), lastModified: new Date(version.lastUpdated).toISOString() }
  const resource = method === 'DELETE' ? '' : `"resource":${text},`
  return `{"fullUrl":"${base}/${type}/${id}",${resource}"request":{"method":"${method}","url":"${url}"},"response":${JSON.stringify(response)}}`
}
