/** The plans of the server and of the clinic. docs/plans.md */
import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plansOf } from '../../api/plans.ts'
import type { Plan } from '../../api/rehearsal-answers.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LinkButton, PageLink } from '../../parts/links.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { RehearsalOnly } from '../../parts/rehearsal-only.tsx'
import { useMayChange } from '../../parts/use-may-change.ts'
import { NEW_PLAN } from './new-plan.ts'
import { PlanEditor } from './plan-editor.tsx'

export const PlansPage = () => (
  <RehearsalOnly title="Plans">
    <Plans />
  </RehearsalOnly>
)

function Plans() {
  const { id } = useClinic()
  useFresh(id, [])
  const mayChange = useMayChange()
  const [{ edit }] = useFilters({ edit: '' })
  const query = useQuery(plansOf(id))
  const isNew = mayChange && edit === 'new'
  return (
    <>
      <PageHead
        title={isNew ? 'New plan' : 'Plans'}
        description="What a client must do, what it must not, and what goes wrong meanwhile"
        actions={
          mayChange && (
            <LinkButton to="/plans" search={isNew ? {} : { edit: 'new' }} size="xs" variant="default">
              {isNew ? 'All plans' : 'New plan'}
            </LinkButton>
          )
        }
      />
      {isNew ? (
        <PlanEditor plan={NEW_PLAN} />
      ) : (
        <Loaded query={query}>{(plans) => <PlanTable plans={plans} mayStart={mayChange} />}</Loaded>
      )}
    </>
  )
}

function PlanTable({ plans, mayStart }: { readonly plans: readonly Plan[]; readonly mayStart: boolean }) {
  if (plans.length === 0) {
    return (
      <Empty icon="plan" title="There are no plans">
        An admin of the clinic writes them here, and runs judge clients by them.
      </Empty>
    )
  }
  return (
    <ListTable
      label="Plans"
      titles={['Plan', 'Steps', 'Scenario', 'Version', 'From', ...(mayStart ? ['Try it'] : [])]}
      minWidth={700}
    >
      {plans.map(({ plan, title, description, steps, scenario, version, builtIn }) => (
        <Table.Tr key={plan}>
          <Table.Th scope="row">
            <Stack gap={2}>
              <Group gap="xs">
                <PageLink to={`/plans/${plan}`}>{title}</PageLink>
                <Text span className="mono" c="dimmed">
                  {plan}
                </Text>
              </Group>
              <Text size="xs" c="dimmed" fw={400} lineClamp={2}>
                {description}
              </Text>
            </Stack>
          </Table.Th>
          <Table.Td className="number">{steps.length}</Table.Td>
          <Table.Td>{scenario}</Table.Td>
          <Table.Td className="number">{version}</Table.Td>
          <Table.Td>
            <Badge variant="default">{builtIn ? 'the server' : 'the clinic'}</Badge>
          </Table.Td>
          {mayStart && (
            <Table.Td>
              <LinkButton
                size="compact-sm"
                variant="default"
                to="/runs"
                search={{ plan }}
                aria-label={`Start a run of ${plan}…`}
              >
                Start a run…
              </LinkButton>
            </Table.Td>
          )}
        </Table.Tr>
      ))}
    </ListTable>
  )
}
