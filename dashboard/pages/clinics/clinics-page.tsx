/** The clinics of the service, for operators: each with its settings, and new ones. */
import { Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { clinicList, type ListedClinic } from '../../api/clinics.ts'
import { useUser } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { NewThing } from '../../parts/new-thing.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { NewClinicForm } from './new-clinic-form.tsx'

export function ClinicsPage() {
  const query = useQuery(clinicList)
  return (
    <>
      <PageHead
        title="Clinics"
        description="Operators configure every clinic: its settings, accounts and tokens. Patients, schedule, calls and requests of a clinic are shown to accounts of that clinic alone; make one under Accounts."
      />
      <Stack maw={860}>
        <NewThing label="New clinic…">{(close) => <NewClinicForm onDone={close} />}</NewThing>
        <Loaded query={query}>
          {({ clinics, isCut }) =>
            clinics.length === 0 ? (
              <Empty icon="settings" title="There are no clinics">
                A new clinic is a tenant of its own: nothing in it is seen from another one.
              </Empty>
            ) : (
              <>
                <ClinicTable clinics={clinics} />
                {isCut && <Text size="sm">There are more than are listed here.</Text>}
              </>
            )
          }
        </Loaded>
      </Stack>
    </>
  )
}

function ClinicTable({ clinics }: { readonly clinics: readonly ListedClinic[] }) {
  const { clinic: own } = useUser()
  return (
    <ListTable titles={['Name', 'Id', 'Configure']} minWidth={480}>
      {clinics.map(({ id, name }) => (
        <Table.Tr key={id}>
          <Table.Th scope="row" maw={320} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
            {id === own && ' (yours)'}
          </Table.Th>
          <Table.Td>{id}</Table.Td>
          <Table.Td>
            <Group gap="sm" wrap="nowrap">
              <PageLink to="/settings" search={{ clinic: id }}>
                Settings
              </PageLink>
              <PageLink to="/settings" search={{ tab: 'accounts', clinic: id }}>
                Accounts
              </PageLink>
              <PageLink to="/settings" search={{ tab: 'tokens', clinic: id }}>
                Tokens
              </PageLink>
            </Group>
          </Table.Td>
        </Table.Tr>
      ))}
    </ListTable>
  )
}
