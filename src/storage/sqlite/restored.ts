/** Folders that `npm run restore` has not finished: no server starts on them, nor makes a new store in their place. */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { StoreUnavailable } from '../store-errors.ts'

const ENDING = '.unfinished-restore'

/** The folder that is filled by a restore; it gets the name of the new folder when it is whole. */
export const unfinishedRestoreOf = (folder: string): string => `${folder}${ENDING}`

/** @throws StoreUnavailable where the file is part of an unfinished restore, or is missing as its restore has not ended */
export function refuseUnfinishedRestore(path: string): void {
  const folder = dirname(resolve(path))
  const isMissing = !existsSync(path) && existsSync(unfinishedRestoreOf(folder))
  if (!isMissing && !folder.endsWith(ENDING)) return
  throw new StoreUnavailable(
    'A restore into this folder has not ended; run the same npm run restore again, or name another file in DATABASE_URL',
  )
}
