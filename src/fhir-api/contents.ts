/**
 * Contents in request and response bodies (docs/contents.md): those of a request go to the content storage as they
 * arrive, and those of a response are read back from it. Both happen in the thread of the connection, even if a work
 * thread serves the request.
 */
import type { Context as KoaContext, Middleware } from 'koa'
import type { Limits } from '../config.ts'
import type { Contents } from '../content/contents.ts'
import { mayHaveMarkers } from '../fhir/content/marker.ts'
import { withContents } from '../http/content/content-answer.ts'
import { seeContent, stateOf } from '../http/exchange.ts'
import type { BodyContents } from '../http/message/body.ts'
import { type Format, mediaType } from '../http/message/media-type.ts'
import type { User } from '../http/token.ts'
import { PATCH_TYPES } from './message/http.ts'

/** FHIR's own addresses: a type, an operation, or the base. */
const FHIR_PATH = /^\/(?:[A-Z$]|$)/

const METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Runs after authentication, since strangers must not store anything. */
export const bodyContents =
  (contents: Contents, { inlineContentBytes }: Pick<Limits, 'inlineContentBytes'>): Middleware =>
  (koa, next) => {
    if (!METHODS.has(koa.method)) return next()
    const format = FHIR_PATH.test(koa.path) ? formatOfBody(koa) : undefined
    const { clinic } = userIn(koa) ?? {}
    if (format === undefined || clinic === undefined) return next()
    const received: string[] = []
    koa.state.receivedContents = received
    const bodyContents: BodyContents = {
      format,
      limitBytes: inlineContentBytes,
      receive: async (pieces) => {
        const facts = await contents.receive(clinic, pieces, inlineContentBytes)
        received.push(facts.sha256)
        seeContent(koa, facts)
        return facts
      },
    }
    koa.state.bodyContents = bodyContents
    return next()
  }

/** Undefined for a body that is neither a resource nor a patch. */
function formatOfBody(koa: KoaContext): Format | undefined {
  const header = koa.req.headers['content-type']
  if (header === undefined) return 'json'
  const type = PATCH_TYPES.get(mediaType(header).type)
  return type === 'text' ? 'xml' : type
}

/**
 * Wraps the whole request, however often it restarts: contents take the place of their markers in its response, and
 * received contents that it did not use are abandoned.
 */
export const answerContents =
  (contents: Contents): Middleware =>
  async (koa, next) => {
    try {
      await next()
      const { body } = koa
      if ((typeof body === 'string' || Buffer.isBuffer(body)) && mayHaveMarkers(body)) await fillIn(koa, body, contents)
    } finally {
      const { clinic } = userIn(koa) ?? {}
      const received: readonly string[] | undefined = koa.state.receivedContents
      if (clinic !== undefined && received !== undefined) void contents.abandon(clinic, received)
    }
  }

async function fillIn(koa: KoaContext, body: string | Buffer, contents: Contents): Promise<void> {
  // The bytes of a Binary, from a work thread: whatever they look like, they are sent as they are.
  if (koa.res.hasHeader('Content-Disposition')) return
  const { clinic } = userIn(koa) ?? {}
  if (clinic === undefined) return
  const format: Format = koa.response.type.endsWith('xml') ? 'xml' : 'json'
  const beyond = isRead(koa) ? 'refused' : 'left out'
  const headers = ['ETag', 'Last-Modified', 'Location'] as const
  try {
    const answer = await withContents(body.toString(), contents, { clinic, format, beyond })
    if (answer === undefined) return
    for (const [sha256, size] of answer.sizes) seeContent(koa, { sha256, size })
    stateOf(koa).answeredWithMarkers = body
    const type = koa.response.get('Content-Type')
    if (koa.method !== 'HEAD') {
      const stream = await answer.stream()
      // A response that breaks off must not look complete.
      stream.once('error', () => koa.res.destroy())
      koa.body = stream
      koa.response.set('Content-Type', type)
    }
    koa.length = answer.bytes
  } catch (error) {
    // These headers describe the resource, but the response is now an error.
    for (const header of headers) koa.remove(header)
    throw error
  }
}

/** Whether the response reports no change. */
const isRead = ({ method, path }: KoaContext): boolean =>
  method === 'GET' || method === 'HEAD' || path.endsWith('/_search')

const userIn = (koa: KoaContext): User | undefined => stateOf(koa).user
