/**
 * Responses in which contents take the place of their markers (docs/contents.md): the body is streamed from the content
 * storage, in the thread of the connection, so that no response is in memory with its contents.
 */
import { Readable } from 'node:stream'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Contents } from '../content/contents.ts'
import { CONTENT_URL, mayHaveMarkers } from '../fhir/content/marker.ts'
import { FhirError } from '../fhir/outcome.ts'
import { StoreUnavailable } from '../repository/repository.ts'
import { seeContent, stateOf } from './exchange.ts'
import type { Format } from './message/format.ts'

/** Bytes of all contents of one response together. */
const MOST_ANSWERED = 256 * 1024 * 1024

/** Contents whose sizes are looked up at once. */
const SIDE_BY_SIDE = 16

/** How a format writes a marker, and what surrounds the base64 that takes its place. */
interface MarkerSyntax {
  /** Matches a marker with any white space; with a group `sha256`. */
  readonly pattern: RegExp
  readonly around: (groups: Readonly<Record<string, string | undefined>>) => readonly [before: string, after: string]
}

const SHA256 = '(?<sha256>[0-9a-f]{64})'

const spaced = (...tokens: readonly string[]): RegExp => new RegExp(tokens.join(String.raw`\s*`), 'g')

const SYNTAXES: Readonly<Record<Format, MarkerSyntax>> = {
  // An id or further extensions of `data`, sent by the client, follow the marker's extension.
  json: {
    pattern: spaced(
      ...[
        '(?<list>(?<element>"_data":(?<space>\\s*)\\{)',
        '"extension":',
        '\\[)',
        '\\{',
        '"url":',
        `"${CONTENT_URL}"`,
        ',',
      ],
      ...['"valueString":', `"${SHA256}"`, '\\}', '(?:(?<end>\\]\\s*\\})|(?<more>\\]\\s*,)|,)'],
    ),
    around: ({ space = '', element = '', list = '', end, more }) => [
      `"data":${space}"`,
      end === undefined ? `",${more === undefined ? list : element}` : '"',
    ],
  },
  xml: {
    pattern: spaced(
      ...['<data(?<id> id="[^"]*")?>', `<extension url="${CONTENT_URL}">`, `<valueString value="${SHA256}"/>`],
      ...['</extension>', '(?<end></data>)?'],
    ),
    around: ({ id = '', end }) => [`<data${id} value="`, end === undefined ? '">' : '"/>'],
  },
}

type Part = Buffer | { readonly sha256: string; readonly size: number }

/** Wraps the whole request, however often it restarts: contents take the place of their markers in its response. */
export const answerContents =
  (contents: Contents): Middleware =>
  async (koa, next) => {
    await next()
    const { body } = koa
    if ((typeof body === 'string' || Buffer.isBuffer(body)) && mayHaveMarkers(body)) await fillIn(koa, body, contents)
  }

async function fillIn(koa: KoaContext, body: string | Buffer, contents: Contents): Promise<void> {
  // The bytes of a Binary, from a work thread: whatever they look like, they are sent as they are.
  if (koa.res.hasHeader('Content-Disposition')) return
  const state = stateOf(koa)
  if (state.user === undefined) return
  const { clinic } = state.user
  const format: Format = koa.response.type.endsWith('xml') ? 'xml' : 'json'
  const beyond = isRead(koa) ? 'refused' : 'left out'
  try {
    const answer = await withContents(body.toString(), contents, { clinic, format, beyond })
    if (answer === undefined) return
    for (const [sha256, size] of answer.sizes) seeContent(koa, { sha256, size })
    state.answeredWithMarkers = body
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
    for (const header of ['ETag', 'Last-Modified', 'Location']) koa.remove(header)
    throw error
  }
}

/** Whether the response reports no change. */
const isRead = ({ method, path }: KoaContext): boolean =>
  method === 'GET' || method === 'HEAD' || path.endsWith('/_search')

