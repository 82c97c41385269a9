/** Scans: everything that a clinic has, for copies. */
import { describe, expect, test } from '@jest/globals'
import { InvalidCursor } from '../../../src/search/cursor.ts'
import type { ScannedVersion, ScanPage, StoredRecord, VersionScan } from '../../../src/storage/port.ts'
import { type Clinic, token } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

/** Everything over all pages. */
export async function all<Item>(
  page: (after: { readonly after?: string }) => Promise<ScanPage<Item>>,
): Promise<Item[]> {
  const found: Item[] = []
  for (let after: { readonly after?: string } | undefined = {}; after !== undefined; ) {
    const { items, next } = await page(after)
    found.push(...items)
    after = next === undefined ? undefined : { after: next }
  }
  return found
}

const versionsOf = ({ store, name }: Clinic, limit = 2, since?: number): Promise<ScannedVersion[]> =>
  all((after) => store.scanVersions({ clinic: name, limit, ...after, ...(since === undefined ? {} : { since }) }))

const recordsOf = ({ store, name }: Clinic, limit = 2): Promise<StoredRecord[]> =>
  all((after) => store.scanRecords({ clinic: name, limit, ...after }))

const shown = (versions: readonly ScannedVersion[]) =>
  versions.map(({ type, id, version, isCurrent }) => `${type}/${id}|${version}${isCurrent ? ' current' : ''}`)

