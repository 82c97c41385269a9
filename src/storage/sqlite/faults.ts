/** Faults of SQLite as errors of the port: https://sqlite.org/rescode.html. */
import { InvalidCursor } from '../../search/cursor.ts'
import { StoreConflict, StoreUnavailable } from '../store-errors.ts'

/** Another process is writing. */
export class Locked extends StoreUnavailable {
  constructor() {
    super("The database can't serve now: another process has locked it")
  }
}

/** SQLITE_BUSY */
const BUSY = 5
/** SQLITE_FULL; for the memory-mapped part of the log, SQLite reports a full disk as SQLITE_IOERR_SHMSIZE. */
const FULL = 13
const FULL_IN_MEMORY = 4_874
/** SQLITE_IOERR_FSYNC: the commit is in the log, but perhaps not on the disk. */
const NOT_SYNCED = 1_034

/**
 * Primary result codes that mean "not now" rather than "wrong program", with the reason
 * (https://sqlite.org/rescode.html).
 */
const UNAVAILABLE: ReadonlyMap<number, string> = new Map([
  [BUSY, 'another process has locked it'],
  [6, 'it is locked'],
  [7, 'there is not enough memory'],
  [8, 'the file, or its folder, is read-only for this process'],
  [10, 'the disk cannot be read or written'],
  [11, 'the file is damaged; restore it from a backup'],
  [FULL, 'the disk is full'],
  [14, 'it cannot be opened; it must be a file in a folder that this process may write'],
  [26, 'the file is no SQLite database'],
])

/** True for the error that another process has locked the file. */
export const isBusy = (error: unknown): boolean => ((resultCode(error) ?? 0) & 0xff) === BUSY

/** A file of another program, or of another version of the server. */
export class OtherForm extends StoreUnavailable {}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const UNREADABLE = [11, 26]

/** True where the file is damaged, of another form, or not a database. Accepts errors of SQLite and of the port. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof OtherForm) return true
  const cause = error instanceof StoreUnavailable ? error.cause : error
  return UNREADABLE.includes((resultCode(cause) ?? 0) & 0xff)
}

/** Turns any error thrown inside the engine into the error of the port for it. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreConflict || error instanceof StoreUnavailable || error instanceof InvalidCursor)
    return error
  const code = resultCode(error) ?? 0
  const primary = code === FULL_IN_MEMORY ? FULL : code & 0xff
  const why = UNAVAILABLE.get(primary)
  if (why === undefined) return error
  return new StoreUnavailable(`The database can't serve now: ${why} (SQLite result ${code})`, {
    reason: primary === FULL ? 'full' : 'away',
    mayBeWritten: code === NOT_SYNCED,
    cause: error,
  })
}

/** SQLite's extended result code. */
function resultCode(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  if ('code' in error && error.code === 'ERR_INVALID_STATE') return 14
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : undefined
}
