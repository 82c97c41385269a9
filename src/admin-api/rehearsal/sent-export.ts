/** An export as it is sent: a line for each resource, or a Bundle, with the contents in place of their markers. */
import type { Context as KoaContext } from 'koa'
import type { Contents } from '../../content/contents.ts'
import { mayHaveMarkers } from '../../fhir/content/marker.ts'
import { badRequest } from '../../fhir/outcome.ts'
import { whenClosed } from '../../http/connections.ts'
import { startedStream, withContents } from '../../http/content-answer.ts'
import { currentBudget } from '../../isolation/budget.ts'
import { type ExportedClinic, openExport } from '../../rehearsal/transfer/export.ts'
import type { Repository, StoredResource } from '../../repository/repository.ts'

export interface ExportServices {
  readonly repository: Repository
  readonly contents: Contents
  readonly baseOf: (koa: KoaContext) => string
}

interface Form {
  readonly contentType: string
  /** Texts around and between the resources. */
  readonly begin: string
  readonly before: (address: string, isFirst: boolean) => string
  readonly after: string
  readonly end: (isEmpty: boolean) => string
}

const ndjson = (): Form => ({
  contentType: 'application/fhir+ndjson',
  begin: '',
  before: () => '',
  after: '\n',
  end: () => '',
})

const bundle = (base: string): Form => ({
  contentType: 'application/fhir+json; charset=utf-8',
  begin: `{"resourceType":"Bundle","type":"collection","timestamp":"${new Date().toISOString()}"`,
  // FHIR has no empty arrays, so there is none without an entry.
  before: (address, isFirst) =>
    `${isFirst ? ',"entry":[' : ','}{"fullUrl":${JSON.stringify(`${base}/${address}`)},"resource":`,
  after: '}',
  end: (isEmpty) => (isEmpty ? '}' : ']}'),
})

const FORMS = { ndjson, bundle }

export async function sendExport(koa: KoaContext, clinic: string, services: ExportServices): Promise<void> {
  const form = formOf(koa.query.format)(services.baseOf(koa))
  // It is streamed to its client, which a work thread cannot do.
  currentBudget()?.pinToThread()
  if (koa.method !== 'HEAD') {
    const exported = await openExport(services.repository, clinic)
    // Whether it was sent, or the client has left in the middle.
    whenClosed(koa.res, () => void exported.close())
    const body = await startedStream(joined(textsOf(exported, form, clinic, services)), 1)
    // An export that breaks off must not look complete.
    body.once('error', () => koa.res.destroy())
    koa.body = body
  }
  koa.response.set('Content-Type', form.contentType)
}

function formOf(asked: unknown): (base: string) => Form {
  if (asked === undefined || asked === 'ndjson') return FORMS.ndjson
  if (asked === 'bundle') return FORMS.bundle
  throw badRequest(`format is '${String(asked).slice(0, 64)}'; it is ndjson (the default) or bundle`)
}

async function* textsOf(
  { pages }: ExportedClinic,
  form: Form,
  clinic: string,
  services: ExportServices,
): AsyncGenerator<string | Uint8Array> {
  yield form.begin
  let isFirst = true
  for await (const page of pages) {
    for (const resource of page) {
      yield form.before(`${resource.type}/${resource.id}`, isFirst)
      yield* textOf(resource, clinic, services)
      yield form.after
      isFirst = false
    }
  }
  yield form.end(isFirst)
}

async function* textOf(
  { text }: StoredResource,
  clinic: string,
  { contents }: ExportServices,
): AsyncGenerator<string | Uint8Array> {
  const options = { clinic, format: 'json', beyond: 'refused', most: Number.POSITIVE_INFINITY } as const
  const filled = mayHaveMarkers(text) ? await withContents(text, contents, options) : undefined
  if (filled === undefined) yield text
  else yield* (await filled.stream()) as AsyncIterable<Uint8Array>
}

/** Characters that are sent together. */
const TOGETHER = 64 * 1024

/** Joins short texts: a write to a socket costs more than a resource. */
async function* joined(parts: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting = ''
  for await (const part of parts) {
    if (typeof part === 'string') waiting += part
    if (waiting.length < TOGETHER && typeof part === 'string') continue
    if (waiting !== '') yield Buffer.from(waiting)
    waiting = ''
    if (typeof part !== 'string') yield part
  }
  if (waiting !== '') yield Buffer.from(waiting)
}
