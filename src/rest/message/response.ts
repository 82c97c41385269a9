/** An InteractionResponse as an HTTP response: status, headers and body. */
import type { Context as KoaContext } from 'koa'
import { formatBody } from './format.ts'
import { etagOf, type InteractionRequest, type InteractionResponse } from './interaction.ts'
import type { AnswerFormat, Preferences } from './negotiate.ts'
import { bodyText } from './response-body.ts'

/** @throws FhirError 400 for an invalid `_summary` or `_elements`, before anything is sent */
export function send(
  koa: KoaContext,
  request: InteractionRequest,
  response: InteractionResponse,
  { format, contentType }: AnswerFormat,
  wanted: Preferences['return'],
): void {
  const { resource, location, status } = response
  // First, since it may fail: an error must not carry the headers of the resource.
  const text = bodyText(response, request, wanted)
  const body = text === undefined ? undefined : formatBody(text, format, request.query.get('_pretty') === 'true')
  koa.status = status
  if (resource !== undefined) {
    koa.response.set('ETag', etagOf(resource.version))
    koa.response.set('Last-Modified', new Date(resource.lastUpdated).toUTCString())
  }
  if (location !== undefined) koa.set('Location', location)
  // A cache must not answer a request for one format with the other.
  koa.response.set('Vary', 'Accept')
  if (body === undefined) {
    koa.body = null
    koa.status = status
    return
  }
  // A deletion answers 204 unless it has a body.
  if (status === 204) koa.status = 200
  koa.response.set('Content-Type', contentType)
  koa.body = body
}
