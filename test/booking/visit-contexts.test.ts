/** Details of a visit given when times were searched, and how long they are kept. */
import { describe, expect, test } from '@jest/globals'
import { contextOf, keepContexts, NO_CONTEXT } from '../../src/booking/proposal.ts'
import { openTestRepository } from '../support/repository.ts'

const HOUR = 3_600_000
const NOW = Date.parse('2026-03-02T08:00:00Z')
const REASON = { reasons: ['Cough'] }

async function opened(clinic = 'a') {
  const store = await openTestRepository(NOW)
  const access = store.access(clinic)
  return {
    ...store,
    keep: async (...contexts: Parameters<typeof keepContexts>[1]) => await keepContexts(access, contexts),
    read: async (key: string, of = clinic) => await contextOf(await store.access(of).reader(), key),
    inHours: (hours: number) => store.setTime(NOW + hours * HOUR),
  }
}

describe('the key of a context', () => {
  test('follows from the content, whatever its order, and leads to it in its own clinic', async () => {
    const { keep, read } = await opened()
    const [key = ''] = await keep({ ...REASON, patients: ['Patient/1'] })
    expect(key).toMatch(/^[0-9a-z]{11}$/)
    expect(await keep({ patients: ['Patient/1'], ...REASON })).toEqual([key])
    expect(await keep(REASON)).not.toEqual([key])
    expect(await read(key)).toEqual({ ...REASON, patients: ['Patient/1'] })
    expect(await read(key, 'b')).toBeUndefined()
  })

  test('is the same for all that say nothing, and needs no record', async () => {
    const { keep, read } = await opened()
    expect(await keep({})).toEqual([NO_CONTEXT])
    expect(await read(NO_CONTEXT)).toEqual({})
  })

  test('is kept by everybody who says the same at once', async () => {
    const { keep } = await opened()
    const keys = await Promise.all(Array.from({ length: 8 }, () => keep(REASON, { ...REASON, slot: 's' })))
    expect(new Set(keys.flat()).size).toBe(2)
  })
})

describe('a context', () => {
  test('is good for a day from the last search that said it, and forgotten a day or two after that', async () => {
    const { keep, read, inHours } = await opened()
    const [key = ''] = await keep(REASON)
    inHours(30)
    expect(await keep(REASON)).toEqual([key])
    inHours(30 + 24)
    expect(await read(key)).toEqual(REASON)
    inHours(30 + 48)
    expect(await read(key)).toBeUndefined()
    expect(await keep(REASON)).toEqual([key])
    expect(await read(key)).toEqual(REASON)
  })

  test('is deleted by a later one once it is forgotten', async () => {
    const { keep, repository, inHours } = await opened()
    const [first = ''] = await keep(REASON)
    const isStored = async () =>
      (await (await repository.reader('a')).records.read({ name: 'visit-context', of: 'clinic' }, first)) !== undefined
    inHours(47)
    await keep({ reasons: ['Fever'] })
    expect(await isStored()).toBe(true)
    inHours(49)
    await keep({ reasons: ['Rash'] })
    expect(await isStored()).toBe(false)
  })
})
