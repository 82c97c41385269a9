/** The content of an element with `data`, such as an Attachment or a Binary, wherever it is stored. */
import { contentOf } from '../fhir/content/marker.ts'
import { ContentDigest, type ContentFacts } from './content-digest.ts'
import type { Contents } from './contents.ts'

export interface ContentPlace {
  readonly clinic: string
  readonly contents: Contents
}

export interface WithData {
  /** Base64; short, as longer data is stored separately. */
  readonly data?: string | undefined
  readonly _data?: unknown
}

/** Facts about the content. @returns undefined where it has no content, or the clinic does not have the content it names */
export async function factsOf(
  { clinic, contents }: ContentPlace,
  { data, _data }: WithData,
): Promise<ContentFacts | undefined> {
  const sha256 = contentOf(_data)
  if (sha256 !== undefined) return await contents.facts(clinic, sha256)
  if (data === undefined) return undefined
  const digest = new ContentDigest(Number.POSITIVE_INFINITY)
  digest.push(Buffer.from(data, 'base64'))
  return digest.end()
}

/** The base64 of `data`, in memory as a whole: for what is known to be small. @throws ContentMissing, StoreUnavailable */
export async function wholeData(
  { clinic, contents }: ContentPlace,
  { data, _data }: WithData,
): Promise<string | undefined> {
  const sha256 = contentOf(_data)
  if (sha256 === undefined) return data
  return Buffer.concat(await Array.fromAsync(contents.read(clinic, sha256))).toString('base64')
}
