/** A request of the console as it is typed: its headers are lines, its format is chosen. */
import type { ApiRequest } from '../../api/client.ts'
import { contentTypeOf } from '../../api/curl.ts'

export type Format = 'json' | 'xml'

export interface TypedRequest {
  readonly method: string
  readonly path: string
  /** `name: value` on each line. */
  readonly headers: string
  readonly body: string
  readonly format: Format
}

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export const takesBody = (method: string): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH'

export const requestOf = ({ method, path, headers, body, format }: TypedRequest): ApiRequest => ({
  method,
  path,
  headers: { ...typesOf(method, format), ...headersIn(headers) },
  ...(takesBody(method) && body !== '' ? { body } : {}),
})

function typesOf(method: string, format: Format): Readonly<Record<string, string>> {
  const xml = method === 'PATCH' ? 'application/xml-patch+xml' : 'application/fhir+xml'
  return {
    ...(format === 'xml' ? { accept: 'application/fhir+xml' } : {}),
    ...(takesBody(method) ? { 'content-type': format === 'xml' ? xml : contentTypeOf(method) } : {}),
  }
}

/** Headers as they are typed. */
export const linesOf = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

function headersIn(text: string): Readonly<Record<string, string>> {
  const given = text.split('\n').flatMap((line) => {
    const [name = '', ...value] = line.split(':')
    return isHeaderName(name.trim()) && value.length > 0 ? [[name.trim().toLowerCase(), value.join(':').trim()]] : []
  })
  return Object.fromEntries(given)
}

/** https://httpwg.org/specs/rfc9110.html#tokens: a browser refuses to send any other. */
const isHeaderName = (text: string): boolean => /^[\w!#$%&'*+.^`|~-]+$/.test(text)
