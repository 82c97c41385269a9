/** Errors of MongoDB that no mongod can be told to have, as the port knows them. */
import { expect, test } from '@jest/globals'
import { MongoServerError } from 'mongodb'
import { toStoreError } from '../../src/storage/mongo/faults.ts'
import { StoreUnavailable } from '../../src/storage/store-errors.ts'

/** Atlas has one code for everything that it refuses. */
const refusedByAtlas = (message: string) =>
  new MongoServerError({ message, code: 8000, codeName: 'AtlasError', errorLabels: [] })

test('a cluster of Atlas whose space quota is used up is a full disk', () => {
  const error = toStoreError(refusedByAtlas('you are over your space quota, using 514 MB of 512 MB'))
  expect(error).toBeInstanceOf(StoreUnavailable)
  expect(error).toMatchObject({ reason: 'full', mayBeWritten: false })
})

test('anything else that Atlas refuses is no full disk, and its message stays inside', () => {
  const error = toStoreError(refusedByAtlas('user is not allowed to do action [insert] on [emr.resources]'))
  expect(error).not.toBeInstanceOf(StoreUnavailable)
  expect(String(error)).toBe('MongoServerError: MongoServerError 8000 AtlasError')
})
