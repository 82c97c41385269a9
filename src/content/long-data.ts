/**
 * Long base64 (`data` of an Attachment, a Binary or a Signature) of a resource that is written: it is kept beside the
 * resource, which has a marker in its place.
 */
import { base64Pieces } from '../fhir/base64.ts'
import { contentElement, isLongData } from '../fhir/content/marker.ts'
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
  if (!holdsLongData(value)) return value
  if (Array.isArray(value)) return await Array.fromAsync(value, (item) => withLongDataApart(item, receive))
  const copy: Record<string, unknown> = {}
  for (const [name, item] of Object.entries(value)) {
    if (name === 'data' && isLongData(value)) {
      copy._data = contentElement(await receive(value.data), value._data)
    } else if (!(name in copy)) copy[name] = await withLongDataApart(item, receive)
  }
  return copy
}

const holdsLongData = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && (isLongData(value) || Object.values(value).some(holdsLongData))

/** The bytes of valid base64, in pieces. */
export async function* bytesOf(base64: string): AsyncGenerator<Uint8Array> {
  spend(base64.length / CHARACTERS_PER_STEP, 'its contents')
  for (const piece of base64Pieces(base64)) yield Buffer.from(piece, 'base64')
}
