/** The accounts that may sign in: docs/accounts.md. */
import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { type Account, accountPath, accountsOf, removeAccount, setLogin } from '../../api/accounts.ts'
import { ActionList } from '../../parts/action-list.tsx'
import { useUser } from '../../parts/clinic-context.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NewThing } from '../../parts/new-thing.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { PasswordForm } from '../../parts/password-form.tsx'
import { doLater, offerUndo, tellProblem } from '../../parts/undo.tsx'
import { NameForm } from './name-form.tsx'
import { NewAccountForm } from './new-account-form.tsx'

/** @param of the clinic that an operator has chosen; undefined: all that one may see */
export function Accounts({ of }: { readonly of: string | undefined }) {
  const { clinic, role } = useUser()
  const query = useQuery(accountsOf(role === 'operator' ? of : clinic))
  return (
    <Stack maw={860}>
      <NewThing label="New account…">{(close) => <NewAccountForm onDone={close} />}</NewThing>
      <Loaded query={query}>
        {({ accounts, isCut }) =>
          accounts.length === 0 ? (
            <Empty icon="user" title="There are no accounts">
              A new account lets somebody sign in here and with POST /session.
            </Empty>
          ) : (
            <>
              <AccountTable accounts={accounts} />
              {isCut && <Text size="sm">There are more than are listed here.</Text>}
            </>
          )
        }
      </Loaded>
    </Stack>
  )
}

function AccountTable({ accounts }: { readonly accounts: readonly Account[] }) {
  const [removed, setRemoved] = useState<readonly string[]>([])
  const mark = (username: string, isRemoved: boolean) =>
    setRemoved((before) => (isRemoved ? [...before, username] : before.filter((one) => one !== username)))
  return (
    <ListTable titles={['User name', 'Name', 'Role', 'Clinic', 'State', 'Actions']} minWidth={560}>
      {accounts
        .filter(({ username }) => !removed.includes(username))
        .map((account) => (
          <AccountRow key={account.username} account={account} onRemove={(is) => mark(account.username, is)} />
        ))}
    </ListTable>
  )
}

interface AccountRowProps {
  readonly account: Account
  readonly onRemove: (isRemoved: boolean) => void
}

function AccountRow({ account, onRemove }: AccountRowProps) {
  const { username, name, role, clinic, enabled } = account
  const user = useUser()
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <bdi>{username}</bdi>
      </Table.Th>
      <Table.Td>
        <bdi>{name}</bdi>
      </Table.Td>
      <Table.Td>{role}</Table.Td>
      <Table.Td>{clinic}</Table.Td>
      <Table.Td>
        <Badge variant="default">{enabled ? 'enabled' : 'disabled'}</Badge>
      </Table.Td>
      <Table.Td>{username === user.username ? 'you' : <AccountMenu account={account} onRemove={onRemove} />}</Table.Td>
    </Table.Tr>
  )
}

function AccountMenu({ account, onRemove }: AccountRowProps) {
  const { username, enabled } = account
  const client = useQueryClient()
  const [changing, setChanging] = useState<'name' | 'password'>()
  // An admin may change another admin only in whether they can sign in.
  const isWhole = useUser().role === 'operator' || account.role === 'staff'
  const refresh = () => client.invalidateQueries({ queryKey: ['accounts'] })
  const things = [accountPath(username)]
  const allow = async (isEnabled: boolean, before?: string) => {
    const tag = await setLogin(username, isEnabled, before)
    await refresh()
    return tag
  }
  const toggle = () =>
    allow(!enabled).then((tag) => {
      const undo = () => allow(enabled, tag)
      offerUndo(`${username} is ${enabled ? 'disabled' : 'enabled'}.`, { things, undo })
    }, tellProblem)
  const remove = () => {
    onRemove(true)
    const act = async () => {
      try {
        await removeAccount(username)
      } catch (error) {
        onRemove(false)
        throw error
      }
      await refresh()
    }
    doLater(`The account ${username} is removed.`, { things, act, undone: () => onRemove(false) })
  }
  return (
    <Group gap="xs">
      <ActionList
        label="Change…"
        actions={[
          { label: enabled ? 'Disable' : 'Enable', run: toggle },
          ...(isWhole
            ? [
                { label: 'Rename…', run: () => setChanging('name') },
                { label: 'New password…', run: () => setChanging('password') },
                { label: 'Remove', run: remove },
              ]
            : []),
        ]}
      />
      {changing === 'name' && <NameForm account={account} onClose={() => setChanging(undefined)} />}
      {changing === 'password' && <PasswordForm username={username} onClose={() => setChanging(undefined)} />}
    </Group>
  )
}
