/** One plan: as a checklist with its sources, as the text that is edited, and tried on recorded requests. docs/plans.md */
import { Badge, Button, Group, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { planOf, planPath, useDeletePlan } from '../../api/plans.ts'
import type { Plan } from '../../api/rehearsal-answers.ts'
import { useFresh } from '../../api/use-fresh.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { useFilters } from '../../parts/filters.ts'
import { LinkButton } from '../../parts/links.tsx'
import { NamedTabs } from '../../parts/named-tabs.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/page-states.tsx'
import { RehearsalOnly } from '../../parts/rehearsal-only.tsx'
import { doLater } from '../../parts/undo.tsx'
import { useGo } from '../../parts/use-go.ts'
import { useMayChange } from '../../parts/use-may-change.ts'
import { DryRun } from './dry-run.tsx'
import { PlanEditor } from './plan-editor.tsx'
import { PlanSteps } from './plan-steps.tsx'

export const PlanPage = () => (
  <RehearsalOnly title="Plan">
    <FoundPlan />
  </RehearsalOnly>
)

function FoundPlan() {
  const { id: name = '' } = useParams({ strict: false }) as { readonly id?: string }
  const { id } = useClinic()
  useFresh(id, [])
  const query = useQuery(planOf(id, name))
  return (
    <Loaded query={query} rows={8}>
      {(plan) => <PlanView key={name} plan={plan} />}
    </Loaded>
  )
}

const TABS = { read: 'Steps', edit: 'Edit', try: 'Dry run' } as const
type Tab = keyof typeof TABS
const NAMES = Object.keys(TABS) as Tab[]

function PlanView({ plan }: { readonly plan: Plan }) {
  const mayChange = useMayChange()
  const [filters, setFilters] = useFilters({ tab: 'read' })
  const tabs = mayChange ? NAMES : NAMES.slice(0, 1)
  const tab = tabs.find((name) => name === filters.tab) ?? 'read'
  return (
    <>
      <PageHead title={plan.title} description={<PlanFacts plan={plan} />} actions={<PlanActions plan={plan} />} />
      <NamedTabs names={tabs} labels={TABS} value={tab} onOpen={(tab) => setFilters({ tab })}>
        <Tabs.Panel value="read">
          <PlanSteps plan={plan} />
        </Tabs.Panel>
        <Tabs.Panel value="edit">
          <PlanEditor plan={plan} />
        </Tabs.Panel>
        <Tabs.Panel value="try">
          <DryRun plan={() => plan.plan} />
        </Tabs.Panel>
      </NamedTabs>
    </>
  )
}

const PlanFacts = ({ plan: { plan, version, scenario, builtIn, description } }: { readonly plan: Plan }) => (
  <Stack gap={4} maw={800}>
    <Group gap="xs">
      <span className="mono">{plan}</span>
      <span>version {version}</span>
      {scenario !== undefined && <span>scenario {scenario}</span>}
      <Badge variant="default">{builtIn ? 'of the server' : 'of the clinic'}</Badge>
    </Group>
    <Text size="sm" c="var(--mantine-color-text)">
      {description}
    </Text>
  </Stack>
)

function PlanActions({ plan: { plan, builtIn } }: { readonly plan: Plan }) {
  const { id } = useClinic()
  const go = useGo()
  const mayChange = useMayChange()
  const remove = useDeletePlan(id)
  if (!mayChange) return null
  const removeLater = () => {
    go('/plans')
    const undone = () => go(`/plans/${plan}`)
    doLater(`The plan ${plan} is deleted.`, {
      things: [planPath(id, plan)],
      act: () => remove.mutateAsync(plan),
      undone,
    })
  }
  return (
    <>
      <LinkButton size="xs" to="/runs" search={{ plan }}>
        Start a run…
      </LinkButton>
      {!builtIn && (
        <Button size="xs" variant="default" onClick={removeLater}>
          Delete
        </Button>
      )}
    </>
  )
}
