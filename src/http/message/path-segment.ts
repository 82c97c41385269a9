/** A segment of a path as it is compared: percent-encoded octets stand for themselves (RFC 3986, 6.2.2.2). */
import { isUtf8 } from 'node:buffer'
import type { Context as KoaContext } from 'koa'

export function decodedSegment(segment: string): string {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** By its name in lower case; undefined when it is missing or empty. Node joins one that came several times. */
export function headerOf({ req }: Pick<KoaContext, 'req'>, name: string): string | undefined {
  const value = req.headers[name]
  return typeof value === 'string' && value !== '' ? decodedHeader(value) : undefined
}

/** Node reads the bytes of a header as Latin-1. Those that are valid UTF-8 are what curl, for instance, sends of text as it was typed. */
function decodedHeader(value: string): string {
  if (!/[\x80-\xff]/.test(value)) return value
  const bytes = Buffer.from(value, 'latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : value
}
