/** What an answer 429 says of a limit: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10. */

/** So many, in a unit of the draft; or requests within a number of seconds. */
type Quota =
  | { readonly most: number; readonly of: 'concurrent-requests' | 'content-bytes' }
  | { readonly most: number; readonly perSeconds: number }

/**
 * The header fields of an answer 429.
 * @param name of the share
 * @param seconds after which to come back
 */
export const exceeded = (name: string, quota: Quota, seconds: number): Readonly<Record<string, string>> => ({
  'retry-after': String(seconds),
  'ratelimit-policy': `"${name}";q=${quota.most};${'of' in quota ? `qu="${quota.of}"` : `w=${quota.perSeconds}`}`,
  ratelimit: `"${name}";r=0;t=${seconds}`,
})
