/**
 * Faults of the driver and the server in the port's words. What the driver says may quote keys and whole documents, so
 * neither its messages nor its errors leave the engine: only which error it was, and where.
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
import { InvalidCursor, StoreConflict, StoreUnavailable } from '../port.ts'

export const DUPLICATE_KEY = 11_000

/**
 * Server codes that say "not now" rather than "wrong program"
 * (https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml).
 */
const UNAVAILABLE: ReadonlySet<unknown> = new Set([
  ...[6 /* HostUnreachable */, 7 /* HostNotFound */, 18 /* AuthenticationFailed */, 24 /* LockTimeout */],
  ...[50 /* MaxTimeMSExpired */, 64 /* WriteConcernTimeout */, 89 /* NetworkTimeout */, 91 /* ShutdownInProgress */],
  ...[100 /* UnsatisfiableWriteConcern */, 112 /* WriteConflict */, 134 /* ReadConcernMajorityNotAvailableYet */],
  ...[189 /* PrimarySteppedDown */, 239 /* SnapshotTooOld */, 246 /* SnapshotUnavailable */],
  ...[251 /* NoSuchTransaction */, 262 /* ExceededTimeLimit */, 290 /* TransactionExceededLifetimeLimitSeconds */],
  ...[
    10_107 /* NotWritablePrimary */, 11_600 /* InterruptedAtShutdown */, 11_602 /* InterruptedDueToReplStateChange */,
  ],
  ...[13_435 /* NotPrimaryNoSecondaryOk */, 13_436 /* NotPrimaryOrSecondary */],
])

const OUT_OF_DISK_SPACE = 14_031
/** Of Atlas, for whatever it refuses; the quota is told by the message only. */
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

/**
 * What a caller of the port is told for anything thrown inside the engine.
 * @param mayBeWritten for a write of which nobody knows whether it was carried out
 */
export function toStoreError(thrown: unknown, mayBeWritten = false): unknown {
  if (thrown instanceof StoreConflict || thrown instanceof StoreUnavailable || thrown instanceof InvalidCursor)
    return thrown
  const error = unwrapped(thrown)
  if (isSystemError(error))
    return new StoreUnavailable(`The database can't serve now (${error.code})`, { mayBeWritten })
  if (!(error instanceof MongoError)) return error
  if (isFull(error))
    return new StoreUnavailable(`The disk of the database is full (${named(error)})`, { reason: 'full' })
  if (isUnavailable(error))
    return new StoreUnavailable(`The database can't serve now (${named(error)})`, { mayBeWritten })
  return withoutData(error)
}

/** A bulk write wraps whatever kept it from being sent. */
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
  // The pool is exhausted, or was closed: the driver does not export these classes.
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

/** The driver (7.8) lets errors of a socket through as they are where a command is longer than the socket takes at once. */
const isSystemError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error

/** The server, or the way to it, is lost: it can't be told anything either. */
export function isLost(thrown: unknown): boolean {
  const error = unwrapped(thrown)
  return error instanceof MongoNetworkError || error instanceof MongoServerSelectionError || isSystemError(error)
}

/** A transaction that met this before its commit can be tried again. To wait longer for a server is of no use. */
export function isTransient(thrown: unknown): boolean {
  const error = unwrapped(thrown)
  return isSystemError(error) || (isAborted(error) && !(error instanceof MongoServerSelectionError))
}

/** At a commit this says for sure that nothing was written. */
export const isAborted = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')

/** Whether the commit that met this was carried out is unknown; committing again finds out. */
export const isUnknownCommit = (error: unknown): boolean =>
  isSystemError(error) || (error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult'))

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY
