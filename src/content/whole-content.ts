/** The content of an element with `data`, in memory as a whole: for the server's own use of what is known to be small. */
import { contentOf } from '../fhir/content/marker.ts'
import type { Contents } from './contents.ts'

export interface ContentPlace {
  readonly clinic: string
  readonly contents: Contents
}

export interface WithData {
  readonly data?: unknown
  readonly _data?: unknown
}

/** The base64 of `data`, wherever it is kept. @throws ContentMissing, StoreUnavailable */
export async function wholeData({ clinic, contents }: ContentPlace, { data, _data }: WithData): Promise<unknown> {
  const sha256 = contentOf(_data)
  if (sha256 === undefined) return data
  return Buffer.concat(await Array.fromAsync(contents.read(clinic, sha256))).toString('base64')
}
