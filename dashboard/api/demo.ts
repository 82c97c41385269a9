/** The accounts of the demo, which the server has in demo mode only: docs/sessions.md. */
import { queryOptions } from '@tanstack/react-query'
import { get } from './client.ts'

interface DemoAccount {
  readonly username: string
  readonly password: string
  readonly role: string
}

/** None elsewhere, and where the server is away: the form then says so. */
export const demoAccounts = queryOptions({
  queryKey: ['demo'],
  queryFn: async (): Promise<readonly DemoAccount[]> =>
    get<{ readonly accounts: readonly DemoAccount[] }>('session/demo').then(
      ({ accounts }) => accounts,
      () => [],
    ),
})
