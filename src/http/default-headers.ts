/** The headers that every answer has, unless its route says otherwise. */
import type { RequestListener } from 'node:http'
import { setRequestIds } from './request-ids.ts'

/**
 * A body is what its Content-Type says (https://fetch.spec.whatwg.org/#x-content-type-options-header), and no cache keeps
 * what may be about a patient. A client that has kept a version itself may still ask, by its ETag, whether it is the
 * current one.
 */
export const DEFAULT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['X-Content-Type-Options', 'nosniff'],
  ['Cache-Control', 'no-store'],
]

export const withDefaultHeaders =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    for (const [name, value] of DEFAULT_HEADERS) response.setHeader(name, value)
    setRequestIds(request, response)
    listener(request, response)
  }
