import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { describe, expect, jest, test } from '@jest/globals'
import {
  type Account,
  changePassword,
  createAccount,
  findAccount,
  removeAccount,
  renameAccount,
  verifyPassword,
} from '../../src/clinics/accounts.ts'
import { PASSWORD_COST } from '../../src/clinics/passwords.ts'
import { recordKind } from '../../src/repository/record-kinds.ts'
import { CHEAP_PASSWORDS } from '../support/passwords.ts'
import { openTestRepository } from '../support/repository.ts'

const ADA: Account = { username: 'Ada.L', name: 'Ada Lovelace', clinic: 'clinic-a', role: 'staff' }
const PASSWORD = 'correct horse battery'

async function withAda() {
  const { repository } = await openTestRepository()
  await createAccount(repository, ADA, PASSWORD, CHEAP_PASSWORDS)
  return repository
}

describe('an account', () => {
  test('is found by its user name in any case, with its own password only', async () => {
    const repository = await withAda()
    expect(await verifyPassword(repository, 'ADA.l', PASSWORD, false)).toMatchObject(ADA)
    expect(await verifyPassword(repository, 'ada.l', `${PASSWORD} `, false)).toBeUndefined()
    expect(await verifyPassword(repository, 'ada', PASSWORD, false)).toBeUndefined()
  })

  test('has a later version after each change, in one millisecond and after the clock was set back', async () => {
    const { repository, setTime } = await openTestRepository('2026-03-02T08:00:00Z')
    await createAccount(repository, ADA, PASSWORD, CHEAP_PASSWORDS)
    const versions = [(await findAccount(repository, ADA.username))?.version]
    for (const time of ['2026-03-02T08:00:00Z', '2026-03-02T07:00:00Z', '2026-03-02T09:00:00Z']) {
      setTime(time)
      versions.push((await renameAccount(repository, ADA.username, 'Ada King')).version)
    }
    const start = Date.parse('2026-03-02T08:00:00Z')
    expect(versions).toEqual([start, start + 1, start + 2, start + 3_600_000])
  })

  test('accepts its password however the keyboard composes its letters', async () => {
    const { repository } = await openTestRepository()
    await createAccount(repository, ADA, 'Zürich-Genève', CHEAP_PASSWORDS)
    expect(await verifyPassword(repository, 'ada.l', 'Zu\u0308rich-Gene\u0300ve', false)).toMatchObject(ADA)
  })

  test('is stored with a salted scrypt hash and its parameters, never with the password', async () => {
    const { repository } = await openTestRepository()
    await createAccount(repository, ADA, PASSWORD)
    await createAccount(repository, { ...ADA, username: 'twin' }, PASSWORD)
    const hashes = []
    for (const key of ['ada.l', 'twin']) {
      const text = JSON.stringify(await repository.readRecord('', recordKind('account'), key))
      expect(text).not.toContain(PASSWORD)
      hashes.push(/scrypt\$32768\$8\$1\$[^"]+/.exec(text)?.[0])
    }
    expect(hashes[0]).toBeDefined()
    expect(hashes[0]).not.toBe(hashes[1])
  })

  test('is refused when the user name is taken, in any case and by any clinic', async () => {
    const repository = await withAda()
    const rival = createAccount(
      repository,
      { ...ADA, username: 'ADA.L', clinic: 'clinic-b' },
      PASSWORD,
      CHEAP_PASSWORDS,
    )
    await expect(rival).rejects.toMatchObject({ status: 409 })
  })

  test('of the same name made twice at once is made once', async () => {
    const { repository } = await openTestRepository()
    const made = await Promise.allSettled([
      createAccount(repository, ADA, PASSWORD, CHEAP_PASSWORDS),
      createAccount(repository, ADA, PASSWORD, CHEAP_PASSWORDS),
    ])
    expect(made.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  test('has a new password after a change, and the old one no more', async () => {
    const repository = await withAda()
    await changePassword(repository, 'ada.l', 'another long one')
    expect(await verifyPassword(repository, 'ada.l', PASSWORD, false)).toBeUndefined()
    expect(await verifyPassword(repository, 'ada.l', 'another long one', false)).toMatchObject(ADA)
  })

  test('that is removed lets nobody in', async () => {
    const repository = await withAda()
    await removeAccount(repository, 'Ada.L')
    expect(await verifyPassword(repository, 'ada.l', PASSWORD, false)).toBeUndefined()
    await expect(removeAccount(repository, 'Ada.L')).rejects.toMatchObject({ status: 404 })
  })
})

describe('the rules', () => {
  test.each(['123456789', '', 'ADA.LOVELACE', 'x'.repeat(1025)])(
    'refuse the password %j with 400',
    async (password) => {
      const { repository } = await openTestRepository()
      const made = createAccount(repository, { ...ADA, username: 'ada.lovelace' }, password)
      await expect(made).rejects.toMatchObject({ status: 400 })
    },
  )

  test.each(['', ' ', '-ada', 'ada lovelace', 'ada\n', 'x'.repeat(65)])(
    'refuse the user name %j with 400',
    async (username) => {
      const { repository } = await openTestRepository()
      await expect(createAccount(repository, { ...ADA, username }, PASSWORD)).rejects.toMatchObject({ status: 400 })
    },
  )

  test('let a demo-only account in in demo mode, and nowhere else', async () => {
    const { repository } = await openTestRepository()
    await createAccount(repository, { ...ADA, demoOnly: true }, PASSWORD, CHEAP_PASSWORDS)
    expect(await verifyPassword(repository, 'ada.l', PASSWORD, true)).toMatchObject({ username: 'Ada.L' })
    expect(await verifyPassword(repository, 'ada.l', PASSWORD, false)).toBeUndefined()
  })

  test.each([
    ['usual', PASSWORD_COST],
    ['lowest', CHEAP_PASSWORDS],
  ])('make an unknown user name cost as much work as a known one (%s cost)', async (_, cost) => {
    const { repository } = await openTestRepository()
    await createAccount(repository, ADA, PASSWORD, cost)
    const scrypt = jest.spyOn(crypto, 'scrypt')
    syncBuiltinESMExports()
    try {
      await verifyPassword(repository, 'ada.l', 'wrong', false, cost)
      await verifyPassword(repository, 'nobody', 'wrong', false, cost)
      const costs = scrypt.mock.calls.map(([_password, _salt, bytes, cost]) => [bytes, cost])
      expect(costs).toHaveLength(2)
      expect(costs[1]).toEqual(costs[0])
    } finally {
      scrypt.mockRestore()
      syncBuiltinESMExports()
    }
  })
})