export interface ContentAnswer {
  /** Bytes of the whole response. */
  readonly bytes: number
  /** Sizes of its contents, by their SHA-256. */
  readonly sizes: ReadonlyMap<string, number>
  readonly stream: () => Promise<Readable>
}

/** How a response holds contents: see `withContents`. */
export interface AnswerOptions {
  readonly clinic: string
  readonly format: Format
  /** Contents that are too large together are refused or left out; the latter where the response reports a write. */
  readonly beyond: 'refused' | 'left out'
  /** Bytes that are too large together; absent: those of one response. */
  readonly most?: number
}

/**
 * The response with its contents; undefined where it has none.
 * @throws FhirError 413 when they are too large together; StoreUnavailable
 */
export async function withContents(
  text: string,
  contents: Contents,
  { clinic, format, beyond, most = MOST_ANSWERED }: AnswerOptions,
): Promise<ContentAnswer | undefined> {
  const { pattern, around } = SYNTAXES[format]
  const found = [...text.matchAll(pattern)].map(({ 0: { length }, index, groups = {} }) => ({ index, length, groups }))
  if (found.length === 0) return undefined
  const sizes = await sizesOf(
    found.map(({ groups: { sha256 = '' } }) => sha256),
    contents,
    clinic,
  )
  const parts: Part[] = []
  let [end, together] = [0, 0]
  for (const { index, length, groups } of found) {
    const { sha256 = '' } = groups
    const size = sizes.get(sha256) ?? 0
    together += size
    if (together > most) {
      if (beyond === 'refused') throw tooLarge()
      break
    }
    const [before, after] = around(groups)
    parts.push(Buffer.from(text.slice(end, index) + before), { sha256, size }, Buffer.from(after))
    end = index + length
  }
  parts.push(Buffer.from(text.slice(end)))
  const bytes = parts.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : base64Length(part.size)), 0)
  return { bytes, sizes, stream: () => startedStream(piecesOf(parts, contents, clinic), 2) }
}

async function sizesOf(
  sha256s: readonly string[],
  contents: Contents,
  clinic: string,
): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>()
  const asked = [...new Set(sha256s)]
  for (let from = 0; from < asked.length; from += SIDE_BY_SIDE) {
    await Promise.all(
      asked.slice(from, from + SIDE_BY_SIDE).map(async (sha256) => {
        const facts = await contents.facts(clinic, sha256)
        if (facts === undefined) throw new StoreUnavailable('A content is not where it was stored')
        sizes.set(sha256, facts.size)
      }),
    )
  }
  return sizes
}

async function* piecesOf(parts: readonly Part[], contents: Contents, clinic: string): AsyncGenerator<Buffer> {
  for (const part of parts) {
    if (Buffer.isBuffer(part)) yield part
    else yield* base64Of(contents.read(clinic, part.sha256))
  }
}

/**
 * A stream whose first pieces have been read, so that an early failure can still become an error response.
 * @param first pieces: up to the first one that is read from a store
 */
export async function startedStream(pieces: AsyncIterable<Uint8Array>, first: number): Promise<Readable> {
  const iterator = pieces[Symbol.asyncIterator]()
  const begun: IteratorResult<Uint8Array>[] = []
  while (begun.length < first) begun.push(await iterator.next())
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      for (const { value } of begun) if (value !== undefined) yield value
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    } finally {
      await iterator.return?.()
    }
  }
  return Readable.from(all(), { objectMode: false, highWaterMark: 1 })
}

async function* base64Of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece])
    const whole = bytes.length - (bytes.length % 3)
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1')
    rest = bytes.subarray(whole)
  }
  if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1')
}

const base64Length = (bytes: number): number => 4 * Math.ceil(bytes / 3)

const tooLarge = (): FhirError =>
  new FhirError(413, {
    code: 'too-costly',
    diagnostics: `The contents (data) in the response are larger than ${MOST_ANSWERED} bytes together; ask for fewer resources at a time with _count, or without the contents by _summary=true or _elements`,
  })
