/**
 * Long base64 (`data` of an Attachment, a Binary or a Signature) of a resource that is written: it is kept beside the
 * resource, which has a marker in its place.
 */
import { base64Pieces } from '../fhir/base64.ts'
import { contentElement, isLongData, type LongData } from '../fhir/content/marker.ts'
import { isObject } from '../fhir/resource.ts'
import { spend } from '../isolation/budget.ts'

/** Characters that are checked, decoded and hashed in a microsecond. */
const CHARACTERS_PER_STEP = 100

/** Keeps the bytes of one content, given in base64. @returns their SHA-256 */
type Receive = (data: string) => Promise<string>

/**
 * A copy of a resource, or of a part of it, with markers in place of long base64; itself where it has none.
 * @param value valid, so its base64 is too
 */
export async function withLongDataApart(value: unknown, receive: Receive): Promise<unknown> {
  const kept = new Map<unknown, string>()
  for (const holder of longDataIn(value)) kept.set(holder, await receive(holder.data))
  return kept.size === 0 ? value : withMarkersFor(kept, value)
}

/** The objects with long base64 in the value, itself included. */
function longDataIn(value: unknown, found: LongData[] = []): readonly LongData[] {
  if (typeof value !== 'object' || value === null) return found
  if (isLongData(value)) found.push(value)
  for (const item of Object.values(value)) longDataIn(item, found)
  return found
}

/** A copy with a marker in place of each `data` that is kept. @param kept the SHA-256 by the object that holds it */
function withMarkersFor(kept: ReadonlyMap<unknown, string>, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withMarkersFor(kept, item))
  if (!isObject(value)) return value
  const sha256 = kept.get(value)
  const copy: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (name === 'data' && sha256 !== undefined)
      copy._data = contentElement(sha256, isObject(value._data) ? value._data : {})
    else if (!(name in copy)) copy[name] = withMarkersFor(kept, item)
  }
  return copy
}

/** The bytes of valid base64, in pieces. */
export async function* bytesOf(base64: string): AsyncGenerator<Uint8Array> {
  spend(base64.length / CHARACTERS_PER_STEP, 'its contents')
  for (const piece of base64Pieces(base64)) yield Buffer.from(piece, 'base64')
}
