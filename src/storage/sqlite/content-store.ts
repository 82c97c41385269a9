/**
 * Contents as files in a folder beside the SQLite file, each in the folder of its clinic. SQLite could store them too,
 * but its only writer would hold up all other writes meanwhile, and its file never shrinks.
 */
import { chmod, type FileHandle, mkdir, mkdtemp, open, readdir, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ByteRange, ContentMissing, type ContentStore, PIECE_BYTES } from '../content-port.ts'
import { StoreUnavailable } from '../store-errors.ts'
import { PRIVATE_FILE, PRIVATE_FOLDER } from './private-files.ts'

/** The folder of the contents beside the file of the resources: `data/emr.db` has `data/emr.content`. */
export const contentFolderOf = (path: string): string => `${path.replace(/\.db$/, '')}.content`

/**
 * @param path of the file of the resources, or ':memory:' for a temporary folder that is removed when the store is
 * closed
 */
export function openSqliteContentStore(path: string): ContentStore {
  const isInMemory = path === ':memory:'
  let root: Promise<string> | undefined
  const rootFolder = (): Promise<string> => {
    root ??= isInMemory ? mkdtemp(join(tmpdir(), 'emr-content-')) : privateFolder(contentFolderOf(path))
    return root
  }
  const folderOf = async (clinic: string): Promise<string> => join(await served(rootFolder), nameOf(clinic))
  return {
    write: async (clinic, name, pieces) => write(await folderOf(clinic), name, pieces),
    read: (clinic, name, range) => read(async () => join(await folderOf(clinic), name), range),
    delete: async (clinic, name) => remove(await folderOf(clinic), name),
    names: async function* (clinic) {
      yield* await namesIn(await folderOf(clinic))
    },
    drop: async (clinic) => removeFolder(await folderOf(clinic)),
    close: async () => {
      if (isInMemory && root !== undefined) await rm(await root, { recursive: true, force: true })
    },
  }
}

/** Closes a folder of an older version to other users. */
async function privateFolder(path: string): Promise<string> {
  await chmod(path, PRIVATE_FOLDER).catch(() => {
    // It does not exist yet, or belongs to another user; its first use shows whether it can be used.
  })
  return path
}

/** Encodes the name, as a clinic may be called `..`. */
const nameOf = (clinic: string): string => `clinic-${encodeURIComponent(clinic)}`

/** Creates a folder and those above it, all of which are on the disk when this ends. */
async function makeFolder(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: PRIVATE_FOLDER })
  if (first === undefined) return
  for (let folder = path; folder !== dirname(first) && folder !== dirname(folder); folder = dirname(folder)) {
    await syncFolder(dirname(folder))
  }
}

async function write(folder: string, name: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  await served(() => makeFolder(folder))
  const file = await served(() => open(join(folder, name), 'wx', PRIVATE_FILE))
  try {
    for await (const piece of pieces) await served(() => writeAll(file, piece))
    await served(() => file.datasync())
  } finally {
    await file.close()
  }
  await served(() => syncFolder(folder))
}

/** Writes in several calls, as the system may write less than it is given. */
async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let written = 0; written < piece.length; ) {
    written += (await file.write(piece, written, piece.length - written)).bytesWritten
  }
}

async function* read(pathOf: () => Promise<string>, range?: ByteRange): AsyncGenerator<Uint8Array> {
  const path = await pathOf()
  const file = await served(() => open(path, 'r'))
  try {
    const { start = 0, end = Number.POSITIVE_INFINITY } = range ?? {}
    for (let position = start; position < end; ) {
      const piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - position))
      const at = position
      const { bytesRead } = await served(() => file.read(piece, 0, piece.length, at))
      if (bytesRead === 0) return
      yield piece.subarray(0, bytesRead)
      position += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function remove(folder: string, name: string): Promise<void> {
  try {
    await served(() => unlink(join(folder, name)))
    // Otherwise the file might reappear after a crash of the machine, when no record refers to it any more.
    await served(() => syncFolder(folder))
  } catch (error) {
    if (!(error instanceof ContentMissing)) throw error
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await served(() => readdir(folder))
  } catch (error) {
    if (error instanceof ContentMissing) return []
    throw error
  }
}

async function removeFolder(folder: string): Promise<void> {
  await served(() => rm(folder, { recursive: true, force: true }))
  try {
    await served(() => syncFolder(dirname(folder)))
  } catch (error) {
    // There has been no content of any clinic yet.
    if (!(error instanceof ContentMissing)) throw error
  }
}

/** Ensures that files created, renamed or removed in the folder are so on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])

/** @throws StoreUnavailable for any error of the system, ContentMissing where there is no such file */
async function served<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = codeOf(error)
    if (code === undefined) throw error
    if (code === 'ENOENT') throw new ContentMissing()
    // The message of the system's error names the file, and so the clinic.
    if (FULL.has(code)) throw new StoreUnavailable(`The disk of the contents is full (${code})`, { reason: 'full' })
    throw new StoreUnavailable(`The contents can't be read or written now (${code})`)
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'syscall' in error && 'code' in error ? error.code : undefined
