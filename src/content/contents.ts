/**
 * Contents: bytes that resources refer to by a marker in their text, such as files. A clinic has each content once, by
 * its SHA-256. Contents without any reference are collected. Each step leaves a record of the remaining work, so that
 * nothing is lost if the server dies: see docs/adr/023-content-storage.md.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { BackgroundLoop, LoopPace } from '../isolation/background-loop.ts'
import { type DueServices, dueRecordLoop } from '../repository/due-records.ts'
import { recordKind } from '../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../repository/repository.ts'
import { CONTENT, type StoredContent } from '../repository/used-content.ts'
import { type ByteRange, ContentMissing, type ContentStore } from '../storage/content-port.ts'
import { StoreUnavailable } from '../storage/store-errors.ts'
import { ContentDigest, type ContentFacts } from './content-digest.ts'

export type { ContentFacts } from './content-digest.ts'

export interface Contents {
  /**
   * Receives and keeps bytes without any reference; they are collected after an hour unless a change uses them. When it
   * fails, nothing is left.
   * @param limit bytes
   * @throws FhirError 413 beyond the limit; StoreUnavailable; and the errors of `pieces`
   */
  receive(
    clinic: string,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    limit: number,
  ): Promise<ContentFacts>
  facts(clinic: string, sha256: string): Promise<ContentFacts | undefined>
  /** @throws ContentMissing, StoreUnavailable */
  read(clinic: string, sha256: string, range?: ByteRange): AsyncIterable<Uint8Array>
  /**
   * Called at the end of a request that did not use the contents it received: they are collected at once, unless
   * something refers to them or another request has received them too. Never throws: the rest is collected later.
   */
  abandon(clinic: string, sha256s: Iterable<string>): Promise<void>
}

/** Bytes that are being received, or removed. */
interface ContentUpload {
  /** The bytes are being removed, so they can no longer become a content. */
  readonly isGoing: boolean
}

const UPLOAD = recordKind<ContentUpload>('content-upload')

/** Milliseconds for which bytes and contents without any reference are kept. */
const KEPT_UNUSED = 3_600_000
/** Milliseconds after which the removal of bytes is retried. */
const LEASE = 60_000
const PACE: LoopPace = { look: 5_000, pause: 0 }

export class StoredContents implements Contents {
  readonly #repository: Repository
  readonly #store: ContentStore

  constructor(repository: Repository, store: ContentStore) {
    this.#repository = repository
    this.#store = store
  }

  async receive(
    clinic: string,
    pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    limit: number,
  ): Promise<ContentFacts> {
    const name = randomUUID()
    await this.#change(clinic, async ({ records, writtenAt: now }) =>
      records.put(UPLOAD, name, { isGoing: false }, { due: now + KEPT_UNUSED }),
    )
    try {
      const digest = new ContentDigest(limit)
      await this.#store.write(clinic, name, digest.of(pieces))
      const facts = digest.end()
      if (!(await this.#change(clinic, (unit) => keep(unit, name, facts)))) await this.#remove(clinic, name)
      return facts
    } catch (error) {
      await this.#quietly(() => this.#removeUpload(clinic, name))
      throw error
    }
  }

  async facts(clinic: string, sha256: string): Promise<ContentFacts | undefined> {
    const content = await this.#repository.readRecord(clinic, CONTENT, sha256)
    return content && factsOf(sha256, content.value)
  }

  async *read(clinic: string, sha256: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const content = await this.#repository.readRecord(clinic, CONTENT, sha256)
    if (content === undefined) throw new ContentMissing()
    const { name, size } = content.value
    const { start, end } = range ?? { start: 0, end: size }
    const isWhole = start === 0 && end >= size
    const pieces = this.#store.read(clinic, name, range)
    yield* isWhole ? checkedPieces(pieces, sha256) : completePieces(pieces, Math.min(end, size) - start)
  }

  async abandon(clinic: string, sha256s: Iterable<string>): Promise<void> {
    for (const sha256 of sha256s) {
      await this.#quietly(async () => {
        const name = await this.#change(clinic, (unit) => giveUp(unit, sha256))
        if (name !== undefined) await this.#remove(clinic, name)
      })
    }
  }

  /** Removes the bytes of a clinic that is removed, with all its records. */
  removeAll(clinic: string): Promise<void> {
    return this.#store.drop(clinic)
  }

  /** Removes a due content. False: it is no longer due. */
  async collect(clinic: string, sha256: string): Promise<boolean> {
    const name = await this.#change(clinic, async (unit) => {
      const content = await unit.records.read(CONTENT, sha256)
      const isDue = content !== undefined && content.due !== null && content.due <= unit.writtenAt
      return isDue ? letGo(unit, sha256, content.value) : undefined
    })
    if (name !== undefined) await this.#remove(clinic, name)
    return name !== undefined
  }

  /** Removes the bytes of a due upload. False: it is no longer due. */
  async collectUpload(clinic: string, name: string): Promise<boolean> {
    const isDue = await this.#change(clinic, async ({ records, writtenAt: now }) => {
      const upload = await records.read(UPLOAD, name)
      if (upload === undefined || upload.due === null || upload.due > now) return false
      records.put(UPLOAD, name, { isGoing: true }, { due: now + LEASE })
      return true
    })
    if (isDue) await this.#remove(clinic, name)
    return isDue
  }

  /** Removes a failed upload. If it became a content nevertheless, that stays. */
  async #removeUpload(clinic: string, name: string): Promise<void> {
    const isThere = await this.#change(clinic, async ({ records, writtenAt: now }) => {
      const upload = await records.read(UPLOAD, name)
      if (upload !== undefined) records.put(UPLOAD, name, { isGoing: true }, { due: now + LEASE })
      return upload !== undefined
    })
    if (isThere) await this.#remove(clinic, name)
  }

  /** Removes the bytes, and then the record that marks them for removal. */
  async #remove(clinic: string, name: string): Promise<void> {
    await this.#store.delete(clinic, name)
    await this.#change(clinic, async ({ records }) => records.delete(UPLOAD, name, { expect: 'any' }))
  }

  /** A request may make the change twice: on the event loop, and again in a work thread. */
  #change<T>(clinic: string, work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return this.#repository.change(clinic, work, { isRepeatable: true })
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch {
      // The collection finds the remaining work in the records.
    }
  }
}

