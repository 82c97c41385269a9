/** Exchanges repeated: as shell commands, or sent again, whether that can be done, and how the responses differ. */
import type { ExchangeDetail, ExchangeSummary, SeenHeaders, ShownBody } from './exchange.ts'
import { REMOVED } from './secrets.ts'

/** The reason against it; undefined where the exchange can be replayed. */
export function whyNotReplayed(
  { direction, address, tools }: ExchangeSummary,
  detail: ExchangeDetail,
): string | undefined {
  const { request, addressChanged } = detail
  if (direction === 'out') return 'it went to another system'
  if (addressChanged) return 'something in its address is not kept'
  if (/^\/(?:session|accounts|clinics|exchanges)(?:[/?]|$)/.test(address)) {
    return 'it is about sessions, accounts or settings, which are not changed by accident'
  }
  if (tools !== undefined && request.body?.text === undefined) return 'its body is not kept'
  return whyBodyIsGone(request)
}

function whyBodyIsGone({ headers, body }: ExchangeDetail['request']): string | undefined {
  const isEmpty = headers['content-length'] === undefined && headers['transfer-encoding'] === undefined
  if (isEmpty || headers['content-length'] === '0') return undefined
  if (body?.text === undefined) return 'its body is not kept'
  if (body.cut) return 'its body is longer than what is kept'
  if (body.changed) return 'secrets or contents in its body are not kept'
  return undefined
}

/** Headers of the caller's own request: those of the first one, without secrets and without those of its connection. */
export const repeatedHeaders = (headers: SeenHeaders): SeenHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== REMOVED && isSent(name)))

export interface Difference {
  /** `status`, `headers.etag`, or in the body a path such as `body.entry[0].resource.id`. */
  readonly at: string
  readonly before?: unknown
  readonly after?: unknown
}

export interface Comparison {
  readonly differences: readonly Difference[]
  /** There are more than are listed. */
  readonly isMore: boolean
  /** Both bodies are kept whole, so they have been compared. */
  readonly hasBodies: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: SeenHeaders
  readonly body?: ShownBody
}

/** Headers that are worth comparing; others differ each time. */
const COMPARED = ['allow', 'content-type', 'etag', 'location', 'retry-after', 'www-authenticate'] as const

const MAX_DIFFERENCES = 200
/** Levels of a body that are compared. */
const MAX_DEPTH = 64

export function compared(before: Answer, after: Answer): Comparison {
  const found: Difference[] = []
  if (before.status !== after.status) found.push({ at: 'status', before: before.status, after: after.status })
  for (const name of COMPARED) addDifferences(`headers.${name}`, before.headers[name], after.headers[name], found, 0)
  const [one, other] = [contentOf(before.body), contentOf(after.body)]
  const hasBodies = one !== undefined && other !== undefined
  if (hasBodies) addDifferences('body', one.value, other.value, found, 0)
  return {
    differences: found.slice(0, MAX_DIFFERENCES),
    isMore: found.length > MAX_DIFFERENCES,
    hasBodies,
  }
}

/** Undefined where it is not kept whole. */
function contentOf(body: ShownBody | undefined): { readonly value: unknown } | undefined {
  if (body === undefined) return { value: undefined }
  if (body.text === undefined || body.cut) return body.sha256 === undefined ? undefined : { value: body.sha256 }
  try {
    return { value: JSON.parse(body.text) }
  } catch {
    return { value: body.text }
  }
}

function addDifferences(at: string, before: unknown, after: unknown, found: Difference[], depth: number): void {
  if (found.length > MAX_DIFFERENCES || before === after) return
  if (
    depth < MAX_DEPTH &&
    isComposite(before) &&
    isComposite(after) &&
    Array.isArray(before) === Array.isArray(after)
  ) {
    const [one, other] = [Object.entries(before), new Map(Object.entries(after))]
    const name = (key: string): string => (Array.isArray(before) ? `${at}[${key}]` : `${at}.${key}`)
    for (const [key, value] of one) addDifferences(name(key), value, other.get(key), found, depth + 1)
    const known = new Set(one.map(([key]) => key))
    for (const [key, value] of other) if (!known.has(key)) found.push({ at: name(key), after: value })
    return
  }
  found.push({ at, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) })
}

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Headers that the command sends by itself, or that belong to one connection. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'forwarded', 'host', 'keep-alive', 'origin'],
  ...['referer', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via', 'x-request-id'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'cookie'],
  ...['traceparent', 'tracestate'],
])

const isSent = (header: string): boolean => !NOT_SENT.has(header) && !header.startsWith('sec-')

/** The variables in place of removed secrets. */
const VARIABLES: Readonly<Record<string, string>> = {
  authorization: 'Bearer $TOKEN',
  'x-voice-secret': '$VOICE_SECRET',
  'x-clinic-secret': '$CLINIC_SECRET',
}

/**
 * A shell command that repeats an exchange; secrets become variables of the shell. The address begins with `$BASE`, the address of the server. The command does not repeat a body that is not kept whole.
 * @returns undefined for a request of this server to another system
 */
export function curlOf(
  { direction, method, address }: ExchangeSummary,
  { request }: ExchangeDetail,
): string | undefined {
  if (direction === 'out') return undefined
  const parts = ['curl -s']
  if (method === 'HEAD') parts.push('-I')
  else if (method !== (request.body?.text === undefined ? 'GET' : 'POST')) parts.push(`-X ${method}`)
  parts.push(`"$BASE"${quoted(address)}`)
  for (const [name, value] of Object.entries(request.headers)) {
    if (!isSent(name)) continue
    // A name may hold back-ticks and dollar signs, which mean nothing within single quotes alone.
    parts.push(`-H ${value === REMOVED ? `${quoted(`${name}: `)}"${variableOf(name)}"` : quoted(`${name}: ${value}`)}`)
  }
  const hasType = request.headers['content-type'] !== undefined
  if (request.body?.text !== undefined) {
    // Otherwise curl would say that it is a form.
    if (!hasType) parts.push("-H 'content-type:'")
    parts.push(`--data-raw ${quoted(request.body.text)}`)
  } else if (request.body?.size !== undefined && request.body.size > 0) parts.push('--data-binary @body')
  return parts.join(' ')
}

const variableOf = (name: string): string => VARIABLES[name] ?? `$${name.toUpperCase().replace(/[^A-Z\d]/g, '_')}`

/** As one word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
