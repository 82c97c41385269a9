/**
 * The marker: the stored text of a resource has it in place of a long `"data":"<base64>"` (Binary.data,
 * Attachment.data), whose bytes are stored separately. It has only one spelling, so that a search of the text finds it:
 * in the texts of clients the quotes are escaped.
 */
import { hash } from 'node:crypto'
import { spend } from '../../isolation/budget.ts'
import { unprocessable } from '../outcome.ts'
import { isObject } from '../resource.ts'

/** The url of the extension. */
export const CONTENT_URL = 'urn:sandbox-emr:content'

/** Most characters of base64 that stay in the text of a resource. */
export const MAX_INLINE = 16 * 1024

/** The members of an element `_data`. */
interface PrimitiveElement {
  readonly extension?: readonly unknown[]
  readonly [name: string]: unknown
}

/**
 * The element `_data` of a marker: an object that the definition of base64Binary permits. The extension comes first, so
 * that it is found whatever follows.
 * @param beside the id and the extensions that the client has given `data`
 */
export const contentElement = (sha256: string, { extension = [], ...beside }: PrimitiveElement = {}) => ({
  extension: [{ url: CONTENT_URL, valueString: sha256 }, ...extension],
  ...beside,
})

export interface LongData {
  readonly data: string
  readonly _data?: PrimitiveElement
}

/** Whether it has long base64; SampledData, the one type with `dimensions`, has numbers in its `data`. */
export const isLongData = (value: object): value is LongData =>
  'data' in value && typeof value.data === 'string' && value.data.length > MAX_INLINE && !('dimensions' in value)

/** The property of the stored text. @param sha256 of the content, lower-case hex */
export const contentMarker = (sha256: string): string => `"_data":${JSON.stringify(contentElement(sha256))}`

const [BEFORE = ''] = contentMarker('*').split('*')
const SHA256 = '([0-9a-f]{64})'
const MARKER = new RegExp(`${RegExp.escape(BEFORE)}${SHA256}"\\}`, 'g')

export const hasMarkers = (text: string): boolean => text.includes(BEFORE)

/** Whether a body, in JSON or XML, may have markers, or part of one. */
export const mayHaveMarkers = (body: string | Buffer): boolean => body.includes(CONTENT_URL)

/** The SHA-256 of each content whose marker is in a text, each once. */
export const markersIn = (text: string): readonly string[] =>
  hasMarkers(text) ? [...new Set([...text.matchAll(MARKER)].map(([, sha256 = '']) => sha256))] : []

/** The content whose marker an element `_data` is; undefined for any other element. */
export function contentOf(element: unknown): string | undefined {
  if (!isObject(element)) return undefined
  const text = `"_data":${JSON.stringify(element)}`
  return text.startsWith(BEFORE) ? [...text.matchAll(MARKER)].find(({ index }) => index === 0)?.[1] : undefined
}

/** The rest of an element with a marker; undefined: nothing. */
function besideMarker({ extension: [, ...others] = [], ...rest }: PrimitiveElement): PrimitiveElement | undefined {
  const beside = { ...rest, ...(others.length === 0 ? {} : { extension: others }) }
  return Object.keys(beside).length === 0 ? undefined : beside
}

/**
 * The path of an element that has a marker's extension without being a marker, or has a value besides it; undefined
 * where there is no such element.
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
  const { data, _data } = holder
  const isMarker = contentOf(_data) !== undefined
  const beside = isMarker ? besideMarker(_data as PrimitiveElement) : _data
  const isStray = (isMarker && data !== undefined) || strayMarker(beside, '') !== undefined
  return isStray ? `${path}.data` : undefined
}

/**
 * A resource in which each marker is the value of `data`, as its client knows it, so that a patch finds it there; for
 * `withMarkers`. The object is changed.
 */
export function withContentsAsData(value: unknown): unknown {
  return changed(value, (object) => {
    const sha256 = contentOf(object._data)
    if (sha256 === undefined) return
    const beside = besideMarker(object._data as PrimitiveElement)
    if (beside === undefined) delete object._data
    else object._data = beside
    object.data = asData(sha256)
  })
}

/**
 * A value that a patch compares with a resource of `withContentsAsData`, in its form: each long `data` is named by its
 * hash. The object is changed.
 * @throws BudgetError
 */
export function withDataNamed(value: unknown): unknown {
  return changed(value, (object) => {
    if (isLongData(object)) Object.assign(object, { data: nameOfData(object.data) })
  })
}

/** Characters that are decoded and hashed in a microsecond. */
const HASHED_PER_STEP = 100

/** The value of a long `data` in `withContentsAsData`. @throws BudgetError */
export function nameOfData(base64: string): string {
  spend(base64.length / HASHED_PER_STEP, 'the contents that its patch compares')
  return asData(hash('sha256', Buffer.from(base64, 'base64')))
}

const asData = (sha256: string): string => `${CONTENT_URL}:${sha256}`

/**
 * Restores the markers, each in front of the other members of its `_data`, in whichever order they came. The object is
 * changed.
 * @throws FhirError 422 where one was copied to an element other than `data`
 */
export function withMarkers(value: unknown): unknown {
  return changed(value, (object) => {
    for (const [name, item] of Object.entries(object)) {
      if (name !== 'data' && [item].flat().some(isAsData))
        throw unprocessable(`A long 'data' cannot be the value of '${name}'`)
    }
    const { data, _data: beside } = object
    const [, sha256] = (typeof data === 'string' && AS_DATA.exec(data)) || []
    if (sha256 === undefined) markerFirst(object)
    // A value that is not an element stays, and is refused as such.
    else if (beside === undefined || isElement(beside)) {
      delete object.data
      object._data = contentElement(sha256, beside)
    }
  })
}

function isElement(value: unknown): value is PrimitiveElement {
  if (!isObject(value) || Object.keys(value).length === 0) return false
  const { extension } = value
  return extension === undefined || (Array.isArray(extension) && extension.length > 0)
}

function markerFirst(object: Record<string, unknown>): void {
  const { extension, ...rest } = isObject(object._data) ? object._data : {}
  if (!Array.isArray(extension)) return
  const at = extension.findIndex((one) => contentOf({ extension: [one] }) !== undefined)
  if (at !== -1) object._data = { extension: [extension[at], ...extension.toSpliced(at, 1)], ...rest }
}

const isAsData = (item: unknown): boolean => typeof item === 'string' && AS_DATA.test(item)

const AS_DATA = new RegExp(`^${RegExp.escape(CONTENT_URL)}:([0-9a-f]{64})$`)

function changed(value: unknown, change: (object: Record<string, unknown>) => void): unknown {
  if (typeof value !== 'object' || value === null) return value
  for (const item of Object.values(value)) changed(item, change)
  if (!Array.isArray(value)) change(value as Record<string, unknown>)
  return value
}
