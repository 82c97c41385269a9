/** The names of all contents whose bytes are there, whole or in part, whatever the records say. */
import { existsSync, globSync } from 'node:fs'
import { basename } from 'node:path'
import { contentFolderOf } from '../../src/storage/sqlite/content-store.ts'
import { withDatabase } from './mongo.ts'

/** @param url of a database that outlives its connections */
export async function storedNames(url: string): Promise<readonly string[]> {
  if (url.startsWith('mongodb')) {
    return await withDatabase(url, async (db) => await db.collection('content').distinct('name'))
  }
  const folder = contentFolderOf(url.slice('sqlite:'.length))
  return existsSync(folder) ? globSync('*/*', { cwd: folder }).map((path) => basename(path)) : []
}