/** @throws ContentMissing when fewer bytes come */
async function* completePieces(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size
  for await (const piece of pieces) {
    left -= piece.length
    yield piece
  }
  if (left > 0) throw new ContentMissing()
}

/**
 * All pieces of a content, the last one only after its hash has been checked, so that nobody takes a damaged content
 * for a complete one.
 * @throws ContentMissing when the bytes are not the ones that were stored
 */
async function* checkedPieces(pieces: AsyncIterable<Uint8Array>, sha256: string): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256')
  let last: Uint8Array | undefined
  for await (const piece of pieces) {
    digest.update(piece)
    if (last !== undefined) yield last
    last = piece
  }
  if (digest.digest('hex') !== sha256) throw new ContentMissing()
  if (last !== undefined) yield last
}

/** Turns received bytes into a content. False: the clinic has it already, and the bytes must be removed. */
async function keep({ records, writtenAt: now }: UnitOfWork, name: string, facts: ContentFacts): Promise<boolean> {
  const { sha256, ...known } = facts
  const upload = await records.read(UPLOAD, name)
  if (upload === undefined || upload.value.isGoing) throw new StoreUnavailable('A content took too long to arrive')
  const content = await records.read(CONTENT, sha256)
  if (content === undefined) {
    records.put(CONTENT, sha256, { name, ...known, waiting: 1 }, { due: now + KEPT_UNUSED })
    records.delete(UPLOAD, name)
    return true
  }
  if (content.due !== null) {
    const waiting = content.value.waiting + 1
    records.put(CONTENT, sha256, { ...content.value, waiting }, { due: now + KEPT_UNUSED })
  }
  records.put(UPLOAD, name, { isGoing: true }, { due: now + LEASE })
  return false
}

/** @returns the name of the bytes to be removed, if any */
async function giveUp(unit: UnitOfWork, sha256: string): Promise<string | undefined> {
  const content = await unit.records.read(CONTENT, sha256)
  if (content === undefined || content.due === null) return undefined
  const waiting = content.value.waiting - 1
  if (waiting <= 0) return letGo(unit, sha256, content.value)
  unit.records.put(CONTENT, sha256, { ...content.value, waiting }, { due: content.due })
  return undefined
}

/** Deletes a content, and marks its bytes for removal. */
function letGo({ records, writtenAt: now }: UnitOfWork, sha256: string, { name }: StoredContent): string {
  records.delete(CONTENT, sha256)
  records.put(UPLOAD, name, { isGoing: true }, { due: now + LEASE })
  return name
}

const factsOf = (sha256: string, { sha1, size, looks }: StoredContent): ContentFacts => ({ sha256, sha1, size, looks })

/** The loops that collect contents and uploads without any reference. */
export function contentCollection(contents: StoredContents, services: DueServices): readonly BackgroundLoop[] {
  const work = { lease: LEASE, failure: 'a content was not collected' }
  return [
    dueRecordLoop(
      services,
      { ...work, kind: CONTENT, finish: (clinic, sha256) => contents.collect(clinic, sha256) },
      PACE,
    ),
    dueRecordLoop(
      services,
      { ...work, kind: UPLOAD, finish: (clinic, name) => contents.collectUpload(clinic, name) },
      PACE,
    ),
  ]
}
