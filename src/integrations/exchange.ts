/** One request to a system outside: its answer, or why there was none. */
import type { Delivery } from '../core/ports.ts'

/** Milliseconds: a caller may be waiting on the line. */
export const DEADLINE = 3_000
/** Bytes of an answer that are looked at. */
const MAX_ANSWER = 65_536

export interface OutboundRequest {
  readonly url: string
  readonly method: 'POST' | 'PATCH'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** The JSON of the answer; undefined for anything else. Never shown to anybody. */
  readonly body: unknown
}

export type Failure = Delivery & { readonly delivered: false }

/** @param receiver whom reasons name, such as `the CRM` */
export async function exchange(
  { url, ...request }: OutboundRequest,
  receiver: string,
  deadlineMs: number,
): Promise<Answer | Failure> {
  try {
    const response = await fetch(url, { ...request, redirect: 'manual', signal: AbortSignal.timeout(deadlineMs) })
    return { status: response.status, headers: response.headers, body: await jsonOf(response) }
  } catch (error) {
    const timeout = error instanceof Error && error.name === 'TimeoutError'
    return temporary(timeout ? `${receiver} did not answer within ${deadlineMs} ms` : `${receiver} cannot be reached`)
  }
}

async function jsonOf(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    return undefined
  }
}

export const permanent = (reason: string): Failure => ({ delivered: false, retry: false, reason })

export const temporary = (reason: string, retryAfterMs?: number): Failure => ({
  delivered: false,
  retry: true,
  reason,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})

/** Statuses after which the same request may succeed later; 5xx too. */
const RETRY = [408, 425, 429]

/** What an answer means by its status. @param now milliseconds since 1970 UTC, for a Retry-After that is a date */
export function deliveryOf(
  receiver: string,
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  now = Date.now(),
): Delivery {
  if (status >= 200 && status < 300) return { delivered: true }
  if (status === 401 || status === 403)
    return permanent(`${receiver} refuses the credentials of the clinic (${status})`)
  const reason = `${receiver} answered ${status}`
  return RETRY.includes(status) || status >= 500
    ? temporary(reason, retryAfterMs(headers.get('retry-after'), now))
    : permanent(reason)
}

/** Retry-After is seconds or an HTTP date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after. */
function retryAfterMs(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}
