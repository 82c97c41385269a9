/** Accounts: docs/accounts.md. */
import { queryOptions } from '@tanstack/react-query'
import { send } from './client.ts'
import { pagesFrom } from './lists.ts'
import { putTagged } from './operations.ts'

/** An account to which a Task is assigned, or that has written a comment. */
export interface Colleague {
  readonly username: string
  readonly name: string
}

export interface Account extends Colleague {
  readonly clinic?: string
  readonly role: string
  readonly enabled: boolean
}

export interface NewAccount {
  readonly username: string
  readonly name: string
  readonly password: string
  readonly role: string
  readonly clinic?: string | undefined
}

interface Page {
  readonly accounts: readonly Account[]
  readonly next?: string
}

const MOST = 10

/** @param clinic undefined: of all that one may see */
export const accountsOf = (clinic: string | undefined) =>
  queryOptions({
    queryKey: ['accounts', clinic ?? ''],
    queryFn: async ({ signal }) => {
      const path = clinic === undefined ? 'accounts' : `accounts?clinic=${clinic}`
      const { pages, isCut } = await pagesFrom<Page>(path, MOST, signal)
      return { accounts: pages.flatMap(({ accounts }) => accounts), isCut }
    },
  })

/** Accounts that can log in. Staff get nothing of them but names. */
export const colleaguesOf = (clinic: string) =>
  queryOptions({
    ...accountsOf(clinic),
    select: ({ accounts }: { readonly accounts: readonly (Colleague & Partial<Account>)[] }): readonly Colleague[] =>
      accounts.filter(({ enabled = true }) => enabled),
  })

export const accountPath = (username: string): string => `accounts/${encodeURIComponent(username)}`

export const addAccount = (account: NewAccount) => send({ method: 'POST', path: 'accounts', body: account })
/** @param tag that the account must have, where an earlier change is undone. @returns its new tag */
export const setLogin = (username: string, enabled: boolean, tag?: string) =>
  putTagged(`${accountPath(username)}/login`, { enabled }, tag)
export const setName = (username: string, name: string, tag?: string) =>
  putTagged(`${accountPath(username)}/name`, { name }, tag)
/** @param currentPassword required only to change one's own password */
export const setPassword = (username: string, password: string, currentPassword?: string) =>
  send({ method: 'PUT', path: `${accountPath(username)}/password`, body: { password, currentPassword } })
export const removeAccount = (username: string) => send({ method: 'DELETE', path: accountPath(username) })
