/** Tenants: nothing of one clinic can be read, found, reached or disturbed from another. */
import { describe, expect, test } from '@jest/globals'
import { InvalidCursor } from '../../../src/search/cursor.ts'
import type { Condition, SearchPlan } from '../../../src/search/plan.ts'
import { addresses, type Clinic, date, reference, string, token } from '../fixtures.ts'
import type { NewClinic } from './clinics.ts'

/** The same ids and values in two clinics, except values with the clinic's name. */
async function filled(clinic: Clinic): Promise<void> {
  const text = (type: string) => ({ text: `${type} of ${clinic.name}` })
  await clinic.write(
    clinic.change(
      'Patient/1',
      [string('name', 'Anna'), token('identifier', '1', 'urn:x'), date('birthdate', 5)],
      text('Patient'),
    ),
    clinic.change('Appointment/1', [reference('patient', 'Patient/1'), date('date', 7)], text('Appointment')),
    clinic.change('Appointment/2', [reference('patient', 'Patient/1'), date('date', 8)], text('Appointment')),
  )
}

const anna: Condition = { kind: 'string', param: 'name', match: 'prefix', value: 'anna' }

const PLANS: readonly (readonly [string, Partial<SearchPlan> & { readonly types: readonly string[] }])[] = [
  ['everything', { types: ['Patient', 'Appointment'] }],
  ['a string', { types: ['Patient'], where: [anna] }],
  ['a token', { types: ['Patient'], where: [{ kind: 'token', param: 'identifier', system: 'urn:x', code: '1' }] }],
  ['an id', { types: ['Patient'], where: [{ kind: 'id', ids: ['1'] }] }],
  ['lastUpdated', { types: ['Patient'], where: [{ kind: 'lastUpdated', bounds: { lowMin: 0 } }] }],
  ['a date', { types: ['Patient'], where: [{ kind: 'date', param: 'birthdate', bounds: { lowMin: 0 } }] }],
  [
    'a negation',
    {
      types: ['Patient'],
      where: [{ kind: 'token', param: 'identifier', code: '2' }].map((of) => ({ kind: 'not', of }) as Condition),
    },
  ],
  [
    'a reference',
    { types: ['Appointment'], where: [{ kind: 'reference', param: 'patient', type: 'Patient', id: '1' }] },
  ],
  ['a reference of any type', { types: ['Appointment'], where: [{ kind: 'reference', param: 'patient', id: '1' }] }],
  [
    'a combined index',
    {
      types: ['Appointment'],
      where: [
        { kind: 'reference', param: 'patient', type: 'Patient', id: '1' },
        { kind: 'date', param: 'date', bounds: { lowMin: 0 } },
      ],
    },
  ],
  [
    'a chain',
    { types: ['Appointment'], where: [{ kind: 'chain', param: 'patient', types: ['Patient'], where: anna }] },
  ],
  [
    'a reverse chain',
    {
      types: ['Patient'],
      where: [{ kind: 'has', type: 'Appointment', param: 'patient', where: { kind: 'id', ids: ['1'] } }],
    },
  ],
  ['a sort', { types: ['Patient'], sort: [{ by: 'string', param: 'name', descending: false }] }],
  [
    'includes in both directions',
    {
      types: ['Appointment'],
      where: [{ kind: 'id', ids: ['1'] }],
      include: [
        { source: 'Appointment', param: '*', reverse: false, iterate: true },
        { source: '*', param: '*', reverse: true, iterate: true },
      ],
    },
  ],
]

