/**
 * Use of contents (src/content) by resources: the change that writes a reference to a content also protects it from
 * collection, so the store settles which of the two comes first.
 */
import type { DetectedType } from '../fhir/content/detected-type.ts'
import { CONTENT_URL, markersIn, mayHaveMarkers, strayMarker } from '../fhir/content/marker.ts'
import { unprocessable } from '../fhir/outcome.ts'
import type { AnyResource } from '../fhir/resource.ts'
import { recordKind } from './record-kinds.ts'
import type { KindRecord, UnitRecords } from './unit-records.ts'

/** A content of the clinic, stored once for all references to it. */
export interface StoredContent {
  /** The name of the bytes in the store of contents. */
  readonly name: string
  /** Base64, as Attachment.hash. */
  readonly sha1: string
  /** Bytes. */
  readonly size: number
  readonly looks: DetectedType
  /**
   * Number of requests that have uploaded it, and neither used nor discarded it yet; without meaning once it is used.
   */
  readonly waiting: number
  /** All who need it; absent: generation 0. */
  readonly usedBy?: readonly ContentUser[]
}

/** The number of a generation (generation.ts) whose resources refer to a content, or the id of a job whose result it belongs to. */
export type ContentUser = number | string

/** A unit of work, as the use of contents knows it. */
interface Using {
  readonly records: UnitRecords
  /** The number of the generation that it writes. */
  readonly generation: number
}

export const CONTENT = recordKind<StoredContent>('content')

/**
 * Marks the contents that a resource refers to as used by its generation. Versions of a resource are removed with their
 * whole generation only, so that is how long the contents that they refer to are kept.
 * @param text of the resource
 * @throws FhirError 422 where the clinic has no such content, or the extension of a marker is used elsewhere
 */
export async function useContents(unit: Using, resource: AnyResource, text: string): Promise<void> {
  if (!mayHaveMarkers(text)) return
  const stray = strayMarker(resource, resource.resourceType)
  if (stray !== undefined) throw unprocessable(`${stray} ${STRAY}`, { expression: stray })
  await useContentsOf(unit, text)
}

/** The same for a stored text. */
export async function useContentsOf({ records, generation }: Using, text: string): Promise<void> {
  if (!mayHaveMarkers(text)) return
  for (const sha256 of markersIn(text)) await useContent(records, sha256, generation)
}

const STRAY = `has the extension ${CONTENT_URL}, by which this server refers to a content; send it as this server returned it: once, in _data, without data beside it`

/** Stages that a content is needed. @throws FhirError 422 where the clinic has no such content */
export async function useContent(records: UnitRecords, sha256: string, user: ContentUser): Promise<void> {
  const content = await records.read(CONTENT, sha256)
  if (content === undefined) throw noContent(sha256)
  const usedBy = usersOf(content)
  if (!usedBy.includes(user)) {
    records.put(CONTENT, sha256, { ...content.value, usedBy: [...usedBy, user] }, { due: null })
  }
}

/** All who need a content; none while it waits to be used. */
const usersOf = ({ value: { usedBy = [0] }, due }: KindRecord<StoredContent>): readonly ContentUser[] =>
  due === null ? usedBy : []

interface Releasing {
  readonly records: UnitRecords
  /** The time of the machine: milliseconds since 1970 UTC. */
  readonly writtenAt: number
}

/**
 * Stages that a generation, which is gone, or a job no longer needs a content; one that nobody else needs is collected.
 * Does nothing where it did not.
 */
export async function releaseContent(
  { records, writtenAt }: Releasing,
  sha256: string,
  user: ContentUser,
): Promise<void> {
  const content = await records.read(CONTENT, sha256)
  if (content === undefined) return
  const before = usersOf(content)
  const usedBy = before.filter((one) => one !== user)
  if (usedBy.length === before.length) return
  const due = usedBy.length === 0 ? writtenAt : null
  records.put(CONTENT, sha256, { ...content.value, waiting: 0, usedBy }, { due })
}

const noContent = (sha256: string) =>
  unprocessable(
    `There is no content with the SHA-256 ${sha256} in this clinic, or it was removed as nothing referred to it; send its bytes (data) again`,
  )
