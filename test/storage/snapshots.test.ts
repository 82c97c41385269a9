/** Snapshots end: by themselves after a while, and with their store. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { openMongoStore } from '../../src/storage/mongo/mongo-store.ts'
import type { ResourceStore, StoreSnapshot } from '../../src/storage/port.ts'
import { openSqliteStore } from '../../src/storage/sqlite/sqlite-store.ts'
import { SnapshotEnded } from '../../src/storage/store-errors.ts'
import { describeOnMongo, describeOnSqlite } from '../support/engine.ts'
import { newMongoUrl } from '../support/mongo-url.ts'
import { newFolder } from '../support/run.ts'
import { Clinic } from './fixtures.ts'

/** Milliseconds. */
const SHORT = 20

async function ended(snapshot: StoreSnapshot): Promise<unknown> {
  for (;;) {
    try {
      await snapshot.scanVersions({ clinic: 'c', limit: 1 })
    } catch (error) {
      return error
    }
    await sleep(SHORT)
  }
}

function describeEnds(open: (milliseconds?: number) => Promise<ResourceStore>): void {
  test('after its time, with an error that says so; the store goes on', async () => {
    const store = await open(SHORT)
    const clinic = new Clinic(store, 'c')
    await clinic.put('Patient/1')
    const snapshot = await store.snapshot()
    expect(await ended(snapshot)).toBeInstanceOf(SnapshotEnded)
    await clinic.put('Patient/1')
    await snapshot.close()
    await store.close()
  })

  test('with its store', async () => {
    const store = await open()
    await new Clinic(store, 'c').put('Patient/1')
    const snapshot = await store.snapshot()
    await store.close()
    expect(await ended(snapshot)).toBeInstanceOf(SnapshotEnded)
  })
}

describeOnSqlite('a snapshot of SQLite ends', () => {
  describeEnds((snapshot) =>
    openSqliteStore({
      path: `${newFolder()}/emr.db`,
      combined: [],
      ...(snapshot === undefined ? {} : { times: { snapshot } }),
    }),
  )
})

describeOnMongo('a snapshot of MongoDB ends', () => {
  describeEnds(async (snapshotMs) =>
    openMongoStore({
      url: await newMongoUrl(),
      combined: [],
      ...(snapshotMs === undefined ? {} : { snapshotMs }),
    }),
  )
})
