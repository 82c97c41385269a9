/** Drops: everything that a clinic has is deleted, a part at a time. */
import { describe, expect, test } from '@jest/globals'
import type { Condition } from '../../../src/search/plan.ts'
import { addresses, Clinic, date, inner, key, reference, string, token, words } from '../fixtures.ts'
import type { NewClinic, OpenStore } from './clinics.ts'
import { all } from './scanning.ts'

/** Resources of each kind of entry, in several versions, one deleted, with resources within them and dangling references. */
async function filled(clinic: Clinic): Promise<void> {
  const patient = (n: number) => [
    string('name', `Anna ${n}`),
    token('identifier', `${n}`, 'urn:ids'),
    key('match', `anna|${n}`),
    words('_text', 'anna of the north'),
  ]
  for (const n of [1, 2, 3]) await clinic.put(`Patient/${n}`, patient(n))
  await clinic.put('Appointment/1', [reference('patient', 'Patient/1'), date('date', 7)])
  await clinic.put('Appointment/2', [reference('patient', 'Patient/absent'), date('date', 8)])
  await clinic.put(
    'MedicationRequest/1',
    inner('medication', '#Medication', 'MedicationRequest/1#m', [token('code', 'x')]),
  )
  await clinic.put('Patient/1', patient(1))
  await clinic.delete('Patient/3')
  for (const name of ['1', '2']) await clinic.record('call', name, name, { due: 5 })
  await clinic.record('settings', 'all', { a: 1 })
}

const anna: Condition = { kind: 'string', param: 'name', match: 'prefix', value: 'anna' }
const byPatient: Condition = { kind: 'reference', param: 'patient', type: 'Patient', id: '1' }
const contained: Condition = { kind: 'token', param: 'code', code: 'x' }
const ofAnna: Condition = { kind: 'chain', param: 'patient', types: ['Patient'], where: anna }

/** Everything that is read and found. */
async function shownOf(clinic: Clinic) {
  const { store, name } = clinic
  const scan = { clinic: name, limit: 100 }
  return {
    patients: await clinic.find('Patient', [anna]),
    appointments: await clinic.find('Appointment', [byPatient]),
    chained: await clinic.find('Appointment', [ofAnna]),
    contained: await clinic.find('#Medication', [contained]),
    words: await clinic.find('Patient', [{ kind: 'words', param: '_text', match: 'equal', value: 'north' }]),
    missing: await clinic.find('Patient', [{ kind: 'missing', param: 'name', missing: true }]),
    total: (await clinic.search('Patient', { count: 0, total: 'accurate' })).total,
    keys: addresses(
      (await store.findByKeys({ clinic: name, type: 'Patient', param: 'match', beginnings: ['anna|'], most: 9 }))
        .resources,
    ).toSorted(),
    values: (await store.values({ clinic: name, kind: 'token', param: 'identifier', limit: 9 })).length,
    versions: (await all((after) => store.scanVersions({ ...scan, ...after }))).length,
    records: (await all((after) => store.scanRecords({ ...scan, ...after }))).length,
    isListed: (await store.clinics()).includes(name),
  }
}

/** @returns how many calls it took */
async function dropAll({ store, name }: Clinic, limit: number, kinds?: readonly string[]): Promise<number> {
  for (let calls = 1; calls < 1_000; calls += 1) {
    if (await store.drop(name, { limit, ...(kinds === undefined ? {} : { kinds }) })) return calls
  }
  throw new Error('A drop never ended')
}

export function describeDropping(newClinic: NewClinic, open: OpenStore): void {
  describe('a drop', () => {
    test.each([1, 3, 1_000])('leaves nothing of the clinic that can be read or found, %d at a time', async (limit) => {
      const [gone, empty] = [newClinic(), newClinic()]
      const nothing = await shownOf(empty)
      await filled(gone)
      expect((await shownOf(gone)).patients).toEqual(['Patient/1', 'Patient/2'])
      expect(await dropAll(gone, limit)).toBeGreaterThanOrEqual(8 / limit)
      expect(await shownOf(gone)).toEqual(nothing)
      expect(await gone.read('Patient/1')).toBeUndefined()
      expect(await gone.store.readVersion(gone.name, 'Patient', '1', 1)).toBeUndefined()
      expect(await gone.store.readRecord(gone.name, 'settings', 'all')).toBeUndefined()
      expect(await gone.store.records({ kind: 'call', dueBefore: 9, limit: 100 })).not.toContainEqual(
        expect.objectContaining({ clinic: gone.name }),
      )
      expect(await gone.history()).toEqual({ versions: [], total: 0 })
    })

    test('leaves other clinics as they were, with the same ids and values', async () => {
      const [gone, other] = [newClinic(), newClinic()]
      await filled(other)
      await filled(gone)
      const before = await shownOf(other)
      await dropAll(gone, 2)
      expect(await shownOf(other)).toEqual(before)
      await filled(gone)
      expect(await shownOf(other)).toEqual(before)
    })

    test('deletes records of the named kinds only, and resources all the same', async () => {
      const clinic = newClinic()
      await filled(clinic)
      await dropAll(clinic, 2, ['call'])
      expect(await shownOf(clinic)).toMatchObject({ versions: 0, records: 1, isListed: true })
      expect((await clinic.store.readRecord(clinic.name, 'settings', 'all'))?.value).toEqual({ a: 1 })
    })

    test('makes room for a clinic of the same name, which is as new', async () => {
      const [clinic, fresh] = [newClinic(), newClinic()]
      await filled(fresh)
      await filled(clinic)
      await clinic.put('Patient/4', [string('name', 'Anna 4')])
      await dropAll(clinic, 3)
      await filled(clinic)
      expect(await shownOf(clinic)).toEqual(await shownOf(fresh))
      expect((await clinic.read('Patient/1'))?.version).toBe(2)
    })

    test('of nothing is done at once', async () => {
      expect(await dropAll(newClinic(), 1)).toBe(1)
    })

    test('shows in the records that are remembered', async () => {
      const clinic = newClinic()
      await clinic.record('settings', 'all', 1)
      expect((await clinic.store.readRecent(clinic.name, 'settings', 'all'))?.value).toBe(1)
      await dropAll(clinic, 10)
      expect(await clinic.store.readRecent(clinic.name, 'settings', 'all')).toBeUndefined()
    })

    test('leaves an empty store when it was the only clinic', async () => {
      const { store, close } = await open()
      const only = new Clinic(store, 'only')
      await filled(only)
      expect(await store.isEmpty()).toBe(false)
      await dropAll(only, 5)
      expect(await store.isEmpty()).toBe(true)
      await close()
    })
  })
}
