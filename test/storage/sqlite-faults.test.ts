/**
 * The errors that the SQLite engine throws for result codes (https://sqlite.org/rescode.html). Full disks: test/faults.
 */
import { expect, test } from '@jest/globals'
import { toStoreError } from '../../src/storage/sqlite/faults.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'

const failed = (errcode: number): unknown =>
  Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode })

test.each<[string, number, Partial<StoreUnavailable>]>([
  ['SQLITE_FULL', 13, { reason: 'full', mayBeWritten: false }],
  ['SQLITE_IOERR_SHMSIZE, which a full disk is too', 4_874, { reason: 'full', mayBeWritten: false }],
  ['SQLITE_IOERR_WRITE', 778, { reason: 'away', mayBeWritten: false }],
  ['SQLITE_IOERR_FSYNC, after which it is unknown what is on the disk', 1_034, { reason: 'away', mayBeWritten: true }],
  ['SQLITE_BUSY_SNAPSHOT', 517, { reason: 'away', mayBeWritten: false }],
])('%s is no fault of the program', (_name, code, expected) => {
  expect(toStoreError(failed(code))).toBeInstanceOf(StoreUnavailable)
  expect(toStoreError(failed(code))).toMatchObject({
    ...expected,
    message: expect.stringContaining(`SQLite result ${code}`),
  })
})

test('a constraint that does not hold is a fault of the program, and stays what it is', () => {
  const error = failed(19)
  expect(toStoreError(error)).toBe(error)
})
