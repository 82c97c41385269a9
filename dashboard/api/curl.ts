/** A request as a line for the shell that does the same. */
import { addressOf } from './address.ts'
import type { ApiRequest } from './client.ts'

/** @param token of the session; absent: none is sent */
export function curlOf({ method = 'GET', path, body, headers = {} }: ApiRequest, token?: string): string {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const type = body === undefined ? {} : { 'content-type': contentTypeOf(method) }
  const all = { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...type, ...headers }
  return [
    `curl -s ${method === 'GET' ? '' : `-X ${method} `}${quoted(addressOf(path).href)}`,
    ...Object.entries(all).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(text === undefined ? [] : [`--data-binary ${quoted(text)}`]),
  ].join(' \\\n  ')
}

/** The media type of a body in JSON; without one curl says that it is a form. */
export const contentTypeOf = (method: string): string =>
  method === 'PATCH' ? 'application/json-patch+json' : 'application/fhir+json'

/** Quotes for POSIX shells: within single quotes only the closing quote is special. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
