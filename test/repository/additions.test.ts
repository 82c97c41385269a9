/** Records of which there may be so many at most, where several are added at once. */
import { expect, test } from '@jest/globals'
import { recordProgramToken } from '../../src/clinics/program-tokens.ts'
import { makeClone } from '../../src/rehearsal/generations/clones.ts'
import { beginSnapshot, finishSnapshot, listSnapshots } from '../../src/rehearsal/generations/snapshots.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { openTestStore } from '../support/database.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { openTestRepository } from '../support/repository.ts'

const CLINIC = 'busy'
const POLICIES = { overbooking: false, slotTakenStatus: 409 } as const
const { repository, ...services } = await openTestRepository()

/** Adds one after the other, then ten at once. @returns how many of the ten there are */
async function addedOfTen(before: number, add: (name: string) => Promise<unknown>): Promise<number> {
  for (let index = 0; index < before; index++) await add(`before-${index}`)
  const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => add(`at-once-${index}`)))
  const refused = ends.filter((end) => end.status === 'rejected')
  for (const { reason } of refused) expect(reason.message).toMatch(/at most|delete one/)
  return ends.length - refused.length
}

test('a clinic has a hundred tokens for programs at most', async () => {
  const account = { username: 'ada', name: 'Ada', clinic: CLINIC, role: 'admin' } as const
  const add = (name: string) => recordProgramToken(repository, account, { name, role: 'staff', lifetime: 60_000 })
  expect(await addedOfTen(97, add)).toBe(3)
  const stored = await repository.records(recordKind('program-token'), { clinic: CLINIC, limit: 200 })
  expect(stored).toHaveLength(100)
})

test('a clinic has a hundred clones at most', async () => {
  const settings = {
    name: 'Busy',
    timeZone: 'Europe/Vienna',
    dialedNumbers: [],
    defaultRegion: 'US',
    policies: POLICIES,
  }
  const add = (id: string) =>
    makeClone(repository, { id, of: CLINIC, by: 'Ada', expiresAt: Date.now() + 60_000, settings }, CHEAP_PASSWORDS)
  expect(await addedOfTen(97, add)).toBe(3)
  const stored = await repository.records(recordKind('clone'), { clinic: '', limit: 200 })
  expect(stored).toHaveLength(100)
})

test('a clinic has fifty snapshots at most, also where one is taken while another one begins', async () => {
  const store = await openTestStore()
  const plain = { ...services, ...(await openTestRepository(Date.now(), store)) }
  const take = async (of: typeof plain, name: string) => {
    const filling = await beginSnapshot(of, CLINIC, name, 'Ada')
    await finishSnapshot(of, { clinic: CLINIC, name, serverVersion: '1.0.0' }, filling)
  }
  for (let index = 0; index < 49; index++) await take(plain, `before-${index}`)
  let isFirst = true
  const interrupted = await openTestRepository(Date.now(), {
    ...store,
    records: async (query) => {
      const found = await store.records(query)
      if (query.kind === 'snapshot' && isFirst) {
        isFirst = false
        await take(plain, 'meanwhile')
      }
      return found
    },
  })
  await expect(take(interrupted, 'one-more')).rejects.toThrow('50 snapshots')
  expect((await listSnapshots(plain.repository, CLINIC)).map(({ name }) => name)).toContain('meanwhile')
})
