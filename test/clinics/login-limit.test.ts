import { describe, expect, test } from '@jest/globals'
import { takeAttempt } from '../../src/clinics/login-limit.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import type { Repository } from '../../src/repository/repository.ts'
import { openTestRepository } from '../support/repository.ts'

const START = Date.parse('2026-03-02T12:00:00Z')
const MINUTE = 60_000

async function fail(repository: Repository, count: number, username: string, address = '10.0.0.1'): Promise<void> {
  for (let i = 0; i < count; i++) await takeAttempt(repository, username, address)
}

const refused = (retryAfter: string) => ({ status: 429, headers: { 'retry-after': retryAfter } })

describe('login attempts', () => {
  test('of one user name: 10 failures in 15 minutes, then 429 until the 15 minutes are over', async () => {
    const { repository, setTime } = await openTestRepository(START)
    await fail(repository, 1, 'ada')
    setTime(START + 5 * MINUTE)
    await fail(repository, 9, 'ada')
    await expect(takeAttempt(repository, 'ada', '10.0.0.2')).rejects.toMatchObject(refused('600'))
    setTime(START + 15 * MINUTE - 1)
    await expect(takeAttempt(repository, 'Ada ', '10.0.0.2')).rejects.toMatchObject(refused('1'))
    setTime(START + 15 * MINUTE)
    await fail(repository, 10, 'ada')
    await expect(takeAttempt(repository, 'ada', '10.0.0.2')).rejects.toMatchObject(refused('900'))
  })

  test('from one address: 50 failures over any user names', async () => {
    const { repository } = await openTestRepository(START)
    for (let user = 0; user < 10; user++) await fail(repository, 5, `user-${user}`)
    await expect(takeAttempt(repository, 'somebody', '10.0.0.1')).rejects.toMatchObject(refused('900'))
    await fail(repository, 1, 'somebody', '10.0.0.2')
  })

  test('that are refused count for nothing', async () => {
    const { repository, setTime } = await openTestRepository(START)
    await fail(repository, 10, 'ada')
    for (let i = 0; i < 5; i++)
      await expect(takeAttempt(repository, 'ada', '10.0.0.1')).rejects.toMatchObject({ status: 429 })
    setTime(START + 15 * MINUTE)
    await fail(repository, 1, 'ada')
  })

  test('that succeed forget the failures of the user name', async () => {
    const { repository } = await openTestRepository(START)
    await fail(repository, 9, 'ada')
    await (await takeAttempt(repository, 'ada', '10.0.0.1')).succeeded()
    await fail(repository, 10, 'ada')
  })

  test('that succeed give the address back only what they took: an account of one’s own opens no others', async () => {
    const { repository } = await openTestRepository(START)
    for (let round = 0; round < 10; round++) {
      await fail(repository, 5, `victim-${round}`)
      await (
        await takeAttempt(repository, 'mallory', '10.0.0.1').catch(() => ({ succeeded: async () => {} }))
      ).succeeded()
    }
    await expect(takeAttempt(repository, 'victim-99', '10.0.0.1')).rejects.toMatchObject({ status: 429 })
  })

  test('made at the same time are all counted', async () => {
    const { repository } = await openTestRepository(START)
    const attempts = await Promise.allSettled(
      Array.from({ length: 30 }, () => takeAttempt(repository, 'ada', '10.0.0.1')),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
  })

  test('leave no user name in the store, and counters go when they have expired', async () => {
    const { repository, setTime } = await openTestRepository(START)
    for (let i = 0; i < 20; i++) await fail(repository, 1, `my-secret-${i}`, `10.0.1.${i}`)
    const counters = () => repository.records(recordKind('login-attempts'), { clinic: '', limit: 100 })
    expect(JSON.stringify(await counters())).not.toContain('my-secret')
    setTime(START + 16 * MINUTE)
    await fail(repository, 6, 'ada')
    expect(await counters()).toHaveLength(2)
  })
})
