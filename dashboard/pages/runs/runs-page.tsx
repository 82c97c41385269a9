/** The runs of the clinic, the newest first, and the form that starts one. docs/runs.md */
import { Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plansOf } from '../../api/plans.ts'
import type { RunSummary } from '../../api/rehearsal-answers.ts'
import { runsOf } from '../../api/runs.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded, WhenRead } from '../../parts/page-states.tsx'
import { RehearsalOnly } from '../../parts/rehearsal-only.tsx'
import { Time, ZoneNote } from '../../parts/times.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { VerdictBadge } from '../../parts/verdict.tsx'
import { StartForm } from './start-form.tsx'

export const RunsPage = () => (
  <RehearsalOnly title="Runs">
    <Runs />
  </RehearsalOnly>
)

function Runs() {
  const { id } = useClinic()
  useFresh(id, [])
  const mayChange = useMayChange()
  const query = useQuery(runsOf(id))
  const plans = useQuery({ ...plansOf(id), enabled: mayChange })
  return (
    <>
      <PageHead title="Runs" description={<ZoneNote />} />
      <Stack>
        <Text className="prose" maw={640}>
          A run watches the requests of one client, by FHIR and by phone, and judges them by{' '}
          <PageLink to="/plans">a plan</PageLink>.
        </Text>
        <WhenRead queries={mayChange ? [query, plans] : [query]}>
          {mayChange && <StartForm />}
          <Loaded query={query}>
            {(runs) =>
              runs.length === 0 ? (
                <Empty icon="run" title="There are no runs">
                  {mayChange ? 'Start one above' : 'An admin of the clinic starts one'}; it fills in as the client sends
                  its requests.
                </Empty>
              ) : (
                <RunTable runs={runs} />
              )
            }
          </Loaded>
        </WhenRead>
      </Stack>
    </>
  )
}

const RunTable = ({ runs }: { readonly runs: readonly RunSummary[] }) => (
  <ListTable label="Runs" titles={['Plan', 'Client', 'Status', 'Result', 'Score', 'Started', 'By']} minWidth={760}>
    {runs.map(({ run, title, client, as, status, result, score, startedAt, by }) => (
      <Table.Tr key={run}>
        <Table.Th scope="row">
          <PageLink to={`/runs/${run}`}>{title}</PageLink>
          {as !== undefined && (
            <Text size="xs" c="dimmed">
              as {as}
            </Text>
          )}
        </Table.Th>
        <Table.Td>
          <bdi>{client}</bdi>
        </Table.Td>
        <Table.Td>{status}</Table.Td>
        <Table.Td>{result !== undefined && status !== 'aborted' && <VerdictBadge result={result} />}</Table.Td>
        <Table.Td className="number">{score !== undefined && `${score} %`}</Table.Td>
        <Table.Td>
          <Time at={startedAt} />
        </Table.Td>
        <Table.Td>
          <bdi>{by}</bdi>
        </Table.Td>
      </Table.Tr>
    ))}
  </ListTable>
)
