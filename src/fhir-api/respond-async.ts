/**
 * `Prefer: respond-async` on searches, operations and Bundles: the request becomes a job, and is made later, for its user, through the
 * whole server. https://hl7.org/fhir/R4/async.html, https://hl7.org/fhir/R5/async-bundle.html
 */
import type { Context as KoaContext } from 'koa'
import type { Contents } from '../content/contents.ts'
import { FhirError, information, toOutcome } from '../fhir/outcome.ts'
import { actingUserOf } from '../http/authenticate.ts'
import { prefixOf, userAgentOf, userOf } from '../http/exchange.ts'
import { receivedBytes } from '../http/message/body.ts'
import type { User } from '../http/token.ts'
import type { JobFile, JobWork } from '../jobs/job.ts'
import { jobAddress, type NewJob, stageJob } from '../jobs/jobs.ts'
import { SERVICE } from '../repository/record-kinds.ts'
import type { Repository } from '../repository/repository.ts'
import { checkOperation } from './interactions/operation.ts'
import type { InteractionRequest, InteractionResponse, Route } from './message/interaction.ts'

/** A request as it is made later. */
export interface LaterRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly remoteAddress: string
  /** It changes nothing, so it may be made twice. */
  readonly isSafe: boolean
  /** The response, without its body; absent until there is one. */
  readonly response?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
}

interface JobsOfRequests {
  readonly repository: Repository
  readonly contents: Contents
}

/** Headers that the later request has too; all others, credentials among them, are not kept. */
const KEPT_HEADERS = [
  ...['content-type', 'prefer', 'x-import', 'if-match', 'host', 'x-forwarded-host', 'x-forwarded-proto'],
  ...['x-sandbox-run', 'x-run-id', 'x-call-id'],
]

/** Headers of the response that the result shows. */
const SHOWN_HEADERS = { location: 'location', etag: 'etag', 'last-modified': 'lastModified' } as const

/**
 * Whether a request with `Prefer: respond-async` becomes a job; the preference is ignored otherwise, as by the request of a job.
 * Operations that have a way of their own of working in the background keep it.
 * @throws FhirError 404 or 405 for an operation that is not there
 */
export function isDeferred(koa: KoaContext, route: Route, request: InteractionRequest, operation: string): boolean {
  if (actingUserOf(koa.req) !== undefined || userOf(koa).clinic === SERVICE) return false
  if (route.run.kind === 'operation') return !checkOperation(request, operation, route).isInBackground
  return route.run.kind === 'bundle' || route.code.startsWith('search')
}

/** Starts the job. @returns 202 with where its state is read. @throws FhirError 429 where too many wait */
export async function defer(
  koa: KoaContext,
  route: Route,
  { base, query, services: { limits } }: Pick<InteractionRequest, 'base' | 'query' | 'services'>,
  { repository, contents }: JobsOfRequests,
): Promise<InteractionResponse> {
  const { clinic } = userOf(koa)
  const url = koa.req.url ?? '/'
  const work: LaterRequest = {
    method: koa.method,
    url: prefixOf(koa) + (query.has('_format') ? inJson(url) : url),
    headers: keptHeaders(koa),
    remoteAddress: koa.req.socket.remoteAddress ?? '',
    isSafe: koa.method === 'GET' || koa.method === 'HEAD' || route.code.startsWith('search'),
  }
  const bytes = koa.method === 'POST' ? await receivedBytes(koa, limits.bodyBytes) : Buffer.alloc(0)
  const input = bytes.length === 0 ? [] : [(await contents.receive(clinic, [bytes], limits.bodyBytes)).sha256]
  const job: NewJob = {
    kind: 'request',
    user: userAgentOf(koa),
    request: base + url,
    base,
    work,
    input,
  }
  const id = await repository.change(clinic, (unit) => stageJob(unit, job))
  const text = JSON.stringify(toOutcome([information(`The request is done in the background, as job ${id}`)]))
  return { status: 202, text, headers: { 'Content-Location': jobAddress(base, id) }, kind: 'read' }
}

function keptHeaders({ req: { headers } }: KoaContext): Readonly<Record<string, string>> {
  const kept = KEPT_HEADERS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))
  return { ...Object.fromEntries(kept), accept: 'application/fhir+json' }
}

/** The address, with a format that counts before any other, also one in a form. */
function inJson(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? `${url}?_format=json` : `${url.slice(0, at)}?_format=json&${url.slice(at + 1)}`
}

/** Sends a request for a user through the whole server. */
export type SendFor = (
  user: User,
  request: LaterRequest & { readonly body?: Buffer },
) => Promise<{
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: AsyncIterable<Uint8Array>
}>

/** Bytes of the body of a response. */
const MOST_ANSWERED = 1024 ** 3

/** The work of such jobs: one step, which is the request. */
export const requestWork = (contents: Contents, send: SendFor): JobWork => ({
  mayRepeat: ({ work }) => (work as LaterRequest).isSafe,
  step: async ({ clinic, work, input: [sha256] }, { id: sub, name, role }) => {
    const request = work as LaterRequest
    const body =
      sha256 === undefined ? {} : { body: Buffer.concat(await Array.fromAsync(contents.read(clinic, sha256))) }
    const { status, headers, body: pieces } = await send({ sub, name, role, clinic }, { ...request, ...body })
    const { sha256: answered, size } = await contents.receive(clinic, pieces, MOST_ANSWERED)
    // Nothing was done yet: there was no room for it.
    if (status === 429) throw new FhirError(429, { code: 'throttled', diagnostics: 'Too many requests wait' })
    const file: JobFile = { use: 'body', type: '', sha256: answered, count: 1, size }
    const response = { status, headers: shownHeaders(headers) }
    return { work: { ...request, response }, progress: 'done', share: 1, files: size === 0 ? [] : [file], end: 'done' }
  },
})

const shownHeaders = (headers: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(SHOWN_HEADERS).flatMap(([name, shown]) =>
      headers[name] === undefined ? [] : [[shown, String(headers[name])]],
    ),
  )
