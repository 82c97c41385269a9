/**
 * Turns errors of the driver and of MongoDB into errors of the port. Their messages may quote keys and whole documents,
 * so neither they nor the error objects leave the engine: only the name and code of the error, and its stack.
 */
import {
  MongoBulkWriteError,
  MongoClientClosedError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerClosedError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
  MongoWriteConcernError,
} from 'mongodb'
import { InvalidCursor } from '../../search/cursor.ts'
import { StoreConflict, StoreUnavailable } from '../store-errors.ts'

export const DUPLICATE_KEY = 11_000
const SNAPSHOT_TOO_OLD = 239
const DOCUMENT_TOO_LARGE = 10_334
/** ExceededMemoryLimit, which is 100 MB for the array of a `$push`. */
const ARRAY_TOO_LARGE = 146

/**
 * Error codes that mean "not now" rather than a fault of this program
 * (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml).
 */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...[6 /* HostUnreachable */, 7 /* HostNotFound */, 18 /* AuthenticationFailed */, 24 /* LockTimeout */],
  ...[50 /* MaxTimeMSExpired */, 64 /* WriteConcernTimeout */, 89 /* NetworkTimeout */, 91 /* ShutdownInProgress */],
  ...[100 /* UnsatisfiableWriteConcern */, 112 /* WriteConflict */, 134 /* ReadConcernMajorityNotAvailableYet */],
  ...[189 /* PrimarySteppedDown */, SNAPSHOT_TOO_OLD, 246 /* SnapshotUnavailable */],
  ...[251 /* NoSuchTransaction */, 262 /* ExceededTimeLimit */, 290 /* TransactionExceededLifetimeLimitSeconds */],
  ...[
    10_107 /* NotWritablePrimary */, 11_600 /* InterruptedAtShutdown */, 11_602 /* InterruptedDueToReplStateChange */,
  ],
  ...[13_435 /* NotPrimaryNoSecondaryOk */, 13_436 /* NotPrimaryOrSecondary */],
])

const OUT_OF_DISK_SPACE = 14_031
/** The code of Atlas for anything that it refuses; only the message mentions the quota. */
const ATLAS_ERROR = 8_000

const UNAVAILABLE_CLASSES = [
  MongoNetworkError,
  MongoServerSelectionError,
  MongoNotConnectedError,
  MongoServerClosedError,
  MongoTopologyClosedError,
  MongoClientClosedError,
  MongoOperationTimeoutError,
  MongoWriteConcernError,
]

/** @throws the error of the port for any error that `work` throws */
export async function served<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error)
  }
}

/**
 * Turns any error thrown inside the engine into the error of the port for it.
 * @param mayBeWritten true for a write of unknown outcome
 */
export function toStoreError(thrown: unknown, mayBeWritten = false): unknown {
  if (thrown instanceof StoreConflict || thrown instanceof StoreUnavailable || thrown instanceof InvalidCursor)
    return thrown
  const error = unwrapped(thrown)
  if (isSystemError(error))
    return new StoreUnavailable(`The database can't serve now (${error.code})`, { mayBeWritten })
  if (!(error instanceof MongoError))
    return mayBeWritten ? new StoreUnavailable('The connection to the database broke', { mayBeWritten }) : error
  if (isFull(error))
    return new StoreUnavailable(`The disk of the database is full (${named(error)})`, { reason: 'full' })
  if (isUnavailable(error))
    return new StoreUnavailable(`The database can't serve now (${named(error)})`, { mayBeWritten })
  return withoutData(error)
}

/** The error inside that of a bulk write, which wraps the one that prevented its sending. */
function unwrapped(error: unknown): unknown {
  const wrapped: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  return wrapped instanceof MongoError ? wrapped : error
}

const isFull = ({ code, message }: MongoError): boolean =>
  code === OUT_OF_DISK_SPACE || (code === ATLAS_ERROR && message.includes('space quota'))

function isUnavailable(error: MongoError): boolean {
  if (UNAVAILABLE_CLASSES.some((kind) => error instanceof kind)) return true
  if (error instanceof MongoBulkWriteError && error.result.getWriteConcernError() !== undefined) return true
  if (error.hasErrorLabel('RetryableWriteError') || isAborted(error) || isUnknownCommit(error)) return true
  // The connection pool is exhausted or closed; the driver does not export these classes.
  if (/^Mongo(WaitQueueTimeout|PoolCleared|PoolClosed)Error$/.test(error.name)) return true
  return error instanceof MongoServerError && UNAVAILABLE.has(error.code)
}

/** `MongoServerError 112 WriteConflict` */
function named(error: MongoError): string {
  const codeName: unknown = error instanceof MongoServerError ? error.errorResponse.codeName : undefined
  return [error.name, error.code, codeName].filter((part) => part !== undefined).join(' ')
}

function withoutData(error: MongoError): Error {
  const frames = (error.stack ?? '').replace(error.message, '').split('\n').slice(1)
  const safe = new Error(named(error))
  safe.name = error.name
  safe.stack = [`${safe.name}: ${safe.message}`, ...frames].join('\n')
  return safe
}

/**
 * True for socket errors, which the driver (7.8) does not wrap when a command is longer than the socket accepts at
 * once.
 */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

/** True when the server, or the connection to it, is lost, so no further command reaches it. */
export function isLost(thrown: unknown): boolean {
  const error = unwrapped(thrown)
  return error instanceof MongoNetworkError || error instanceof MongoServerSelectionError || isSystemError(error)
}

/**
 * True for an error after which an uncommitted transaction can be retried. Server selection has already waited long
 * enough.
 */
export function isTransient(thrown: unknown): boolean {
  const error = unwrapped(thrown)
  return isSystemError(error) || (isAborted(error) && !(error instanceof MongoServerSelectionError))
}

/** True when it is certain, even after a commit, that nothing was written. */
export const isAborted = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')

/**
 * True when it is unknown whether the commit was carried out; committing again finds out. Where a socket breaks during
 * a commit, the driver (7.8) may throw a TypeError, as it reads the labels of the socket's plain error.
 */
export const isUnknownCommit = (error: unknown): boolean =>
  !(error instanceof MongoError) || error.hasErrorLabel('UnknownTransactionCommitResult')

export const isDocumentTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DOCUMENT_TOO_LARGE

export const isArrayTooLarge = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === ARRAY_TOO_LARGE

export const isSnapshotTooOld = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === SNAPSHOT_TOO_OLD

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY
