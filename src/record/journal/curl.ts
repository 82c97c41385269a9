/** An exchange as a shell command that repeats it. Secrets become variables of the shell. */
import type { ExchangeDetail, ExchangeSummary } from './exchange.ts'
import { REMOVED } from './secrets.ts'

/** Headers that the command sends by itself, or that belong to one connection. */
const NOT_SENT: ReadonlySet<string> = new Set([
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'forwarded', 'host', 'keep-alive', 'origin'],
  ...['referer', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'user-agent', 'via', 'x-request-id'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'cookie'],
])

export const isSent = (header: string): boolean => !NOT_SENT.has(header) && !header.startsWith('sec-')

/** The variables in place of removed secrets. */
const VARIABLES: Readonly<Record<string, string>> = {
  authorization: 'Bearer $TOKEN',
  'x-voice-secret': '$VOICE_SECRET',
  'x-clinic-secret': '$CLINIC_SECRET',
}

/**
 * The address begins with `$BASE`, the address of the server. The command does not repeat a body that is not kept whole.
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
