/** History of an instance, a type and a clinic. */
import { describe, expect, test } from '@jest/globals'
import { InvalidCursor } from '../../../src/search/cursor.ts'
import type { HistoryQuery, ListedVersion, StoredResource } from '../../../src/storage/port.ts'
import type { Clinic } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

const versions = (page: { readonly versions: readonly StoredResource[] }) =>
  page.versions.map(({ type, id, version, method }) => `${type}/${id}/${version} ${method}`)

/** Five versions, at 10, 20, … 50 ms. */
async function filled(clinic: Clinic): Promise<Clinic> {
  await clinic.put('Patient/1', [], { lastUpdated: 10 })
  await clinic.put('Slot/1', [], { lastUpdated: 20 })
  await clinic.put('Patient/1', [], { lastUpdated: 30 })
  await clinic.put('Patient/2', [], { lastUpdated: 40, method: 'PUT' })
  await clinic.put('Patient/1', [], { lastUpdated: 50, method: 'DELETE' })
  return clinic
}

const ALL = ['Patient/1/3 DELETE', 'Patient/2/1 PUT', 'Patient/1/2 PUT', 'Slot/1/1 POST', 'Patient/1/1 POST']
const rows = (...indices: readonly number[]) => indices.map((index) => ALL[index])

export function describeHistory(newClinic: NewClinic): void {
  describe('history, newest first', () => {
    test.each([
      ['of a clinic has every version, deletions included', {}, [0, 1, 2, 3, 4]],
      ['of a type', { type: 'Patient' }, [0, 1, 2, 4]],
      ['of a resource', { type: 'Patient', id: '1' }, [0, 2, 4]],
      ['of a resource that never was', { type: 'Patient', id: '3' }, []],
      ['of a type that never was', { type: 'Group' }, []],
      ['since a time, that time included', { since: 30 }, [0, 1, 2]],
      ['since a time, of a resource', { type: 'Patient', id: '1', since: 31 }, [0]],
      ['at an instant: what was current then', { at: { from: 35, to: 35 } }, [2, 3]],
      ['at an instant when a version was written: that version', { type: 'Patient', at: { from: 30, to: 30 } }, [2]],
      ['at a time span: everything that was current within it', { at: { from: 25, to: 40 } }, [1, 2, 3, 4]],
      ['before anything was written', { at: { from: 1, to: 9 } }, []],
      [
        'at a time after a deletion: the deletion is what is current',
        { type: 'Patient', id: '1', at: { from: 60, to: 70 } },
        [0],
      ],
    ])('%s', async (_, query, expected) => {
      const clinic = await filled(newClinic())
      const page = await clinic.history(query)
      expect(versions(page)).toEqual(rows(...expected))
      expect(page.total).toBe(expected.length)
      expect(page.next).toBeUndefined()
    })

    test.each<[string, Partial<HistoryQuery>, readonly ListedVersion[], readonly number[]]>([
      ['all versions of a resource', {}, [{ type: 'Patient', id: '1' }], [0, 2, 4]],
      ['one version of it', {}, [{ type: 'Patient', id: '1', version: 2 }], [2]],
      [
        'one version, and all',
        {},
        [
          { type: 'Patient', id: '1', version: 2 },
          { type: 'Patient', id: '1' },
        ],
        [0, 2, 4],
      ],
      [
        'resources of several types',
        {},
        [
          { type: 'Slot', id: '1' },
          { type: 'Patient', id: '2' },
        ],
        [1, 3],
      ],
      [
        'no type with the id of another one',
        {},
        [
          { type: 'Slot', id: '2' },
          { type: 'Patient', id: '2', version: 2 },
        ],
        [],
      ],
      [
        'within a type',
        { type: 'Patient' },
        [
          { type: 'Slot', id: '1' },
          { type: 'Patient', id: '2' },
        ],
        [1],
      ],
      ['within a resource', { type: 'Patient', id: '1' }, [{ type: 'Patient', id: '2' }], []],
      ['since a time', { since: 30 }, [{ type: 'Patient', id: '1' }], [0, 2]],
      [
        'at a time',
        { at: { from: 35, to: 35 } },
        [
          { type: 'Patient', id: '1' },
          { type: 'Slot', id: '1' },
        ],
        [2, 3],
      ],
      [
        'nothing of what never was',
        {},
        [
          { type: 'Group', id: '1' },
          { type: 'Patient', id: '9' },
        ],
        [],
      ],
      ['nothing of an empty list', {}, [], []],
    ])('among listed ones: %s', async (_, query, listed, expected) => {
      const clinic = await filled(newClinic())
      await filled(newClinic())
      const page = await clinic.history({ ...query, among: { name: 'List/1', versions: listed } })
      expect(versions(page)).toEqual(rows(...expected))
      expect(page.total).toBe(expected.length)
    })

    test('among listed ones goes on from page to page, though the list changes, and not with another list', async () => {
      const clinic = await filled(newClinic())
      const all = [{ type: 'Patient', id: '1' }]
      const { next: after = '' } = await clinic.history({ count: 1, among: { name: 'List/1', versions: all } })
      const more = [...all, { type: 'Slot', id: '1' }]
      const page = await clinic.history({ count: 9, after, among: { name: 'List/1', versions: more } })
      expect(versions(page)).toEqual(rows(2, 3, 4))
      const other = clinic.history({ after, among: { name: 'List/2', versions: all } })
      await expect(other).rejects.toBeInstanceOf(InvalidCursor)
    })

    test('is in version order even where versions were written in the same millisecond', async () => {
      const clinic = newClinic()
      for (let version = 0; version < 4; version += 1) await clinic.put('Patient/1', [], { lastUpdated: 5 })
      const page = await clinic.history({ type: 'Patient' })
      expect(page.versions.map(({ version }) => version)).toEqual([4, 3, 2, 1])
    })

    test('pages neither repeat nor lose a version, though more is written between them', async () => {
      const clinic = await filled(newClinic())
      const found: string[] = []
      let page = await clinic.history({ count: 2 })
      for (let number = 0; ; number += 1) {
        expect(page.total).toBe(5 + number)
        found.push(...versions(page))
        if (page.next === undefined) break
        await clinic.put(`Patient/later-${number}`)
        page = await clinic.history({ count: 2, after: page.next })
      }
      expect(found).toEqual(ALL)
    })

    test('with a count of 0 is the total alone', async () => {
      const page = await (await filled(newClinic())).history({ count: 0 })
      expect(page).toEqual({ versions: [], total: 5 })
    })

    test.each([
      ['of another query', { type: 'Patient', count: 1 }, (cursor: string) => cursor],
      ['that is cut short', { count: 1 }, (cursor: string) => cursor.slice(0, -4)],
      ['that is not ours', { count: 1 }, () => 'bm9uZQ'],
    ])('refuses a cursor %s', async (_, query, tamper) => {
      const clinic = await filled(newClinic())
      const { next = '' } = await clinic.history({ count: 1 })
      await expect(clinic.history({ ...query, after: tamper(next) })).rejects.toBeInstanceOf(InvalidCursor)
    })
  })
}
