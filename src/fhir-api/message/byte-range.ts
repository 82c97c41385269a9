/** A part of a content: Range and If-Range, https://www.rfc-editor.org/rfc/rfc9110#section-14. */
import { FhirError } from '../../fhir/outcome.ts'
import type { Versioned } from '../../repository/repository.ts'
import { versionsIn } from './entity-tag.ts'

/** Bytes from `start` up to, not including, `end`. */
export interface ServedRange {
  readonly start: number
  readonly end: number
}

/** `first-last`, `first-` or `-length`. */
const RANGE = /^bytes=(\d*)-(\d*)$/i

/**
 * Undefined: all of it, as for several ranges at once, other units, and what is malformed, which a server may ignore.
 * @param size bytes of the whole content
 * @throws FhirError 416 for a range that begins behind the end
 */
export function rangeOf(header: string | undefined, size: number): ServedRange | undefined {
  const [, first = '', last = ''] = RANGE.exec(header ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first === '') return suffix(Number(last), size)
  const [start, end] = [Number(first), last === '' ? size : Number(last) + 1]
  if (last !== '' && end <= start) return undefined
  if (start >= size) throw unsatisfiable(header, size)
  return { start, end: Math.min(end, size) }
}

function suffix(length: number, size: number): ServedRange {
  if (length === 0 || size === 0) throw unsatisfiable(`bytes=-${length}`, size)
  return { start: Math.max(0, size - length), end: size }
}

const unsatisfiable = (header: string | undefined, size: number): FhirError =>
  new FhirError(
    416,
    {
      code: 'invalid',
      diagnostics: `Range '${header?.slice(0, 100)}' has none of the ${size} bytes that there are; the first is byte 0`,
    },
    { 'content-range': `bytes */${size}` },
  )

/**
 * Whether a part goes together with the one that the client has: by the version, or by the exact time. The tags of this
 * server are weak, as FHIR has them, yet a version has the same bytes for ever.
 */
export function isSameContent(
  ifRange: string | undefined,
  { version, lastUpdated }: Pick<Versioned, 'version' | 'lastUpdated'>,
): boolean {
  if (ifRange === undefined) return true
  if (/^(?:W\/)?"/.test(ifRange)) return versionsIn(ifRange).includes(version)
  return ifRange === new Date(lastUpdated).toUTCString()
}
