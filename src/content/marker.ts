/**
 * The marker: what the stored text of a resource has in place of a long `"data":"<base64>"` (Binary.data,
 * Attachment.data), whose bytes are kept beside it. It is written in one spelling only, so that a search of the text finds
 * it: in the texts of clients the quotes are escaped.
 */

const URL = 'urn:sandbox-emr:content'

/** The element `_data` of a marker: an object that the definition of base64Binary permits. */
export const contentElement = (sha256: string) => ({ extension: [{ url: URL, valueString: sha256 }] })

/** The property of the stored text. @param sha256 of the content, lower-case hex */
export const contentMarker = (sha256: string): string => `"_data":${JSON.stringify(contentElement(sha256))}`

const [BEFORE = '', AFTER = ''] = contentMarker('*').split('*')
const MARKER = new RegExp(`${RegExp.escape(BEFORE)}([0-9a-f]{64})${RegExp.escape(AFTER)}`, 'g')

export const hasMarkers = (text: string): boolean => text.includes(BEFORE)

/** The SHA-256 of what the markers of a text stand for, each once. */
export const markersIn = (text: string): readonly string[] =>
  hasMarkers(text) ? [...new Set([...text.matchAll(MARKER)].map(([, sha256 = '']) => sha256))] : []

/** A text in its parts, in their order: what stays as it is, and what a content comes in the place of. */
export type TextPart = string | { readonly sha256: string }

/** A part with a content stands for the whole property, so `"data":"<base64>"` takes its place. */
export function splitAtMarkers(text: string): readonly TextPart[] {
  if (!hasMarkers(text)) return [text]
  const parts: TextPart[] = []
  let end = 0
  for (const found of text.matchAll(MARKER)) {
    if (found.index > end) parts.push(text.slice(end, found.index))
    parts.push({ sha256: found[1] ?? '' })
    end = found.index + found[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/** The content that an element `_data` stands for; undefined for any other. */
export function contentOf(element: unknown): string | undefined {
  const text = element === undefined ? '' : `"_data":${JSON.stringify(element)}`
  return text.length === BEFORE.length + SHA256_LENGTH + AFTER.length ? markersIn(text)[0] : undefined
}

const SHA256_LENGTH = 64
