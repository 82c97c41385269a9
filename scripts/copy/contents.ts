/**
 * Contents of a clinic, which are copied before the records that name them: so a record at the target says that its content
 * is there, and a copy that is resumed continues after it.
 */
import { createHash } from 'node:crypto'
import { CONTENT, type StoredContent } from '../../src/repository/used-content.ts'
import { ContentMissing, type ContentStore } from '../../src/storage/content-port.ts'
import type { ResourceStore, StoredRecord } from '../../src/storage/port.ts'
import { recordsOf } from './pages.ts'

/** A store of resources, with the contents beside it. */
export interface WholeStore {
  readonly store: ResourceStore
  readonly contents: ContentStore
}

interface Content {
  readonly sha256: string
  /** The name under which the bytes are stored. */
  readonly name: string
}

/** @throws Error naming a content that is missing at the source, or has changed */
export async function copyContents(source: WholeStore, target: WholeStore, clinic: string): Promise<void> {
  await removeOthers(source, target, clinic)
  for await (const { sha256, name } of contentsOf(source, clinic)) {
    if (await has(target, clinic, { sha256, name })) continue
    // Removes what an interrupted run has left of it.
    await target.contents.delete(clinic, name)
    const digest = createHash('sha256')
    await target.contents
      .write(clinic, name, watched(source.contents.read(clinic, name), digest))
      .catch(asDamaged(clinic, sha256))
    if (digest.digest('hex') !== sha256) throw damaged(clinic, sha256)
  }
}

/**
 * Deletes contents copied by an earlier run that the source no longer has; their records are deleted with the other
 * records.
 */
async function removeOthers(source: WholeStore, target: WholeStore, clinic: string): Promise<void> {
  for await (const content of contentsOf(target, clinic)) {
    if (!(await has(source, clinic, content))) await target.contents.delete(clinic, content.name)
  }
}

/** Each content of a clinic with its `hashOfContent`. */
export async function* contentHashes(
  whole: WholeStore,
  clinic: string,
): AsyncGenerator<readonly [sha256: string, found: string]> {
  for await (const { sha256, name } of contentsOf(whole, clinic))
    yield [sha256, await hashOfContent(whole.contents, clinic, name)]
}

/** The SHA-256 of the bytes that there are; `missing` where there are none. */
export async function hashOfContent(contents: ContentStore, clinic: string, name: string): Promise<string> {
  const digest = createHash('sha256')
  try {
    for await (const piece of contents.read(clinic, name)) digest.update(piece)
    return digest.digest('hex')
  } catch (error) {
    if (error instanceof ContentMissing) return 'missing'
    throw error
  }
}

async function* contentsOf({ store }: WholeStore, clinic: string): AsyncGenerator<Content> {
  for await (const record of recordsOf(store, clinic)) if (record.kind === CONTENT.name) yield contentOf(record)
}

const contentOf = ({ key, value }: StoredRecord): Content => ({ sha256: key, name: (value as StoredContent).name })

async function has({ store }: WholeStore, clinic: string, { sha256, name }: Content): Promise<boolean> {
  const found = await store.readRecord(clinic, CONTENT.name, sha256)
  return found !== undefined && contentOf(found).name === name
}

async function* watched(
  pieces: AsyncIterable<Uint8Array>,
  digest: { update(piece: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    digest.update(piece)
    yield piece
  }
}

const asDamaged =
  (clinic: string, sha256: string) =>
  (error: unknown): never => {
    throw error instanceof ContentMissing ? damaged(clinic, sha256) : error
  }

const damaged = (clinic: string, sha256: string): Error =>
  new Error(
    `The content ${sha256} of clinic ${clinic} is missing at the source, or is not what was stored; restore it from a backup ` +
      '(docs/operating.md), then run the same command again',
  )
