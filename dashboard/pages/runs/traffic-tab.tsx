/** The traffic of a run in numbers: how much, how fast, and with which statuses. */
import { SimpleGrid, Stack, Table, Text } from '@mantine/core'
import type { Run } from '../../api/rehearsal-answers.ts'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Numeral } from '../../parts/numeral.tsx'

/** A class of statuses as a filter of the journal; `none` is 0 there. */
const filterOf = (status: string): string => (status === 'none' ? '0' : status)

const isError = (status: string): boolean => status === 'none' || /^[45]/.test(status)

export function TrafficTab({ run: { run, traffic }, isOwn }: { readonly run: Run; readonly isOwn: boolean }) {
  const { exchanges, tools, byStatus, latency } = traffic
  const errors = Object.entries(byStatus).reduce((sum, [status, count]) => sum + (isError(status) ? count : 0), 0)
  return (
    <Stack>
      <SimpleGrid cols={{ base: 2, sm: 5 }} component="dl" m={0}>
        <Numeral label="Requests" value={exchanges} />
        <Numeral label="Tool calls" value={tools} />
        <Numeral label="Errors" value={errors} isBad={errors > 0} />
        <Numeral label="Median latency" value={`${latency.median} ms`} />
        <Numeral label="95th percentile" value={`${latency.p95} ms`} />
      </SimpleGrid>
      <ListTable label="Requests by status" titles={['Status', 'Requests']} minWidth={240}>
        {Object.entries(byStatus).map(([status, count]) => (
          <Table.Tr key={status}>
            <Table.Th scope="row">
              {isOwn ? (
                <PageLink to="/journal" search={{ run, status: filterOf(status) }}>
                  {status}
                </PageLink>
              ) : (
                status
              )}
            </Table.Th>
            <Table.Td className="number">{count.toLocaleString('en')}</Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
      {isOwn && (
        <Text size="sm">
          <PageLink to="/journal" search={{ run }}>
            All requests of the run
          </PageLink>
        </Text>
      )}
    </Stack>
  )
}
