/** Versions of resources by their address. */
import type { StoredResource } from '../port.ts'
import type { Collections, HistoryDocument, ResourceDocument } from './collections.ts'
import { unpackText } from './stored-text.ts'

/** The fields that a version is made of, for people and indexes none. */
export const VERSION_FIELDS = { type: 1, id: 1, version: 1, updated: 1, method: 1, text: 1 } as const

/** Newest first: a version that is superseded between the two reads has moved to where the second looks. */
export async function readVersion(
  collections: Collections,
  clinic: string,
  type: string,
  id: string,
  version: number,
): Promise<StoredResource | undefined> {
  const address = { clinic, type, id, version }
  const projection = { _id: 0, ...VERSION_FIELDS }
  const found =
    (await collections.resources.findOne(address, { projection })) ??
    (await collections.history.findOne(address, { projection }))
  return found === null ? undefined : toStored(found)
}

export const toStored = ({
  type,
  id,
  version,
  updated,
  method,
  text,
}: Pick<ResourceDocument | HistoryDocument, keyof typeof VERSION_FIELDS>): StoredResource => ({
  type,
  id,
  version,
  lastUpdated: updated,
  method,
  text: unpackText(text),
})
