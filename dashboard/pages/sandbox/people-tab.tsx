/** Magic people: each brings about something, whoever books them or calls as them. docs/magic.md */
import { Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type MagicKind, type MagicRow, magic } from '../../api/magic.ts'
import { resetOf } from '../../api/rehearsal.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { LinkButton, PageLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { Panel } from '../../parts/panel.tsx'

const KINDS: Readonly<Record<MagicKind, string>> = {
  patients: 'Patients',
  practitioners: 'Practitioners',
  values: 'Values',
}

/** The label of the telephone. */
const CALLS: Readonly<Record<MagicKind, string>> = {
  patients: 'Call as',
  practitioners: 'Call for',
  values: 'Call with',
}

export function PeopleTab() {
  const { id } = useClinic()
  const query = useQuery(magic)
  const { data: preview } = useQuery(resetOf(id))
  return (
    <Loaded query={query} rows={8}>
      {(table) => (
        <Stack>
          {(Object.keys(KINDS) as MagicKind[]).map((kind) => (
            <Panel key={kind} title={KINDS[kind]}>
              <MagicTable kind={kind} rows={table[kind]} scenario={preview?.scenario} />
            </Panel>
          ))}
        </Stack>
      )}
    </Loaded>
  )
}

/** In place of a scenario, where a row holds in each. */
const ANY = 'any'

interface MagicTableProps {
  readonly kind: MagicKind
  readonly rows: readonly MagicRow[]
  /** The one that the clinic is filled with. */
  readonly scenario: string | undefined
}

const MagicTable = ({ kind, rows, scenario }: MagicTableProps) => (
  <Table.ScrollContainer minWidth={700}>
    <Table verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          {['Who', 'How', 'To expect', 'Try it'].map((title) => (
            <Table.Th key={title}>{title}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Table.Tr key={row.name}>
            <Table.Th scope="row">
              <bdi>{row.who}</bdi>
              <Text size="xs" className="mono" c="dimmed">
                {row.name}
              </Text>
            </Table.Th>
            <Table.Td>
              {row.what}
              <Ways with={row.with} />
            </Table.Td>
            <Table.Td>{outcomeText(row.expect)}</Table.Td>
            <Table.Td>
              <Actions kind={kind} row={row} scenario={scenario} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)

/** `read 200, match (total 1, grade certain)` */
const outcomeText = (outcome: object): string =>
  Object.entries(outcome)
    .map(([name, value]) => (typeof value === 'object' ? `${name} (${outcomeText(value)})` : `${name} ${value}`))
    .join(', ')

/** The words and numbers by which they are reached. */
const Ways = ({ with: ways }: { readonly with: MagicRow['with'] }) => (
  <Text size="xs" c="dimmed">
    {Object.entries(ways)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')}
  </Text>
)

function Actions({ kind, row, scenario }: Omit<MagicTableProps, 'rows'> & { readonly row: MagicRow }) {
  if (row.scenario !== ANY && row.scenario !== scenario) {
    return (
      <Text size="sm">
        In{' '}
        <PageLink to="/sandbox" search={{ tab: 'scenarios', reset: row.scenario }}>
          {row.scenario}
        </PageLink>
      </Text>
    )
  }
  return (
    <Group gap="xs" wrap="nowrap">
      {row.resource !== undefined && (
        <LinkButton
          size="compact-sm"
          variant="default"
          to="/schedule"
          search={{ book: row.resource }}
          aria-label={`Book ${row.who}`}
        >
          Book
        </LinkButton>
      )}
      <LinkButton
        size="compact-sm"
        variant="default"
        to="/calls"
        search={callAs(kind, row)}
        aria-label={`${CALLS[kind]} ${row.who}`}
      >
        {CALLS[kind]}
      </LinkButton>
    </Group>
  )
}

/** The telephone as it is filled in: the number of the caller, a tool, and its arguments by their names. */
function callAs(kind: MagicKind, { with: ways }: MagicRow): Readonly<Record<string, string | undefined>> {
  const { given, family, phone, birthDate, email, memberId } = ways
  const name = [given, family].filter(Boolean).join(' ') || undefined
  switch (kind) {
    case 'patients':
      return {
        tool: 'resolve_patient_identity',
        caller: phone,
        statedName: name,
        statedPhone: phone,
        statedDateOfBirth: birthDate,
      }
    case 'practitioners':
      return { tool: 'find_available_slots', practitionerName: name }
    case 'values':
      return memberId === undefined
        ? { tool: 'submit_intake', email, phone }
        : { tool: 'submit_insurance_info', memberId }
  }
}
