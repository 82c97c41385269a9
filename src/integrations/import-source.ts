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
    const { status, body: pieces, leave } = response
    if (status === 200) return { pieces, isGzip: isGzip(url, response), leave }
    leave()
    return { retry: status >= 500 || status === 429, reason: reasonOf(status) }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const reason = sentenceOf(error.reason, 'the server of the file', DEADLINE)
    return { retry: error.reason !== 'address-not-allowed', reason }
  }
}

const isGzip = (url: string, { headers }: StreamedAnswer): boolean =>
  new URL(url).pathname.toLowerCase().endsWith('.gz') ||
  /^\s*(?:x-)?gzip\s*$/i.test(headers.get('content-encoding') ?? '')

const reasonOf = (status: number): string =>
  status >= 300 && status < 400
    ? `its server responded with ${status}, and redirections are not followed`
    : `its server responded with ${status}`
