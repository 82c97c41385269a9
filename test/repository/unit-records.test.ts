/** Records in a unit of work. */
import { describe, expect, test } from '@jest/globals'
import { recordKind, SERVICE } from '../../src/repository/record-kinds.ts'
import { openTestRepository } from '../support/repository.ts'

const OUTBOX = recordKind<string>('outbox')
const ACCOUNT = recordKind<string>('account')

describe('a unit of work', () => {
  test('reads the record that it has staged, with the version and the time that it will have', async () => {
    const { repository } = await openTestRepository()
    await repository.change('c', async ({ records }) => records.put(OUTBOX, 'k', 'first'))
    await repository.change('c', async ({ records }) => {
      expect(await records.read(OUTBOX, 'k')).toMatchObject({ value: 'first', version: 1, due: null })
      records.put(OUTBOX, 'k', 'second', { due: 7 })
      expect(await records.read(OUTBOX, 'k')).toMatchObject({ value: 'second', version: 2, due: 7 })
      expect(await records.readRecent(OUTBOX, 'k')).toMatchObject({ value: 'second', version: 2 })
    })
    expect(await repository.readRecord('c', OUTBOX, 'k')).toMatchObject({ value: 'second', version: 2, due: 7 })
  })

  test('lists the records of its own clinic by key, a page at a time', async () => {
    const { repository } = await openTestRepository()
    for (const clinic of ['c', 'other']) {
      await repository.change(clinic, async ({ records }) => {
        for (const key of ['2', '1', '3']) records.put(OUTBOX, key, `${clinic}${key}`)
      })
    }
    const { records } = await repository.reader('c')
    const valuesOf = async (after: string) =>
      (await records.list(OUTBOX, { after, limit: 2 })).map(({ value }) => value)
    expect([await valuesOf(''), await valuesOf('2'), await valuesOf('3')]).toEqual([['c1', 'c2'], ['c3'], []])
  })

  test('lists the records of its own clinic that are due, the longest overdue first', async () => {
    const { repository } = await openTestRepository()
    for (const clinic of ['c', 'other']) {
      await repository.change(clinic, async ({ records }) => {
        for (const due of [30, 10, 20]) records.put(OUTBOX, `${due}`, `${clinic}${due}`, { due })
        records.put(OUTBOX, 'never', 'never')
      })
    }
    const { records } = await repository.reader('c')
    const valuesOf = async (limit: number) =>
      (await records.due(OUTBOX, { before: 20, limit })).map(({ value }) => value)
    expect([await valuesOf(9), await valuesOf(1)]).toEqual([['c10', 'c20'], ['c10']])
  })

  test('sees that it has staged the deletion of a record', async () => {
    const { repository } = await openTestRepository()
    await repository.change('c', async ({ records }) => records.put(OUTBOX, 'k', 'first'))
    await repository.change('c', async ({ records }) => {
      await records.read(OUTBOX, 'k')
      records.delete(OUTBOX, 'k')
      expect(await records.read(OUTBOX, 'k')).toBeUndefined()
    })
    expect(await repository.readRecord('c', OUTBOX, 'k')).toBeUndefined()
  })

  test('replaces a record that it has deleted, as the next version of what it has read', async () => {
    const { repository } = await openTestRepository()
    await repository.change('c', async ({ records }) => records.put(OUTBOX, 'k', 'first'))
    await repository.change('c', async ({ records }) => {
      await records.read(OUTBOX, 'k')
      records.delete(OUTBOX, 'k')
      records.put(OUTBOX, 'k', 'second')
      expect(await records.read(OUTBOX, 'k')).toMatchObject({ value: 'second', version: 2 })
    })
    expect(await repository.readRecord('c', OUTBOX, 'k')).toMatchObject({ value: 'second', version: 2 })
  })

  test('makes one version of several changes of one record', async () => {
    const { repository } = await openTestRepository()
    await repository.change('c', async ({ records }) => {
      expect(records.nextVersion(OUTBOX, 'k')).toBe(1)
      records.put(OUTBOX, 'k', 'first')
      await records.read(OUTBOX, 'k')
      records.put(OUTBOX, 'k', 'second')
      expect(records.nextVersion(OUTBOX, 'k')).toBe(1)
    })
    expect(await repository.readRecord('c', OUTBOX, 'k')).toMatchObject({ value: 'second', version: 1 })
  })

  test('runs again when another change has come between its read and its write of a record', async () => {
    const { repository } = await openTestRepository()
    let attempts = 0
    await repository.change('c', async ({ records }) => {
      const before = (await records.read(OUTBOX, 'k'))?.value ?? ''
      if (attempts++ === 0) await repository.change('c', async (other) => other.records.put(OUTBOX, 'k', 'other'))
      records.put(OUTBOX, 'k', `${before}+own`)
    })
    expect(attempts).toBe(2)
    expect(await repository.readRecord('c', OUTBOX, 'k')).toMatchObject({ value: 'other+own', version: 2 })
  })

  test('keeps what belongs to the service apart from every clinic, and the clinics apart', async () => {
    const { repository } = await openTestRepository()
    await repository.change('c', async ({ records }) => {
      records.put(OUTBOX, 'k', 'of c')
      records.put(ACCOUNT, 'k', 'of the service')
    })
    await repository.change('d', async ({ records }) => {
      expect(await records.read(OUTBOX, 'k')).toBeUndefined()
      expect(await records.read(ACCOUNT, 'k')).toMatchObject({ clinic: SERVICE, value: 'of the service' })
    })
  })
})
