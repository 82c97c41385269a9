/** The text of a version as a receiver gets it: in its format, and with its contents in place of their markers. */
import type { Context } from '../core/context.ts'
import { CONTENT_URL, hasMarkers, markersIn, withContentsAsData } from '../fhir/content/marker.ts'
import { parseJson } from '../fhir/json.ts'
import { writeXml } from '../fhir/xml/write.ts'
import type { Versioned } from '../repository/repository.ts'
import { PAYLOADS } from './definition.ts'

/** Bytes of the contents of a notification; a resource with more is sent without them. */
const MOST_BYTES = 8 * 1024 * 1024

/** @param format the MIME type of the payload */
export async function payloadOf(ctx: Context, version: Versioned, format: string): Promise<string> {
  const text = hasMarkers(version.text) ? await filled(ctx, version.text) : version.text
  return PAYLOADS[format] === 'xml' ? writeXml(JSON.parse(text)) : text
}

/** A `data` that names its content, and the commas beside it. */
const NAMED = new RegExp(`(,?)"data":"${CONTENT_URL}:([0-9a-f]{64})"(,?)`, 'g')

async function filled(ctx: Context, text: string): Promise<string> {
  const contents = await contentsOf(ctx, markersIn(text))
  return JSON.stringify(withContentsAsData(parseJson(text))).replace(NAMED, (_found, before, sha256, after) => {
    const data = contents?.get(sha256)
    return data === undefined ? before && after : `${before}"data":"${data}"${after}`
  })
}

/** In base64, by their hashes; undefined where they are too large together. */
async function contentsOf(
  { contents, clinic }: Context,
  sha256s: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  const facts = await Promise.all(sha256s.map((sha256) => contents.facts(clinic, sha256)))
  if (facts.reduce((sum, found) => sum + (found?.size ?? 0), 0) > MOST_BYTES) return undefined
  const read = async (sha256: string) => {
    const pieces = await Array.fromAsync(contents.read(clinic, sha256))
    return [sha256, Buffer.concat(pieces).toString('base64')] as const
  }
  return new Map(await Promise.all(sha256s.map(read)))
}
