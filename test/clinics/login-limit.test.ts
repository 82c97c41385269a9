import { describe, expect, test } from '@jest/globals'
import { createAccount, removeAccount } from '../../src/clinics/accounts.ts'
import { takeAttempt } from '../../src/clinics/login-limit.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import type { Repository } from '../../src/repository/repository.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { openTestRepository, type TestRepository } from '../support/repository.ts'

const START = Date.parse('2026-03-02T12:00:00Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

async function fail(repository: Repository, count: number, username: string, address = '10.0.0.1'): Promise<void> {
  for (let i = 0; i < count; i++) await takeAttempt(repository, username, address)
}

const succeed = async (repository: Repository, username: string, address: string): Promise<void> =>
  await (await takeAttempt(repository, username, address)).succeeded()

/** Attempts as early as each may be made. @returns how long each had to wait, in seconds */
async function failPatiently(
  { repository, setTime }: TestRepository,
  count: number,
  from: number,
  attempt: (repository: Repository, index: number) => Promise<unknown>,
): Promise<{ readonly waits: readonly number[]; readonly now: number }> {
  const waits: number[] = []
  let now = from
  for (let index = 0; index < count; index++) {
    let wait = 0
    for (;;) {
      setTime(now)
      const more = await attempt(repository, index).then(
        () => 0,
        ({ headers }) => Number(headers['retry-after']),
      )
      if (more === 0) break
      wait += more
      now += more * SECOND
    }
    waits.push(wait)
  }
  return { waits, now }
}

const refused = (retryAfter: string) => ({ status: 429, headers: { 'retry-after': retryAfter } })

describe('failed logins', () => {
  test('of a user from an address: five are free, then each waits twice as long as the one before, 15 minutes at most', async () => {
    const store = await openTestRepository(START)
    const { waits } = await failPatiently(store, 18, START, (repository) => takeAttempt(repository, 'ada', '10.0.0.1'))
    expect(waits).toEqual([0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900])
  })

  test('that come too early are told when to come back, and count for nothing', async () => {
    const { repository, setTime } = await openTestRepository(START)
    await fail(repository, 5, 'ada')
    for (let i = 0; i < 9; i++)
      await expect(takeAttempt(repository, 'Ada ', '10.0.0.1')).rejects.toMatchObject(refused('1'))
    setTime(START + SECOND)
    await fail(repository, 1, 'ada')
    await expect(takeAttempt(repository, 'ada', '10.0.0.1')).rejects.toMatchObject(refused('2'))
  })

  test('are forgotten after an hour without any', async () => {
    const { repository, setTime } = await openTestRepository(START)
    await fail(repository, 5, 'ada')
    setTime(START + HOUR)
    await fail(repository, 5, 'ada')
    await expect(takeAttempt(repository, 'ada', '10.0.0.1')).rejects.toMatchObject(refused('1'))
  })

  test('of strangers at one address make the user wait for a minute at most at another one', async () => {
    const store = await openTestRepository(START)
    let now = START
    for (let day = 0; day < 3; day++) {
      const failed = await failPatiently(store, 40, now, (repository) => takeAttempt(repository, 'ada', '6.6.6.6'))
      now = failed.now + MINUTE
      store.setTime(now)
      await succeed(store.repository, 'ada', `10.0.0.${day}`)
    }
  })

  test('of strangers at many addresses make the user wait for a minute at most at an unknown address, and not at a known one', async () => {
    const store = await openTestRepository(START)
    const { repository, setTime } = store
    await succeed(repository, 'ada', '10.0.0.1')
    const { waits, now } = await failPatiently(store, 40, START, (_, index) =>
      takeAttempt(repository, 'ada', `6.6.6.${index}`),
    )
    expect(waits.slice(19, 30)).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
    await succeed(repository, 'ada', '10.0.0.1')
    await expect(takeAttempt(repository, 'ada', '10.0.0.2')).rejects.toMatchObject(refused('60'))
    setTime(now + MINUTE)
    await succeed(repository, 'ada', '10.0.0.2')
  })

  test('from one address: 50 over any user names are free, then one a minute', async () => {
    const store = await openTestRepository(START)
    const { waits, now } = await failPatiently(store, 60, START, (repository, index) =>
      takeAttempt(repository, `user-${index}`, '10.0.0.1'),
    )
    expect(waits.slice(49)).toEqual([0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60])
    store.setTime(now)
    await expect(takeAttempt(store.repository, 'somebody', '10.0.0.1')).rejects.toMatchObject(refused('60'))
    await fail(store.repository, 1, 'somebody', '10.0.0.2')
  })

  test('of strangers behind one proxy do not keep out those who have logged in through it', async () => {
    const store = await openTestRepository(START)
    const proxy = '10.0.0.1'
    await succeed(store.repository, 'ada', proxy)
    await failPatiently(store, 60, START, (repository, index) => takeAttempt(repository, `user-${index}`, proxy))
    await succeed(store.repository, 'ada', proxy)
  })

  test('at a known address wait for half a minute at most, after ten', async () => {
    const store = await openTestRepository(START)
    await succeed(store.repository, 'ada', '10.0.0.1')
    const { waits } = await failPatiently(store, 18, START, (repository) => takeAttempt(repository, 'ada', '10.0.0.1'))
    expect(waits.slice(9)).toEqual([0, 1, 2, 4, 8, 16, 30, 30, 30])
  })

  test('from addresses of one IPv6 network of 64 bits are those of one client', async () => {
    const { repository } = await openTestRepository(START)
    for (const address of [
      '2001:db8::1',
      '2001:db8:0:0:1::',
      '2001:db8:0:0:ffff:1:2:3',
      '2001:0db8::a:b',
      '2001:DB8::2',
    ])
      await fail(repository, 1, 'ada', address)
    await expect(takeAttempt(repository, 'ada', '2001:db8::99')).rejects.toMatchObject(refused('1'))
    await fail(repository, 1, 'ada', '2001:db8:0:1::1')
  })

  test('made at the same time are all counted', async () => {
    const { repository } = await openTestRepository(START)
    const attempts = await Promise.allSettled(
      Array.from({ length: 30 }, () => takeAttempt(repository, 'ada', '10.0.0.1')),
    )
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  test('leave no user name in the store, and counters go when they have expired', async () => {
    const { repository, setTime } = await openTestRepository(START)
    for (let i = 0; i < 20; i++) await fail(repository, 1, `my-secret-${i}`, `10.0.1.${i}`)
    const counters = () => repository.records(recordKind('login-attempts'), { clinic: '', limit: 100 })
    expect(JSON.stringify(await counters())).not.toContain('my-secret')
    expect(await counters()).toHaveLength(60)
    setTime(START + HOUR + MINUTE)
    for (let i = 0; i < 12; i++) await fail(repository, 1, 'ada', `10.0.2.${i}`)
    expect(await counters()).toHaveLength(25)
  })
})

describe('a successful login', () => {
  test('forgets the failures of the user from its address', async () => {
    const { repository } = await openTestRepository(START)
    await fail(repository, 4, 'ada')
    await succeed(repository, 'ada', '10.0.0.1')
    await fail(repository, 10, 'ada')
    await expect(takeAttempt(repository, 'ada', '10.0.0.1')).rejects.toMatchObject(refused('1'))
  })

  test('gives its address back only what it took: an account of one’s own opens no others', async () => {
    const { repository } = await openTestRepository(START)
    for (let round = 0; round < 10; round++) {
      await fail(repository, 5, `victim-${round}`)
      await takeAttempt(repository, 'mallory', '10.0.0.1').then(
        (attempt) => attempt.succeeded(),
        () => {},
      )
    }
    await expect(takeAttempt(repository, 'victim-99', '10.0.0.1')).rejects.toMatchObject({ status: 429 })
  })

  test('makes an address known for 90 days; the last 20 are kept', async () => {
    const { repository, setTime } = await openTestRepository(START)
    const known = async () => {
      const [record] = await repository.records(recordKind<{ addresses: { network: string }[] }>('known-addresses'), {
        clinic: '',
        limit: 10,
      })
      return record?.value.addresses.map(({ network }) => network)
    }
    for (let i = 0; i < 25; i++) await succeed(repository, 'ada', `10.0.0.${i}`)
    expect(await known()).toHaveLength(20)
    setTime(START + 60 * DAY)
    await succeed(repository, 'ada', '10.0.0.24')
    setTime(START + 91 * DAY)
    await succeed(repository, 'ada', '10.0.1.1')
    expect(await known()).toEqual(['10.0.1.1', '10.0.0.24'])
  })

  test('is forgotten with the account', async () => {
    const { repository } = await openTestRepository(START)
    const ada = { username: 'Ada', name: 'Ada', clinic: 'clinic-a', role: 'staff' } as const
    await createAccount(repository, ada, 'a long password', CHEAP_PASSWORDS)
    await succeed(repository, 'ada', '10.0.0.1')
    await removeAccount(repository, 'ADA')
    expect(await repository.records(recordKind('known-addresses'), { clinic: '', limit: 10 })).toEqual([])
  })
})
