/** Files of imports at addresses that operators allow, read as they arrive. */
import { type Outbound, OutboundFailure, sentenceOf, streamOutbound } from './outbound-request.ts'

/** Milliseconds that a file may take. */
const DEADLINE = 30 * 60_000

/** Why a file cannot be read, and whether that may change. */
export interface Unread {
  readonly retry: boolean
  readonly reason: string
}

/** Redirections are not followed: they may lead to an address that operators have not allowed. */
export async function openSource(
  url: string,
  outbound: Outbound,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | Unread> {
  const request = { url, method: 'GET' as const, headers: { accept: 'application/fhir+ndjson, */*' }, body: '' }
  const limits = { ...outbound, deadlineMs: DEADLINE, signal }
  try {
    const { status, body } = await streamOutbound(request, limits)
    if (status === 200) return body
    await body[Symbol.asyncIterator]().return?.()
    return { retry: status >= 500 || status === 429, reason: reasonOf(status) }
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error
    const reason = sentenceOf(error.reason, 'the server of the file', DEADLINE)
    return { retry: error.reason !== 'address-not-allowed', reason }
  }
}

const reasonOf = (status: number): string =>
  status >= 300 && status < 400
    ? `its server responded with ${status}, and redirections are not followed`
    : `its server responded with ${status}`
