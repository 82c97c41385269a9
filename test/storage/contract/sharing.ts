/** Several stores on one database, as several server processes have them. */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { RECENT, type ResourceStore } from '../../../src/storage/port.ts'
import { StoreConflict } from '../../../src/storage/store-errors.ts'
import { Clinic, token } from '../fixtures.ts'

/** The kind of record that the stores are opened to remember, if they can. */
export const REMEMBERED = 'settings'

export type OpenTwo = () => Promise<{
  readonly stores: readonly [ResourceStore, ResourceStore]
  readonly close: () => Promise<void>
}>

export function describeSharing(name: string, openTwo: OpenTwo): void {
  describe(`two stores on one database: ${name}`, () => {
    let opened: Awaited<ReturnType<OpenTwo>>
    let clinics = 0
    beforeAll(async () => {
      opened = await openTwo()
    })
    afterAll(() => opened.close())

    /** The same clinic, at each of the stores. */
    function newClinics(): readonly [Clinic, Clinic] {
      clinics += 1
      const [one, other] = opened.stores
      return [new Clinic(one, `clinic-${clinics}`), new Clinic(other, `clinic-${clinics}`)]
    }

    test('find what the other wrote, and write a version once', async () => {
      const [one, other] = newClinics()
      await one.put('Patient/1', [token('identifier', 'a')])
      await other.put('Patient/2', [token('identifier', 'a')])
      for (const clinic of [one, other]) {
        const where = [{ kind: 'token', param: 'identifier', code: 'a' }] as const
        expect(await clinic.find('Patient', where)).toEqual(['Patient/1', 'Patient/2'])
      }
      for (let version = 1; version < 10; version += 1) {
        const writes = [one, other].map((clinic) => clinic.write(clinic.change('Patient/1', [], { expect: version })))
        await expectOneWritten(writes)
      }
      expect((await other.history({ type: 'Patient', id: '1' })).total).toBe(10)
    })

    test('write a record of one key once', async () => {
      const [one, other] = newClinics()
      for (let version = 0; version < 10; version += 1) {
        const writes = [one, other].map((clinic) => clinic.record('lease', '1', version, { expect: version }))
        await expectOneWritten(writes)
      }
      expect((await one.store.readRecord(one.name, 'lease', '1'))?.version).toBe(10)
    })

    test('let one of two through where each writes a type that the other one is guarded by', async () => {
      const [one, other] = newClinics()
      const open = [{ kind: 'token', param: 'status', code: 'open' }] as const
      for (let round = 0; round < 20; round += 1) {
        const write = (clinic: Clinic, type: string, without: string) =>
          clinic.writeSet({
            guards: [{ plan: clinic.plan(without, { where: open }), ids: [] }],
            resources: [clinic.change(`${type}/${round}`, [token('status', 'open')])],
          })
        await expectOneWritten([write(one, 'Task', 'Flag'), write(other, 'Flag', 'Task')])
        for (const type of await one.find(['Task', 'Flag'], open)) await one.delete(type)
      }
    })

    test('let one of two through where both are guarded by finding nothing', async () => {
      const [one, other] = newClinics()
      const create = (clinic: Clinic, id: string) => {
        const plan = clinic.plan('Patient', { where: [{ kind: 'token', param: 'identifier', code: 'x' }] })
        const resources = [clinic.change(`Patient/${id}`, [token('identifier', 'x')])]
        return clinic.writeSet({ guards: [{ plan, ids: [] }], resources })
      }
      await expectOneWritten([create(one, '1'), create(other, '2')])
      expect(await one.find('Patient', [])).toHaveLength(1)
    })

    describe('readRecent', () => {
      const values = ['a', 'b', undefined, 'c'] as const
      const recent = async ({ store, name }: Clinic) => (await store.readRecent(name, REMEMBERED, 'x'))?.value

      test('shows at once what the same store wrote, and that there is nothing', async () => {
        const [one] = newClinics()
        expect(await recent(one)).toBeUndefined()
        for (const value of values) {
          await one.record(REMEMBERED, 'x', value)
          expect([await recent(one), await recent(one)]).toEqual([value, value])
        }
      })

      test('shows at once what the same store wrote together with records of other kinds', async () => {
        const [one] = newClinics()
        for (const value of values) {
          await recent(one)
          const of = { clinic: one.name, key: 'x', expect: 'any' } as const
          await one.writeSet({
            records: [
              { ...of, kind: 'lease', value: 1 },
              { ...of, kind: REMEMBERED, value },
            ],
          })
          expect(await recent(one)).toBe(value)
        }
      })

      test(`shows what another store wrote at the latest after ${RECENT} ms`, async () => {
        const [one, other] = newClinics()
        for (const value of values) {
          await recent(one)
          await other.record(REMEMBERED, 'x', value)
          await sleep(RECENT)
          expect(await recent(one)).toBe(value)
        }
      })

      test('shows what the same store wrote, whatever reads and other stores’ writes are under way', async () => {
        const [one, other] = newClinics()
        const over = new AbortController()
        const version = async (clinic: Clinic) =>
          (await clinic.store.readRecent(clinic.name, REMEMBERED, 'x'))?.version ?? 0
        const readers = [one, other, one, other].map(async (clinic) => {
          // A read from memory would not yield to other work.
          for (; !over.signal.aborted; await setImmediate()) await version(clinic)
        })
        try {
          for (let write = 1; write <= 60; write += 2) {
            await one.record(REMEMBERED, 'x', write)
            expect(await version(one)).toBe(write)
            await other.record(REMEMBERED, 'x', write + 1)
            expect(await version(other)).toBe(write + 1)
          }
        } finally {
          over.abort()
          await Promise.all(readers)
        }
        await sleep(RECENT)
        expect([await version(one), await version(other)]).toEqual([60, 60])
      })

      test('gives values that nobody can change for others', async () => {
        const [one] = newClinics()
        await one.record(REMEMBERED, 'x', { list: [{ a: 1 }] })
        const change = async () => {
          const value = (await recent(one)) as { list: { a: number }[] }
          for (const item of value.list) item.a += 1
          value.list.push({ a: 9 })
        }
        await change().catch(() => {})
        expect(await recent(one)).toEqual({ list: [{ a: 1 }] })
      })

      test('keeps clinics, kinds and keys apart', async () => {
        const [one] = newClinics()
        await one.record(REMEMBERED, 'x', 1)
        await one.record(REMEMBERED, 'y', 2)
        await one.record('lease', 'x', 3)
        const [next] = newClinics()
        const read = ({ store, name }: Clinic, kind: string, key: string) => store.readRecent(name, kind, key)
        for (let time = 0; time < 2; time += 1) {
          const found = [
            read(one, REMEMBERED, 'x'),
            read(one, REMEMBERED, 'y'),
            read(one, 'lease', 'x'),
            read(next, REMEMBERED, 'x'),
          ]
          expect((await Promise.all(found)).map((record) => record?.value)).toEqual([1, 2, 3, undefined])
        }
      })
    })
  })
}

async function expectOneWritten(writes: readonly Promise<void>[]): Promise<void> {
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  const refused = outcomes.find((outcome) => outcome.status === 'rejected')
  expect(refused?.reason).toBeInstanceOf(StoreConflict)
}
