/** An InteractionResponse as an HTTP response, and its body, which an entry of a Bundle has too: https://hl7.org/fhir/R4/http.html#ops. */
import type { Context as KoaContext } from 'koa'
import { type Issue, toOutcome } from '../../fhir/outcome.ts'
import { type AnswerFormat, formatBody, type Preferences } from '../../http/message/format.ts'
import type { Versioned } from '../../repository/repository.ts'
import { subsetOf } from '../../search/query/subset.ts'
import type { InteractionRequest, InteractionResponse } from './interaction.ts'
import { subsetText } from './summary.ts'

/** @throws FhirError 400 for an invalid `_summary` or `_elements`, before anything is sent */
export function send(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { format, contentType }: AnswerFormat,
  wanted: Preferences['return'],
): void {
  const { resource, location, headers, status } = response
  // First, since it may fail: an error must not carry the headers of the resource.
  const text = bodyText(response, request, wanted)
  const body = text === undefined ? undefined : formatBody(text, format, request.query.get('_pretty') === 'true')
  koa.status = status
  if (resource !== undefined) {
    koa.res.setHeader('ETag', etagOf(resource.version))
    koa.res.setHeader('Last-Modified', new Date(resource.lastUpdated).toUTCString())
  }
  if (location !== undefined) koa.set('Location', location)
  if (headers !== undefined) koa.set(headers)
  // A cache must not answer a request for one format with the other.
  koa.res.setHeader('Vary', 'Accept')
  if (body === undefined) {
    koa.body = null
    koa.status = status
    return
  }
  // A deletion has status 204 unless it has a body.
  if (status === 204) koa.status = 200
  koa.res.setHeader('Content-Type', contentType)
  koa.body = body
}

/** Undefined when the response has none. @throws FhirError 400 for an invalid `_summary` or `_elements` */
export function bodyText(
  { resource, text, outcome, kind, status }: InteractionResponse,
  { query }: Pick<InteractionRequest, 'query'>,
  wanted: Preferences['return'],
): string | undefined {
  if (text !== undefined) return text
  if (status === 304) return undefined
  if (kind === 'write') {
    if (wanted === 'OperationOutcome') return JSON.stringify(outcome ?? toOutcome([done(status)]))
    if (wanted === 'minimal' || outcome !== undefined) return undefined
  }
  if (resource === undefined || resource.deleted) return undefined
  return kind === 'read' && query.size > 0
    ? subsetText(resource.text, resource.type, subsetOf(query, resource.type))
    : resource.text
}

/** The issue of an OperationOutcome about a write that succeeded. */
export const done = (status: number): Issue => ({
  severity: 'information',
  code: 'informational',
  diagnostics: status === 201 ? 'The resource was created' : 'The change was stored',
})

export const etagOf = (version: number): string => `W/"${version}"`

export const locationOf = (base: string, { type, id, version }: Pick<Versioned, 'type' | 'id' | 'version'>): string =>
  `${base}/${type}/${id}/_history/${version}`