export function describeScanning(newClinic: NewClinic): void {
  describe('scans', () => {
    async function filled(): Promise<Clinic> {
      const clinic = newClinic()
      await clinic.put('Patient/1', [token('identifier', 'a')])
      await clinic.put('Slot/1')
      await clinic.put('Patient/1')
      await clinic.delete('Slot/1')
      await clinic.put('Patient/2')
      return clinic
    }

    const EVERY_VERSION = ['Patient/1|1', 'Slot/1|1', 'Patient/1|2 current', 'Slot/1|2 current', 'Patient/2|1 current']

    test.each([1, 2, 4, 5, 100])(
      'give every version once, oldest first, deletions included, %p at a time',
      async (limit) => {
        const clinic = await filled()
        expect(shown(await versionsOf(clinic, limit))).toEqual(EVERY_VERSION)
        const { items } = await clinic.store.scanVersions({ clinic: clinic.name, limit })
        expect(items).toHaveLength(Math.min(limit, EVERY_VERSION.length))
      },
    )

    test('give versions as they are stored', async () => {
      const clinic = await filled()
      for (const { isCurrent, ...version } of await versionsOf(clinic)) {
        const { type, id, version: number } = version
        expect(await clinic.store.readVersion(clinic.name, type, id, number)).toEqual(version)
        expect((await clinic.read(`${type}/${id}`))?.version === number).toBe(isCurrent)
      }
    })

    test('give the versions of one millisecond in their order', async () => {
      const clinic = newClinic()
      for (const expected of [0, 1, 2]) {
        await clinic.write(clinic.change('Patient/1', [], { expect: expected, lastUpdated: 5 }))
        await clinic.write(clinic.change(`Patient/x${expected}`, [], { lastUpdated: 5 }))
      }
      const own = (await versionsOf(clinic)).filter(({ id }) => id === '1')
      expect(own.map(({ version }) => version)).toEqual([1, 2, 3])
    })

    test('go on with what was written after the page before', async () => {
      const clinic = await filled()
      const { next = '' } = await clinic.store.scanVersions({ clinic: clinic.name, limit: 4 })
      await clinic.put('Patient/3')
      const { items } = await clinic.store.scanVersions({ clinic: clinic.name, limit: 9, after: next })
      expect(shown(items)).toEqual(['Patient/2|1 current', 'Patient/3|1 current'])
    })

    test('begin at a time', async () => {
      const clinic = await filled()
      const since = (await versionsOf(clinic)).at(3)?.lastUpdated
      expect(shown(await versionsOf(clinic, 1, since))).toEqual(EVERY_VERSION.slice(3))
    })

    test.each([1, 2, 100])('give the versions of a type, or current ones only, %d at a time', async (limit) => {
      const clinic = await filled()
      const scanned = async (only: Pick<VersionScan, 'type' | 'isCurrent'>) =>
        shown(await all((after) => clinic.store.scanVersions({ clinic: clinic.name, limit, ...only, ...after })))
      const patients = ['Patient/1|1', 'Patient/1|2 current', 'Patient/2|1 current']
      expect(await scanned({ type: 'Patient' })).toEqual(patients)
      expect(await scanned({ isCurrent: true })).toEqual(EVERY_VERSION.slice(2))
      expect(await scanned({ type: 'Patient', isCurrent: true })).toEqual(patients.slice(1))
      expect(await scanned({ type: 'Slot', isCurrent: true })).toEqual(['Slot/1|2 current'])
      expect(await scanned({ type: 'Device' })).toEqual([])
    })

    test('give every record once, by kind and key in the order of their bytes', async () => {
      const clinic = newClinic()
      // In UTF-16, which JavaScript compares, the last two would change places.
      const keys = ['', '10', '2', 'ä', '\uFFFD', '\u{1F600}']
      for (const key of keys.toReversed()) await clinic.record('b', key, { key }, { due: 7 })
      await clinic.record('a', 'x', null)
      await clinic.record('c', 'x', [1])
      await clinic.record('b', '2', 'again')
      const found = await recordsOf(clinic)
      expect(found.map(({ kind, key }) => [kind, key])).toEqual([
        ['a', 'x'],
        ...keys.map((key) => ['b', key]),
        ['c', 'x'],
      ])
      for (const record of found) {
        expect(await clinic.store.readRecord(clinic.name, record.kind, record.key)).toEqual(record)
      }
    })

    test('have nothing of another clinic, and refuse its cursors', async () => {
      const [one, other] = [await filled(), newClinic()]
      await one.record('call', '1', 1)
      await one.record('call', '2', 1)
      expect([await versionsOf(other), await recordsOf(other)]).toEqual([[], []])
      const { next: after = '' } = await one.store.scanVersions({ clinic: one.name, limit: 1 })
      await expect(other.store.scanVersions({ clinic: other.name, limit: 1, after })).rejects.toBeInstanceOf(
        InvalidCursor,
      )
      const { next: typeAfter = '' } = await one.store.scanVersions({ clinic: one.name, type: 'Patient', limit: 1 })
      await expect(
        one.store.scanVersions({ clinic: one.name, type: 'Slot', limit: 1, after: typeAfter }),
      ).rejects.toBeInstanceOf(InvalidCursor)
      const { next: recordsAfter = '' } = await one.store.scanRecords({ clinic: one.name, limit: 1 })
      await expect(
        other.store.scanRecords({ clinic: other.name, limit: 1, after: recordsAfter }),
      ).rejects.toBeInstanceOf(InvalidCursor)
    })

    test('know every clinic that has a resource or a record, and no other', async () => {
      const [resources, records, gone] = [await filled(), newClinic(), newClinic()]
      await records.record('call', '1', 1)
      await gone.record('call', '1', 1)
      await gone.record('call', '1', undefined)
      const found = await gone.store.clinics()
      expect(found).toEqual(expect.arrayContaining([resources.name, records.name]))
      expect(found).not.toContain(gone.name)
      const bytes = (name: string) => Buffer.from(name)
      expect(found).toEqual(found.toSorted((one, other) => Buffer.compare(bytes(one), bytes(other))))
    })
  })

  describe('a record that is copied', () => {
    test('has the version it had', async () => {
      const clinic = newClinic()
      await clinic.record('call', '1', 'a', { version: 7, expect: 0 })
      expect((await clinic.store.readRecord(clinic.name, 'call', '1'))?.version).toBe(7)
      await clinic.record('call', '1', 'b', { version: 3, expect: 7 })
      expect((await clinic.store.readRecord(clinic.name, 'call', '1'))?.version).toBe(3)
      await clinic.record('call', '1', 'c')
      expect((await clinic.store.readRecord(clinic.name, 'call', '1'))?.version).toBe(4)
    })
  })
}
