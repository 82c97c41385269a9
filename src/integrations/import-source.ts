/** Files of imports at addresses that operators allow, read as they arrive. */
import {
  about,
  type Outbound,
  OutboundFailure,
  type StreamedAnswer,
  sentenceOf,
  streamOutbound,
} from './outbound-request.ts'

/** Milliseconds that a file may take. */
const DEADLINE = 30 * 60_000

/** Why a file cannot be read, and whether that may change. */
export interface Unread {
  readonly retry: boolean
  readonly reason: string
}

/** A file, which may be zipped. */
export interface ZippedSource {
  readonly pieces: AsyncIterable<Buffer>
  /** By its name, or by how it was sent. */
  readonly isGzip: boolean
  /** Ends the request, whether all was read or not. */
  readonly leave: () => void
}

const HEADERS = { accept: 'application/fhir+ndjson, */*', 'accept-encoding': 'gzip' }

/** Redirections are not followed: they may lead to an address that operators have not allowed. */
export async function openSource(
  url: string,
  clinic: string,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<ZippedSource | Unread> {
  const limits = about({ ...outbound, deadlineMs: DEADLINE, signal }, clinic, 'import')
  try {
    const response = await streamOutbound({ url, method: 'GET', headers: HEADERS, body: '' }, limits)
    const source = sourceIn(url, response)
    if ('reason' in source) response.leave()
    return source
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const reason = sentenceOf(error.reason, 'the server of the file', DEADLINE)
    return { retry: error.reason !== 'address-not-allowed', reason }
  }
}

/** Both names mean the same: https://www.rfc-editor.org/rfc/rfc9110#section-8.4.1.3. */
const GZIP: ReadonlySet<string> = new Set(['gzip', 'x-gzip'])

function sourceIn(url: string, { status, headers, body: pieces, leave }: StreamedAnswer): ZippedSource | Unread {
  if (status !== 200) return { retry: status >= 500 || status === 429, reason: reasonOf(status) }
  const encoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (GZIP.has(encoding)) return { pieces, isGzip: true, leave }
  if (encoding === 'identity') return { pieces, isGzip: new URL(url).pathname.toLowerCase().endsWith('.gz'), leave }
  return {
    retry: false,
    reason: `it was sent with Content-Encoding '${encoding.slice(0, 60)}', and neither plain nor as gzip`,
  }
}

const reasonOf = (status: number): string =>
  status >= 300 && status < 400
    ? `its server responded with ${status}, and redirections are not followed`
    : `its server responded with ${status}`
