/** Records: the server's own documents. */
import { describe, expect, test } from '@jest/globals'
import type { NewClinic } from './clinics.ts'

export function describeRecords(newClinic: NewClinic): void {
  describe('records', () => {
    test('keep any JSON value, count their versions, and can be deleted', async () => {
      const clinic = newClinic()
      const read = () => clinic.store.readRecord(clinic.name, 'call', '1')
      expect(await read()).toBeUndefined()
      for (const value of [null, 0, '', [1, { a: 'ü' }], { nested: { list: [] } }]) {
        await clinic.record('call', '1', value)
        expect((await read())?.value).toEqual(value)
      }
      expect(await read()).toEqual({
        clinic: clinic.name,
        kind: 'call',
        key: '1',
        version: 5,
        value: { nested: { list: [] } },
        due: null,
      })
      await clinic.record('call', '1', undefined)
      expect(await read()).toBeUndefined()
      await clinic.record('call', '1', 'again')
      expect((await read())?.version).toBe(1)
    })

    const cases: readonly (readonly [string, number, number | 'any', boolean])[] = [
      ['a new one with 0', 0, 0, true],
      ['an existing one with 0', 2, 0, false],
      ['an existing one with its version', 2, 2, true],
      ['an existing one with an old version', 2, 1, false],
      ['a new one with a version', 0, 1, false],
      ['a new one with any', 0, 'any', true],
      ['an existing one with any', 2, 'any', true],
    ]
    test.each(cases)('expecting %s', async (_, versions, expected, isWritten) => {
      const clinic = newClinic()
      for (let version = 0; version < versions; version += 1) await clinic.record('call', '1', version)
      for (const value of ['new', undefined]) {
        const written = clinic.record(`call`, '1', value, { expect: expected })
        if (isWritten) {
          await written
          break
        }
        await expect(written).rejects.toMatchObject({ on: 'record', subject: 'call/1' })
      }
      const found = await clinic.store.readRecord(clinic.name, 'call', '1')
      expect(found?.value === 'new').toBe(isWritten)
      expect(found?.version ?? 0).toBe(versions + (isWritten ? 1 : 0))
    })

    test('are listed by key, of one kind, as many as asked for', async () => {
      const clinic = newClinic()
      for (const key of ['b', 'c', 'a']) await clinic.record('account', key, key)
      await clinic.record('call', 'd', 'd')
      const list = async (limit: number, after?: string) => {
        const page = after === undefined ? {} : { after }
        const found = await clinic.store.records({ clinic: clinic.name, kind: 'account', limit, ...page })
        return found.map(({ key }) => key)
      }
      expect(await list(10)).toEqual(['a', 'b', 'c'])
      expect(await list(2)).toEqual(['a', 'b'])
      expect(await list(2, 'a')).toEqual(['b', 'c'])
      expect(await list(2, 'aa')).toEqual(['b', 'c'])
      expect(await list(2, 'c')).toEqual([])
    })

    test('that are due come earliest first; those without a time, or due later, do not come', async () => {
      const clinic = newClinic()
      for (const [key, due] of [
        ['late', 30],
        ['early', 10],
        ['middle', 20],
        ['never', null],
      ] as const) {
        await clinic.record('outbox', key, key, { due })
      }
      const due = (dueBefore: number) =>
        clinic.store.records({ clinic: clinic.name, kind: 'outbox', dueBefore, limit: 10 })
      expect((await due(20)).map(({ key }) => key)).toEqual(['early', 'middle'])
      expect((await due(9)).map(({ key }) => key)).toEqual([])
      await clinic.record('outbox', 'early', 'tried', { due: 40 })
      expect((await due(99)).map(({ key }) => key)).toEqual(['middle', 'late', 'early'])
      await clinic.record('outbox', 'middle', 'done')
      expect((await due(99)).map(({ key }) => key)).toEqual(['late', 'early'])
    })

    test('of every clinic come when no clinic is named', async () => {
      const [one, other] = [newClinic(), newClinic()]
      const kind = `outbox of ${one.name}`
      await other.record(kind, 'a', 1, { due: 2 })
      await one.record(kind, 'b', 1, { due: 1 })
      expect((await one.store.records({ kind, dueBefore: 9, limit: 10 })).map(({ clinic }) => clinic)).toEqual([
        one.name,
        other.name,
      ])
      expect((await one.store.records({ clinic: one.name, kind, limit: 10 })).map(({ key }) => key)).toEqual(['b'])
    })
  })
}
