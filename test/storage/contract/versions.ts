/** Reading, versions, optimistic locking, deletion. */
import { randomBytes } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { StoreConflict } from '../../../src/storage/store-errors.ts'
import type { NewClinic } from './clinics.ts'

export function describeVersions(newClinic: NewClinic): void {
  describe('versions', () => {
    test('a resource is read as the exact text that was written', async () => {
      const clinic = newClinic()
      const text = '{"resourceType":"Patient", "decimal": 1.00, "text": "Ärztin \u{1F600} \\u0041"}'
      const change = clinic.change('Patient/1', [], { text })
      await clinic.write(change)
      const { type, id, version, lastUpdated, method } = change
      expect(await clinic.read('Patient/1')).toEqual({ type, id, version, lastUpdated, method, text })
    })

    test('a text of a megabyte comes back whole', async () => {
      const clinic = newClinic()
      const text = JSON.stringify({ resourceType: 'Binary', data: 'A'.repeat(1_000_000) })
      await clinic.write(clinic.change('Binary/1', [], { text }))
      expect((await clinic.read('Binary/1'))?.text).toBe(text)
    })

    test('a text of sixteen megabytes that can hardly be packed comes back whole', async () => {
      const clinic = newClinic()
      const text = JSON.stringify({
        resourceType: 'Binary',
        data: randomBytes(12 * 1024 * 1024 - 1024).toString('base64'),
      })
      await clinic.write(clinic.change('Binary/1', [], { text }))
      // No toBe: a difference would be printed.
      expect((await clinic.read('Binary/1'))?.text === text).toBe(true)
    })

    test('what was never written, or is of another type or id, is undefined', async () => {
      const clinic = newClinic()
      expect(await clinic.read('Patient/1')).toBeUndefined()
      await clinic.put('Patient/1')
      expect(await clinic.read('Patient/2')).toBeUndefined()
      expect(await clinic.read('Practitioner/1')).toBeUndefined()
      expect(await clinic.store.readVersion(clinic.name, 'Patient', '2', 1)).toBeUndefined()
    })

    test('an id differs from the same id in other case', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/a')
      expect(await clinic.read('Patient/A')).toBeUndefined()
    })

    test('every version stays readable, the last one is current', async () => {
      const clinic = newClinic()
      for (let version = 1; version <= 3; version += 1) await clinic.put('Patient/1')
      const versions = [1, 2, 3, 4, 0].map((version) => clinic.store.readVersion(clinic.name, 'Patient', '1', version))
      const found = await Promise.all(versions)
      expect(found.map((one) => one?.version)).toEqual([1, 2, 3, undefined, undefined])
      expect(found[1]?.text).toContain('"version":2')
      expect((await clinic.read('Patient/1'))?.version).toBe(3)
    })

    test('a deletion is a version of its own, and the resource can be written again', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1')
      await clinic.delete('Patient/1')
      expect(await clinic.read('Patient/1')).toMatchObject({ version: 2, method: 'DELETE', text: '' })
      expect(await clinic.store.readVersion(clinic.name, 'Patient', '1', 1)).toMatchObject({ method: 'POST' })
      await clinic.put('Patient/1')
      expect(await clinic.read('Patient/1')).toMatchObject({ version: 3, method: 'PUT' })
      expect(await clinic.find('Patient', [])).toEqual(['Patient/1'])
    })

    test.each([
      ['created twice', [0], 0],
      ['updated from an old version', [0, 1], 1],
      ['updated from a version that is not written yet', [0], 2],
      ['updated before it exists', [], 1],
    ])('a resource that is %s is a conflict that names it, and stays as it was', async (_, before, expected) => {
      const clinic = newClinic()
      for (const version of before) await clinic.write(clinic.change('Patient/1', [], { expect: version }))
      const current = await clinic.read('Patient/1')
      const refused = clinic.write(clinic.change('Patient/1', [], { expect: expected }))
      await expect(refused).rejects.toMatchObject({ on: 'version', subject: 'Patient/1' })
      await expect(refused).rejects.toBeInstanceOf(StoreConflict)
      expect(await clinic.read('Patient/1')).toEqual(current)
    })

    test('a resource that only was referenced so far was never written', async () => {
      const clinic = newClinic()
      await clinic.put('Appointment/1', [{ kind: 'reference', param: 'patient', type: 'Patient', id: '1' }])
      expect(await clinic.read('Patient/1')).toBeUndefined()
      expect(await clinic.find('Patient', [])).toEqual([])
      expect(await clinic.history({ type: 'Patient' })).toMatchObject({ versions: [], total: 0 })
      await clinic.write(clinic.change('Patient/1', [], { expect: 0 }))
      expect((await clinic.read('Patient/1'))?.version).toBe(1)
    })
  })
}
