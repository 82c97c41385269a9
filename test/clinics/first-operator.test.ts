import { expect, test } from '@jest/globals'
import {
  createAccount,
  everyAccount,
  makeFirstOperator,
  removeAccount,
  setDisabled,
} from '../../src/clinics/accounts.ts'
import type { Repository } from '../../src/repository/repository.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { openTestRepository } from '../support/repository.ts'

const OTTO = { username: 'otto', password: 'a long password' }

async function operators(repository: Repository): Promise<readonly string[]> {
  const found: string[] = []
  for await (const { username, role } of everyAccount(repository)) if (role === 'operator') found.push(username)
  return found
}

test('the first start makes the operator; later ones make no other, be he disabled', async () => {
  const { repository } = await openTestRepository()
  const make = (operator: typeof OTTO) => makeFirstOperator(repository, operator, CHEAP_PASSWORDS)
  expect(await make(OTTO)).toBe(true)
  expect(await make(OTTO)).toBe(false)
  await setDisabled(repository, 'otto', true)
  expect(await make({ ...OTTO, username: 'olga' })).toBe(false)
  expect(await operators(repository)).toEqual(['otto'])
  await removeAccount(repository, 'otto')
  expect(await make({ ...OTTO, username: 'olga' })).toBe(true)
})

test('servers that start together make one operator', async () => {
  const { repository } = await openTestRepository()
  const made = await Promise.all([1, 2, 3].map(() => makeFirstOperator(repository, OTTO, CHEAP_PASSWORDS)))
  expect(made.filter(Boolean)).toHaveLength(1)
  expect(await operators(repository)).toEqual(['otto'])
})

test.each([
  ['a user name that is taken by staff', { ...OTTO, username: 'stella' }, 409],
  ['a short password', { ...OTTO, password: 'short' }, 400],
])('%s is told, and stops the start', async (_what, operator, status) => {
  const { repository } = await openTestRepository()
  const stella = { username: 'stella', name: 'Stella', clinic: 'clinic-a', role: 'staff' } as const
  await createAccount(repository, stella, 'a long password', CHEAP_PASSWORDS)
  await expect(makeFirstOperator(repository, operator, CHEAP_PASSWORDS)).rejects.toMatchObject({ status })
  expect(await operators(repository)).toEqual([])
})
