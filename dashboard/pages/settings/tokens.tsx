/** Tokens for programs: made here, shown once, listed with their last use, and revoked. docs/sessions.md */
import { Alert, Badge, Button, Group, Modal, Stack, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { baseUrl } from '../../api/address.ts'
import { now } from '../../api/clock.ts'
import { type MadeToken, type ProgramToken, programTokens, revokeToken } from '../../api/tokens.ts'
import { relativeText, timeText, zoneText } from '../../fhir/time.ts'
import { Copied, CopyButton } from '../../parts/copy.tsx'
import { Facts } from '../../parts/facts.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NewThing } from '../../parts/new-thing.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'
import { FormError, useSubmit } from '../../parts/sign-in.tsx'
import { useZone } from '../../parts/times.tsx'
import { NewTokenForm } from './new-token-form.tsx'

/** @param of another clinic, which an operator has chosen: there tokens are revoked, and none are made */
export function Tokens({ of }: { readonly of: string | undefined }) {
  const query = useQuery(programTokens(of))
  const [made, setMade] = useState<MadeToken>()
  return (
    <Stack maw={860}>
      <Text size="sm" maw={640}>
        A program sends such a token as <code>Authorization: Bearer</code>, as the dashboard does with its own. It ends
        when it is revoked, when its time is over, and when the account of its maker is changed.
      </Text>
      {of === undefined && (
        <NewThing label="New token…">
          {(close) => (
            <NewTokenForm
              onMade={(token) => {
                setMade(token)
                close()
              }}
            />
          )}
        </NewThing>
      )}
      {made !== undefined && <Made made={made} />}
      <Loaded query={query}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty icon="key" title="There are no tokens for programs">
              A new token lets a program use the FHIR API without a password.
            </Empty>
          ) : (
            <TokenTable tokens={tokens} of={of} />
          )
        }
      </Loaded>
    </Stack>
  )
}

function Made({ made: { token, name, role, expiresAt } }: { readonly made: MadeToken }) {
  const lines = `export BASE='${baseUrl}'\nexport TOKEN='${token}'`
  return (
    <Panel title={`Token of ${name}`}>
      <Stack gap="sm" role="status">
        <Alert>The token is shown here once: copy it before you leave this page.</Alert>
        <Facts
          facts={[
            ['Token', <Copied key="token" text={token} what="token" />],
            ['Role', role],
            ['Expires', <When key="expires" at={expiresAt} />],
          ]}
        />
        <Group>
          <CopyButton text={lines} label="Copy for a shell" said="The lines for a shell are copied." />
        </Group>
      </Stack>
    </Panel>
  )
}

const TITLES = ['Program', 'Role', 'Made', 'Last used', 'Expires', 'State', 'Actions']

interface TokenTableProps {
  readonly tokens: readonly ProgramToken[]
  readonly of: string | undefined
}

function TokenTable({ tokens, of }: TokenTableProps) {
  const [revoking, setRevoking] = useState<ProgramToken>()
  return (
    <>
      <ListTable titles={TITLES} minWidth={760}>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} onRevoke={() => setRevoking(token)} />
        ))}
      </ListTable>
      {revoking && <Revocation token={revoking} of={of} onClose={() => setRevoking(undefined)} />}
    </>
  )
}

function TokenRow({ token, onRevoke }: { readonly token: ProgramToken; readonly onRevoke: () => void }) {
  const { name, role, createdBy, createdAt, lastUsedAt, expiresAt, state } = token
  return (
    <Table.Tr>
      <Table.Th scope="row" maw={240} style={{ overflowWrap: 'anywhere' }}>
        <bdi>{name}</bdi>
      </Table.Th>
      <Table.Td>{role}</Table.Td>
      <Table.Td>
        <When at={createdAt} />, by <bdi>{createdBy}</bdi>
      </Table.Td>
      <Table.Td>{lastUsedAt === undefined ? 'never' : <When at={lastUsedAt} />}</Table.Td>
      <Table.Td>
        <When at={expiresAt} />
      </Table.Td>
      <Table.Td>
        <Badge variant="default">{state}</Badge>
      </Table.Td>
      <Table.Td>
        <Button size="compact-sm" variant="default" onClick={onRevoke}>
          Revoke…
        </Button>
      </Table.Td>
    </Table.Tr>
  )
}

interface RevocationProps {
  readonly token: ProgramToken
  readonly of: string | undefined
  readonly onClose: () => void
}

/** It can't be undone, so it is asked. */
function Revocation({ token, of, onClose }: RevocationProps) {
  const client = useQueryClient()
  const { error, isBusy, submit } = useSubmit(async () => {
    await revokeToken(token.id, of)
    await client.invalidateQueries({ queryKey: ['tokens'] })
    onClose()
  })
  return (
    <Modal opened onClose={onClose} title="Revoke the token">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            The next request of <bdi>{token.name}</bdi> is refused. A revoked token is not given back; a new one can be
            made.
          </Text>
          <FormError text={error} />
          <Group justify="flex-end">
            <Button variant="default" disabled={isBusy} onClick={onClose}>
              Keep it
            </Button>
            <Button type="submit" color="red" loading={isBusy}>
              Revoke it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}

/** Near times by their distance; the full time, in the zone of the clinic where there is one, is the tooltip. */
function When({ at }: { readonly at: string }) {
  const zone = useZone()
  return (
    <time dateTime={at} title={`${timeText(at, zone)} (${zoneText(zone, at)})`}>
      {relativeText(at, now())}
    </time>
  )
}
