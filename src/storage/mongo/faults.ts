/** Faults of the driver and the server in the port's words. */
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
  ...[13_435 /* NotPrimaryNoSecondaryOk */, 13_436 /* NotPrimaryOrSecondary */, 14_031 /* OutOfDiskSpace */],
])

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

/** What a caller of the port is told for anything thrown inside the engine. */
export function toStoreError(thrown: unknown): unknown {
  const error = unwrapped(thrown)
  if (error instanceof StoreConflict || error instanceof StoreUnavailable || error instanceof InvalidCursor)
    return error
  if (!isUnavailable(error)) return error
  return new StoreUnavailable(`The database can't serve now (${error.name}: ${error.message})`, { cause: error })
}

/** A bulk write wraps whatever kept it from being sent. */
function unwrapped(error: unknown): unknown {
  const wrapped: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : undefined
  return wrapped instanceof MongoError ? wrapped : error
}

function isUnavailable(error: unknown): error is MongoError {
  if (!(error instanceof MongoError)) return false
  if (UNAVAILABLE_CLASSES.some((kind) => error instanceof kind)) return true
  if (error.hasErrorLabel('RetryableWriteError') || isTransient(error)) return true
  // The pool is exhausted, or was closed: the driver does not export these classes.
  if (/^Mongo(WaitQueueTimeout|PoolCleared|PoolClosed)Error$/.test(error.name)) return true
  return error instanceof MongoServerError && UNAVAILABLE.has(error.code)
}

/** A transaction that met this can be tried again as a whole. */
export const isTransient = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')

/** Whether the commit that met this was carried out is unknown; committing again finds out. */
export const isUnknownCommit = (error: unknown): boolean =>
  error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult')

export const isDuplicateKey = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === DUPLICATE_KEY