export function describeIsolation(newClinic: NewClinic): void {
  describe('clinics are apart', () => {
    test.each(PLANS)('in a search by %s', async (_, plan) => {
      const [one, other, empty] = [newClinic(), newClinic(), newClinic()]
      await Promise.all([filled(one), filled(other)])
      for (const clinic of [one, other]) {
        const { matches, included, total } = await clinic.search(plan.types, plan)
        expect(matches.length).toBeGreaterThan(0)
        expect(total).toBe(matches.length)
        for (const { text } of [...matches, ...included]) expect(text).toContain(`of ${clinic.name}`)
        expect(new Set(addresses([...matches, ...included])).size).toBe(matches.length + included.length)
      }
      expect(await empty.search(plan.types, plan)).toMatchObject({ matches: [], included: [], total: 0 })
    })

    test('in reads and histories', async () => {
      const [one, other, empty] = [newClinic(), newClinic(), newClinic()]
      await Promise.all([filled(one), filled(other)])
      expect((await one.read('Patient/1'))?.text).toBe(`Patient of ${one.name}`)
      expect((await one.store.readVersion(one.name, 'Patient', '1', 1))?.text).toBe(`Patient of ${one.name}`)
      expect(await empty.read('Patient/1')).toBeUndefined()
      expect(await empty.store.readVersion(empty.name, 'Patient', '1', 1)).toBeUndefined()
      for (const query of [{}, { type: 'Patient' }, { type: 'Patient', id: '1' }]) {
        const { versions, total } = await other.history(query)
        expect(total).toBe(versions.length)
        for (const { text } of versions) expect(text).toContain(`of ${other.name}`)
        expect(await empty.history(query)).toEqual({ versions: [], total: 0 })
      }
    })

    test('in writes: a version, a deletion or a guard of one says nothing to the other', async () => {
      const [one, other] = [newClinic(), newClinic()]
      await Promise.all([filled(one), filled(other)])
      await one.delete('Patient/1')
      await one.delete('Appointment/1')
      expect(await other.read('Patient/1')).toMatchObject({ version: 1 })
      expect(await other.find('Patient', [anna])).toEqual(['Patient/1'])
      expect(
        await other.find('Appointment', [{ kind: 'chain', param: 'patient', types: ['Patient'], where: anna }]),
      ).toHaveLength(2)
      const guards = [{ plan: one.plan('Patient', { where: [anna] }), ids: [] }]
      await one.writeSet({ guards, resources: [one.change('Patient/2')] })
    })

    test('in references: a patient of the same id elsewhere does not stand in for one that is missing', async () => {
      const [one, other] = [newClinic(), newClinic()]
      await one.put('Patient/1', [string('name', 'Anna')])
      await other.put('Appointment/1', [reference('patient', 'Patient/1')])
      expect(
        await other.find('Appointment', [{ kind: 'chain', param: 'patient', types: ['Patient'], where: anna }]),
      ).toEqual([])
      expect(
        await one.find('Patient', [
          { kind: 'has', type: 'Appointment', param: 'patient', where: { kind: 'id', ids: ['1'] } },
        ]),
      ).toEqual([])
      const include = [{ source: 'Appointment', param: 'patient', reverse: false, iterate: false }]
      expect((await other.search('Appointment', { include })).included).toEqual([])
      const revinclude = [{ source: '*', param: '*', reverse: true, iterate: false }]
      expect((await one.search('Patient', { include: revinclude })).included).toEqual([])
    })

    test('in records', async () => {
      const [one, other] = [newClinic(), newClinic()]
      await one.record('call', '1', 'secret', { due: 1 })
      expect(await other.store.readRecord(other.name, 'call', '1')).toBeUndefined()
      expect(await other.store.records({ clinic: other.name, kind: 'call', limit: 10 })).toEqual([])
      expect(await other.store.records({ clinic: other.name, kind: 'call', dueBefore: 9, limit: 10 })).toEqual([])
      await other.record('call', '1', 'other', { expect: 0 })
      await other.record('call', '1', undefined, { expect: 1 })
      expect((await one.store.readRecord(one.name, 'call', '1'))?.value).toBe('secret')
    })

    test('in cursors', async () => {
      const [one, other] = [newClinic(), newClinic()]
      await Promise.all([filled(one), filled(other)])
      const { next = '' } = await one.search('Appointment', { count: 1 })
      await expect(other.search('Appointment', { count: 1, after: next })).rejects.toBeInstanceOf(InvalidCursor)
      const history = await one.history({ count: 1 })
      await expect(other.history({ count: 1, after: history.next ?? '' })).rejects.toBeInstanceOf(InvalidCursor)
    })

    test('even where one name continues the other', async () => {
      const one = newClinic()
      const { store } = one
      await store.write({
        ...one,
        clinic: `${one.name}/Patient`,
        guards: [],
        records: [],
        resources: [one.change('Patient/1')],
      })
      expect(await one.read('Patient/1')).toBeUndefined()
      expect((await one.history()).total).toBe(0)
    })
  })
}
