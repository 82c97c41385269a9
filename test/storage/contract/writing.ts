/** Change sets: all or none, in one serial order, with guards. */
import { describe, expect, test } from '@jest/globals'
import { StoreConflict, StoreUnavailable } from '../../../src/storage/store-errors.ts'
import { type Clinic, ids, token } from '../fixtures.ts'
import type { NewClinic, OpenStore } from './clinics.ts'

const identifier = (code: string) => [token('identifier', code, 'urn:mrn')]
const byIdentifier = (code: string) => [{ kind: 'token', param: 'identifier', system: 'urn:mrn', code }] as const

export function describeWriting(newClinic: NewClinic, open: OpenStore): void {
  describe('a change set', () => {
    test('is written whole: resources and records', async () => {
      const clinic = newClinic()
      await clinic.writeSet({
        resources: [clinic.change('Patient/1'), clinic.change('Slot/1')],
        records: [{ clinic: clinic.name, kind: 'call', key: '1', expect: 0, value: { patient: '1' } }],
      })
      expect(await clinic.find(['Patient', 'Slot'], [])).toEqual(['Patient/1', 'Slot/1'])
      expect(await clinic.store.readRecord(clinic.name, 'call', '1')).toMatchObject({ value: { patient: '1' } })
    })

    test('is written not at all when its last change conflicts: no resource, no index entry, no record', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/2')
      const refused = clinic.writeSet({
        resources: [
          clinic.change('Patient/1', identifier('x')),
          clinic.change('NeverSeen/1', [token('neverSeen', 'x', 'urn:never-seen')]),
          clinic.change('Patient/2', identifier('x')),
        ],
        records: [{ clinic: clinic.name, kind: 'call', key: '1', expect: 0, value: 1 }],
      })
      await expect(refused).rejects.toMatchObject({ on: 'version', subject: 'Patient/2' })
      expect(await clinic.read('Patient/1')).toBeUndefined()
      expect(await clinic.find('Patient', byIdentifier('x'))).toEqual([])
      expect(await clinic.store.readRecord(clinic.name, 'call', '1')).toBeUndefined()
      expect((await clinic.history()).total).toBe(1)
      // A parameter that only the refused set had can be written and found afterwards.
      await clinic.put('NeverSeen/1', [token('neverSeen', 'x', 'urn:never-seen')])
      expect(await clinic.find('NeverSeen', [{ kind: 'token', param: 'neverSeen', code: 'x' }])).toEqual([
        'NeverSeen/1',
      ])
    })

    test('is written not at all when a record or a guard refuses it', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/2')
      const resources = [clinic.change('Patient/1')]
      const records = [{ clinic: clinic.name, kind: 'call', key: '1', expect: 3, value: 1 }]
      await expect(clinic.writeSet({ resources, records })).rejects.toMatchObject({ on: 'record', subject: 'call/1' })
      const guards = [{ plan: clinic.plan('Patient'), ids: [] }]
      await expect(clinic.writeSet({ resources, guards })).rejects.toMatchObject({ on: 'guard', subject: 'Patient' })
      expect(await clinic.read('Patient/1')).toBeUndefined()
    })

    test('may hold successive versions of one resource', async () => {
      const clinic = newClinic()
      await clinic.write(
        clinic.change('Patient/1', identifier('old'), { expect: 0 }),
        clinic.change('Patient/1', identifier('new'), { expect: 1 }),
      )
      expect((await clinic.read('Patient/1'))?.version).toBe(2)
      expect(await clinic.find('Patient', byIdentifier('old'))).toEqual([])
      expect(await clinic.find('Patient', byIdentifier('new'))).toEqual(['Patient/1'])
    })

    test('that conflicts does not disturb those written at the same time', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/taken')
      const names = ['1', '2', 'taken', '3', '4']
      const outcomes = await Promise.allSettled(names.map((id) => clinic.write(clinic.change(`Patient/${id}`))))
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ])
      expect(await clinic.find('Patient', [])).toEqual(['1', '2', '3', '4', 'taken'].map((id) => `Patient/${id}`))
    })

    test('sees the ones accepted before it, though written at the same time', async () => {
      const clinic = newClinic()
      const outcomes = await Promise.allSettled([
        clinic.write(clinic.change('Patient/1', identifier('first'), { expect: 0 })),
        clinic.write(clinic.change('Patient/1', identifier('second'), { expect: 1 })),
        clinic.write(clinic.change('Patient/1', identifier('late'), { expect: 1 })),
      ])
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected'])
      expect(await clinic.find('Patient', byIdentifier('second'))).toEqual(['Patient/1'])
      expect(await clinic.find('Patient', byIdentifier('first'))).toEqual([])
    })

    test('is visible to the very next read and search', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', identifier('x'))
      expect((await clinic.read('Patient/1'))?.version).toBe(1)
      expect(await clinic.find('Patient', byIdentifier('x'))).toEqual(['Patient/1'])
    })

    test('an update replaces what the resource is found by', async () => {
      const clinic = newClinic()
      await clinic.put('Patient/1', [...identifier('old'), token('gender', 'female')])
      await clinic.put('Patient/1', [...identifier('new'), token('gender', 'female')])
      expect(await clinic.find('Patient', byIdentifier('old'))).toEqual([])
      expect(await clinic.find('Patient', byIdentifier('new'))).toEqual(['Patient/1'])
      expect(await clinic.find('Patient', [{ kind: 'token', param: 'gender', code: 'female' }])).toEqual(['Patient/1'])
    })
  })

  describe('a guard', () => {
    const cases: readonly (readonly [string, readonly string[], boolean])[] = [
      ['nothing, where nothing is', [], true],
      ['exactly what is found', ['1', '2'], true],
      ['what is found, in another order', ['2', '1'], true],
      ['less than is found', ['1'], false],
      ['more than is found', ['1', '2', '3'], false],
      ['as many, but others', ['1', '3'], false],
    ]
    test.each(cases)('that expects %s', async (name, expected, holds) => {
      const clinic = newClinic()
      if (!name.includes('nothing'))
        await clinic.write(...['1', '2'].map((id) => clinic.change(`Patient/${id}`, identifier('x'))))
      const plan = clinic.plan('Patient', { where: byIdentifier('x'), count: 1 })
      const written = clinic.writeSet({ resources: [clinic.change('Patient/9')], guards: [{ plan, ids: expected }] })
      if (holds) await written
      else await expect(written).rejects.toMatchObject({ on: 'guard' })
      expect((await clinic.read('Patient/9')) !== undefined).toBe(holds)
    })

    test('is checked against the state before the changes of its own set', async () => {
      const clinic = newClinic()
      const guards = [{ plan: clinic.plan('Patient', { where: byIdentifier('x') }), ids: [] }]
      await clinic.writeSet({ resources: [clinic.change('Patient/1', identifier('x'))], guards })
      expect(await clinic.find('Patient', byIdentifier('x'))).toEqual(['Patient/1'])
    })

    test('makes 16 parallel conditional creates one resource', async () => {
      const clinic = newClinic()
      const made = await Promise.all(Array.from({ length: 16 }, (_, index) => createUnlessFound(clinic, `p${index}`)))
      expect(new Set(made).size).toBe(1)
      expect(await clinic.find('Patient', [])).toEqual([`Patient/${made[0]}`])
    })

    test('of 16 parallel bookings of one slot lets one through', async () => {
      const clinic = newClinic()
      await clinic.put('Slot/1', [token('status', 'free')])
      const bookings = Array.from({ length: 16 }, (_, index) =>
        clinic.write(
          clinic.change('Slot/1', [token('status', 'busy')], { expect: 1 }),
          clinic.change(`Appointment/${index}`),
        ),
      )
      const outcomes = await Promise.allSettled(bookings)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      expect(await clinic.find('Appointment', [])).toHaveLength(1)
    })
  })

  describe('a store', () => {
    test('is empty until a resource or a record is written', async () => {
      const { store, close } = await open()
      try {
        expect(await store.isEmpty()).toBe(true)
        await store.write({
          clinic: '',
          resources: [],
          guards: [],
          records: [{ clinic: '', kind: 'account', key: 'demo', expect: 0, value: {} }],
        })
        expect(await store.isEmpty()).toBe(false)
      } finally {
        await close()
      }
    })

    test('that is closed has written what waited, and refuses more', async () => {
      const { store, close } = await open()
      const set = { clinic: 'c', resources: [], guards: [] }
      const record = { clinic: 'c', kind: 'k', key: '1', expect: 0, value: 1 } as const
      const waiting = store.write({ ...set, records: [record] })
      await store.close()
      await expect(waiting).resolves.toBeUndefined()
      await expect(store.write({ ...set, records: [record] })).rejects.toBeInstanceOf(StoreUnavailable)
      await close()
    })
  })
}

/** A conditional create as the repository does it: look, write under a guard, look again on a conflict. */
async function createUnlessFound(clinic: Clinic, id: string): Promise<string | undefined> {
  const plan = clinic.plan('Patient', { where: byIdentifier('x') })
  for (;;) {
    const found = ids((await clinic.store.search(plan)).matches)
    if (found.length > 0) return found[0]
    try {
      const resources = [clinic.change(`Patient/${id}`, identifier('x'))]
      await clinic.writeSet({ resources, guards: [{ plan, ids: [] }] })
      return id
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
    }
  }
}
