/** Files and folders of backups: private, with their hashes, and on the disk before they count. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { PRIVATE_FILE } from '../../src/storage/sqlite/private-files.ts'

/** Bytes that are read at once. */
const PIECE = 1024 * 1024

export const piecesOf = (path: string): AsyncIterable<Uint8Array> => createReadStream(path, { highWaterMark: PIECE })

/** SHA-256, lower-case hex. */
export async function hashOf(path: string): Promise<string> {
  const digest = createHash('sha256')
  await pipeline(piecesOf(path), digest)
  return digest.digest('hex')
}

/** Writes a new file, which is on the disk when this ends. @returns the SHA-256 of its bytes */
export async function writeFileOf(path: string, pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const digest = createHash('sha256')
  const file = await open(path, 'wx', PRIVATE_FILE)
  try {
    for await (const piece of pieces) {
      digest.update(piece)
      await file.appendFile(piece)
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return digest.digest('hex')
}

/** Ensures that a file, or what was made, renamed or removed in a folder, is on the disk. */
export async function sync(path: string): Promise<void> {
  const opened = await open(path, 'r')
  try {
    await opened.sync()
  } finally {
    await opened.close()
  }
}

/** EFBIG: the file may not grow. SQLite says 13 where its disk is full. */
const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 13])

/** Whether an error says that a disk is full. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && FULL.has(error.code)) || ('errcode' in error && FULL.has(error.errcode)) || isFull(error.cause))
