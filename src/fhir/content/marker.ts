/**
 * The marker: what the stored text of a resource has in place of a long `"data":"<base64>"` (Binary.data,
 * Attachment.data), whose bytes are kept beside it. It is written in one spelling only, so that a search of the text finds
 * it: in the texts of clients the quotes are escaped.
 */

import { unprocessable } from '../outcome.ts'

/** The url of the extension. */
export const CONTENT_URL = 'urn:sandbox-emr:content'

/** What there is to say where a marker would have company. */
export const ALONE =
  'base64 of more than 16,384 characters is kept apart from its resource, and has neither an id nor extensions'

/** The element `_data` of a marker: an object that the definition of base64Binary permits. */
export const contentElement = (sha256: string) => ({ extension: [{ url: CONTENT_URL, valueString: sha256 }] })

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

/**
 * The path of an element that has the extension of a marker but is none, or has a value beside it; undefined where there is
 * no such element.
 */
export function strayMarker(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    const stray = name === '_data' ? strayData(value, path) : strayIn(name, item, Array.isArray(value), path)
    if (stray !== undefined) return stray
  }
  return undefined
}

const strayIn = (name: string, item: unknown, inArray: boolean, path: string): string | undefined =>
  name === 'url' && item === CONTENT_URL ? path : strayMarker(item, inArray ? `${path}[${name}]` : `${path}.${name}`)

function strayData(holder: { readonly data?: unknown; readonly _data?: unknown }, path: string): string | undefined {
  const isMarker = contentOf(holder._data) !== undefined
  const isStray = isMarker ? holder.data !== undefined : strayMarker(holder._data, '') !== undefined
  return isStray ? `${path}.data` : undefined
}

/** Whether a text may have a marker, or part of one. */
export const mentionsContent = (text: string): boolean => text.includes(`"${CONTENT_URL}"`)

/**
 * A resource in which each marker is the value of `data`, as its client knows it, so that a patch finds it there; for
 * `withMarkers`. The object is changed.
 */
export function withContentsAsData(value: unknown): unknown {
  return changed(value, (object) => {
    const sha256 = contentOf(object._data)
    if (sha256 === undefined) return
    delete object._data
    object.data = `${CONTENT_URL}:${sha256}`
  })
}

/**
 * The markers again, whatever became of them. The object is changed.
 * @throws FhirError 422 where one was copied to what is no `data`
 */
export function withMarkers(value: unknown): unknown {
  return changed(value, (object) => {
    for (const [name, item] of Object.entries(object)) {
      if (name !== 'data' && [item].flat().some(isAsData))
        throw unprocessable(`A long 'data' cannot be the value of '${name}'`)
    }
    const [, sha256] = (typeof object.data === 'string' && AS_DATA.exec(object.data)) || []
    if (sha256 === undefined) return
    delete object.data
    object._data = contentElement(sha256)
  })
}

const isAsData = (item: unknown): boolean => typeof item === 'string' && AS_DATA.test(item)

const AS_DATA = new RegExp(`^${RegExp.escape(CONTENT_URL)}:([0-9a-f]{64})$`)

function changed(value: unknown, change: (object: Record<string, unknown>) => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const item of Object.values(value)) changed(item, change)
  if (!Array.isArray(value)) change(value as Record<string, unknown>)
  return value
}
