/** Snapshots: everything that a store had at one moment, for copies of what is written meanwhile. */
import { describe, expect, test } from '@jest/globals'
import { InvalidCursor } from '../../../src/search/cursor.ts'
import type { StoreSnapshot } from '../../../src/storage/port.ts'
import { SnapshotEnded } from '../../../src/storage/store-errors.ts'
import { type Clinic, token } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'
import { all } from './scanning.ts'

const versionsOf = async (store: Pick<StoreSnapshot, 'scanVersions'>, { name }: Clinic, limit = 2) =>
  await all((after) => store.scanVersions({ clinic: name, limit, ...after }))

const recordsOf = async (store: Pick<StoreSnapshot, 'scanRecords'>, { name }: Clinic) =>
  await all((after) => store.scanRecords({ clinic: name, limit: 2, ...after }))

export function describeSnapshots(newClinic: NewClinic): void {
  describe('a snapshot', () => {
    async function filled(): Promise<Clinic> {
      const clinic = newClinic()
      for (const n of [1, 2, 3, 4, 5]) await clinic.put(`Patient/${n}`, [token('identifier', 'a')])
      await clinic.put('Patient/1')
      await clinic.delete('Patient/2')
      for (const key of ['1', '2', '3']) await clinic.record('call', key, { key })
      return clinic
    }

    async function change(clinic: Clinic): Promise<void> {
      await clinic.put('Patient/1')
      await clinic.put('Patient/9')
      await clinic.delete('Patient/3')
      await clinic.record('call', '1', 'changed')
      await clinic.record('call', '2', undefined)
      await clinic.record('call', '9', 'new')
    }

    test('has what there was, current versions as they were then, however much is written afterwards', async () => {
      const clinic = await filled()
      const [versions, records] = [await versionsOf(clinic.store, clinic), await recordsOf(clinic.store, clinic)]
      const snapshot = await clinic.store.snapshot()
      await change(clinic)
      expect(await versionsOf(snapshot, clinic)).toEqual(versions)
      expect(await recordsOf(snapshot, clinic)).toEqual(records)
      await snapshot.close()
      expect(await versionsOf(clinic.store, clinic)).toHaveLength(versions.length + 3)
    })

    test('stays the same between two pages', async () => {
      const clinic = await filled()
      const versions = await versionsOf(clinic.store, clinic)
      const snapshot = await clinic.store.snapshot()
      const { items, next = '' } = await snapshot.scanVersions({ clinic: clinic.name, limit: 3 })
      await change(clinic)
      const rest = await snapshot.scanVersions({ clinic: clinic.name, limit: 100, after: next })
      expect([...items, ...rest.items]).toEqual(versions)
      await snapshot.close()
    })

    test('has what was dropped after it', async () => {
      const clinic = await filled()
      const versions = await versionsOf(clinic.store, clinic)
      const snapshot = await clinic.store.snapshot()
      while (!(await clinic.store.drop(clinic.name, { limit: 100 })));
      expect(await versionsOf(snapshot, clinic)).toEqual(versions)
      expect(await recordsOf(snapshot, clinic)).toHaveLength(3)
      await snapshot.close()
    })

    test('is one of several, each of its own moment', async () => {
      const clinic = await filled()
      const first = await clinic.store.snapshot()
      await change(clinic)
      const second = await clinic.store.snapshot()
      await change(clinic)
      const current = async (store: Pick<StoreSnapshot, 'scanVersions'>) =>
        (await versionsOf(store, clinic)).filter(({ id, isCurrent }) => id === '1' && isCurrent)
      const found = await Promise.all([first, second, clinic.store].map(current))
      expect(found.flat().map(({ version }) => version)).toEqual([2, 3, 4])
      await first.close()
      expect(await current(second)).toHaveLength(1)
      await second.close()
    })

    test('has each clinic for itself, and refuses the cursor of another one', async () => {
      const [one, other] = [await filled(), newClinic()]
      const snapshot = await one.store.snapshot()
      expect([await versionsOf(snapshot, other), await recordsOf(snapshot, other)]).toEqual([[], []])
      const { next: after = '' } = await snapshot.scanVersions({ clinic: one.name, limit: 1 })
      await expect(snapshot.scanVersions({ clinic: other.name, limit: 1, after })).rejects.toBeInstanceOf(InvalidCursor)
      await snapshot.close()
    })

    test('that is closed says so, and can be closed again', async () => {
      const clinic = await filled()
      const snapshot = await clinic.store.snapshot()
      await snapshot.close()
      await snapshot.close()
      await expect(versionsOf(snapshot, clinic)).rejects.toBeInstanceOf(SnapshotEnded)
      await expect(recordsOf(snapshot, clinic)).rejects.toBeInstanceOf(SnapshotEnded)
    })
  })
}
